"""A person corrects a chunk: new words, new vector, next revision and the corrections left behind, or nothing at all."""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.ingest.chunk import Chunk
from veraz.ingest.chunk.finish import content_hash
from veraz.ingest.corrections import ChunkEdit, write_corrections
from veraz.ingest.documents import ChunkView
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.store import Target, add_chunks, word
from veraz.ingest.versions import hold
from veraz.library.configs import EmbeddingConfig
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.library.spaces import Spaces
from veraz.tenancy.model import Actor
from veraz.text.tokens import count_tokens

Q = queries(__file__)

_LONGEST = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: UUID
    ordinal: int
    content: str
    original: str
    page: int | None
    part: str | None
    row: int | None
    start: int
    end: int
    headers: list[str]
    context: str
    quality: int
    revision: int
    metadata: dict[str, Any]
    edition_id: int
    space_id: int
    machine_id: str
    language: str
    embedding: dict[str, Any]


class ChunkEditor:
    """Changes the text of single chunks."""

    def __init__(self, db: Database, spaces: Spaces) -> None:
        self.db = db
        self.spaces = spaces

    async def edit(
        self, actor: Actor, kb_id: UUID, document_id: UUID, chunk_id: UUID, *, content: str, revision: int
    ) -> ChunkView:
        """The chunk says this from now on; `revision` is the one the person was looking at."""
        text = content.strip()
        if not text or len(text) > _LONGEST:
            raise errors.Invalid(field="content", reason=errors.length(_LONGEST, 1))
        row = await self._row(actor, kb_id, document_id, chunk_id)
        if row.revision != revision:
            raise errors.ChunkChanged(revision=row.revision)
        chunk = _edited(row, text)
        embedder = self.spaces.embedder(EmbeddingConfig.from_json(row.embedding))
        vectors = (await embedder.embed([chunk.embedded], purpose="document")).vectors
        worded = await asyncio.to_thread(word, [chunk], row.language)
        edit = _edit(actor, document_id, row, text)
        changes = await asyncio.to_thread(edit.changes)
        async with self.db.transaction(actor.scope()) as tx:
            await hold(tx, document_id)
            twin = await tx.value(
                Q.twin, id=chunk_id, document_id=document_id, edition_id=row.edition_id, content=text
            )
            if twin is not None:
                raise errors.ChunkTwin(number=twin)
            if not await tx.run(Q.take_out, id=chunk_id, revision=revision):
                raise errors.ChunkChanged(revision=revision + 1)
            await add_chunks(tx, _target(actor, kb_id, document_id, row), worded, vectors, ids=[chunk_id])
            await tx.run(
                Q.mark_edited,
                id=chunk_id,
                revision=revision + 1,
                edited_by=actor.user_id,
                metadata=row.metadata,
                original=row.original,
            )
            await write_corrections(tx, edit, changes)
            return await tx.get(
                ChunkView,
                DOCUMENTS.chunk,
                thing="chunk",
                id=chunk_id,
                document_id=document_id,
                edition_id=row.edition_id,
            )

    async def _row(self, actor: Actor, kb_id: UUID, document_id: UUID, chunk_id: UUID) -> _Row:
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            row = await tx.get(
                _Row, Q.chunk, thing="chunk", id=chunk_id, document_id=document_id, kb_id=kb_id
            )
            await need_writable(tx, actor, kb_id)
            return row


def _edit(actor: Actor, document_id: UUID, row: _Row, text: str) -> ChunkEdit:
    return ChunkEdit(
        document_id=document_id,
        end=row.end,
        original=row.original,
        previous=row.content,
        corrected=text,
        revision=row.revision + 1,
        user_id=actor.user_id,
    )


def _edited(row: _Row, text: str) -> Chunk:
    return Chunk(
        ordinal=row.ordinal,
        content=text,
        start=row.start,
        end=row.end,
        page=row.page,
        part=row.part,
        row=row.row,
        headers=tuple(row.headers),
        context=row.context,
        tokens=count_tokens(text),
        content_hash=content_hash(text, row.context),
        quality=row.quality,
    )


def _target(actor: Actor, kb_id: UUID, document_id: UUID, row: _Row) -> Target:
    return Target(
        tenant_id=actor.tenant_id,
        kb_id=kb_id,
        edition_id=row.edition_id,
        space_id=row.space_id,
        document_id=document_id,
        machine_id=row.machine_id,
        language=row.language,
    )
