"""Embedding spaces: vectors of one model and size, never compared with others."""

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.library.configs import EmbeddingConfig
from veraz.providers.embedding.base import Embedder
from veraz.providers.embedding.pick import pick_embedder
from veraz.settings import Settings

Q = queries(__file__)


class Spaces:
    """Which embedder a configuration means, and the number its space has in the database."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def resolve(self, wanted: EmbeddingConfig | None) -> EmbeddingConfig:
        """The configuration with the model's real name and dimensions; unusable ones are refused here."""
        if wanted is None:
            return EmbeddingConfig.named(self.embedder_named(self.settings.embedding_model).space)
        return wanted.resolved(self.embedder(wanted).space)

    def embedder(self, config: EmbeddingConfig) -> Embedder:
        """The embedder of a configuration."""
        return self.embedder_named(config.space_name)

    def embedder_named(self, name: str) -> Embedder:
        """The embedder of `provider:model[@dimensions]`."""
        return pick_embedder(name, self.settings)

    async def ensure(self, tx: Transaction, config: EmbeddingConfig) -> int:
        """The space's number; registered when new."""
        space_id: int = await tx.value(Q.ensure, name=config.space_name, dimensions=config.dimensions)
        return space_id
