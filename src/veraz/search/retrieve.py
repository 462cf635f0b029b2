"""Both searches in the reading set. The database computes the reading set itself; nothing here can widen it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.db.types import floats, vector
from veraz.providers.embedding.base import Vectors
from veraz.search.calibration import Calibration
from veraz.search.model import Passage, Query, Question, Retrieved, Shelf
from veraz.text.words import lexeme_id, lexemes

Q = queries(__file__)

DEPTH = 20
"""How many passages each of the two searches gives at least; more than that changed no ranking measured."""
SMALL = 300
"""Chunks up to which a reader's question looks through all of them."""
_MOST_WORDS = 64

By = Literal["both", "meaning", "words"]


async def shelves(
    db: Database, scope: Scope, agent_id: UUID | None, kb_ids: Sequence[UUID] | None
) -> list[Shelf]:
    """What will be searched: the reading set with languages, embedding spaces and calibrations."""
    given = None if kb_ids is None else list(kb_ids)
    rows = await db.call(scope, Q.plan, agent_id=agent_id, kb_ids=given)
    return [_shelf(row) for row in rows]


def words_of(text: str, language: str) -> list[str]:
    """The words a query is searched by, each once; of a very long one the first."""
    return list(dict.fromkeys(lexemes(text, language)))[:_MOST_WORDS]


def query_words(query: Query, language: str) -> list[str]:
    """The same with what was misspelt put right."""
    right = query.spelling.get(language, {})
    return list(dict.fromkeys(right.get(word, word) for word in words_of(query.text, language)))


async def retrieve(
    db: Database,
    scope: Scope,
    question: Question,
    query: Query,
    vectors: Mapping[int, Vectors],
    languages: Sequence[str],
    *,
    proposed: Sequence[UUID] | None = None,
    by: By = "both",
    depth: int | None = None,
) -> Retrieved:
    """What both searches, or one of them, find for one query; `vectors` holds the query in each embedding space.

    `proposed` are chunks an outside engine found instead; they are held to the same reading set.
    """
    words = [(language, word) for language in languages for word in query_words(query, language)]
    rows = await db.call(
        scope,
        Q.search,
        agent_id=question.agent_id,
        kb_ids=list(question.kb_ids) if question.kb_ids is not None else None,
        space_ids=list(vectors),
        vectors=[vector(v) for v in vectors.values()],
        languages=[language for language, _ in words],
        words=[word for _, word in words],
        terms=[lexeme_id(word) for _, word in words],
        depth=depth or depth_of(question),
        filters=question.filters.to_json(),
        proposed=None if proposed is None else list(proposed),
        by=by,
    )
    if not rows:
        return Retrieved(query=query, passages=(), idf={}, searched=0)
    stats = rows[0]["stats"]
    return Retrieved(
        query=query,
        passages=tuple(_passage(row) for row in rows[1:]),
        idf=_idf(words, stats),
        searched=int(stats["searched"] or 0),
    )


def depth_of(question: Question) -> int:
    """How many passages each of the two searches hands on for a question."""
    return max(DEPTH, 2 * question.config.top_k)


def together(parts: Sequence[Retrieved]) -> Retrieved:
    """What two searches for the same query found, each passage once."""
    passages = {passage.chunk_id: passage for part in parts for passage in part.passages}
    whole = max(parts, key=lambda part: part.searched)
    return replace(whole, passages=tuple(passages.values()))


def _idf(words: Sequence[tuple[str, str]], stats: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The database answers language by language, each with its words in the order they were sent."""
    weights = iter(stats["idf"])
    return {
        language: {word: next(weights) for spoken, word in words if spoken == language}
        for language in stats["languages"]
    }


def _passage(row: dict[str, Any]) -> Passage:
    given = {name: value for name, value in row.items() if name != "stats"}
    given["embedding"] = floats(row["embedding"])
    given["bm25"] = row["bm25"] or 0.0
    given["metadata"], given["pages"], given["bbox"] = _without_place(row["metadata"])
    if "source_url" in given["metadata"] and given["metadata"]["source_url"] is None:
        # its knowledge base does not show where on the web a document comes from
        given["metadata"] = {name: value for name, value in given["metadata"].items() if name != "source_url"}
        given["source_url"] = None
    return Passage(**given)


def _without_place(
    metadata: dict[str, Any],
) -> tuple[dict[str, Any], tuple[int, int] | None, tuple[float, ...] | None]:
    """What people said about document and chunk; the chunk's pages; its box."""
    place = metadata.get("on_page")
    if not isinstance(place, dict):
        return metadata, None, None
    pages, bbox = place.get("pages"), place.get("bbox")
    rest = {name: value for name, value in metadata.items() if name != "on_page"}
    return rest, tuple(pages) if pages else None, tuple(bbox) if bbox else None


def _shelf(row: dict[str, Any]) -> Shelf:
    curve = Calibration.of(row["space"], row["calibration"])
    return Shelf(**{name: value for name, value in row.items() if name != "calibration"}, curve=curve)
