"""Is the database there, up to date, and is anybody working on the queue?"""

from dataclasses import dataclass
from typing import Final

from veraz import errors
from veraz.db.migrate import known_migrations
from veraz.db.pool import Database

WORKER_LOCK: Final = 7_283_003
"""Every worker holds this advisory lock, shared, for as long as it lives; the server lets go when it dies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What a request would need."""

    database: bool
    migrations: bool
    worker: bool


async def readiness(db: Database) -> Readiness:
    """Looks once; a database that does not answer is an answer."""
    try:
        async with db.transaction() as tx:
            applied = await tx.values("select number from veraz.migration where number > 0")
            worker = await tx.value(
                "select exists (select from pg_locks where locktype = 'advisory' and objid = %(lock)s and granted "
                "and database = (select oid from pg_database where datname = current_database()))",
                lock=WORKER_LOCK,
            )
    except errors.DatabaseUnavailable:
        return Readiness(database=False, migrations=False, worker=False)
    current = {migration.number for migration in known_migrations()} == set(applied)
    return Readiness(database=True, migrations=current, worker=worker)
