"""What is to be sent: the agent's answers, what people of the team say, and what programs send in the agent's name.

Nothing is sent from here. A row is written in the caller's transaction, and the contact's job sends it.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import Conversation, add_message, get_conversation
from veraz.channels.whatsapp.troubles import meaning
from veraz.channels.whatsapp.words import as_whatsapp_writes, pieces
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.projects import need_role

Q = queries(__file__)

CHANNEL: Final = "whatsapp"
WINDOW: Final = timedelta(hours=24)
_CLOSED: Final = errors.Phrase(
    "more than 24 hours have passed since this person's last message, and WhatsApp lets nobody write before they do",
    es="han pasado más de 24 horas desde el último mensaje de esta persona y WhatsApp no deja escribirle antes que ella",
)

_NOTHING: Final = errors.Phrase(
    "it holds nothing but the numbers of passages", es="no contiene más que números de pasajes"
)
_WRITTEN_PHONE: Final = re.compile(r"\+?[0-9 ().-]+")

State = Literal["waiting", "answered", "kept", "ready", "sending", "sent", "delivered", "read", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Somebody who wrote to a number."""

    id: UUID
    project_id: UUID
    number_id: UUID
    conversation_id: UUID | None
    last_in_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A WhatsApp message of a conversation and how far it came."""

    id: UUID
    conversation_id: UUID
    message_id: UUID | None
    direction: Literal["in", "out"]
    kind: str
    state: State
    error_code: int | None
    error_text: str | None
    said_at: datetime
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    failed_at: datetime | None

    @property
    def error_message(self) -> errors.Sentence | None:
        """Why it did not arrive, for people."""
        return meaning(self.error_code, self.error_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A text a program wants to send to a lead: a contact's id, its phone, or Meta's id of it."""

    project_id: UUID
    lead: str
    text: str
    agent_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """It waits to be sent."""

    contact_id: UUID
    conversation_id: UUID
    deliveries: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    id: UUID
    text: str


class WhatsAppOutbox:
    """Messages on their way to people."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def said(self, tx: Transaction, conversation: Conversation, message_id: UUID, text: str) -> None:
        """What somebody of the team said in a WhatsApp conversation goes to the person it is with."""
        if conversation.channel != CHANNEL:
            return
        contact = await tx.one(Contact, Q.contact_of_talk, conversation_id=conversation.id)
        if contact is not None:
            await put(tx, contact, text, conversation_id=conversation.id, message_id=message_id)

    async def send(self, actor: Actor, out: Outgoing) -> Queued:
        """A program speaks in the agent's name."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await need_role(tx, out.project_id, "manager", "send messages in this project")
            await _check_agent(tx, out)
            contact = await contact_of_lead(tx, out.project_id, out.lead)
            if contact is None:
                raise errors.NotFound(thing="lead", id=out.lead)
            talk = await tx.value(Q.talk, contact_id=contact.id)
            text = as_whatsapp_writes(out.text)
            if not text:
                raise errors.Invalid(field="message", reason=_NOTHING)
            message_id = await _already_said(tx, talk, text) or await add_message(tx, talk, "assistant", text)
            sent = await put(tx, contact, text, conversation_id=talk, message_id=message_id)
        return Queued(contact_id=contact.id, conversation_id=talk, deliveries=sent)

    async def deliveries(
        self, actor: Actor, conversation_id: UUID, page: PageRequest = FIRST_PAGE
    ) -> Page[Delivery]:
        """How far the messages of a conversation came, oldest first; for who manages the agent."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_conversation(tx, conversation_id)
            rows = await tx.all(
                Delivery, Q.deliveries, id=conversation_id, after=page.after_id, limit=page.fetch
            )
            return page.page(rows)


async def put(
    tx: Transaction, contact: Contact, text: str, *, conversation_id: UUID, message_id: UUID | None
) -> tuple[UUID, ...]:
    """Writes down what is to be sent, in pieces that fit."""
    if not window_open(contact.last_in_at):
        raise errors.Conflict(reason=_CLOSED)
    parts = [(new_id(), number, piece) for number, piece in enumerate(pieces(text))]
    for delivery_id, number, piece in parts:
        await tx.run(
            Q.put,
            id=delivery_id,
            number_id=contact.number_id,
            contact_id=contact.id,
            conversation_id=conversation_id,
            message_id=message_id,
            text=piece,
            part=number,
        )
    return tuple(delivery_id for delivery_id, _, _ in parts)


def window_open(last_in_at: datetime) -> bool:
    """Whether free text may still be sent."""
    return datetime.now(UTC) - last_in_at < WINDOW


async def contact_of_lead(tx: Transaction, project_id: UUID, lead: str) -> Contact | None:
    """Who a lead is; several numbers of a project may know the same person: the one written to last."""
    name = re.sub("[^0-9]", "", lead) if _WRITTEN_PHONE.fullmatch(lead) else lead
    return await tx.one(Contact, Q.contact_of_lead, project_id=project_id, lead=name)


async def _already_said(tx: Transaction, conversation_id: UUID, text: str) -> UUID | None:
    """What a program sends may be the answer the agent just gave: then it is in the conversation already."""
    last = await tx.one(_Last, Q.last_answer, conversation_id=conversation_id)
    return last.id if last and as_whatsapp_writes(last.text) == text else None


async def _check_agent(tx: Transaction, out: Outgoing) -> None:
    """The agent, when one is named, is of that project."""
    if out.agent_id is None:
        return
    agent = await get_agent(tx, out.agent_id)
    if agent.project_id != out.project_id:
        raise errors.NotFound(thing="agent", id=out.agent_id)
