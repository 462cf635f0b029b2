"""What a search promises wherever vectors are searched: in PostgreSQL, and in Qdrant over real HTTP.

The Qdrant here is the real engine behind a small server on loopback; `VERAZ_TEST_QDRANT_URL` uses a true one instead.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import numpy as np
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.ingest.vectors import VectorSync, homes
from veraz.library.spaces import Spaces
from veraz.providers.vectors.base import Ask
from veraz.providers.vectors.qdrant import Qdrant
from veraz.search.model import Filters, SearchResult
from veraz.search.service import Search, Wish
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.qdrant_server import qdrant_server
    from tests.support.searchable import Library, admin_of
    from tests.support.shelf_world import EVERYTHING, WORDS, ShelfWorld
else:
    from support.qdrant_server import qdrant_server
    from support.searchable import Library, admin_of
    from support.shelf_world import EVERYTHING, WORDS, ShelfWorld

TRUE_SERVER = os.environ.get("VERAZ_TEST_QDRANT_URL")


class Answering(Qdrant):
    """Counts its answers: a search that PostgreSQL did instead would prove nothing."""

    answers = 0

    async def find(self, asks: Sequence[Ask]) -> list[UUID]:
        found = await super().find(asks)
        self.answers += 1
        return found


@dataclass(frozen=True, kw_only=True)
class Place:
    """A search service and where its vectors are searched."""

    search: Search
    library: Library
    sync: VectorSync | None
    worker_db: Database

    async def settle(self) -> None:
        """Until the place knows everything that was committed."""
        if self.sync:
            await self.sync.begin_new_spaces()
            await self.sync.drain()
            assert {home.state for home in await homes(self.worker_db)} <= {"qdrant"}


@pytest.fixture(params=["postgres", "qdrant"])
async def place(
    request: pytest.FixtureRequest, db: Database, worker_db: Database, settings: Settings
) -> AsyncIterator[Place]:
    spaces = Spaces(settings.model_copy(update={"embedding_model": "fake:words@64"}))
    library = Library(worker_db)
    if request.param == "postgres":
        search = Search(db, spaces)
        yield Place(search=search, library=library, sync=None, worker_db=worker_db)
        await search.settle()
        return
    async with qdrant_server() as server:
        engine = Answering(TRUE_SERVER or server.url, prefix=f"test_{uuid4().hex[:8]}")
        search = Search(db, spaces, engine=engine)
        yield Place(search=search, library=library, sync=VectorSync(worker_db, engine), worker_db=worker_db)
        assert engine.answers
        await search.settle()
        for home in await homes(worker_db):
            await engine.forget(home.space_id)
        await engine.close()


def names(result: SearchResult) -> list[str]:
    return [hit.passage.document_name for hit in result.evidence.hits]


async def test_meaning_and_words_find(place: Place, make_tenant: "MakeTenant") -> None:
    acme = make_tenant()
    kb = await place.library.kb(acme)
    await place.library.document(kb, "devoluciones", "El plazo de devolución es de treinta días")
    await place.library.document(
        kb, "código", "Expediente A-12/2024 archivado", vectors=np.ones((1, 64), np.float32)
    )
    agent = await place.library.agent(acme, kb)
    await place.settle()
    found = await place.search.search_agent(admin_of(acme), agent, "plazo de devolución", wish=EVERYTHING)
    assert names(found)[0] == "devoluciones"
    found = await place.search.search_agent(admin_of(acme), agent, "a12/2024", wish=EVERYTHING)
    assert names(found)[0] == "código", "by its words: its vector says nothing"


async def test_scores_and_order_are_those_of_an_exact_search(
    place: Place, make_tenant: "MakeTenant", db: Database
) -> None:
    acme, random = make_tenant(), Random(7)
    kbs = [
        await place.library.kb(acme),
        await place.library.kb(acme, language="en"),
        await place.library.kb(acme, dimensions=32),
    ]
    words = [*WORDS, "color", "peso"]
    for number in range(120):
        text = " ".join(random.choices(words, k=random.randint(3, 12)))
        await place.library.document(random.choice(kbs), f"d{number}", text)
    agent = await place.library.agent(acme, *kbs)
    await place.settle()
    plain = Search(db, place.search.spaces)
    for _ in range(15):
        query = " ".join(random.choices(words, k=3))
        question = await plain.question_to(admin_of(acme), agent, query, wish=EVERYTHING)
        here = await place.search.find(admin_of(acme), question)
        there = await plain.find(admin_of(acme), question)
        assert names(here)[:10] == names(there)[:10]
        scores = [(hit.similarity, hit.passage.bm25, hit.relevance) for hit in there.evidence.hits[:10]]
        assert [(h.similarity, h.passage.bm25, h.relevance) for h in here.evidence.hits[:10]] == scores
    await plain.settle()


async def test_what_is_committed_is_found_at_once(place: Place, make_tenant: "MakeTenant") -> None:
    acme = make_tenant()
    kb = await place.library.kb(acme)
    agent = await place.library.agent(acme, kb)
    await place.library.document(kb, "viejo", "garantía de dos años")
    await place.settle()
    await place.library.document(kb, "nuevo", "garantía ampliada de cinco años")
    for _ in range(2):
        found = await place.search.search_agent(admin_of(acme), agent, "garantía ampliada", wish=EVERYTHING)
        assert names(found) == ["nuevo", "viejo"]
        await place.settle()


async def test_what_is_deleted_is_gone_at_once(place: Place, make_tenant: "MakeTenant") -> None:
    acme = make_tenant()
    kb = await place.library.kb(acme)
    agent = await place.library.agent(acme, kb)
    gone = [await place.library.document(kb, f"x{n}", f"plazo de entrega urgente {n}") for n in range(60)]
    await place.library.document(kb, "queda", "plazo de entrega normal")
    await place.settle()
    async with place.worker_db.transaction(acme.worker) as tx:
        await tx.run("delete from veraz.document where id = any (%(ids)s)", ids=gone)
    for _ in range(2):
        found = await place.search.search_agent(
            admin_of(acme), agent, "plazo de entrega urgente", wish=EVERYTHING
        )
        assert names(found) == ["queda"], "and those gone do not take its place"
        await place.settle()


async def test_what_is_bound_to_a_machine_is_found_there_alone(
    place: Place, make_tenant: "MakeTenant", owner: Connection[TupleRow]
) -> None:
    acme = make_tenant()
    kb = await place.library.kb(acme)
    agent = await place.library.agent(acme, kb)
    await place.library.document(kb, "a", "color azul")
    await place.library.document(kb, "b", "forma redonda")
    await place.settle()
    owner.execute("update veraz.document set machine_id = 'm1' where name = 'a'")
    for _ in range(2):
        found = await place.search.search_agent(admin_of(acme), agent, "color azul", wish=EVERYTHING)
        assert "a" not in names(found), "it belongs to one machine now"
        at_one = admin_of(acme, machine="m1")
        assert names(await place.search.search_agent(at_one, agent, "color azul", wish=EVERYTHING))[0] == "a"
        await place.settle()


async def test_filters_hold(place: Place, make_tenant: "MakeTenant") -> None:
    acme = make_tenant()
    kb = await place.library.kb(acme)
    agent = await place.library.agent(acme, kb)
    one = await place.library.document(kb, "uno", "precio del pedido", metadata={"tema": "x"})
    await place.library.document(kb, "dos", "precio del pedido grande", metadata={"tema": "y"})
    await place.settle()

    async def found(filters: Filters) -> list[str]:
        return names(
            await place.search.search_agent(admin_of(acme), agent, "precio", wish=EVERYTHING, filters=filters)
        )

    assert await found(Filters(document_ids=(one,))) == ["uno"]
    assert await found(Filters(metadata={"tema": "y"})) == ["dos"]
    assert await found(Filters(metadata={"tema": "z"})) == []


async def test_the_other_tenant_cannot(place: Place, make_tenant: "MakeTenant") -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    theirs = await place.library.kb(acme)
    await place.library.document(theirs, "secreto", "la clave secreta")
    mine = await place.library.kb(rival)
    await place.library.document(mine, "propio", "la clave pública")
    agent = await place.library.agent(rival, mine)
    await place.settle()
    found = await place.search.search_agent(admin_of(rival), agent, "la clave secreta", wish=EVERYTHING)
    assert names(found) == ["propio"]


@pytest.mark.parametrize("seed", range(4))
async def test_every_hit_lies_in_the_reading_set(
    place: Place, make_tenant: "MakeTenant", make_user: Callable[..., Scope], seed: int
) -> None:
    world = ShelfWorld(place.library, Random(seed))
    for name in ("Acme", "Rival"):
        tenant = make_tenant(name)
        people: list[UUID] = [user for user in (make_user(tenant).user_id for _ in range(2)) if user]
        await world.furnish(tenant, people)
    if seed % 2:  # half of the worlds are searched while the engine knows only a part
        await place.settle()
        await world.change()
    else:
        await world.change()
        await place.settle()
    only = Wish(top_k=50, similarity_threshold=0, rerank=False)

    async def one() -> None:
        actor, agent = world.anybody()
        question = await place.search.question_to(actor, agent.id, world.query(), wish=only)
        result = await place.search.find(actor, question)
        found = {hit.passage.document_id for hit in result.evidence.hits}
        found |= {dropped.hit.passage.document_id for dropped in result.evidence.dropped}
        assert found == world.readable(actor, agent)

    for _ in range(50 if place.sync else 5):
        await asyncio.gather(*(one() for _ in range(5)))
