"""What a kind of job implements, and the handle it gets on its job."""

import time
from typing import Protocol

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.observe import log
from veraz.queue import queue
from veraz.queue.model import Job

_SECONDS_BETWEEN_REPORTS = 1.0


class JobControl:
    """What a handler can say about its job while it works."""

    def __init__(self, db: Database, job: Job) -> None:
        self.db = db
        self.job = job
        self.finished = False
        self._stage: str | None = None
        self._reported_at = 0.0

    async def report(self, stage: str, percent: int) -> None:
        """Shows how far it is. Call as often as you like: a stage is written at once, a percentage once a second.

        Raises LeaseLost when the job is no longer ours; a database that is away only costs the report.
        """
        now = time.monotonic()
        if stage == self._stage and now - self._reported_at < _SECONDS_BETWEEN_REPORTS:
            return
        self._stage, self._reported_at = stage, now
        try:
            await queue.report(self.db, self.job, stage, max(0, min(100, percent)))
        except errors.DatabaseUnavailable:
            log.warning("job_report_skipped", job=str(self.job.id), stage=stage)

    async def finish(self, tx: Transaction) -> None:
        """Ends the job in the handler's last transaction, so that its effect and its end commit together.

        Call it first in that transaction: from there on nobody can take the job over.
        """
        await queue.finish(tx, self.job)
        self.finished = True


class Handler(Protocol):
    """Does one kind of job. It may run more than once for a job; what it commits with `finish` counts once."""

    async def __call__(self, job: Job, control: JobControl) -> None:
        """Does the work, in transactions of `job.scope`. Returning without `finish` ends the job as DONE."""

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """Records that the job ended for good (FAILED or DLQ), in the transaction that ends it."""
