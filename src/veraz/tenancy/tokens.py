"""Passwords, tokens and keys: made, hashed, compared. Only hashes reach the database."""

import asyncio
import hashlib
import hmac
import secrets
import string
from dataclasses import dataclass, field
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from veraz import errors

SESSION_PREFIX: Final = "vzs_"
KEY_PREFIX: Final = "vzk_"
CHALLENGE_PREFIX: Final = "vzc_"
MINIMUM_PASSWORD: Final = 8
_MAXIMUM_PASSWORD: Final = 1024

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)  # OWASP's minimum for argon2id


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A fresh secret: the text is shown once, the hash is kept."""

    text: str = field(repr=False)
    hash: bytes
    prefix: str


def new_session_token() -> NewToken:
    """A token for one sign-in."""
    return _new(SESSION_PREFIX)


def new_challenge_token() -> NewToken:
    """A token for somebody half signed in, who still has to show a second factor."""
    return _new(CHALLENGE_PREFIX)


def new_key() -> NewToken:
    """A token for an API key; its first characters stay visible so that people can tell keys apart."""
    return _new(KEY_PREFIX)


def token_hash(text: str) -> bytes:
    """Tokens hold 256 random bits, so one fast hash is enough."""
    return hashlib.sha256(text.encode()).digest()


def new_password() -> str:
    """A one-time password a person can type, also after an option of a command: it begins with a letter or figure."""
    return secrets.choice(string.ascii_letters + string.digits) + secrets.token_urlsafe(12)[1:]


def derive(secret: str, purpose: str) -> str:
    """A password derived from the installation's secret, so that every host derives the same."""
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


async def hash_password(password: str) -> str:
    """Argon2id, off the event loop."""
    if len(password) < MINIMUM_PASSWORD:
        raise errors.WeakPassword(minimum=MINIMUM_PASSWORD)
    if len(password) > _MAXIMUM_PASSWORD:
        raise errors.Invalid(field="password", reason=errors.length(_MAXIMUM_PASSWORD))
    return await asyncio.to_thread(_hasher.hash, password)


async def password_matches(password: str, stored: str | None) -> bool:
    """Compares; an unknown user costs the same time as a wrong password."""
    return await asyncio.to_thread(_matches, password[:_MAXIMUM_PASSWORD], stored or _unknown_user_hash())


def _matches(password: str, stored: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


_unknown: list[str] = []


def _unknown_user_hash() -> str:
    if not _unknown:
        _unknown.append(_hasher.hash(secrets.token_urlsafe(16)))
    return _unknown[0]


def _new(prefix: str) -> NewToken:
    text = prefix + secrets.token_urlsafe(32)
    return NewToken(text=text, hash=token_hash(text), prefix=text[: len(prefix) + 6])
