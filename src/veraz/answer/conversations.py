"""Conversations: who talks with which agent, what was said, hand-off to a human, and how answers were rated."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.answer.model import Answer, TurnKind
from veraz.answer.stored import stored_claim
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.plain import plain

Q = queries(__file__)

HandoffMode = Literal["ai", "human"]
_TITLE = 120
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A talk with one agent."""

    id: UUID
    agent_id: UUID
    user_id: UUID | None
    machine_id: str | None
    channel: str
    title: str
    handoff_mode: HandoffMode
    created_at: datetime
    updated_at: datetime
    asked_by: str
    """The name of the person who asks, where the caller may know it."""
    unread: bool
    """Whether it was handed over to a person and somebody wrote since a manager last looked or answered; for managers."""
    mine: bool
    """Whether the caller is who asks in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message; an assistant's carries what it stands on."""

    id: UUID
    conversation_id: UUID
    role: Literal["user", "assistant", "human"]
    text: str
    refused: bool
    refusal: str | None
    corrected: bool
    model: str | None
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal | None
    answerability: float | None
    claims: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    latency_ms: float | None
    error: str | None
    query_id: UUID | None
    rating: int | None
    turn: TurnKind
    degraded: str | None
    """Why it is poorer than the agent's settings promise; for its managers."""
    held_back: list[dict[str, Any]]
    """What the model wrote and nobody could prove; for its managers."""
    forgotten_at: datetime | None
    """When its words were forgotten; its text then says what happened."""
    forgotten_why: str | None
    created_at: datetime


Deliver = Callable[[Transaction, Conversation, UUID, str], Awaitable[None]]
"""Carries what a person of the team said to where the conversation takes place, in the same transaction."""


class Conversations:
    """The talks a caller may see: their own, and those with agents they manage.

    Looking takes `read` or `ask`. Changing one takes `ask` where it is one's own and `manage` where it is another's.
    """

    def __init__(self, db: Database, deliver: Deliver | None = None) -> None:
        self.db = db
        self.deliver = deliver

    async def start(
        self, actor: Actor, agent_id: UUID, *, title: str = "", channel: str = "web"
    ) -> Conversation:
        """An empty conversation; without a title, its first question becomes one."""
        need(actor, "ask")
        async with self.db.transaction(actor.scope()) as tx:
            return await start(tx, agent_id, title.strip(), channel)

    async def all(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        agent_id: UUID | None = None,
        words: str = "",
        waiting: bool = False,
        mine: bool = False,
    ) -> Page[Conversation]:
        """Those in which something was said, the latest first: holding all these words, waiting for a person, one's own."""
        _need_talk(actor)
        moment, after = page.after_moment or (None, None)
        wanted = plain(words[:_LONGEST_SEARCH]).split()
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(
                Conversation,
                Q.all,
                moment=moment,
                after=after,
                limit=page.fetch,
                agent_id=agent_id,
                words=wanted,
                waiting=waiting,
                mine=mine,
            )
            return page.page_by_moment(rows)

    async def waiting_count(self, actor: Actor) -> int:
        """How many conversations with agents the caller manages wait for a person's answer."""
        _need_talk(actor)
        async with self.db.transaction(actor.scope()) as tx:
            return int(await tx.value(Q.waiting_count))

    async def get(self, actor: Actor, conversation_id: UUID) -> Conversation:
        """One conversation."""
        _need_talk(actor)
        async with self.db.transaction(actor.scope()) as tx:
            return await get_conversation(tx, conversation_id)

    async def to_ask(self, actor: Actor, conversation_id: UUID) -> Conversation:
        """One conversation, if the caller may ask in it."""
        async with self.db.transaction(actor.scope()) as tx:
            return await get_to_ask(tx, actor, conversation_id)

    async def to_change(self, actor: Actor, conversation_id: UUID) -> Conversation:
        """One conversation, if the caller may change it."""
        async with self.db.transaction(actor.scope()) as tx:
            return await get_to_change(tx, actor, conversation_id)

    async def messages(
        self, actor: Actor, conversation_id: UUID, page: PageRequest = FIRST_PAGE
    ) -> Page[StoredMessage]:
        """What was said, oldest first."""
        _need_talk(actor)
        async with self.db.transaction(actor.scope()) as tx:
            await get_conversation(tx, conversation_id)
            rows = await tx.all(
                StoredMessage, Q.messages, id=conversation_id, after=page.after_id, limit=page.fetch
            )
            return page.page(rows)

    async def message(self, actor: Actor, message_id: UUID) -> StoredMessage:
        """One message, as it is kept."""
        _need_talk(actor)
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(StoredMessage, Q.message, thing="message", id=message_id)

    async def rename(self, actor: Actor, conversation_id: UUID, title: str) -> Conversation:
        """Gives it another title."""
        title = title.strip()
        if not 1 <= len(title) <= _TITLE:
            raise errors.Invalid(field="title", reason=f"1…{_TITLE}")
        async with self.db.transaction(actor.scope()) as tx:
            await get_to_change(tx, actor, conversation_id)
            await tx.run(Q.rename, id=conversation_id, title=title)
            return await get_conversation(tx, conversation_id)

    async def seen(self, actor: Actor, conversation_id: UUID) -> None:
        """A manager has looked at it: what was written so far is no longer unread. Of others it means nothing."""
        async with self.db.transaction(actor.scope()) as tx:
            await get_to_change(tx, actor, conversation_id)
            await tx.run(Q.seen, id=conversation_id)

    async def say(self, actor: Actor, conversation_id: UUID, text: str) -> StoredMessage:
        """A message from a human of the team into a conversation they manage."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            conversation = await get_conversation(tx, conversation_id)
            await get_agent(tx, conversation.agent_id)
            message_id = await add_message(tx, conversation_id, "human", text)
            await tx.run(Q.still_here, id=conversation_id)
            if self.deliver is not None:
                await self.deliver(tx, conversation, message_id, text)
            return await tx.get(StoredMessage, Q.message, thing="message", id=message_id)

    async def hand_over(self, actor: Actor, conversation_id: UUID, mode: HandoffMode) -> Conversation:
        """Gives the conversation to a human, or back to the agent."""
        async with self.db.transaction(actor.scope()) as tx:
            await get_to_change(tx, actor, conversation_id)
            await set_handoff(tx, conversation_id, mode)
            return await get_conversation(tx, conversation_id)

    async def delete(self, actor: Actor, conversation_id: UUID) -> None:
        """Forgets a conversation."""
        async with self.db.transaction(actor.scope()) as tx:
            await get_to_change(tx, actor, conversation_id)
            await tx.run(Q.delete, id=conversation_id)

    async def rate(
        self, actor: Actor, message_id: UUID, rating: Literal[-1, 1], reason: str = ""
    ) -> StoredMessage:
        """A thumb up or down on an answer; a second one replaces the first."""
        async with self.db.transaction(actor.scope()) as tx:
            rated = await tx.get(StoredMessage, Q.message, thing="message", id=message_id)
            await get_to_change(tx, actor, rated.conversation_id)
            if rated.role == "user":
                raise errors.Invalid(field="message_id", reason="assistant")
            await tx.run(Q.rate, id=new_id(), message_id=message_id, rating=rating, reason=reason)
            return await tx.get(StoredMessage, Q.message, thing="message", id=message_id)


async def get_conversation(tx: Transaction, conversation_id: UUID) -> Conversation:
    """The conversation as the caller may see it."""
    return await tx.get(Conversation, Q.conversation, thing="conversation", id=conversation_id)


async def get_to_change(tx: Transaction, actor: Actor, conversation_id: UUID) -> Conversation:
    """The conversation, if the caller may change it: unseen is not found, another's takes who manages."""
    talk = await get_conversation(tx, conversation_id)
    if not actor.may("manage"):
        need(actor, "ask" if talk.mine else "manage")
    return talk


async def get_to_ask(tx: Transaction, actor: Actor, conversation_id: UUID) -> Conversation:
    """The conversation, if the caller may ask in it: whoever it is with, or a program that passes on what a lead says."""
    talk = await get_conversation(tx, conversation_id)
    if not talk.mine and not (actor.may("manage") and await tx.value(Q.passed_on, id=talk.id)):
        raise errors.Forbidden(action="ask in somebody else's conversation")
    return talk


async def keeps(tx: Transaction, conversation_id: UUID) -> bool:
    """Whether the conversation is still there for the caller, and stays so until the transaction ends."""
    return bool(await tx.value(Q.kept, id=conversation_id))


async def start(tx: Transaction, agent_id: UUID, question: str, channel: str) -> Conversation:
    """A new conversation of the caller with an agent."""
    title = question[:_TITLE]
    return await tx.get(
        Conversation, Q.start, thing="agent", id=new_id(), agent_id=agent_id, title=title, channel=channel
    )


async def entitle(tx: Transaction, conversation_id: UUID, question: str) -> None:
    """Names a conversation that has no title after its first question."""
    await tx.run(Q.entitle, id=conversation_id, title=question[:_TITLE])


async def set_handoff(tx: Transaction, conversation_id: UUID, mode: HandoffMode) -> None:
    """Marks who answers; handing over to a human is an event others may listen to."""
    before = await get_conversation(tx, conversation_id)
    await tx.run(Q.hand_over, id=conversation_id, mode=mode)
    if mode == "human" and before.handoff_mode == "ai":
        payload = {"conversation_id": str(conversation_id), "agent_id": str(before.agent_id)}
        await tx.run(Q.event, payload=payload)


async def add_message(tx: Transaction, conversation_id: UUID, role: str, text: str) -> UUID:
    """Adds what a person said."""
    message_id = new_id()
    await tx.run(Q.say, id=message_id, conversation_id=conversation_id, role=role, text=text)
    return message_id


async def add_answer(
    tx: Transaction,
    message_id: UUID,
    conversation_id: UUID,
    answer: Answer,
    *,
    evidence: list[dict[str, Any]],
    personal: bool,
    error: str | None = None,
) -> None:
    """Adds what the agent answered, with everything it stands on; `evidence` as `stored_evidence` keeps it."""
    await tx.run(
        Q.answer,
        id=message_id,
        conversation_id=conversation_id,
        text=answer.text,
        refused=answer.refused,
        refusal=answer.refusal,
        corrected=answer.corrected,
        model=answer.model,
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        cost_usd=answer.usage.cost_usd,
        answerability=answer.answerability,
        claims=json.dumps([stored_claim(claim) for claim in answer.claims]),
        evidence=json.dumps(evidence),
        latency_ms=answer.latency_ms,
        error=error,
        query_id=answer.query_id,
        personal=personal,
        turn=answer.turn,
        degraded=answer.degraded,
        held_back=json.dumps([asdict(one) for one in answer.held_back]),
    )
    if answer.refused and error is None and answer.turn == "question":
        await tx.run(Q.refused, id=conversation_id, message_id=message_id, refusal=answer.refusal)


async def give_back(tx: Transaction, conversation_id: UUID, hours: int) -> None:
    """Lets the agent answer again where no person has written for so long."""
    await tx.run(Q.give_back, id=conversation_id, hours=hours)


def _need_talk(actor: Actor) -> None:
    if not actor.may("read"):
        need(actor, "ask")
