"""Raw SQL as `veraz_app` in a caller's scope: looks at every table, writes to every row, forges and moves rows.

Every write runs in a savepoint that is rolled back, so the world stays as it is; what counts is whether PostgreSQL
let it happen. Each method yields the differences between what happened and what the model says.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.scope import Scope
from veraz.ids import new_id

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.access import act_as
    from tests.support.isolation_world import SPACE
else:
    from support import isolation_model as m
    from support.access import act_as
    from support.isolation_world import SPACE

DENIED = psycopg.errors.InsufficientPrivilege, psycopg.errors.IntegrityError, psycopg.errors.RaiseException

T = TypeVar("T")

_CHUNK: dict[str, object] = {
    "space_id": 1, "ordinal": 9, "content": "x", "content_hash": "", "tokens": 1, "words": 1, "start_char": 0,
    "end_char": 1, "lexemes": "", "bm25": "{}/536870912",
}  # fmt: skip


class SqlAttack:
    """One caller with a connection of their own."""

    def __init__(
        self, connection: Connection[TupleRow], world: m.World, eyes: m.Eyes, scope: Scope, random: Random
    ) -> None:
        self.connection, self.world, self.eyes, self.scope = connection, world, eyes, scope
        self.random = random
        self.attempts = 0

    def run(self, *, writes: int) -> Iterator[str]:
        """Looks at everything, then `writes` attempts of each kind on each table, in one transaction that is undone."""
        self.writes = writes
        self.connection.execute("begin")
        act_as(self.connection, self.scope)
        try:
            yield from self.looks()
            yield from self.word_counts()
            yield from self.reading_sets()
            if writes:
                yield from self.searches()
                yield from self.changes()
                yield from self.forges()
                yield from self.moves()
                yield from self.functions()
        finally:
            self.connection.execute("rollback")

    # looking

    def looks(self) -> Iterator[str]:
        """The ids of every table, compared with the model."""
        for table, key, expected in self._visible():
            found = self._values(f"select {key} from veraz.{table}")
            wanted = {str(x) for x in expected}
            if found != wanted:
                yield f"{table}: leaked {found - wanted}, denied {wanted - found}"

    def _visible(self) -> Iterator[tuple[str, str, Iterable[object]]]:
        w, e = self.world, self.eyes
        yield "tenant", "id", [e.tenant]
        yield "app_user", "id", [u.id for u in w.users.values() if e.sees_user(u)]
        yield "project", "id", [p.id for p in w.projects.values() if e.sees_project(p)]
        members = [(p, u) for p in w.projects.values() for u in p.members if e.sees_member(p, u)]
        yield "project_member", "project_id || '/' || user_id", [f"{p.id}/{u}" for p, u in members]
        yield "licence", "id", [x.id for x in w.licences.values() if e.sees_licence(x)]
        yield "identity_provider", "id", [e.tenant] if e.admin else []
        yield "end_user_key", "id", [e.tenant] if e.admin else []
        yield "end_user_token", "key_id", [e.tenant] if e.admin else []
        hooks = [x for x in w.webhooks.values() if e.manages_webhook(x)]
        yield "webhook", "id", [x.id for x in hooks]
        yield "webhook_delivery", "id", [x.delivery for x in hooks]
        numbers = [x for x in w.numbers.values() if e.manages_number(x)]
        yield "whatsapp_number", "id", [x.id for x in numbers]
        yield "whatsapp_contact", "id", [x.contact for x in numbers]
        yield "whatsapp_message", "id", [x.message for x in numbers]
        yield "credit_balance", "tenant_id", [e.tenant]
        yield "credit_entry", "tenant_id", [e.tenant] if e.admin else []
        yield "audit_entry", "tenant_id", [e.tenant] if e.admin else []
        yield "security_event", "tenant_id", [e.tenant] if e.admin else []
        yield "forgetting", "tenant_id", [e.tenant] if e.admin else []
        yield "agent", "id", [a.id for a in w.agents.values() if e.sees_agent(a)]
        kbs = [k for k in w.kbs.values() if e.sees_kb(k)]
        yield "knowledge_base", "id", [k.id for k in kbs]
        yield "edition", "id", [k.edition for k in kbs]
        yield "edition_term", "edition_id", [k.edition for k in kbs]
        yield "assignment", "id", [a.id for a in w.assignments.values() if e.sees_assignment(a)]
        documents = [d for d in w.documents.values() if e.sees_document(d)]
        yield "document", "id", [d.id for d in documents]
        yield "chunk", "id", [d.chunk for d in documents]
        yield "document_text", "document_id", [d.id for d in documents]
        yield "document_version", "document_id", [d.id for d in documents]
        yield "correction", "id", [d.chunk for d in documents]
        yield "forgotten_span", "document_id", [d.id for d in documents]
        yield "embedding_cache", "document_id", [d.id for d in documents if e.changes_document(d)]
        yield "job", "id", [d.job for d in documents]
        yield "job_history", "id", [UUID(int=d.job.int ^ 1) for d in documents]
        yield "event", "document_id", [d.id for d in documents]
        yield "query_log", "id", [q.id for q in w.questions.values() if e.sees_question(q)]
        yield "query_trace", "query_id", [q.id for q in w.questions.values() if e.sees_trace(q)]
        talks = w.conversations.values()
        yield "conversation", "id", [t.id for t in talks if e.sees_conversation(t)]
        yield "message", "id", [t.message for t in talks if e.sees_message(t)]
        yield "feedback", "id", [t.message for t in talks if e.sees_message(t)]
        managed = [a.id for a in w.agents.values() if e.level(a.project) >= 2]
        yield "exam_question", "id", managed
        yield "exam_run", "id", managed
        yield "agent_change", "id", managed
        yield "agent_version", "agent_id", managed
        yield "widget", "id", managed
        yield "domain_intelligence", "kb_id", [k.id for k in kbs]

    def word_counts(self) -> Iterator[str]:
        """What is counted of texts that are bound to a machine is bound to it too."""
        found = self._values(
            "select edition_id || '/' || machine_id from veraz.edition_term where term = -1 "
            "group by edition_id, machine_id having sum(count) > 0"
        )
        documents = [d for d in self.world.documents.values() if self.eyes.sees_document(d)]
        wanted = {f"{self.world.kbs[d.kb].edition}/{d.machine}" for d in documents}
        if found != wanted:
            yield f"word counts: leaked {found - wanted}, denied {wanted - found}"

    def reading_sets(self) -> Iterator[str]:
        """Every agent of every tenant, asked for this caller."""
        for agent in self.world.agents.values():
            found = self._values(f"select kb_id || '/' || edition_id from veraz.reading_set('{agent.id}')")
            wanted = {f"{kb}/{self.world.kbs[kb].edition}" for kb in self.eyes.reading_set(agent)}
            if found != wanted:
                yield f"reading_set({agent.id}): leaked {found - wanted}, denied {wanted - found}"

    def searches(self) -> Iterator[str]:
        """A search that would find everything, through every agent and in every kb of everybody."""
        w, e = self.world, self.eyes
        for agent in self._some(w.agents.values()):
            yield from self._search(f"'{agent.id}', null", e.found(e.reading_set(agent)))
        for kb in self._some(w.kbs.values()):
            readable = e.sees_kb(kb) and not kb.archived
            yield from self._search(f"null, '{{{kb.id}}}'", e.found({kb.id}) if readable else set())
            agent = self.random.choice(list(w.agents.values()))
            both = e.reading_set(agent) & {kb.id}
            yield from self._search(f"'{agent.id}', '{{{kb.id}}}'", e.found(both))

    def _search(self, where: str, expected: set[UUID]) -> Iterator[str]:
        space = f"(select array[id] from veraz.embedding_space where name = '{SPACE}')"
        vector = "array[array_fill(1, array[8])::vector]"
        found = self._values(
            f"select chunk_id from veraz.search({where}, {space}, {vector}, '{{es}}', '{{secret}}', '{{0}}', 1000, '{{}}') "
            "where chunk_id is not null"
        )
        wanted = {str(x) for x in expected}
        if found != wanted:
            yield f"search({where}): leaked {found - wanted}, denied {wanted - found}"

    # changing

    def changes(self) -> Iterator[str]:
        """A harmless update and a delete of every row of everybody."""
        for table, where, column, may_change, may_delete in self._of_each(self._rows(), lambda row: row[0]):
            touched = self._touched(f"update veraz.{table} set {column} = {column} where {where}")
            if touched != may_change:
                yield f"update {table} {where}: {'leaked' if touched else 'denied'}"
            gone = self._touched(f"delete from veraz.{table} where {where}")
            if gone != may_delete:
                yield f"delete {table} {where}: {'leaked' if gone else 'denied'}"

    def _rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        w, e = self.world, self.eyes
        for tenant in w.tenants:
            own = tenant == e.tenant and e.admin
            yield "tenant", f"id = '{tenant}'", "name", own, False
            for table in ("credit_balance", "credit_entry", "audit_entry", "security_event", "forgetting"):
                yield table, f"tenant_id = '{tenant}'", "tenant_id", False, False
        yield from self._people_rows()
        yield from self._project_rows()
        yield from self._webhook_rows()
        yield from self._number_rows()
        yield from self._kb_rows()
        for talk in w.conversations.values():
            sees, reads = e.sees_conversation(talk), e.sees_message(talk)
            yield "conversation", f"id = '{talk.id}'", "title", sees, sees
            yield "message", f"id = '{talk.message}'", "text", reads, reads
            yield "feedback", f"id = '{talk.message}'", "reason", reads, reads
        for question in w.questions.values():
            yield "query_log", f"id = '{question.id}'", "question", False, False
            yield "query_trace", f"query_id = '{question.id}'", "trace", False, False

    def _project_rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        w, e = self.world, self.eyes
        for project in w.projects.values():
            yield "project", f"id = '{project.id}'", "name", e.level(project.id) >= 3, self._admin(project)
            for user in project.members:
                key = f"project_id = '{project.id}' and user_id = '{user}'"
                yield "project_member", key, "role", e.level(project.id) >= 3, e.level(project.id) >= 3
        for agent in w.agents.values():
            manages = e.level(agent.project) >= 2
            yield "exam_question", f"id = '{agent.id}'", "question", manages, manages
            yield "exam_run", f"id = '{agent.id}'", "model", manages, manages
            yield "agent_change", f"id = '{agent.id}'", "message", manages, manages
            yield "agent_version", f"agent_id = '{agent.id}'", "settings", False, False
            yield "widget", f"id = '{agent.id}'", "title", manages, manages
            yield "agent", f"id = '{agent.id}'", "name", manages, manages
        for assignment in w.assignments.values():
            may = e.changes_assignment(assignment)
            still = m.fits(w.agents[assignment.agent], w.kbs[assignment.kb])
            yield "assignment", f"id = '{assignment.id}'", "priority", may and still, may

    def _webhook_rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        for hook in self.world.webhooks.values():
            may = self.eyes.manages_webhook(hook)
            yield "webhook", f"id = '{hook.id}'", "url", may, may
            yield "webhook_delivery", f"id = '{hook.delivery}'", "status", may, may

    def _number_rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        for number in self.world.numbers.values():
            may = self.eyes.manages_number(number)
            yield "whatsapp_number", f"id = '{number.id}'", "name", may, may
            yield "whatsapp_contact", f"id = '{number.contact}'", "name", may, may
            yield "whatsapp_message", f"id = '{number.message}'", "text", may, may

    def _kb_rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        w, e = self.world, self.eyes
        for kb in w.kbs.values():
            may = e.changes_kb(kb)
            yield "knowledge_base", f"id = '{kb.id}'", "name", may, may
            yield "edition", f"id = {kb.edition}", "status", may, may
            yield "edition_term", f"edition_id = {kb.edition}", "count", False, False
            yield "domain_intelligence", f"kb_id = '{kb.id}'", "interpreted_intent", may, may
        for d in w.documents.values():
            may = e.changes_document(d)
            yield "document", f"id = '{d.id}'", "name", may, may
            yield "chunk", f"id = '{d.chunk}'", "content", may, may
            yield "document_text", f"document_id = '{d.id}'", "text", may, may
            yield "document_version", f"document_id = '{d.id}'", "name", may, may
            yield "correction", f"id = '{d.chunk}'", "after", may, may
            yield "embedding_cache", f"document_id = '{d.id}'", "embedding", may, may
            yield "job", f"id = '{d.job}'", "stage", may, may
            yield "job_history", f"id = '{UUID(int=d.job.int ^ 1)}'", "stage", may, may
            yield "event", f"document_id = '{d.id}'", "kind", False, False

    def _people_rows(self) -> Iterator[tuple[str, str, str, bool, bool]]:
        w = self.world
        for user in w.users.values():
            yield "app_user", f"id = '{user.id}'", "display_name", False, False
            yield "session", f"user_id = '{user.id}'", "expires_at", False, False
        for key in w.keys.values():
            yield "api_key", f"id = '{key.id}'", "name", False, False
        for tenant in w.tenants:
            may = self.eyes.admin and tenant == self.eyes.tenant
            yield "identity_provider", f"id = '{tenant}'", "client_id", may, may
            yield "end_user_key", f"id = '{tenant}'", "name", may, may
            yield "end_user_token", f"key_id = '{tenant}'", "until", may, may
        for licence in w.licences.values():
            yield "licence", f"id = '{licence.id}'", "user_name", self._admin(licence), self._admin(licence)

    def _admin(self, row: m.Row) -> bool:
        return self.eyes.admin and row.tenant == self.eyes.tenant

    # forging

    def forges(self) -> Iterator[str]:
        """New rows in everybody's name and place."""
        for statement, allowed in self._of_each(self._new_rows(), lambda new: new[0][:45]):
            done = self._touched(statement)
            if done != allowed:
                yield f"{'leaked' if done else 'denied'}: {statement}"

    def _new_rows(self) -> Iterator[tuple[str, bool]]:
        for tenant in self.world.tenants:
            yield from self._new_in_tenant(tenant)
        yield insert("tenant", id=new_id(), name="x", plan="unlimited"), False
        yield "update veraz.plan set credits = 1 where code = 'free'", False
        yield from self._new_of_people()
        yield from self._new_in_projects()
        yield from self._new_webhooks()
        yield from self._new_numbers()
        yield from self._new_in_kbs()

    def _new_in_tenant(self, tenant: UUID) -> Iterator[tuple[str, bool]]:
        e, new = self.eyes, new_id()
        admin = e.admin and tenant == e.tenant
        yield insert("app_user", id=new, tenant_id=tenant, email=f"{new}@x.y"), False
        yield insert("project", id=new, tenant_id=tenant, name="new"), admin
        yield insert("licence", id=new, tenant_id=tenant, machine_id="m9"), admin
        signing = insert(
            "end_user_key", id=new, tenant_id=tenant, name="x", algorithm="EdDSA", public_key="x"
        )
        yield signing, admin
        yield insert("credit_entry", tenant_id=tenant, credits=1, balance=1, reason="x"), False
        forged = insert(
            "audit_entry", tenant_id=tenant, action="insert", thing="x", thing_id="x", changes="{}"
        )
        yield forged, False
        yield insert("security_event", tenant_id=tenant, at="now", kind="x", outcome="done"), False
        yield f"update veraz.credit_balance set credits = 999 where tenant_id = '{tenant}'", False
        yield f"update veraz.tenant set plan = 'business' where id = '{tenant}'", False
        yield _key(tenant, None), False
        yield _kb(tenant, None, None), e.changes_kb(m.Kb(id=new, tenant=tenant))

    def _new_of_people(self) -> Iterator[tuple[str, bool]]:
        e = self.eyes
        for user in self.world.users.values():
            me = e.is_me(user.id)
            yield _key(user.tenant, user.id), False
            session = {"id": new_id(), "tenant_id": user.tenant, "user_id": user.id}
            yield insert("session", **session, token_hash=new_id(), expires_at="2100-01-01"), False
            yield insert("password_link", **session, token_hash=new_id(), expires_at="2100-01-01"), False
            yield _kb(user.tenant, None, user.id), me
            change = "update veraz.app_user set {} where id = '" + str(user.id) + "'"
            yield change.format("password_hash = 'mine'"), False
            yield change.format(f"role = 'admin', email = '{new_id()}@x.y'"), False
            yield change.format("is_platform_admin = true"), False
            for call in _ways_in(user.id):
                yield f"select veraz.{call}", False

    def _new_in_projects(self) -> Iterator[tuple[str, bool]]:
        w, e = self.world, self.eyes
        for project in w.projects.values():
            level, here = e.level(project.id), {"tenant_id": project.tenant, "project_id": project.id}
            yield insert("agent", id=new_id(), name="new", **here), level >= 2
            yield _kb(project.tenant, project.id, None), level >= 2
            for user in w.users.values():
                if user.id not in project.members:
                    member = insert("project_member", user_id=user.id, role="admin", **here)
                    yield member, level >= 3 and user.tenant == project.tenant

    def _new_webhooks(self) -> Iterator[tuple[str, bool]]:
        for hook in self.world.webhooks.values():
            may, new = self.eyes.manages_webhook(hook), new_id()
            place = {"id": new, "tenant_id": hook.tenant, "project_id": hook.project, "name": "x"}
            yield insert("webhook", **place, url="x", events="{x}", secret_sealed=""), may
            sent = {"id": new, "tenant_id": hook.tenant, "webhook_id": hook.id, "kind": "x"}
            yield insert("webhook_delivery", **sent), may

    def _new_numbers(self) -> Iterator[tuple[str, bool]]:
        talks = {talk.agent: talk.id for talk in self.world.conversations.values()}
        for number in self.world.numbers.values():
            may, of = self.eyes.manages_number(number), {"tenant_id": number.tenant}
            place = of | {"project_id": number.project, "agent_id": number.agent, "name": "x"}
            sealed = {"access_token_sealed": "", "app_secret_sealed": "", "token_hash": ""}
            yield insert("whatsapp_number", id=new_id(), phone_number_id="1", **place, **sealed), may
            who = of | {"project_id": number.project, "number_id": number.id, "phone": "1"}
            yield insert("whatsapp_contact", id=new_id(), **who), may
            said = of | {"number_id": number.id, "contact_id": number.contact, "state": "ready"}
            talk = {"conversation_id": talks[number.agent], "direction": "out"}
            yield insert("whatsapp_message", id=new_id(), **said, **talk), may

    def _new_in_kbs(self) -> Iterator[tuple[str, bool]]:
        w, e = self.world, self.eyes
        taken = {(a.agent, a.kb) for a in w.assignments.values()}
        for kb in w.kbs.values():
            may, here = e.changes_kb(kb), {"tenant_id": kb.tenant, "kb_id": kb.id}
            for machine in ("global", "m1", "m2"):
                mine = e.machine is None or machine in ("global", e.machine)
                file = {
                    "name": "x",
                    "origin": "text",
                    "file_type": "txt",
                    "size_bytes": 1,
                    "machine_id": machine,
                }
                yield insert("document", id=new_id(), **here, **file), may and mine
                for other in self._some(w.documents.values(), 2):
                    if other.kb != kb.id:
                        yield (
                            insert("document", id=new_id(), **here, **file, storage_key=other.storage_key),
                            False,
                        )
                count = {"edition_id": kb.edition, "machine_id": machine, "term": 5, "count": 5}
                yield insert("edition_term", tenant_id=kb.tenant, **count), may and mine
            yield from self._new_work(kb)
            for agent in w.agents.values():
                if (agent.id, kb.id) not in taken:
                    pair = {
                        "tenant_id": agent.tenant,
                        "agent_id": agent.id,
                        "kb_id": kb.id,
                        "project_id": agent.id,
                    }
                    yield insert("assignment", id=new_id(), **pair), e.may_assign(agent, kb)

    def _new_work(self, kb: m.Kb) -> Iterator[tuple[str, bool]]:
        """Jobs that requests may begin, every other of which follows from what happened, and events."""
        here = {"tenant_id": kb.tenant, "kb_id": kb.id}
        yield insert("job", id=new_id(), kind="crawl", **here), self.eyes.changes_kb(kb)
        for kind in ("forget_files", "forget", "deliver_webhook", "run_exam", "whatsapp"):
            yield insert("job", id=new_id(), kind=kind, **here), False
        for d in self._some(self.world.documents.values(), 3):
            may = d.kb == kb.id and self.eyes.changes_document(d)
            yield insert("job", id=new_id(), kind="ingest", **here, document_id=d.id), may
            yield insert("event", kind="document.completed", **here, document_id=d.id, payload="{}"), may
        for talk in self._some(self.world.conversations.values(), 2):
            said = f'{{"conversation_id": "{talk.id}", "agent_id": "{talk.agent}"}}'
            told = insert("event", kind="conversation.handoff", tenant_id=talk.tenant, payload=said)
            yield told, self.eyes.sees_conversation(talk)

    # moving

    def moves(self) -> Iterator[str]:
        """Rows one may change, moved to where they do not belong. Nothing ever moves between owners."""
        for statement in self._of_each(self._moved(), lambda statement: statement[:45]):
            if self._touched(statement):
                yield f"leaked: {statement}"

    def _moved(self) -> Iterator[str]:
        w, e = self.world, self.eyes
        for kb in self._some(kb for kb in w.kbs.values() if e.changes_kb(kb)):
            yield from self._moved_kb(kb)
        for d in self._some(d for d in w.documents.values() if e.changes_document(d)):
            yield from self._moved_document(d)
        yield from self._moved_channels()
        yield from self._moved_talks()
        elsewhere = ((a, p) for a in w.agents.values() for p in w.projects.values() if p.id != a.project)
        for agent, project in elsewhere:
            yield f"update veraz.agent set project_id = '{project.id}' where id = '{agent.id}'"
        for tenant in w.tenants:
            if tenant != e.tenant:
                for table in (
                    "app_user", "project", "licence", "agent", "assignment", "document", "api_key", "webhook",
                    "whatsapp_number", "whatsapp_contact", "whatsapp_message", "widget",
                ):  # fmt: skip
                    yield f"update veraz.{table} set tenant_id = '{tenant}' where tenant_id = '{e.tenant}'"

    def _moved_talks(self) -> Iterator[str]:
        """Conversations, what was said in them and what was asked, to somebody else's name."""
        w, me = self.world, self.eyes.user.id if self.eyes.user else self.eyes.tenant
        for talk in self._some(w.conversations.values()):
            for column in ("user_id", "key_id"):
                yield f"update veraz.conversation set {column} = '{me}' where id = '{talk.id}'"
            for column in ("user_id", "key_id", "machine_id", "external_id"):
                yield f"update veraz.conversation set {column} = null where id = '{talk.id}'"
            for other in self._some(w.conversations.values(), 2):
                yield f"update veraz.message set conversation_id = '{other.id}' where id = '{talk.message}'"
                yield f"update veraz.feedback set message_id = '{other.message}' where id = '{talk.message}'"
        for hook in self._some(w.webhooks.values(), 2):
            yield f"update veraz.webhook_delivery set webhook_id = '{hook.id}'"
        yield "update veraz.query_log set user_id = null"

    def _moved_channels(self) -> Iterator[str]:
        for hook in self.world.webhooks.values():
            for project in self.world.projects.values():
                if project.id != hook.project:
                    yield f"update veraz.webhook set project_id = '{project.id}' where id = '{hook.id}'"
        numbers = self.world.numbers.values()
        for number, other in ((n, o) for n in numbers for o in numbers if o.id != n.id):
            yield f"update veraz.whatsapp_contact set number_id = '{other.id}' where id = '{number.contact}'"
            if other.project != number.project:
                yield f"update veraz.whatsapp_number set agent_id = '{other.agent}' where id = '{number.id}'"

    def _moved_kb(self, kb: m.Kb) -> Iterator[str]:
        change = "update veraz.knowledge_base set {} where id = '" + str(kb.id) + "'"
        for other in self._some(self.world.kbs.values()):
            if other.id != kb.id:
                # another shelf's edition under this shelf's name would be read in its place
                yield change.format(f"live_edition_id = {other.edition}") + "; set constraints all immediate"
            if other.tenant != kb.tenant:
                yield change.format(f"tenant_id = '{other.tenant}'")
            if other.owner != kb.owner:
                yield change.format(f"owner_id = {_literal(other.owner)}")

    def _moved_document(self, d: m.Document) -> Iterator[str]:
        w = self.world
        for other in self._some(w.documents.values(), 2):
            yield f"update veraz.document set storage_key = '{other.storage_key}' where id = '{d.id}'"
        payload = '{"keys": ["' + d.storage_key + '"]}'
        yield f"update veraz.job set kind = 'forget_files', payload = '{payload}', status = 'PENDING' where id = '{d.job}'"
        for kb in self._some(w.kbs.values()):
            if kb.id == d.kb:
                continue
            yield f"update veraz.document set kb_id = '{kb.id}' where id = '{d.id}'"
            yield f"update veraz.job set kb_id = '{kb.id}' where id = '{d.job}'"
            yield f"update veraz.chunk set edition_id = {kb.edition} where id = '{d.chunk}'"
            for kb_id, edition in ((d.kb, kb.edition), (kb.id, w.kbs[d.kb].edition), (kb.id, kb.edition)):
                place = {"tenant_id": d.tenant, "kb_id": kb_id, "edition_id": edition, "document_id": d.id}
                yield insert("chunk", id=new_id(), machine_id=d.machine, **place, **_CHUNK)

    def _some(self, rows: Iterable[T], number: int = 6) -> list[T]:
        every = list(rows)
        return self.random.sample(every, min(number, len(every)))

    def _of_each(self, rows: Iterable[T], kind: Callable[[T], str]) -> Iterator[T]:
        """Some of every kind, so that few rows are tried as often as many."""
        kinds: dict[str, list[T]] = {}
        for row in rows:
            kinds.setdefault(kind(row), []).append(row)
        for same in kinds.values():
            yield from self._some(same, self.writes)

    # the doors in the wall

    def functions(self) -> Iterator[str]:
        """Functions that run as somebody else answer only what the caller may know."""
        yield from self._known("people", {u.id for u in self.world.users.values() if self.eyes.sees_user(u)})
        yield from self._known("keys_seen", {k.id for k in self.world.keys.values() if self.eyes.sees_key(k)})
        for user in self.world.users.values():
            if bool(self._values(f"select id from veraz.person('{user.id}')")) != self.eyes.sees_user(user):
                yield f"person({user.id})"
            found = self._values(f"select veraz.colleague_by_email('{user.id}@x.y')") - {"None"}
            admin_somewhere = any(self.eyes.level(p) >= 3 for p in self.world.projects)
            if bool(found) != (user.tenant == self.eyes.tenant and not user.external and admin_somewhere):
                yield f"colleague_by_email: {found}"
        for statement, allowed in (
            ("select veraz.move_credits(1000, 'gift')", self.eyes.platform),
            ("select veraz.move_credits(-1, 'use')", self.eyes.platform),
            (f"select veraz.settle_credits('{new_id()}', -1000, 'gift')", False),
            ("select veraz.book_credits(1000, 'gift', null, null, null, null, null)", False),
            (
                "create temp table t (id uuid); create trigger t before insert on t execute function veraz.audit()",
                False,
            ),
            (
                "create temp table t (id uuid); create trigger t before insert on t execute function veraz.assignment_rules()",
                False,
            ),
        ):
            if self._touched(statement) != allowed:
                yield f"{statement}: {'denied' if allowed else 'leaked'}"

    def _known(self, function: str, expected: set[UUID]) -> Iterator[str]:
        found = self._values(f"select id from veraz.{function}(null, 100000)")
        wanted = {str(one) for one in expected}
        if found != wanted:
            yield f"{function}: leaked {found - wanted}, denied {wanted - found}"

    # hands

    def _values(self, query: str) -> set[str]:
        self.attempts += 1
        return {str(row[0]) for row in self.connection.execute(query.encode()).fetchall()}

    def _touched(self, statement: str) -> bool:
        """Whether the statement reached any row; it is undone at once."""
        self.attempts += 1
        self.connection.execute("savepoint attempt")
        try:
            cursor = self.connection.execute(statement.encode())
            return bool(cursor.rowcount)
        except DENIED:
            return False
        except psycopg.Error as error:
            if (error.sqlstate or "").startswith("VZ"):
                return False
            raise AssertionError(f"{statement} failed unexpectedly: {error}") from error
        finally:
            self.connection.execute("rollback to savepoint attempt")


def insert(table: str, **values: object) -> str:
    """An insert statement; every value comes from the test itself."""
    listed = ", ".join(_literal(value) for value in values.values())
    return f"insert into veraz.{table} ({', '.join(values)}) values ({listed})"


def _key(tenant: UUID, user: UUID | None) -> str:
    secret = {"name": "x", "prefix": "x", "key_hash": new_id(), "scopes": "{admin}"}
    return insert("api_key", id=new_id(), tenant_id=tenant, user_id=user, **secret)


def _ways_in(user: UUID) -> Iterator[str]:
    """Calls that read a secret or make a way in; none is for requests."""
    new, secret = new_id(), "decode('00', 'hex')"
    yield f"users_for_login('{user}@x.y')"
    yield f"open_session('{new}', {secret}, '2100-01-01', '', '')"
    yield "own_password()"
    yield f"set_password('{user}', 'mine', false, null)"
    yield f"add_person('{new}', '{new}@x.y', '', 'admin', 'es', 'mine', false, true)"
    yield f"change_person('{user}', null, 'admin', null, null)"
    yield f"remove_person('{user}')"
    yield f"add_key('{new}', 'x', 'x', {secret}, '{{admin}}', null, true, null, false)"
    yield f"add_password_link('{new}', '{user}', {secret}, '2100-01-01')"
    yield f"end_ways_in('{user}', null, true)"
    yield f"keys_made_by('{user}')"
    yield f"revoke_keys_made_by('{user}')"


def _kb(tenant: UUID, project: UUID | None, owner: UUID | None) -> str:
    place = {"tenant_id": tenant, "project_id": project, "owner_id": owner}
    return insert("knowledge_base", id=new_id(), kind="personal" if owner else "global", name="new", **place)


def _literal(value: object) -> str:
    if value is None:
        return "null"
    return str(value) if isinstance(value, int) else f"'{value}'"
