"""Migrating under bad circumstances: at the same time, killed half-way, on a changed or newer database, as an owner
with few rights. It still ends well, or says why not, and loses nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db import migrate as migrations
from veraz.db.access import Access
from veraz.db.migrate import Migration, known_migrations, migrate
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.access import ACCESS
    from tests.support.isolation_sql import SqlAttack
    from tests.support.isolation_world import make_world, some_callers, store_world
    from tests.support.tcp_postgres import tcp_server
else:
    from support import isolation_model as m
    from support.access import ACCESS
    from support.isolation_sql import SqlAttack
    from support.isolation_world import make_world, some_callers, store_world
    from support.tcp_postgres import tcp_server

Owner = Connection[TupleRow]
PROGRAM = f"""
import sys
from veraz.db.access import Access
from veraz.db.migrate import migrate
migrate(sys.argv[1], Access(passwords={ACCESS.passwords!r}, scope_key={ACCESS.scope_key!r}))
"""
SLOW = """
import sys
from veraz.db import migrate as m
from veraz.db.access import Access
known = m.known_migrations()
slow = m.Migration(number=9000, name="9000_slow", text="create table veraz.half_done (id int); select pg_sleep(60)")
m.known_migrations = lambda: [*known, slow]
m.migrate(sys.argv[1], Access.closed())
"""


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """Owner's address of a database without anything in it."""
    database = f"veraz_empty_{os.getpid()}"
    name = sql.Identifier(database)
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(name))
        yield make_conninfo(server_url, dbname=database)
        connection.execute(sql.SQL("drop database {} with (force)").format(name))


def run(program: str, url: str) -> "subprocess.Popen[str]":
    """A process of its own, as a second `veraz` would be."""
    return subprocess.Popen(
        [sys.executable, "-c", program, url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def names(url: str) -> list[str]:
    """What was applied, in order."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "select name from veraz.migration where number > 0 order by number"
        ).fetchall()
    return [row[0] for row in rows]


def every_name() -> list[str]:
    """What has to be applied."""
    return [migration.name for migration in known_migrations()]


def test_numbers_are_unique_and_files_are_in_order() -> None:
    numbers = [migration.number for migration in known_migrations()]
    assert numbers == sorted(set(numbers))


def test_processes_that_migrate_at_the_same_time_take_turns(empty_url: str) -> None:
    crowd = [run(PROGRAM, empty_url) for _ in range(3)]
    said = [process.communicate(timeout=120)[0] for process in crowd]
    assert [process.returncode for process in crowd] == [0, 0, 0], said
    assert names(empty_url) == every_name()


def test_two_programs_started_on_the_same_empty_home_both_come_up(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    command = [sys.executable, "-m", "veraz", "migrate", "--home", str(tmp_path / "home")]
    crowd = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0] for process in crowd]
    assert [process.returncode for process in crowd] == [0, 0], said


def test_a_process_killed_half_way_leaves_nothing_and_holds_nobody_up(
    database_url: str, owner: Owner
) -> None:
    owner.execute("insert into veraz.tenant (id, name, plan) values (gen_random_uuid(), 'Kept', 'free')")
    process = run(SLOW, database_url)
    wait_until(owner, "select exists (select from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' "
               "and pid <> pg_backend_pid())")  # fmt: skip
    process.send_signal(signal.SIGKILL)
    process.communicate()
    began = time.monotonic()
    migrate(database_url, ACCESS)
    assert time.monotonic() - began < 20, "the dead process still held the lock"
    assert names(database_url) == every_name()
    assert owner.execute("select to_regclass('veraz.half_done')").fetchone() == (None,)
    assert owner.execute("select name from veraz.tenant").fetchall() == [("Kept",)]


def test_a_migrator_waits_for_the_one_before(database_url: str, owner: Owner) -> None:
    owner.execute("select pg_advisory_lock(%s)", (migrations._LOCK,))
    later = threading.Timer(0.5, lambda: owner.execute("select pg_advisory_unlock(%s)", (migrations._LOCK,)))
    later.start()
    assert migrate(database_url, ACCESS) == []
    later.join()


def test_it_goes_on_where_it_stopped_and_keeps_what_is_there(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = known_migrations()[:1]
    monkeypatch.setattr(migrations, "known_migrations", lambda: first)
    monkeypatch.setattr(migrations, "_apply_always", lambda connection: None)
    migrate(empty_url, Access.closed())
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute(
            "insert into veraz.tenant (id, name, plan) values (gen_random_uuid(), 'Kept', 'free')"
        )
        monkeypatch.undo()
        assert migrate(empty_url, ACCESS) == every_name()[1:]
        assert connection.execute("select name from veraz.tenant").fetchall() == [("Kept",)]


def test_a_failing_migration_says_why_and_leaves_nothing(
    database_url: str, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Migration(number=9001, name="9001_bad", text="create table veraz.half_done (id int); select 1 / 0")
    known = known_migrations()
    monkeypatch.setattr(migrations, "known_migrations", lambda: [*known, bad])
    with pytest.raises(errors.MigrationFailed, match="division by zero"):
        migrate(database_url, ACCESS)
    assert owner.execute("select to_regclass('veraz.half_done')").fetchone() == (None,)
    monkeypatch.undo()
    assert migrate(database_url, ACCESS) == []


def test_a_migration_changed_after_it_was_applied_is_noticed(database_url: str, owner: Owner) -> None:
    owner.execute("update veraz.migration set checksum = 'other' where number = 1")
    with pytest.raises(errors.MigrationFailed, match="0001_who was changed"):
        migrate(database_url, ACCESS)


def test_a_newer_database_is_left_alone(database_url: str, owner: Owner) -> None:
    owner.execute("insert into veraz.migration (number, name, checksum) values (9999, '9999_future', 'x')")
    with pytest.raises(errors.MigrationFailed, match="newer than this program"):
        migrate(database_url, ACCESS)


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(errors.DatabaseUnavailable):
        migrate("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2", Access.closed())


def test_policies_and_grants_that_somebody_loosened_are_put_right(database_url: str, owner: Owner) -> None:
    owner.execute("alter table veraz.document disable row level security")
    owner.execute("grant select on veraz.document to public")
    owner.execute("update veraz.migration set checksum = 'older' where number = -1")
    migrate(database_url, ACCESS)
    row = owner.execute(
        "select relrowsecurity, has_table_privilege('veraz_search', oid, 'insert') from pg_class "
        "where oid = 'veraz.document'::regclass"
    ).fetchone()
    assert row == (True, False)


async def test_an_owner_without_bypassrls_still_isolates(settings: Settings, tmp_path: Path) -> None:
    """Many hosts give no superuser and no BYPASSRLS. Then the definer functions are walled in like everybody."""
    with careful_host(tmp_path) as (superuser_url, owner_url):
        migrate(owner_url, ACCESS)
        with psycopg.connect(superuser_url, autocommit=True) as arrange:
            ours = "('veraz_app', 'veraz_worker', 'veraz_search', 'veraz_ledger', 'veraz_gate', 'limited')"
            free = f"select rolname from pg_roles where (rolbypassrls or rolsuper) and rolname in {ours}"
            assert arrange.execute(free.encode()).fetchall() == []
            app_url = ACCESS.address(owner_url, "veraz_app")
            await attack(arrange, app_url, settings)


@contextmanager
def careful_host(folder: Path) -> Iterator[tuple[str, str]]:
    """A server whose owner may create roles and databases and nothing else."""
    folder.chmod(0o711)
    with tcp_server(folder / "home", superuser=True) as superuser_url:
        with psycopg.connect(superuser_url, autocommit=True) as connection:
            connection.execute("create role limited login createrole nobypassrls password 'limited'")
            connection.execute("create database limited owner limited")
        in_limited = make_conninfo(superuser_url, dbname="limited")
        with psycopg.connect(in_limited, autocommit=True) as connection:
            connection.execute("create extension vector")
        yield in_limited, make_conninfo(in_limited, user="limited", password="limited")


async def attack(arrange: Owner, app_url: str, settings: Settings) -> None:
    """The isolation story's looks, searches and writes, with a few callers of each kind."""
    random = Random(11)
    world = make_world(random)
    store_world(arrange, world)
    config = settings.model_copy(update={"embedding_model": "fake:story@8"})
    async with Database(app_url, ACCESS, size=2) as db:
        callers = assemble(config, db).callers
        for caller in some_callers(world, random, 16):
            eyes = m.Eyes(world, caller)
            if eyes.refused():
                continue
            secret = caller.headers(world)["Authorization"].removeprefix("Bearer ")
            actor = await callers.authenticate(
                secret, external_user=caller.external, machine_id=caller.machine
            )
            assert not differences(app_url, world, eyes, actor.scope(), random), caller


def differences(app_url: str, world: m.World, eyes: m.Eyes, scope: Scope, random: Random) -> list[str]:
    """What happened against the model."""
    with psycopg.connect(app_url, autocommit=True) as connection:
        return list(SqlAttack(connection, world, eyes, scope, random).run(writes=2))


def wait_until(owner: Owner, query: str, seconds: float = 30) -> None:
    """Until the query says true."""
    until = time.monotonic() + seconds
    while (row := owner.execute(query.encode()).fetchone()) is None or not row[0]:
        assert time.monotonic() < until, query
        time.sleep(0.05)
