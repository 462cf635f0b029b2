"""Random shelves, readers and machines, with the rule of the reading set written down a second time."""

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from veraz.search.service import Wish
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import Tenant
    from tests.support.searchable import Kb, Library
else:
    from support.searchable import Kb, Library

WORDS = [
    "plazo", "devolución", "garantía", "envío", "precio", "contrato", "factura", "cliente", "pedido", "licencia",
]  # fmt: skip
MACHINES = ("global", "m1", "m2")
EVERYTHING = Wish(top_k=50, similarity_threshold=0)


@dataclass(frozen=True, kw_only=True)
class Book:
    """A document and where it stands."""

    id: UUID
    kb: Kb
    machine: str


@dataclass(frozen=True, kw_only=True)
class Reader:
    """An agent with its rights."""

    id: UUID
    tenant: "Tenant"
    allows_personal: bool
    reads: frozenset[UUID]


class ShelfWorld:
    """Tenants with shelves of every kind, and what each caller may find."""

    def __init__(self, library: Library, random: Random) -> None:
        self.library, self.random = library, random
        self.books: list[Book] = []
        self.kbs: list[Kb] = []
        self.owners: dict[UUID, UUID] = {}
        self.readers: list[Reader] = []
        self.actors: list[Actor] = []

    async def furnish(self, tenant: "Tenant", people: list[UUID]) -> None:
        """Global and personal knowledge bases with a document for each machine, and agents that read some."""
        for owner_id in (None, None, *people):
            kb = await self.library.kb(tenant, owner_id=owner_id, language=self.random.choice(("es", "en")))
            self.kbs.append(kb)
            if owner_id:
                self.owners[kb.id] = owner_id
            for machine in MACHINES:
                await self._add(kb, machine)
        for allows in (True, False):
            mine = [kb for kb in self.kbs if kb.tenant == tenant and (allows or kb.id not in self.owners)]
            reads = self.random.sample(mine, self.random.randint(1, len(mine)))
            agent_id = await self.library.agent(tenant, *reads, allows_personal=allows)
            self.readers.append(
                Reader(
                    id=agent_id, tenant=tenant, allows_personal=allows, reads=frozenset(kb.id for kb in reads)
                )
            )
        self.actors += [
            Actor(tenant_id=tenant.id, user_id=person, user_role="member", machine_id=machine)
            for person in people
            for machine in (None, "m1", "m2")
        ]

    async def change(self) -> None:
        """Some books go, some come."""
        for book in self.random.sample(self.books, len(self.books) // 3):
            self.books.remove(book)
            async with self.library.db.transaction(book.kb.tenant.worker) as tx:
                await tx.run("delete from veraz.document where id = %(id)s", id=book.id)
        for kb in self.random.sample(self.kbs, len(self.kbs) * 2 // 3):
            await self._add(kb, self.random.choice(MACHINES))

    def anybody(self) -> tuple[Actor, Reader]:
        """A caller, and an agent of their tenant."""
        actor = self.random.choice(self.actors)
        return actor, self.random.choice([r for r in self.readers if r.tenant.id == actor.tenant_id])

    def query(self) -> str:
        """Some words."""
        return " ".join(self.random.choices(WORDS, k=3))

    def readable(self, actor: Actor, agent: Reader) -> set[UUID]:
        """The rule."""
        return {
            book.id
            for book in self.books
            if book.kb.tenant.id == actor.tenant_id == agent.tenant.id
            and book.kb.id in agent.reads
            and (
                book.kb.id not in self.owners
                or (agent.allows_personal and self.owners[book.kb.id] == actor.user_id)
            )
            and book.machine in ("global", actor.machine_id)
        }

    async def _add(self, kb: Kb, machine: str) -> None:
        text = " ".join(self.random.choices(WORDS, k=6))
        book = await self.library.document(
            kb, f"libro {len(self.books)}", f"{text}. {machine}", machine=machine
        )
        self.books.append(Book(id=book, kb=kb, machine=machine))
