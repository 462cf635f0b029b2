"""Codes of an authenticator app (RFC 6238) and recovery codes: made, drawn, compared. No database here."""

import base64
import hmac
import io
import secrets
from dataclasses import dataclass, field
from time import time
from typing import Final

import segno
from pyotp import random_base32
from pyotp.totp import TOTP

from veraz.tenancy.tokens import token_hash

STEP_SECONDS: Final = 30
SKEW_STEPS: Final = 1
"""A code is also taken a step before and after its own: clocks of telephones differ."""
RECOVERY_CODES: Final = 10
_GROUPS, _GROUP_LENGTH = 4, 6
_CODE_BYTES: Final = 15
"""120 random bits, so that one fast hash is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """What an authenticator app is given, as text to type and as a picture to look at."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)
    qr_svg: str = field(repr=False)


def new_secret() -> str:
    """160 random bits in base 32."""
    return random_base32()


def shown(secret: str, *, account: str) -> NewSecret:
    """The secret as an address and as a QR code."""
    uri = TOTP(secret).provisioning_uri(name=account, issuer_name="Veraz")
    picture = io.BytesIO()
    segno.make(uri, error="m").save(
        picture, kind="svg", border=4, omitsize=True, xmldecl=False, dark="#000", light="#fff", svgclass=None
    )
    return NewSecret(secret=secret, uri=uri, qr_svg=picture.getvalue().decode())


def matching_step(secret: str, code: str, *, after: int) -> int | None:
    """The half minute the code belongs to, if it is near now and later than the last one used."""
    now = int(time()) // STEP_SECONDS
    digits = "".join(sign for sign in code if sign.isascii() and sign.isdigit())
    totp = TOTP(secret)
    found = [
        step
        for step in range(now - SKEW_STEPS, now + SKEW_STEPS + 1)
        if step > after and hmac.compare_digest(totp.generate_otp(step), digits)
    ]
    return found[0] if found else None


def new_recovery_codes() -> list[str]:
    """Codes for the day the telephone is gone; each works once."""
    return [_grouped(secrets.token_bytes(_CODE_BYTES)) for _ in range(RECOVERY_CODES)]


def looks_like_recovery_code(code: str) -> bool:
    """Whether this was meant as one, rather than as six figures."""
    return len(_plain(code)) == _GROUPS * _GROUP_LENGTH


def recovery_hash(code: str) -> bytes:
    """What is kept of a recovery code; spaces, dashes and capitals make no difference."""
    return token_hash(_plain(code))


def _grouped(random: bytes) -> str:
    text = base64.b32encode(random).decode().lower()
    return "-".join(text[i : i + _GROUP_LENGTH] for i in range(0, len(text), _GROUP_LENGTH))


def _plain(code: str) -> str:
    return "".join(sign for sign in code.lower() if sign.isascii() and sign.isalnum())
