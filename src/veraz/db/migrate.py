"""Brings a database to this version: numbered migrations once, everything in always/ every time it changed.

One migrator at a time (advisory lock); each migration in its own transaction with its checksum, so a process
killed in the middle leaves nothing behind; short lock time-out, so a busy server is never frozen by us.
"""

import hashlib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import Connection, sql

from veraz import errors
from veraz.db.access import LOGIN_ROLES, Access
from veraz.observe import log

_HERE = Path(__file__).parent
_LOCK = 7_283_001
_MINIMUM_POSTGRES = 150_000
_MINIMUM_VECTOR = (0, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered file; immutable once released."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """What the database remembers, to notice a changed file."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrate(owner_conninfo: str, access: Access) -> list[str]:
    """Migrates as owner and lets the login roles in. The names of what was applied."""
    try:
        with psycopg.connect(owner_conninfo, autocommit=True, application_name="veraz migrate") as connection:
            return _migrate(connection, access)
    except psycopg.OperationalError as error:
        raise errors.DatabaseUnavailable(reason=str(error).strip()) from error
    except psycopg.Error as error:
        raise errors.MigrationFailed(reason=str(error).strip()) from error


def prepare_roles(connection: Connection) -> None:
    """The roles policies name, before a copy of the schema is loaded."""
    connection.execute("create schema if not exists veraz")
    connection.execute((_HERE / "always" / "1_roles.sql").read_text(encoding="utf-8"))


def pending(applied: Mapping[int, str]) -> list[Migration]:
    """What still has to run, after checking that what ran has not been rewritten."""
    known = known_migrations()
    for migration in known:
        if migration.number in applied and applied[migration.number] != migration.checksum:
            raise errors.MigrationFailed(
                reason=f"migration {migration.name} was changed after it was applied"
            )
    newest = max((m.number for m in known), default=0)
    if ahead := [n for n in applied if n > newest]:
        raise errors.MigrationFailed(
            reason=f"the database is newer than this program (migration {max(ahead)})"
        )
    return [m for m in known if m.number not in applied]


def known_migrations() -> list[Migration]:
    """The numbered files, in order."""
    return [
        Migration(number=int(path.name.split("_")[0]), name=path.stem, text=path.read_text(encoding="utf-8"))
        for path in sorted((_HERE / "migrations").glob("[0-9]*.sql"))
    ]


def _migrate(connection: Connection, access: Access) -> list[str]:
    _check_server(connection)
    _die_with_us(connection)
    _take_lock(connection)
    try:
        connection.execute("create schema if not exists veraz")
        connection.execute(
            "create table if not exists veraz.migration (number int primary key, name text not null, "
            "checksum text not null, applied_at timestamptz not null default now())"
        )
        rows = connection.execute("select number, checksum from veraz.migration where number >= 0").fetchall()
        done = [_apply(connection, migration) for migration in pending(dict(rows))]
        _apply_always(connection)
        _let_in(connection, access)
        refuse_temporary_objects(connection, connection.info.dbname)
        return done
    finally:
        connection.execute("select pg_advisory_unlock(%s)", (_LOCK,))


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < _MINIMUM_POSTGRES:
        raise errors.MigrationFailed(
            reason=f"PostgreSQL ≥ 15 is needed, this is {connection.info.server_version // 10000}"
        )
    row = connection.execute(
        "select default_version from pg_available_extensions where name = 'vector'"
    ).fetchone()
    if row is None or tuple(int(n) for n in row[0].split(".")[:2]) < _MINIMUM_VECTOR:
        raise errors.MigrationFailed(reason="the pgvector extension ≥ 0.8 must be installed on the server")


def _die_with_us(connection: Connection) -> None:
    """If we are killed, the server lets go of the lock at once instead of finishing a long statement first."""
    with suppress(psycopg.DataError):  # not every platform's server can notice
        connection.execute("set client_connection_check_interval = '1s'")


def _take_lock(connection: Connection, seconds: float = 60) -> None:
    """Waits for another migrator without holding a transaction open."""
    deadline = time.monotonic() + seconds
    while True:
        row = connection.execute("select pg_try_advisory_lock(%s)", (_LOCK,)).fetchone()
        if row and row[0]:
            return
        if time.monotonic() > deadline:
            raise errors.MigrationFailed(reason="another process has been migrating for over a minute")
        time.sleep(0.1)


def _apply(connection: Connection, migration: Migration) -> str:
    log.info("migration_started", migration=migration.name)
    with connection.transaction():
        connection.execute("set local lock_timeout = '10s'")
        connection.execute(migration.text)
        connection.execute(
            "insert into veraz.migration (number, name, checksum) values (%s, %s, %s)",
            (migration.number, migration.name, migration.checksum),
        )
    return migration.name


def _apply_always(connection: Connection) -> None:
    """Roles, functions, triggers, policies and grants, in one transaction, when any of their files changed."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((_HERE / "always").glob("*.sql")))
    stamp = text + "".join(m.checksum for m in known_migrations())
    always = Migration(number=-1, name="always", text=stamp)
    row = connection.execute("select checksum from veraz.migration where number = -1").fetchone()
    if row and row[0] == always.checksum and _roles_exist(connection):
        return
    with connection.transaction():
        connection.execute("set local lock_timeout = '10s'")
        connection.execute(text)
        connection.execute(
            "insert into veraz.migration (number, name, checksum) values (-1, 'always', %s) "
            "on conflict (number) do update set checksum = excluded.checksum, applied_at = now()",
            (always.checksum,),
        )


def _roles_exist(connection: Connection) -> bool:
    row = connection.execute(
        "select count(*) from pg_roles where rolname = any (%s)", (list(LOGIN_ROLES),)
    ).fetchone()
    return bool(row and row[0] == len(LOGIN_ROLES))


def refuse_temporary_objects(connection: Connection, database: str) -> None:
    """A temporary table, type or domain would wait on the connection for whoever uses it next. No copy of a database keeps this."""
    connection.execute(
        sql.SQL("revoke temporary, create on database {} from public").format(sql.Identifier(database))
    )


def _let_in(connection: Connection, access: Access) -> None:
    """A role may always change its own password and settings; what an injection left there ends here."""
    here = sql.Identifier(connection.info.dbname)
    for name, password in access.passwords.items():
        role = sql.Identifier(name)
        connection.execute(sql.SQL("alter role {} password {}").format(role, sql.Literal(password)))
        connection.execute(sql.SQL("alter role {} reset all").format(role))
        connection.execute(sql.SQL("alter role {} in database {} reset all").format(role, here))
    if access.scope_key:
        connection.execute(
            "insert into veraz.scope_key (inner_key, outer_key) values (%s, %s) "
            "on conflict (id) do update set inner_key = excluded.inner_key, outer_key = excluded.outer_key",
            access.padded_keys(),
        )
