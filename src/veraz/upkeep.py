"""What an installation does for itself beside the queue: indexes, folded word counts, forgetting what is old, files nobody claims.

Every worker tries; an advisory lock lets one do it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from veraz import errors
from veraz.db.pool import Database
from veraz.db.vector_index import maintain
from veraz.ingest.cleanup import tidy
from veraz.observe import log
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.settings import Settings

_SECONDS_BETWEEN = 30.0
_ROUNDS_BETWEEN_FORGETTING = 120

_FORGET = "select veraz.forget_old(%(queries)s, %(traces)s, %(editions)s, %(events)s, %(jobs)s)"

_FORGET_RATES = "select veraz.forget_rates()"

_FORGET_SECURITY = "select veraz.forget_security_events(%(days)s)"


@asynccontextmanager
async def looked_after(settings: Settings, owner_url: str, db: Database, files: Files) -> AsyncIterator[None]:
    """Upkeep in the background for as long as the block lasts."""
    task = asyncio.create_task(_rounds(settings, owner_url, db, files))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def forget_old(settings: Settings, db: Database) -> int:
    """Deletes what the settings say is old, and old pictures of pages; how many rows."""
    await PagePictures(settings.home).sweep()
    async with db.queue.transaction() as tx:
        await tx.value(_FORGET_RATES)
        await tx.value(_FORGET_SECURITY, days=settings.security_event_days)
        return int(
            await tx.value(
                _FORGET,
                queries=settings.query_log_days,
                traces=settings.trace_days,
                editions=settings.retired_edition_days,
                events=settings.event_days,
                jobs=settings.finished_job_days,
            )
        )


async def _rounds(settings: Settings, owner_url: str, db: Database, files: Files) -> None:
    number = 0
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN)
        try:
            await maintain(owner_url)
            if number % _ROUNDS_BETWEEN_FORGETTING == 0:
                await forget_old(settings, db)
                await tidy(db, files)
        except (errors.DatabaseUnavailable, errors.OutsideFault) as error:
            log.warning("upkeep_skipped", reason=str(error))
        number += 1
