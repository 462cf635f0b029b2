"""The world that hostile SQL is let loose on: two companies, a mark in everything one of them holds, and a tripwire.

Marks stand in every text of every table of the catalogue, so that whatever comes out of the database tells whose it was.
Secrets (hashes, sealed values, the key of scopes) are remembered as they are. The tripwire is a trigger on every table that
counts changes of rows that are not the attacker's in a sequence, which no rollback undoes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow, dict_row

from veraz.db.scope import NOBODY, Scope

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.isolation_world import make_world, store_world
else:
    from support import isolation_model as m
    from support.isolation_world import make_world, store_world

Owner = Connection[TupleRow]

SECRET = r"(hash|sealed|inner_key|outer_key)$"
"""Columns whose values nobody may read, by their names; `content_hash` names a file, not a secret."""
_NO_SECRET = ("content_hash",)
_MEANT = (
    "features",
    "machine_id",
    "language",
    "role",
    "status",
    "state",
    "kind",
    "channel",
    "stage",
    "prefix",
    "public_id",
)
"""Columns whose values the rules look at: a mark in them would only hide rows."""
BELL = "the tripwire rang"
_MARK = "'mark|' || {tenant} || '|{table}|' || {kb} || '|' || {machine}"
_SIGHT = re.compile(
    r"mark\|(?P<tenant>[0-9a-f-]{36})\|(?P<table>\w+)\|(?P<kb>[0-9a-f-]*)\|(?P<machine>\w*)"
    r"|(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|(?P<secret>secret\|(?P<place>\w+\.\w+)|[0-9a-f]{64,})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column as the catalogue tells it."""

    table: str
    name: str
    type: str
    generated: bool
    is_key: bool
    """Part of a primary or foreign key or of a unique index."""

    @property
    def is_secret(self) -> bool:
        """Whether nobody may read it."""
        return bool(re.search(SECRET, self.name)) and self.name not in _NO_SECRET


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of ours as the catalogue tells it."""

    signature: str
    schema: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    """Names and types of what is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacker:
    """A login role that runs injected SQL within a scope of the first company, or without one."""

    role: str
    name: str
    scope: Scope = NOBODY

    def __str__(self) -> str:
        return f"{self.role} as {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Something that somebody should not have seen, with the tables (or secret columns) it stands in."""

    text: str
    places: frozenset[str]


@dataclass(slots=True, kw_only=True)
class HostileWorld:
    """What attackers may know of the database (everything but its contents), and whose every row is."""

    world: m.World
    tables: dict[str, list[Column]]
    functions: list[Function]
    foreign_ids: dict[str, frozenset[str]]
    """Each with the tables it stands in."""
    secrets: dict[str, frozenset[str]]
    """Each with the columns it stands in."""
    owners: dict[str, UUID | None]
    """The owner of each personal knowledge base of the attacker's own company; None: a shared one."""
    rows: dict[str, dict[str, object]] = field(default_factory=dict)
    """A row of each table that belongs to the other company (or to nobody), as JSON has it."""

    @property
    def mine(self) -> UUID:
        """The company from which the attack comes."""
        return self.world.tenants[0]

    @property
    def theirs(self) -> UUID:
        """The company that is attacked."""
        return self.world.tenants[1]

    def seen_by(self, attacker: Attacker, text: str) -> Iterator[Sight]:
        """What the attacker should not have seen in what came out."""
        for found in _SIGHT.finditer(text):
            if found["tenant"]:
                if self._is_kept_from(attacker.scope, found):
                    yield Sight(text=found.group(), places=frozenset({found["table"]}))
            elif found["place"]:
                yield Sight(text=found.group(), places=frozenset({found["place"]}))
            elif places := (self.secrets if found["secret"] else self.foreign_ids).get(found.group()):
                yield Sight(text=found.group(), places=places)

    def _is_kept_from(self, scope: Scope, sight: re.Match[str]) -> bool:
        if sight["tenant"] != str(self.mine) or scope.tenant_id is None:
            return True
        personal_of = self.owners.get(sight["kb"])
        if personal_of is not None and scope.role != "worker" and personal_of != scope.user_id:
            return True
        return scope.machine_id is not None and sight["machine"] not in ("", "global", scope.machine_id)


def build(owner: Owner) -> HostileWorld:
    """Fills the database, marks it and hangs up the tripwire."""
    world = make_world(Random(15))
    store_world(owner, world)
    tables = _tables(owner)
    _fill_the_rest(owner, world, tables)
    for columns in tables.values():
        _mark(owner, columns)
    foreign = _ids_of_others(owner, world, tables)
    _hang_tripwire(owner, world.tenants[0], tables)
    return HostileWorld(
        world=world,
        tables=tables,
        functions=functions_of(owner),
        foreign_ids=foreign,
        secrets=_secrets(owner, tables),
        owners={str(kb.id): kb.owner for kb in world.kbs.values() if kb.tenant == world.tenants[0]},
        rows={table: _row_of_others(owner, table, columns, world) for table, columns in tables.items()},
    )


def attackers(world: m.World) -> list[Attacker]:
    """Each login role without a scope, and with every kind of scope that its code may hold."""
    mine = world.tenants[0]
    people = [u for u in world.users.values() if u.token and u.tenant == mine and not u.disabled]
    admin = next(u for u in people if u.admin and not u.platform)
    member = next(
        u for u in people if not u.admin and any(u.id in p.members for p in world.projects.values())
    )
    key = next(k for k in world.keys.values() if k.tenant == mine and not k.user and not k.project)
    service = partial(Scope, tenant_id=mine, role="service", key_id=key.id)
    app = {
        "nobody": NOBODY,
        "an admin": Scope(tenant_id=mine, user_id=admin.id, role="admin", names_machines=True),
        "a member": Scope(tenant_id=mine, user_id=member.id, role="member"),
        "a service": service(key_level="member", names_machines=True),
        "a managing service": service(key_level="manager"),
        "a service on a machine": service(key_level="manager", machine_id="m1"),
        "a member on a machine": Scope(tenant_id=mine, user_id=member.id, role="member", machine_id="m1"),
    }
    return [
        *(Attacker(role="veraz_app", name=name, scope=scope) for name, scope in app.items()),
        Attacker(role="veraz_worker", name="nobody"),
        Attacker(role="veraz_worker", name="a worker", scope=Scope(tenant_id=mine, role="worker")),
        Attacker(role="veraz_signin", name="nobody"),
        Attacker(role="veraz_platform", name="nobody"),
        Attacker(role="veraz_platform", name="the platform", scope=Scope(platform=True)),
        Attacker(role="veraz_platform", name="an admin", scope=app["an admin"]),
        Attacker(role="veraz_queue", name="nobody"),
    ]


def alarms(owner: Owner) -> set[str]:
    """Tables in which rows of others were changed since the last look."""
    rung = "select sequencename from pg_sequences where schemaname = 'tripwire' and last_value is not null"
    found = {str(row[0]) for row in owner.execute(rung).fetchall()}
    for table in found:
        owner.execute(f"alter sequence tripwire.{table} restart".encode())
    return found


_COLUMNS = """
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attgenerated <> '' as generated,
        exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any (i.indkey))
        or exists (select from pg_constraint k where k.contype = 'f' and k.conrelid = c.oid and a.attnum = any (k.conkey)) as is_key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'veraz'::regnamespace and c.relkind in ('r', 'p') order by c.relname, a.attnum"""

_FUNCTIONS = """
    select p.oid::regprocedure::text as signature, n.nspname as schema, p.proname as name,
        array(select coalesce(p.proargnames[i], '') from generate_series(1, p.pronargs) i) as names,
        array(select format_type(t, null) from unnest(p.proargtypes) t) as types
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('veraz', 'public') and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1"""


def _tables(owner: Owner) -> dict[str, list[Column]]:
    tables: dict[str, list[Column]] = {}
    with owner.cursor(row_factory=dict_row) as cursor:
        for row in cursor.execute(_COLUMNS).fetchall():
            tables.setdefault(row["table"], []).append(Column(**row))
    return tables


def functions_of(owner: Owner) -> list[Function]:
    """Every function of ours that somebody could call."""
    with owner.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_FUNCTIONS).fetchall()
    return [
        Function(
            signature=row["signature"], schema=row["schema"], name=row["name"],
            arguments=tuple(zip(row["names"], row["types"], strict=True)),
        )
        for row in rows
    ]  # fmt: skip


def belongs(columns: list[Column]) -> str | None:
    """The column that says whose a row is."""
    if columns[0].table == "tenant":
        return "id"
    return next((c.name for c in columns if c.name == "tenant_id"), None)


def _fill_the_rest(owner: Owner, world: m.World, tables: dict[str, list[Column]]) -> None:
    """Rows of each tenant in every table that the story of isolation leaves empty, made from what the catalogue says of it."""
    owner.execute(
        "insert into veraz.vector_outbox (chunk_id, tenant_id, space_id, edition_id) "
        "select id, tenant_id, space_id, edition_id from veraz.chunk"
    )
    bare = [t for t, columns in tables.items() if belongs(columns) and not _holds_all(owner, world, columns)]
    for _ in bare:  # one may point at rows of another
        for table in list(bare):
            if _fill(owner, world, table):
                bare.remove(table)
    assert not bare, f"let tests/support/isolation_world.py put a row of each tenant into {bare}"


def _fill(owner: Owner, world: m.World, table: str) -> bool:
    owner.execute(f"alter table veraz.{table} disable trigger user".encode())
    for (rule,) in owner.execute(
        "select quote_ident(conname) from pg_constraint where conrelid = %s::regclass and contype = 'c'",
        (f"veraz.{table}",),
    ).fetchall():  # rows of any shape will do, and nobody but us uses this database
        owner.execute(f"alter table veraz.{table} drop constraint {rule}".encode())
    try:
        for tenant in world.tenants:
            values = {**_needed(owner, table), **_pointing(owner, table, tenant), "tenant_id": f"'{tenant}'"}
            owner.execute(
                f"insert into veraz.{table} ({', '.join(values)}) overriding system value "
                f"select {', '.join(values.values())}".encode()
            )
    except psycopg.IntegrityError:
        owner.execute(f"delete from veraz.{table}".encode())
        return False
    finally:
        owner.execute(f"alter table veraz.{table} enable trigger user".encode())
    return True


_MADE = {
    "uuid": "gen_random_uuid()", "text": "gen_random_uuid()::text", "bytea": "sha256(gen_random_uuid()::text::bytea)",
    "jsonb": "'{}'", "timestamp with time zone": "now()", "date": "now()", "text[]": "'{x}'", "boolean": "true",
}  # fmt: skip


def _needed(owner: Owner, table: str) -> dict[str, str]:
    """Values for the columns that must have one, and for secrets."""
    columns = owner.execute(
        "select attname, format_type(atttypid, null) from pg_attribute where attrelid = %s::regclass and attnum > 0 "
        "and not attisdropped and attgenerated = '' and attidentity = '' "
        "and ((attnotnull and not atthasdef) or attname ~ %s)",
        (f"veraz.{table}", SECRET),
    ).fetchall()
    return {str(name): _MADE.get(str(kind), "1") for name, kind in columns}


def _pointing(owner: Owner, table: str, tenant: UUID) -> dict[str, str]:
    """Values for the columns that point at rows of the tenant."""
    keys = owner.execute(
        "select confrelid::regclass::text, array(select attname::text from unnest(conkey) with ordinality k (n, o) "
        "join pg_attribute on attrelid = conrelid and attnum = n order by o), "
        "array(select attname::text from unnest(confkey) with ordinality k (n, o) "
        "join pg_attribute on attrelid = confrelid and attnum = n order by o) "
        "from pg_constraint where conrelid = %s::regclass and contype = 'f' and confrelid <> conrelid",
        (f"veraz.{table}",),
    ).fetchall()
    values: dict[str, str] = {}
    for there, own, theirs in keys:
        whose = "id" if there == "veraz.tenant" else "tenant_id" if "tenant_id" in theirs else None
        only = f" where {whose} = '{tenant}'" if whose else ""
        for column, target in zip(own, theirs, strict=True):
            first = f"(select {target} from {there}{only} order by {', '.join(theirs)} limit 1)"
            values.setdefault(str(column), first)
    return values


def _holds_all(owner: Owner, world: m.World, columns: list[Column]) -> bool:
    whose = f"select count(distinct {belongs(columns)}) from veraz.{columns[0].table}"
    row = owner.execute(whose.encode()).fetchone()
    return bool(row and row[0] == len(world.tenants))


def _mark(owner: Owner, columns: list[Column]) -> None:
    """A mark in every column that takes one; what a rule of the table refuses stays as it is."""
    table, whose, names = columns[0].table, belongs(columns), {c.name for c in columns}
    if whose is None:
        return
    mark = _MARK.format(
        tenant=whose,
        table=table,
        kb="kb_id" if table in ("document", "chunk", "document_text", "document_version", "correction") else "''",
        machine="machine_id" if "machine_id" in names and table not in ("licence", "query_log") else "''",
    )  # fmt: skip
    mark = mark.replace("|| machine_id", "|| coalesce(machine_id, '')") + " || ' ' || ctid::text"
    owner.execute(f"alter table veraz.{table} disable trigger user".encode())
    for column in columns:
        if column.name not in _MEANT and not column.generated and not column.is_key:
            for value in _marked(column, mark):
                try:
                    owner.execute(f"update veraz.{table} set {column.name} = {value}".encode())
                    break
                except psycopg.errors.IntegrityError:
                    continue
    owner.execute(f"alter table veraz.{table} enable trigger user".encode())


def _marked(column: Column, mark: str) -> list[str]:
    if column.is_secret:
        secret = f"'secret|{column.table}.{column.name}|' || {mark}"
        return {"bytea": [f"convert_to({secret}, 'UTF8')"], "text": [secret]}.get(column.type, [])
    of_json = [f"jsonb_build_object('mark', {mark})", f"jsonb_build_array({mark})"]
    return {
        "text": [mark],
        "jsonb": of_json,
        "json": [f"({value})::json" for value in of_json],
        "text[]": [f"array[{mark}]"],
    }.get(column.type, [])


def _secrets(owner: Owner, tables: dict[str, list[Column]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for column in (c for columns in tables.values() for c in columns if c.is_secret):
        query = f"select {column.name} from veraz.{column.table} where {column.name} is not null"
        for (value,) in owner.execute(query.encode()).fetchall():
            text = value.hex() if isinstance(value, bytes) else str(value)
            found.setdefault(text, set()).add(f"{column.table}.{column.name}")
    return {secret: frozenset(places) for secret, places in found.items()}


def _ids_of_others(
    owner: Owner, world: m.World, tables: dict[str, list[Column]]
) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for table, columns in tables.items():
        whose = belongs(columns)
        for column in columns:
            if whose and column.type == "uuid":
                query = f"select distinct {column.name}::text from veraz.{table} where {whose} <> %s and {column.name} is not null"
                for (value,) in owner.execute(query.encode(), (world.tenants[0],)).fetchall():
                    found.setdefault(value, set()).add(table)
    return {id: frozenset(tables) for id, tables in found.items()}


def _row_of_others(owner: Owner, table: str, columns: list[Column], world: m.World) -> dict[str, object]:
    whose = belongs(columns)
    only = f"where {whose} = '{world.tenants[1]}'" if whose else ""
    row = owner.execute(f"select to_jsonb(x) from veraz.{table} x {only} limit 1".encode()).fetchone()
    return dict(row[0]) if row else {}


def _hang_tripwire(owner: Owner, mine: UUID, tables: dict[str, list[Column]]) -> None:
    owner.execute("create schema tripwire")
    owner.execute(
        f"""
        create function tripwire.ring() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
        declare
            whose text := tg_argv[0];
        begin
            if tg_op = 'TRUNCATE' or whose is null
                or (tg_op <> 'INSERT' and (to_jsonb(old) ->> whose) is distinct from '{mine}')
                or (tg_op <> 'DELETE' and (to_jsonb(new) ->> whose) is distinct from '{mine}') then
                perform nextval('tripwire.' || quote_ident(tg_table_name));
                raise notice '{BELL}';
            end if;
            return null;
        end $$""".encode()
    )
    for table, columns in tables.items():
        whose = belongs(columns) or ""
        owner.execute(f"create sequence tripwire.{table}".encode())
        owner.execute(
            f"create trigger tripwire after insert or update or delete on veraz.{table} for each row "
            f"execute function tripwire.ring({whose})".encode()
        )
        owner.execute(
            f"create trigger tripwire_truncate after truncate on veraz.{table} "
            "for each statement execute function tripwire.ring()".encode()
        )
