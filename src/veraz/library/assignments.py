"""Which agent reads which knowledge base. Unassigned knowledge bases are never consulted."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.knowledge_bases import get_kb
from veraz.library.model import Assignment, KnowledgeBase
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AgentRow:
    id: UUID
    name: str
    allows_personal_corpus: bool
    managed: bool


class Assignments:
    """Tying agents and knowledge bases together."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def of_agent(self, actor: Actor, agent_id: UUID) -> list[Assignment]:
        """What the agent reads, as far as the caller may see it, in order of priority."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await _agents(tx, [agent_id])
            return await tx.all(Assignment, Q.of_agent, agent_id=agent_id)

    async def of_kb(self, actor: Actor, kb_id: UUID) -> list[Assignment]:
        """Which agents read the knowledge base."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            return await tx.all(Assignment, Q.of_kb, kb_id=kb_id)

    async def put(
        self,
        actor: Actor,
        kb_id: UUID,
        agent_ids: Sequence[UUID],
        *,
        priority: int = 1,
        search_weight: Decimal = Decimal(1),
    ) -> None:
        """Assigns a kb to agents, all or none; agents that refuse a personal kb are listed by name."""
        async with self.db.transaction(actor.scope()) as tx:
            kb = await get_kb(tx, kb_id)
            need(actor, "ingest" if kb.kind == "personal" else "manage")
            _check(kb, await _agents(tx, agent_ids))
            for agent_id in agent_ids:
                await assign(tx, actor, agent_id, kb_id, priority=priority, search_weight=search_weight)

    async def remove(self, actor: Actor, kb_id: UUID, agent_id: UUID) -> None:
        """The agent no longer reads it, from this moment on."""
        async with self.db.transaction(actor.scope()) as tx:
            kb = await get_kb(tx, kb_id)
            need(actor, "ingest" if kb.kind == "personal" else "manage")
            await _agents(tx, [agent_id])
            if not await tx.run(Q.remove, agent_id=agent_id, kb_id=kb_id):
                raise errors.NotFound(thing="assignment", id=kb_id)


async def assign(
    tx: Transaction,
    actor: Actor,
    agent_id: UUID,
    kb_id: UUID,
    *,
    priority: int = 1,
    search_weight: Decimal = Decimal(1),
) -> None:
    """One assignment, in the caller's transaction; the database checks the rules again."""
    await tx.run(
        Q.put,
        id=new_id(),
        agent_id=agent_id,
        kb_id=kb_id,
        priority=priority,
        search_weight=search_weight,
        assigned_by=actor.user_id,
    )


async def _agents(tx: Transaction, ids: Sequence[UUID]) -> list[_AgentRow]:
    rows = await tx.all(_AgentRow, Q.agents, ids=list(ids))
    if missing := set(ids) - {row.id for row in rows}:
        raise errors.NotFound(thing="agent", id=", ".join(sorted(str(m) for m in missing)))
    return rows


def _check(kb: KnowledgeBase, agents: Sequence[_AgentRow]) -> None:
    if kb.kind == "personal":
        if refused := [agent.name for agent in agents if not agent.allows_personal_corpus]:
            raise errors.PersonalCorpusNotAllowed(agents=", ".join(refused))
    elif not all(agent.managed for agent in agents):
        raise errors.Forbidden(action="assign knowledge bases to this agent")
