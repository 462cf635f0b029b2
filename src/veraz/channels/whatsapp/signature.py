"""Meta signs every call with the app's secret, over the bytes as they were sent."""

import hashlib
import hmac
import re
from typing import Final

_PREFIX: Final = "sha256="
_SHAPE: Final = re.compile(r"sha256=[0-9a-f]{64}")


def sign(body: bytes, app_secret: str) -> str:
    """The value of `X-Hub-Signature-256`."""
    return _PREFIX + hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()


def looks_signed(signature: str | None) -> bool:
    """Whether this could be Meta's signature of anything: what is not costs nobody the reading of a body."""
    return _SHAPE.fullmatch(signature or "") is not None


def is_signed(body: bytes, signature: str | None, app_secret: str) -> bool:
    """Whether these very bytes were signed with this secret; takes as long for a wrong signature as for a right one."""
    given = (signature or "").encode("utf-8", "replace")
    return hmac.compare_digest(sign(body, app_secret).encode(), given)
