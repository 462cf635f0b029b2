"""The webhook: checked, written down once, acknowledged at once. Answering is the queue's business.

Meta has one address for all numbers, so the number says whose message it is, and the signature proves it: only the
tenant who holds the secret of the app that signed these bytes hears of them.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

from veraz import errors
from veraz.channels.whatsapp.numbers import open_app_secret
from veraz.channels.whatsapp.payload import Incoming, Payload, read
from veraz.channels.whatsapp.signature import is_signed
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.observe import log
from veraz.tenancy.model import system
from veraz.tenancy.secrets import Vault
from veraz.tenancy.tokens import token_hash

Q = queries(__file__)

_MOST_NUMBERS: Final = 1_000
"""Looked up for one call, before anybody knows who is calling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """A tenant that says it answers at a number."""

    id: UUID
    tenant_id: UUID
    phone_number_id: str
    app_secret_sealed: bytes = field(repr=False)
    active: bool


class WhatsAppInbox:
    """What Meta calls."""

    def __init__(self, db: Database, vault: Vault) -> None:
        self.db = db
        self.vault = vault
        self._turns: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def verify(self, token: str) -> None:
        """Whether the word Meta says is one of our numbers'."""
        async with self.db.sign_in.transaction() as tx:
            if not await tx.value(Q.token_known, hash=token_hash(token)):
                raise errors.WrongSignature()

    async def receive(self, body: bytes, signature: str | None) -> int:
        """Keeps what is new of a call; how many messages that is. A call nobody's secret has signed is refused."""
        payload = read(body)
        wanted = list(payload.phone_number_ids[:_MOST_NUMBERS])
        async with self.db.sign_in.transaction() as tx:
            claims = await tx.all(_Claim, Q.numbers_of, phone_number_ids=wanted)
        signed = self._signed(claims, body, signature)
        if not signed:
            raise errors.WrongSignature()
        return sum([await self._keep(claim, payload) for claim in _listening(signed)])

    def _signed(self, claims: list[_Claim], body: bytes, signature: str | None) -> list[_Claim]:
        """The claims whose secret signed the call."""
        return [
            claim
            for claim in claims
            if is_signed(body, signature, open_app_secret(self.vault, claim.id, claim.app_secret_sealed))
        ]

    def _turn(self, number_id: UUID) -> asyncio.Lock:
        """Calls for one number wait here, where waiting costs no connection, and not in the database."""
        return self._turns.setdefault(number_id, asyncio.Lock())

    async def _keep(self, claim: _Claim, payload: Payload) -> int:
        messages = [m for m in payload.messages if m.phone_number_id == claim.phone_number_id]
        reports = [r for r in payload.reports if r.phone_number_id == claim.phone_number_id]
        async with self._turn(claim.id), self.db.transaction(system(claim.tenant_id)) as tx:
            new = int(await tx.value(Q.receive, number_id=claim.id, messages=_as_json(messages)))
            for r in reports:
                await tx.run(
                    Q.report,
                    number_id=claim.id,
                    wamid=r.wamid,
                    ours=r.ours,
                    status=r.status,
                    at=r.at,
                    code=r.error_code,
                    error=r.error_text,
                )
        log.info("whatsapp_received", messages=len(messages), new=new, reports=len(reports))
        return new


def _listening(signed: list[_Claim]) -> Iterable[_Claim]:
    """For each number the oldest claim that is not silenced: a number may have moved from one tenant to another."""
    chosen: dict[str, _Claim] = {}
    for claim in signed:
        if claim.active:
            chosen.setdefault(claim.phone_number_id, claim)
    return chosen.values()


def _as_json(messages: Sequence[Incoming]) -> str:
    return json.dumps([asdict(m) | {"said_at": m.said_at.isoformat()} for m in messages], ensure_ascii=False)
