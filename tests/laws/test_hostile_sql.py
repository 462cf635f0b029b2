"""A law: injected SQL gets nothing of another company, changes nothing of theirs, and reads no secret.

Whatever runs on our connections, as each login role, without a scope and within a genuine one of one company. The catalogue
is in support/hostile_sql.py, the world and what counts as a sight of others in support/hostile_world.py. Each kind of
attack is shown to be seen, where it succeeds, by taking down a piece of the wall first.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from veraz.db.access import LOGIN_ROLES
from veraz.db.migrate import refuse_temporary_objects
from veraz.db.scope import NOBODY, Scope, Signer

if TYPE_CHECKING:
    from tests.support import hostile_sql as h
    from tests.support.access import ACCESS
    from tests.support.hostile_world import (
        BELL,
        Attacker,
        HostileWorld,
        alarms,
        attackers,
        build,
        functions_of,
    )
else:
    from support import hostile_sql as h
    from support.access import ACCESS
    from support.hostile_world import BELL, Attacker, HostileWorld, alarms, attackers, build, functions_of

Owner = Connection[TupleRow]

MAY_SEE = {
    ("veraz_platform", "the platform"): {"tenant"},
    ("veraz_queue", "nobody"): {"job", "vector_outbox", "tenant"},
    ("veraz_worker", "a worker"): {
        "webhook.secret_sealed",
        "webhook.previous_sealed",
        "whatsapp_number.access_token_sealed",
    },
}
"""What is not one company's affair: the platform knows its tenants; the queue hands out their jobs. A worker signs and sends
what its own company's secrets are for; it finds them sealed."""
MAY_CHANGE = {
    ("veraz_platform", "the platform"): {"tenant", "plan", "audit_entry"},
    ("veraz_queue", "nobody"): {"job", "vector_outbox", "vector_home"},
}


@pytest.fixture(scope="module")
def stage_url(server_url: str, template_url: str) -> Iterator[str]:
    """Owner's address of a database that all attacks share, because they leave it as it was."""
    template = str(conninfo_to_dict(template_url)["dbname"])
    name = f"{template}_hostile"
    copy = sql.SQL("create database {} template {} strategy file_copy").format(
        sql.Identifier(name), sql.Identifier(template)
    )
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(copy)
        refuse_temporary_objects(server, name)
        yield make_conninfo(server_url, dbname=name)
        server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def owner(stage_url: str) -> Iterator[Owner]:
    """Behind the walls."""
    with psycopg.connect(stage_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def world(owner: Owner) -> HostileWorld:
    """Two companies, marked, with the tripwire hung up."""
    return build(owner)


class Hands:
    """One attacker's connection. What it does is undone; what it saw is told."""

    def __init__(self, stage_url: str, owner: Owner, world: HostileWorld, attacker: Attacker) -> None:
        self.owner, self.world, self.attacker = owner, world, attacker
        self.connection = psycopg.connect(ACCESS.address(stage_url, attacker.role), autocommit=True)
        self.connection.prepare_threshold = None  # as our pools have it
        self.signer = Signer(ACCESS.scope_key, attacker.role)
        self.scope: str | None = None
        """A scope of another's making, instead of the genuine one."""
        self.heard: list[str] = []
        self.connection.add_notice_handler(lambda told: self.heard.append(str(told.message_primary)))
        self.attempts = 0

    @cached_property
    def standing(self) -> TupleRow | None:
        """What stands in the catalogue before anything is tried."""
        return self.connection.execute(_STANDING).fetchone()

    def run(self, statements: Iterable[str], *, then: str = "") -> Iterator[str]:
        """What the statements gave away or changed, told with the statement. `then`: what is run after each."""
        for statement in statements:
            self.attempts += 1
            said = self.attempt(statement, then)
            for place in self._places(statement, said):
                yield f"{self.attacker}: {statement[:400]} → saw what stands in {place}"
            if BELL in self.heard:
                yield from self._rung(statement)
        yield from self._rung("one of the statements, silently")

    def _rung(self, statement: str) -> Iterator[str]:
        for table in alarms(self.owner) - MAY_CHANGE.get(self._who, set()):
            yield f"{self.attacker}: {statement[:400]} → changed {table}"

    @property
    def _who(self) -> tuple[str, str]:
        return self.attacker.role, self.attacker.name

    def attempt(self, statement: str, then: str = "") -> str:
        """Everything PostgreSQL said to a statement within the scope: rows, errors, notices."""
        self.heard.clear()
        said = []
        try:
            with self.connection.pipeline():
                self.connection.execute("begin")
                scope = self.signer.sign(self.attacker.scope) if self.scope is None else self.scope
                self.connection.execute("select set_config('veraz.scope', %s, true)", (scope,))
            said.append(self._say(statement))
            said.append(self._say(then))
        except psycopg.Error as error:
            d = error.diag
            said.append(f"{d.message_primary} {d.message_detail} {d.message_hint} {d.context}")
        finally:
            self.connection.execute("rollback")
        return " ".join((*said, *self.heard))

    def succeeds(self, statement: str) -> bool:
        """Whether PostgreSQL does it and anything stands otherwise after it than before."""
        self.heard.clear()
        before = self.standing
        try:
            self.connection.execute("begin")
            self.connection.execute(statement.encode())
            if any(told.startswith("no privileges were granted") for told in self.heard):
                return False
            return self.connection.execute(_STANDING).fetchone() != before
        except psycopg.Error:
            return False
        finally:
            self.connection.execute("rollback")

    def _say(self, statement: str) -> str:
        if not statement:
            return ""
        cursor = self.connection.cursor()
        if statement.startswith("copy") and "stdout" in statement:
            with cursor.copy(statement.encode()) as copy:
                return b"".join(bytes(part) for part in copy).decode()
        cursor.execute(statement.encode())
        said = []
        while True:
            if cursor.description:
                said += [_text(value) for row in cursor.fetchall() for value in row]
            if not cursor.nextset():
                return "\n".join(said)

    def _places(self, statement: str, said: str) -> set[str]:
        """Where it stands what was seen. An explained statement is repeated, which says nothing new."""
        allowed = MAY_SEE.get(self._who, set())
        echo = statement if statement.startswith("explain") else ""
        sights = self.world.seen_by(self.attacker, said)
        return {", ".join(sorted(s.places)) for s in sights if not s.places & allowed and s.text not in echo}


def _text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


_STANDING = """
    select md5(string_agg(x, '' order by x)) from (
        select (oid, relname, relnamespace, relowner, relrowsecurity, relforcerowsecurity, relacl, relhasrules)::text from pg_class
        union all select (oid, proname, pronamespace, proowner, prosecdef, proconfig, proacl)::text from pg_proc
        union all select x::text from pg_policy x union all select (oid, tgrelid, tgenabled)::text from pg_trigger
        union all select x::text from pg_namespace x union all select x::text from pg_auth_members x
        union all select x::text from pg_roles x union all select (oid, typname)::text from pg_type
        union all select oid::text from pg_operator union all select oid::text from pg_cast
        union all select x::text from pg_extension x union all select x::text from pg_language x
        union all select x::text from pg_largeobject_metadata x union all select x::text from pg_db_role_setting x
        union all select (datname, datacl)::text from pg_database union all select oid::text from pg_rewrite
        union all select oid::text from pg_statistic_ext union all select oid::text from pg_tablespace
    ) s (x)"""
_PROBE = "; ".join(
    f"select x::text from veraz.{table} x"
    for table in ("tenant", "app_user", "document", "chunk", "message", "vector_outbox")
)
"""What is read after an attempt to become somebody else."""


@contextmanager
def hands(stage_url: str, owner: Owner, world: HostileWorld, attacker: Attacker) -> Iterator[Hands]:
    """A connection for one attack."""
    alarms(owner)
    attack = Hands(stage_url, owner, world, attacker)
    try:
        yield attack
    finally:
        attack.connection.close()


Everybody = Callable[..., list[str]]


@pytest.fixture
def everybody(stage_url: str, owner: Owner, world: HostileWorld) -> Iterator[Everybody]:
    """Runs statements as every attacker; the findings."""
    attempts = 0

    def run(statements: Callable[[], Iterable[str]], *, then: str = "") -> list[str]:
        nonlocal attempts
        found: list[str] = []
        for attacker in attackers(world.world):
            with hands(stage_url, owner, world, attacker) as attack:
                found += attack.run(statements(), then=then)
                attempts += attack.attempts
        return found

    yield run
    print(f"hostile SQL: {attempts} statements")


def test_nobody_reads_what_is_not_theirs(world: HostileWorld, everybody: Everybody) -> None:
    assert not everybody(lambda: h.readings(world))


def test_nobody_changes_what_is_not_theirs(world: HostileWorld, everybody: Everybody) -> None:
    assert not everybody(lambda: h.changes(world))


def test_no_function_answers_about_others(world: HostileWorld, everybody: Everybody) -> None:
    assert not everybody(lambda: h.calls(world))


def test_nobody_becomes_somebody_else(everybody: Everybody) -> None:
    assert not everybody(h.becoming, then=_PROBE)


def test_the_rest_of_the_server_tells_nothing_of_others(
    stage_url: str, owner: Owner, world: HostileWorld
) -> None:
    """Neither the sessions of others, with what they are at, nor statistics, settings, files."""
    listed = owner.execute(
        "select oid::regclass::text from pg_class where relkind in ('r', 'v') "
        "and relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) order by 1"
    ).fetchall()
    owner.execute("analyze")
    relations = [str(row[0]) for row in listed]
    found: list[str] = []
    with at_work(stage_url, world):
        for attacker in _one_of_each_role(world):
            with hands(stage_url, owner, world, attacker) as attack:
                found += attack.run([*h.catalogues(relations), *h.outside()])
    assert not found


@contextmanager
def at_work(stage_url: str, world: HostileWorld) -> Iterator[list[int]]:
    """Sessions of each role in the middle of work for the other company; their processes."""
    sessions = [psycopg.connect(ACCESS.address(stage_url, role), autocommit=True) for role in LOGIN_ROLES]
    mark = f"mark|{world.theirs}|statement||"
    for session in sessions:
        session.execute("begin")
        signer = Signer(ACCESS.scope_key, session.info.user)
        session.execute(
            "select set_config('veraz.scope', %s, true)",
            (signer.sign(Scope(tenant_id=world.theirs, role="admin")),),
        )
        session.execute(
            "select %s::text, pg_advisory_xact_lock(%s)", (mark, uuid4().int % 1000), prepare=True
        )
        session.execute("declare mine cursor for select %s::text", (mark,))
    yield [session.info.backend_pid for session in sessions]
    for session in sessions:
        session.close()


def test_nobody_makes_or_takes_down_anything(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    done = []
    for attacker in _one_of_each_role(world):
        with hands(stage_url, owner, world, attacker) as attack:
            statements = (*h.making(world), *h.becoming(), *h.outside())
            done += [f"{attacker}: {statement}" for statement in statements if attack.succeeds(statement)]
    assert not done


def test_nobody_stops_what_others_are_doing(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    if owner.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() != (True,):
        pytest.skip("only a superuser can take this right from everybody")
    with at_work(stage_url, world) as processes:
        for attacker in _one_of_each_role(world):
            with hands(stage_url, owner, world, attacker) as attack:
                for statement in h.stopping(processes):
                    attack.attempt(statement)
        living = "select count(*) from pg_stat_activity where pid = any (%s)"
        assert owner.execute(living, (processes,)).fetchone() == (len(processes),)


def _one_of_each_role(world: HostileWorld) -> list[Attacker]:
    """As far as a scope makes no difference: what a role may do on the server."""
    return list({attacker.role: attacker for attacker in attackers(world.world)}.values())


def test_no_forged_or_borrowed_scope_is_believed(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    found: list[str] = []
    for role in LOGIN_ROLES:
        nobody = Attacker(role=role, name="nobody")
        genuine = [a for a in attackers(world.world) if a.scope != NOBODY]
        for borrowed in genuine:
            with hands(stage_url, owner, world, nobody) as attack:
                for attack.scope in _false_scopes(world, role, borrowed):
                    found += attack.run(["select * from veraz.scope()"], then=_PROBE)
    assert not found


def _false_scopes(world: HostileWorld, role: str, borrowed: Attacker) -> Iterator[str]:
    genuine = Signer(ACCESS.scope_key, role)
    yield from h.forged(genuine.sign(borrowed.scope), world)
    for other in LOGIN_ROLES:
        if other != role:
            yield Signer(ACCESS.scope_key, other).sign(borrowed.scope)
    for key in (b"", b"\0" * 64, b"veraz", ACCESS.scope_key[:-1], ACCESS.scope_key + b"x"):
        yield Signer(key, role).sign(borrowed.scope)
    genuine.set_clock(time.time() - 3600)
    yield genuine.sign(borrowed.scope)


# That it is seen, where the wall has a hole.


def test_a_hole_in_the_wall_is_seen(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    admin = next(a for a in attackers(world.world) if a.name == "an admin")
    with holes(owner, world), hands(stage_url, owner, world, admin) as attack:
        found = {told.split("→ ")[1] for told in attack.run(h.readings(world)) if "veraz.project " in told}
        assert "saw what stands in project" in found
        changed = {told.split("→ ")[1] for told in attack.run(h.changes(world))}
        assert "changed project" in changed
        called = {told for told in attack.run(h.calls(world)) if "from veraz.leaky(" in told}
        assert called
        assert attack.succeeds("create table veraz.mine (id uuid)")


def test_a_secret_that_is_read_is_seen(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    signin = Attacker(role="veraz_signin", name="nobody")
    with holes(owner, world), hands(stage_url, owner, world, signin) as attack:
        found = {told.split("→ ")[1] for told in attack.run(h.readings(world))}
    assert found == {"saw what stands in scope_key.inner_key", "saw what stands in scope_key.outer_key"}


@contextmanager
def holes(owner: Owner, world: HostileWorld) -> Iterator[None]:
    """The wall of one table open, one function that asks nobody, one grant too many of each kind."""
    wall = "(tenant_id = (select veraz.current_tenant()))"
    owner.execute("alter policy wall on veraz.project using (true) with check (true)")
    owner.execute("create policy hole on veraz.project to veraz_app using (true) with check (true)")
    owner.execute(
        "create function veraz.leaky(p_chunk_id uuid) returns text language sql security definer as "
        "$$ select content from veraz.chunk where id = p_chunk_id $$"
    )
    owner.execute("grant create on schema veraz to veraz_app")
    owner.execute("grant select on veraz.scope_key to veraz_signin")
    functions, world.functions = world.functions, functions_of(owner)
    try:
        yield
    finally:
        world.functions = functions
        owner.execute(f"alter policy wall on veraz.project using {wall} with check {wall}".encode())
        owner.execute("drop policy hole on veraz.project")
        owner.execute("drop function veraz.leaky")
        owner.execute("revoke create on schema veraz from veraz_app")
        owner.execute("revoke select on veraz.scope_key from veraz_signin")


def test_what_is_attacked_does_answer_its_own(stage_url: str, owner: Owner, world: HostileWorld) -> None:
    """Functions that only fail would keep every secret."""
    admin = next(a for a in attackers(world.world) if a.name == "an admin")
    with hands(stage_url, owner, world, admin) as attack:
        answers = {
            name
            for name in _ANSWERING
            for statement in h.calls(world)
            if f" veraz.{name}(" in statement and f"mark|{world.mine}|" in attack.attempt(statement)
        }
    assert answers == _ANSWERING


_ANSWERING = {"search", "readable_titles", "first_chunks"}
