"""Embeddings for programs that speak OpenAI's protocol, by the models this installation has."""

from collections.abc import Sequence

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.spaces import Spaces
from veraz.providers.embedding.base import Embedded, Space
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.plans import Plans

Q = queries(__file__)

DEFAULT = "default"
_TOKENS_PER_CREDIT = 1_000
_FREE = ("local", "fake")


class Embeddings:
    """Vectors of texts; those of paid services cost credits."""

    def __init__(self, db: Database, spaces: Spaces, plans: Plans) -> None:
        self.db = db
        self.spaces = spaces
        self.plans = plans

    async def embed(
        self, actor: Actor, texts: Sequence[str], model: str, *, dimensions: int | None = None
    ) -> tuple[str, Embedded]:
        """The space's name and the vectors; `default` is the installation's own model."""
        if not actor.may("read"):
            need(actor, "ask")
        async with self.db.transaction(actor.scope()) as tx:
            await self.plans.need_feature(tx, "ai_agents_enabled")
        name = self.spaces.settings.embedding_model if model == DEFAULT or ":" not in model else model
        embedder = self.spaces.embedder_named(name)
        if dimensions not in (None, embedder.space.dimensions):
            raise errors.Invalid(field="dimensions", reason=_only(embedder.space))
        embedded = await embedder.embed(texts, purpose="document")
        if embedder.space.provider not in _FREE:
            async with self.db.transaction(actor.scope()) as tx:
                await tx.run(
                    Q.charge,
                    about=new_id(),
                    credits=-(-embedded.tokens // _TOKENS_PER_CREDIT),
                    model=embedder.space.name,
                    tokens=embedded.tokens,
                    cost=embedded.cost_usd,
                )
        return embedder.space.name, embedded


def _only(space: Space) -> errors.Phrase:
    return errors.Phrase(
        f"{space.model} has {space.dimensions} here; another size is named with the model, provider:model@size",
        es=f"{space.model} tiene {space.dimensions} aquí; otro tamaño se nombra con el modelo, proveedor:modelo@tamaño",
    )
