"""One tenant's thousands do not make another wait, and cost a claim nothing."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.queue import queue
from veraz.queue.handler import JobControl
from veraz.queue.model import Job

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.queue.conftest import Add, AddMany, Eventually, Recorder, Take, Working


async def test_a_single_job_comes_first_behind_five_thousand(
    make_tenant: MakeTenant, add_many: AddMany, add: Add, take: Take
) -> None:
    big, small = make_tenant("Big"), make_tenant("Small")
    add_many(big, 5_000)
    await take(4)
    only = await add(small)
    assert [job.id for job in await take(1)] == [only]


async def test_slots_are_shared_evenly_in_one_claim(
    make_tenant: MakeTenant, add_many: AddMany, take: Take
) -> None:
    tenants = [make_tenant(f"T{number}") for number in range(3)]
    for tenant, number in zip(tenants, (5_000, 40, 2), strict=True):
        add_many(tenant, number)
    shares: Counter[object] = Counter(job.tenant_id for job in await take(8))
    assert [shares[tenant.id] for tenant in tenants] == [3, 3, 2]


async def test_with_one_slot_tenants_take_turns(
    make_tenant: MakeTenant, add_many: AddMany, take: Take, worker_db: Database
) -> None:
    tenants = [make_tenant(f"T{number}") for number in range(3)]
    for tenant in tenants:
        add_many(tenant, 100)
    served = []
    for _ in range(9):
        (job,) = await take(1)
        await queue.done(worker_db, job)
        served.append(job.tenant_id)
    assert all(set(served[i : i + 3]) == {tenant.id for tenant in tenants} for i in (0, 3, 6))


async def test_newcomers_are_tenants_with_nothing_running(
    make_tenant: MakeTenant, add_many: AddMany, take: Take
) -> None:
    busy, new = make_tenant("Busy"), make_tenant("New")
    add_many(busy, 10)
    await take(1)
    assert await take(3, newcomers=True) == []
    add_many(new, 10)
    assert [job.tenant_id for job in await take(3, newcomers=True)] == [new.id]
    assert await take(3, newcomers=True) == []


async def test_a_claim_costs_the_same_behind_ten_thousand_jobs(
    make_tenant: MakeTenant, add_many: AddMany, take: Take, owner: Connection[TupleRow]
) -> None:
    add_many(make_tenant("Few"), 30)
    await take(1)
    few = [await _seconds(take(1)) for _ in range(20)]
    big = make_tenant("Big")
    add_many(big, 10_000)
    owner.execute(
        "update veraz.job set run_after = now() + interval '1 hour' where id in "
        "(select id from veraz.job where status = 'PENDING' and tenant_id = %s limit 4000)",
        (big.id,),
    )
    await take(1)
    many = [await _seconds(take(1)) for _ in range(40)]
    assert sorted(many)[20] < 3 * sorted(few)[10] + 0.005


async def test_a_claim_reads_one_index_entry_per_tenant(
    make_tenant: MakeTenant, add_many: AddMany, owner: Connection[TupleRow]
) -> None:
    for number in range(3):
        add_many(make_tenant(f"T{number}"), 3_000)
    owner.execute("select * from veraz.claim_jobs('w', '{ingest}', 1, '30 seconds')")
    buffers = _pages_of_a_claim(owner)
    add_many(make_tenant("Huge"), 20_000)
    assert _pages_of_a_claim(owner) < buffers + 60


async def test_long_jobs_of_one_tenant_do_not_make_another_wait(
    make_tenant: MakeTenant,
    add_many: AddMany,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
) -> None:
    big, small = make_tenant("Big"), make_tenant("Small")
    add_many(big, 5_000)
    finished: list[object] = []

    async def slow_for_big(job: Job, control: JobControl) -> None:
        await asyncio.sleep(60 if job.tenant_id == big.id else 0)
        finished.append(job.tenant_id)

    handler = recorder(slow_for_big)
    async with working({"ingest": handler}, slots=3, grace_seconds=0) as worker:
        await eventually(lambda: len(worker.running) == 3)
        await add(small)
        await eventually(lambda: small.id in finished)  # which waits less than a slot is taken
        await eventually(lambda: len(worker.running) == 3)  # the extra slot serves newcomers only


async def _seconds(claim: Awaitable[object]) -> float:
    started = time.perf_counter()
    await claim
    return time.perf_counter() - started


def _pages_of_a_claim(owner: Connection[TupleRow]) -> int:
    row = owner.execute(
        "explain (analyze, buffers, format json) select * from veraz.claim_jobs('w', '{ingest}', 1, '30 seconds')"
    ).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
