"""Transactions begin on a connection that works, whatever happened to the others."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope, Signer

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.access import ACCESS
else:
    from support.access import ACCESS

AT_ONCE = 3


async def who_works(db: Database) -> list[int]:
    """The servers' processes behind some connections used at once."""
    together = asyncio.Barrier(AT_ONCE)

    async def one() -> int:
        async with db.transaction() as tx:
            await together.wait()
            return int(await tx.value("select pg_backend_pid()"))

    return list(await asyncio.gather(*(one() for _ in range(AT_ONCE))))


async def test_connections_lost_while_nobody_used_them_are_passed_over(
    db: Database, owner: Connection[TupleRow]
) -> None:
    gone = await who_works(db)
    owner.execute("select pg_terminate_backend(pid, 5000) from unnest(%s::int[]) pid", (gone,))
    assert not set(await who_works(db)) & set(gone)


async def test_a_connection_lost_in_the_middle_is_told_and_not_tried_again(
    db: Database, owner: Connection[TupleRow]
) -> None:
    async def lose() -> None:
        async with db.transaction() as tx:
            pid = await tx.value("select pg_backend_pid()")
            owner.execute("select pg_terminate_backend(%s, 5000)", (pid,))
            await tx.run("select 1")

    with pytest.raises(errors.DatabaseUnavailable):
        await lose()


async def test_the_next_caller_inherits_nothing_of_the_last(db: Database) -> None:
    tenant = uuid4()
    async with db.transaction(Scope(tenant_id=tenant, role="admin")) as tx:
        assert await tx.value("select veraz.current_tenant()") == tenant
    async with db.transaction() as tx:
        assert await tx.value("select veraz.current_tenant()") is None


@pytest.mark.parametrize("name", ["o'brien", "c:\\new", "'; rollback; select '", 'ñ"$$%s%(x)s'])
async def test_a_caller_may_have_any_name(db: Database, name: str) -> None:
    async with db.transaction(Scope(tenant_id=uuid4(), machine_id=name)) as tx:
        assert await tx.value("select veraz.current_machine()") == name
        assert await tx.value("select veraz.current_tenant()") is not None


async def test_what_fails_leaves_nothing_behind(db: Database, make_tenant: "MakeTenant") -> None:
    admin = make_tenant().admin

    async def fail() -> None:
        async with db.transaction(admin) as tx:
            await tx.run("insert into veraz.project (id, name) values (%(id)s, 'left behind')", id=uuid4())
            await tx.run("select 1 / 0")

    with pytest.raises(errors.Invalid):
        await fail()
    async with db.transaction() as tx:
        assert await tx.value("select veraz.current_tenant()") is None
    async with db.transaction(admin) as tx:
        assert not await tx.values("select id from veraz.project where name = 'left behind'")


ASK = "select * from veraz.who_calls(veraz.as_caller(%(caller)s, %(tenant_id)s::uuid)) as tenant_id"


@pytest.fixture
def called(owner: Connection[TupleRow]) -> Iterator[None]:
    """A function that tells who it is called by, as those of the search see it."""
    owner.execute(
        """create or replace function veraz.who_calls(uuid) returns uuid language sql stable
           security definer set search_path = pg_catalog, pg_temp begin atomic select veraz.current_tenant(); end;
           grant execute on function veraz.who_calls(uuid) to veraz_app"""
    )
    yield
    owner.execute("drop function veraz.who_calls(uuid)")


@pytest.mark.usefixtures("called")
async def test_a_call_brings_its_caller_and_leaves_nothing_of_it_behind(db: Database) -> None:
    for tenant in (uuid4(), uuid4()):
        rows = await db.call(Scope(tenant_id=tenant, role="admin"), ASK, tenant_id=None)
        assert rows == [{"tenant_id": tenant}]
        async with db.transaction() as tx:
            assert await tx.value("select veraz.current_tenant()") is None


@pytest.mark.usefixtures("called")
async def test_a_call_that_does_not_say_who_is_calling_is_nobodys(db: Database) -> None:
    tenant = uuid4()
    nobodys = "select * from veraz.who_calls(%(tenant_id)s::uuid) as tenant_id"
    assert await db.call(Scope(tenant_id=tenant), nobodys, tenant_id=tenant) == [{"tenant_id": None}]


@pytest.mark.usefixtures("called")
async def test_a_call_passes_lost_connections_over_and_gives_back_what_it_took(
    db: Database, owner: Connection[TupleRow]
) -> None:
    gone = await who_works(db)
    owner.execute("select pg_terminate_backend(pid, 5000) from unnest(%s::int[]) pid", (gone,))
    tenant = uuid4()
    for _ in range(2 * db.pool.max_size):
        with pytest.raises(errors.Invalid):
            await db.call(Scope(tenant_id=tenant), "select 1 / %(by)s as none", by=0)
        assert await db.call(Scope(tenant_id=tenant), ASK, tenant_id=None) == [{"tenant_id": tenant}]


async def test_whoever_leaves_while_a_connection_is_given_back_takes_none_along(db: Database) -> None:
    for _ in range(3):
        call = asyncio.create_task(db.call(Scope(), "select pg_sleep(0.1)::text as slept"))
        await asyncio.sleep(0.05)
        async with db.pool._lock:  # somebody else is at the pool when the call comes to give back
            await asyncio.sleep(0.15)
            call.cancel()
            await asyncio.sleep(0.02)
        with pytest.raises(asyncio.CancelledError):
            await call
    await asyncio.sleep(0.1)
    held = db.pool.get_stats()
    assert held["pool_size"] == held["pool_available"]


async def test_a_call_that_kills_its_connection_is_tried_again_only_once(
    db: Database, owner: Connection[TupleRow]
) -> None:
    owner.execute("create sequence public.tries; grant usage on sequence public.tries to veraz_app")
    owner.execute("grant execute on function pg_terminate_backend(int, bigint) to veraz_app")
    kill = "select nextval('public.tries'), pg_terminate_backend(pg_backend_pid()), pg_sleep(5)::text"
    with pytest.raises(errors.DatabaseUnavailable):
        await db.call(Scope(), kill)
    tries = owner.execute("select last_value from public.tries").fetchone()
    owner.execute("drop sequence public.tries")
    assert tries == (2,)


LEFT_BEHIND = [
    "select set_config('search_path', 'public', false)",
    "select set_config('default_transaction_read_only', 'on', false)",
    "select set_config('row_security', 'off', false)",
    "select set_config('standard_conforming_strings', 'off', false)",
    "select set_config('hnsw.ef_search', '1', false)",
    "select set_config('veraz.scope', current_setting('veraz.scope'), false)",
    "select set_config('veraz.request_id', 'mine', false)",
    "prepare mine as select 1",
    "declare mine cursor with hold for select 1",
    "listen mine",
    "select pg_advisory_lock(1)",
]
STATE = """
    select array_agg(s.name || '=' || s.setting order by 1) filter (where s.source = 'session') || array_agg(p.name)
        || (select array_agg(name) from pg_cursors where is_holdable) || array(select pg_listening_channels())
        || (select array_agg(objid::text) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())
    from pg_settings s full join pg_prepared_statements p on false"""
"""What a session has that it did not begin with."""


@pytest.fixture
async def lone(app_url: str) -> AsyncIterator[Database]:
    """A pool of one connection, so that everybody gets the same."""
    async with Database(app_url, ACCESS, size=1) as database:
        yield database


@pytest.mark.parametrize("left", LEFT_BEHIND)
async def test_nothing_is_left_on_a_connection_for_the_next_caller(
    lone: Database, make_tenant: "MakeTenant", left: str
) -> None:
    one, other = make_tenant("One").admin, make_tenant("Other").admin
    async with lone.transaction(one) as tx:
        clean = await tx.value(STATE)
        await tx.run(left)
    async with lone.transaction(other) as tx:
        assert await tx.value("select veraz.current_tenant()") == other.tenant_id
        assert await tx.value(STATE) == clean
        await tx.run("insert into veraz.project (id, name) values (%(id)s, 'still writes')", id=uuid4())
    async with lone.transaction() as tx:
        assert await tx.value("select veraz.current_tenant()") is None


@pytest.mark.parametrize("left", [left for left in LEFT_BEHIND if left.startswith("select")])
async def test_a_call_leaves_nothing_either(lone: Database, make_tenant: "MakeTenant", left: str) -> None:
    one, other = make_tenant("One").admin, make_tenant("Other").admin
    async with lone.transaction(one) as tx:
        clean = await tx.value(STATE)
    await lone.call(one, left.replace("select ", "select veraz.as_caller(%(caller)s, ''::text), ", 1))
    async with lone.transaction(other) as tx:
        assert await tx.value(STATE) == clean
        await tx.run("insert into veraz.project (id, name) values (%(id)s, 'still writes')", id=uuid4())


async def test_what_fails_leaves_nothing_on_the_connection_either(lone: Database) -> None:
    async def fail() -> None:
        async with lone.transaction() as tx:
            await tx.value("select pg_advisory_lock(1)")
            await tx.run("select 1 / 0")

    with pytest.raises(errors.Invalid):
        await fail()
    async with lone.transaction() as tx:
        assert await tx.value("select count(*) from pg_locks where locktype = 'advisory'") == 0


async def test_whom_a_short_deadline_was_left_for_is_served_at_the_second_try(lone: Database) -> None:
    """A deadline of a millisecond may end even what takes it away; then the connection is cleaned or replaced."""
    await lone.call(NOBODY, "select set_config('statement_timeout', '1', false)")
    with suppress(errors.VerazError):
        async with lone.transaction() as tx:
            await tx.value("select pg_sleep(0.01)")
    async with lone.transaction() as tx:
        assert await tx.value("select pg_sleep(0.01)::text") == ""


async def test_a_scope_is_worth_nothing_a_minute_after_it_was_signed(
    lone: Database, make_tenant: "MakeTenant"
) -> None:
    signer = Signer(ACCESS.scope_key, "veraz_app")
    signer.set_clock(time.time() - 60)
    signed = signer.sign(make_tenant().admin)
    async with lone.transaction() as tx:
        await tx.value("select set_config('veraz.scope', %(signed)s, true)", signed=signed)
        with pytest.raises(psycopg.Error, match="expired"):
            await tx.value("select count(*) from veraz.project")


async def test_vectors_of_two_sizes_are_told_in_our_words(db: Database) -> None:
    """As when the model behind a name gives others than it did."""
    for statement in ("select '[1,2]'::vector <=> '[1,2,3]'::vector", "select '[1,2]'::vector(3)"):
        with pytest.raises(errors.EmbeddingChanged) as told:
            async with db.transaction() as tx:
                await tx.value(statement)
        assert "dimensions" not in str(told.value), "no words of PostgreSQL"
