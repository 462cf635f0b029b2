"""Conversations while others act: hand-over, archiving, empty purses, two questions at once, and strangers."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.model import QUOTES, Answer, Answered, Found
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.library.agents import Agents
from veraz.library.knowledge_bases import KnowledgeBases
from veraz.paging import PageRequest
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import KeyScope
from veraz.tenancy.plans import Plans

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import FALSE, PRICES, QUESTION, TRUE, Owner, credits_spent, give_model
    from tests.support.reader import Reader
    from tests.support.searchable import admin_of
else:
    from support.asking import FALSE, PRICES, QUESTION, TRUE, Owner, credits_spent, give_model
    from support.reader import Reader
    from support.searchable import admin_of

Agent = tuple["Tenant", UUID]
Make = Callable[..., Answers]
PERSON = "quiero hablar con una persona"


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


def with_model(owner: Owner, agent_id: UUID, draft: str = TRUE) -> Reader:
    """Gives the agent a model that writes this."""
    model = Reader(draft)
    give_model(owner, agent_id, model.name)
    return model


def member_of(tenant: "Tenant", make_user: Callable[..., Any]) -> Actor:
    """A new member of the tenant's project."""
    return Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")


# --- while others act --------------------------------------------------------------------------------------------------


async def test_a_conversation_forgotten_meanwhile_costs_what_the_answer_took_and_stays_forgotten(
    answers: Make, agent: Agent, db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    first = (await answers().answer(actor, agent_id, Ask(question=QUESTION))).conversation_id
    assert first
    model = with_model(owner, agent_id)
    ask = Ask(question=QUESTION, conversation_id=first)
    answer = await interrupted(answers(model), actor, agent_id, ask, lambda: talks.delete(actor, first))
    assert (answer.text, answer.conversation_id, answer.message_id) == (TRUE, None, None)
    assert credits_spent(owner) >= 1
    assert owner.execute("select count(*) from veraz.message").fetchone() == (0,)
    assert owner.execute("select count(*) from veraz.query_log").fetchone() == (2,)


async def test_an_agent_deleted_meanwhile_still_pays_what_the_answer_took(
    answers: Make, agent: Agent, db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = with_model(owner, agent_id)
    agents = Agents(db, KnowledgeBases(db, Plans(db), answers().search.spaces))
    answer = await interrupted(
        answers(model),
        admin_of(tenant),
        agent_id,
        Ask(question=QUESTION),
        lambda: agents.delete(admin_of(tenant), agent_id),
    )
    assert (answer.text, answer.conversation_id) == (TRUE, None)
    assert credits_spent(owner) >= 1


async def test_who_is_put_out_meanwhile_is_charged_and_logged_once_and_keeps_nothing(
    answers: Make, agent: Agent, owner: Owner, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    mine = member_of(tenant, make_user)
    model = with_model(owner, agent_id)

    async def put_out() -> None:
        owner.execute("delete from veraz.project_member where user_id = %s", (mine.user_id,))

    answer = await interrupted(answers(model), mine, agent_id, Ask(question=QUESTION), put_out)
    assert answer.message_id is None
    assert credits_spent(owner) >= 1
    logged = owner.execute("select count(*) from veraz.query_log where agent_id = %s", (agent_id,)).fetchone()
    assert logged == (1,)


async def test_questions_asked_at_once_in_one_conversation_are_all_kept(
    answers: Make, agent: Agent, db: Database
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
    answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = with_model(owner, agent_id)
    owner.execute("update veraz.credit_balance set credits = 0")
    with pytest.raises(errors.CreditsExhausted):
        await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert owner.execute("select count(*) from veraz.message").fetchone() == (0,)
    assert owner.execute("select count(*) from veraz.conversation").fetchone() == (0,)


# --- what is kept ------------------------------------------------------------------------------------------------------


async def test_what_was_said_is_kept_in_order_and_can_be_rated(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    first = await answers().answer(actor, agent_id, Ask(question="hola"))
    assert first.conversation_id
    ask = Ask(question=QUESTION, conversation_id=first.conversation_id)
    second = await answers().answer(actor, agent_id, ask)
    said = (await talks.messages(actor, first.conversation_id)).items
    assert [(m.role, m.turn) for m in said if m.role == "assistant"] == [
        ("assistant", "conversation"),
        ("assistant", "question"),
    ]
    assert [m.role for m in said] == ["user", "assistant"] * 2
    assert said[-1].claims[0]["quotes"][0]["document_name"] == "precios.md"
    assert second.message_id
    assert (await talks.rate(actor, second.message_id, -1, "falta la cuota anual")).rating == -1


async def test_only_managers_read_what_was_held_back_and_why(
    answers: Make, agent: Agent, db: Database, owner: Owner, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    model = with_model(owner, agent_id, f"{TRUE} {FALSE}")
    mine = member_of(tenant, make_user)
    answer = await answers(model).answer(mine, agent_id, Ask(question=QUESTION))
    assert answer.conversation_id
    (_, own) = (await Conversations(db).messages(mine, answer.conversation_id)).items
    (_, managed) = (await Conversations(db).messages(admin_of(tenant), answer.conversation_id)).items
    assert own.held_back == []
    assert [one["text"] for one in managed.held_back] == ["El plan premium cuesta 99 euros al mes."]


# --- hand-over ---------------------------------------------------------------------------------------------------------


async def handed_over(answers: Answers, actor: Actor, agent_id: UUID) -> UUID:
    """A conversation a person has taken over."""
    talk = (await answers.answer(actor, agent_id, Ask(question=PERSON))).conversation_id
    assert talk
    again = await answers.answer(actor, agent_id, Ask(question=QUESTION, conversation_id=talk))
    assert again.refusal == "human"
    return talk


def leave_for(owner: Owner, talk: UUID, hours: float) -> None:
    """No person has written for so long."""
    owner.execute(
        "update veraz.conversation set handoff_at = now() - make_interval(secs => %s) where id = %s",
        (hours * 3600, talk),
    )


async def mode_of(db: Database, actor: Actor, talk: UUID) -> str:
    """Who answers."""
    return (await Conversations(db).get(actor, talk)).handoff_mode


async def test_a_conversation_nobody_took_care_of_returns_to_the_agent(
    answers: Make, agent: Agent, db: Database, owner: Owner, settings: Settings, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    mine = member_of(tenant, make_user)
    talk = await handed_over(answers(), mine, agent_id)
    ask = Ask(question=QUESTION, conversation_id=talk)
    leave_for(owner, talk, settings.handoff_hours - 0.1)
    assert (await answers().answer(mine, agent_id, ask)).refusal == "human"
    leave_for(owner, talk, settings.handoff_hours + 0.1)
    assert "20 euros" in (await answers().answer(mine, agent_id, ask)).text
    assert await mode_of(db, mine, talk) == "ai"


async def test_a_person_who_writes_keeps_the_conversation(
    answers: Make, agent: Agent, db: Database, owner: Owner, settings: Settings
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    talk = await handed_over(answers(), actor, agent_id)
    leave_for(owner, talk, settings.handoff_hours + 1)
    await Conversations(db).say(actor, talk, "Un momento, por favor.")
    ask = Ask(question=QUESTION, conversation_id=talk)
    assert (await answers().answer(actor, agent_id, ask)).refusal == "human"


async def test_a_conversation_that_is_given_back_is_answered_by_the_agent(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    talk = await handed_over(answers(), actor, agent_id)
    assert (await Conversations(db).hand_over(actor, talk, "ai")).handoff_mode == "ai"
    ask = Ask(question=QUESTION, conversation_id=talk)
    assert "20 euros" in (await answers().answer(actor, agent_id, ask)).text


async def test_while_a_person_answers_what_is_said_is_kept_for_them(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    talk = await handed_over(answers(), actor, agent_id)
    await answers().answer(actor, agent_id, Ask(question="¿hola?", conversation_id=talk))
    said = (await Conversations(db).messages(actor, talk)).items
    assert [(m.role, m.text) for m in said if m.role == "user"] == [
        ("user", PERSON),
        ("user", QUESTION),
        ("user", "¿hola?"),
    ]
    assert len(said) == 4


async def test_a_second_wish_for_a_person_is_no_second_event(
    answers: Make, agent: Agent, db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    talk = await handed_over(answers(), actor, agent_id)
    await answers().answer(actor, agent_id, Ask(question=PERSON, conversation_id=talk))
    await Conversations(db).hand_over(actor, talk, "human")
    handed = owner.execute("select count(*) from veraz.event where kind = 'conversation.handoff'").fetchone()
    assert handed == (1,)


# --- strangers ---------------------------------------------------------------------------------------------------------


async def test_strangers_neither_read_nor_write_nor_rate_nor_hand_over_a_conversation(
    answers: Make,
    agent: Agent,
    db: Database,
    owner: Owner,
    make_user: Callable[..., Any],
    make_tenant: "MakeTenant",
) -> None:
    tenant, agent_id = agent
    mine = member_of(tenant, make_user)
    answer = await answers().answer(mine, agent_id, Ask(question=QUESTION))
    assert answer.conversation_id
    assert answer.message_id
    await Conversations(db).rate(mine, answer.message_id, 1)
    colleague = member_of(tenant, make_user)
    machine = replace(member_of(tenant, make_user), machine_id="b" * 32)
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
        lambda: talks.message(stranger, message),
        lambda: talks.hand_over(stranger, talk, "human"),
        lambda: talks.rename(stranger, talk, "mío"),
        lambda: talks.seen(stranger, talk),
        lambda: talks.delete(stranger, talk),
        lambda: talks.rate(stranger, message, -1),
        lambda: talks.say(stranger, talk, "hola"),
        *(
            lambda text=text: answers.answer(stranger, agent_id, Ask(question=text, conversation_id=talk))
            for text in (QUESTION, "hola", PERSON)
        ),
    ]
    for attempt in attempts:
        with pytest.raises((errors.NotFound, errors.Forbidden)):
            await attempt()
    assert talk not in [one.id for one in (await talks.all(stranger)).items]


# --- finding them again ------------------------------------------------------------------------------------------------


async def test_an_empty_conversation_is_listed_and_named_once_something_was_asked(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    talk = await talks.start(actor, agent_id)
    assert (talk.title, talk.channel, (await talks.all(actor)).items) == ("", "web", [])
    await answers().answer(actor, agent_id, Ask(question=QUESTION, conversation_id=talk.id))
    await answers().answer(actor, agent_id, Ask(question="¿Y el básico?", conversation_id=talk.id))
    assert [(one.id, one.title) for one in (await talks.all(actor)).items] == [(talk.id, QUESTION)]
    named = await talks.start(actor, agent_id, title=" Precios ", channel="api")
    await answers().answer(actor, agent_id, Ask(question=QUESTION, conversation_id=named.id))
    assert (await talks.get(actor, named.id)).title == "Precios"


async def test_a_conversation_is_renamed_without_moving_in_the_list(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    first, second = await asked(answers(), actor, agent_id), await asked(answers(), actor, agent_id)
    assert (await talks.rename(actor, first, "  Cuánto cuesta ")).title == "Cuánto cuesta"
    assert [one.id for one in (await talks.all(actor)).items] == [second, first]
    for title in ("", "   ", "x" * 121):
        with pytest.raises(errors.Invalid):
            await talks.rename(actor, first, title)


async def test_conversations_come_by_their_last_message_page_by_page(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    first, second, third = [await asked(answers(), actor, agent_id) for _ in range(3)]
    await asked(answers(), actor, agent_id, first)
    page = await talks.all(actor, PageRequest(limit=2))
    assert [one.id for one in page.items] == [first, third]
    await asked(
        answers(), actor, agent_id, third
    )  # what moves meanwhile comes neither twice nor hides another
    page = await talks.all(actor, PageRequest(limit=2, cursor=page.next_cursor))
    assert ([one.id for one in page.items], page.next_cursor) == ([second], None)
    for cursor in ("x", "1.x", "9" * 40 + f".{first}", str(first)):
        with pytest.raises(errors.Invalid):
            await talks.all(actor, PageRequest(cursor=cursor))


async def test_conversations_are_found_by_words_of_their_titles_and_messages(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    price = await asked(answers(), actor, agent_id)
    person = await asked(answers(), actor, agent_id, question="¿Quién dirige la piscina?")
    await talks.rename(actor, person, "100% agua_fría")
    for words, found in (
        ("PREMIUM", {price}),
        ("luis perez", {person}),
        ("Pérez agua", {person}),
        ("100%", {person}),
        ("%", {person}),
        ("dirige premium", set()),
        ("  ", {price, person}),
    ):
        assert {one.id for one in (await talks.all(actor, words=words)).items} == found, words
    assert not (await talks.all(member_of(tenant, make_user), words="premium")).items


async def test_a_manager_sees_their_own_conversations_apart_from_those_of_others(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    actor, member, talks = admin_of(tenant), member_of(tenant, make_user), Conversations(db)
    own, others = await asked(answers(), actor, agent_id), await asked(answers(), member, agent_id)
    key = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({"ask"}))
    keys = await asked(answers(), key, agent_id)
    assert {one.id for one in (await talks.all(actor)).items} == {own, others, keys}
    for who, theirs in ((actor, own), (member, others), (key, keys)):
        assert [one.id for one in (await talks.all(who, mine=True)).items] == [theirs]


async def test_a_manager_reads_who_asked_and_another_tenant_nothing(
    answers: Make,
    agent: Agent,
    db: Database,
    make_user: Callable[..., Any],
    make_tenant: "MakeTenant",
    owner: Owner,
) -> None:
    tenant, agent_id = agent
    member, talks = member_of(tenant, make_user), Conversations(db)
    owner.execute("update veraz.app_user set display_name = 'Miguel Soto' where id = %s", [member.user_id])
    talk = await asked(answers(), member, agent_id)
    assert [one.asked_by for one in (await talks.all(admin_of(tenant))).items] == ["Miguel Soto"]
    assert (await talks.get(admin_of(tenant), talk)).asked_by == "Miguel Soto"
    stranger = admin_of(make_tenant("Otra"))
    assert not (await talks.all(stranger)).items
    with pytest.raises(errors.NotFound):
        await talks.get(stranger, talk)


async def test_a_handed_over_conversation_waits_and_is_unread_until_a_manager_acts(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any], make_tenant: "MakeTenant"
) -> None:
    tenant, agent_id = agent
    manager, member, talks = admin_of(tenant), member_of(tenant, make_user), Conversations(db)
    await asked(answers(), member, agent_id)
    talk = await asked(answers(), member, agent_id, question=PERSON)

    async def state() -> tuple[list[UUID], int, bool]:
        waiting = [one.id for one in (await talks.all(manager, waiting=True)).items]
        return waiting, await talks.waiting_count(manager), (await talks.get(manager, talk)).unread

    assert await state() == ([talk], 1, True)
    await talks.seen(member, talk)
    assert not (await talks.get(member, talk)).unread, "it is for managers"
    assert await state() == ([talk], 1, True), "the asker's look means nothing"
    await talks.seen(manager, talk)
    assert await state() == ([talk], 1, False)
    await answers().answer(member, agent_id, Ask(question="¿hola?", conversation_id=talk))
    assert await state() == ([talk], 1, True)
    await talks.say(manager, talk, "Aquí estoy.")
    assert await state() == ([], 0, False)
    assert await talks.waiting_count(member) == 0
    for stranger in (member_of(tenant, make_user), admin_of(make_tenant("Otra"))):
        assert (await talks.waiting_count(stranger), (await talks.all(stranger, waiting=True)).items) == (
            0,
            [],
        )


async def changed_by(talks: Conversations, who: Actor, talk: UUID, message: UUID) -> list[str]:
    """What somebody can do to a conversation."""
    tries: dict[str, Callable[[], Awaitable[object]]] = {
        "rename": lambda: talks.rename(who, talk, "Otra"),
        "seen": lambda: talks.seen(who, talk),
        "hand_over": lambda: talks.hand_over(who, talk, "human"),
        "rate": lambda: talks.rate(who, message, -1),
        "delete": lambda: talks.delete(who, talk),
    }
    done = []
    for name, change in tries.items():
        with suppress(errors.ScopeMissing, errors.NotFound):
            await change()
            done.append(name)
    return done


@pytest.mark.parametrize("scope", ["read", "ingest", "ask"])
async def test_a_key_that_only_reads_or_asks_changes_nobody_elses_conversation(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any], owner: Owner, scope: KeyScope
) -> None:
    tenant, agent_id = agent
    member, talks = member_of(tenant, make_user), Conversations(db)
    answer = await answers().answer(member, agent_id, Ask(question=QUESTION))
    assert answer.conversation_id and answer.message_id
    manager = make_user(tenant, level="manager").user_id
    keys: tuple[dict[str, Any], ...] = (
        {},
        {"key_project": tenant.project_id},
        {"user_id": manager, "user_role": "member"},
        {"user_id": tenant.admin_id, "user_role": "admin"},
    )
    before = owner.execute("select c, m from veraz.conversation c, veraz.message m order by 2").fetchall()
    for key in keys:
        who = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({scope}), **key)
        assert await changed_by(talks, who, answer.conversation_id, answer.message_id) == [], key
    assert (
        owner.execute("select c, m from veraz.conversation c, veraz.message m order by 2").fetchall()
        == before
    )
    assert not owner.execute("select from veraz.feedback").fetchall()


async def test_ones_own_conversation_takes_ask_and_another_persons_manage(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    member, talks = member_of(tenant, make_user), Conversations(db)
    key = replace(member, key_id=new_id())
    managing = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({"manage"}))
    everything = ["rename", "seen", "hand_over", "rate", "delete"]
    for scopes, who, done in (
        ({"read"}, key, []),
        ({"ask"}, key, everything),
        ({"manage"}, managing, everything),
        ({"admin"}, make_user(tenant, level=None), []),
    ):
        answer = await answers().answer(member, agent_id, Ask(question=QUESTION))
        assert answer.conversation_id and answer.message_id
        if not isinstance(who, Actor):
            who = Actor(tenant_id=tenant.id, user_id=who.user_id, user_role="member", key_id=new_id())
        who = replace(who, scopes=frozenset(scopes))  # type: ignore[arg-type]
        assert await changed_by(talks, who, answer.conversation_id, answer.message_id) == done


async def test_nobody_asks_in_somebody_elses_conversation(
    answers: Make, agent: Agent, db: Database, make_user: Callable[..., Any], owner: Owner
) -> None:
    tenant, agent_id = agent
    model = with_model(owner, agent_id)
    member, service = member_of(tenant, make_user), answers(model)
    first = await service.answer(member, agent_id, Ask(question=QUESTION))
    assert first.conversation_id
    spent = credits_spent(owner)
    manager = make_user(tenant, level="manager").user_id
    for who in (
        admin_of(tenant),
        Actor(tenant_id=tenant.id, user_id=manager, user_role="member"),
        Actor(tenant_id=tenant.id, key_id=new_id()),
    ):
        for ask in (
            Ask(question="¿Y el básico?", conversation_id=first.conversation_id),
            Ask(question="", conversation_id=first.conversation_id, again=True),
        ):
            with pytest.raises(errors.Forbidden):
                await service.answer(who, agent_id, ask)
    said = (await Conversations(db).messages(member, first.conversation_id)).items
    assert [(one.role, one.text) for one in said] == [("user", QUESTION), ("assistant", TRUE)]
    assert credits_spent(owner) == spent
    key = replace(member, key_id=new_id(), scopes=frozenset({"ask"}))
    await service.answer(key, agent_id, Ask(question=QUESTION, conversation_id=first.conversation_id))
    await Conversations(db).say(admin_of(tenant), first.conversation_id, "Le atiendo yo.")


async def test_a_message_keeps_what_is_needed_to_show_its_evidence_again(
    answers: Make, agent: Agent, db: Database
) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    answer = await answers().answer(actor, agent_id, Ask(question=QUESTION))
    assert answer.message_id and answer.conversation_id
    kept = await talks.message(actor, answer.message_id)
    assert (kept.model, kept.claims[0]["verdict"], kept.latency_ms is not None) == (
        QUOTES,
        "quoted",
        True,
    )
    assert [one["cited"] for one in kept.evidence] == [True, False]
    assert kept.evidence[0].pop("scores")["cosine"] > 0
    assert kept.evidence[0] == {
        "chunk_id": kept.claims[0]["chunk_ids"][0],
        "document_id": str(answer.evidence[0].passage.document_id),
        "document_name": "precios.md",
        "relevance": answer.evidence[0].relevance,
        "cited": True,
        "page_number": 1,
        "place": ["precios"],
        "start_char": 0,
        "end_char": len(PRICES),
        "url": None,
    }


async def test_a_refusal_keeps_the_nearest_passages(answers: Make, agent: Agent, db: Database) -> None:
    tenant, agent_id = agent
    actor, talks = admin_of(tenant), Conversations(db)
    answer = await answers().answer(actor, agent_id, Ask(question="¿Cuántos perros tiene Marta?"))
    assert answer.refused and answer.message_id
    kept = await talks.message(actor, answer.message_id)
    assert [one["chunk_id"] for one in kept.evidence] == [str(h.passage.chunk_id) for h in answer.evidence]
    assert kept.evidence and not any(one["cited"] for one in kept.evidence)


async def asked(
    answers: Answers, actor: Actor, agent_id: UUID, talk: UUID | None = None, question: str = QUESTION
) -> UUID:
    """The conversation in which this was asked."""
    answer = await answers.answer(actor, agent_id, Ask(question=question, conversation_id=talk))
    assert answer.conversation_id
    return answer.conversation_id
