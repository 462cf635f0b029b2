"""Passwords, tokens and keys: made, hashed, compared. Only hashes reach the database."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import os
import secrets
import string
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.low_level import hash_secret

from veraz import errors

T = TypeVar("T")

SESSION_PREFIX: Final = "vzs_"
KEY_PREFIX: Final = "vzk_"
CHALLENGE_PREFIX: Final = "vzc_"
_LINK_PREFIX: Final = "vzl_"
MINIMUM_PASSWORD: Final = 8
_MAXIMUM_PASSWORD: Final = 1024

_hashing = ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2), thread_name_prefix="hashing")
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


def new_link() -> NewToken:
    """A token for a link that lets one person set a password once."""
    return _new(_LINK_PREFIX)


def token_hash(text: str) -> bytes:
    """Tokens hold 256 random bits, so one fast hash is enough."""
    return hashlib.sha256(text.encode()).digest()


def new_password() -> str:
    """A one-time password a person can type, also after an option of a command: it begins with a letter or figure."""
    return secrets.choice(string.ascii_letters + string.digits) + secrets.token_urlsafe(12)[1:]


def derive(secret: str, purpose: str) -> str:
    """A password derived from the installation's secret, so that every host derives the same."""
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


async def hash_password(password: str, *, like: str | None = None) -> str:
    """Argon2id, off the event loop. All hashes of one e-mail share a salt (`like`), so that comparing costs the same."""
    check_length(password)
    return await _apart(partial(_hasher.hash, password, salt=_salt(like) if like else None))


def check_length(password: str) -> None:
    """Refuses what is too short, or so long that hashing it would be work."""
    if len(password) < MINIMUM_PASSWORD:
        raise errors.WeakPassword(minimum=MINIMUM_PASSWORD)
    if len(password) > _MAXIMUM_PASSWORD:
        raise errors.Invalid(field="password", reason=errors.length(_MAXIMUM_PASSWORD))


async def matching(password: str, stored: Sequence[str]) -> list[bool]:
    """Which of a person's hashes the password fits. None, one or many hashes of one salt cost the same time."""
    return await _apart(partial(_matching, password[:_MAXIMUM_PASSWORD], stored))


async def _apart(work: Callable[[], T]) -> T:
    """In threads that nobody else's work can fill: a sign-in waits for other sign-ins alone."""
    return await asyncio.get_running_loop().run_in_executor(_hashing, work)


def _matching(password: str, stored: Sequence[str]) -> list[bool]:
    like = {one.rpartition("$")[0]: one for one in stored or [_unknown_user_hash()]}
    fits = {_hashed(password, one) for one in like.values()}
    return [any(hmac.compare_digest(one, fit) for fit in fits if fit) for one in stored]


def _hashed(password: str, like: str) -> str:
    """The password as that hash was made; nothing where it is no hash of ours."""
    try:
        how = extract_parameters(like)
        return hash_secret(
            password.encode(),
            _salt(like),
            how.time_cost,
            how.memory_cost,
            how.parallelism,
            how.hash_len,
            how.type,
            how.version,
        ).decode()
    except (InvalidHashError, binascii.Error, UnicodeEncodeError):
        return ""


def _salt(stored: str) -> bytes:
    text = stored.rsplit("$", 2)[1]
    return base64.b64decode(text + "=" * (-len(text) % 4))


_unknown: list[str] = []


def _unknown_user_hash() -> str:
    if not _unknown:
        _unknown.append(_hasher.hash(secrets.token_urlsafe(16)))
    return _unknown[0]


def _new(prefix: str) -> NewToken:
    text = prefix + secrets.token_urlsafe(32)
    return NewToken(text=text, hash=token_hash(text), prefix=text[: len(prefix) + 6])
