"""How an agent stands: what it reads, how its last exam went and whether it still holds, and where people reach it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.library.agents import EXAMINED, need_manageable
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOverview:
    """One agent at a glance, for who manages it."""

    agent_id: UUID
    knowledge_bases: int
    documents: int
    """Those that are ready, in what the caller may look into."""
    chunks: int
    questions: int
    """Of its exam."""
    passed: int | None
    failed: int | None
    """Of the last run of the agent as it is; None before the first."""
    examined_at: datetime | None
    settings_changed: bool
    """Whether what decides its answers is not what was examined."""
    knowledge_changed: bool
    """Whether documents came in or were assigned after the exam."""
    tried: bool
    """Whether a manager has tried it in the studio."""
    channels: list[str]
    """Where people talked to it in the last 30 days or can on WhatsApp or a website."""


class AgentOverviews:
    """Agents at a glance."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def of_project(self, actor: Actor, project_id: UUID | None) -> dict[UUID, AgentOverview]:
        """Every agent the caller sees; exams and conversations only of those they manage."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            found = await tx.all(
                AgentOverview, Q.overviews, project_id=project_id, agent_id=None, examined=list(EXAMINED)
            )
            return {one.agent_id: one for one in found}

    async def of_agent(self, actor: Actor, agent_id: UUID) -> AgentOverview:
        """One agent."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            return await tx.get(
                AgentOverview,
                Q.overviews,
                thing="agent",
                project_id=None,
                agent_id=agent_id,
                examined=list(EXAMINED),
            )

    async def pages(self, actor: Actor, agent_id: UUID) -> dict[UUID, int]:
        """How many pages the documents of each knowledge base it reads have, where they have pages."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            rows = await tx.rows(Q.pages, agent_id=agent_id)
            return {row["kb_id"]: int(row["pages"]) for row in rows if row["pages"]}
