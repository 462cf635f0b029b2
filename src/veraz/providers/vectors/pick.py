"""Settings → the vector engine, or none: then PostgreSQL searches its vectors itself."""

from veraz.providers.vectors.base import VectorEngine
from veraz.settings import Settings


def pick_vector_engine(settings: Settings) -> VectorEngine | None:
    """Qdrant when its address is set."""
    if not settings.qdrant_url:
        return None
    from veraz.providers.vectors.qdrant import Qdrant  # its client takes seconds to load

    key = settings.qdrant_api_key
    return Qdrant(
        settings.qdrant_url,
        api_key=key.get_secret_value() if key else None,
        prefix=settings.qdrant_prefix,
    )
