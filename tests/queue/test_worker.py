"""The worker's loop: it wakes, works, reports, fails in good order and lets go."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from prometheus_client import REGISTRY
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.queue import queue
from veraz.queue.handler import JobControl
from veraz.queue.model import Job, Stage
from veraz.queue.worker import Worker
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.queue.conftest import Add, AddMany, Eventually, JobRow, Recorder, Working


async def test_a_notification_wakes_the_worker_at_once(
    make_tenant: MakeTenant, add: Add, working: Working, recorder: type[Recorder], eventually: Eventually
) -> None:
    handler = recorder()
    acme = make_tenant()
    async with working({"ingest": handler}, poll_seconds=60):
        await add(acme)
        await eventually(lambda: len(handler.jobs) == 1)
        await asyncio.sleep(0.1)  # asleep again
        await add(acme)
        await eventually(lambda: len(handler.jobs) == 2)  # which waits less than a poll takes


async def test_polling_finds_what_no_notification_told(
    make_tenant: MakeTenant,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    owner: Connection[TupleRow],
) -> None:
    handler = recorder()
    acme = make_tenant()
    async with working({"ingest": handler}, poll_seconds=0.2):
        await add(acme)
        await eventually(lambda: len(handler.jobs) == 1)
        await asyncio.to_thread(owner.execute, "alter table veraz.job disable trigger wake_workers")
        await add(acme)
        await eventually(lambda: len(handler.jobs) == 2, seconds=2)


async def test_a_job_ends_done_with_its_progress_seen_on_the_way(
    make_tenant: MakeTenant,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
) -> None:
    seen = []

    async def work(job: Job, control: JobControl) -> None:
        await control.report(Stage.PARSE, 10)
        seen.append(job_row(job.id, "stage", "progress_percent"))
        await control.report(Stage.PARSE, 11)  # too soon to be written
        seen.append(job_row(job.id, "stage", "progress_percent"))
        await control.report(Stage.EMBED, 50)
        seen.append(job_row(job.id, "stage", "progress_percent"))

    before = REGISTRY.get_sample_value("veraz_jobs_total", {"kind": "ingest", "status": "DONE"}) or 0
    async with working({"ingest": recorder(work)}):
        job_id = await add(make_tenant())
        await eventually(lambda: job_row(job_id, "status") == ("DONE",))
    assert seen == [("PARSE", 10), ("PARSE", 10), ("EMBED", 50)]
    assert job_row(job_id, "progress_percent", "worker", "error_code") == (100, None, None)
    assert REGISTRY.get_sample_value("veraz_jobs_total", {"kind": "ingest", "status": "DONE"}) == before + 1


async def test_a_handler_ends_its_job_in_its_own_transaction(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
    worker_db: Database,
    owner: Connection[TupleRow],
) -> None:
    async def store(job: Job, control: JobControl) -> None:
        async with worker_db.transaction(job.scope) as tx:
            await control.finish(tx)
            await tx.run(
                "update veraz.document set status = 'completed' where id = %(id)s", id=job.document_id
            )

    acme = make_tenant()
    document_id = make_document(acme)
    async with working({"ingest": recorder(store)}):
        job_id = await add(acme, document_id=document_id)
        await eventually(lambda: job_row(job_id, "status") == ("DONE",))
    assert owner.execute("select status from veraz.document").fetchone() == ("completed",)


async def test_a_permanent_error_fails_the_job_and_its_document_at_once(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
    owner: Connection[TupleRow],
) -> None:
    async def protected(job: Job, control: JobControl) -> None:
        raise errors.Protected()

    handler = recorder(protected)
    acme = make_tenant()
    async with working({"ingest": handler}):
        job_id = await add(acme, document_id=make_document(acme))
        await eventually(lambda: job_row(job_id, "status") == ("FAILED",))
    assert job_row(job_id, "error_code", "attempt", "error_message") == (
        "protected",
        1,
        errors.Protected().message("es"),
    )
    assert len(handler.jobs) == 1
    assert owner.execute("select status from veraz.document").fetchone() == ("failed",)


async def test_an_unforeseen_error_is_tried_again_until_the_dlq(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
    owner: Connection[TupleRow],
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def broken(job: Job, control: JobControl) -> None:
        raise RuntimeError("text of the document")

    handler = recorder(broken)
    acme = make_tenant()
    async with working({"ingest": handler}, poll_seconds=0.1):
        job_id = await add(acme, document_id=make_document(acme), max_attempts=3)
        for attempt in (1, 2):
            await eventually(lambda n=attempt: job_row(job_id, "status", "attempt") == ("PENDING", n))
            assert handler.failed == []
            await asyncio.to_thread(owner.execute, "update veraz.job set run_after = now()")
        await eventually(lambda: job_row(job_id, "status") == ("DLQ",))
    assert len(handler.jobs) == 3
    assert job_row(job_id, "error_code") == ("unexpected",)
    assert owner.execute("select status from veraz.document").fetchone() == ("failed",)
    said = capsys.readouterr()
    assert "text of the document" not in said.out + said.err


async def test_a_handler_that_cannot_record_its_failure_does_not_keep_the_job(
    make_tenant: MakeTenant,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
) -> None:
    async def protected(job: Job, control: JobControl) -> None:
        raise errors.Protected()

    handler = recorder(protected)

    async def broken(tx: Transaction, job: Job, error: Exception) -> None:
        await tx.run("select no_such_column from veraz.job")

    handler.on_failed = broken  # type: ignore[method-assign]
    async with working({"ingest": handler}):
        job_id = await add(make_tenant())
        await eventually(lambda: job_row(job_id, "status") == ("FAILED",))


async def test_a_long_job_keeps_its_lease(
    make_tenant: MakeTenant,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
) -> None:
    async def long(job: Job, control: JobControl) -> None:
        await asyncio.sleep(1.5)

    handler = recorder(long)
    async with working({"ingest": handler}, lease_seconds=0.6, poll_seconds=0.1):
        job_id = await add(make_tenant())
        await eventually(lambda: job_row(job_id, "status") == ("DONE",))
    assert len(handler.jobs) == 1


async def test_a_job_taken_over_or_deleted_is_cancelled(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    owner: Connection[TupleRow],
) -> None:
    cancelled = asyncio.Event()

    async def long(job: Job, control: JobControl) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    acme = make_tenant()
    handler = recorder(long)
    async with working({"ingest": handler}, lease_seconds=0.6) as worker:
        await add(acme, document_id=make_document(acme))
        await eventually(lambda: handler.jobs)
        await asyncio.to_thread(owner.execute, "delete from veraz.document")
        await asyncio.wait_for(cancelled.wait(), 3)
        await eventually(lambda: not worker.running)


async def test_stopping_waits_for_short_jobs_and_gives_back_long_ones(
    make_tenant: MakeTenant,
    add: Add,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    job_row: JobRow,
) -> None:
    async def work(job: Job, control: JobControl) -> None:
        await asyncio.sleep(0.3 if job.kind == "ingest" else 60)

    handler = recorder(work)
    acme = make_tenant()
    async with working({"ingest": handler, "crawl": handler}, grace_seconds=0.8):
        short, long = await add(acme, "ingest"), await add(acme, "crawl")
        await eventually(lambda: len(handler.jobs) == 2)
    assert job_row(short, "status") == ("DONE",)
    assert job_row(long, "status", "attempt", "worker") == ("PENDING", 0, None)


async def test_no_more_jobs_at_once_than_slots(
    make_tenant: MakeTenant,
    add_many: AddMany,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
) -> None:
    now, most = 0, 0

    async def count(job: Job, control: JobControl) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1

    handler = recorder(count)
    add_many(make_tenant(), 40)
    async with working({"ingest": handler}, slots=3):
        await eventually(lambda: len(handler.jobs) == 40)
    assert most == 3


async def test_sigterm_stops_the_worker(
    worker_db: Database, settings: Settings, recorder: type[Recorder]
) -> None:
    worker = Worker(worker_db, {"ingest": recorder()}, settings)
    running = asyncio.create_task(worker.run(until_signal=True))
    await asyncio.sleep(0.05)
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(running, 3)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)


@pytest.mark.parametrize("workers", [3])
async def test_several_workers_do_every_job_once(
    make_tenant: MakeTenant,
    add_many: AddMany,
    working: Working,
    recorder: type[Recorder],
    eventually: Eventually,
    workers: int,
    owner: Connection[TupleRow],
) -> None:
    handler = recorder()
    for number in range(3):
        add_many(make_tenant(f"T{number}"), 40)
    async with working({"ingest": handler}), working({"ingest": handler}), working({"ingest": handler}):
        await eventually(lambda: len(handler.jobs) >= 120)
    assert len({job.id for job in handler.jobs}) == len(handler.jobs) == 120
    assert owner.execute("select status, count(*) from veraz.job group by 1").fetchall() == [("DONE", 120)]


async def test_the_extra_slots_are_documented_by_their_number(
    worker_db: Database, settings: Settings, recorder: type[Recorder]
) -> None:
    worker = Worker(worker_db, {}, settings.model_copy(update={"worker_concurrency": 4}))
    assert (worker.slots, worker.extra_slots) == (4, 2)
    assert queue.LEASE_SECONDS == 30
