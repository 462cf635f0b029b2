"""One event, signed, to one webhook: the handler of `deliver_webhook` jobs.

Anything but a 2xx answer is tried again with growing waits, as often as the job may; a receiver that is busy may ask for
a longer wait (`Retry-After`, up to a day). A webhook that lost many deliveries in a row is switched off with a note; an
answer of 410 (gone) switches it off at once.
"""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from uuid import UUID

import httpx

from veraz import errors
from veraz.channels.signature import signed_headers
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.providers.web import safe_transport
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.settings import Settings
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

DELIVER: Final = "deliver_webhook"
LOST_IN_A_ROW: Final = 10
_GONE: Final = 410
_BUSY: Final = (429, 503)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parcel:
    """A delivery with where it goes."""

    id: UUID
    webhook_id: UUID
    url: str
    secret_sealed: bytes = field(repr=False)
    previous_sealed: bytes | None = field(repr=False)
    enabled: bool
    kind: str
    data: dict[str, Any]
    status: str
    happened_at: datetime

    @property
    def body(self) -> bytes:
        """The same bytes at every attempt."""
        moment = self.happened_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        message = {"type": self.kind, "timestamp": moment, "data": self.data}
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """How one attempt went; no error is success."""

    milliseconds: float
    status: int | None = None
    error: errors.VerazError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """What a receiver said, as far as it is read."""

    status: int
    retry_after: float | None


class DeliverWebhook:
    """Sends deliveries and keeps their log."""

    def __init__(self, db: Database, vault: Vault, settings: Settings) -> None:
        self.db = db
        self.vault = vault
        self.settings = settings

    async def __call__(self, job: Job, control: JobControl) -> None:
        async with self.db.transaction(job.scope) as tx:
            parcel = await tx.one(_Parcel, Q.parcel, id=job.payload["delivery_id"])
        if parcel is None or parcel.status == "delivered":
            return
        if not parcel.enabled:
            raise errors.OutsideFault(host=httpx.URL(parcel.url).host, reason=_SWITCHED_OFF)
        outcome = await self._send(parcel)
        async with self.db.transaction(job.scope) as tx:
            if outcome.error is None:
                await control.finish(tx)
                await tx.run(Q.arrived, id=parcel.webhook_id)
            await _write(tx, parcel, outcome)
        if outcome.error is not None:
            raise outcome.error

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The delivery is given up; with many in a row, so is the webhook."""
        known = error if isinstance(error, errors.VerazError) else errors.VerazError()
        webhook_id = await tx.value(Q.given_up, id=job.payload["delivery_id"], error=_told(known))
        if webhook_id is not None:
            limit = 1 if known.context.get("reason") is _GONE_REASON else LOST_IN_A_ROW
            await tx.run(Q.count, id=webhook_id, limit=limit, note=_told(known))

    async def _send(self, parcel: _Parcel) -> _Outcome:
        began = time.perf_counter()
        status, error = None, None
        try:
            async with asyncio.timeout(self.settings.webhook_seconds):
                reply = await self._post(parcel)
            status, error = reply.status, _verdict(httpx.URL(parcel.url).host, reply)
        except errors.FetchRefused as refused:
            error = _passing(refused) if refused.context.get("nobody") else refused
        except (TimeoutError, httpx.TimeoutException):
            error = errors.OutsideDown(host=httpx.URL(parcel.url).host, reason=_TOO_SLOW)
        except httpx.TransportError:
            error = errors.OutsideDown(host=httpx.URL(parcel.url).host, reason=_UNREACHABLE)
        return _Outcome(
            status=status, error=error, milliseconds=round((time.perf_counter() - began) * 1000, 1)
        )

    async def _post(self, parcel: _Parcel) -> _Reply:
        """What the receiver answers; its body is not read, and redirects are not followed."""
        body = parcel.body
        headers = {"content-type": "application/json", "user-agent": "Veraz"}
        headers |= signed_headers(f"msg_{parcel.id.hex}", int(time.time()), body, self._secrets(parcel))
        async with (
            httpx.AsyncClient(
                transport=safe_transport(self.settings),
                trust_env=False,
                timeout=self.settings.webhook_seconds,
            ) as client,
            client.stream("POST", parcel.url, content=body, headers=headers) as response,
        ):
            asked = seconds_asked(response.headers.get("retry-after", ""), datetime.now(UTC))
            return _Reply(status=response.status_code, retry_after=asked)

    def _secrets(self, parcel: _Parcel) -> list[str]:
        sealed = [parcel.secret_sealed, *([parcel.previous_sealed] if parcel.previous_sealed else [])]
        return [self.vault.open(one, about=parcel.webhook_id) for one in sealed]


async def _write(tx: Transaction, parcel: _Parcel, outcome: _Outcome) -> None:
    await tx.run(
        Q.attempted,
        id=parcel.id,
        delivered=outcome.error is None,
        response_status=outcome.status,
        response_ms=outcome.milliseconds,
        error=_told(outcome.error) if outcome.error else None,
    )


def _told(error: errors.VerazError) -> errors.Sentence:
    """Who failed and how; whether it is tried again, the delivery itself says."""
    about = error.context
    host = about.get("host") or httpx.URL(str(about.get("url", ""))).host
    if not host or "reason" not in about:
        return error.sentence()
    return errors.OutsideFault(host=host, reason=about["reason"]).sentence()


def _passing(refused: errors.FetchRefused) -> errors.OutsideDown:
    """A name nobody has may be a resolver's bad moment: tried again like any server that is down."""
    host = httpx.URL(str(refused.context["url"])).host
    return errors.OutsideDown(host=host, reason=refused.context["reason"])


def _verdict(host: str, reply: _Reply) -> errors.VerazError | None:
    if 200 <= reply.status < 300:
        return None
    if reply.status == _GONE:
        return errors.OutsideFault(host=host, reason=_GONE_REASON)
    answered = errors.Phrase(f"it answered with {reply.status}", es=f"contestó con {reply.status}")
    if reply.status in _BUSY:
        return errors.OutsideBusy(host=host, reason=answered, retry_after=reply.retry_after)
    return errors.OutsideDown(host=host, reason=answered)


def seconds_asked(header: str, now: datetime) -> float | None:
    """How long `Retry-After` asks to wait, said in seconds or as a date; nothing when it says neither."""
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        until = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return max(0.0, ((until if until.tzinfo else until.replace(tzinfo=UTC)) - now).total_seconds())


_TOO_SLOW: Final = errors.Phrase("it took too long", es="tardó demasiado")
_UNREACHABLE: Final = errors.Phrase("the connection failed", es="la conexión falló")
_GONE_REASON: Final = errors.Phrase(
    "it says that it is gone for good (410)", es="dice que ya no existe (410)"
)
_SWITCHED_OFF: Final = errors.Phrase("the webhook is switched off", es="el webhook está desactivado")
