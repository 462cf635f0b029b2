"""The queue itself: one verb for each thing that can happen to a job.

A worker proves that it still holds a job by its name and the number of claims; every verb that ends or changes a
running job asks for both, so whoever lost a lease changes nothing.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import DocumentId, JobId, KbId, new_id
from veraz.queue.model import LOST_PER_ATTEMPT, Job, Swept
from veraz.queue.retry import Failure

CHANNEL = "veraz_job"
"""Where PostgreSQL tells workers that something may be waiting."""

LEASE_SECONDS = 30.0

OnFailed = Callable[[Transaction, Job, Exception], Awaitable[None]]
"""Told in the job's last transaction, inside its tenant, that it FAILED or went to the DLQ."""

_Q = queries(__file__)


async def enqueue(
    tx: Transaction,
    kind: str,
    *,
    kb_id: KbId | UUID | None = None,
    document_id: DocumentId | UUID | None = None,
    payload: Mapping[str, object] | None = None,
    bulk: bool = False,
    delay_seconds: float = 0.0,
    max_attempts: int = 5,
) -> JobId:
    """Adds a job in the caller's transaction and tenant; workers hear of it when that commits.

    `bulk` is work nobody waits for: it runs after the tenant's other jobs. A document has at most one job waiting or
    running; a second one is refused.
    """
    job_id = JobId(new_id())
    added = await tx.run(
        _Q.enqueue,
        id=job_id,
        kind=kind,
        kb_id=kb_id,
        document_id=document_id,
        payload=json.dumps(dict(payload or {}), ensure_ascii=False),
        bulk=bulk,
        delay=delay_seconds,
        max_attempts=max_attempts,
    )
    if not added:
        raise errors.JobWaiting()
    return job_id


async def claim(
    db: Database,
    worker: str,
    limit: int,
    *,
    kinds: Sequence[str],
    lease_seconds: float = LEASE_SECONDS,
    newcomers: bool = False,
) -> list[Job]:
    """Up to `limit` jobs for this worker, fairly between tenants; `newcomers`: only tenants with nothing running."""
    async with db.queue.transaction() as tx:
        return await tx.all(
            Job,
            _Q.claim,
            worker=worker,
            kinds=list(kinds),
            limit=limit,
            lease=lease_seconds,
            newcomers=newcomers,
        )


async def heartbeat(
    db: Database, worker: str, jobs: Sequence[Job], *, lease_seconds: float = LEASE_SECONDS
) -> set[JobId]:
    """Renews the leases of these jobs; those the worker still holds."""
    async with db.queue.transaction() as tx:
        held = await tx.values(_Q.heartbeat, worker=worker, lease=lease_seconds, **_held(jobs))
    return set(held)


async def report(db: Database, job: Job, stage: str | None, percent: int) -> None:
    """Says how far a running job is."""
    async with db.transaction(job.scope) as tx:
        await _still_ours(tx, _Q.report, job, stage=stage, percent=percent)


async def finish(tx: Transaction, job: Job) -> None:
    """Ends a job in the handler's own last transaction; both commit or neither.

    Called first in that transaction it also keeps the job: nobody can take it over until the transaction ends.
    """
    await _still_ours(tx, _Q.finish, job)


async def done(db: Database, job: Job) -> None:
    """Ends a job whose handler had nothing to commit with it."""
    async with db.transaction(job.scope) as tx:
        await finish(tx, job)


async def fail(
    db: Database, job: Job, failure: Failure, *, error: Exception, on_failed: OnFailed | None = None
) -> None:
    """Ends an attempt: back to PENDING after a wait, or for good (FAILED, DLQ), telling `on_failed` in the same commit."""
    async with db.transaction(job.scope) as tx:
        await _still_ours(
            tx,
            _Q.fail,
            job,
            status=failure.status,
            code=failure.code,
            message=failure.message,
            wait=failure.wait_seconds,
        )
        if on_failed is not None and failure.status != "PENDING":
            await on_failed(tx, job, error)


async def release(db: Database, worker: str, jobs: Sequence[Job]) -> int:
    """Gives jobs back untouched, without counting the attempt; how many were still held."""
    async with db.queue.transaction() as tx:
        return int(await tx.value(_Q.release, worker=worker, **_held(jobs)))


async def sweep(
    db: Database, *, lease_seconds: float = LEASE_SECONDS, on_failed: OnFailed | None = None
) -> Swept:
    """Takes back the jobs of workers that vanished; a job that lost its worker too often goes to the DLQ."""
    limits = {"lost_per_attempt": LOST_PER_ATTEMPT, "lease": lease_seconds}
    async with db.queue.transaction() as tx:
        returned = int(await tx.value(_Q.give_back_expired, code=errors.WorkerLost.code, **limits))
        doomed = await tx.all(Job, _Q.expired_for_good, **limits)
    buried = [await _bury(db, job, on_failed) for job in doomed]
    return Swept(returned=returned, dead=sum(buried))


async def _bury(db: Database, job: Job, on_failed: OnFailed | None) -> bool:
    error = errors.WorkerLost(times=job.lost + 1)
    async with db.transaction(job.scope) as tx:
        buried = await tx.run(
            _Q.bury, id=job.id, claims=job.claims, code=error.code, message=error.message("es")
        )
        if buried and on_failed is not None:
            await on_failed(tx, job, error)
    return bool(buried)


async def _still_ours(tx: Transaction, query: str, job: Job, **values: object) -> None:
    if not await tx.run(query, id=job.id, worker=job.worker, claims=job.claims, **values):
        raise errors.LeaseLost()


def _held(jobs: Sequence[Job]) -> dict[str, object]:
    return {"ids": [job.id for job in jobs], "claims": [job.claims for job in jobs]}
