"""One chunk is forgotten and its document stays: the chunk, and what overlaps it, goes at once; the rest is read again without it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.documents import Document, read_again
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.forgotten_spans import (
    Piece,
    add_pieces,
    barred,
    pieces_of,
    places,
    spans_of,
    whole_words,
    words_of,
)
from veraz.ingest.stored_texts import StoredSegment, StoredText, stored_texts
from veraz.ingest.versions import hold
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.providers.files.pictures import PagePictures
from veraz.tenancy.model import Actor

Q = queries(__file__)

_COMMON = frozenset({"heading", "table_header"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    start_char: int
    end_char: int
    content: str
    edition_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is to be forgotten: the pieces, and where they stand in the text that is read now."""

    pieces: Sequence[Piece]
    gaps: Sequence[tuple[int, int]]


class ChunkForgetter:
    """Takes single chunks out of documents, for ever."""

    def __init__(self, db: Database, pictures: PagePictures) -> None:
        self.db = db
        self.pictures = pictures

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
            texts = stored_texts(await tx.all(StoredSegment, Q.texts, document_id=document_id))
            found = await asyncio.to_thread(_found, texts, document_id, row)
            await add_pieces(tx, document_id, found.pieces)
            await _bar(tx, texts, document_id)
            gone = [(row.start_char, row.end_char), *found.gaps]
            where = {
                "document_id": document_id,
                "starts": [start for start, _ in gone],
                "ends": [end for _, end in gone],
            }
            await tx.run(Q.drop_corrections, **where)
            await tx.run(Q.drop_chunks, id=chunk_id, **where)
            await tx.run(Q.count, document_id=document_id)
            await read_again(tx, kb_id, [document_id])
            files = await tx.values(Q.files, document_id=document_id)
        for key in files:
            await self.pictures.forget(key)


def _found(texts: Sequence[StoredText], document_id: UUID, row: _Row) -> _Found:
    """The document's own words at the chunk's place; where its text is not kept, the chunk's. All of them are found again."""
    current = max(texts, key=lambda one: one.version, default=None)
    text, start, end = (current.text if current else ""), row.start_char, row.end_char
    if current is None or not words_of(text[start:end]):
        text, start, end = row.content, 0, len(row.content)
        current = None
    start, end = whole_words(text, start, end)
    common = [(one.start, one.end) for one in (current.blocks if current else ()) if one.kind in _COMMON]
    pieces = pieces_of(text, document_id, start, end, common=common)
    gaps = places(text, document_id, pieces)
    if words_of(barred(text, gaps)[start:end]):
        raise errors.Conflict(reason=_NOT_FOUND_AGAIN)
    return _Found(pieces=pieces, gaps=gaps if current else ())


async def _bar(tx: Transaction, texts: Sequence[StoredText], document_id: UUID) -> None:
    """Every version's stored text has bars where the words stood."""
    spans = await spans_of(tx, document_id)
    for text in texts:
        for segment in await asyncio.to_thread(text.without, document_id, spans):
            await tx.run(
                Q.keep_text,
                document_id=document_id,
                version=segment.version,
                start=segment.start_char,
                text=segment.text,
                blocks=segment.blocks,
            )


_NOT_FOUND_AGAIN = errors.Phrase(
    "its words could not be told from others, so they would come back; delete the document instead",
    es="sus palabras no se distinguen de otras, así que volverían; elimine el documento entero",
)
