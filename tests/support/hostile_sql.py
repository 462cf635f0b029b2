"""The catalogue of hostile SQL: what somebody would try who has an injection into a connection of ours.

Nothing here is written for one table or function: the statements are made from what the catalogue of the database lists, so
that a table or function made tomorrow is attacked too. What each may give is not written here; nothing ever may.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from veraz.db.access import LOGIN_ROLES

if TYPE_CHECKING:
    from tests.support.hostile_world import Column, HostileWorld, belongs
    from tests.support.isolation_model import Row
else:
    from support.hostile_world import belongs

    Column = HostileWorld = Row = object

_ROLES = (*LOGIN_ROLES, "veraz_search", "veraz_ledger", "veraz_gate", "veraz_owner", "postgres", "pg_read_all_data",
          "pg_write_all_data", "pg_execute_server_program", "pg_read_server_files", "pg_monitor")  # fmt: skip
_SAMPLES = {
    "text": ("secret", "read", "manager", "es"),
    "text[]": ("{secret,es}",),
    "jsonb": ("{}", '{"document_ids": null}'),
    "boolean": ("true", "false"),
    "integer": ("100",),
    "integer[]": ("{1}",),
    "bigint": ("1", "100"),
    "bigint[]": ("{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40}",),
    "double precision": ("0",),
    "numeric": ("0",),
    "interval": ("1 day", "-1 day"),
    "bytea": ("\\x00",),
    "vector": ("[1,1,1,1,1,1,1,1]",),
    "vector[]": ('{"[1,1,1,1,1,1,1,1]"}',),
    "sparsevec": ("{1:1}/536870912",),
    "sparsevec[]": ('{"{1:1}/536870912"}',),
    "tsquery": ("secret",),
}  # fmt: skip
_ID_OF = {"kb": "knowledge_base", "owner": "app_user", "user": "app_user", "member": "app_user", "rag": "knowledge_base",
          "key": "api_key", "number": "whatsapp_number", "contact": "whatsapp_contact"}  # fmt: skip


def readings(world: HostileWorld) -> Iterator[str]:
    """Every table, read in every way there is to read one."""
    for table, columns in world.tables.items():
        yield from _whole(table)
        yield from (f"select {column.name} from veraz.{table}" for column in columns if column.is_secret)
        whose = belongs(columns)
        if whose:
            theirs = f"x.{whose} = '{world.theirs}'"
            yield f"select x::text, to_jsonb(x) from veraz.{table} x where {theirs}"
            yield f"explain (analyze, verbose) select * from veraz.{table} x where {theirs}"
            # worked out for rows of others only, were it worked out before the policy
            yield f"select 1 from veraz.{table} x where case when {theirs} then x::text::int = 1 end"
            yield f"select 1 from veraz.{table} x where x::text !~ '.' or ({theirs} and x::text::int = 1)"
            yield f"select * from veraz.{table} x where {theirs} for update"
        yield f"select 1 from veraz.{table} x where x::text::int = 1"


def _whole(table: str) -> Iterator[str]:
    yield f"select * from veraz.{table}"
    yield f"select x::text from veraz.{table} x"
    yield f"select count(*), max(x::text), string_agg(x::text, ' ') from veraz.{table} x"
    yield f"copy veraz.{table} to stdout"
    yield f"copy (select * from veraz.{table}) to stdout"
    yield f"select table_to_xml('veraz.{table}', true, false, '')"
    yield f"select query_to_xml('select * from veraz.{table}', true, false, '')"
    yield f"set local row_security = off; select * from veraz.{table}"
    yield (
        f"do $$ declare r record; begin for r in select x.* from veraz.{table} x loop raise exception '%', r; end loop; end $$"
    )


def changes(world: HostileWorld) -> Iterator[str]:
    """Every table, written to in every way there is to write to one, at the expense of others."""
    for table, columns in world.tables.items():
        own = next(c.name for c in columns if not c.generated)
        yield f"truncate veraz.{table} cascade"
        if whose := belongs(columns):
            theirs = f"x.{whose} = '{world.theirs}'"
            yield f"update veraz.{table} x set {own} = {own} where {theirs}"
            yield f"update veraz.{table} x set {whose} = '{world.theirs}'"
            yield f"update veraz.{table} set {whose} = {whose}"
            yield f"delete from veraz.{table} x where {theirs}"
            yield f"with gone as (delete from veraz.{table} returning *) select gone::text from gone"
        else:
            yield f"update veraz.{table} set {own} = {own}"
            yield f"delete from veraz.{table}"
        if world.rows[table]:
            yield from _forged(table, columns, world.rows[table])


def _forged(table: str, columns: list[Column], row: dict[str, object]) -> Iterator[str]:
    """A row like one of theirs, new or in its place."""
    names = [c.name for c in columns if not c.generated]
    clean = json.dumps(row).replace("mark|", "forged|").replace("secret|", "forged|").replace("'", "''")
    same = json.loads(clean)
    new = same | ({"id": str(uuid4())} if isinstance(same.get("id"), str) else {})
    first = next(c.name for c in columns if not c.generated)
    for values in (new, same):
        into = (
            f"insert into veraz.{table} ({', '.join(names)}) overriding system value "
            f"select {', '.join('r.' + name for name in names)} "
            f"from jsonb_populate_record(null::veraz.{table}, '{json.dumps(values)}') r"
        )
        yield into
        yield f"{into} on conflict do nothing returning *"
    if key := [
        c.name for c in columns if c.is_key and c.name in ("id", "tenant_id", "kb_id", "chunk_id", "query_id")
    ][:1]:
        yield f"{into} on conflict ({key[0]}) do update set {first} = excluded.{first} returning *"


def calls(world: HostileWorld) -> Iterator[str]:
    """Every function of ours, with ids of others wherever it takes one, alone and among one's own."""
    for function in world.functions:
        choices = [_arguments(world, name, kind) for name, kind in function.arguments]
        given = list(product(*choices)) if _few(choices) else list(zip(*_as_long(choices), strict=True))
        for values in given:
            listed = ", ".join(
                f"{_quoted(value)}::{_plain_type(kind)}"
                for value, (_, kind) in zip(values, function.arguments, strict=True)
            )
            yield f"select f.* from {function.schema}.{function.name}({listed}) f"


def argument(world: HostileWorld, name: str, kind: str) -> tuple[str, ...]:
    """Values for a parameter of any query, as they stand in its text: theirs, then one's own."""
    values = _arguments(world, name, kind.replace("public.", ""))
    return tuple(f"{_quoted(value)}::{kind}" for value in values)


def _few(choices: list[tuple[str | None, ...]]) -> bool:
    number = 1
    for choice in choices:
        number *= max(1, len(choice))
    return number <= 24


def _as_long(choices: list[tuple[str | None, ...]]) -> list[list[str | None]]:
    longest = max(len(choice) for choice in choices)
    return [[choice[i % len(choice)] for i in range(longest)] for choice in choices]


def _arguments(world: HostileWorld, name: str, kind: str) -> tuple[str | None, ...]:
    if kind in ("uuid", "uuid[]"):
        ids = _ids(world, name)
        if kind == "uuid":
            return (*ids, None) if name.removeprefix("p_") == "after" else tuple(ids)
        return None, "{" + ",".join(ids) + "}", "{" + ids[0] + "}"
    if kind == "anyelement":
        return ("x",)
    return _SAMPLES.get(kind, (None,))


def _ids(world: HostileWorld, name: str) -> list[str]:
    """Ids that such a parameter takes: theirs first, then one's own."""
    word = name.removeprefix("p_").removesuffix("_ids").removesuffix("_id").removesuffix("s")
    table = _ID_OF.get(word, word)
    of: dict[str, Mapping[UUID, Row]] = {
        "knowledge_base": world.world.kbs, "agent": world.world.agents, "app_user": world.world.users,
        "project": world.world.projects, "conversation": world.world.conversations, "api_key": world.world.keys,
        "whatsapp_number": world.world.numbers,
    }  # fmt: skip
    documents = world.world.documents.values()
    if table in ("document", "chunk"):
        mixed = [(d.tenant, d.id if table == "document" else d.chunk) for d in documents]
    elif table in of:
        mixed = [(row.tenant, row.id) for row in of[table].values()]
    else:
        mixed = [(row.tenant, row.id) for rows in of.values() for row in list(rows.values())[::3]]
    theirs: list[UUID] = [id for tenant, id in mixed if tenant != world.mine]
    own = [id for tenant, id in mixed if tenant == world.mine]
    return [str(id) for id in (*theirs[:8], *own[:3])]


def _plain_type(kind: str) -> str:
    return (
        "text"
        if kind == "anyelement"
        else f"public.{kind}"
        if kind.startswith(("vector", "sparsevec"))
        else kind
    )


def _quoted(value: str | None) -> str:
    return "null" if value is None else "'" + value.replace("'", "''") + "'"


def becoming() -> Iterator[str]:
    """Somebody else: another role, another session, other settings."""
    for role in _ROLES:
        yield f"set role {role}"
        yield f"set session authorization {role}"
        yield f"select set_config('role', '{role}', true)"
        yield f"select set_config('session_authorization', '{role}', true)"
        yield f"grant {role} to current_user"
        yield f"alter role {role} superuser"
        yield f"alter role {role} bypassrls"
        yield f"alter role {role} password 'mine'"
        yield f"reassign owned by {role} to current_user"
    yield "reset session authorization"
    yield "reset role"
    yield "create role mine superuser login"
    yield "create user mapping for current_user server mine"
    for name, value in (
        ("session_replication_role", "replica"), ("row_security", "off"), ("default_transaction_read_only", "off"),
        ("log_statement", "all"), ("session_preload_libraries", "x"), ("local_preload_libraries", "x"),
        ("dynamic_library_path", "/tmp"), ("is_superuser", "on"), ("allow_system_table_mods", "on"),
    ):  # fmt: skip
        yield f"set local {name} = '{value}'"
        yield f"select set_config('{name}', '{value}', true)"
    for name in (
        "tenant_id",
        "user_id",
        "role",
        "machine_id",
        "key_id",
        "key_level",
        "platform",
        "scope",
        "worker",
    ):
        for value in ("on", "admin", "worker", "null", "*"):
            yield f"set local veraz.{name} = '{value}'"


def making(world: HostileWorld) -> Iterator[str]:
    """New objects that shadow ours, change them, or wait for the next caller; and the wall taken down."""
    for place in ("pg_temp", "public", "veraz", "pg_catalog", "information_schema"):
        yield f"create table {place}.app_user (id uuid)"
        yield f"create view {place}.spy as select * from veraz.app_user"
        yield f"create function {place}.current_tenant() returns uuid language sql return '{world.theirs}'::uuid"
        yield f"create function {place}.set_config(text, text, boolean) returns text language sql return 'x'"
        yield f"create function {place}.spy(x text) returns boolean language plpgsql cost 0.0001 as $$ begin raise notice '%', x; return true; end $$"
        yield f"create operator {place}.= (leftarg = uuid, rightarg = uuid, function = pg_catalog.uuid_ne)"
        yield f"create type {place}.caller as (login name)"
        yield f"create domain {place}.mine as text"
        yield f"create sequence {place}.mine"
        yield f"create cast (uuid as {place}.caller) without function"
        yield f"set local search_path = {place}, veraz; create table chunk (id uuid)"
    yield "create schema mine"
    yield "create temp table app_user as select * from veraz.app_user"
    yield "create temporary view app_user as select 1"
    yield "create extension dblink"
    yield "create extension postgres_fdw"
    yield "create extension plpython3u"
    yield "create language c"
    yield "create event trigger mine on ddl_command_start execute function veraz.audit()"
    yield "create publication mine for all tables"
    yield "create subscription mine connection 'host=127.0.0.1' publication mine"
    yield "create server mine foreign data wrapper postgres_fdw"
    yield "create database mine template template0"
    yield "create tablespace mine location '/tmp'"
    yield "alter default privileges in schema veraz grant all on tables to public"
    yield "alter system set row_security = off"
    yield "alter database template1 set row_security = off"
    yield "do $$ begin execute format('alter database %I set search_path = public', current_database()); end $$"
    for role in LOGIN_ROLES:
        yield f"alter role {role} set veraz.scope = 'x'"
        yield f"alter role {role} reset all"
    for table in world.tables:
        yield from _taken_down(table)
    for function in world.functions:
        name = function.signature if "." in function.signature else f"public.{function.signature}"
        yield f"alter function {name} security definer"
        yield f"alter function {name} owner to current_user"
        yield f"alter function {name} reset all"
        yield f"grant execute on function {name} to public"
        yield f"drop function {name} cascade"


def _taken_down(table: str) -> Iterator[str]:
    yield f"alter table veraz.{table} disable row level security"
    yield f"alter table veraz.{table} no force row level security"
    yield f"alter table veraz.{table} disable trigger all"
    yield f"alter table veraz.{table} owner to current_user"
    yield f"alter table veraz.{table} add column mine text"
    yield f"drop table veraz.{table} cascade"
    yield f"create policy mine on veraz.{table} using (true)"
    yield f"drop policy wall on veraz.{table}"
    yield f"alter policy wall on veraz.{table} using (true)"
    yield f"grant all on veraz.{table} to public"
    yield f"create trigger mine before insert on veraz.{table} for each row execute function veraz.audit()"
    yield f"create rule mine as on insert to veraz.{table} do instead nothing"
    yield f"create index on veraz.{table} ((1))"
    yield f"create statistics mine on tenant_id, id from veraz.{table}"
    yield f"create table public.child () inherits (veraz.{table})"
    yield f"comment on table veraz.{table} is 'mine'"
    yield f"cluster veraz.{table}"
    yield f"refresh materialized view veraz.{table}"
    yield f"security label on table veraz.{table} is 'mine'"


def outside() -> Iterator[str]:
    """Files, programs, networks, large objects, other sessions: whatever lies outside our tables."""
    yield from (
        "copy (select 1) to '/tmp/veraz-mine'", "copy (select 1) to program 'id'",
        "create table pg_temp.t (x text); copy pg_temp.t from '/etc/passwd'", "copy veraz.project from program 'id'",
        "select pg_read_file('/etc/passwd')", "select pg_read_binary_file('PG_VERSION')", "select pg_ls_dir('/')",
        "select * from pg_stat_file('/etc/passwd')", "select lo_import('/etc/passwd')", "select lo_export(1, '/tmp/x')",
        "select pg_ls_logdir()", "select pg_ls_waldir()", "select pg_current_logfile()", "load '/tmp/mine.so'",
        "select lo_create(4242)", "select lo_from_bytea(4243, 'x')", "select lo_creat(-1)", "select lo_unlink(4242)",
        "select pg_reload_conf()", "select pg_rotate_logfile()", "select pg_switch_wal()", "select pg_promote()",
        "select pg_create_restore_point('x')", "select pg_backup_start('x')", "checkpoint",
        "select pg_create_physical_replication_slot('x')", "select pg_logical_emit_message(true, 'x', 'y')",
        "select * from pg_logical_slot_get_changes('x', null, null)",
        "select pg_import_system_collations('pg_catalog')", "select pg_stat_reset()", "select pg_stat_reset_shared('io')",
        "select pg_nextoid('pg_class', 'oid', 'pg_class_oid_index')", "select pg_log_backend_memory_contexts(1)",
        "select pg_replication_origin_create('x')", "select rolpassword from pg_authid", "select passwd from pg_shadow",
        "select * from pg_hba_file_rules", "select * from pg_file_settings", "select * from pg_largeobject",
        "select * from pg_user_mapping", "select * from pg_statistic", "select * from pg_statistic_ext_data",
        "select * from pg_subscription", "select pg_notify('veraz_job', 'x')", "listen veraz_event; listen veraz_job",
        "select database_to_xml(true, false, '')", "select schema_to_xml('veraz', true, false, '')",
        "select * from dblink('select 1') as t(x int)", "vacuum full veraz.app_user",
    )  # fmt: skip


def catalogues(owner_tables: list[str]) -> Iterator[str]:
    """What PostgreSQL tells about itself, the sessions and statistics of others included."""
    for table in owner_tables:
        yield f"select string_agg(x::text, ' ') from {table} x"


def stopping(pids: list[int]) -> Iterator[str]:
    """Ending what others are doing."""
    for pid in pids:
        yield f"select pg_cancel_backend({pid})"
        yield f"select pg_terminate_backend({pid})"


def forged(signed: str, world: HostileWorld) -> Iterator[str]:
    """A genuine scope, altered: every field, the signature, and what is written around it."""
    signature, row = signed[:64], signed[64:]
    for old, new in (
        (str(world.mine), str(world.theirs)), ("admin", "worker"), ("member", "admin"), ("service", "admin"),
        (",f)", ",t)"), (",f,", ",t,"), ("2026", "2099"), ("veraz_app", "veraz_worker"), ("(", "( "), (")", ",)"), ("m1", "m2"),
    ):  # fmt: skip
        if old in row:
            yield signature + row.replace(old, new)
    yield signature.upper() + row
    yield signature[::-1] + row
    yield "0" * 64 + row
    yield signature[:63] + row
    yield row
    yield signed + " "
    yield " " + signed
    yield signed[:-1]
    yield signature
    yield signature + signature + row
    yield "x" * 100_000
    yield "(veraz_app,2099-01-01," + str(world.theirs) + ",,admin,,t,,,,t)"
    yield '"' + signed + '"'
