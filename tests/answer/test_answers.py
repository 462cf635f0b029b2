"""An agent answers from evidence, refuses without it, and leaves a trace either way."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.model import Answered, Checked, Event, Found, Revised, Searching, Wrote
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.providers.chat.fake import ScriptedChat
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

Owner = Connection[TupleRow]

PRICES = "El plan básico cuesta 10 euros al mes. El plan premium cuesta 20 euros al mes."
TEAM = "Ana García dirige el gimnasio municipal desde 2015. Luis Pérez dirige la piscina."


@pytest.fixture
async def agent(library: Library, make_tenant: "MakeTenant") -> tuple["Tenant", UUID]:
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "precios.md", PRICES)
    await library.document(kb, "equipo.md", TEAM)
    agent_id = await library.agent(tenant, kb, retrieval={"similarity_threshold": 0.0})
    return tenant, agent_id


def give_model(owner: Owner, agent_id: UUID, **columns: object) -> None:
    for name, value in columns.items():
        owner.execute(f"update veraz.agent set {name} = %s where id = %s".encode(), (value, agent_id))


async def events_of(
    answers: Answers, actor: Actor, agent_id: UUID, question: str, **more: Any
) -> list[Event]:
    async with aclosing(answers.ask(actor, agent_id, Ask(question=question, **more))) as stream:
        return [event async for event in stream]


def log_lines(owner: Owner) -> list[TupleRow]:
    return owner.execute("select question, kind, refused from veraz.query_log order by id").fetchall()


def credits_spent(owner: Owner) -> int:
    row = owner.execute("select coalesce(-sum(credits), 0)::int from veraz.credit_entry").fetchone()
    assert row is not None
    return int(row[0])


async def test_without_a_model_the_answer_is_a_quotation_with_its_proof(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    events = await events_of(answers(), admin_of(tenant), agent_id, "¿Cuánto cuesta el plan premium al mes?")
    kinds = [type(event) for event in events]
    assert kinds == [Searching, Found, Wrote, Checked, Answered]
    answered = events[-1]
    assert isinstance(answered, Answered)
    answer = answered.answer
    assert "El plan premium cuesta 20 euros al mes [Chunk 1]." in answer.text
    assert not answer.refused
    assert answer.claims[0].support == 1.0
    assert answer.claims[0].chunk_ids == (answer.evidence[0].passage.chunk_id,)
    assert answer.conversation_id
    assert answer.message_id
    assert log_lines(owner) == [("¿Cuánto cuesta el plan premium al mes?", "ask", False)]
    assert credits_spent(owner) == 0


async def test_a_question_without_evidence_is_refused_and_logged(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat("nunca")
    give_model(owner, agent_id, model=model.name, fallback_message="Escriba a info@acme.es.")
    answer = await answers(model).answer(
        admin_of(tenant), agent_id, Ask(question="¿Qué volcanes hay en Islandia?")
    )
    assert answer.refused
    assert answer.text == "Escriba a info@acme.es."
    assert not model.requests
    assert log_lines(owner)[0][2] is True
    assert credits_spent(owner) == 0


async def test_a_misspelt_word_of_a_question_counts_as_the_one_it_stands_for(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID]
) -> None:
    tenant, agent_id = agent
    expected = {
        "quien dirije la pisina": "Luis Pérez dirige la piscina [Chunk 1].",
        "cuanto cuesta el plam premium al mez": "El plan premium cuesta 20 euros al mes [Chunk 1].",
    }
    for typed, said in expected.items():
        answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=typed))
        assert said in answer.text, typed


@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("Teherán es la capital de Irán.", "¿Cuál es la capital de Irak?"),
        ("La reunión de Sara Marín fue en Gerona en 2019.", "¿Cuándo fue la reunión de Verona?"),
        ("El doctor Martín Gómez atiende los lunes.", "¿Qué día atiende el doctor Gámez?"),
    ],
)
async def test_a_name_is_not_taken_for_another(
    answers: Callable[..., Answers],
    library: Library,
    make_tenant: "MakeTenant",
    known: str,
    question: str,
) -> None:
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "known.md", known)
    agent_id = await library.agent(tenant, kb, retrieval={"similarity_threshold": 0.0})
    assert (await answers().answer(admin_of(tenant), agent_id, Ask(question=question))).refused


async def test_another_tenants_agent_is_not_found(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], make_tenant: "MakeTenant"
) -> None:
    other = make_tenant("Otra")
    with pytest.raises(errors.NotFound):
        await answers().answer(admin_of(other), agent[1], Ask(question="¿Cuánto cuesta el plan premium?"))


async def test_what_a_model_invents_is_corrected_once_and_then_removed(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat(
        "El plan premium cuesta 20 euros [Chunk 1]. El plan premium cuesta 99 euros [Chunk 1].",
        "El plan premium cuesta 20 euros al mes [Chunk 1]. Incluye sauna [Chunk 1].",
    )
    give_model(owner, agent_id, model=model.name)
    events = await events_of(answers(model), admin_of(tenant), agent_id, "¿Cuánto cuesta el plan premium?")
    answered = events[-1]
    assert isinstance(answered, Answered)
    assert answered.answer.corrected
    assert "99" not in answered.answer.text
    assert "sauna" not in answered.answer.text
    assert "20 euros" in answered.answer.text
    assert any(isinstance(event, Revised) for event in events)
    assert len(model.requests) == 2
    assert "99 euros" in model.requests[1].messages[-1].text
    assert credits_spent(owner) >= 1


async def test_when_nothing_is_proven_the_answer_is_a_refusal(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat("El plan premium cuesta 99 euros [Chunk 1].")
    give_model(owner, agent_id, model=model.name, handoff_on_refusal=True)
    answer = await answers(model).answer(
        admin_of(tenant), agent_id, Ask(question="¿Cuánto cuesta el plan premium?")
    )
    assert (answer.refused, answer.refusal, answer.handoff) == (True, "unsupported", True)
    assert "99" not in answer.text
    spent = credits_spent(owner)
    again = await answers(model).answer(
        admin_of(tenant), agent_id, Ask(question="¿Hay alguien?", conversation_id=answer.conversation_id)
    )
    assert again.refusal == "human"
    assert len(model.requests) == 2
    assert credits_spent(owner) == spent


async def test_a_model_that_fails_says_so_costs_nothing_and_is_logged(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat(errors.OutsideRejected(host="openai", reason="401"))
    give_model(owner, agent_id, model=model.name)
    with pytest.raises(errors.OutsideRejected):
        await answers(model).answer(
            admin_of(tenant), agent_id, Ask(question="¿Cuánto cuesta el plan premium?")
        )
    assert len(log_lines(owner)) == 1
    assert credits_spent(owner) == 0
    row = owner.execute("select error from veraz.message where role = 'assistant'").fetchone()
    assert row == ("outside_rejected",)


async def test_whoever_hangs_up_stops_the_model_and_the_line_is_still_written(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat("El plan premium cuesta 20 euros [Chunk 1].", piece=3)
    give_model(owner, agent_id, model=model.name)
    stream = answers(model).ask(admin_of(tenant), agent_id, Ask(question="¿Cuánto cuesta el plan premium?"))
    async for event in stream:
        if isinstance(event, Wrote):
            break
    await stream.aclose()
    assert model.closed == 1
    assert len(log_lines(owner)) == 1
    assert credits_spent(owner) == 1


async def test_without_credits_no_model_is_asked(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = ScriptedChat("x")
    give_model(owner, agent_id, model=model.name)
    owner.execute("update veraz.credit_balance set credits = 0")
    with pytest.raises(errors.CreditsExhausted):
        await answers(model).answer(
            admin_of(tenant), agent_id, Ask(question="¿Cuánto cuesta el plan premium?")
        )
    assert not model.requests


async def test_a_follow_up_is_searched_with_what_it_leans_on(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], db: Database
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    first = await answers().answer(actor, agent_id, Ask(question="¿Cuánto cuesta el plan premium al mes?"))
    second = await answers().answer(
        actor, agent_id, Ask(question="¿Y el básico?", conversation_id=first.conversation_id)
    )
    assert "10 euros" in second.text
    talk = Conversations(db)
    assert first.conversation_id
    said = await talk.messages(actor, first.conversation_id)
    assert [m.role for m in said.items] == ["user", "assistant", "user", "assistant"]
    assert second.message_id
    rated = await talk.rate(actor, second.message_id, -1, "falta la cuota anual")
    assert rated.rating == -1


async def test_somebody_elses_conversation_is_not_found(
    answers: Callable[..., Answers],
    agent: tuple["Tenant", UUID],
    db: Database,
    make_user: Callable[..., Any],
    make_tenant: "MakeTenant",
) -> None:
    tenant, agent_id = agent
    first = await answers().answer(admin_of(tenant), agent_id, Ask(question="¿Quién dirige el gimnasio?"))
    assert first.conversation_id
    scope = make_user(tenant)
    member = Actor(tenant_id=tenant.id, user_id=scope.user_id, user_role="member")
    for other in (member, admin_of(make_tenant("Otra"))):
        with pytest.raises(errors.NotFound):
            await Conversations(db).messages(other, first.conversation_id)
    with pytest.raises(errors.NotFound):
        await answers().answer(
            member, agent_id, Ask(question="¿Y él?", conversation_id=first.conversation_id)
        )


async def test_an_english_question_gets_an_english_refusal(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID]
) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question="What is the capital of Peru?"))
    assert answer.language == "en"
    assert "evidence" in answer.text or "information" in answer.text
