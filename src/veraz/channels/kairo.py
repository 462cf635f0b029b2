"""One call that does what KAIRO's n8n workflow does: a lead's message in, the agent's answer out.

A lead that wrote to one of our WhatsApp numbers also gets the answer there, while WhatsApp lets us write. Any other lead has a conversation under the
caller's own name for it, and sending the answer is the caller's business.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import Conversation, get_conversation
from veraz.answer.model import Answer
from veraz.answer.service import Answers, Ask
from veraz.channels.whatsapp.outbox import Contact, contact_of_lead, put, window_open
from veraz.channels.whatsapp.words import as_whatsapp_writes
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.signed_acting import unproven

Q = queries(__file__)

_CHANNEL: Final = "kairo"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadMessage:
    """A lead of a project says something to an agent of it."""

    lead: str
    agent_id: UUID
    project_id: UUID
    text: str
    conversation: str | None = None
    """Ours, or the caller's own name for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadAnswer:
    """The agent's answer; without text when a person has taken over."""

    text: str
    answer: Answer
    conversation: Conversation
    queued: bool
    """Whether it is on its way to the lead's WhatsApp."""


class Kairo:
    """Answers leads."""

    def __init__(self, db: Database, answers: Answers) -> None:
        self.db = db
        self.answers = answers

    async def handle(self, actor: Actor, message: LeadMessage) -> LeadAnswer:
        """Asks the agent, inside the lead's conversation."""
        need(actor, "ask")
        if actor.unproven:  # a lead is an end user, whom the body names
            raise unproven()
        async with self.db.transaction(actor.scope()) as tx:
            contact, talk = await _where(tx, actor, message)
        ask = Ask(question=message.text, conversation_id=talk, channel=_CHANNEL)
        answer = await self.answers.answer(actor, message.agent_id, ask)
        text = "" if answer.refusal == "human" else as_whatsapp_writes(answer.text)
        queued = bool(text) and contact is not None and window_open(contact.last_in_at)
        async with self.db.transaction(actor.scope()) as tx:
            if queued and contact is not None:
                await put(tx, contact, text, conversation_id=talk, message_id=answer.message_id)
            conversation = await get_conversation(tx, talk)
        return LeadAnswer(text=text, answer=answer, conversation=conversation, queued=queued)


async def _where(tx: Transaction, actor: Actor, message: LeadMessage) -> tuple[Contact | None, UUID]:
    """The contact a lead is, if it is one, and the conversation with it; an agent of another project is not found."""
    agent = await get_agent(tx, message.agent_id)
    if agent.project_id != message.project_id:
        raise errors.NotFound(thing="agent", id=message.agent_id)
    contact = await contact_of_lead(tx, agent.project_id, message.lead)
    if contact is not None:
        need(actor, "manage")
        if await tx.value(Q.answers_there, contact_id=contact.id, agent_id=agent.id):
            return contact, await tx.value(Q.contacts_talk, contact_id=contact.id)
        raise errors.NotFound(thing="agent", id=message.agent_id)
    name = message.conversation or message.lead
    if found := await tx.value(Q.talk, agent_id=agent.id, id=_uuid(name), name=name):
        return None, UUID(str(found))
    await tx.run(Q.start, id=new_id(), agent_id=agent.id, name=name, title=message.text[:120])
    return None, UUID(str(await tx.value(Q.talk, agent_id=agent.id, id=None, name=name)))


def _uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None
