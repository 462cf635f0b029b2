"""The log of questions: what was asked, how long each stage took, what was found. Never in the ordinary logs."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import Page, PageRequest
from veraz.providers.chat.base import Usage
from veraz.search.model import SearchResult

Q = queries(__file__)

QueryKind = Literal["search", "ask"]

Origin = Literal["person", "program", "test_search", "studio", "exam", "eval"]
"""Where a question came from. Only `person` is what people ask; the tests of our own are never taken for it."""

Outcome = Literal["answered", "refused", "handed_over", "failed"]
"""How a question to an agent ended; `failed` is also one whose reader left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a question to an agent ended, by which channel, and what it took."""

    outcome: Outcome
    refused: bool
    channel: str
    turn: str
    latency_ms: float
    model: str
    usage: Usage
    credits: int = 0
    quoted: tuple[UUID, ...] = ()
    """The documents quoted."""
    personal: bool = False
    """Whether it may hold words of personal knowledge: then other wordings of it are not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedQuery:
    """One question as it was answered."""

    id: UUID
    kind: QueryKind
    agent_id: UUID | None
    kb_ids: list[UUID]
    user_id: UUID | None
    question: str
    rewrites: list[str]
    stages: dict[str, float]
    latency_ms: float
    chunks_searched: int
    chunks_retrieved: int
    reranked_count: int
    scores: list[dict[str, Any]]
    best_relevance: float | None
    refused: bool
    channel: str
    turn: str
    origin: Origin
    outcome: Outcome | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KbUse:
    """How a knowledge base was used lately, in numbers."""

    queries: int
    refused: int
    users: int
    p50_ms: float | None
    p95_ms: float | None
    mean_relevance: float | None
    last_queried_at: datetime | None
    by_day: dict[str, int]


def origin_of(channel: str) -> Origin:
    """Where what is asked on a channel comes from: on those of our own tests nobody asks."""
    return cast(Origin, channel) if channel in get_args(Origin) else "person"


async def newest_forgetting(db: Database, scope: Scope) -> UUID | None:
    """What had been forgotten last when a search began."""
    rows = await db.call(scope, Q.newest)
    return rows[0]["newest"] if rows else None


async def log_search(
    db: Database, scope: Scope, result: SearchResult, origin: Origin, since: UUID | None
) -> None:
    """Writes the line of a search; without its words where something was forgotten since."""
    await db.call(scope, Q.add_search, id=new_id(), **_line(result), **_SEARCHED, origin=origin, since=since)


async def log_question(tx: Transaction, result: SearchResult, ending: Ending) -> UUID:
    """Writes the line of a question that was answered, beside what else is kept of it. Its id."""
    query_id = new_id()
    await tx.run(Q.add, caller=None, id=query_id, **_line(result) | _ended(result, ending))
    return query_id


async def logged_queries(
    tx: Transaction, page: PageRequest, *, agent_id: UUID | None = None, kb_id: UUID | None = None
) -> Page[LoggedQuery]:
    """The questions the caller may see, newest first."""
    rows = await tx.all(
        LoggedQuery, Q.queries, after=page.after_id, limit=page.fetch, agent_id=agent_id, kb_id=kb_id
    )
    return page.page(rows)


async def kb_use(tx: Transaction, kb_id: UUID, days: int = 30) -> KbUse:
    """Use of a knowledge base over the last days."""
    return await tx.get(KbUse, Q.kb_use, thing="knowledge base", kb_id=kb_id, days=days)


_SEARCHED: dict[str, object] = {
    "kind": "search",
    "refused": False,
    "channel": "",
    "turn": "question",
    "outcome": None,
    "model": None,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": None,
    "credits": 0,
    "quoted_ids": [],
}


def _ended(result: SearchResult, ending: Ending) -> dict[str, object]:
    return {
        "kind": "ask",
        "origin": origin_of(ending.channel),
        "outcome": ending.outcome,
        "refused": ending.refused,
        "channel": ending.channel,
        "turn": ending.turn,
        "latency_ms": ending.latency_ms,
        "model": ending.model,
        "input_tokens": ending.usage.input_tokens,
        "output_tokens": ending.usage.output_tokens,
        "cost_usd": ending.usage.cost_usd,
        "credits": ending.credits,
        "quoted_ids": list(ending.quoted),
        "rewrites": [] if ending.personal else result.rewrites,
    }


def _line(result: SearchResult) -> dict[str, object]:
    """What one line of the log says of the search; the transaction it is written in says who asked."""
    return {
        "agent_id": result.question.agent_id,
        "kb_ids": [shelf.kb_id for shelf in result.shelves],
        "question": result.question.text,
        "rewrites": [] if result.is_personal else result.rewrites,
        "stages": dict(result.stages),
        "latency_ms": result.search_time_ms,
        "chunks_searched": result.evidence.searched,
        "chunks_retrieved": result.evidence.retrieved,
        "reranked_count": result.evidence.reranked,
        "scores": json.dumps(_scores(result)),
        "best_relevance": result.evidence.hits[0].relevance if result.evidence.hits else None,
    }


def _scores(result: SearchResult) -> list[dict[str, Any]]:
    return [
        {
            "chunk_id": str(hit.passage.chunk_id),
            "relevance": round(hit.relevance, 4),
            "similarity": round(hit.similarity, 4),
            "rrf_score": round(hit.rrf_score, 5),
        }
        for hit in result.evidence.hits
    ]
