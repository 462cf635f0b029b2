"""A visitor's verbs: a session, a question, what was said, a person of the team.

A visitor is a caller of their own, like a key that may only ask: the database shows them their own conversation and what the
agent reads for everybody, nothing personal and nothing bound to a machine.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import add_message, set_handoff, start
from veraz.answer.history import is_unanswered
from veraz.answer.model import Answered, Event
from veraz.answer.service import Answers, Ask
from veraz.answer.stored import stored_claim
from veraz.answer.wording import phrases
from veraz.channels.widget.limits import WidgetLimits
from veraz.channels.widget.origins import allows
from veraz.channels.widget.settings import Widget
from veraz.channels.widget.tokens import RENEWABLE_SECONDS, Visitor, VisitorTokens
from veraz.channels.widget.wording import Source, numbered, plain
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.observe import log
from veraz.search.service import asked
from veraz.tenancy.model import Actor, system
from veraz.tenancy.rates import Rates

Q = queries(__file__)

CHANNEL: Final = "widget"
_SHOWN: Final = 100
_OFFERED: Final = 3
_WAIT: Final = 5
_WANTS_A_PERSON: Final = {"es": "Quiero hablar con una persona.", "en": "I would like to talk to a person."}
_ROLES: Final[dict[str, "Role"]] = {"user": "visitor", "assistant": "agent", "human": "person"}

Role = Literal["visitor", "agent", "person"]
Openers = Callable[[Actor, UUID, str, int], Awaitable[Sequence[str]]]
"""Questions that the agent's documents answer: caller, agent, language, how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message as a visitor reads it."""

    id: UUID
    role: Role
    text: str
    """With private characters around the numbers of its sources."""
    sources: tuple[Source, ...]
    refused: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A visitor's conversation."""

    with_person: bool
    answering: bool
    """Whether the agent is at work on the last question."""
    messages: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """What a source of a message stands on."""

    chunk_id: UUID
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WidgetQuestion:
    """What a visitor asks."""

    text: str
    fresh: bool = False
    """Whether it begins a new conversation."""
    again: bool = False
    """Whether it was sent before: where it is kept and has no answer yet, it is not kept a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Current:
    id: UUID
    handoff_mode: Literal["ai", "human"]


_Stream = asyncio.Queue[Event | Exception | None]


class WidgetVisitors:
    """People who talk with an agent on somebody's web page."""

    def __init__(
        self, db: Database, answers: Answers, tokens: VisitorTokens, openers: Openers, rates: Rates
    ) -> None:
        self.db = db
        self.answers = answers
        self.tokens = tokens
        self.limits = WidgetLimits(rates)
        self._openers = openers
        self._asking: dict[UUID, asyncio.Task[None]] = {}

    async def widget(self, public_id: str) -> Widget | None:
        """The widget of this public id."""
        async with self.db.sign_in.transaction() as tx:
            return await tx.one(Widget, Q.widget_of, public_id=public_id)

    def admit(self, widget: Widget | None, origin: str | None, *, trying: bool = False) -> Widget:
        """The widget, if a page of this origin may show it; our own test page may whatever the settings say."""
        if widget is None or not (widget.enabled or trying):
            raise errors.NotFound(thing="widget", id=widget.public_id if widget else "")
        if not trying and not allows(widget.origins, origin):
            raise errors.OriginNotAllowed(origin=origin or "–")
        return widget

    async def session(self, widget: Widget, known: str | None, address: str, *, trying: bool) -> str:
        """A token for somebody new, or a fresh one for who comes back with theirs."""
        await self.limits.session(address)
        visitor = self.tokens.read(known, widget.id, within=RENEWABLE_SECONDS) if known else None
        return self.tokens.new(widget.id, visitor=visitor, trying=trying)

    async def ask(
        self, widget: Widget, visitor: Visitor, question: WidgetQuestion, address: str
    ) -> AsyncGenerator[Event, None]:
        """The events of an answer. It is finished also when the visitor goes on to another page meanwhile."""
        await self.limits.question(widget, visitor.id, address)
        if visitor.id in self._asking:
            raise errors.RateLimited(seconds=_WAIT)
        stream: _Stream = asyncio.Queue()
        task = asyncio.create_task(self._run(widget, visitor, question, stream))
        self._asking[visitor.id] = task
        task.add_done_callback(lambda _: self._asking.pop(visitor.id, None))
        while (event := await stream.get()) is not None:
            if isinstance(event, Exception):
                raise event
            yield event

    async def talk(self, widget: Widget, visitor: Visitor, after: UUID | None = None) -> Talk:
        """What was said in the visitor's newest conversation, since a message they know."""
        answering = visitor.id in self._asking  # before the messages: what has ended since is among them
        async with self.db.transaction(_actor(widget, visitor).scope()) as tx:
            talk = await tx.one(_Current, Q.current, visitor_id=visitor.id, agent_id=widget.agent_id)
            rows = (
                await tx.rows(Q.messages, conversation_id=talk.id, after=after, limit=_SHOWN) if talk else []
            )
        return Talk(
            with_person=talk is not None and talk.handoff_mode == "human",
            answering=answering,
            messages=tuple(_said(widget, row) for row in rows),
        )

    async def hand_over(
        self,
        widget: Widget,
        visitor: Visitor,
        address: str,
        *,
        person: bool,
        language: str,
        fresh: bool = False,
    ) -> Talk:
        """A person of the team is called, perhaps into a new conversation, or the agent answers again."""
        await self.limits.question(widget, visitor.id, address)
        if person:
            await self._count(widget)
        async with self.db.transaction(_actor(widget, visitor).scope()) as tx:
            talk = await tx.one(_Current, Q.current, visitor_id=visitor.id, agent_id=widget.agent_id)
            waits = talk is not None and talk.handoff_mode == "human"
            talk, wish = None if fresh and not waits else talk, _WANTS_A_PERSON[language]
            if person and (talk is None or talk.handoff_mode == "ai"):
                talk_id = talk.id if talk else (await start(tx, widget.agent_id, wish, CHANNEL)).id
                await add_message(tx, talk_id, "user", wish)
                await add_message(tx, talk_id, "assistant", phrases(language)["handoff"]["wanted"])
                await set_handoff(tx, talk_id, "human")
            elif not person and talk is not None:
                await set_handoff(tx, talk.id, "ai")
        return await self.talk(widget, visitor)

    async def quoted(
        self, widget: Widget, visitor: Visitor, message_id: UUID, claim: int, quote: int
    ) -> tuple[Actor, Quoted]:
        """Where a source of one of the visitor's own answers stands, and as whom to look at it."""
        if not widget.sources:
            raise errors.NotFound(thing="passage", id=message_id)
        actor = _actor(widget, visitor)
        async with self.db.transaction(actor.scope()) as tx:
            about = {"visitor_id": visitor.id, "agent_id": widget.agent_id}
            claims: Any = await tx.value(Q.claims, message_id=message_id, **about)
        try:
            found = claims[claim]["quotes"][quote]
        except (TypeError, IndexError):  # another's message, or none of its quotations
            raise errors.NotFound(thing="passage", id=message_id) from None
        chunk_id = UUID(found["chunk_id"])
        return actor, Quoted(chunk_id=chunk_id, start=found["start_char"], end=found["end_char"])

    async def suggestions(self, widget: Widget, visitor: Visitor, language: str) -> list[str]:
        """A few questions to begin with."""
        if not widget.suggestions:
            return []
        return list(await self._openers(_actor(widget, visitor), widget.agent_id, language, _OFFERED))

    async def _count(self, widget: Widget) -> None:
        async with self.db.transaction(system(widget.tenant_id)) as tx:
            if not await tx.run(Q.count, id=widget.id):
                now = datetime.now(UTC)
                tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
                raise errors.RateLimited(seconds=round((tomorrow - now).total_seconds()))

    async def _run(self, widget: Widget, visitor: Visitor, question: WidgetQuestion, stream: _Stream) -> None:
        try:
            await self._count(widget)
            async with aclosing(self._events(widget, visitor, question)) as events:
                async for event in events:
                    stream.put_nowait(event)
        except errors.VerazError as error:
            stream.put_nowait(error)
        except Exception as error:  # noqa: BLE001 nobody else would hear of it
            log.exception("widget_question_failed", widget=str(widget.id), exc_info=error)
            stream.put_nowait(errors.VerazError())
        stream.put_nowait(None)

    async def _events(
        self, widget: Widget, visitor: Visitor, question: WidgetQuestion
    ) -> AsyncGenerator[Event, None]:
        actor = _actor(widget, visitor)
        async with self.db.transaction(actor.scope()) as tx:
            talk = await tx.one(_Current, Q.current, visitor_id=visitor.id, agent_id=widget.agent_id)
            known = talk.id if talk and not question.fresh else None
            again = known is not None and await _is_again(tx, known, question)
        ask = Ask(question=question.text, conversation_id=known, channel=CHANNEL, eager=True, again=again)
        async with aclosing(self.answers.ask(actor, widget.agent_id, ask)) as events:
            async for event in events:
                if isinstance(event, Answered) and event.answer.refusal == "human":
                    await self._tell(widget, actor, event.answer.conversation_id)
                yield event

    async def _tell(self, widget: Widget, actor: Actor, conversation_id: UUID | None) -> None:
        """An event for the person of the team who answers here."""
        payload = {
            "conversation_id": str(conversation_id),
            "agent_id": str(widget.agent_id),
            "project_id": str(widget.project_id),
            "channel": CHANNEL,
            "kind": "text",
            "handoff_mode": "human",
        }
        async with self.db.transaction(actor.scope()) as tx:
            await tx.run(Q.tell, payload=payload)


async def _is_again(tx: Transaction, conversation_id: UUID, question: WidgetQuestion) -> bool:
    """Whether the question is kept already and waits for its answer."""
    return question.again and await is_unanswered(tx, conversation_id, asked(question.text))


def said_of(widget: Widget, event: Answered) -> Said:
    """The end of a stream, as the message it became."""
    answer = event.answer
    claims = [stored_claim(claim) for claim in answer.claims]
    text, sources = _worded(widget, answer.text, claims)
    return Said(
        id=answer.message_id or UUID(int=0),
        role="agent",
        text=text,
        sources=sources,
        refused=answer.refused,
        created_at=datetime.now(UTC),
    )


def _said(widget: Widget, row: dict[str, Any]) -> Said:
    claims = row["claims"] if row["role"] == "assistant" else []
    text, sources = _worded(widget, row["text"], claims) if claims else (plain(row["text"]), ())
    return Said(
        id=row["id"],
        role=_ROLES[row["role"]],
        text=text,
        sources=sources,
        refused=row["refused"],
        created_at=row["created_at"],
    )


def _worded(widget: Widget, text: str, claims: list[dict[str, Any]]) -> tuple[str, tuple[Source, ...]]:
    return numbered(text, claims) if widget.sources else (plain(text), ())


def _actor(widget: Widget, visitor: Visitor) -> Actor:
    """The visitor, as a key that may only ask, in the agent's project."""
    return Actor(
        tenant_id=widget.tenant_id,
        key_id=visitor.id,
        key_project=widget.project_id,
        scopes=frozenset({"ask"}),
        external_user=f"widget:{visitor.id}",
    )
