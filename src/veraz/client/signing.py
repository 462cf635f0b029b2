"""Signing whom a service key acts for, with an end-user key of the tenant; nothing but the standard library."""

import hashlib
import hmac
import json
import time
import uuid
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EndUserKey:
    """An HS256 key as `POST /end-user-keys` gave it, and the tenant it is of (`GET /me`)."""

    id: str
    secret: str = field(repr=False)
    tenant: str

    def sign(
        self, *, user: str | None = None, machine: str | None = None, seconds: int = 120, once: bool = False
    ) -> str:
        """A token for the header `X-Veraz-Acting`; with `once` it is believed a single time."""
        claims: dict[str, Any] = {"aud": self.tenant, "exp": int(time.time()) + seconds}
        claims |= {name: value for name, value in (("sub", user), ("machine", machine)) if value is not None}
        if once:
            claims["jti"] = str(uuid.uuid4())
        head = {"alg": "HS256", "typ": "JWT", "kid": self.id}
        body = f"{_part(head)}.{_part(claims)}"
        return f"{body}.{_text(hmac.digest(self.secret.encode(), body.encode(), hashlib.sha256))}"


def _part(values: dict[str, Any]) -> str:
    return _text(json.dumps(values, separators=(",", ":")).encode())


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
