"""Random worlds for the isolation story, and their rows in a real database, written behind the walls as owner."""

import hashlib
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.scope import Scope
from veraz.ids import new_id

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.access import act_as, act_in
else:
    from support import isolation_model as m
    from support.access import act_as, act_in

SCOPES = (("admin",), ("manage",), ("ingest",), ("read",), ("ask",), ("ask", "ingest"))
EXTERNALS = ("ana", "luis")
MACHINES = ("m1", "m2", "m3")
SPACE = "fake:story@8"
Owner = Connection[TupleRow]
R = TypeVar("R", bound="m.Row")


def make_world(random: Random, *, companies: int | None = None) -> m.World:
    """Two tenants (sometimes three) whose end users and machines carry the same names."""
    world = m.World()
    for number in range(companies or random.choice((2, 2, 3))):
        _Company(world, random, platform=number == 0).build()
    return world


def some_callers(
    world: m.World, random: Random, number: int, *, tenant: UUID | None = None
) -> list[m.Caller]:
    """Different kinds of callers as often as each other, though there are few admins and many keys."""
    kinds: dict[tuple[bool, ...], list[m.Caller]] = {}
    for caller in callers(world, random):
        eyes = m.Eyes(world, caller)
        if tenant in (None, eyes.tenant):
            kind = (caller.key is None, eyes.is_person, eyes.admin, eyes.platform, bool(caller.machine))
            kinds.setdefault(kind, []).append(caller)
    return [random.choice(kinds[kind]) for kind in random.choices(sorted(kinds), k=number)]


def callers(world: m.World, random: Random) -> list[m.Caller]:
    """Everybody who may knock: each person, each key, service keys for end users and machines."""
    people = [m.Caller(user=u.id) for u in world.users.values() if u.token]
    alone = [m.Caller(key=k.id) for k in world.keys.values()]
    acting = [
        m.Caller(
            key=k.id, external=random.choice((*EXTERNALS, None)), machine=random.choice((*MACHINES, None))
        )
        for k in world.keys.values()
        for _ in range(2)
    ]
    return list(dict.fromkeys([*people, *alone, *acting]))


class _Company:
    """Fills one tenant."""

    def __init__(self, world: m.World, random: Random, *, platform: bool) -> None:
        self.world, self.random, self.platform = world, random, platform
        self.tenant = new_id()
        world.tenants.append(self.tenant)

    def build(self) -> None:
        """Everything a tenant may hold."""
        self.projects = [self._add(self.world.projects, m.Project) for _ in range(self.random.choice((2, 3)))]
        self._people()
        self._keys()
        for machine in MACHINES:
            self._add(self.world.licences, m.Licence, machine=machine, revoked=machine == "m3")
        for project in (None, *self.projects):
            room = project.id if project else None
            self._add(self.world.webhooks, m.Webhook, project=room, delivery=new_id())
        self.agents = [
            self._add(self.world.agents, m.Agent, project=p.id, allows_personal=allows)
            for p in self.projects
            for allows in (True, False)
        ]
        self._kbs()
        self._assign()
        for _ in range(8):
            agent = self.random.choice([None, *self.agents])
            user, kb = self.random.choice([*self.people, *self.end_users]), self.random.choice(self.kbs)
            place = {"agent": agent.id if agent else None, "kb": kb.id, "user": kb.owner or user.id}
            where = self.random.choice((None, "m1", "m2"))
            self._add(self.world.questions, m.Question, **place, machine=where)
        self._talks()
        for agent in self.agents:
            place = {"project": agent.project, "agent": agent.id}
            self._add(self.world.numbers, m.Number, **place, contact=new_id(), message=new_id())

    def _add(self, where: dict[UUID, R], kind: type[R], **fields: Any) -> R:
        row = kind(id=new_id(), tenant=self.tenant, **fields)
        where[row.id] = row
        return row

    def _people(self) -> None:
        def person(**fields: Any) -> m.User:
            user = self._add(self.world.users, m.User, session=new_id(), **fields)
            user.token = f"vzs_{user.id}"
            return user

        self.admin = person(admin=True)
        if self.platform:
            person(admin=True, platform=True)
        self.people = [person() for _ in range(4)]  # the last one is in no project
        for user in self.people[:-1]:
            for project in self.projects:
                levels: list[m.Level | None] = [None, "member", "manager", "admin"]
                if level := self.random.choice(levels):
                    project.members[user.id] = level
        if self.random.random() < 0.3:
            self.random.choice(self.people).disabled = True
        self.end_users = [self._add(self.world.users, m.User, external=name) for name in EXTERNALS]

    def _keys(self) -> None:
        def key(scopes: tuple[str, ...], **fields: Any) -> None:
            made = self._add(self.world.keys, m.Key, scopes=frozenset(scopes), **fields)
            made.token = f"vzk_{made.id}"

        for scopes in SCOPES:
            key(scopes)
            key(scopes, project=self.random.choice(self.projects).id)
        for user in (self.admin, *self.people[:2]):
            key(("admin",), user=user.id)
            key(self.random.choice(SCOPES), user=user.id)
            key(("ask",), user=user.id)
            key(("read",), user=user.id)
            key(("admin",), user=user.id, project=self.random.choice(self.projects).id)
        key(("admin",), revoked=True)
        key(("admin",), expired=True)

    def _kbs(self) -> None:
        def kb(**fields: Any) -> m.Kb:
            return self._add(self.world.kbs, m.Kb, archived=self.random.random() < 0.15, **fields)

        self.kbs = [kb(), *(kb(project=p.id) for p in self.projects for _ in range(2))]
        self.kbs += [kb(owner=u.id) for u in (*self.people, *self.end_users, self.admin)]
        self.kbs += [kb(project=a.project, agent=a.id) for a in self.agents[:2]]
        for shelf in self.kbs:
            for machine in ("global", self.random.choice(MACHINES)):
                indexed = self.random.random() < 0.85
                place = {"kb": shelf.id, "machine": machine, "chunk": new_id(), "job": new_id()}
                self._add(self.world.documents, m.Document, indexed=indexed, **place)

    def _talks(self) -> None:
        keys = [k for k in self.world.keys.values() if k.tenant == self.tenant and not k.user]
        for agent in self.agents:
            user = self.random.choice([None, *self.people, *self.end_users])
            self._add(
                self.world.conversations,
                m.Conversation,
                agent=agent.id,
                user=user.id if user else None,
                key=None if user else self.random.choice(keys).id,
                machine=self.random.choice((None, "m1", "m2")),
                message=new_id(),
                personal=bool(user) and self.random.random() < 0.5,
            )

    def _assign(self) -> None:
        for agent in self.agents:
            for kb in self.kbs:
                if m.fits(replace(agent, allows_personal=True), kb) and self.random.random() < 0.6:
                    self._add(self.world.assignments, m.Assignment, agent=agent.id, kb=kb.id)


def token_hash(token: str) -> bytes:
    """As the database keeps it."""
    return hashlib.sha256(token.encode()).digest()


def store_world(owner: Owner, world: m.World) -> None:
    """The world as rows, instead of whatever was there."""
    owner.execute("truncate veraz.tenant cascade")
    owner.execute("truncate veraz.audit_entry, veraz.security_event")
    with owner.transaction():
        act_as(owner, Scope(platform=True))  # to make a platform admin
        _store_who(owner, world)
        _store_webhooks(owner, world)
        _store_what(owner, world)
        _store_talks(owner, world)
        _store_numbers(owner, world)
        # nothing can be added for a machine that was revoked, so it is revoked now
        _many(
            owner,
            "update veraz.licence set status = 'revoked' where id = %s",
            [(x.id,) for x in world.licences.values() if x.revoked],
        )


def _many(owner: Owner, query: str, rows: list[tuple[object, ...]]) -> None:
    owner.cursor().executemany(query.encode(), rows)


def _store_who(owner: Owner, world: m.World) -> None:
    w = world
    _many(
        owner,
        "insert into veraz.tenant (id, name, plan) values (%s, 'T', 'unlimited')",
        [(t,) for t in w.tenants],
    )
    _many(
        owner,
        "insert into veraz.credit_balance (tenant_id, credits) values (%s, 100)",
        [(t,) for t in w.tenants],
    )
    _many(
        owner,
        "insert into veraz.credit_entry (tenant_id, credits, balance, reason, idempotency_key) "
        "values (%s, 100, 100, 'plan', 'first')",
        [(t,) for t in w.tenants],
    )
    _many(
        owner,
        "insert into veraz.security_event (tenant_id, at, kind, outcome) values (%s, now(), 'signed_in', 'done')",
        [(t,) for t in w.tenants],
    )
    _many(
        owner,
        "insert into veraz.app_user (id, tenant_id, email, external_id, role, is_platform_admin, password_hash, "
        "disabled_at) values (%s, %s, %s, %s, %s, %s, %s, case when %s then now() end)",
        [
            (u.id, u.tenant, None if u.external else f"{u.id}@x.y", u.external, "admin" if u.admin else "member",
             u.platform, None if u.external else "hash", u.disabled)
            for u in w.users.values()
        ],
    )  # fmt: skip
    _many(
        owner,
        "insert into veraz.session (id, tenant_id, user_id, token_hash, expires_at) values (%s, %s, %s, %s, now() + interval '1 day')",
        [(u.session, u.tenant, u.id, token_hash(u.token)) for u in w.users.values() if u.session],
    )
    _store_sign_in(owner, world)
    _many(
        owner,
        "insert into veraz.project (id, tenant_id, name) values (%s, %s, %s)",
        [(p.id, p.tenant, str(p.id)) for p in w.projects.values()],
    )
    _many(
        owner,
        "insert into veraz.project_member (tenant_id, project_id, user_id, role) values (%s, %s, %s, %s)",
        [(p.tenant, p.id, user, level) for p in w.projects.values() for user, level in p.members.items()],
    )
    _many(
        owner,
        "insert into veraz.api_key (id, tenant_id, name, prefix, key_hash, scopes, project_id, user_id, revoked_at, "
        "expires_at) values (%s, %s, 'k', 'vzk_', %s, %s, %s, %s, case when %s then now() end, case when %s then now() end)",
        [
            (k.id, k.tenant, token_hash(k.token), sorted(k.scopes), k.project, k.user, k.revoked, k.expired)
            for k in w.keys.values()
        ],
    )
    _many(
        owner,
        "insert into veraz.licence (id, tenant_id, machine_id) values (%s, %s, %s)",
        [(x.id, x.tenant, x.machine) for x in w.licences.values()],
    )


def _store_sign_in(owner: Owner, world: m.World) -> None:
    """One identity provider and one key that signs end users in each tenant, both with the tenant's id."""
    _many(
        owner,
        "insert into veraz.identity_provider (id, tenant_id, name, issuer, client_id) values (%s, %s, 'x', 'https://x.y', 'x')",
        [(t, t) for t in world.tenants],
    )
    _many(
        owner,
        "insert into veraz.end_user_key (id, tenant_id, name, algorithm, public_key) values (%s, %s, 'x', 'EdDSA', 'x')",
        [(tenant, tenant) for tenant in world.tenants],
    )
    _many(
        owner,
        "insert into veraz.end_user_token (tenant_id, key_id, jti_hash, until) values (%s, %s, '\\x00', now())",
        [(tenant, tenant) for tenant in world.tenants],
    )


def _store_webhooks(owner: Owner, world: m.World) -> None:
    hooks = world.webhooks.values()
    _many(
        owner,
        "insert into veraz.webhook (id, tenant_id, project_id, name, url, events, secret_sealed) "
        "values (%s, %s, %s, 'w', 'https://example.com', '{document.completed}', 'sealed')",
        [(hook.id, hook.tenant, hook.project) for hook in hooks],
    )
    _many(
        owner,
        "insert into veraz.webhook_delivery (id, tenant_id, webhook_id, kind, status) values (%s, %s, %s, 'x', 'failed')",
        [(hook.delivery, hook.tenant, hook.id) for hook in hooks],
    )


def _store_what(owner: Owner, world: m.World) -> None:
    w = world
    space = _space(owner)
    _many(
        owner,
        "insert into veraz.agent (id, tenant_id, project_id, name, allows_personal_corpus) values (%s, %s, %s, %s, true)",
        [(a.id, a.tenant, a.project, str(a.id)) for a in w.agents.values()],
    )
    _many(
        owner,
        "insert into veraz.knowledge_base (id, tenant_id, project_id, kind, owner_id, agent_id, name, status) "
        "values (%s, %s, %s, %s, %s, %s, %s, %s)",
        [
            (k.id, k.tenant, k.project, "personal" if k.personal else "global", k.owner, k.agent, str(k.id),
             "archived" if k.archived else "active")
            for k in w.kbs.values()
        ],
    )  # fmt: skip
    for kb in w.kbs.values():
        row = owner.execute(
            "insert into veraz.edition (tenant_id, kb_id, space_id, chunking, embedding, status) "
            "values (%s, %s, %s, '{}', '{}', 'live') returning id",
            (kb.tenant, kb.id, space),
        ).fetchone()
        kb.edition = row[0] if row else 0
    _many(
        owner,
        "update veraz.knowledge_base set live_edition_id = %s where id = %s",
        [(kb.edition, kb.id) for kb in w.kbs.values()],
    )
    for tenant in w.tenants:  # the rules of assignments look at the tenant's own rows only
        act_in(owner, tenant)
        _many(
            owner,
            "insert into veraz.assignment (id, tenant_id, agent_id, kb_id, project_id) values (%s, %s, %s, %s, %s)",
            [(a.id, a.tenant, a.agent, a.kb, a.agent) for a in w.assignments.values() if a.tenant == tenant],
        )
    # some agents took personal kbs once and no longer do
    _many(
        owner,
        "update veraz.agent set allows_personal_corpus = %s where id = %s",
        [(a.allows_personal, a.id) for a in w.agents.values()],
    )
    _store_documents(owner, world, space)


def _store_documents(owner: Owner, world: m.World, space: int) -> None:
    documents = world.documents.values()
    _many(
        owner,
        "insert into veraz.document (id, tenant_id, kb_id, name, origin, file_type, size_bytes, storage_key, machine_id, "
        "status, indexed_at) values (%s, %s, %s, 'd', 'text', 'txt', 1, %s, %s, %s, case when %s then now() end)",
        [
            (
                d.id,
                d.tenant,
                d.kb,
                d.storage_key,
                d.machine,
                "completed" if d.indexed else "pending",
                d.indexed,
            )
            for d in documents
        ],
    )
    _many(
        owner,
        "insert into veraz.chunk (id, tenant_id, kb_id, edition_id, document_id, space_id, ordinal, machine_id, content, "
        "content_hash, tokens, words, start_char, end_char, lexemes, bm25, embedding) "
        "values (%s, %s, %s, %s, %s, %s, 0, %s, 'secret', '', 1, 1, 0, 1, 'secret', '{1:1}/536870912', array_fill(1, array[8])::vector)",
        [(d.chunk, d.tenant, d.kb, world.kbs[d.kb].edition, d.id, space, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.edition_term (tenant_id, edition_id, machine_id, term, count) values (%s, %s, %s, -1, 1)",
        [(d.tenant, world.kbs[d.kb].edition, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.document_text (tenant_id, kb_id, document_id, machine_id, start_char, end_char, text, blocks) "
        "values (%s, %s, %s, %s, 0, 6, 'secret', '{\"shared\": [], \"blocks\": []}')",
        [(d.tenant, d.kb, d.id, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.document_version (tenant_id, kb_id, document_id, machine_id, version, status, size_bytes, "
        "file_type, name) values (%s, %s, %s, %s, 1, 'current', 1, 'txt', 'd')",
        [(d.tenant, d.kb, d.id, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.correction (id, tenant_id, kb_id, document_id, machine_id, start_char, end_char, before, "
        "after, prefix, suffix, revision) values (%s, %s, %s, %s, %s, 0, 1, 'secret', 'x', '', '', 2)",
        [(d.chunk, d.tenant, d.kb, d.id, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.forgotten_span (id, tenant_id, kb_id, document_id, machine_id, words, head, digest) "
        "values (%s, %s, %s, %s, %s, 1, '', '')",
        [(d.id, d.tenant, d.kb, d.id, d.machine) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.embedding_cache (tenant_id, space_id, content_hash, document_id, embedding) "
        "values (%s, %s, %s, %s, array_fill(1, array[8])::vector)",
        [(d.tenant, space, d.id.bytes, d.id) for d in documents],
    )
    for table, number in (("job", 0), ("job_history", 1)):
        _many(
            owner,
            f"insert into veraz.{table} (id, tenant_id, kind, kb_id, document_id, status) values (%s, %s, 'x', %s, %s, 'DONE')",
            [(UUID(int=d.job.int ^ number), d.tenant, d.kb, d.id) for d in documents],
        )
    _many(
        owner,
        "insert into veraz.event (tenant_id, kind, kb_id, document_id) values (%s, 'x', %s, %s)",
        [(d.tenant, d.kb, d.id) for d in documents],
    )
    _many(
        owner,
        "insert into veraz.query_log (id, tenant_id, kind, agent_id, project_id, kb_ids, user_id, machine_id, question, "
        "stages, latency_ms) values (%s, %s, 'search', %s, %s, array[%s]::uuid[], %s, %s, 'secret', '{}', 1)",
        [
            (
                q.id,
                q.tenant,
                q.agent,
                world.agents[q.agent].project if q.agent else None,
                q.kb,
                q.user,
                q.machine,
            )
            for q in world.questions.values()
        ],
    )
    _many(
        owner,
        "insert into veraz.query_trace (query_id, tenant_id, project_id, user_id, personal, trace) "
        "values (%s, %s, %s, %s, %s, '{\"secret\": true}')",
        [
            (q.id, q.tenant, world.agents[q.agent].project, q.user, world.kbs[q.kb].personal)
            for q in world.questions.values()
            if q.agent
        ],
    )


def _store_talks(owner: Owner, world: m.World) -> None:
    talks = world.conversations.values()
    _many(
        owner,
        "insert into veraz.forgetting (id, tenant_id, kind, subjects) values (%s, %s, 'machine', '{secret}')",
        [(tenant, tenant) for tenant in world.tenants],
    )
    _many(
        owner,
        "insert into veraz.conversation (id, tenant_id, agent_id, project_id, user_id, key_id, machine_id) "
        "values (%s, %s, %s, %s, %s, %s, %s)",
        [(t.id, t.tenant, t.agent, world.agents[t.agent].project, t.user, t.key, t.machine) for t in talks],
    )
    _many(
        owner,
        "insert into veraz.message (id, tenant_id, conversation_id, role, text, personal) "
        "values (%s, %s, %s, 'assistant', 'secret', %s)",
        [(t.message, t.tenant, t.id, t.personal) for t in talks],
    )
    _many(
        owner,
        "insert into veraz.feedback (id, tenant_id, message_id, rating) values (%s, %s, %s, 1)",
        [(t.message, t.tenant, t.message) for t in talks],
    )
    _many(
        owner,
        "insert into veraz.exam_question (id, tenant_id, agent_id, question, must_refuse) values (%s, %s, %s, 'x', true)",
        [(a.id, a.tenant, a.id) for a in world.agents.values()],
    )
    _many(
        owner,
        "insert into veraz.exam_run (id, tenant_id, agent_id, model, passed, failed, results) "
        "values (%s, %s, %s, 'x', 1, 0, '[]')",
        [(a.id, a.tenant, a.id) for a in world.agents.values()],
    )
    _many(
        owner,
        "insert into veraz.agent_change (id, tenant_id, agent_id, changes, status) values (%s, %s, %s, '{}', 'held')",
        [(a.id, a.tenant, a.id) for a in world.agents.values()],
    )
    _many(
        owner,
        "insert into veraz.widget (id, tenant_id, agent_id, project_id, public_id, title) values (%s, %s, %s, %s, %s, 'x')",
        [(a.id, a.tenant, a.id, a.project, a.id.hex[-16:]) for a in world.agents.values()],
    )
    _many(
        owner,
        "insert into veraz.domain_intelligence (kb_id, tenant_id, interpreted_intent) values (%s, %s, 'x')",
        [(k.id, k.tenant) for k in world.kbs.values()],
    )


def _store_numbers(owner: Owner, world: m.World) -> None:
    numbers = world.numbers.values()
    talks = {talk.agent: talk.id for talk in world.conversations.values()}
    _many(
        owner,
        "insert into veraz.whatsapp_number (id, tenant_id, project_id, agent_id, name, phone_number_id, access_token_sealed, "
        "app_secret_sealed, token_hash) values (%s, %s, %s, %s, 'n', %s, 'sealed', 'sealed', 'hash')",
        [(n.id, n.tenant, n.project, n.agent, str(n.id.int % 10**12)) for n in numbers],
    )
    _many(
        owner,
        "insert into veraz.whatsapp_contact (id, tenant_id, project_id, number_id, phone, name) "
        "values (%s, %s, %s, %s, '5215512345678', 'secret')",
        [(n.contact, n.tenant, n.project, n.id) for n in numbers],
    )
    _many(
        owner,
        "insert into veraz.whatsapp_message (id, tenant_id, number_id, contact_id, conversation_id, direction, text, state) "
        "values (%s, %s, %s, %s, %s, 'out', 'secret', 'failed')",
        [(n.message, n.tenant, n.id, n.contact, talks[n.agent]) for n in numbers],
    )


def _space(owner: Owner) -> int:
    owner.execute(
        "insert into veraz.embedding_space (name, dimensions) values (%s, 8) on conflict (name) do nothing",
        (SPACE,),
    )
    row = owner.execute("select id from veraz.embedding_space where name = %s", (SPACE,)).fetchone()
    return row[0] if row else 0
