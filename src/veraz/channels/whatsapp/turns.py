"""The handler of `whatsapp` jobs: one contact's messages in their order, until none is left.

People write in several short messages what they mean as one: those that arrive within a moment are one turn.

A contact has at most one job, so answers are never swapped however many workers there are. A message is asked once: what
an attempt that broke off left in the conversation is found again, or taken away, before the next.
"""

import asyncio
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import add_message, get_conversation
from veraz.answer.service import Answers, Ask
from veraz.channels.whatsapp.deliver import Q as DELIVER
from veraz.channels.whatsapp.deliver import Turn, WhatsAppDelivery
from veraz.channels.whatsapp.outbox import CHANNEL, Contact, put
from veraz.channels.whatsapp.words import as_whatsapp_writes, only_text, stands_for
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.providers.whatsapp import code_of, reason_of
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.search.service import asked
from veraz.tenancy.model import Actor

Q = queries(__file__)

Row = dict[str, Any]
WHATSAPP: Final = "whatsapp"
_MOST_WAITS: Final = 3
_LONGEST_JOINED: Final = 1_500
"""Characters of messages that are answered together; longer ones are questions of their own."""
_WITHOUT_TEXT: Final = frozenset(
    {"image", "audio", "video", "document", "sticker", "location", "contacts", "order", "unsupported", "nfm_reply"}
)  # fmt: skip
"""What deserves a word; a reaction or a note of the system does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    id: UUID | None
    text: str
    refusal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """Messages that are answered as one."""

    turn: Turn
    ids: list[UUID]
    text: str


class WhatsAppTurns:
    """Asks the agent and sends what it says."""

    def __init__(
        self, db: Database, answers: Answers, delivery: WhatsAppDelivery, *, quiet_seconds: float = 0.0
    ) -> None:
        self.db = db
        self.answers = answers
        self.delivery = delivery
        self.quiet_seconds = quiet_seconds

    async def __call__(self, job: Job, control: JobControl) -> None:
        await self._take_up_again(job)
        while (turn := await self._next(job, control)) is not None:
            if turn.direction == "out":
                await self.delivery.send(job, turn)
            elif turn.text is not None and _says_something(turn.text):
                await self._quiet(job, turn)
                await self._text(job, await self._joined(job, turn))
            else:
                await self._no_text(job, turn)

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The message at hand says why; those behind it get a job of their own."""
        contact_id = _contact(job)
        mine = await tx.run(Q.take, contact_id=contact_id, job=job.id)
        turn = await tx.one(Turn, Q.next, contact_id=contact_id) if mine else None
        if turn is None:
            return
        joined = await tx.rows(Q.together, contact_id=contact_id, marker=turn.asked_after)
        ids = [row["id"] for row in joined] if turn.asked_after else []
        for message_id in ids or [turn.id]:
            await tx.run(DELIVER.failed, id=message_id, job=job.id, **_why(error))
        await tx.run(Q.leave, contact_id=contact_id, job=job.id)
        await tx.run(Q.wake, contact_id=contact_id)

    async def _take_up_again(self, job: Job) -> None:
        """What this very job gave up once, when somebody starts it again."""
        if job.claims > 1:
            async with self.db.transaction(job.scope) as tx:
                await tx.run(Q.again, job=job.id)

    async def _next(self, job: Job, control: JobControl) -> Turn | None:
        """The next message, marked as begun; without one the job ends, in the same moment."""
        async with self.db.transaction(job.scope) as tx:
            mine = await tx.run(Q.take, contact_id=_contact(job), job=job.id)
            turn = await tx.one(Turn, Q.next, contact_id=_contact(job)) if mine else None
            if turn is None:
                await control.finish(tx)
                await tx.run(Q.leave, contact_id=_contact(job), job=job.id)
            elif turn.direction == "out":
                await self.delivery.begin(tx, job, turn)
            return turn

    async def _quiet(self, job: Job, turn: Turn) -> None:
        """Waits until nothing more has come for a moment; what an earlier attempt asked waits for nobody."""
        for _ in range(_MOST_WAITS):
            if turn.asked_after is not None or not self.quiet_seconds:
                return
            async with self.db.transaction(job.scope) as tx:
                since = float(await tx.value(Q.quiet_since, contact_id=turn.contact_id) or self.quiet_seconds)
            if since >= self.quiet_seconds:
                return
            await asyncio.sleep(self.quiet_seconds - since)

    async def _joined(self, job: Job, turn: Turn) -> _Joined:
        """This message and those right behind it, marked as asked together: a broken attempt asks the same again."""
        async with self.db.transaction(job.scope) as tx:
            rows = await tx.rows(Q.together, contact_id=turn.contact_id, marker=turn.asked_after)
            mine = _short_enough([row for row in rows if row["text"] and _says_something(row["text"])])
            ids = [row["id"] for row in mine] or [turn.id]
            text = "\n".join(row["text"] for row in mine) or (turn.text or "")
            if turn.asked_after is None:
                await tx.run(Q.asking, ids=ids, marker=new_id())
        return _Joined(turn=turn, ids=ids, text=text)

    async def _text(self, job: Job, joined: _Joined) -> None:
        turn = joined.turn
        if turn.answered_by == "outside" and turn.handoff_mode == "ai":
            async with self.db.transaction(job.scope) as tx:
                await _tell(tx, turn, text=joined.text)
                await tx.run(Q.done, ids=joined.ids, state="kept")
            return
        answer = await self._asked(job, joined)
        async with self.db.transaction(job.scope) as tx:
            if answer.refusal == "human":
                await _tell(tx, turn)
            else:
                await _reply(tx, turn, as_whatsapp_writes(answer.text), answer.id)
            await tx.run(Q.done, ids=joined.ids, state="kept" if answer.refusal == "human" else "answered")

    async def _asked(self, job: Job, joined: _Joined) -> _Answered:
        """The agent's answer; one that an earlier attempt got but could not send still counts."""
        turn, question = joined.turn, asked(joined.text)
        if turn.asked_after is not None:
            about = {"conversation_id": turn.conversation_id, "after": turn.asked_after}
            async with self.db.transaction(job.scope) as tx:
                if found := await tx.one(_Answered, Q.answered, **about):
                    return found
                await tx.run(Q.forget, text=question, **about)
        ask = Ask(question=question, conversation_id=turn.conversation_id, channel=CHANNEL)
        answer = await self.answers.answer(_actor(job, turn), turn.agent_id, ask)
        return _Answered(id=answer.message_id, text=answer.text, refusal=answer.refusal)

    async def _no_text(self, job: Job, turn: Turn) -> None:
        """Shown in the conversation, and politely answered once: people send pictures by the dozen."""
        async with self.db.transaction(job.scope) as tx:
            state = "kept"
            if turn.kind in _WITHOUT_TEXT:
                talk = await get_conversation(tx, turn.conversation_id)
                said = only_text(turn.language)
                just_said = await tx.value(Q.just_said, conversation_id=talk.id, text=said)
                await add_message(tx, talk.id, "user", stands_for(turn.kind, turn.language))
                if talk.handoff_mode == "human" or turn.answered_by == "outside":
                    await _tell(tx, turn)
                elif not just_said:
                    await _reply(tx, turn, said, await add_message(tx, talk.id, "assistant", said))
                    state = "answered"
            await tx.run(Q.done, ids=[turn.id], state=state)


def _short_enough(rows: list[Row]) -> list[Row]:
    """The first message, and those behind it that fit."""
    lengths = accumulate(len(row["text"]) for row in rows)
    return rows[: max(1, sum(length <= _LONGEST_JOINED for length in lengths))]


async def _reply(tx: Transaction, turn: Turn, text: str, message_id: UUID | None) -> None:
    contact = Contact(
        id=turn.contact_id,
        project_id=turn.project_id,
        number_id=turn.number_id,
        conversation_id=turn.conversation_id,
        last_in_at=turn.last_in_at,
    )
    await put(tx, contact, text, conversation_id=turn.conversation_id, message_id=message_id)


async def _tell(tx: Transaction, turn: Turn, text: str | None = None) -> None:
    """An event for who answers here: a person of the team, or a program, which gets the text too."""
    payload = {
        "conversation_id": str(turn.conversation_id),
        "agent_id": str(turn.agent_id),
        "project_id": str(turn.project_id),
        "lead_id": str(turn.contact_id),
        "channel": CHANNEL,
        "kind": turn.kind,
        "handoff_mode": turn.handoff_mode,
    }
    await tx.run(Q.tell, payload=payload | ({"message": text} if text else {}))


def _why(error: Exception) -> dict[str, object]:
    """What is written down: of an outside fault its code and its own words, else our sentence."""
    if isinstance(error, errors.OutsideFault) and (code := code_of(error)) is not None:
        return {"code": code, "error": reason_of(error)}
    known = error if isinstance(error, errors.VerazError) else errors.VerazError()
    return {"code": None, "error": known.message("es")[:500]}


def _actor(job: Job, turn: Turn) -> Actor:
    """The number, as a key that may only ask, in its own project."""
    return Actor(
        tenant_id=job.tenant_id,
        key_id=turn.number_id,
        key_project=turn.project_id,
        scopes=frozenset({"ask"}),
    )


def _contact(job: Job) -> UUID:
    return UUID(str(job.payload["contact_id"]))


def _says_something(text: str) -> bool:
    return any(sign.isprintable() and not sign.isspace() for sign in text)
