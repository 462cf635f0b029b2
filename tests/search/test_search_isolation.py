"""No search ever leaves its reading set: random shelves, random callers, every hit checked against the rule itself."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz.db.scope import Scope
from veraz.search import find
from veraz.search.model import Filters
from veraz.search.service import Search, Wish
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Kb, Library
else:
    from support.searchable import Kb, Library

WORDS = [
    "plazo",
    "devolución",
    "garantía",
    "envío",
    "precio",
    "contrato",
    "factura",
    "cliente",
    "pedido",
    "licencia",
]
MACHINES = ("global", "m1", "m2")
EVERYTHING = Wish(top_k=50, similarity_threshold=0)


@dataclass(frozen=True, kw_only=True)
class Book:
    """A document and where it stands."""

    id: UUID
    kb: Kb
    machine: str


@dataclass(frozen=True, kw_only=True)
class Agent:
    """An agent with its rights."""

    id: UUID
    tenant: "Tenant"
    allows_personal: bool
    reads: frozenset[UUID]


class World:
    """Tenants with shelves of every kind, and what each caller may find."""

    def __init__(self, library: Library, random: Random) -> None:
        self.library, self.random = library, random
        self.books: list[Book] = []
        self.kbs: list[Kb] = []
        self.archived: set[UUID] = set()
        self.owners: dict[UUID, UUID] = {}
        self.agents: list[Agent] = []

    async def furnish(self, tenant: "Tenant", people: list[UUID]) -> None:
        """Global, personal and archived knowledge bases; agents that read some of them."""
        for owner_id in (None, None, None, *people):
            archived = owner_id is None and self.random.random() < 0.3
            kb = await self.library.kb(tenant, owner_id=owner_id, status="archived" if archived else "active")
            self.kbs.append(kb)
            if archived:
                self.archived.add(kb.id)
            if owner_id:
                self.owners[kb.id] = owner_id
            for machine in MACHINES:
                text = " ".join(self.random.choices(WORDS, k=6))
                book = await self.library.document(
                    kb, f"libro {len(self.books)}", f"{text}. {machine} {kb.id}", machine=machine
                )
                self.books.append(Book(id=book, kb=kb, machine=machine))
        for allows in (True, False):
            mine = [kb for kb in self.kbs if kb.tenant == tenant and (allows or kb.id not in self.owners)]
            reads = self.random.sample(mine, self.random.randint(1, len(mine)))
            agent_id = await self.library.agent(tenant, *reads, allows_personal=allows)
            reads_ids = frozenset(kb.id for kb in reads)
            self.agents.append(Agent(id=agent_id, tenant=tenant, allows_personal=allows, reads=reads_ids))

    def readable(self, actor: Actor, agent: Agent) -> set[UUID]:
        """The rule, written down a second time."""
        return {
            book.id
            for book in self.books
            if book.kb.tenant.id == actor.tenant_id == agent.tenant.id
            and book.kb.id in agent.reads
            and book.kb.id not in self.archived
            and (
                book.kb.id not in self.owners
                or (agent.allows_personal and self.owners[book.kb.id] == actor.user_id)
            )
            and book.machine in ("global", actor.machine_id)
        }


@pytest.mark.parametrize("connections", [1, 2])
@pytest.mark.parametrize("seed", range(3))
async def test_every_search_finds_exactly_its_reading_set(
    make_tenant: "MakeTenant",
    make_user: Callable[..., Scope],
    library: Library,
    search: Search,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    connections: int,
) -> None:
    if connections == 2:
        monkeypatch.setattr(find, "TWO_CONNECTIONS_FROM", 1)
    random = Random(seed)
    world = World(library, random)
    actors: list[Actor] = []
    for name in ("Acme", "Rival"):
        tenant = make_tenant(name)
        people = [user for user in (make_user(tenant).user_id for _ in range(2)) if user]
        await world.furnish(tenant, people)
        actors += [
            Actor(tenant_id=tenant.id, user_id=person, user_role="member", machine_id=machine)
            for person in people
            for machine in (None, "m1", "m2")
        ]
    for actor in actors:
        for agent in world.agents:
            if agent.tenant.id != actor.tenant_id:
                continue
            query = " ".join(random.choices(WORDS, k=3))
            result = await search.find(
                actor, await search.question_to(actor, agent.id, query, wish=EVERYTHING)
            )
            found = {hit.passage.document_id for hit in result.evidence.hits}
            found |= {dropped.hit.passage.document_id for dropped in result.evidence.dropped}
            assert found == world.readable(actor, agent)
            assert result.evidence.searched >= len(found)


async def test_naming_a_document_or_base_of_others_in_a_filter_gives_nothing(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    mine, theirs = await library.kb(acme), await library.kb(rival)
    await library.document(mine, "mine", "plazo de devolución")
    secret = await library.document(theirs, "theirs", "plazo de devolución secreto")
    agent = await library.agent(acme, mine)
    actor = Actor(tenant_id=acme.id, user_id=acme.admin_id, user_role="admin")
    filters = Filters(document_ids=(secret,))
    named = await search.search_agent(actor, agent, "plazo secreto", wish=EVERYTHING, filters=filters)
    assert named.evidence.retrieved == 0
    question = await search.question_to(actor, agent, "plazo secreto", wish=EVERYTHING)
    both = await search.find(actor, replace(question, agent_id=None, kb_ids=(mine.id, theirs.id)))
    assert {hit.passage.kb_id for hit in both.evidence.hits} == {mine.id}
