"""One event, signed, to one webhook: the handler of `deliver_webhook` jobs.

Anything but a 2xx answer is tried again with growing waits, as often as the job may. A webhook that lost many
deliveries in a row is switched off with a note; an answer of 410 (gone) switches it off at once.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
        webhook_id = await tx.value(Q.given_up, id=job.payload["delivery_id"], error=known.sentence())
        if webhook_id is not None:
            limit = 1 if known.context.get("reason") is _GONE_REASON else LOST_IN_A_ROW
            await tx.run(Q.count, id=webhook_id, limit=limit, note=known.sentence())

    async def _send(self, parcel: _Parcel) -> _Outcome:
        began = time.perf_counter()
        status, error = None, None
        try:
            async with asyncio.timeout(self.settings.webhook_seconds):
                status = await self._post(parcel)
            error = _verdict(httpx.URL(parcel.url).host, status)
        except errors.FetchRefused as refused:
            error = refused
        except (TimeoutError, httpx.TimeoutException):
            error = errors.OutsideDown(host=httpx.URL(parcel.url).host, reason=_TOO_SLOW)
        except httpx.TransportError:
            error = errors.OutsideDown(host=httpx.URL(parcel.url).host, reason=_UNREACHABLE)
        return _Outcome(
            status=status, error=error, milliseconds=round((time.perf_counter() - began) * 1000, 1)
        )

    async def _post(self, parcel: _Parcel) -> int:
        """The status of the answer; its body is not read, and redirects are not followed."""
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
            return response.status_code

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
        error=outcome.error.sentence() if outcome.error else None,
    )


def _verdict(host: str, status: int) -> errors.VerazError | None:
    if 200 <= status < 300:
        return None
    if status == _GONE:
        return errors.OutsideFault(host=host, reason=_GONE_REASON)
    if status in _BUSY:
        return errors.OutsideBusy(host=host)
    return errors.OutsideDown(
        host=host, reason=errors.Phrase(f"it answered with {status}", es=f"contestó con {status}")
    )


_TOO_SLOW: Final = errors.Phrase("it took too long", es="tardó demasiado")
_UNREACHABLE: Final = errors.Phrase("the connection failed", es="la conexión falló")
_GONE_REASON: Final = errors.Phrase(
    "it says that it is gone for good (410)", es="dice que ya no existe (410)"
)
_SWITCHED_OFF: Final = errors.Phrase("the webhook is switched off", es="el webhook está desactivado")
