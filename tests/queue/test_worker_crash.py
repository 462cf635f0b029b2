"""What kill -9 cannot do: lose a job, or make its effect count twice."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.queue.worker import Worker
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer, MakeTenant, Tenant
    from tests.queue.conftest import Eventually, Recorder
    from tests.support.access import ACCESS
else:
    from support.access import ACCESS


Spawn = Callable[[], "subprocess.Popen[str]"]
SCRIPT = Path(__file__).with_name("crashing_worker.py")


@pytest.fixture
def spawn(worker_url: str) -> Iterator[Spawn]:
    """spawn(): a worker in a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), worker_url],
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def effects(owner: Connection[TupleRow]) -> dict[str, int]:
    """How often each job's effect was stored."""
    return dict(owner.execute("select kind, count(*) from veraz.event group by 1").fetchall())


def add_timed(owner: Connection[TupleRow], tenant: Tenant, number: int, seconds: float) -> None:
    owner.execute(
        "insert into veraz.job (id, tenant_id, kb_id, kind, payload) select gen_random_uuid(), %s, %s, 'ingest', "
        "jsonb_build_object('seconds', %s::float) from generate_series(1, %s)",
        (tenant.id, tenant.kb_id, seconds, number),
    )


def all_done(owner: Connection[TupleRow]) -> bool:
    return owner.execute("select bool_and(status = 'DONE') from veraz.job").fetchone() == (True,)


async def test_the_job_of_a_killed_worker_runs_again_and_counts_once(
    make_tenant: MakeTenant, owner: Connection[TupleRow], spawn: Spawn, eventually: Eventually
) -> None:
    add_timed(owner, make_tenant(), 1, 0.5)
    first = spawn()
    assert first.stdout is not None
    line = await asyncio.to_thread(first.stdout.readline)
    assert line.startswith("started")
    first.kill()
    first.wait()
    assert effects(owner) == {}
    spawn()
    await eventually(lambda: all_done(owner), seconds=20)
    assert list(effects(owner).values()) == [1]
    assert owner.execute("select lost, attempt, claims from veraz.job").fetchone() == (1, 1, 2)


async def test_workers_killed_again_and_again_lose_nothing(
    make_tenant: MakeTenant, owner: Connection[TupleRow], spawn: Spawn, eventually: Eventually
) -> None:
    for number in range(3):
        add_timed(owner, make_tenant(f"T{number}"), 60, 0.05)
    workers = [spawn(), spawn()]
    for _ in range(4):
        await asyncio.sleep(random.uniform(0.8, 1.4))
        victim = workers.pop(0)
        victim.kill()
        victim.wait()
        workers.append(spawn())
    await eventually(lambda: all_done(owner), seconds=40)
    assert len(effects(owner)) == 180
    assert set(effects(owner).values()) == {1}


async def test_sigterm_gives_the_jobs_back_and_ends_in_seconds(
    make_tenant: MakeTenant, owner: Connection[TupleRow], spawn: Spawn
) -> None:
    add_timed(owner, make_tenant(), 1, 60)
    process = spawn()
    assert process.stdout is not None
    await asyncio.to_thread(process.stdout.readline)
    process.terminate()
    assert await asyncio.to_thread(process.wait, 15) == 0
    assert owner.execute("select status, attempt from veraz.job").fetchone() == ("PENDING", 0)


async def test_work_goes_on_after_the_database_was_killed(
    own_server: EmbeddedServer, settings: Settings, recorder: type[Recorder], eventually: Eventually
) -> None:
    url = own_server.url_as("veraz_worker")
    tenant_id, kb_id = new_id(), new_id()
    with psycopg.connect(own_server.url, autocommit=True) as owner:
        owner.execute("insert into veraz.tenant (id, name, plan) values (%s, 'T', 'unlimited')", (tenant_id,))
        owner.execute(
            "insert into veraz.knowledge_base (id, tenant_id, kind, name) values (%s, %s, 'global', 'K')",
            (kb_id, tenant_id),
        )
        owner.execute(
            "insert into veraz.job (id, tenant_id, kb_id, kind) select gen_random_uuid(), %s, %s, 'ingest' "
            "from generate_series(1, 12)",
            (tenant_id, kb_id),
        )

    async def work(job: Job, control: JobControl) -> None:
        await control.report("EMBED", 50)
        await asyncio.sleep(0.4)
        async with db.transaction(job.scope) as tx:
            await control.finish(tx)
            await tx.run(
                "insert into veraz.event (kind) values (%(job)s)",
                job=str(job.id),
            )

    handler = recorder(work)
    async with Database(url, ACCESS, size=8) as db:
        worker = Worker(db, {"ingest": handler}, settings, lease_seconds=2, poll_seconds=0.3)
        running = asyncio.create_task(worker.run())
        await eventually(lambda: len(handler.jobs) >= 5)
        await asyncio.to_thread(own_server.kill)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(own_server.start)
        with psycopg.connect(own_server.url, autocommit=True) as owner:
            await eventually(lambda: hurried(owner), seconds=30)
            assert len(effects(owner)) == 12
            assert set(effects(owner).values()) == {1}
            owner.execute(
                "insert into veraz.job (id, tenant_id, kb_id, kind) values (%s, %s, %s, 'ingest')",
                (new_id(), tenant_id, kb_id),
            )
            await eventually(lambda: all_done(owner), seconds=5)
        worker.stop()
        await running


def hurried(owner: Connection[TupleRow]) -> bool:
    """Whether all is done; jobs in their backoff are called at once, tests do not wait half a minute."""
    owner.execute(
        "update veraz.job set run_after = now() where id in (select id from veraz.job "
        "where status = 'PENDING' and run_after > now() for update skip locked)"
    )
    return all_done(owner)
