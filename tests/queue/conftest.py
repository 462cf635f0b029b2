"""Shortcuts for tests of the queue."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database, Transaction
from veraz.ids import JobId
from veraz.queue import queue
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.queue.worker import Worker
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import Tenant

Add = Callable[..., Awaitable[JobId]]
AddMany = Callable[["Tenant", int], None]
Take = Callable[..., Awaitable[list[Job]]]
JobRow = Callable[..., tuple[Any, ...]]
Working = Callable[..., AbstractAsyncContextManager[Worker]]
Eventually = Callable[..., Awaitable[None]]


class Recorder:
    """A handler that writes down what happens to it, and does `work` when given."""

    def __init__(self, work: Callable[[Job, JobControl], Awaitable[None]] | None = None) -> None:
        self.work = work
        self.jobs: list[Job] = []
        self.failed: list[tuple[JobId, Exception]] = []

    async def __call__(self, job: Job, control: JobControl) -> None:
        self.jobs.append(job)
        if self.work is not None:
            await self.work(job, control)

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        self.failed.append((job.id, error))
        await tx.run("update veraz.document set status = 'failed' where id = %(id)s", id=job.document_id)


@pytest.fixture
def recorder() -> type[Recorder]:
    """The class of handlers that write down what happens to them."""
    return Recorder


@pytest.fixture
def add(db: Database) -> Add:
    """add(tenant, kind="ingest", …): enqueues as the tenant's administrator."""

    async def add_job(
        tenant: "Tenant", kind: str = "ingest", *, document_id: UUID | None = None, max_attempts: int = 5
    ) -> JobId:
        async with db.transaction(tenant.admin) as tx:
            return await queue.enqueue(
                tx, kind, kb_id=tenant.kb_id, document_id=document_id, max_attempts=max_attempts
            )

    return add_job


@pytest.fixture
def add_many(owner: Connection[TupleRow]) -> AddMany:
    """add_many(tenant, 5000): that many waiting jobs in one statement."""

    def add_jobs(tenant: "Tenant", number: int) -> None:
        owner.execute(
            "insert into veraz.job (id, tenant_id, kb_id, kind) "
            "select gen_random_uuid(), %s, %s, 'ingest' from generate_series(1, %s)",
            (tenant.id, tenant.kb_id, number),
        )

    return add_jobs


@pytest.fixture
def take(worker_db: Database) -> Take:
    """take(limit=1, worker="w1", …): claims jobs of the kind "ingest"."""

    async def claim(
        limit: int = 1, worker: str = "w1", *, lease_seconds: float = 30, newcomers: bool = False
    ) -> list[Job]:
        return await queue.claim(
            worker_db, worker, limit, kinds=["ingest"], lease_seconds=lease_seconds, newcomers=newcomers
        )

    return claim


@pytest.fixture
def job_row(owner: Connection[TupleRow]) -> JobRow:
    """job_row(id, "status", "attempt"): columns of a job as they are now."""

    def read(job_id: JobId, *columns: str) -> tuple[Any, ...]:
        row = owner.execute(f"select {', '.join(columns)} from veraz.job where id = %s", (job_id,)).fetchone()
        assert row is not None
        return row

    return read


@pytest.fixture
def working(worker_db: Database, settings: Settings) -> Working:
    """async with working({"ingest": handler}, slots=2): a worker runs meanwhile."""

    @asynccontextmanager
    async def run(
        handlers: dict[str, Recorder],
        *,
        slots: int = 2,
        lease_seconds: float = 30,
        poll_seconds: float = 1.5,
        grace_seconds: float = 2.0,
        db: Database | None = None,
    ) -> AsyncIterator[Worker]:
        worker = Worker(
            db or worker_db,
            handlers,
            settings.model_copy(update={"worker_concurrency": slots}),
            lease_seconds=lease_seconds,
            poll_seconds=poll_seconds,
            grace_seconds=grace_seconds,
        )
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await task

    return run


@pytest.fixture
def eventually() -> Eventually:
    """await eventually(lambda: condition, seconds=5): waits until it holds."""

    async def wait(condition: Callable[[], object], seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 - the condition is anything
                await asyncio.sleep(0.02)

    return wait
