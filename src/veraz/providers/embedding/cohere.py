"""Cohere's embeddings."""

from cohere import AsyncClientV2
from pydantic_ai.embeddings.cohere import CohereEmbeddingModel, CohereEmbeddingSettings
from pydantic_ai.providers.cohere import CohereProvider

from veraz.providers.embedding.base import Space
from veraz.providers.embedding.remote import RemoteEmbedder

BASE_URL = "https://api.cohere.com"
MAX_BATCH = 96


def cohere_embedder(
    space: Space, *, api_key: str, base_url: str | None, ask_dimensions: bool, seconds: float
) -> RemoteEmbedder:
    """An embedder for Cohere's API; texts longer than the model reads are cut at the end, not refused."""
    client = AsyncClientV2(
        api_key=api_key,
        base_url=base_url or BASE_URL,
        timeout=seconds,
        max_retries=0,
        log_warning_experimental_features=False,
    )
    model = CohereEmbeddingModel(
        space.model,
        provider=CohereProvider(cohere_client=client),
        settings=CohereEmbeddingSettings(cohere_truncate="END"),
    )
    return RemoteEmbedder(space=space, model=model, max_batch=MAX_BATCH, ask_dimensions=ask_dimensions)
