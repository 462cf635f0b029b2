"""The ingestion console: what people see of the queue and may do to it.

Everything runs in the caller's transaction; row level security decides which jobs exist for them.
"""

from collections.abc import Sequence
from uuid import UUID

from veraz import errors
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.ids import DocumentId, JobId, KbId
from veraz.queue.model import Job, JobStats, JobStatus

_Q = queries(__file__)


async def list_jobs(
    tx: Transaction,
    *,
    kb_id: KbId | UUID | None = None,
    status: JobStatus | None = None,
    document_id: DocumentId | UUID | None = None,
    before: JobId | UUID | None = None,
    limit: int = 50,
) -> list[Job]:
    """Jobs, newest first; `before` is the id of the last one already seen."""
    return await tx.all(
        Job, _Q.list_jobs, kb_id=kb_id, status=status, document_id=document_id, before=before, limit=limit
    )


async def stats(tx: Transaction, *, kb_id: KbId | UUID | None = None) -> JobStats:
    """How many jobs stand where, in one knowledge base or in all."""
    counted = await tx.one(JobStats, _Q.stats, kb_id=kb_id)
    assert counted is not None, "an aggregate always has a row"
    return counted


async def retry(
    tx: Transaction,
    *,
    statuses: Sequence[JobStatus] = ("FAILED", "DLQ"),
    kb_id: KbId | UUID | None = None,
    ids: Sequence[UUID] | None = None,
    document_ids: Sequence[UUID] | None = None,
) -> list[Job]:
    """Gives jobs that failed a fresh start; those that got one, so that the caller can update their documents."""
    return await tx.all(
        Job,
        _Q.retry,
        statuses=list(statuses),
        kb_id=kb_id,
        ids=None if ids is None else list(ids),
        document_ids=None if document_ids is None else list(document_ids),
    )


async def cancel(tx: Transaction, job_id: JobId | UUID) -> Job:
    """Ends a job that waits or runs; the job as it was, so that the caller can update its document."""
    job = await tx.get(Job, _Q.job, thing="job", id=job_id)
    reason = errors.Cancelled()
    if not await tx.run(_Q.cancel, id=job_id, code=reason.code, message=reason.message("es")):
        raise errors.JobEnded()
    return job


async def purge(tx: Transaction, *, kb_id: KbId | UUID | None = None) -> int:
    """Moves DONE jobs to the history; how many."""
    return int(await tx.value(_Q.purge, kb_id=kb_id))


async def history(
    tx: Transaction,
    *,
    kb_id: KbId | UUID | None = None,
    before: JobId | UUID | None = None,
    limit: int = 50,
) -> list[Job]:
    """Purged jobs, newest first."""
    return await tx.all(Job, _Q.history, kb_id=kb_id, before=before, limit=limit)
