"""Meta signs every call with the app's secret, over the bytes as they were sent."""

import hashlib
import hmac
from typing import Final

_PREFIX: Final = "sha256="


def sign(body: bytes, app_secret: str) -> str:
    """The value of `X-Hub-Signature-256`."""
    return _PREFIX + hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()


def is_signed(body: bytes, signature: str | None, app_secret: str) -> bool:
    """Whether these very bytes were signed with this secret; takes as long for a wrong signature as for a right one."""
    given = (signature or "").encode("utf-8", "replace")
    return hmac.compare_digest(sign(body, app_secret).encode(), given)
