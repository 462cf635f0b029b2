"""How single questions were answered: the list of them, and the whole story of one, for those who manage the agent."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.learn.usage import need_manager
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.search.log import Origin, Outcome
from veraz.tenancy.model import Actor

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """One question to an agent and how it ended."""

    id: UUID
    question: str
    agent_id: UUID
    agent: str
    outcome: Outcome | None
    origin: Origin
    channel: str
    turn: str
    latency_ms: float
    model: str | None
    created_at: datetime
    has_trace: bool
    """Whether the caller may read how it was answered: kept so long, and not from somebody's personal knowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFilter:
    """Which questions are meant; without anything, all that people asked."""

    project_id: UUID | None = None
    agent_id: UUID | None = None
    outcome: Outcome | None = None
    origins: tuple[Origin, ...] = ("person",)
    words: str | None = None
    slower_ms: float | None = None
    turns: bool = False
    """Whether small talk is listed too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTrace(AskedQuestion):
    """One question with how it was answered, where that is still kept and for the caller to read."""

    trace: dict[str, Any] | None
    conversation_id: UUID | None
    mine: bool
    texts: dict[str, str] = field(default_factory=dict)
    """By chunk, what the passages say today, as far as the caller may look into them."""


class Traces:
    """Reads what is kept of single questions."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def questions(
        self, actor: Actor, wanted: QuestionFilter, page: PageRequest = FIRST_PAGE
    ) -> Page[AskedQuestion]:
        """Questions to agents of managed projects, newest first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manager(tx, actor)
            rows = await tx.all(
                AskedQuestion,
                Q.questions,
                after=page.after_id,
                limit=page.fetch,
                project_id=wanted.project_id,
                agent_id=wanted.agent_id,
                outcome=wanted.outcome,
                origins=list(wanted.origins),
                words=wanted.words or None,
                slower_ms=wanted.slower_ms,
                turns=wanted.turns,
            )
            return page.page(rows)

    async def of_question(self, actor: Actor, query_id: UUID) -> QuestionTrace:
        """How one question was answered; one of another project is not found."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manager(tx, actor)
            found = await tx.get(QuestionTrace, Q.question, thing="question", id=query_id)
            passages = (found.trace or {}).get("passages", [])
            ids = [one["chunk_id"] for one in passages if "chunk_id" in one]
            texts = await tx.rows(Q.texts, ids=ids) if ids else []
        for row in texts:
            found.texts[str(row["id"])] = row["content"]
        return found
