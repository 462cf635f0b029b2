"""One job from claim to outcome. A broken handler ends its job, not the worker: `except Exception` stands here."""

import asyncio
import random
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Literal

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.observe import log
from veraz.queue import queue
from veraz.queue.handler import Handler, JobControl
from veraz.queue.model import Job
from veraz.queue.retry import judge

Outcome = Literal["DONE", "RETRY", "FAILED", "DLQ", "LOST", "RELEASED"]


async def run_job(db: Database, job: Job, handlers: Mapping[str, Handler], *, patience: float) -> Outcome:
    """Runs the job's handler and writes how it ended, waiting up to `patience` seconds for the database."""
    control = JobControl(db, job)
    try:
        await handlers[job.kind](job, control)
        if not control.finished:
            await _written(patience, partial(queue.done, db, job))
        return "DONE"
    except errors.LeaseLost:
        return "LOST"
    except Exception as error:  # noqa: BLE001 - whatever a handler raises is an outcome
        _log_failure(job, error)
        return await _fail(db, job, error, handlers, patience)


def tell_handler(handlers: Mapping[str, Handler]) -> queue.OnFailed:
    """Tells the handler of the job's kind; one that cannot record a failure must not keep the job from ending."""

    async def tell(tx: Transaction, job: Job, error: Exception) -> None:
        if job.kind not in handlers:
            return
        try:
            async with tx.savepoint():
                await handlers[job.kind].on_failed(tx, job, error)
        except Exception as broken:  # noqa: BLE001
            _log_failure(job, broken)

    return tell


def where_it_arose(error: BaseException) -> list[str]:
    """The last lines of code an error passed; never its text, which may quote the document."""
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


async def _fail(
    db: Database, job: Job, error: Exception, handlers: Mapping[str, Handler], patience: float
) -> Outcome:
    failure = judge(job, error)
    write = partial(queue.fail, db, job, failure, error=error, on_failed=tell_handler(handlers))
    try:
        await _written(patience, write)
    except errors.LeaseLost:
        return "LOST"
    return "RETRY" if failure.status == "PENDING" else failure.status


async def _written(patience: float, write: Callable[[], Awaitable[None]]) -> None:
    """Writes an outcome, also when the database is away for a while; after a lease it is not ours to write."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return await write()
        except errors.DatabaseUnavailable as error:
            if time.monotonic() > deadline:
                raise errors.LeaseLost from error
            await asyncio.sleep(random.uniform(0.2, 1.0))


def _log_failure(job: Job, error: Exception) -> None:
    foreseen = isinstance(error, errors.VerazError)
    code = error.code if isinstance(error, errors.VerazError) else type(error).__name__
    log.warning("job_failed", kind=job.kind, error=code, where=None if foreseen else where_it_arose(error))
