"""What waits for a person is one list, seen by who looks after the project and by nobody else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.ids import new_id
from veraz.learn.attention import Attention
from veraz.learn.gaps import Gaps
from veraz.providers.embedding.fake import FakeEmbedder
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.access import act_in
else:
    from support.access import act_in


@dataclass(frozen=True, kw_only=True)
class Company:
    """A tenant with an agent, and ways to make things go wrong in it."""

    tenant: "Tenant"
    agent_id: UUID
    owner: Connection[TupleRow]
    make_document: Callable[..., UUID]

    @property
    def admin(self) -> Actor:
        """Its administrator."""
        return Actor(tenant_id=self.tenant.id, user_id=self.tenant.admin_id, user_role="admin")

    def run(self, query: str, *values: object) -> None:
        """Writes as the tenant."""
        with self.owner.transaction():
            act_in(self.owner, self.tenant.id)
            self.owner.execute(query.encode(), values)

    def fail(self, error: errors.VerazError, name: str) -> UUID:
        """A document that failed."""
        document = self.make_document(self.tenant, name=name, status="failed")
        update = "update veraz.document set error_code = %s, error_message = %s where id = %s"
        self.run(update, error.code, error.message("es"), document)
        return document

    def wait(self, title: str, *, minutes: int) -> UUID:
        """A conversation that was handed over so long ago."""
        talk = new_id()
        self.run(
            "insert into veraz.conversation (id, agent_id, project_id, user_id, title, handoff_mode, handoff_at) "
            "values (%s, %s, %s, %s, %s, 'human', now() - make_interval(mins => %s))",
            *(talk, self.agent_id, self.tenant.project_id, self.tenant.admin_id, title, minutes),
        )
        return talk

    def say(self, talk: UUID, role: str, text: str = "x") -> None:
        """Somebody writes now."""
        query = "insert into veraz.message (id, conversation_id, role, text) values (%s, %s, %s, %s)"
        self.run(query, new_id(), talk, role, text)

    def refuse(self, question: str) -> None:
        """A question the agent could not answer."""
        self.run(
            "insert into veraz.query_log (id, kind, agent_id, kb_ids, question, stages, latency_ms, refused, turn) "
            "values (%s, 'ask', %s, '{}', %s, '{}', 1, true, 'question')",
            *(new_id(), self.agent_id, question),
        )

    def examine(self, *, failed: int) -> None:
        """A run of the exam."""
        results = [{"question": f"¿{n}?", "passed": False} for n in range(failed)]
        self.run(
            "insert into veraz.exam_run (id, agent_id, model, passed, failed, results) values (%s, %s, 'm', 1, %s, %s)",
            *(new_id(), self.agent_id, failed, Jsonb(results)),
        )


MakeCompany = Callable[..., Company]


@pytest.fixture
def make_company(
    make_tenant: "MakeTenant", make_document: Callable[..., UUID], owner: Connection[TupleRow]
) -> MakeCompany:
    """make_company(name): a tenant with an agent."""

    def make(name: str = "Acme", *, plan: str = "free", credits: int = 1_000) -> Company:
        tenant = make_tenant(name, plan=plan, credits=credits)
        company = Company(tenant=tenant, agent_id=new_id(), owner=owner, make_document=make_document)
        company.run(
            "insert into veraz.agent (id, project_id, name) values (%s, %s, 'Luna')",
            *(company.agent_id, tenant.project_id),
        )
        return company

    return make


@pytest.fixture
def attention(db: Database) -> Attention:
    """The service, with gaps put together by shared words."""
    return Attention(db, Gaps(db, FakeEmbedder()))


async def test_documents_that_failed_for_one_cause_are_one_row(
    make_company: MakeCompany, attention: Attention
) -> None:
    acme = make_company()
    broken = {acme.fail(errors.Corrupt(), f"{n}.pdf") for n in range(3)}
    acme.fail(errors.Protected(), "secreto.pdf")
    acme.fail(errors.Cancelled(), "cancelado.pdf")
    items = await attention.all(acme.admin, acme.tenant.project_id)
    assert {(item.kind, item.code, item.count, item.name) for item in items} == {
        ("documents", "corrupt", 3, "Base"),
        ("documents", "protected", 1, "Base"),
    }
    (corrupt,) = [item for item in items if item.count == 3]
    assert corrupt.detail == errors.Corrupt().message("es")
    found = await attention.documents(acme.admin, acme.tenant.kb_id, "corrupt")
    assert {document.id for document in found} == broken


async def test_who_waits_longest_comes_first_until_somebody_answers(
    make_company: MakeCompany, attention: Attention
) -> None:
    acme = make_company()
    short, long = acme.wait("corto", minutes=3), acme.wait("largo", minutes=30)
    answered = acme.wait("contestado", minutes=60)
    acme.say(answered, "human")
    items = await attention.all(acme.admin)
    assert [item.conversation_id for item in items] == [long, short]
    acme.say(long, "human")
    acme.say(answered, "user")
    assert {item.conversation_id for item in await attention.all(acme.admin)} == {short, answered}


async def test_who_waits_is_shown_with_what_they_wrote_last(
    make_company: MakeCompany, attention: Attention
) -> None:
    acme, rival = make_company(), make_company("Rival")
    silent, talk = acme.wait("¿Tienen taladros?", minutes=5), acme.wait("¿Cuánto cuesta?", minutes=3)
    for role, text in (
        ("user", "¿Cuánto cuesta?"),
        ("assistant", "2390 pesos."),
        ("user", "Quiero una factura"),
        ("assistant", "Lo paso con una persona."),
    ):
        acme.say(talk, role, text)
    items = {item.conversation_id: item.detail for item in await attention.all(acme.admin)}
    assert items == {silent: "¿Tienen taladros?", talk: "Quiero una factura"}
    assert await attention.all(rival.admin) == []


async def test_the_most_urgent_comes_first(make_company: MakeCompany, attention: Attention) -> None:
    acme = make_company(credits=100)
    acme.refuse("¿Venden bicicletas?")
    acme.refuse("¿Venden bicicletas?")
    acme.examine(failed=2)
    acme.fail(errors.EmptyDocument(), "a.txt")
    acme.wait("ayuda", minutes=1)
    items = await attention.all(acme.admin, acme.tenant.project_id)
    assert [(item.kind, item.count) for item in items] == [
        ("waiting", 1),
        ("credits", 100),
        ("documents", 1),
        ("exam", 2),
        ("gap", 2),
    ]
    assert items[1].share_left == pytest.approx(0.1)
    assert await attention.count(acme.admin, acme.tenant.project_id) == 4
    acme.examine(failed=0)
    assert "exam" not in {item.kind for item in await attention.all(acme.admin)}


async def test_what_was_answered_by_hand_is_no_gap_any_more(
    make_company: MakeCompany, attention: Attention, make_document: Callable[..., UUID]
) -> None:
    acme = make_company()
    acme.refuse("¿Venden bicicletas?")
    own = new_id()
    acme.run(
        "insert into veraz.knowledge_base (id, project_id, kind, name, agent_id) values (%s, %s, 'global', 'Luna', %s)",
        *(own, acme.tenant.project_id, acme.agent_id),
    )
    entry = make_document(acme.tenant, kb_id=own, name="¿Venden bicicletas?", status="completed")
    acme.run("update veraz.document set origin = 'manual' where id = %s", entry)
    assert await attention.all(acme.admin) == []


async def test_with_nothing_to_do_the_list_is_empty(make_company: MakeCompany, attention: Attention) -> None:
    acme = make_company()
    acme.make_document(acme.tenant, status="completed")
    assert await attention.all(acme.admin, acme.tenant.project_id) == []


async def test_the_other_company_and_who_manages_another_project_cannot(
    make_company: MakeCompany, attention: Attention, make_user: Callable[..., Scope]
) -> None:
    acme, rival = make_company(), make_company("Rival")
    acme.fail(errors.Corrupt(), "a.pdf")
    acme.wait("ayuda", minutes=1)
    acme.refuse("¿Venden bicicletas?")
    acme.examine(failed=1)
    assert await attention.all(rival.admin) == []
    with pytest.raises(errors.NotFound):
        await attention.all(rival.admin, acme.tenant.project_id)
    assert await attention.documents(rival.admin, acme.tenant.kb_id, "corrupt") == []
    other = new_id()
    acme.run("insert into veraz.project (id, name) values (%s, 'Otro')", other)
    scope = make_user(acme.tenant, level=None)
    acme.run(
        "insert into veraz.project_member (project_id, user_id, role) values (%s, %s, 'manager')",
        *(other, scope.user_id),
    )
    manager = Actor(tenant_id=acme.tenant.id, user_id=scope.user_id, user_role="member")
    assert await attention.all(manager) == []
    with pytest.raises(errors.NotFound):
        await attention.all(manager, acme.tenant.project_id)


async def test_members_are_told_that_it_is_not_theirs(
    make_company: MakeCompany, attention: Attention, make_user: Callable[..., Scope]
) -> None:
    acme = make_company()
    acme.wait("ayuda", minutes=1)
    member = Actor(tenant_id=acme.tenant.id, user_id=make_user(acme.tenant).user_id, user_role="member")
    assert await attention.all(member) == []
    with pytest.raises(errors.Forbidden):
        await attention.all(member, acme.tenant.project_id)
