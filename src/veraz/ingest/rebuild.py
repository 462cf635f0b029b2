"""Another model or another way of cutting: a new edition is built beside the live one and switched in at once.

The old edition stays, retired, as the way back. Searches read exactly one edition, so spaces never mix.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.credits import credits_for, seconds_for
from veraz.ingest.store import tell
from veraz.library.configs import ChunkingConfig, EmbeddingConfig, chunking_config
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.library.model import KnowledgeBase
from veraz.library.spaces import Spaces
from veraz.providers.embedding.catalogue import cost_usd
from veraz.queue.queue import enqueue
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)

INGEST = "ingest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One way of cutting and embedding a knowledge base."""

    id: int
    space_id: int
    chunking: dict[str, Any]
    embedding: dict[str, Any]
    status: Literal["building", "live", "retired"]
    created_at: datetime
    switched_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildPlan:
    """What a rebuild would take."""

    documents: int
    tokens: int
    credits: int
    cost_usd: Decimal | None
    estimated_seconds: int
    """Roughly, on a small machine with nothing else to do."""
    chunking: ChunkingConfig
    embedding: EmbeddingConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    documents: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missing:
    id: UUID
    tokens: int


class Rebuilds:
    """Planning, starting, dropping and undoing rebuilds."""

    def __init__(self, db: Database, spaces: Spaces) -> None:
        self.db = db
        self.spaces = spaces

    async def plan(
        self, actor: Actor, kb_id: UUID, chunking: ChunkingConfig | None, embedding: EmbeddingConfig | None
    ) -> RebuildPlan:
        """What it would cost, before anything happens."""
        async with self.db.transaction(actor.scope()) as tx:
            kb = await need_writable(tx, actor, kb_id)
            size = await tx.get(_Size, Q.size, thing="knowledge base", kb_id=kb_id)
        return await self._planned(kb, size, chunking, embedding)

    async def start(
        self, actor: Actor, kb_id: UUID, chunking: ChunkingConfig | None, embedding: EmbeddingConfig | None
    ) -> Edition:
        """Builds the new edition in the background; an empty knowledge base switches at once."""
        async with self.db.transaction(actor.scope()) as tx:
            kb = await need_writable(tx, actor, kb_id)
            await tx.run(Q.lock_kb, kb_id=kb_id)
            if await tx.value(Q.building, kb_id=kb_id):
                raise errors.RebuildRunning(name=kb.name)
            size = await tx.get(_Size, Q.size, thing="knowledge base", kb_id=kb_id)
            plan = await self._planned(kb, size, chunking, embedding)
            edition_id = await tx.value(
                Q.add_building,
                kb_id=kb_id,
                space_id=await self.spaces.ensure(tx, plan.embedding),
                chunking=plan.chunking.to_json(),
                embedding=plan.embedding.to_json(),
            )
            await _build(tx, kb_id, edition_id)
            return await tx.get(Edition, Q.edition, thing="edition", kb_id=kb_id, id=edition_id)

    async def back(self, actor: Actor, kb_id: UUID, edition_id: int) -> Edition:
        """Returns to a retired edition: at once, or after the documents that came since were added to it."""
        async with self.db.transaction(actor.scope()) as tx:
            kb = await need_writable(tx, actor, kb_id)
            await tx.run(Q.lock_kb, kb_id=kb_id)
            edition = await tx.get(Edition, Q.edition, thing="edition", kb_id=kb_id, id=edition_id)
            if edition.status == "live":
                return edition
            if edition.status != "retired" or await tx.value(Q.building, kb_id=kb_id):
                raise errors.RebuildRunning(name=kb.name)
            await tx.run(Q.wake, edition_id=edition_id)
            await _build(tx, kb_id, edition_id)
            return await tx.get(Edition, Q.edition, thing="edition", kb_id=kb_id, id=edition_id)

    async def cancel(self, actor: Actor, kb_id: UUID) -> None:
        """Drops the edition being built; the live one was never touched."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            await tx.run(Q.lock_kb, kb_id=kb_id)
            if not await tx.values(Q.drop_building, kb_id=kb_id):
                raise errors.NotFound(thing="edition", id=kb_id)
            await tx.run(Q.refund_building, kb_id=kb_id)
            await tx.run(Q.drop_jobs, kb_id=kb_id)
            await tx.run(Q.unmark_processing, kb_id=kb_id)

    async def editions(self, actor: Actor, kb_id: UUID) -> list[Edition]:
        """Every edition, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            return await tx.all(Edition, Q.editions, kb_id=kb_id)

    async def _planned(
        self,
        kb: KnowledgeBase,
        size: _Size,
        chunking: ChunkingConfig | None,
        embedding: EmbeddingConfig | None,
    ) -> RebuildPlan:
        resolved = self.spaces.resolve(embedding or EmbeddingConfig.from_json(kb.embedding_config))
        return RebuildPlan(
            documents=size.documents,
            tokens=size.tokens,
            credits=size.documents + credits_for(size.tokens) - 1,
            cost_usd=cost_usd(resolved.provider, resolved.model, size.tokens),
            estimated_seconds=seconds_for(size.documents, size.tokens),
            chunking=chunking or await chunking_config(kb.chunking_config),
            embedding=resolved,
        )


async def _build(tx: Transaction, kb_id: UUID, edition_id: int) -> None:
    """Queues what the edition lacks and reserves its price; lacking nothing it goes live here and now."""
    missing = await tx.all(_Missing, Q.missing_documents, kb_id=kb_id, edition_id=edition_id)
    for document in missing:
        job_id = await enqueue_into(tx, kb_id, document.id, edition_id)
        if job_id:
            await tx.run(Q.reserve, job_id=job_id, credits=credits_for(document.tokens))
    if missing:
        await tx.run(Q.mark_processing, kb_id=kb_id)
    else:
        await switch_when_complete(tx, kb_id)


async def enqueue_into(tx: Transaction, kb_id: UUID, document_id: UUID, edition_id: int) -> UUID | None:
    """A job that adds a document to the edition being built; one already under way will see to it itself."""
    try:
        return await enqueue(
            tx, INGEST, kb_id=kb_id, document_id=document_id, payload={"edition_id": edition_id}, bulk=True
        )
    except errors.JobWaiting:
        return None


async def lock_kb(tx: Transaction, kb_id: UUID) -> None:
    """No edition is switched until the transaction ends; taken before any of its documents is locked."""
    await tx.run(Q.lock_kb, kb_id=kb_id)


async def still_live(tx: Transaction, kb_id: UUID, edition_id: int) -> bool:
    """Whether chunks made for this edition may go live with this transaction; until it ends nothing is switched."""
    return bool(await tx.value(Q.hold_live_edition, kb_id=kb_id) == edition_id)


async def after_live_store(tx: Transaction, kb_id: UUID, document_id: UUID) -> None:
    """A document that just became live also goes into the edition being built."""
    if edition_id := await tx.value(Q.building, kb_id=kb_id):
        await enqueue_into(tx, kb_id, document_id, edition_id)


async def switch_when_complete(tx: Transaction, kb_id: UUID) -> None:
    """The edition being built goes live once it holds every document; whoever stores the last one does it."""
    await tx.run(Q.lock_kb, kb_id=kb_id)
    edition_id = await tx.value(Q.building, kb_id=kb_id)
    if edition_id is None or await tx.value(Q.lacks_documents, kb_id=kb_id, edition_id=edition_id):
        return
    await tx.run(Q.retire_live, kb_id=kb_id)
    await tx.run(Q.go_live, edition_id=edition_id)
    await tx.run(Q.point_kb, kb_id=kb_id, edition_id=edition_id)
    await tx.run(Q.recount, kb_id=kb_id, edition_id=edition_id)
    await tell(tx, "knowledge_base.switched", kb_id, None, {"edition_id": edition_id})
