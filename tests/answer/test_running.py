"""Answers that go on without their reader: followed by several, after leaving, stopped, failed, asked again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations, StoredMessage
from veraz.answer.model import Answered, Event, Found, Wrote
from veraz.answer.running import RunningAnswers
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.providers.chat.base import ChatRequest, Piece
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import QUESTION, TRUE, Owner, answer_in, give_model, shown
    from tests.support.reader import Reader
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import QUESTION, TRUE, Owner, answer_in, give_model, shown
    from support.reader import Reader
    from support.searchable import Library, admin_of

Agent = tuple["Tenant", UUID]
Make = Callable[..., Answers]


class Paused(Reader):
    """A model that writes its first sentence and then waits until it may go on."""

    def __init__(self, draft: str) -> None:
        super().__init__(draft, piece=1_000)
        self.may_go_on = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece]:  # type: ignore[override]
        """The whole draft, its end held back."""
        writes = self._who(request) is self.writer
        async for piece in super().stream(request):
            yield piece
            if writes:
                await self.may_go_on.wait()


@pytest.fixture
def world(answers: Make, agent: Agent, db: Database, owner: Owner) -> "World":
    """An agent whose model pauses."""
    model = Paused(f"{TRUE} Luis Pérez dirige la piscina [Chunk 2].")
    give_model(owner, agent[1], model.name)
    talks = Conversations(db)
    return World(agent, model, talks, RunningAnswers(answers(model), talks))


class World:
    """An agent, its model, and the answers on their way."""

    def __init__(self, agent: Agent, model: Paused, talks: Conversations, running: RunningAnswers) -> None:
        self.tenant, self.agent_id = agent
        self.model, self.talks, self.running = model, talks, running

    async def asked(self, actor: Actor, **more: Any) -> UUID:
        """A conversation in which an answer is on its way."""
        talk = (await self.talks.start(actor, self.agent_id)).id
        return await self.running.begin(
            actor, self.agent_id, Ask(question=QUESTION, conversation_id=talk, eager=True, **more)
        )

    async def until_written(self, actor: Actor, talk: UUID) -> str:
        """Reads until the first words are shown, and leaves."""
        async with aclosing(self.running.follow(actor, talk)) as events:
            async for event in events:
                if isinstance(event, Wrote):
                    return event.delta
        raise AssertionError("nothing was written")

    async def followed(self, actor: Actor, talk: UUID) -> list[Event]:
        """Every event to the end."""
        async with aclosing(self.running.follow(actor, talk)) as events:
            return [event async for event in events]

    async def said(self, actor: Actor, talk: UUID) -> list[StoredMessage]:
        """What is kept."""
        return (await self.talks.messages(actor, talk)).items


async def test_who_leaves_and_comes_back_reads_the_whole_answer_and_others_read_along(world: World) -> None:
    actor = admin_of(world.tenant)
    talk = await world.asked(actor)
    assert await world.until_written(actor, talk)
    assert world.running.is_running(talk)
    readers = [asyncio.create_task(world.followed(actor, talk)) for _ in range(2)]
    await asyncio.sleep(0)
    world.model.may_go_on.set()
    first, second = await asyncio.gather(*readers)
    assert shown(first) == shown(second) == answer_in(first).text
    assert answer_in(first) == answer_in(second)
    assert not world.running.is_running(talk)
    assert (await world.said(actor, talk))[-1].id == answer_in(first).message_id
    late = await world.followed(actor, talk)
    assert shown(late) == shown(first), "for a while it can still be followed"
    assert sum(isinstance(event, Wrote) for event in late) == 1, "in one piece"


async def test_an_answer_nobody_listens_to_is_kept(world: World) -> None:
    actor = admin_of(world.tenant)
    talk = await world.asked(actor)
    world.model.may_go_on.set()
    while world.running.is_running(talk):  # noqa: ASYNC110 nobody listens who could tell
        await asyncio.sleep(0.01)
    assert [one.role for one in await world.said(actor, talk)] == ["user", "assistant"]


async def test_a_second_question_waits_for_the_first_answer(world: World) -> None:
    actor = admin_of(world.tenant)
    talk = await world.asked(actor)
    second = Ask(question="¿Quién dirige la piscina?", conversation_id=talk)
    with pytest.raises(errors.AnswerRunning):
        await world.running.begin(actor, world.agent_id, second)
    with pytest.raises(errors.Invalid):
        await world.running.begin(actor, world.agent_id, Ask(question=QUESTION))
    world.model.may_go_on.set()
    await world.followed(actor, talk)
    await world.running.begin(actor, world.agent_id, second)
    await world.followed(actor, talk)
    assert [one.role for one in await world.said(actor, talk)] == ["user", "assistant"] * 2


async def test_a_stopped_answer_keeps_what_was_shown_and_can_be_asked_again(world: World) -> None:
    actor = admin_of(world.tenant)
    talk = await world.asked(actor)
    read = await world.until_written(actor, talk)
    reader = asyncio.create_task(world.followed(actor, talk))
    await asyncio.sleep(0)
    await world.running.stop(actor, talk)
    assert not any(isinstance(event, Answered) for event in await reader)
    question, cut_off = await world.said(actor, talk)
    assert (cut_off.error, cut_off.text) == ("cancelled", read.strip())
    assert cut_off.evidence and question.text == QUESTION
    world.model.may_go_on.set()
    again = Ask(question="", conversation_id=talk, again=True)
    await world.running.begin(actor, world.agent_id, again)
    final = answer_in(await world.followed(actor, talk))
    said = await world.said(actor, talk)
    assert [(one.id, one.error) for one in said] == [(question.id, None), (final.message_id, None)]
    await world.running.begin(actor, world.agent_id, again)
    with pytest.raises(errors.NothingToAnswer):
        await world.followed(actor, talk)


async def test_a_question_whose_server_was_stopped_is_answered_without_being_kept_twice(world: World) -> None:
    actor = admin_of(world.tenant)
    talk = await world.asked(actor)
    await world.until_written(actor, talk)
    await world.running.close()
    assert not world.running.is_running(talk)
    assert (await world.said(actor, talk))[-1].error == "cancelled"
    async with world.talks.db.transaction(
        actor.scope()
    ) as tx:  # a server that was killed could not even say so
        await tx.run("delete from veraz.message where role = 'assistant'")
    assert (await world.said(actor, talk))[-1].role == "user"
    world.model.may_go_on.set()
    again = Ask(question="", conversation_id=talk, again=True)
    await world.running.begin(actor, world.agent_id, again)
    await world.followed(actor, talk)
    assert [one.role for one in await world.said(actor, talk)] == ["user", "assistant"]
    assert len(world.model.writes[-1].messages) == len(world.model.writes[0].messages), (
        "it is no follow-up of itself"
    )


async def test_an_error_of_the_answer_reaches_every_follower(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = admin_of(world.tenant)
    for fault in (errors.OutsideDown(host="x", reason="y"), RuntimeError("unforeseen")):

        async def failing(*_: object, fault: Exception = fault) -> object:
            raise fault

        monkeypatch.setattr(world.running._answers.search, "find", failing)
        talk = await world.asked(actor)
        for _ in range(2):
            with pytest.raises(type(fault)):
                await world.followed(actor, talk)


async def test_others_neither_follow_nor_stop_nor_begin_an_answer(
    world: World, make_user: Callable[..., Any], make_tenant: "MakeTenant"
) -> None:
    mine = Actor(tenant_id=world.tenant.id, user_id=make_user(world.tenant).user_id, user_role="member")
    colleague = Actor(tenant_id=world.tenant.id, user_id=make_user(world.tenant).user_id, user_role="member")
    talk = await world.asked(mine)
    for stranger in (colleague, admin_of(make_tenant("Otra"))):
        with pytest.raises(errors.NotFound):
            await world.followed(stranger, talk)
        with pytest.raises(errors.NotFound):
            await world.running.stop(stranger, talk)
        with pytest.raises(errors.NotFound):
            ask = Ask(question=QUESTION, conversation_id=talk)
            await world.running.begin(stranger, world.agent_id, ask)
    assert world.running.is_running(talk)
    world.model.may_go_on.set()
    assert answer_in(await world.followed(mine, talk)).claims


async def test_a_manager_begins_no_answer_in_somebody_elses_conversation_and_only_managing_stops_one(
    world: World, make_user: Callable[..., Any]
) -> None:
    mine = Actor(tenant_id=world.tenant.id, user_id=make_user(world.tenant).user_id, user_role="member")
    talk = await world.asked(mine)
    manager = admin_of(world.tenant)
    with pytest.raises(errors.Forbidden):
        await world.running.begin(manager, world.agent_id, Ask(question=QUESTION, conversation_id=talk))
    with pytest.raises(errors.ScopeMissing):
        await world.running.stop(replace(manager, key_id=talk, scopes=frozenset({"read"})), talk)
    assert world.running.is_running(talk)
    await world.running.stop(manager, talk)
    assert not world.running.is_running(talk)


async def test_a_manager_does_not_read_along_what_stands_in_a_personal_knowledge_base(
    world: World, library: Library, make_user: Callable[..., Any], owner: Owner
) -> None:
    mine = Actor(tenant_id=world.tenant.id, user_id=make_user(world.tenant).user_id, user_role="member")
    assert mine.user_id
    owner.execute("update veraz.agent set allows_personal_corpus = true where id = %s", (world.agent_id,))
    personal = await library.kb(world.tenant, owner_id=mine.user_id)
    await library.document(personal, "notas.md", "El plan premium cuesta 20 euros al mes para mí.")
    await library.assign(world.agent_id, personal)
    talk = await world.asked(mine)
    world.model.may_go_on.set()
    assert any(isinstance(event, Found) for event in await world.followed(mine, talk))
    seen = await world.followed(admin_of(world.tenant), talk)
    assert not any(isinstance(event, Found | Wrote | Answered) for event in seen)
