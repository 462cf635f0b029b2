"""Documents as people see them: lists, one, its chunks; changing what is said about it; deleting it."""

import math
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.credits import estimated_seconds
from veraz.ingest.rebuild import INGEST, lock_kb, switch_when_complete
from veraz.ingest.similar import SimilarDocument, similar_documents
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.queue.queue import enqueue
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.editions import version_key
from veraz.text.plain import plain

Q = queries(__file__)

DocumentStatus = Literal["pending", "processing", "completed", "failed"]
Tier = Literal["tier1_gold", "tier2_silver", "tier3_bronze"]
Clearable = Literal["title", "author", "tier", "evidence_level", "institution"]
_TELLING_PERCENT = 20
"""From this much on, the pace so far says more than the size."""
EvidenceLevel = Literal["meta_analysis", "rct", "cohort", "case_study", "opinion", "guideline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document and how far it has come."""

    id: UUID
    kb_id: UUID
    name: str
    origin: Literal["upload", "text", "url", "manual"]
    source_url: str | None
    file_type: str
    size_bytes: int
    storage_key: str | None
    machine_id: str
    status: DocumentStatus
    stage: str | None
    progress_percent: int
    error_code: str | None
    error_message: str | None
    indexed_at: datetime | None
    processing_started_at: datetime | None
    processing_completed_at: datetime | None
    chunks_count: int
    pages_count: int | None
    tokens_used: int
    word_count: int | None
    title: str | None
    author: str | None
    created_date: date | None
    language: str | None
    metadata: dict[str, Any]
    tier: Tier | None
    authority_score: Decimal
    evidence_level: EvidenceLevel | None
    institution: str | None
    peer_reviewed: bool
    version: int
    """The version that is read; a newer one may be waiting."""
    superseded_by: UUID | None
    """The document that took its place; this one is then kept and not read."""
    replaces: str | None
    """What it says about the document it replaces."""
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime

    @property
    def filename(self) -> str:
        """A name its file can be saved under; titles that people typed get the extension of what they hold."""
        return self.name if self.origin in ("upload", "url") else f"{self.name}.{self.file_type}"

    def remaining_seconds(self, now: datetime) -> int | None:
        """How long its processing will still take, by how it went so far, else by its size; None unless it is under way."""
        if self.status != "processing":
            return None
        done = min(max(self.progress_percent, 0), 99)
        if self.processing_started_at and done >= _TELLING_PERCENT:
            return math.ceil((now - self.processing_started_at).total_seconds() * (100 - done) / done)
        return math.ceil(estimated_seconds(self.file_type, self.size_bytes) * (100 - done) / 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """How far a document has come, and nothing else."""

    id: UUID
    status: DocumentStatus
    stage: str | None
    progress_percent: int
    chunks_count: int
    version: int
    error_code: str | None
    error_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """What whoever is answered from a document may know of it: what it is called, which version, from when."""

    id: UUID
    name: str
    title: str | None
    file_type: str
    version: int
    status: DocumentStatus
    created_date: date | None
    """The date written in it."""
    created_at: datetime
    indexed_at: datetime | None
    """Since when this version is read; None until it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDocument:
    """A document that somebody looks for by its name, and where it is."""

    id: UUID
    kb_id: UUID
    kb_name: str
    name: str
    """Its title, where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A global knowledge base by the titles of its documents."""

    kb_id: UUID
    kb_name: str
    documents: Page[ListedDocument]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Which documents of a knowledge base."""

    status: DocumentStatus | None = None
    file_type: str | None = None
    machine_id: str | None = None
    text: str | None = None


SheetOrder = Literal[
    "created_at", "name", "file_type", "status", "tier", "machine_id", "size_bytes", "chunks_count",
    "authority_score",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Some rows of a sorted list of documents, and how many there are in all."""

    documents: list[Document]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """What people may say about a document; None leaves it, unless `clear` names it."""

    name: str | None = None
    title: str | None = None
    author: str | None = None
    metadata: dict[str, Any] | None = None
    tier: Tier | None = None
    authority_score: Decimal | None = None
    evidence_level: EvidenceLevel | None = None
    institution: str | None = None
    peer_reviewed: bool | None = None
    clear: frozenset[Clearable] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkView:
    """A chunk as people see it."""

    id: UUID
    document_id: UUID
    ordinal: int
    content: str
    tokens: int
    page_number: int | None
    part: str | None
    row_number: int | None
    start_char: int
    end_char: int
    headers: list[str]
    metadata: dict[str, Any]
    quality: int | None
    revision: int
    edited_by: UUID | None
    edited_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """How far a knowledge base's documents have come together."""

    documents: int
    pending: int
    processing: int
    completed: int
    failed: int
    progress_percent: int


class Documents:
    """The documents of knowledge bases."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(
        self,
        actor: Actor,
        kb_id: UUID,
        page: PageRequest = FIRST_PAGE,
        *,
        where: DocumentFilter | None = None,
    ) -> Page[Document]:
        """The documents of a knowledge base, newest first."""
        need(actor, "read")
        chosen = where or DocumentFilter()
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            rows = await tx.all(
                Document,
                Q.documents,
                kb_id=kb_id,
                after=page.after_id,
                limit=page.fetch,
                status=chosen.status,
                file_type=chosen.file_type,
                machine_id=chosen.machine_id,
                text=chosen.text,
            )
            return page.page(rows)

    async def sheet(
        self,
        actor: Actor,
        kb_id: UUID,
        *,
        where: DocumentFilter,
        order: SheetOrder = "created_at",
        descending: bool = True,
        offset: int = 0,
        limit: int = 25,
    ) -> Sheet:
        """A part of the list in any order, for people who turn pages."""
        need(actor, "read")
        chosen = {name: getattr(where, name) for name in DocumentFilter.__dataclass_fields__}
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            rows = await tx.all(
                Document,
                Q.sheet,
                kb_id=kb_id,
                sort=order,
                descending=descending,
                offset=offset,
                limit=limit,
                **chosen,
            )
            return Sheet(documents=rows, total=await tx.value(Q.sheet_count, kb_id=kb_id, **chosen))

    async def named(self, actor: Actor, text: str, *, limit: int = 10) -> list[NamedDocument]:
        """Documents of any knowledge base whose name or title holds every word of the text, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.all(NamedDocument, Q.named, words=plain(text).split(), limit=limit)

    async def sheet_names(self, actor: Actor, kb_id: UUID, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
        """The names of the sheets of those documents that are workbooks, in their order."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            kb = await get_kb(tx, kb_id)
            rows = await tx.rows(Q.sheet_names, ids=list(ids), edition_id=kb.live_edition_id)
        return {row["document_id"]: row["names"] for row in rows}

    async def each(
        self, actor: Actor, kb_id: UUID, *, where: DocumentFilter | None = None
    ) -> AsyncIterator[Document]:
        """Every document, however many, a page at a time."""
        page = PageRequest(limit=500)
        while True:
            found = await self.all(actor, kb_id, page, where=where)
            for document in found.items:
                yield document
            if found.next_cursor is None:
                return
            page = replace(page, cursor=found.next_cursor)

    async def contents(self, actor: Actor, kb_id: UUID, page: PageRequest = FIRST_PAGE) -> Contents:
        """The titles of a global knowledge base's documents, for who may look into it and for whom an agent reads it."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            name = await tx.value(Q.listable_kb, kb_id=kb_id)
            if name is None:
                raise errors.NotFound(thing="knowledge base", id=kb_id)
            rows = await tx.all(
                ListedDocument, Q.contents, kb_id=kb_id, after=page.after_id, limit=page.fetch
            )
        return Contents(kb_id=kb_id, kb_name=name, documents=page.page(rows))

    async def states(self, actor: Actor, kb_id: UUID, ids: Sequence[UUID]) -> list[DocumentState]:
        """How far these documents have come; those deleted meanwhile are missing."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.all(DocumentState, Q.states, kb_id=kb_id, ids=list(ids))

    async def get(self, actor: Actor, kb_id: UUID, document_id: UUID) -> Document:
        """One document."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(Document, Q.document, thing="document", kb_id=kb_id, id=document_id)

    async def similar(self, actor: Actor, kb_id: UUID, document_id: UUID) -> list[SimilarDocument]:
        """The documents of the same knowledge base that say nearly the same."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await similar_documents(tx, kb_id, document_id)

    async def progress(self, actor: Actor, kb_id: UUID) -> Batch:
        """How far all documents of a knowledge base have come."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            return await tx.get(Batch, Q.stats, thing="knowledge base", kb_id=kb_id)

    async def change(self, actor: Actor, kb_id: UUID, document_id: UUID, change: DocumentChange) -> Document:
        """Says something about a document: its name, its standing as a source."""
        async with self.db.transaction(actor.scope()) as tx:
            await tx.get(Document, Q.document, thing="document", kb_id=kb_id, id=document_id)
            await need_writable(tx, actor, kb_id)
            values = {name: getattr(change, name) for name in DocumentChange.__dataclass_fields__}
            values |= {
                "clear": list(change.clear),
                "stem": version_key(change.name)[0] if change.name else None,
            }
            await tx.run(Q.change, id=document_id, **values)
            return await tx.get(Document, Q.document, thing="document", kb_id=kb_id, id=document_id)

    async def delete(self, actor: Actor, kb_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
        """Deletes documents with their chunks, versions, vectors and files; what they superseded is read again."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            await lock_kb(tx, kb_id)
            superseded = await tx.values(Q.superseded_by, kb_id=kb_id, ids=list(document_ids))
            deleted = await tx.values(Q.delete, kb_id=kb_id, ids=list(document_ids))
            await read_again(tx, kb_id, superseded)
            await switch_when_complete(tx, kb_id)
            return deleted

    async def chunks(
        self, actor: Actor, kb_id: UUID, document_id: UUID, page: PageRequest = FIRST_PAGE
    ) -> Page[ChunkView]:
        """The document's chunks in reading order."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            kb = await get_kb(tx, kb_id)
            await tx.get(Document, Q.document, thing="document", kb_id=kb_id, id=document_id)
            rows = await tx.all(
                ChunkView,
                Q.chunks,
                document_id=document_id,
                edition_id=kb.live_edition_id,
                after=page.after_number,
                limit=page.fetch,
            )
        more = len(rows) > page.limit
        items = rows[: page.limit]
        return Page(items=items, next_cursor=str(items[-1].ordinal) if more else None)


async def read_again(tx: Transaction, kb_id: UUID, document_ids: Iterable[UUID]) -> None:
    """Documents are processed anew; one that waits or is being processed already is left as it is."""
    for document_id in document_ids:
        try:
            await enqueue(tx, INGEST, kb_id=kb_id, document_id=document_id)
        except errors.JobWaiting:
            continue
        await tx.run(Q.waiting, id=document_id)


async def one_deleted(documents: Documents, actor: Actor, kb_id: UUID, document_id: UUID) -> None:
    """Deletes one document; one that is not there is not found."""
    if not await documents.delete(actor, kb_id, [document_id]):
        raise errors.NotFound(thing="document", id=document_id)
