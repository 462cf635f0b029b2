"""Creating, finding, changing and deleting agents, and each agent's own knowledge base of manual entries."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.assignments import assign
from veraz.library.knowledge_bases import KnowledgeBases, NewKnowledgeBase
from veraz.library.model import Agent, AnswerStyle
from veraz.library.retrieval import RetrievalConfig
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.projects import managed_projects, need_role

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """Everything about an agent that its managers decide."""

    name: str
    company_name: str = ""
    description: str = ""
    system_prompt: str = ""
    answer_style: AnswerStyle = "strict"
    model: str | None = None
    fallback_model: str | None = None
    allows_personal_corpus: bool = False
    language: str = "auto"
    fallback_message: str | None = None
    handoff_on_refusal: bool = False
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    exam_blocks: bool = False
    judge_model: str | None = None

    def columns(self) -> dict[str, Any]:
        """The profile as the table's columns."""
        return asdict(self) | {"retrieval": self.retrieval.to_json()}


class Agents:
    """The agents of a tenant's projects."""

    def __init__(self, db: Database, kbs: KnowledgeBases) -> None:
        self.db = db
        self.kbs = kbs

    async def all(
        self, actor: Actor, page: PageRequest = FIRST_PAGE, *, project_id: UUID | None = None
    ) -> Page[Agent]:
        """The agents of the caller's projects, newest first."""
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(
                Agent, Q.agents, after=page.after_id, limit=page.fetch, project_id=project_id, name=None
            )
            return page.page(await _shown(tx, rows))

    async def get(self, actor: Actor, agent_id: UUID) -> Agent:
        """One agent."""
        async with self.db.transaction(actor.scope()) as tx:
            return (await _shown(tx, [await get_agent(tx, agent_id)]))[0]

    async def by_name(self, actor: Actor, name: str) -> Agent:
        """The agent of that name or id."""
        async with self.db.transaction(actor.scope()) as tx:
            found = await tx.all(Agent, Q.agents, after=None, limit=2, project_id=None, name=name)
            if len(found) > 1:
                raise errors.AmbiguousName(thing="agent", name=name)
            try:
                found = found or [await get_agent(tx, UUID(name))]
                return (await _shown(tx, found))[0]
            except ValueError:
                raise errors.NotFound(thing="agent", id=name) from None

    async def create(self, actor: Actor, project_id: UUID | None, profile: AgentProfile) -> Agent:
        """A new agent in a project the caller manages."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await self.kbs.plans.need_feature(tx, "ai_agents_enabled")
            project = await _home_project(tx, project_id)
            agent_id = new_id()
            await tx.run(
                Q.add, id=agent_id, project_id=project, created_by=actor.user_id, **profile.columns()
            )
            return await get_agent(tx, agent_id)

    async def change(self, actor: Actor, agent_id: UUID, changes: dict[str, Any]) -> Agent:
        """Changes the fields named; the project never changes.

        What an agent with an exam answers with is examined: after the change, or before it where the exam may block.
        """
        async with self.db.transaction(actor.scope()) as tx:
            return await change_agent(tx, actor, agent_id, changes)

    async def delete(self, actor: Actor, agent_id: UUID) -> None:
        """Deletes the agent with its assignments and its own knowledge base."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            await tx.run(Q.delete, id=agent_id)

    async def own_kb(self, actor: Actor, agent_id: UUID) -> UUID | None:
        """The agent's own knowledge base, if it has one yet; for its managers."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            found: UUID | None = await tx.value(Q.own_kb, id=agent_id)
            return found

    async def ensure_own_kb(self, actor: Actor, agent_id: UUID) -> UUID:
        """The agent's own knowledge base, made and assigned on first use."""
        embedding = self.kbs.spaces.resolve(None)
        async with self.db.transaction(actor.scope()) as tx:
            agent = await need_manageable(tx, actor, agent_id, scope="ingest")
            if found := await tx.value(Q.own_kb, id=agent_id):
                return UUID(str(found))
            name = await tx.value(Q.own_kb_name, id=agent_id, name=f"Entradas manuales de {agent.name[:60]}")
            new = NewKnowledgeBase(name=name, language="es")
            kb = await self.kbs.add(tx, actor, new, embedding, project_id=agent.project_id, agent_id=agent.id)
            await assign(tx, actor, agent.id, kb.id)
            return kb.id


async def _shown(tx: Transaction, agents: Sequence[Agent]) -> list[Agent]:
    """What an agent was told to be is for those who manage it; who only talks to it sees whom they talk to."""
    managed = set(await managed_projects(tx))
    return [one if one.project_id in managed else replace(one, system_prompt="") for one in agents]


async def get_agent(tx: Transaction, agent_id: UUID) -> Agent:
    """The agent as the caller may see it; one of another project is not found."""
    return await tx.get(Agent, Q.agent, thing="agent", id=agent_id)


async def need_manageable(tx: Transaction, actor: Actor, agent_id: UUID, *, scope: Any = "manage") -> Agent:
    """The agent, if the caller manages its project."""
    agent = await get_agent(tx, agent_id)
    need(actor, scope)
    await need_role(tx, agent.project_id, "manager", "change this agent")
    return agent


async def change_agent(tx: Transaction, actor: Actor, agent_id: UUID, changes: dict[str, Any]) -> Agent:
    """Changes the fields named, in the caller's transaction."""
    agent = await need_manageable(tx, actor, agent_id)
    profile = await _examined(tx, agent, replace(profile_of(agent), **changes))
    await tx.run(Q.change, id=agent_id, **profile.columns())
    return await get_agent(tx, agent_id)


def profile_of(agent: Agent) -> AgentProfile:
    """The part of an agent that its managers decide."""
    kept = {name: getattr(agent, name) for name in AgentProfile.__dataclass_fields__}
    return AgentProfile(**(kept | {"retrieval": RetrievalConfig.from_json(agent.retrieval)}))


EXAMINED = ("model", "fallback_model", "judge_model", "system_prompt", "answer_style", "retrieval")
"""What decides how an agent answers."""


async def _examined(tx: Transaction, agent: Agent, wanted: AgentProfile) -> AgentProfile:
    """What may change at once; the rest is kept as a change that waits for its exam."""
    old, new = profile_of(agent).columns(), wanted.columns()
    changes = {name: new[name] for name in EXAMINED if new[name] != old[name]}
    if not changes or not await tx.value(Q.examined, id=agent.id):
        return wanted
    await tx.run(
        Q.examine,
        id=agent.id,
        change_id=new_id(),
        changes=json.dumps(changes),
        status="waiting" if wanted.exam_blocks else "applied",
    )
    if not wanted.exam_blocks:
        return wanted
    return replace(wanted, **{name: getattr(profile_of(agent), name) for name in changes})


async def _home_project(tx: Transaction, project_id: UUID | None) -> UUID:
    if project_id:
        await need_role(tx, project_id, "manager", "create agents in this project")
        return project_id
    managed = await managed_projects(tx)
    if not managed:
        raise errors.Forbidden(action="create agents")
    if len(managed) > 1:
        ids = ", ".join(str(p) for p in managed)
        raise errors.Invalid(
            field="project_id",
            reason=errors.Phrase(
                f"name one of your projects: {ids}", es=f"elija uno de sus proyectos: {ids}"
            ),
        )
    return managed[0]
