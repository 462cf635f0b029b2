"""A worker process for the crash tests: `python crashing_worker.py URL`. It says when it starts a job.

Each job takes `payload.seconds`, then stores one effect that can be counted (an event) in the
transaction that ends it.
"""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from veraz.db.pool import Database, Transaction
from veraz.observe import configure
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.queue.worker import Worker
from veraz.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1]))
if TYPE_CHECKING:
    from tests.support.access import ACCESS
else:
    from support.access import ACCESS


class Store:
    """Waits, then stores."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def __call__(self, job: Job, control: JobControl) -> None:
        print(f"started {job.id}", flush=True)
        await asyncio.sleep(float(str(job.payload["seconds"])))
        async with self.db.transaction(job.scope) as tx:
            await control.finish(tx)
            await tx.run("insert into veraz.event (kind) values (%(job)s)", job=str(job.id))

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        print(f"failed {job.id}", flush=True)


async def main(url: str) -> None:
    """Works until SIGTERM."""
    settings = Settings(worker_concurrency=4)
    configure(settings)  # logs to stderr; stdout is for the test
    async with Database(url, ACCESS, size=6) as db:
        worker = Worker(
            db, {"ingest": Store(db)}, settings, lease_seconds=1.5, poll_seconds=0.3, grace_seconds=0.5
        )
        await worker.run(until_signal=True)


asyncio.run(main(sys.argv[1]))
