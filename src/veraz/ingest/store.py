"""The last step in: new version in, old one out, in one transaction. A document is never half searchable."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.db.types import TsVector
from veraz.ids import new_id
from veraz.ingest.budget import in_time
from veraz.ingest.chunk import Chunk
from veraz.ingest.model import Parsed
from veraz.ingest.traits import Traits
from veraz.providers.embedding.base import Vectors
from veraz.text.words import lexeme_id, lexemes, sparse_vector, term_weights

Q = queries(__file__)

CHUNKS = -1
WORDS = -2
_USUAL_WORDS = 90.0
"""Words of a chunk of 1,000 characters; only until an edition has an average of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a document's chunks go."""

    tenant_id: UUID
    kb_id: UUID
    edition_id: int
    space_id: int
    document_id: UUID
    machine_id: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A chunk with its words, worked out before any transaction begins."""

    chunk: Chunk
    words: list[str]

    @property
    def terms(self) -> set[int]:
        """Its different words as they are counted."""
        return {lexeme_id(each) for each in self.words}


def word(chunks: Sequence[Chunk], language: str) -> list[Worded]:
    """The words of every chunk, of its title and headings too."""
    return [Worded(chunk=chunk, words=lexemes(chunk.embedded, language)) for chunk in in_time(chunks)]


async def replace_chunks(tx: Transaction, target: Target, worded: Sequence[Worded], vectors: Vectors) -> None:
    """The document's chunks of this edition become exactly these."""
    await tx.run(Q.remove_chunks, document_id=target.document_id, edition_id=target.edition_id)
    await add_chunks(tx, target, worded, vectors, ids=[new_id() for _ in worded])
    await tx.run(Q.drop_cache, document_id=target.document_id, space_id=target.space_id)


async def add_chunks(
    tx: Transaction, target: Target, worded: Sequence[Worded], vectors: Vectors, *, ids: Sequence[UUID]
) -> None:
    """Writes chunks and counts their words."""
    whose = {"edition_id": target.edition_id, "machine_id": target.machine_id}
    average = await tx.value(Q.average_words, **whose) or _average(worded)
    await tx.many(Q.add_chunk, _rows(target, worded, vectors, ids, average))
    counts = await asyncio.to_thread(_counts, worded)
    await tx.run(
        Q.count_terms,
        tenant_id=target.tenant_id,
        **whose,
        terms=list(counts.keys()),
        counts=list(counts.values()),
    )


async def mark_stored(
    tx: Transaction,
    target: Target,
    parsed: Parsed,
    traits: Traits,
    *,
    chunks: int,
    tokens: int,
    reread: bool = False,
) -> None:
    """The document is searchable from this commit on, and webhooks hear of it."""
    await tx.run(
        Q.stored,
        document_id=target.document_id,
        chunks=chunks,
        pages=parsed.page_count,
        tokens=tokens,
        words=traits.words,
        edition_stem=traits.edition_stem,
        replaces=traits.replaces,
        sketch=traits.sketch or None,
        bands=traits.bands or None,
        reread=reread,
        language=parsed.language,
        title=parsed.title,
        author=parsed.author,
        created_date=parsed.created_date,
        notice_code=parsed.notices[0].code if parsed.notices else None,
        notice=" ".join(notice.message("es") for notice in parsed.notices) or None,
    )
    await tell(tx, "document.completed", target.kb_id, target.document_id, {"chunks": chunks})


async def tell(
    tx: Transaction, kind: str, kb_id: UUID, document_id: UUID | None, payload: dict[str, object]
) -> None:
    """Writes an event into the outbox, from which it becomes deliveries. A notification would be heard by every tenant."""
    await tx.run(Q.add_event, kind=kind, kb_id=kb_id, document_id=document_id, payload=payload)


def _rows(
    target: Target, worded: Sequence[Worded], vectors: Vectors, ids: Sequence[UUID], average: float
) -> Iterator[dict[str, object]]:
    whose = asdict(target)
    for item, vector, chunk_id in zip(worded, vectors, ids, strict=True):
        chunk = item.chunk
        yield whose | {
            "id": chunk_id,
            "ordinal": chunk.ordinal,
            "content": chunk.content,
            "content_hash": chunk.content_hash,
            "tokens": chunk.tokens,
            "words": len(item.words),
            "page": chunk.page,
            "part": chunk.part,
            "row": chunk.row,
            "start": chunk.start,
            "end": chunk.end,
            "headers": list(chunk.headers),
            "context": chunk.context,
            "quality": chunk.quality,
            "metadata": chunk.metadata,
            "embedding": vector,
            "lexemes": TsVector(item.words),
            "bm25": sparse_vector(term_weights(item.words, average)),
        }


def _counts(worded: Sequence[Worded]) -> Counter[int]:
    """How many chunks hold each term, how many chunks there are, how many words."""
    counts = Counter(term for item in worded for term in item.terms)
    counts[CHUNKS] = len(worded)
    counts[WORDS] = sum(len(item.words) for item in worded)
    return counts


def _average(worded: Sequence[Worded]) -> float:
    return sum(len(item.words) for item in worded) / len(worded) if worded else _USUAL_WORDS
