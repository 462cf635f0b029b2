"""WhatsApp's Cloud API (Meta's Graph): one text to one person, with patience, its faults in our words.

Meta knows no idempotency key. So a fault also says whether the message may have gone out all the same; such a message
is only sent again when no report of its delivery comes.
"""

import asyncio
import random
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected

_THROTTLED: Final = frozenset({4, 80007, 130429, 131048, 131056, 133016})
_PASSING: Final = frozenset({1, 2, 131000, 131016, 131057, 133004})
_LONGEST_REASON: Final = 300
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try before the fault is passed on."""

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 5.0
    """Also the longest `Retry-After` waited for here; a longer one is left to the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A text, from whom and to whom: by phone, or by Meta's own id of people who show none."""

    phone_number_id: str
    token: str
    text: str
    reference: str
    """Ours; Meta gives it back with every report of this message."""
    phone: str | None = None
    bsuid: str | None = None

    def body(self) -> dict[str, Any]:
        """As Meta takes it."""
        to = {"to": self.phone} if self.phone else {"recipient": self.bsuid}
        return {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            **to,
            "type": "text",
            "text": {"body": self.text, "preview_url": False},
            "biz_opaque_callback_data": self.reference,
        }


class CloudApi:
    """The Graph at one address."""

    def __init__(self, base_url: str, *, seconds: float = 20.0, patience: Patience | None = None) -> None:
        self._base = base_url.rstrip("/")
        self._host = urlsplit(base_url).hostname or base_url
        self._patience = patience or Patience()
        self._seconds = seconds
        self._client: httpx.AsyncClient | None = None

    async def send(self, letter: Letter) -> str:
        """Sends it; Meta's id of the message."""
        for attempt in range(self._patience.attempts - 1):
            try:
                return await self._post(letter)
            except (OutsideBusy, OutsideDown) as fault:
                wait = self._wait(attempt, fault)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
        return await self._post(letter)

    def _wait(self, attempt: int, fault: OutsideFault) -> float | None:
        """Seconds until the next attempt; None when it must not, or is not worth it to, be waited for here."""
        asked = fault.retry_after
        if may_be_sent(fault) or (asked or 0.0) > self._patience.longest_wait:
            return None
        jitter = random.uniform(0, min(self._patience.longest_wait, self._patience.first_wait * 2**attempt))
        return jitter if asked is None else asked + min(jitter, 1.0)

    async def _post(self, letter: Letter) -> str:
        url = f"{self._base}/{letter.phone_number_id}/messages"
        headers = {"Authorization": f"Bearer {letter.token}"}
        try:
            answer = await self._http().post(url, json=letter.body(), headers=headers)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            sent = isinstance(error, httpx.TransportError) and not isinstance(error, _NEVER_SENT)
            raise OutsideDown(host=self._host, reason=type(error).__name__, may_be_sent=sent) from error
        return self._wamid(answer)

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=self._seconds)
        return self._client

    def _wamid(self, answer: httpx.Response) -> str:
        body = _json(answer)
        if answer.is_success:
            try:
                return str(body["messages"][0]["id"])
            except (LookupError, TypeError):
                reason = f"{answer.status_code} ?"
                raise OutsideDown(host=self._host, reason=reason, may_be_sent=True) from None
        raise self._fault(answer, body)

    def _fault(self, answer: httpx.Response, body: Any) -> OutsideFault:
        """A fault by what can be done about it: wait, try again, or change something."""
        error = body.get("error") if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        code = error.get("code") if isinstance(error.get("code"), int) else None
        details = error.get("error_data")
        said = details.get("details") if isinstance(details, dict) else None
        reason = str(said or error.get("message") or answer.reason_phrase)[:_LONGEST_REASON]
        about = {"host": self._host, "reason": reason, "graph_code": code or answer.status_code}
        if answer.status_code == 429 or code in _THROTTLED:
            return OutsideBusy(retry_after=_seconds(answer.headers.get("retry-after")), **about)
        if answer.status_code >= 500 or code in _PASSING:
            return OutsideDown(**about)
        return OutsideRejected(**about)


def may_be_sent(fault: OutsideFault) -> bool:
    """Whether the message may have gone out although nobody said so."""
    return bool(fault.context.get("may_be_sent"))


def code_of(fault: OutsideFault) -> int | None:
    """Meta's number for what went wrong, or the status of its answer."""
    code = fault.context.get("graph_code")
    return code if isinstance(code, int) else None


def reason_of(fault: OutsideFault) -> str:
    """Meta's sentence for it."""
    return str(fault.context.get("reason", ""))


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
