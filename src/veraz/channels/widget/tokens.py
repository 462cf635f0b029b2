"""A visitor's token: the widget it is for, a random visitor and a time, signed, so that nothing is kept for people who only look."""

import base64
import binascii
import hashlib
import hmac
import struct
import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from veraz.tenancy.tokens import derive

_BODY: Final = struct.Struct("!BB16s16sQ")
_MAC: Final = 16
_KIND: Final = 2

VALID_SECONDS: Final = 2 * 3600
RENEWABLE_SECONDS: Final = 30 * 24 * 3600
"""How long after it was made a token can be exchanged for a new one of the same visitor."""
PREVIEW_SECONDS: Final = 3600
_NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Somebody at a widget."""

    id: UUID
    widget_id: UUID
    made_at: int
    trying: bool = False
    """Whether it is one of the managers, on our own test page."""

    @property
    def age(self) -> float:
        """Seconds since the token was made."""
        return time.time() - self.made_at


class VisitorTokens:
    """Makes tokens and reads them."""

    def __init__(self, secret: str) -> None:
        self._key = bytes.fromhex(derive(secret, "widget visitors"))

    def new(self, widget_id: UUID, *, visitor: Visitor | None = None, trying: bool = False) -> str:
        """A token for a new visitor, or a fresh one for the same."""
        visitor_id = visitor.id if visitor else uuid4()
        return self._signed(widget_id, visitor_id, trying=trying)

    def preview(self, widget_id: UUID) -> str:
        """What lets our own test page show a widget that others may not show."""
        return self._signed(widget_id, _NOBODY, trying=True)

    def is_preview(self, text: str | None, widget_id: UUID) -> bool:
        """Whether the text was made by `preview`, for this widget and not long ago."""
        found = self._read(text or "", widget_id)
        return found is not None and found.id == _NOBODY and found.age < PREVIEW_SECONDS

    def read(self, text: str, widget_id: UUID, *, within: int = VALID_SECONDS) -> Visitor | None:
        """The visitor; None when the token was not made here, for another widget, or too long ago."""
        found = self._read(text, widget_id)
        return found if found and found.id != _NOBODY and found.age < within else None

    def _signed(self, widget_id: UUID, visitor_id: UUID, *, trying: bool) -> str:
        body = _BODY.pack(_KIND, trying, widget_id.bytes, visitor_id.bytes, int(time.time()))
        return base64.urlsafe_b64encode(body + self._mac(body)).rstrip(b"=").decode()

    def _read(self, text: str, widget_id: UUID) -> Visitor | None:
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        body, mac = raw[: _BODY.size], raw[_BODY.size :]
        if not hmac.compare_digest(mac, self._mac(body)) or len(body) != _BODY.size or body[0] != _KIND:
            return None
        _, trying, widget, visitor, made_at = _BODY.unpack(body)
        if UUID(bytes=widget) != widget_id:
            return None
        return Visitor(id=UUID(bytes=visitor), widget_id=widget_id, made_at=made_at, trying=bool(trying))

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()[:_MAC]
