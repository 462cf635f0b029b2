"""Keeping Qdrant in step: crashes, an engine that is away, two workers, repairs, and moving over and back under load."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import numpy as np
import pytest

from veraz import errors
from veraz.db.pool import Database
from veraz.ingest.vectors import Home, VectorSync, compare, homes, in_step, repair
from veraz.library.spaces import Spaces
from veraz.providers.vectors.base import Point, Words
from veraz.providers.vectors.qdrant import Qdrant
from veraz.search.service import Search
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.qdrant_server import QdrantServer, qdrant_server
    from tests.support.searchable import Kb, Library, admin_of
    from tests.support.shelf_world import EVERYTHING
else:
    from support.qdrant_server import QdrantServer, qdrant_server
    from support.searchable import Kb, Library, admin_of
    from support.shelf_world import EVERYTHING


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A knowledge base with an agent, searched in Qdrant."""

    server: QdrantServer
    engine: Qdrant
    sync: VectorSync
    search: Search
    library: Library
    db: Database
    tenant: "Tenant"
    kb: Kb
    agent: UUID

    async def home(self) -> Home:
        return next(home for home in await homes(self.db) if home.space_id == self.kb.space_id)

    async def settled(self) -> None:
        await self.sync.begin_new_spaces()
        await self.sync.drain()

    async def found(self, query: str) -> list[str]:
        result = await self.search.search_agent(admin_of(self.tenant), self.agent, query, wish=EVERYTHING)
        return list(dict.fromkeys(hit.passage.document_name for hit in result.evidence.hits))

    async def moved(self) -> bool:
        home = await self.home()
        return home.state == "qdrant" and not home.waiting

    async def same(self) -> bool:
        return (await compare(self.db, self.engine, await self.home())).none


async def until(true: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while True:
            answer = true()
            if await answer if isinstance(answer, Awaitable) else answer:
                return
            await asyncio.sleep(0.02)


@pytest.fixture
async def scene(
    make_tenant: "MakeTenant", db: Database, worker_db: Database, settings: Settings
) -> AsyncIterator[Scene]:
    tenant, library = make_tenant(), Library(worker_db)
    kb = await library.kb(tenant)
    await library.document(kb, "uno", "el plazo de devolución", "el precio del envío")
    async with qdrant_server() as server:
        engine = Qdrant(server.url, prefix=f"test_{uuid4().hex[:8]}")
        search = Search(
            db, Spaces(settings.model_copy(update={"embedding_model": "fake:words@64"})), engine=engine
        )
        yield Scene(
            server=server,
            engine=engine,
            sync=VectorSync(worker_db, engine),
            search=search,
            library=library,
            db=worker_db,
            tenant=tenant,
            kb=kb,
            agent=await library.agent(tenant, kb),
        )
        await search.settle()
        await engine.close()


async def test_a_space_moves_when_all_its_chunks_are_there(scene: Scene) -> None:
    assert (await scene.home()).state is None
    await scene.sync.begin_new_spaces()
    home = await scene.home()
    assert (home.state, home.waiting) == ("filling", 2)
    asked = scene.server.requests
    assert await scene.found("plazo") == ["uno"]
    assert scene.server.requests == asked, "until then PostgreSQL searches"
    assert await scene.sync.drain() == 2
    assert (await scene.home()).state == "qdrant"
    assert await scene.same()
    assert await scene.found("plazo") == ["uno"]
    assert scene.server.requests > asked


async def test_a_fill_that_was_interrupted_starts_afresh(scene: Scene) -> None:
    async with scene.db.queue.transaction() as tx:
        await tx.run(
            "insert into veraz.vector_home (space_id, state) values (%(space)s, 'filling')",
            space=scene.kb.space_id,
        )
    await scene.settled()
    assert (await scene.home()).state == "qdrant"
    assert await scene.same()


async def test_an_engine_that_is_away_costs_nothing_but_time(scene: Scene) -> None:
    await scene.settled()
    scene.server.down()
    assert await scene.found("plazo de devolución") == ["uno"], "PostgreSQL searches instead"
    await scene.library.document(scene.kb, "dos", "plazo nuevo")
    assert set(await scene.found("plazo nuevo")) == {"uno", "dos"}
    with pytest.raises(errors.OutsideDown):
        await scene.sync.drain()
    scene.server.down(False)
    assert set(await scene.found("plazo nuevo")) == {"uno", "dos"}, "what it missed is read from PostgreSQL"
    assert await scene.sync.drain() == 1
    assert await scene.same()


class Crash(Exception):
    """The process dies here."""


class Dying(Qdrant):
    """Dies after it wrote, before anybody could note it."""

    async def put(self, space_id: int, points: Sequence[Point]) -> None:
        await super().put(space_id, points)
        raise Crash


async def test_a_crash_between_both_writes_heals(scene: Scene) -> None:
    await scene.settled()
    await scene.library.document(scene.kb, "dos", "garantía", "contrato")
    async with scene.db.transaction(scene.tenant.worker) as tx:
        await tx.run("delete from veraz.document where name = 'uno'")
    dying = Dying(scene.server.url, prefix=scene.engine.prefix)
    with pytest.raises(Crash):
        await VectorSync(scene.db, dying).step()
    await dying.close()
    assert await scene.found("garantía plazo") == ["dos"]
    async with scene.db.transaction() as tx:  # the lease of the dead one runs out
        await tx.run("update veraz.vector_outbox set lease_until = now() - interval '1 second'")
    await scene.sync.drain()
    assert await scene.same()
    assert await scene.found("garantía plazo") == ["dos"]


async def test_a_change_that_is_rolled_back_is_not_noted(scene: Scene) -> None:
    await scene.settled()
    with pytest.raises(Crash):
        async with scene.db.transaction(scene.tenant.worker) as tx:
            await tx.run("delete from veraz.document where name = 'uno'")
            raise Crash
    assert (await scene.home()).waiting == 0
    assert await scene.found("plazo") == ["uno"]


async def test_workers_share_the_changes(scene: Scene) -> None:
    await scene.sync.begin_new_spaces()
    for number in range(40):
        await scene.library.document(scene.kb, f"d{number}", *(f"texto {number} {n}" for n in range(30)))
    done = await asyncio.gather(*(VectorSync(scene.db, scene.engine).drain() for _ in range(3)))
    assert sum(done) == 1202
    assert (await scene.home()).waiting == 0
    assert await scene.same()


async def test_a_chunk_edited_while_it_is_written_is_written_again(scene: Scene) -> None:
    await scene.settled()
    async with scene.db.transaction(scene.tenant.worker) as tx:
        await tx.run("update veraz.chunk set revision = 2")
    edited = False

    class Meanwhile(Qdrant):
        async def put(self, space_id: int, points: Sequence[Point]) -> None:
            nonlocal edited
            if not edited:
                edited = True
                async with scene.db.transaction(scene.tenant.worker) as tx:
                    await tx.run("update veraz.chunk set revision = 3")
            await super().put(space_id, points)

    engine = Meanwhile(scene.server.url, prefix=scene.engine.prefix)
    assert await VectorSync(scene.db, engine).drain() == 4
    await engine.close()
    assert await scene.same()


async def test_a_repair_mends_what_was_tampered_with(scene: Scene, make_tenant: "MakeTenant") -> None:
    rival = make_tenant("Rival")
    theirs = await scene.library.kb(rival)
    await scene.library.document(theirs, "secreto", "el plazo secreto de devolución")
    await scene.settled()
    space = scene.kb.space_id
    marks = {mark.id: mark async for mark in scene.engine.marks(space)}
    mine = [mark for mark in marks.values() if mark.tenant_id == scene.tenant.id]
    secret = next(mark for mark in marks.values() if mark.tenant_id == rival.id)
    words = Words(dimensions=[1], weights=[1.0])
    meaning = np.ones(64, np.float32)
    forged = replace(mine[0], id=secret.id)  # the rival's chunk under our name
    ghost = replace(mine[0], id=uuid4())
    await scene.engine.put(space, [Point(mark=m, meaning=meaning, words=words) for m in (forged, ghost)])
    await scene.engine.remove(space, [mine[1].id])
    assert await scene.found("el plazo secreto de devolución") == ["uno"], "rights never come from the engine"
    different = await compare(scene.db, scene.engine, await scene.home())
    assert set(different.missing) == {secret.id, mine[1].id}
    assert different.surplus == (ghost.id,)
    await repair(scene.db, different)
    await scene.sync.drain()
    assert await scene.same()


async def test_a_lost_collection_is_filled_again(scene: Scene) -> None:
    await scene.settled()
    await scene.engine.forget(scene.kb.space_id)
    assert await scene.found("plazo") == ["uno"]
    await repair(scene.db, await compare(scene.db, scene.engine, await scene.home()))
    await scene.sync.drain()
    assert await scene.same()


async def test_over_and_back_without_a_search_that_misses(scene: Scene) -> None:
    stop = asyncio.Event()
    searched = written = 0

    async def searches() -> None:
        nonlocal searched
        while not stop.is_set():
            assert "uno" in await scene.found("el plazo de devolución")
            searched += 1

    async def writes() -> None:
        nonlocal written
        while not stop.is_set():
            written += 1
            await scene.library.document(scene.kb, f"w{written}", f"documento número {written}")
            assert f"w{written}" in await scene.found(f"documento número {written}")

    async with asyncio.TaskGroup() as group:
        group.create_task(searches())
        group.create_task(writes())
        for _ in range(2):
            await scene.sync.fill(await scene.home())
            while (await scene.home()).state != "qdrant":
                await scene.sync.step()
            enough = searched + written + 10
            await until(lambda enough=enough: searched + written >= enough)  # type: ignore[misc]
            await scene.sync.leave(await scene.home())
            assert (await scene.home()).state == "postgres"
        stop.set()
    assert searched > 10 and written > 3
    assert (await scene.home()).waiting == 0, "nothing is noted for a place that is not used"


async def test_a_chunk_written_while_the_move_begins_is_not_missed(scene: Scene) -> None:
    """Its transaction began before anybody knew of the move."""
    async with scene.db.transaction(scene.tenant.worker) as tx:
        await tx.run("update veraz.chunk set revision = 7")
        filling = asyncio.create_task(scene.sync.fill(await scene.home()))
        await asyncio.sleep(0.2)
        assert not filling.done()
    await filling
    await scene.sync.drain()
    assert await scene.same()


async def test_a_worker_keeps_it_in_step_by_itself(scene: Scene) -> None:
    async with in_step(scene.db, Qdrant(scene.server.url, prefix=scene.engine.prefix)):
        await until(scene.moved)
        await scene.library.document(scene.kb, "dos", "garantía")
        await until(scene.moved)
    assert await scene.same()


async def test_the_key_is_sent(scene: Scene) -> None:
    scene.server.api_key = "k"
    with pytest.raises(errors.OutsideRejected):
        await scene.engine.ensure(1, 8)
    with_key = Qdrant(scene.server.url, api_key="k", prefix="other")
    await with_key.ensure(1, 8)
    await with_key.close()
    scene.server.api_key = None


async def test_nobody_at_that_address_is_an_outside_fault() -> None:
    engine = Qdrant("http://127.0.0.1:9", prefix="x")
    with pytest.raises(errors.OutsideDown):
        await engine.ensure(1, 8)
    await engine.close()


async def test_no_worker_notes_a_chunk_of_another_tenant(
    worker_db: Database, library: Library, make_tenant: "MakeTenant"
) -> None:
    """What is noted and is not there is removed from the engine by its id: a note of others would take their point away."""
    ours, theirs = make_tenant(), make_tenant("Other")
    chunks = {}
    for tenant in (ours, theirs):
        await library.document(await library.kb(tenant), "a.md", "Un texto.")
        async with worker_db.transaction(tenant.worker) as tx:
            chunks[tenant.id] = await tx.value("select id from veraz.chunk")
    note = (
        "insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id) "
        "values (%(id)s, %(tenant)s, 1, 1) on conflict (chunk_id) do update set version = excluded.version"
    )
    async with worker_db.transaction(ours.worker) as tx:
        assert await tx.run(note, id=chunks[ours.id], tenant=ours.id) == 1
    for wrong in (chunks[theirs.id], uuid4()):
        with pytest.raises(errors.Forbidden):
            async with worker_db.transaction(ours.worker) as tx:
                await tx.run(note, id=wrong, tenant=ours.id)
