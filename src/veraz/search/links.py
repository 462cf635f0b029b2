"""Permanent, signed links to quotations: a link holds what it points to, and nobody can make one up."""

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass
from uuid import UUID

from veraz.tenancy.tokens import derive
from veraz.text.injection import visible

_BODY = struct.Struct("!B16s16sII8s")
_MAC = 14
_KIND = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedQuote:
    """What a link points to: characters of a document's text, and what they said."""

    tenant_id: UUID
    document_id: UUID
    start: int
    end: int
    digest: bytes

    def says(self, text: str) -> bool:
        """Whether these are the words that were quoted."""
        return hmac.compare_digest(self.digest, digest_of(text))


class QuoteLinks:
    """Makes links and reads them."""

    def __init__(self, secret: str, address: str) -> None:
        self._key = bytes.fromhex(derive(secret, "quote links"))
        self._address = address.rstrip("/")

    def url(self, tenant_id: UUID, document_id: UUID, start: int, end: int, text: str) -> str:
        """The link to a stretch of a document's text."""
        body = _BODY.pack(_KIND, tenant_id.bytes, document_id.bytes, start, end, digest_of(text))
        token = base64.urlsafe_b64encode(body + self._mac(body)).rstrip(b"=").decode()
        return f"{self._address}/s/{token}"

    def read(self, token: str) -> LinkedQuote | None:
        """What the link points to; None when it was not made here."""
        try:
            raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        body, mac = raw[: _BODY.size], raw[_BODY.size :]
        if not hmac.compare_digest(mac, self._mac(body)) or len(body) != _BODY.size or body[0] != _KIND:
            return None
        _, tenant, document, start, end, digest = _BODY.unpack(body)
        return LinkedQuote(
            tenant_id=UUID(bytes=tenant),
            document_id=UUID(bytes=document),
            start=start,
            end=end,
            digest=digest,
        )

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()[:_MAC]


def digest_of(text: str) -> bytes:
    """The words of a stretch in a few bytes; how they were wrapped does not count."""
    return hashlib.sha256(" ".join(visible(text).split()).encode()).digest()[:8]
