"""Conversations while others act: hand-over, archiving, empty purses, two questions at once, and strangers."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.model import Answer, Answered, Found
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.library.agents import Agents
from veraz.library.knowledge_bases import KnowledgeBases
from veraz.providers.chat.fake import ScriptedChat
from veraz.tenancy.model import Actor
from veraz.tenancy.plans import Plans

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

Owner = Connection[TupleRow]
QUESTION = "¿Cuánto cuesta el plan premium al mes?"
TRUE = "El plan premium cuesta 20 euros al mes [Chunk 1]."


@pytest.fixture
async def agent(library: Library, make_tenant: "MakeTenant") -> tuple["Tenant", UUID]:
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "precios.md", "El plan premium cuesta 20 euros al mes.")
    return tenant, await library.agent(tenant, kb, retrieval={"similarity_threshold": 0.0})


async def interrupted(
    answers: Answers, actor: Actor, agent_id: UUID, ask: Ask, meanwhile: Callable[[], Awaitable[object]]
) -> Answer:
    """The answer to a question while something else happens after its passages were found."""
    final: Answer | None = None
    async with aclosing(answers.ask(actor, agent_id, ask)) as events:
        async for event in events:
            if isinstance(event, Found):
                await meanwhile()
            if isinstance(event, Answered):
                final = event.answer
    assert final
    return final


def give_model(owner: Owner, agent_id: UUID) -> ScriptedChat:
    model = ScriptedChat(TRUE)
    owner.execute("update veraz.agent set model = %s where id = %s", (model.name, agent_id))
    return model


def credits_spent(owner: Owner) -> int:
    row = owner.execute("select coalesce(-sum(credits), 0)::int from veraz.credit_entry").fetchone()
    assert row is not None
    return int(row[0])


async def test_a_conversation_forgotten_meanwhile_costs_what_the_answer_took_and_stays_forgotten(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    first = (await answers().answer(actor, agent_id, Ask(question=QUESTION))).conversation_id
    assert first
    model = give_model(owner, agent_id)
    answer = await interrupted(
        answers(model),
        actor,
        agent_id,
        Ask(question=QUESTION, conversation_id=first),
        lambda: talks.delete(actor, first),
    )
    assert (answer.text, answer.conversation_id, answer.message_id) == (TRUE, None, None)
    assert credits_spent(owner) == 1
    assert owner.execute("select count(*) from veraz.message").fetchone() == (0,)
    assert owner.execute("select count(*) from veraz.query_log").fetchone() == (2,)


async def test_an_agent_deleted_meanwhile_still_pays_what_the_answer_took(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = give_model(owner, agent_id)
    spaces = answers().search.spaces
    answer = await interrupted(
        answers(model),
        admin_of(tenant),
        agent_id,
        Ask(question=QUESTION),
        lambda: Agents(db, KnowledgeBases(db, Plans(db), spaces)).delete(admin_of(tenant), agent_id),
    )
    assert (answer.text, answer.conversation_id) == (TRUE, None)
    assert credits_spent(owner) == 1


async def test_who_is_put_out_meanwhile_is_charged_and_logged_once_and_keeps_nothing(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    mine = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    model = give_model(owner, agent_id)

    async def put_out() -> None:
        owner.execute("delete from veraz.project_member where user_id = %s", (mine.user_id,))

    answer = await interrupted(answers(model), mine, agent_id, Ask(question=QUESTION), put_out)
    assert answer.message_id is None
    assert credits_spent(owner) == 1
    assert owner.execute(
        "select count(*) from veraz.query_log where agent_id = %s", (agent_id,)
    ).fetchone() == (1,)


async def test_questions_asked_at_once_in_one_conversation_are_all_kept(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], db: Database
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    talk = (await answers().answer(actor, agent_id, Ask(question=QUESTION))).conversation_id
    assert talk
    ask = Ask(question=QUESTION, conversation_id=talk)
    await asyncio.gather(*(answers().answer(actor, agent_id, ask) for _ in range(4)))
    roles = [said.role for said in (await Conversations(db).messages(actor, talk)).items]
    assert (roles.count("user"), roles.count("assistant")) == (5, 5)


async def test_a_question_that_cannot_be_paid_leaves_nothing_behind(
    answers: Callable[..., Answers], agent: tuple["Tenant", UUID], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = give_model(owner, agent_id)
    owner.execute("update veraz.credit_balance set credits = 0")
    with pytest.raises(errors.CreditsExhausted):
        await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert owner.execute("select count(*) from veraz.message").fetchone() == (0,)
    assert owner.execute("select count(*) from veraz.conversation").fetchone() == (0,)


async def test_strangers_neither_read_nor_write_nor_rate_nor_hand_over_a_conversation(
    answers: Callable[..., Answers],
    agent: tuple["Tenant", UUID],
    db: Database,
    owner: Owner,
    make_user: Callable[..., Any],
    make_tenant: "MakeTenant",
) -> None:
    tenant, agent_id = agent
    mine = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    answer = await answers().answer(mine, agent_id, Ask(question=QUESTION))
    assert answer.conversation_id
    assert answer.message_id
    await Conversations(db).rate(mine, answer.message_id, 1)
    colleague = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    machine = Actor(
        tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member", machine_id="b" * 32
    )
    key = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({"ask"}))
    for_another = replace(key, user_id=make_user(tenant).user_id, external_user="x")
    for stranger in (colleague, machine, key, for_another, admin_of(make_tenant("Otra"))):
        await _shut_out(Conversations(db), answers(), stranger, agent_id, answer)
    count = "select (select count(*) from veraz.message), (select sum(rating)::int from veraz.feedback)"
    assert owner.execute(count).fetchone() == (2, 1)


async def _shut_out(
    talks: Conversations, answers: Answers, stranger: Actor, agent_id: UUID, answer: Answer
) -> None:
    talk, message = answer.conversation_id, answer.message_id
    assert talk
    assert message
    attempts: list[Callable[[], Awaitable[object]]] = [
        lambda: talks.get(stranger, talk),
        lambda: talks.messages(stranger, talk),
        lambda: talks.hand_over(stranger, talk, "human"),
        lambda: talks.delete(stranger, talk),
        lambda: talks.rate(stranger, message, -1),
        lambda: answers.answer(stranger, agent_id, Ask(question=QUESTION, conversation_id=talk)),
    ]
    for attempt in attempts:
        with pytest.raises((errors.NotFound, errors.Forbidden)):
            await attempt()
    with pytest.raises((errors.NotFound, errors.Forbidden)):
        await talks.say(stranger, talk, "hola")
    assert talk not in [one.id for one in (await talks.all(stranger)).items]
