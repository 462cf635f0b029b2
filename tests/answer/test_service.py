"""An agent answers from evidence, refuses without it, talks like a person, and leaves a trace either way."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.credits import credits_for
from veraz.answer.model import Answered, Checked, Found, Searching, Wrote
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.providers.chat.base import ChatRequest
from veraz.search.service import Search
from veraz.settings import Settings
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import (
        FALSE,
        QUESTION,
        QUOTED,
        TRUE,
        Owner,
        Unhurried,
        answer_in,
        credits_spent,
        events_of,
        give_model,
        log_lines,
        shown,
    )
    from tests.support.reader import Reader
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import (
        FALSE,
        QUESTION,
        QUOTED,
        TRUE,
        Owner,
        Unhurried,
        answer_in,
        credits_spent,
        events_of,
        give_model,
        log_lines,
        shown,
    )
    from support.reader import Reader
    from support.searchable import Library, admin_of

Agent = tuple["Tenant", UUID]
Make = Callable[..., Answers]


# --- without a model ---------------------------------------------------------------------------------------------------


async def test_without_a_model_the_answer_is_a_quotation_with_its_proof(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    events = await events_of(answers(), admin_of(tenant), agent_id)
    assert [type(event) for event in events] == [Searching, Found, Wrote, Checked, Answered]
    answer = answer_in(events)
    assert answer.text == f"Esto dicen los documentos:\n{QUOTED}"
    assert (answer.refused, answer.turn, answer.degraded, answer.model) == (
        False,
        "question",
        None,
        "extractive",
    )
    claim = answer.claims[0]
    assert (claim.verdict, claim.support) == ("quoted", 1.0)
    assert claim.chunk_ids == (answer.evidence[0].passage.chunk_id,)
    assert claim.quotes[0].document_name == "precios.md"
    assert answer.conversation_id
    assert answer.message_id
    assert log_lines(owner) == [(QUESTION, "question", False)]
    assert credits_spent(owner) == 0


async def test_a_question_without_evidence_is_refused_and_logged(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    give_model(owner, agent_id, "extractive", fallback_message="Escriba a info@acme.es.")
    answer = await answers().answer(
        admin_of(tenant), agent_id, Ask(question="¿Qué volcanes hay en Islandia?")
    )
    assert (answer.refused, answer.text) == (True, "Escriba a info@acme.es.")
    assert log_lines(owner)[0][2] is True


async def test_a_question_clearly_about_something_else_asks_no_model(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader("nunca")
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(
        admin_of(tenant), agent_id, Ask(question="¿Qué volcanes hay en Islandia?")
    )
    assert (answer.refused, answer.degraded) == (True, None)
    assert not model.writes
    assert credits_spent(owner) == 0


async def test_an_agent_without_documents_has_no_evidence(
    answers: Make, library: Library, make_tenant: "MakeTenant"
) -> None:
    tenant = make_tenant()
    agent_id = await library.agent(tenant, await library.kb(tenant))
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert (answer.refused, answer.refusal) == (True, "no_evidence")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("quien dirije la pisina", "- equipo: «Luis Pérez dirige la piscina.» [Chunk 1]"),
        ("cuanto cuesta el plam premium al mez", QUOTED),
    ],
)
async def test_a_misspelt_word_of_a_question_counts_as_the_one_it_stands_for(
    answers: Make, agent: Agent, typed: str, said: str
) -> None:
    tenant, agent_id = agent
    assert said in (await answers().answer(admin_of(tenant), agent_id, Ask(question=typed))).text


@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("Teherán es la capital de Irán.", "¿Cuál es la capital de Irak?"),
        ("La reunión de Sara Marín fue en Gerona en 2019.", "¿Cuándo fue la reunión de Verona?"),
        ("El doctor Martín Gómez atiende los lunes.", "¿Qué día atiende el doctor Gámez?"),
    ],
)
async def test_a_name_is_not_taken_for_another(
    answers: Make, library: Library, make_tenant: "MakeTenant", known: str, question: str
) -> None:
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "known.md", known)
    agent_id = await library.agent(tenant, kb)
    assert (await answers().answer(admin_of(tenant), agent_id, Ask(question=question))).refused


async def test_an_english_question_gets_an_english_refusal(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question="What is the capital of Peru?"))
    assert answer.language == "en"
    assert "evidence" in answer.text or "information" in answer.text


# --- with a model ------------------------------------------------------------------------------------------------------


async def test_what_a_model_writes_goes_to_a_judge_and_is_cited(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader("El plan premium cuesta 20 euros. [Chunk 1] ¡Con gusto!")
    give_model(owner, agent_id, model.name)
    events = await events_of(answers(model), admin_of(tenant), agent_id)
    answer = answer_in(events)
    assert answer.text == shown(events) == "El plan premium cuesta 20 euros [Chunk 1]. ¡Con gusto!"
    assert (answer.model, answer.degraded, answer.held_back) == (model.name, None, ())
    assert (answer.claims[0].verdict, answer.claims[0].quotes[0].text) == (
        "supported",
        "El plan premium cuesta 20 euros al mes",
    )
    assert (len(model.writes), len(model.judgements)) == (1, 1)


async def test_what_a_model_invents_is_held_back_and_corrected_once(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(
        "El plan premium cuesta 20 euros [Chunk 1]. El plan premium cuesta 99 euros [Chunk 1].",
        "El plan básico cuesta 10 euros al mes [Chunk 1]. Incluye sauna [Chunk 1].",
    )
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert " ".join(answer.text.split()) == (
        "El plan premium cuesta 20 euros [Chunk 1]. El plan básico cuesta 10 euros al mes [Chunk 1]."
    )
    assert [one.text for one in answer.held_back] == ["El plan premium cuesta 99 euros.", "Incluye sauna."]
    assert (answer.corrected, answer.removed) == (True, 2)
    assert len(model.writes) == 2
    assert "99 euros" in model.writes[1].messages[-1].text


async def test_when_nothing_is_proven_the_answer_is_a_refusal_and_hands_over(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(FALSE)
    give_model(owner, agent_id, model.name, handoff_on_refusal=True)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert (answer.refused, answer.refusal, answer.handoff) == (True, "unsupported", True)
    assert "99" not in answer.text
    spent, asked = credits_spent(owner), len(model.writes)
    again = await answers(model).answer(
        admin_of(tenant), agent_id, Ask(question=QUESTION, conversation_id=answer.conversation_id)
    )
    assert (again.refusal, again.handoff, again.refused, again.turn) == ("human", True, False, "handoff")
    assert (credits_spent(owner), len(model.writes)) == (spent, asked)


async def test_a_model_that_fails_gives_quotations_costs_nothing_and_is_logged(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(errors.OutsideRejected(host="openai", reason="401"))
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert QUOTED in answer.text
    assert (answer.refused, answer.degraded) == (False, "model_rejected")
    assert log_lines(owner) == [(QUESTION, "question", False)]
    assert credits_spent(owner) == 0
    kept = owner.execute("select error, degraded from veraz.message where role = 'assistant'").fetchone()
    assert kept == (None, "model_rejected")


async def test_a_model_that_is_not_set_up_gives_quotations(
    db: Database, search: Search, settings: Settings, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    give_model(owner, agent_id, "openai:gpt-4o")
    service = Answers(db, search, settings)
    answer = await service.answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert QUOTED in answer.text
    assert answer.degraded == "model_missing"
    assert credits_spent(owner) == 0


async def test_another_judge_judges_where_the_agent_has_one(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model, judge = Reader(TRUE), Reader(name="fake:judge")
    give_model(owner, agent_id, model.name, judge_model=judge.name)
    answer = await answers(model, judge).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert answer.text == TRUE
    assert (len(model.judgements), len(judge.judgements)) == (0, 1)


# --- credits -----------------------------------------------------------------------------------------------------------


async def test_without_credits_no_model_is_asked(answers: Make, agent: Agent, owner: Owner) -> None:
    tenant, agent_id = agent
    model = Reader(TRUE)
    give_model(owner, agent_id, model.name)
    owner.execute("update veraz.credit_balance set credits = 0")
    with pytest.raises(errors.CreditsExhausted):
        await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert not model.writes


async def test_without_credits_people_are_still_greeted(answers: Make, agent: Agent, owner: Owner) -> None:
    tenant, agent_id = agent
    model = Reader(TRUE)
    give_model(owner, agent_id, model.name)
    owner.execute("update veraz.credit_balance set credits = 0")
    assert (await answers(model).answer(admin_of(tenant), agent_id, Ask(question="hola"))).text


async def test_what_the_judge_reads_is_paid_for(answers: Make, agent: Agent, owner: Owner) -> None:
    tenant, agent_id = agent
    model = Reader(TRUE)
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))

    def size(requests: list[ChatRequest]) -> int:
        return sum((len(r.instructions) + sum(len(m.text) for m in r.messages)) // 4 for r in requests)

    assert answer.usage.input_tokens == size(model.writes) + size(model.judgements)
    paid = owner.execute("select tokens from veraz.credit_entry where reason = 'answer'").fetchone()
    assert paid == (answer.usage.tokens,)
    assert credits_spent(owner) == credits_for(answer.usage.tokens)


# --- hanging up --------------------------------------------------------------------------------------------------------


async def hang_up(answers: Answers, actor: Actor, agent_id: UUID) -> None:
    """Leaves after the first words."""
    async with aclosing(answers.ask(actor, agent_id, Ask(question=QUESTION, eager=True))) as stream:
        async for event in stream:
            if isinstance(event, Wrote):
                return


async def test_whoever_hangs_up_stops_the_model_and_the_line_is_still_written(
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(f"{TRUE} {'Y hay mucho más que contar aquí. ' * 20}", piece=3)
    give_model(owner, agent_id, model.name)
    await hang_up(answers(Unhurried(model)), admin_of(tenant), agent_id)
    assert model.writer.closed == 1
    assert log_lines(owner) == [(QUESTION, "question", False)]
    assert owner.execute("select error from veraz.message where role = 'assistant'").fetchone() == (
        "cancelled",
    )


# What writing took is only known when the draft has ended; the rest is estimated.
async def test_whoever_hangs_up_pays_for_what_was_written(answers: Make, agent: Agent, owner: Owner) -> None:
    tenant, agent_id = agent
    model = Reader(f"{TRUE} {'Y hay mucho más que contar aquí. ' * 20}", piece=3)
    give_model(owner, agent_id, model.name)
    await hang_up(answers(Unhurried(model)), admin_of(tenant), agent_id)
    assert credits_spent(owner) >= 1


# --- turns -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", ["hola", "gracias", "adiós", "¿quién eres?", "👍"])
async def test_small_talk_is_answered_without_a_search_and_never_refused(
    answers: Make, agent: Agent, owner: Owner, message: str
) -> None:
    tenant, agent_id = agent
    model = Reader("nunca")
    give_model(owner, agent_id, model.name, handoff_on_refusal=True)
    events = await events_of(answers(model), admin_of(tenant), agent_id, message)
    assert [type(event) for event in events] == [Wrote, Answered]
    answer = answer_in(events)
    assert (answer.turn, answer.refused, answer.handoff) == ("conversation", False, False)
    assert answer.text == shown(events) != ""
    assert not model.writes
    assert credits_spent(owner) == 0
    assert log_lines(owner) == [(message, "conversation", False)]


async def test_a_greeting_names_what_the_agent_reads(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question="hola"))
    assert "precios" in answer.text
    assert "equipo" in answer.text


async def test_a_greeting_never_names_a_personal_document(
    answers: Make, make_tenant: "MakeTenant", library: Library
) -> None:
    """The conversation may be read by managers; the document may not."""
    tenant = make_tenant()
    shared, own = await library.kb(tenant), await library.kb(tenant, owner_id=tenant.admin_id)
    await library.document(shared, "precios", "El plan cuesta 10 euros.")
    await library.document(own, "mi-despido", "Me despiden en mayo.")
    agent_id = await library.agent(tenant, shared, own)
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question="hola"))
    assert "precios" in answer.text
    assert "mi-despido" not in answer.text


async def test_who_wants_a_person_is_handed_over(answers: Make, agent: Agent, owner: Owner) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question="quiero hablar con una persona"))
    assert (answer.turn, answer.handoff, answer.refused) == ("handoff", True, False)
    assert owner.execute("select handoff_mode from veraz.conversation").fetchone() == ("human",)
    events = owner.execute("select kind from veraz.event").fetchall()
    assert ("conversation.handoff",) in events
    assert ("answer.refused",) not in events


async def test_where_nothing_is_kept_nobody_can_be_called(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    ask = Ask(question="quiero hablar con una persona", remember=False)
    answer = await answers().answer(admin_of(tenant), agent_id, ask)
    assert (answer.turn, answer.handoff, answer.refused) == ("handoff", False, False)


async def test_what_greets_and_asks_is_answered(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=f"Hola, {QUESTION.lower()}"))
    assert answer.turn == "question"
    assert "20 euros" in answer.text


# --- follow-ups and others' agents -------------------------------------------------------------------------------------


async def test_a_follow_up_is_searched_with_what_it_leans_on(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    first = await answers().answer(actor, agent_id, Ask(question=QUESTION))
    ask = Ask(question="¿Y el básico?", conversation_id=first.conversation_id)
    assert "10 euros" in (await answers().answer(actor, agent_id, ask)).text


async def then(answers: Answers, actor: Actor, agent_id: UUID, *messages: str) -> str:
    """What the last of these messages is answered with, in one conversation that a person never keeps."""
    talk: UUID | None = None
    for message in messages:
        answer = await answers.answer(actor, agent_id, Ask(question=message, conversation_id=talk))
        talk = answer.conversation_id
        assert talk
        if answer.handoff:
            await Conversations(answers.db).hand_over(actor, talk, "ai")
    return answer.text


@pytest.mark.parametrize("before", ["quiero hablar con una persona", "¿Quién es Ana García?"])
async def test_a_plain_question_is_answered_whatever_was_asked_before(
    answers: Make, agent: Agent, before: str
) -> None:
    tenant, agent_id = agent
    last = "¿Cuánto cuesta el plan premium?"
    assert await then(answers(), admin_of(tenant), agent_id, before, last) == await then(
        answers(), admin_of(tenant), agent_id, last
    )


async def test_a_follow_up_leans_on_questions_not_on_other_turns(answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    messages = (QUESTION, "quiero hablar con una persona", "¿Y el básico?")
    assert "10 euros" in await then(answers(), admin_of(tenant), agent_id, *messages)


async def test_another_tenants_agent_is_not_found(
    answers: Make, agent: Agent, make_tenant: "MakeTenant", owner: Owner
) -> None:
    model = Reader(TRUE)
    give_model(owner, agent[1], model.name)
    other = admin_of(make_tenant("Otra"))
    for message in (QUESTION, "hola", "quiero hablar con una persona"):
        with pytest.raises(errors.NotFound):
            await answers(model).answer(other, agent[1], Ask(question=message))
    assert not model.writes
    assert owner.execute("select count(*) from veraz.query_log").fetchone() == (0,)


async def test_managers_see_what_was_held_back_and_others_do_not(
    answers: Make, agent: Agent, make_user: Callable[..., Actor]
) -> None:
    tenant, agent_id = agent
    scope = make_user(tenant)
    member = Actor(tenant_id=tenant.id, user_id=scope.user_id, user_role="member")
    assert await answers().manages(admin_of(tenant), agent_id)
    assert not await answers().manages(member, agent_id)
