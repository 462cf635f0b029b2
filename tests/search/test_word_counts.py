"""Words that a caller may not read tell nothing: no count, no weight, no spelling, no score depends on them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.learn import domain
from veraz.library.retrieval import RetrievalConfig
from veraz.search import spelling
from veraz.search.calibrate import calibrate
from veraz.search.model import Question
from veraz.search.retrieve import shelves
from veraz.search.service import Search, Wish
from veraz.tenancy.model import Actor
from veraz.text.words import lexeme_id, lexemes

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Kb, Library
else:
    from support.searchable import Kb, Library

KNOWN = (
    "La garantía de la cafetera dura dos años desde la compra.",
    "Las devoluciones se aceptan durante treinta días con el recibo.",
    "El horario de la tienda es de nueve a siete.",
    "El envío a las islas tarda una semana.",
)
SECRET = (
    "La escalera del zarpullón se cierra el lunes.",
    "Zarpullón, escalera y garantía del zarpullón.",
) * 6
TYPED = "¿cuándo se cierra la escalrea de la garantía?"
CANARY = lexemes("zarpullón", "es")[0]
EVERYTHING = Wish(top_k=20, similarity_threshold=0)
CALLERS = (None, "m2")


class House:
    """The same documents twice: alone, and among those of other machines, people and projects."""

    def __init__(self, library: Library, tenant: "Tenant", person: UUID) -> None:
        self.library, self.tenant, self.person = library, tenant, person
        self.kb: Kb
        self.agent: UUID

    async def furnish(self) -> None:
        self.kb = await self.library.kb(self.tenant, name="Memoria")
        self.agent = await self.library.agent(self.tenant, self.kb)
        await self.library.document(self.kb, "para todos", *KNOWN)
        await self.library.document(self.kb, "de la dos", "El código de la dos es 17.", machine="m2")

    async def hide(self, somebody: UUID) -> None:
        """Canaries: of another machine in the same knowledge base, of somebody else, of no agent of ours."""
        await self.library.document(self.kb, "de la uno", *SECRET, machine="m1")
        theirs = await self.library.kb(self.tenant, name="De otra persona", owner_id=somebody)
        await self.library.document(theirs, "personal", *SECRET)
        await self.library.assign(self.agent, theirs)
        apart = await self.library.kb(self.tenant, name="De otro agente")
        await self.library.document(apart, "aparte", *SECRET)
        await self.library.agent(self.tenant, apart)

    def actor(self, machine: str | None) -> Actor:
        return Actor(tenant_id=self.tenant.id, user_id=self.person, user_role="member", machine_id=machine)

    def question(self, text: str) -> Question:
        return Question(text=text, agent_id=self.agent, config=EVERYTHING.on(RetrievalConfig()))


@pytest.fixture
async def houses(
    library: Library, make_tenant: "MakeTenant", make_user: Callable[..., Scope]
) -> tuple[House, House]:
    """One that holds nothing else, and one that holds secrets."""
    both = []
    for name in ("Solo", "Acme"):
        tenant = make_tenant(name)
        house = House(library, tenant, _id(make_user(tenant)))
        await house.furnish()
        both.append(house)
    await both[1].hide(_id(make_user(both[1].tenant)))
    return both[0], both[1]


def _id(scope: Scope) -> UUID:
    assert scope.user_id is not None
    return scope.user_id


@pytest.mark.parametrize("machine", CALLERS)
async def test_what_others_hold_changes_no_figure_of_a_search(
    houses: tuple[House, House], search: Search, machine: str | None
) -> None:
    for text in (TYPED, "¿Cuánto dura la garantía?", "código de la dos"):
        seen = [await _figures(search, house, machine, text) for house in houses]
        assert seen[0] == seen[1], text
        assert seen[0]["hits"]


async def _figures(search: Search, house: House, machine: str | None, text: str) -> dict[str, Any]:
    actor = house.actor(machine)
    result = await search.find(actor, await search.question_to(actor, house.agent, text, wish=EVERYTHING))
    passages = [hit.passage for hit in result.evidence.hits]
    return {
        "hits": [(p.content, p.cosine, p.bm25) for p in passages],
        "relevance": [hit.relevance for hit in result.evidence.hits],
        "spelling": [query.spelling for query in result.queries],
        "chunks": [shelf.chunks for shelf in result.shelves if shelf.kind == "global"],
    }


@pytest.mark.parametrize("machine", CALLERS)
async def test_a_word_of_another_machine_is_neither_known_nor_suggested(
    houses: tuple[House, House], db: Database, machine: str | None
) -> None:
    _, house = houses
    scope, question = house.actor(machine).scope(), house.question(TYPED)
    reach = await shelves(db, scope, house.agent, None)
    assert await spelling.corrections(db, scope, question, reach) == {}
    words = spelling._Vocabulary(db, scope, question, "es")
    assert await words.counted([CANARY]) == {}
    assert await words.standing([CANARY]) == set()
    at_home = house.actor("m1").scope()
    words = spelling._Vocabulary(db, at_home, question, "es")
    assert await words.counted([CANARY]) == {CANARY: len(SECRET)}, "the machine itself knows it"
    assert await words.standing([CANARY]) == {CANARY}
    reach = await shelves(db, at_home, house.agent, None)
    found = await spelling.corrections(db, at_home, question, reach)
    assert found == {"es": {lexemes("escalrea", "es")[0]: lexemes("escalera", "es")[0]}}


@pytest.mark.parametrize("machine", CALLERS)
async def test_the_seeds_functions_give_the_same_scores_too(
    houses: tuple[House, House], db: Database, machine: str | None
) -> None:
    hybrid = (
        "select content, keyword_rank, rrf_score from public.search_rag_hybrid(%(text)s, null, %(agent)s) "
        "order by content"
    )
    seen = []
    for house in houses:
        async with db.transaction(house.actor(machine).scope()) as tx:
            seen.append(await tx.rows(hybrid, text="garantía zarpullón", agent=house.agent))
    assert seen[0] == seen[1] and seen[0]


async def test_what_a_cosine_means_is_measured_on_what_everybody_reads(
    houses: tuple[House, House], search: Search, db: Database, library: Library
) -> None:
    more = [f"{text} Es la regla número {n} de la casa y vale siempre." for n in range(4) for text in KNOWN]
    measured = []
    for house in houses:
        await library.document(house.kb, "más", *more)
        for machine in (None, "m1"):
            reach = await shelves(db, house.actor(machine).scope(), house.agent, None)
            mine = next(shelf for shelf in reach if shelf.kb_id == house.kb.id)
            found = await calibrate(db, search.spaces, house.tenant.id, mine)
            assert found is not None
            measured.append((found.chunks, found.samples))
    assert len(set(measured)) == 1, measured


async def test_documents_of_one_machine_take_no_part_in_what_is_said_about_a_knowledge_base(
    houses: tuple[House, House], db: Database
) -> None:
    async with db.transaction(houses[1].tenant.admin) as tx:
        rows = await tx.rows(queries(domain.__file__).sample, id=houses[1].kb.id, limit=100)
    assert {row["document"] for row in rows} == {"para todos"}


async def test_words_go_and_move_with_their_chunks(
    houses: tuple[House, House], owner: Connection[TupleRow]
) -> None:
    edition = houses[1].kb.edition_id

    def counted() -> dict[str, int]:
        query = "select machine_id, sum(count) from veraz.edition_term where edition_id = %s and term = %s group by 1"
        rows = owner.execute(query, (edition, lexeme_id(CANARY))).fetchall()
        return {machine: int(count) for machine, count in rows if count}

    owner.execute("select veraz.fold_terms(1)")
    assert counted() == {"m1": len(SECRET)}
    owner.execute(
        "update veraz.document set machine_id = 'm3' where kb_id = %s and machine_id = 'm1'",
        (houses[1].kb.id,),
    )
    assert counted() == {"m3": len(SECRET)}
    owner.execute("delete from veraz.document where kb_id = %s and machine_id = 'm3'", (houses[1].kb.id,))
    assert counted() == {}
