"""A signed end user: a short token that says whom a service key acts for, made by a program of the tenant.

The token is a JWT. Its header names the key (`kid`) and that key's algorithm, no other; its claims are `sub` (the end user),
`machine`, `aud` (the tenant), `exp` (minutes ahead at most) and, for a token that may be used once, `jti`.
"""

import hashlib
import json
import time
import warnings
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, OctKey, OKPKey

from veraz import errors
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.tenancy.acting import Acting, checked
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

_LONGEST_TOKEN: Final = 4_096
_LONGEST_LIFE: Final = 600
"""Seconds a token may still be good for: one that leaks is soon worth nothing."""
_LEEWAY: Final = 30
"""Seconds that clocks may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyRow:
    id: UUID
    algorithm: str
    secret_sealed: bytes | None
    public_key: str | None


async def acting_proven(
    tx: Transaction, vault: Vault, tenant_id: UUID, said: Acting, token: str | None
) -> Acting:
    """Whom the caller acts for: as its token proves, or as it says where the tenant believes that."""
    if token is None:
        if said and await tx.value(Q.required):
            raise unproven()
        return said
    claims = await _claims(tx, vault, tenant_id, token)
    proven = checked(Acting(external_user=_text(claims, "sub"), machine_id=_text(claims, "machine")))
    if not proven:
        raise errors.EndUserUnproven(reason=_NOBODY)
    if said.external_user not in (None, proven.external_user) or said.machine_id not in (
        None,
        proven.machine_id,
    ):
        raise errors.EndUserUnproven(reason=_DISAGREES)
    return proven


def unproven() -> errors.EndUserUnproven:
    """The refusal of whoever names an end user or a machine without a signature, where one is required."""
    return errors.EndUserUnproven(reason=_MISSING)


async def _claims(tx: Transaction, vault: Vault, tenant_id: UUID, token: str) -> dict[str, Any]:
    key = await _key(tx, token)
    try:
        with warnings.catch_warnings():  # EdDSA is Ed25519 here, whatever newer names there are for it
            warnings.simplefilter("ignore")
            claims = jwt.decode(token, _opened(vault, key), algorithms=[key.algorithm]).claims
    except (JoseError, ValueError, TypeError) as problem:
        raise errors.EndUserUnproven(reason=_FORGED) from problem
    expires = _check_times(claims)
    audience = claims.get("aud")
    if str(tenant_id) not in (audience if isinstance(audience, list) else [audience]):
        raise errors.EndUserUnproven(reason=_AUDIENCE)
    if (jti := _text(claims, "jti")) is not None:
        await _use_once(tx, key, jti, expires)
    return claims


async def _key(tx: Transaction, token: str) -> _KeyRow:
    """The key the token names, of this tenant and not ended; it is not believed yet."""
    try:
        if len(token) > _LONGEST_TOKEN:
            raise ValueError
        head = token.split(".")[0]
        header = json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
        key_id = UUID(header["kid"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise errors.EndUserUnproven(reason=_UNREADABLE) from problem
    key = await tx.one(_KeyRow, Q.key, id=key_id)
    if key is None or header.get("alg") != key.algorithm:
        raise errors.EndUserUnproven(reason=_UNKNOWN_KEY)
    return key


def _opened(vault: Vault, key: _KeyRow) -> Key:
    if key.secret_sealed is not None:
        return OctKey.import_key(vault.open(key.secret_sealed, about=key.id))
    return OKPKey.import_key(key.public_key or "")


def _check_times(claims: dict[str, Any]) -> float:
    now = time.time()
    expires = claims.get("exp")
    if isinstance(expires, bool) or not isinstance(expires, int | float):
        raise errors.EndUserUnproven(reason=_NO_END)
    if not now - _LEEWAY < expires:
        raise errors.EndUserUnproven(reason=_EXPIRED)
    if expires > now + _LONGEST_LIFE + _LEEWAY:
        raise errors.EndUserUnproven(reason=_TOO_LONG)
    for name in ("nbf", "iat"):
        begins = claims.get(name)
        if begins is not None and not (isinstance(begins, int | float) and begins <= now + _LEEWAY):
            raise errors.EndUserUnproven(reason=_EARLY)
    return float(expires)


async def _use_once(tx: Transaction, key: _KeyRow, jti: str, expires: float) -> None:
    await tx.run(Q.sweep)
    until = datetime.fromtimestamp(expires + _LEEWAY, UTC)
    if not await tx.run(Q.use, key_id=key.id, hash=hashlib.sha256(jti.encode()).digest(), until=until):
        raise errors.EndUserUnproven(reason=_REPLAYED)


def _text(claims: dict[str, Any], name: str) -> str | None:
    value = claims.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.isprintable():
        raise errors.EndUserUnproven(reason=_UNREADABLE)
    return value


_MISSING = errors.Phrase(
    "this account requires it signed, in X-Veraz-Acting", es="esta cuenta exige la firma, en X-Veraz-Acting"
)
_NOBODY = errors.Phrase("it names neither sub nor machine", es="no nombra ni sub ni machine")
_DISAGREES = errors.Phrase("the headers say somebody else", es="las cabeceras nombran a otro")
_FORGED = errors.Phrase("its signature does not hold", es="la firma no es válida")
_UNREADABLE = errors.Phrase("it cannot be read", es="no se puede leer")
_UNKNOWN_KEY = errors.Phrase(
    "no key of this account signs like that", es="ninguna clave de esta cuenta firma así"
)
_AUDIENCE = errors.Phrase("its aud is not this account's id", es="su aud no es el id de esta cuenta")
_NO_END = errors.Phrase("exp is missing", es="falta exp")
_EXPIRED = errors.Phrase("it has expired", es="ha caducado")
_TOO_LONG = errors.Phrase("it may last ten minutes at most", es="puede durar diez minutos como mucho")
_EARLY = errors.Phrase("it is not valid yet", es="todavía no es válida")
_REPLAYED = errors.Phrase("it was used before", es="ya se usó")
