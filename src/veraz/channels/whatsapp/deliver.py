"""One piece to Meta, sent once as far as anybody can know.

A row says `sending` before Meta is called and `sent` afterwards. Whoever finds `sending` cannot know whether the
message went out, but Meta tells: every report carries our id. So it waits for a report, and only where none comes does it
send again.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from veraz import errors
from veraz.channels.whatsapp.numbers import open_token
from veraz.channels.whatsapp.outbox import State, window_open
from veraz.channels.whatsapp.troubles import WINDOW_CLOSED
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.observe import log
from veraz.providers.whatsapp import CloudApi, Letter, code_of, may_be_sent, reason_of
from veraz.queue.model import Job
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

_OF_THE_NUMBER: Final = frozenset({10, 190, 131031, 131042, 131045, 133010})
"""Meta's codes that no other message of the number would escape: token, rights, account, payment, registration."""
_REPORT_WITHIN: Final = timedelta(seconds=20)
_NO_REPORT: Final = errors.Phrase(
    "it is not known yet whether the last attempt went out", es="aún no se sabe si el último intento salió"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The next thing to do for a contact: a message to answer, or one to send."""

    id: UUID
    direction: Literal["in", "out"]
    kind: str
    text: str | None
    state: State
    asked_after: UUID | None
    sending_at: datetime | None
    conversation_id: UUID
    agent_id: UUID
    handoff_mode: Literal["ai", "human"]
    language: str
    contact_id: UUID
    phone: str | None
    bsuid: str | None
    last_in_at: datetime
    number_id: UUID
    project_id: UUID
    phone_number_id: str
    answered_by: Literal["veraz", "outside"]
    access_token_sealed: bytes = field(repr=False)


class WhatsAppDelivery:
    """Sends what the outbox holds."""

    def __init__(self, db: Database, api: CloudApi, vault: Vault) -> None:
        self.db = db
        self.api = api
        self.vault = vault

    async def begin(self, tx: Transaction, job: Job, turn: Turn) -> None:
        """From here on it may have been sent; a worker that lost its job does not get further."""
        if turn.state == "sending" and turn.sending_at and _just(turn.sending_at):
            raise errors.OutsideDown(host="WhatsApp", reason=_NO_REPORT)
        if not await tx.run(Q.begin, id=turn.id, job=job.id, worker=job.worker, claims=job.claims):
            raise errors.LeaseLost()

    async def send(self, job: Job, turn: Turn) -> None:
        """Sends one piece and writes down what became of it; a fault that passes is left to the queue."""
        if not window_open(turn.last_in_at):
            await self._failed(job, turn, WINDOW_CLOSED, None)
            return
        try:
            wamid = await self.api.send(self._letter(turn))
        except errors.OutsideRejected as fault:
            await self._failed(job, turn, code_of(fault), reason_of(fault))
        except errors.OutsideFault as fault:
            await self._not_now(job, turn, fault)
            raise
        else:
            async with self.db.transaction(job.scope) as tx:
                await tx.run(Q.sent, id=turn.id, wamid=wamid)

    def _letter(self, turn: Turn) -> Letter:
        return Letter(
            phone_number_id=turn.phone_number_id,
            token=open_token(self.vault, turn.number_id, turn.access_token_sealed),
            text=turn.text or "",
            reference=str(turn.id),
            phone=turn.phone,
            bsuid=turn.bsuid,
        )

    async def _not_now(self, job: Job, turn: Turn, fault: errors.OutsideFault) -> None:
        state = "sending" if may_be_sent(fault) else "ready"
        async with self.db.transaction(job.scope) as tx:
            await tx.run(Q.not_now, id=turn.id, state=state, code=code_of(fault), error=reason_of(fault))

    async def _failed(self, job: Job, turn: Turn, code: int | None, reason: str | None) -> None:
        log.warning("whatsapp_refused", graph_code=code)
        async with self.db.transaction(job.scope) as tx:
            await tx.run(Q.failed, id=turn.id, code=code, error=reason, job=None)
            if code in _OF_THE_NUMBER:
                await tx.run(Q.number_failed, id=turn.number_id, code=code, error=reason)


def _just(at: datetime) -> bool:
    return datetime.now(UTC) - at < _REPORT_WITHIN
