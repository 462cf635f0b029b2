"""Ten thousand searches of random callers in PostgreSQL, then in Qdrant, every hit checked against the rule:

.venv/bin/python -m tests.soak.search_isolation [searches]
"""

import asyncio
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from veraz.db.migrate import migrate
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.ingest.vectors import VectorSync
from veraz.library.spaces import Spaces
from veraz.providers.vectors.qdrant import Qdrant
from veraz.search.service import Search, Wish
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer, Tenant
    from tests.support.access import ACCESS, act_in
    from tests.support.qdrant_server import qdrant_server
    from tests.support.searchable import Library
    from tests.support.shelf_world import ShelfWorld
else:
    from support.access import ACCESS, act_in

    sys.path[:0] = [str(Path(__file__).parents[1])]
    from conftest import EmbeddedServer, Tenant
    from support.qdrant_server import qdrant_server
    from support.searchable import Library
    from support.shelf_world import ShelfWorld

ONLY = Wish(top_k=50, similarity_threshold=0, rerank=False)


async def main(searches: int) -> None:
    server = EmbeddedServer()
    failed = 0
    try:
        migrate(server.url, ACCESS)
        async with (
            Database(server.url_as("veraz_app"), ACCESS, size=8) as db,
            Database(server.url_as("veraz_worker"), ACCESS, size=8) as worker_db,
            qdrant_server() as qdrant,
        ):
            engine = Qdrant(qdrant.url, prefix="soak")
            world = ShelfWorld(Library(worker_db), Random(1))
            for name in ("Acme", "Rival", "Tercero"):
                tenant, people = _company(server.url, name)
                await world.furnish(tenant, people)
            spaces = Spaces(Settings(embedding_model="fake:words@64", home=server.home))
            failed += await _round("PostgreSQL", searches, world, Search(db, spaces), None)
            sync = VectorSync(worker_db, engine)
            await sync.begin_new_spaces()
            failed += await _round("Qdrant", searches, world, Search(db, spaces, engine=engine), sync)
            await engine.close()
    finally:
        server.close()
    sys.exit(1 if failed else 0)


async def _round(name: str, searches: int, world: ShelfWorld, search: Search, sync: VectorSync | None) -> int:
    """Five at a time; now and then what may be read changes, and with Qdrant only some of it has arrived there."""
    started, leaks = time.monotonic(), 0
    for number in range(0, searches, 5):
        if number % 500 == 0:
            await world.change()
            if sync and number % 1000 == 0:
                await sync.drain()
        leaks += sum(await asyncio.gather(*(_one(search, world) for _ in range(5))))
    await search.settle()
    seconds = time.monotonic() - started
    print(
        f"{name}: {searches} searches, {leaks} outside their reading set or missing, {seconds:.0f} s",
        flush=True,
    )
    return leaks


async def _one(search: Search, world: ShelfWorld) -> int:
    actor, agent = world.anybody()
    expected = world.readable(actor, agent)
    question = await search.question_to(actor, agent.id, world.query(), wish=ONLY)
    result = await search.find(actor, question)
    found = {hit.passage.document_id for hit in result.evidence.hits}
    found |= {dropped.hit.passage.document_id for dropped in result.evidence.dropped}
    return int(found != expected if len(expected) < 50 else not found <= expected)


def _company(owner_url: str, name: str) -> tuple[Tenant, list[UUID]]:
    tenant = Tenant(id=new_id(), name=name, admin_id=new_id(), project_id=new_id(), kb_id=new_id())
    people = [new_id(), new_id()]
    with psycopg.connect(owner_url) as owner:
        act_in(owner, tenant.id)
        owner.execute(
            "insert into veraz.tenant (id, name, plan) values (%s, %s, 'unlimited')", (tenant.id, name)
        )
        owner.execute("insert into veraz.project (id, name) values (%s, 'Main')", (tenant.project_id,))
        for person in people:
            owner.execute(
                "insert into veraz.app_user (id, email, role) values (%s, %s, 'member')",
                (person, f"{person}@x.test"),
            )
            owner.execute(
                "insert into veraz.project_member (project_id, user_id, role) values (%s, %s, 'member')",
                (tenant.project_id, person),
            )
    return tenant, people


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
