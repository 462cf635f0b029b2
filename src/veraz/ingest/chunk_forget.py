"""One chunk is forgotten and its document stays: the chunk, and what overlaps it, goes at once; the rest is read again without it."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.documents import Document, read_again
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.forgotten_spans import ForgottenSpan, add_span, barred, places, words_of
from veraz.ingest.versions import hold
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.tenancy.model import Actor

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    start_char: int
    end_char: int
    content: str
    edition_id: int


class ChunkForgetter:
    """Takes single chunks out of documents, for ever."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def forget(self, actor: Actor, kb_id: UUID, document_id: UUID, chunk_id: UUID) -> None:
        """The chunk's words are gone, wherever they were repeated, and stay away when the document is read again."""
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            await tx.get(Document, DOCUMENTS.document, thing="document", kb_id=kb_id, id=document_id)
            await need_writable(tx, actor, kb_id)
            await hold(tx, document_id)
            row = await tx.get(
                _Row, Q.chunk, thing="chunk", id=chunk_id, document_id=document_id, kb_id=kb_id
            )
            if await tx.value(Q.begin, document_id=document_id, chunk_id=chunk_id) is None:
                raise errors.NotFound(thing="chunk", id=chunk_id)
            span = await add_span(tx, document_id, await _said(tx, document_id, row))
            if span is not None:
                await _bar(tx, document_id, span)
            where = {"document_id": document_id, "start": row.start_char, "end": row.end_char}
            await tx.run(Q.drop_corrections, **where)
            await tx.run(Q.drop_chunks, id=chunk_id, **where)
            await tx.run(Q.count, document_id=document_id)
            await read_again(tx, kb_id, [document_id])


async def _said(tx: Transaction, document_id: UUID, row: _Row) -> str:
    """The document's own words at the chunk's place; where its text is not kept, the chunk's."""
    versions = _versions(await tx.rows(Q.texts, document_id=document_id))
    text = versions[max(versions)] if versions else ""
    return text[row.start_char : row.end_char] or row.content


async def _bar(tx: Transaction, document_id: UUID, span: ForgottenSpan) -> None:
    """Every version's stored text has bars where the words stood."""
    rows = await tx.rows(Q.texts, document_id=document_id)
    for version, text in _versions(rows).items():
        gaps = await asyncio.to_thread(places, text, document_id, [span])
        if not gaps:
            continue
        gone = {words_of(line) for start, end in gaps for line in text[start:end].split("\n") if line.strip()}
        for row in rows:
            kept = barred(row["text"], gaps, offset=row["start_char"])
            blocks = json.dumps(_without(json.loads(row["blocks"]), gone), ensure_ascii=False)
            if row["version"] == version:
                await tx.run(
                    Q.keep_text,
                    document_id=document_id,
                    version=version,
                    start=row["start_char"],
                    text=kept,
                    blocks=blocks,
                )


def _versions(rows: Sequence[dict[str, Any]]) -> dict[int, str]:
    """The whole text of each version; segments follow each other without gaps."""
    texts: dict[int, str] = {}
    for row in rows:
        texts[row["version"]] = texts.get(row["version"], "") + row["text"]
    return texts


def _without(packed: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    """The blocks of a segment without headings that were forgotten; the places of what they share stay."""
    return packed | {"shared": [_kept(one, gone) for one in packed["shared"]]}


def _kept(shared: Any, gone: set[str]) -> Any:
    if isinstance(shared, list):
        return [one for one in shared if not isinstance(one, str) or words_of(one) not in gone]
    return shared
