"""An exam is kept for all who manage its agent: nobody in particular is asked for, and no other company runs it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from veraz import errors
from veraz.answer.service import Answers
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.learn.exam import Exams, NewExamQuestion
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.asking import PRICES, QUESTION, Owner
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import PRICES, QUESTION, Owner
    from support.searchable import Library, admin_of

SALARY = "¿Cuántos euros al mes es mi sueldo secreto?"
MACHINE = "¿Qué código abre la caldera?"


async def test_whoever_runs_an_exam_shows_nothing_of_their_own_knowledge_or_their_machines(
    db: Database,
    answers: Callable[..., Answers],
    library: Library,
    make_tenant: "MakeTenant",
    make_user: Callable[..., Any],
    owner: Owner,
) -> None:
    tenant = make_tenant()
    manager = make_user(tenant, level="manager").user_id
    shared, own = await library.kb(tenant), await library.kb(tenant, owner_id=manager)
    await library.document(shared, "precios.md", PRICES)
    await library.document(shared, "caldera.md", "El código 4711 abre la caldera.", machine="m1")
    await library.document(own, "mi-sueldo", "Mi sueldo secreto son 1234 euros al mes.")
    agent_id = await library.agent(tenant, shared, own)
    exams = Exams(db, answers())
    new = [NewExamQuestion(question=one, expected_text="1") for one in (QUESTION, SALARY, MACHINE)]
    await exams.add(admin_of(tenant), agent_id, new)
    person = Actor(tenant_id=tenant.id, user_id=manager, user_role="member")
    for runner in (person, replace(person, key_id=new_id(), user_role=None, machine_id="m1")):
        run = await exams.run(runner, agent_id)
        kept = str(owner.execute("select results from veraz.exam_run").fetchall())
        assert "20 euros" in kept
        assert not any(secret in kept + str(run) for secret in ("1234 euros", "código 4711")), runner
    assert not owner.execute(
        "select from veraz.query_log where user_id is not null or machine_id is not null"
    ).fetchall()


async def test_another_company_a_member_and_a_key_that_reads_run_no_exam(
    db: Database,
    answers: Callable[..., Answers],
    library: Library,
    make_tenant: "MakeTenant",
    make_user: Callable[..., Any],
) -> None:
    tenant = make_tenant()
    agent_id = await library.agent(tenant, await library.kb(tenant))
    exams = Exams(db, answers())
    member = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    reader = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({"read"}))
    for stranger in (member, reader, admin_of(make_tenant("Otra"))):
        with pytest.raises((errors.NotFound, errors.Forbidden, errors.ScopeMissing)):
            await exams.run(stranger, agent_id)
