"""Three companies that know nothing of each other, a canary in every text of every row, and everybody who may knock."""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from psycopg import sql

from veraz.api.caller import cookie_name
from veraz.channels.widget.tokens import VisitorTokens
from veraz.db.scope import Scope
from veraz.ids import new_id

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.access import act_as
    from tests.support.isolation_world import EXTERNALS, Owner, make_world, store_world, token_hash
else:
    from support import isolation_model as m
    from support.access import act_as
    from support.isolation_world import EXTERNALS, Owner, make_world, store_world, token_hash

CANARY = "kanari"
WEBSITE = "https://shop.example"
OURS = frozenset(
    [
        "kind",
        "stage",
        "status",
        "worker",
        "error_code",
        "role",
        "language",
        "plan",
        "model",
        "fallback_model",
        "judge_model",
        "answer_style",
        "file_type",
        "storage_key",
        "machine_id",
        "origin",
        "url",
        "prefix",
        "public_id",
        "colour",
        "state",
        "direction",
        "phone",
        "phone_number_id",
        "wamid",
        "bsuid",
        "channel",
        "turn",
        "outcome",
        "handoff_mode",
        "tier",
        "evidence_level",
        "edition_stem",
        "request_id",
        "thing",
        "action",
        "checksum",
        "part",
        "degraded",
        "refusal",
        "idempotency_key",
        "external_id",
        "password_hash",
        "answered_by",
    ]
)
"""Columns that hold words of ours, and names that others look things up by; any other text takes a canary."""

UNHURRIED: dict[str, Any] = {
    "login_attempts_per_minute": 10_000,
    "caller_requests_per_minute": 0,
    "tenant_requests_per_minute": 0,
    "stranger_requests_per_minute": 0,
}
"""Settings under which nobody is slowed down: an attack should end at the wall, not at the queue before it."""

Family = Mapping[str, str]
"""Rows that belong together, one of each kind: the name of its table → its id."""


@dataclass(frozen=True, kw_only=True)
class Attacker:
    """Somebody knocking. `tenant` is None for whoever belongs nowhere."""

    name: str
    headers: tuple[tuple[str, str], ...] = ()
    tenant: UUID | None = None
    eyes: m.Eyes | None = field(default=None, repr=False)
    platform: bool = False
    visitor: bool = False
    """Somebody on a website that shows one agent."""
    strength: int = 0
    """Who can change most knocks last: they wreck their own company."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A row by its id: whose it is and what."""

    tenant: UUID
    table: str


def at_pages(attacker: Attacker) -> Attacker:
    """The same caller in a browser: what they carry is a cookie there."""
    name = cookie_name(secure=False)
    headers = tuple(
        ("Cookie", f"{name}={value.removeprefix('Bearer ')}") if key == "Authorization" else (key, value)
        for key, value in attacker.headers
    )
    return replace(attacker, headers=headers)


class AttackWorld:
    """The companies in a database, and what is known of every row."""

    def __init__(self, owner: Owner, random: Random, visitors: VisitorTokens) -> None:
        self.owner, self.random, self.visitors = owner, random, visitors
        self.world = make_world(random, companies=3)
        store_world(owner, self.world)
        self.ended = {tenant: _ended_session(owner, self.world, tenant) for tenant in self.world.tenants}
        _plant(owner)
        self.known = _known(owner, self.world)
        self.secrets = {t: k.tenant for k in self.world.keys.values() if (t := k.token)} | {
            u.token: u.tenant for u in self.world.users.values() if u.token
        }
        self.public = dict(_rows(owner, "select agent_id, public_id from veraz.widget"))
        self.documents = {d.chunk.hex: d for d in self.world.documents.values()} | {
            d.id.hex: d for d in self.world.documents.values()
        }

    # rows that belong together

    def family(self, tenant: UUID, random: Random) -> Family:
        """A document with everything around it, of this company."""
        return self._around(
            random.choice([d for d in self.world.documents.values() if d.tenant == tenant]), random
        )

    def own_family(self, owner: Attacker, random: Random) -> Family:
        """The same of what its owner may read, with another person's account."""
        eyes = owner.eyes
        assert eyes and eyes.user
        mine = [d for d in self.world.documents.values() if eyes.looks_at(d) and eyes.changes_document(d)]
        family = self._around(random.choice([d for d in mine if d.indexed]), random)
        people = [u.id for u in self.world.users.values() if u.tenant == owner.tenant and u != eyes.user]
        return {**family, "app_user": str(random.choice(people))}

    def _around(self, document: m.Document, random: Random) -> Family:
        w, tenant = self.world, document.tenant
        kb = w.kbs[document.kb]
        agent = self._agent_of(kb, random)
        talk = random.choice([t for t in w.conversations.values() if t.agent == agent.id])
        number = random.choice([n for n in w.numbers.values() if n.agent == agent.id])
        hook = random.choice([h for h in w.webhooks.values() if h.tenant == tenant])
        rows: dict[str, Any] = {
            "tenant": tenant, "knowledge_base": kb.id, "document": document.id, "chunk": document.chunk,
            "correction": document.chunk, "job": document.job, "edition": kb.edition, "agent": agent.id,
            "project": agent.project, "exam_question": agent.id, "exam_run": agent.id, "agent_change": agent.id,
            "widget": self.public[agent.id], "conversation": talk.id, "message": talk.message,
            "whatsapp_number": number.id, "whatsapp_contact": number.contact, "whatsapp_message": number.message,
            "webhook": hook.id, "webhook_delivery": hook.delivery, "machine": document.machine,
            "app_user": _one(w.users, tenant, random), "api_key": _one(w.keys, tenant, random),
            "licence": _one(w.licences, tenant, random), "query_log": _one(w.questions, tenant, random),
        }  # fmt: skip
        return {name: str(value) for name, value in rows.items()}

    def _agent_of(self, kb: m.Kb, random: Random) -> m.Agent:
        """One that reads it, where there is one."""
        reading = [a.agent for a in self.world.assignments.values() if a.kb == kb.id]
        ids = reading or [a.id for a in self.world.agents.values() if a.tenant == kb.tenant]
        return self.world.agents[random.choice(ids)]

    def others(self, tenant: UUID | None) -> list[UUID]:
        """The companies that are not this one."""
        return [one for one in self.world.tenants if one != tenant]

    # who knocks

    def attackers(self, tenant: UUID) -> list[Attacker]:
        """Everybody of one company, and nobodies with things they made up, the weak ones first."""
        found = [*self._nobodies(tenant), self._visitor(tenant), *self._people(tenant), *self._keys(tenant)]
        return sorted(found, key=lambda one: one.strength)

    def owner_of(self, tenant: UUID) -> Attacker:
        """The company's admin, for whom everything must work."""
        return next(a for a in self._people(tenant) if a.eyes and a.eyes.admin and not a.platform)

    def platform(self) -> Attacker:
        """Who may do what only the platform may."""
        return next(a for tenant in self.world.tenants for a in self._people(tenant) if a.platform)

    def _nobodies(self, tenant: UUID) -> Iterator[Attacker]:
        w = self.world
        victim = next(u for u in w.users.values() if u.tenant == tenant and u.admin)
        key = next(k for k in w.keys.values() if k.tenant == tenant and "admin" in k.scopes)
        dead = {
            "revoked key": next(k.token for k in w.keys.values() if k.tenant == tenant and k.revoked),
            "expired key": next(k.token for k in w.keys.values() if k.tenant == tenant and k.expired),
            "ended session": self.ended[tenant],
            "session by its row": f"vzs_{victim.session}",
            "key by its row": f"vzk_{{{key.id}}}",
            "hash of a key": token_hash(key.token).hex(),
            "unsigned token": _unsigned(victim, tenant),
        }
        yield Attacker(name="anonymous")
        for name, secret in dead.items():
            yield Attacker(name=name, headers=(("Authorization", f"Bearer {secret}"),))
        half = victim.token[:-1]
        yield Attacker(name="forged cookie", headers=(("Cookie", f"veraz_session={half}"),))
        origin = (("Cookie", f"veraz_session={victim.token}"), ("Origin", "https://evil.example"))
        yield Attacker(name="cookie from another site", headers=origin, tenant=tenant, strength=1)

    def _visitor(self, tenant: UUID) -> Attacker:
        agent = next(a for a in self.world.agents.values() if a.tenant == tenant)
        return self.visitor_of(agent.id)

    def visitor_of(self, agent_id: UUID) -> Attacker:
        """Somebody who looks at a website with this agent's widget."""
        tenant = self.world.agents[agent_id].tenant
        token = self.visitors.new(agent_id)  # in this world a widget has its agent's id
        headers = (("Authorization", f"Bearer {token}"), ("Origin", WEBSITE))
        return Attacker(name="visitor of a website", headers=headers, tenant=tenant, visitor=True, strength=1)

    def _people(self, tenant: UUID) -> Iterator[Attacker]:
        for user in self.world.users.values():
            if user.tenant == tenant and user.token:
                eyes = m.Eyes(self.world, m.Caller(user=user.id))
                strength = 5 if user.admin else 2 + max(eyes.level(p) for p in self.world.projects)
                yield Attacker(
                    name=_person_name(user, eyes, self.world),
                    headers=(("Authorization", f"Bearer {user.token}"),),
                    tenant=tenant,
                    eyes=eyes,
                    platform=user.platform,
                    strength=strength,
                )

    def _keys(self, tenant: UUID) -> Iterator[Attacker]:
        elsewhere = self.random.choice([u for u in self.world.users.values() if u.tenant != tenant])
        for key in self.world.keys.values():
            if key.tenant != tenant or key.revoked or key.expired:
                continue
            acting = [(None, None)] if key.user else [(None, None), (EXTERNALS[0], "m1")]
            for external, machine in acting:
                caller = m.Caller(key=key.id, external=external, machine=machine)
                yield self._key(key, caller)
            if not key.user and key.project is None:
                stranger = m.Caller(key=key.id, external=str(elsewhere.id), machine="m3")
                yield self._key(key, stranger, "for a stranger's user")

    def _key(self, key: m.Key, caller: m.Caller, more: str = "") -> Attacker:
        eyes = m.Eyes(self.world, caller)
        words = ["key", *sorted(key.scopes)]
        words += ["of a person"] if key.user else []
        words += ["of a project"] if key.project else []
        words += [more] if more else ["for a user and a machine"] if caller.machine else []
        return Attacker(
            name=" ".join(words),
            headers=tuple(caller.headers(self.world).items()),
            tenant=key.tenant,
            eyes=eyes,
            platform=eyes.platform,
            strength=5 if "admin" in key.scopes else 4 if "manage" in key.scopes else 2,
        )


def _person_name(user: m.User, eyes: m.Eyes, world: m.World) -> str:
    if user.admin:
        return "platform admin" if user.platform else "tenant admin"
    highest = max(eyes.level(p) for p in world.projects)
    name = ("person without a project", "member", "manager", "project admin")[highest]
    return f"disabled {name}" if user.disabled else name


def _one(rows: Mapping[UUID, m.Row], tenant: UUID, random: Random) -> UUID:
    return random.choice([row.id for row in rows.values() if row.tenant == tenant])


def _unsigned(user: m.User, tenant: UUID) -> str:
    """A JWT that says «alg: none» and is somebody."""
    parts = ({"alg": "none"}, {"sub": str(user.id), "tenant_id": str(tenant), "role": "admin"})
    return (
        ".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts) + "."
    )


def _ended_session(owner: Owner, world: m.World, tenant: UUID) -> str:
    admin = next(u for u in world.users.values() if u.tenant == tenant and u.admin)
    token = f"vzs_ended_{tenant}"
    owner.execute(
        "insert into veraz.session (id, tenant_id, user_id, token_hash, created_at, expires_at) "
        "values (%s, %s, %s, %s, now() - interval '2 days', now() - interval '1 day')",
        (new_id(), tenant, admin.id, token_hash(token)),
    )
    return token


# canaries


def _plant(owner: Owner) -> None:
    """Every text that is not a word of ours gets its row's canary, in columns that exist today and tomorrow."""
    for table, column, key in _rows(owner, _TEXTS):
        if column in OURS or column.endswith(("_hash", "_sealed")):
            continue
        mark = sql.SQL("{} || replace({}::text, '-', '')").format(sql.Literal(CANARY), sql.Identifier(key))
        wanted = mark
        if column == "email":
            wanted = sql.SQL("case when {} is null then null else {} || '@x.y' end").format(
                sql.Identifier(column), mark
            )
        if table in ("chunk", "document_text"):
            wanted = sql.SQL("'secret ' || {}").format(mark)
        statement = sql.SQL("update veraz.{} set {} = {}").format(
            sql.Identifier(table), sql.Identifier(column), wanted
        )
        _tried(owner, statement)
    _tried(
        owner,
        sql.SQL("update veraz.widget set enabled = true, origins = array[{}]").format(sql.Literal(WEBSITE)),
    )
    _tried(owner, sql.SQL("update veraz.chunk set end_char = length(content)"))
    _tried(owner, sql.SQL("update veraz.document_text set end_char = start_char + length(text)"))


_TEXTS = """
select c.relname, a.attname,
    (select k.attname from pg_attribute k
     where k.attrelid = c.oid and k.attname in ('id', 'document_id', 'kb_id', 'query_id', 'user_id', 'tenant_id')
       and k.atttypid = 'uuid'::regtype
     order by array_position(array['id', 'document_id', 'kb_id', 'query_id', 'user_id', 'tenant_id'], k.attname::text) limit 1)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'veraz'
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relkind = 'r' and a.atttypid = 'text'::regtype
  and (c.relname = 'tenant' or exists (
      select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped))
order by 1, 2
"""


def _tried(owner: Owner, statement: sql.SQL | sql.Composed) -> None:
    """A column whose rules refuse a canary keeps what it has."""
    with suppress(psycopg.DatabaseError), owner.transaction():
        act_as(owner, Scope(platform=True))
        owner.execute(statement)


def _known(owner: Owner, world: m.World) -> dict[str, Known]:
    """Every id of every row, whatever the table."""
    known = {t.hex: Known(tenant=t, table="tenant") for t in world.tenants}
    for (table,) in _rows(owner, _TABLES):
        query = sql.SQL("select id, tenant_id from veraz.{} where tenant_id is not null").format(
            sql.Identifier(table)
        )
        for row_id, tenant in owner.execute(query).fetchall():
            known.setdefault(row_id.hex, Known(tenant=tenant, table=table))
    return known


_TABLES = """
select c.relname from pg_class c
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'veraz'
join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and i.atttypid = 'uuid'::regtype and not i.attisdropped
join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped
where c.relkind = 'r' order by 1
"""


def _rows(owner: Owner, query: str) -> list[tuple[Any, ...]]:
    return owner.execute(query.encode()).fetchall()
