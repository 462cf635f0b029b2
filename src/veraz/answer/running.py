"""Answers on their way. An answer belongs to its conversation, not to the tab that asked: who comes back goes on reading it."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.model import Event, Found, Wrote
from veraz.answer.service import Answers, Ask
from veraz.observe import log
from veraz.tenancy.model import Actor

_KEPT_SECONDS: Final = 30.0
"""How long the events of a finished answer can still be followed; after that its message says it all."""


class RunningAnswers:
    """The answers that are being written in this process, one for each conversation."""

    def __init__(self, answers: Answers, conversations: Conversations) -> None:
        self._answers = answers
        self._conversations = conversations
        self._known: dict[UUID, _Running] = {}

    async def begin(self, actor: Actor, agent_id: UUID, ask: Ask) -> UUID:
        """Starts an answer that is written to its end, whoever listens; the id of its conversation, which must be named."""
        if ask.conversation_id is None:
            raise errors.Invalid(field="conversation_id", reason="UUID")
        talk = await self._conversations.to_ask(actor, ask.conversation_id)
        if self.is_running(talk.id):
            raise errors.AnswerRunning()
        running = _Running(actor)
        self._known[talk.id] = running
        running.task = asyncio.create_task(self._write(running, agent_id, ask))
        running.task.add_done_callback(lambda _: self._end(talk.id, running))
        return talk.id

    async def follow(self, actor: Actor, conversation_id: UUID) -> AsyncGenerator[Event, None]:
        """All events so far, then each as it happens; none where nothing is running.

        Leaving stops nothing. An error of the answer is raised here too. An answer that was stopped ends without `Answered`.
        What may hold words of somebody's personal knowledge is given to nobody else, as its message is not.
        """
        await self._conversations.get(actor, conversation_id)
        running = self._known.get(conversation_id)
        if running is None:
            return
        async with aclosing(running.events()) as events:
            async for event in events:
                if isinstance(event, Found) and event.personal and not _same(actor, running.actor):
                    return
                yield event

    def is_running(self, conversation_id: UUID) -> bool:
        """Whether an answer is being written in this conversation."""
        running = self._known.get(conversation_id)
        return running is not None and not running.ended

    async def stop(self, actor: Actor, conversation_id: UUID) -> None:
        """Stops writing; when this returns, what was shown so far is kept with its message."""
        await self._conversations.to_change(actor, conversation_id)
        if running := self._known.get(conversation_id):
            await running.cancel()

    async def close(self) -> None:
        """Stops every answer, before the database is left."""
        await asyncio.gather(*(running.cancel() for running in list(self._known.values())))
        self._known.clear()

    async def _write(self, running: "_Running", agent_id: UUID, ask: Ask) -> None:
        try:
            async with aclosing(self._answers.ask(running.actor, agent_id, ask)) as events:
                async for event in events:
                    running.tell(event)
        except errors.VerazError as error:
            running.error = error
        except Exception as error:  # noqa: BLE001 told to whoever listens; the task itself has nobody to tell
            log.exception("answer_failed", conversation_id=str(ask.conversation_id))
            running.error = error

    def _end(self, conversation_id: UUID, running: "_Running") -> None:
        running.end()
        asyncio.get_running_loop().call_later(_KEPT_SECONDS, self._drop, conversation_id, running)

    def _drop(self, conversation_id: UUID, running: "_Running") -> None:
        if self._known.get(conversation_id) is running:
            del self._known[conversation_id]


class _Running:
    """One answer: its events so far, and a bell that rings with every new one."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.error: Exception | None = None
        self.ended = False
        self.task: asyncio.Task[None] | None = None
        self._so_far: list[Event] = []
        self._bell = asyncio.Event()

    def tell(self, event: Event) -> None:
        """One more event."""
        self._so_far.append(event)
        self._ring()

    def end(self) -> None:
        """There will be no more."""
        self.ended = True
        self._ring()

    async def events(self) -> AsyncGenerator[Event, None]:
        """From the first to the last; words that came meanwhile are joined."""
        at = 0
        while True:
            bell, new = self._bell, self._so_far[at:]
            at += len(new)
            for event in _joined(new):
                yield event
            if at == len(self._so_far) and self.ended:
                break
            if at == len(self._so_far):
                await bell.wait()
        if self.error is not None:
            raise self.error.with_traceback(None)

    async def cancel(self) -> None:
        """Ends it and waits until that is written down."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    def _ring(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()


def _joined(events: Iterable[Event]) -> Iterator[Event]:
    words = ""
    for event in events:
        if isinstance(event, Wrote):
            words += event.delta
            continue
        if words:
            yield Wrote(delta=words)
            words = ""
        yield event
    if words:
        yield Wrote(delta=words)


def _same(actor: Actor, other: Actor) -> bool:
    """Whether these are the same person, or the same key without one."""
    if actor.user_id is not None or other.user_id is not None:
        return actor.user_id == other.user_id
    return actor.key_id == other.key_id
