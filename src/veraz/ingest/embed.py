"""Chunks get vectors: those already known to the tenant for nothing, the others in batches, paid once.

A paid batch is written down at once, so that a worker that dies afterwards does not buy it again.
"""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.db.types import floats
from veraz.ingest.chunk import Chunk
from veraz.ingest.store import Target
from veraz.library.configs import EmbeddingConfig
from veraz.providers.embedding.base import Embedded, Embedder, Vectors
from veraz.queue.retry import PASSING

Q = queries(__file__)

OnProgress = Callable[[int], Awaitable[None]]
Known = dict[bytes, NDArray[np.float32]]

_PATIENCE_SECONDS = 120.0
"""How long paid vectors wait for a database that is away before they are given up."""
_LAST_ANSWER_SECONDS = 10.0
"""How long a cancelled job waits for what it has already ordered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the tenant already has vectors for, and the chunks that still need one, each content once."""

    chunks: Sequence[Chunk]
    known: Known
    missing: Sequence[Chunk]
    paid_tokens: int
    """What an earlier attempt of this job has already bought."""

    @property
    def tokens(self) -> int:
        """How much text this document needed to have embedded, over all attempts."""
        return self.paid_tokens + sum(chunk.tokens for chunk in self.missing)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bill:
    """The vectors of all chunks, in their order, and what had to be bought for them."""

    vectors: Vectors
    tokens: int
    cost_usd: Decimal | None


async def prepare(db: Database, scope: Scope, target: Target, chunks: Sequence[Chunk]) -> Order:
    """Looks up which contents the tenant has embedded in this space before."""
    hashes = list({chunk.content_hash for chunk in chunks})
    async with db.transaction(scope) as tx:
        rows = await tx.binary_rows(
            Q.known, tenant_id=target.tenant_id, space_id=target.space_id, hashes=hashes
        )
    known = {row["content_hash"]: _floats(row["embedding"]) for row in rows}
    own = {row["content_hash"] for row in rows if row["bought_for"] == target.document_id}
    once = {chunk.content_hash: chunk for chunk in chunks}
    return Order(
        chunks=chunks,
        known=known,
        missing=[chunk for key, chunk in once.items() if key not in known],
        paid_tokens=sum(chunk.tokens for key, chunk in once.items() if key in own),
    )


def _floats(stored: Any) -> NDArray[np.float32]:
    vector = floats(stored)
    assert vector is not None, "the query leaves out chunks without a vector"
    return vector


class Buyer:
    """Buys the missing vectors of one document."""

    def __init__(
        self, db: Database, scope: Scope, target: Target, embedder: Embedder, config: EmbeddingConfig
    ) -> None:
        self.db, self.scope, self.target = db, scope, target
        self.embedder = embedder
        self.batch_size = min(config.batch_size, embedder.max_batch)
        self.turns = asyncio.Semaphore(config.concurrent_batches)
        self.free = embedder.space.provider == "local"

    async def fill(self, order: Order, on_progress: OnProgress) -> Bill:
        """All vectors in the chunks' order; no transaction is open while the model works."""
        basket = _Basket(order, self.embedder.space.dimensions)

        async def one(batch: Sequence[Chunk]) -> None:
            async with self.turns:
                bought = await self._to_the_end(asyncio.create_task(self._buy(batch)))
            basket.put(batch, bought)
            await on_progress(basket.percent)

        try:
            async with asyncio.TaskGroup() as group:
                for start in range(0, len(order.missing), self.batch_size):
                    group.create_task(one(order.missing[start : start + self.batch_size]))
        except BaseExceptionGroup as several:
            raise _cause(several) from several
        return basket.bill()

    async def _to_the_end(self, buying: "asyncio.Task[Embedded]") -> Embedded:
        """What was ordered is paid for, so a job that is cancelled still waits a moment and keeps it."""
        try:
            return await asyncio.shield(buying)
        except asyncio.CancelledError:
            if not self.free:
                await asyncio.wait([buying], timeout=_LAST_ANSWER_SECONDS)
            buying.cancel()
            raise

    async def _buy(self, batch: Sequence[Chunk]) -> Embedded:
        bought = await self.embedder.embed([chunk.embedded for chunk in batch], purpose="document")
        if not self.free:
            await self._remember(batch, bought.vectors)
        return bought

    async def _remember(self, batch: Sequence[Chunk], vectors: Vectors) -> None:
        rows = [
            {
                "tenant_id": self.target.tenant_id,
                "space_id": self.target.space_id,
                "content_hash": chunk.content_hash,
                "document_id": self.target.document_id,
                "embedding": vector,
            }
            for chunk, vector in zip(batch, vectors, strict=True)
        ]
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                async with self.db.transaction(self.scope) as tx:
                    return await tx.many(Q.remember, rows)
            except errors.DatabaseUnavailable:
                if time.monotonic() > deadline:
                    raise
            await asyncio.sleep(random.uniform(0.2, 1.0))


def _cause(several: BaseExceptionGroup) -> BaseException:
    """What a person has to know of batches that failed together: what will not pass by itself comes first."""
    first, *others = several.exceptions
    lasting = (one for one in (first, *others) if not isinstance(one, PASSING))
    return next(lasting, first)


class _Basket:
    """The vectors of one document as they arrive, each at the places of its content."""

    def __init__(self, order: Order, dimensions: int) -> None:
        self.vectors: Vectors = np.empty((len(order.chunks), dimensions), dtype=np.float32)
        self.wanted, self.arrived, self.tokens = len(order.missing), 0, 0
        self.cost: Decimal | None = Decimal(0)
        self._places: defaultdict[bytes, list[int]] = defaultdict(list)
        for place, chunk in enumerate(order.chunks):
            self._places[chunk.content_hash].append(place)
        for content_hash, vector in order.known.items():
            self.vectors[self._places[content_hash]] = vector

    @property
    def percent(self) -> int:
        return 100 * self.arrived // self.wanted

    def put(self, batch: Sequence[Chunk], bought: Embedded) -> None:
        for chunk, vector in zip(batch, bought.vectors, strict=True):
            self.vectors[self._places[chunk.content_hash]] = vector
        self.arrived += len(batch)
        self.tokens += bought.tokens
        self.cost = None if self.cost is None or bought.cost_usd is None else self.cost + bought.cost_usd

    def bill(self) -> Bill:
        return Bill(vectors=self.vectors, tokens=self.tokens, cost_usd=self.cost)
