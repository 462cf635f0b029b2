"""Keys with which a tenant's own programs sign whom a service key acts for, so that the service key alone opens nobody's memory.

A leaked service key names any end user and any machine. Where the tenant requires signatures, naming is not enough: each call
carries a short token (`signed_acting`), signed by a program that holds one of these keys and nothing else of Veraz.
"""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.security import record
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_admin, need_whole
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

Algorithm = Literal["HS256", "EdDSA"]
_LONGEST_OVERLAP: Final = 7 * 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class EndUserKey:
    """A key without its secret; its id is the `kid` of what it signs."""

    id: UUID
    name: str
    algorithm: Algorithm
    created_by: UUID | None
    created_at: datetime
    ends_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedEndUserKey:
    """A new key; of HS256 with its secret, which is never shown again."""

    key: EndUserKey
    secret: str | None = field(repr=False)


class EndUserKeys:
    """Making, listing, rotating and ending them, by the tenant's admins."""

    def __init__(self, db: Database, vault: Vault) -> None:
        self.db = db
        self.vault = vault

    async def all(self, actor: Actor) -> list[EndUserKey]:
        """Every key, newest first."""
        need_admin(actor, "change end-user keys")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.all(EndUserKey, Q.keys)

    async def issue(
        self, actor: Actor, *, name: str, algorithm: Algorithm = "HS256", public_key: str | None = None
    ) -> IssuedEndUserKey:
        """A new key: HS256 with a secret of ours, EdDSA with a public key of theirs."""
        need_whole(actor, "change end-user keys")
        need_admin(actor, "change end-user keys")
        key_id = new_id()
        secret = f"veu_{secrets.token_urlsafe(32)}" if algorithm == "HS256" else None
        async with self.db.transaction(actor.scope()) as tx:
            key = await tx.get(
                EndUserKey,
                Q.add,
                thing="end-user key",
                id=key_id,
                name=name,
                algorithm=algorithm,
                sealed=self.vault.seal(secret, about=key_id) if secret else None,
                public_key=None if secret else _checked_public(public_key),
                created_by=actor.user_id,
            )
        record("signing_key_changed", actor, about=key.id, action="made", method=algorithm)
        return IssuedEndUserKey(key=key, secret=secret)

    async def rotate(
        self, actor: Actor, key_id: UUID, *, public_key: str | None = None, overlap_minutes: int = 60
    ) -> IssuedEndUserKey:
        """A new key of the same kind; the old one ends when programs have had time to change."""
        if not 0 <= overlap_minutes <= _LONGEST_OVERLAP:
            raise errors.Invalid(field="overlap_minutes", reason=f"0…{_LONGEST_OVERLAP}")
        old = next((one for one in await self.all(actor) if one.id == key_id), None)
        if old is None:
            raise errors.NotFound(thing="end-user key", id=key_id)
        issued = await self.issue(actor, name=old.name, algorithm=old.algorithm, public_key=public_key)
        await self._end(actor, key_id, overlap_minutes)
        return issued

    async def end(self, actor: Actor, key_id: UUID) -> None:
        """Nothing it signed is believed from now on."""
        need_admin(actor, "change end-user keys")
        await self._end(actor, key_id, 0)

    async def _end(self, actor: Actor, key_id: UUID, minutes: int) -> None:
        async with self.db.transaction(actor.scope()) as tx:
            if not await tx.run(Q.end, id=key_id, minutes=minutes):
                raise errors.NotFound(thing="end-user key", id=key_id)
        record("signing_key_changed", actor, about=key_id, action="ended", seconds=minutes * 60)


def _checked_public(pem: str | None) -> str:
    """An Ed25519 public key as PEM; a private one has no business here."""
    wanted = errors.Phrase(
        "a public Ed25519 key as PEM is needed", es="hace falta una clave pública Ed25519 en PEM"
    )
    if pem is None or "PRIVATE" in pem:
        raise errors.Invalid(field="public_key", reason=wanted)
    try:
        key = OKPKey.import_key(pem)
        if key.is_private or key.curve_name != "Ed25519":
            raise errors.Invalid(field="public_key", reason=wanted)
    except (JoseError, ValueError, TypeError, AttributeError) as problem:
        raise errors.Invalid(field="public_key", reason=wanted) from problem
    return pem
