"""What an outside vector engine proposes for a query. PostgreSQL says what to ask it, and reads every proposal again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.db.types import entries, vector
from veraz.observe import log
from veraz.providers.embedding.base import Vectors
from veraz.providers.vectors.base import Ask, Reach, VectorEngine, Words
from veraz.search.model import Query, Question
from veraz.search.retrieve import DEPTH, query_words
from veraz.text.words import lexeme_id

Q = queries(__file__)

_EXACT = 20_000
"""Up to so many chunks every one of them is compared, so that nothing near is missed."""
_MOST_DOCUMENTS = 10_000
"""A filter that lets more documents through is PostgreSQL's work."""
_MOST_WAITING = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """One embedding space in one language, of what the caller may read."""

    space_id: int
    language: str
    editions: list[int]
    chunks: int
    weights: Any
    documents: list[UUID] | None
    waiting: int
    unheard: list[UUID]
    """Chunks worth reading that the engine had not heard of when this was planned."""
    planned_at: datetime


async def proposals(
    db: Database,
    engine: VectorEngine | None,
    scope: Scope,
    question: Question,
    query: Query,
    vectors: Mapping[int, Vectors],
    languages: Sequence[str],
) -> list[UUID] | None:
    """Ids of chunks worth reading; None leaves the search to PostgreSQL, also when the engine does not answer."""
    if engine is None or scope.tenant_id is None:
        return None
    parts = await _parts(db, scope, question, query, vectors, languages)
    if not parts or len(parts[0].documents or ()) > _MOST_DOCUMENTS:
        return None
    try:
        found = await engine.find(_asks(scope, scope.tenant_id, question, parts, vectors))
    except errors.OutsideFault as fault:
        log.warning("vector_engine_failed", reason=str(fault))
        return None
    return [*found, *parts[0].unheard] if await _still_there(db, scope, parts) else None


async def _parts(
    db: Database,
    scope: Scope,
    question: Question,
    query: Query,
    vectors: Mapping[int, Vectors],
    languages: Sequence[str],
) -> list[_Part]:
    words = [(language, word) for language in languages for word in query_words(query, language)]
    async with db.transaction(scope) as tx:
        rows = await tx.binary_rows(
            Q.engine_plan,
            agent_id=question.agent_id,
            kb_ids=list(question.kb_ids) if question.kb_ids is not None else None,
            space_ids=list(vectors),
            vectors=[vector(v) for v in vectors.values()],
            languages=[language for language, _ in words],
            words=[word for _, word in words],
            terms=[lexeme_id(word) for _, word in words],
            depth=_depth(question),
            filters=question.filters.to_json(),
        )
    return [_Part(**row) for row in rows]


async def _still_there(db: Database, scope: Scope, parts: Sequence[_Part]) -> bool:
    """Whether nobody took the spaces back while the engine was asked: an emptied one answers too, with nothing."""
    async with db.transaction(scope) as tx:
        spaces = [part.space_id for part in parts]
        return bool(await tx.value(Q.still_there, space_ids=spaces, planned_at=parts[0].planned_at))


def _depth(question: Question) -> int:
    return max(DEPTH, 2 * question.config.top_k)


def _asks(
    scope: Scope,
    tenant_id: UUID,
    question: Question,
    parts: Sequence[_Part],
    vectors: Mapping[int, Vectors],
) -> list[Ask]:
    """By meaning once per space, by words once per space and language."""
    machines = ["global", scope.machine_id] if scope.machine_id else ["global"]
    depth = _depth(question)
    asks: list[Ask] = []

    def ask(chosen: Sequence[_Part], asked: Vectors | Words) -> Ask:
        return Ask(
            space_id=chosen[0].space_id,
            reach=Reach(
                tenant_id=tenant_id,
                edition_ids=[edition for part in chosen for edition in part.editions],
                machine_ids=machines,
                document_ids=chosen[0].documents,
            ),
            query=asked,
            # points of chunks that are gone, but not yet there, must not take the place of others
            limit=depth + min(sum(part.waiting for part in chosen), _MOST_WAITING),
            exact=sum(part.chunks for part in chosen) <= _EXACT,
        )

    for space_id, meaning in vectors.items():
        if chosen := [part for part in parts if part.space_id == space_id]:
            asks.append(ask(chosen, meaning))
    for part in parts:
        if part.weights is not None:
            dimensions, weights = entries(part.weights)
            asks.append(ask([part], Words(dimensions=dimensions, weights=weights)))
    return asks
