"""Which failures are tried again, and when."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.ids import JobId, TenantId, new_id
from veraz.queue import queue
from veraz.queue.model import Job
from veraz.queue.retry import backoff, judge

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.queue.conftest import Add, JobRow, Take


JOB = Job(
    id=JobId(new_id()),
    tenant_id=TenantId(new_id()),
    kind="ingest",
    kb_id=None,
    document_id=None,
    stage=None,
    status="RUNNING",
    bulk=False,
    payload={},
    attempt=1,
    max_attempts=5,
    claims=1,
    lost=0,
    run_after=datetime.now(UTC),
    worker="w",
    progress_percent=0,
    error_code=None,
    error_message=None,
    created_by=None,
    created_at=datetime.now(UTC),
    started_at=None,
    finished_at=None,
)
LAST = dataclasses.replace(JOB, attempt=5)


@pytest.mark.parametrize(
    ("attempt", "low", "high"),
    [(0, 15, 25), (1, 30, 40), (2, 60, 70), (5, 480, 490), (8, 3600, 3600), (50, 3600, 3600)],
)
def test_the_backoff_doubles_with_a_little_chance_up_to_an_hour(
    attempt: int, low: float, high: float
) -> None:
    drawn = [backoff(attempt) for _ in range(200)]
    assert low <= min(drawn) <= max(drawn) <= high
    assert low == high or max(drawn) - min(drawn) > 5


async def test_the_database_waits_as_long_as_the_program_does(db: Database, make_tenant: MakeTenant) -> None:
    async with db.transaction(make_tenant().admin) as tx:
        for attempt, low, high in [(0, 15, 25), (1, 30, 40), (7, 1920, 1930), (9, 3600, 3600)]:
            seconds = await tx.values(
                "select extract(epoch from veraz.job_backoff(%(a)s))::float from generate_series(1, 50)",
                a=attempt,
            )
            assert low <= min(seconds) <= max(seconds) <= high


@pytest.mark.parametrize(
    "error",
    [
        errors.OutsideBusy(host="h"),
        errors.OutsideDown(host="h", reason="r"),
        errors.DatabaseUnavailable(reason="r"),
        ZeroDivisionError("secret text"),
    ],
)
def test_what_may_pass_is_tried_again_and_then_put_aside(error: Exception) -> None:
    assert judge(JOB, error).status == "PENDING"
    assert 30 <= judge(JOB, error).wait_seconds <= 40
    assert judge(LAST, error).status == "DLQ"


@pytest.mark.parametrize(
    "error",
    [
        errors.Protected(),
        errors.OutsideRejected(host="h", reason="r"),
        errors.CreditsExhausted(credits=0, needed=5),
        errors.FetchRefused(url="u", reason="r"),
    ],
)
def test_what_will_not_pass_fails_at_once_with_its_reason(error: errors.VerazError) -> None:
    failure = judge(JOB, error)
    assert (failure.status, failure.code, failure.message) == ("FAILED", error.code, error.message("es"))


def test_a_host_that_asks_for_more_time_gets_it() -> None:
    assert judge(JOB, errors.OutsideBusy(host="h", retry_after=900)).wait_seconds == 900
    assert judge(JOB, errors.OutsideBusy(host="h", retry_after=1)).wait_seconds >= 30


def test_an_unforeseen_error_does_not_show_its_text() -> None:
    failure = judge(JOB, ValueError("the document says: secret"))
    assert failure.code == "unexpected"
    assert "secret" not in failure.message
    assert "ValueError" in failure.message


async def test_a_failed_attempt_waits_and_the_last_one_goes_to_the_dlq(
    make_tenant: MakeTenant,
    add: Add,
    take: Take,
    worker_db: Database,
    owner: Connection[TupleRow],
    job_row: JobRow,
) -> None:
    job_id = await add(make_tenant(), max_attempts=2)
    error = errors.OutsideDown(host="h", reason="r")
    (job,) = await take()
    await queue.fail(worker_db, job, judge(job, error), error=error)
    status, waits = job_row(job_id, "status", "extract(epoch from run_after - now())::float")
    assert status == "PENDING"
    assert 29 < waits < 40
    assert await take() == []

    owner.execute("update veraz.job set run_after = now()")
    (job,) = await take()
    await queue.fail(worker_db, job, judge(job, error), error=error)
    assert job_row(job_id, "status", "attempt", "error_code") == ("DLQ", 2, "outside_down")


async def test_mark_job_retry_does_the_same_from_sql(
    make_tenant: MakeTenant,
    add: Add,
    take: Take,
    worker_db: Database,
    owner: Connection[TupleRow],
    job_row: JobRow,
) -> None:
    acme = make_tenant()
    job_id = await add(acme, max_attempts=2)
    for expected in ("PENDING", "DLQ"):
        owner.execute("update veraz.job set run_after = now()")
        await take()
        async with worker_db.transaction(acme.worker) as tx:
            assert await tx.value("select public.mark_job_retry(%(id)s, 'down')", id=job_id) == expected
    assert job_row(job_id, "error_message", "worker") == ("down", None)
