"""A hundred thousand forged requests at every door and every page, with a table of what came of them:

.venv/bin/python -m tests.attacks.long [requests] [seed]
"""

import asyncio
import logging
import shutil
import sys
import time
from pathlib import Path
from random import Random, randrange
from typing import TYPE_CHECKING, Any

import psycopg
import structlog
from fastapi import FastAPI
from nicegui import app as pages_app

from veraz.api.app import create_app
from veraz.db.migrate import migrate
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.ui.mount import add_pages
from veraz.ui.pages import MOVED, PAGES
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer
    from tests.support.access import ACCESS
    from tests.support.attacks.doors import Doors, Operation, doors_of
    from tests.support.attacks.run import Campaign, Record
    from tests.support.attacks.world import UNHURRIED, AttackWorld, at_pages
else:
    sys.path[:0] = [str(Path(__file__).parents[1])]
    from conftest import EmbeddedServer
    from support.access import ACCESS
    from support.attacks.doors import Doors, Operation, doors_of
    from support.attacks.run import Campaign, Record
    from support.attacks.world import UNHURRIED, AttackWorld, at_pages

A_WORLD = 10_000
"""Requests before the companies are made anew: strong callers wreck their own."""


async def main(requests: int, seed: int) -> int:
    print(f"seed {seed}", flush=True)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.ERROR)
    server, random, record = EmbeddedServer(), Random(seed), Record()
    home = server.home / "home"
    home.mkdir()
    started = time.monotonic()
    try:
        migrate(server.url, ACCESS)
        async with Database(server.url_as("veraz_app"), ACCESS, size=8) as db:
            await _attack(server.url, home, db, random, record, requests)
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)
    print(f"seed {seed}, {time.monotonic() - started:.0f} s\n{record.table()}\n\n{record.told()}", flush=True)
    return 1 if record.findings else 0


async def _attack(url: str, home: Path, db: Database, random: Random, record: Record, requests: int) -> None:
    config = Settings(home=home, embedding_model="fake:story@8").model_copy(update=UNHURRIED)
    veraz = assemble(config, db)
    app = create_app(veraz)
    doors: Doors | None = None
    with psycopg.connect(url, autocommit=True) as owner:
        world = AttackWorld(owner, random, veraz.widget_visitors.tokens)
        plain = await doors_of(app, world.owner_of(world.world.tenants[0]).headers, [*PAGES, *MOVED])
        add_pages(app, veraz)
        pages_app.state.veraz = veraz
        doors = Doors(operations=plain.operations, components=plain.components)
        async with app.router.lifespan_context(app):
            while record.requests.total() < requests:
                await _one_world(app, doors, world, random, record, requests)
                # in a thread: what still works in this loop may hold rows the new world waits for
                world = await asyncio.to_thread(AttackWorld, owner, random, veraz.widget_visitors.tokens)


async def _one_world(
    app: FastAPI, doors: Doors, world: AttackWorld, random: Random, record: Record, requests: int
) -> None:
    until = min(record.requests.total() + A_WORLD, requests)
    campaign = Campaign(app=app, doors=doors, world=world, random=random, record=record)
    tenant = random.choice(world.world.tenants)
    for attacker in world.attackers(tenant):
        if record.requests.total() >= until:
            break
        await campaign.attack(attacker, [op for op in doors.operations if op.door != "pages"])
        pages: list[Any] = [op for op in doors.operations if op.door == "pages"]
        some: list[Operation] = random.sample(pages, 6)
        await campaign.attack(at_pages(attacker), some)
    print(f"{record.requests.total()} requests, {len(record.findings)} findings", flush=True)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sys.exit(asyncio.run(main(wanted, int(sys.argv[2]) if len(sys.argv) > 2 else randrange(10**6))))
