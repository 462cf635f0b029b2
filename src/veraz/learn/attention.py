"""Atención: everything that waits for a person in one list, the most urgent first, each with what mends it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.learn.gaps import Gaps, Missed, missed_by
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.projects import managed_projects, need_role

Q = queries(__file__)

AttentionKind = Literal["waiting", "credits", "documents", "whatsapp", "exam", "gap"]
KINDS: Final[tuple[AttentionKind, ...]] = get_args(AttentionKind)
"""In the order of their urgency."""

SETTLED: Final = (errors.Cancelled.code, *errors.NOTICES)
"""Codes of documents nobody has to look at: somebody decided so, or they were read all the same."""
LOW_SHARE: Final = 0.2
LOW_DAYS: Final = 7
ENOUGH_DAYS: Final = 30
"""Credits run out when they last for less than a week, or when a fifth is left that does not last for a month."""
_GAP_DAYS = 30
_RECENT_DAYS = 7
_MOST = 50
_MOST_GAPS = 20
_MOST_MISSED = 300
_MOST_DOCUMENTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionItem:
    """One thing that waits for a person: what, how many, since when, and what it is about."""

    kind: AttentionKind
    count: int = 1
    since: datetime
    name: str
    """Of the person, the knowledge base, the agent, the number or the plan."""
    detail: str | None = None
    """What was asked, last where somebody waits, or what went wrong, as it was written down."""
    code: str | None = None
    """Of the error, where something failed."""
    examples: Sequence[str] = ()
    kb_id: UUID | None = None
    agent_id: UUID | None = None
    conversation_id: UUID | None = None
    share_left: float | None = None
    days_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedDocument:
    """A document that could not be read."""

    id: UUID
    kb_id: UUID
    name: str
    source_url: str | None
    error_code: str
    error_message: str | None
    failed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Agent:
    id: UUID
    name: str


class Attention:
    """What managers have to look at, in one project or in all of theirs."""

    def __init__(self, db: Database, gaps: Gaps) -> None:
        self.db = db
        self.gaps = gaps

    async def all(self, actor: Actor, project_id: UUID | None = None) -> list[AttentionItem]:
        """Everything, the most urgent first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            projects = await _projects(tx, project_id)
            items = await _urgent(tx, projects)
            agents = {one.id: one.name for one in await tx.all(_Agent, Q.agents, projects=projects)}
            missed = await missed_by(tx, list(agents), days=_GAP_DAYS, most=_MOST_MISSED)
        return items + await self._gaps(agents, missed)

    async def count(self, actor: Actor, project_id: UUID | None = None) -> int:
        """How many things wait; gaps, which are advice, not counted."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return len(await _urgent(tx, await _projects(tx, project_id)))

    async def documents(self, actor: Actor, kb_id: UUID, code: str) -> list[FailedDocument]:
        """The documents of a knowledge base that failed for this cause, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.all(
                FailedDocument, Q.failed_documents, kb_id=kb_id, code=code, most=_MOST_DOCUMENTS
            )

    async def _gaps(self, agents: dict[UUID, str], missed: Sequence[Missed]) -> list[AttentionItem]:
        of_agent: defaultdict[UUID, list[Missed]] = defaultdict(list)
        for one in missed:
            of_agent[one.agent_id].append(one)
        items = [
            AttentionItem(
                kind="gap",
                count=gap.count,
                since=gap.last_asked,
                name=agents[agent_id],
                detail=gap.examples[0],
                examples=gap.examples,
                agent_id=agent_id,
            )
            for agent_id, questions in of_agent.items()
            for gap in await self.gaps.among(questions)
        ]
        return sorted(items, key=lambda item: (-item.count, -item.since.timestamp()))[:_MOST_GAPS]


async def _projects(tx: Transaction, project_id: UUID | None) -> list[UUID]:
    """The projects the caller looks after; what is in others is not theirs to see."""
    if project_id is None:
        return await managed_projects(tx)
    await need_role(tx, project_id, "manager", "see what needs attention in this project")
    return [project_id]


async def _urgent(tx: Transaction, projects: list[UUID]) -> list[AttentionItem]:
    found = await tx.all(
        AttentionItem,
        Q.urgent,
        projects=projects,
        settled=list(SETTLED),
        days=_RECENT_DAYS,
        low_days=LOW_DAYS,
        low_share=LOW_SHARE,
        enough_days=ENOUGH_DAYS,
        most=_MOST,
    )
    return sorted(found, key=_urgency)


def _urgency(item: AttentionItem) -> tuple[int, float]:
    """By kind; who waits longest first, of everything else the newest."""
    since = item.since.timestamp()
    return KINDS.index(item.kind), since if item.kind == "waiting" else -since
