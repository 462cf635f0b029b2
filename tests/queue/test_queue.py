"""What can happen to a job, verb by verb."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.ids import JobId
from veraz.queue import queue
from veraz.queue.retry import judge

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.queue.conftest import Add, AddMany, JobRow, Recorder, Take


async def test_a_job_is_enqueued_with_the_row_it_is_about_or_not_at_all(
    db: Database, make_tenant: MakeTenant, take: Take
) -> None:
    acme = make_tenant()
    with pytest.raises(errors.Invalid):
        async with db.transaction(acme.admin) as tx:
            await queue.enqueue(tx, "ingest", kb_id=acme.kb_id)
            raise errors.Invalid(field="x", reason="y")
    assert await take() == []


async def test_a_claimed_job_carries_its_payload_and_its_tenant(
    db: Database, make_tenant: MakeTenant, take: Take
) -> None:
    acme = make_tenant()
    async with db.transaction(acme.admin) as tx:
        job_id = await queue.enqueue(tx, "ingest", kb_id=acme.kb_id, payload={"título": "ñandú", "n": [1]})
    (job,) = await take(5, "w1")
    assert (job.id, job.status, job.worker, job.attempt, job.claims) == (job_id, "RUNNING", "w1", 1, 1)
    assert job.payload == {"título": "ñandú", "n": [1]}
    assert job.scope.tenant_id == acme.id
    assert job.created_by == acme.admin_id


async def test_nobody_enqueues_into_another_tenants_knowledge_base(
    db: Database, make_tenant: MakeTenant
) -> None:
    acme, other = make_tenant(), make_tenant("Other")
    with pytest.raises(errors.Forbidden):
        async with db.transaction(other.admin) as tx:
            await queue.enqueue(tx, "ingest", kb_id=acme.kb_id)


async def test_a_document_has_one_job_at_a_time(
    make_tenant: MakeTenant, make_document: Callable[..., UUID], add: Add, take: Take, worker_db: Database
) -> None:
    acme = make_tenant()
    document_id = make_document(acme)
    await add(acme, document_id=document_id)
    with pytest.raises(errors.JobWaiting):
        await add(acme, document_id=document_id)
    (job,) = await take()
    with pytest.raises(errors.JobWaiting):
        await add(acme, document_id=document_id)
    await queue.done(worker_db, job)
    await add(acme, document_id=document_id)


async def test_a_handler_can_hand_its_document_on_to_the_next_job(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    take: Take,
    worker_db: Database,
    job_row: JobRow,
) -> None:
    acme = make_tenant()
    await add(acme, document_id=make_document(acme))
    (job,) = await take()
    async with worker_db.transaction(job.scope) as tx:
        await queue.finish(tx, job)
        following = await queue.enqueue(tx, "next", kb_id=job.kb_id, document_id=job.document_id)
    assert job_row(following, "status", "tenant_id") == ("PENDING", acme.id)


async def test_many_claims_at_once_never_hand_out_a_job_twice(
    make_tenant: MakeTenant, add_many: AddMany, take: Take
) -> None:
    for number in range(4):
        add_many(make_tenant(f"T{number}"), 50)

    async def grab(worker: int) -> list[JobId]:
        mine: list[JobId] = []
        while jobs := await take(3, f"w{worker}"):
            mine += [job.id for job in jobs]
        return mine

    taken = Counter(job for mine in await asyncio.gather(*map(grab, range(8))) for job in mine)
    assert len(taken) == 200
    assert set(taken.values()) == {1}


async def test_a_worker_only_gets_the_kinds_it_knows(make_tenant: MakeTenant, add: Add, take: Take) -> None:
    acme = make_tenant()
    await add(acme, "crawl")
    assert await take() == []


async def test_a_delayed_job_is_not_claimed_before_its_time(
    db: Database, make_tenant: MakeTenant, take: Take
) -> None:
    acme = make_tenant()
    async with db.transaction(acme.admin) as tx:
        await queue.enqueue(tx, "ingest", kb_id=acme.kb_id, delay_seconds=60)
    assert await take() == []


async def test_bulk_work_runs_after_the_tenants_other_jobs(
    db: Database, make_tenant: MakeTenant, add: Add, take: Take
) -> None:
    acme = make_tenant()
    async with db.transaction(acme.admin) as tx:
        bulk = await queue.enqueue(tx, "ingest", kb_id=acme.kb_id, bulk=True)
    single = await add(acme)
    assert [job.id for job in await take(2)] == [single, bulk]


async def test_a_report_is_seen_at_once(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database, job_row: JobRow
) -> None:
    await add(make_tenant())
    (job,) = await take()
    await queue.report(worker_db, job, "EMBED", 40)
    assert job_row(job.id, "stage", "progress_percent") == ("EMBED", 40)


async def test_finish_commits_with_the_handlers_work_or_not_at_all(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database, job_row: JobRow
) -> None:
    await add(make_tenant())
    (job,) = await take()
    with pytest.raises(errors.EmptyDocument):
        async with worker_db.transaction(job.scope) as tx:
            await queue.finish(tx, job)
            raise errors.EmptyDocument()
    assert job_row(job.id, "status") == ("RUNNING",)


async def test_an_expired_lease_goes_back_and_the_old_holder_changes_nothing(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database, job_row: JobRow
) -> None:
    await add(make_tenant())
    (old,) = await take(worker="w1", lease_seconds=0.01)
    await asyncio.sleep(0.02)
    swept = await queue.sweep(worker_db, lease_seconds=0)
    assert (swept.returned, swept.dead) == (1, 0)
    (new,) = await take(worker="w1")
    assert (new.id, new.claims, new.lost) == (old.id, 2, 1)

    assert await queue.heartbeat(worker_db, "w1", [old]) == set()
    assert await queue.release(worker_db, "w1", [old]) == 0
    for late in (
        queue.done(worker_db, old),
        queue.report(worker_db, old, "STORE", 99),
        queue.fail(worker_db, old, judge(old, errors.NoText(hint="")), error=errors.NoText(hint="")),
    ):
        with pytest.raises(errors.LeaseLost):
            await late
    assert job_row(new.id, "status", "claims") == ("RUNNING", 2)
    await queue.done(worker_db, new)


async def test_a_heartbeat_keeps_a_lease(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database
) -> None:
    await add(make_tenant())
    (job,) = await take(lease_seconds=0.01)
    assert await queue.heartbeat(worker_db, "w1", [job]) == {job.id}
    await asyncio.sleep(0.02)
    assert (await queue.sweep(worker_db, lease_seconds=0)).returned == 0


async def test_nobody_takes_a_job_whose_last_transaction_is_under_way(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database, job_row: JobRow
) -> None:
    await add(make_tenant())
    (job,) = await take(lease_seconds=0.01)
    async with worker_db.transaction(job.scope) as tx:
        await queue.finish(tx, job)
        await asyncio.sleep(0.02)
        async with asyncio.timeout(2):
            assert (await queue.sweep(worker_db, lease_seconds=0)).returned == 0
            assert await queue.heartbeat(worker_db, "w1", [job]) == {job.id}
    assert job_row(job.id, "status", "worker") == ("DONE", None)


async def test_a_fresh_server_gives_every_lease_one_more_term(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database
) -> None:
    await add(make_tenant())
    await take(lease_seconds=0.01)
    await asyncio.sleep(0.02)
    assert (await queue.sweep(worker_db, lease_seconds=100_000)).returned == 0
    assert (await queue.sweep(worker_db, lease_seconds=0)).returned == 1


async def test_a_job_that_keeps_losing_its_worker_goes_to_the_dlq(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    take: Take,
    worker_db: Database,
    job_row: JobRow,
    owner: Connection[TupleRow],
    recorder: type[Recorder],
) -> None:
    acme = make_tenant()
    document_id = make_document(acme)
    job_id = await add(acme, document_id=document_id, max_attempts=1)
    handler = recorder()
    for _ in range(3):
        await take(lease_seconds=0.001)
        await asyncio.sleep(0.005)
        swept = await queue.sweep(worker_db, lease_seconds=0, on_failed=handler.on_failed)
    assert swept.dead == 1
    assert job_row(job_id, "status", "error_code", "lost") == ("DLQ", "worker_lost", 3)
    assert [type(error) for _, error in handler.failed] == [errors.WorkerLost]
    row = owner.execute("select status from veraz.document where id = %s", (document_id,)).fetchone()
    assert row == ("failed",)


async def test_a_released_job_comes_back_at_once_without_a_counted_attempt(
    make_tenant: MakeTenant, add: Add, take: Take, worker_db: Database
) -> None:
    await add(make_tenant())
    (job,) = await take()
    assert await queue.release(worker_db, "w1", [job]) == 1
    (again,) = await take(worker="w2")
    assert (again.attempt, again.claims) == (1, 2)


async def test_deleting_the_document_takes_its_job_along(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    take: Take,
    worker_db: Database,
    owner: Connection[TupleRow],
) -> None:
    acme = make_tenant()
    document_id = make_document(acme)
    await add(acme, document_id=document_id)
    (job,) = await take()
    owner.execute("delete from veraz.document where id = %s", (document_id,))
    assert await queue.heartbeat(worker_db, "w1", [job]) == set()
    with pytest.raises(errors.LeaseLost):
        await queue.done(worker_db, job)
