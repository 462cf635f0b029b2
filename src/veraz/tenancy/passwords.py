"""Passwords: what is taken for one, how it is kept, and a new one for the old one."""

import asyncio
from collections.abc import Iterable
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY
from veraz.db.sql import queries
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.guessable import is_guessable
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_person
from veraz.tenancy.rates import Rates

Q = queries(__file__)


class Passwords:
    """Makes the hash that stands for a password, and changes one's own."""

    def __init__(self, db: Database, rates: Rates) -> None:
        self.db = db
        self.rates = rates

    async def hashed(self, email: str, password: str, *, about: Iterable[str] = ()) -> str:
        """The hash to keep, or why this password is refused. `about`: what else everybody knows, as the company's name.

        The accounts of one e-mail share a salt, so that signing in costs the same for one or many.
        """
        tokens.check_length(password)
        if await self.is_common(email, password, about=about):
            raise errors.CommonPassword()
        return await self._hash(email, password)

    async def is_common(self, email: str, password: str, *, about: Iterable[str] = ()) -> bool:
        """Whether others would try this one first."""
        return await asyncio.to_thread(is_guessable, password, (email, "veraz", *about))

    async def hashed_even_if_common(self, email: str, password: str) -> str:
        """For whoever installs Veraz and chose the password on the machine itself."""
        tokens.check_length(password)
        return await self._hash(email, password)

    async def _hash(self, email: str, password: str) -> str:
        rows = await self.db.sign_in.call(NOBODY, Q.hashes, email=email.strip().lower())
        return await tokens.hash_password(password, like=rows[0]["password_hash"] if rows else None)

    async def change(self, actor: Actor, current: str, new: str) -> None:
        """One's own: the old one for a new one. The other sessions end, and the keys that asked for it."""
        user_id = need_person(actor, "change a password")
        await self.rates.of_own_secret(user_id)
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            stored = await tx.value(Q.own_password)
        if stored is None or not any(await tokens.matching(current, [stored])):
            record("password_changed", actor, outcome="refused", about=actor.user_id)
            raise errors.Invalid(field="current_password", reason=_WRONG)
        if current == new:
            raise errors.Invalid(field="new_password", reason=_SAME)
        secret = await self.hashed(await self._email(actor), new, about=await self._about(actor))
        await self._set(actor, user_id, secret)
        record("password_changed", actor, about=actor.user_id)

    async def for_colleague(self, actor: Actor, email: str, password: str) -> str:
        """The hash of a first password for somebody of the caller's tenant."""
        return await self.hashed(email, password, about=await self._about(actor))

    async def _set(self, actor: Actor, user_id: UUID, secret: str) -> None:
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            await tx.run(
                Q.set_password, id=user_id, password_hash=secret, must_change=False, keep=actor.session_id
            )

    async def _email(self, actor: Actor) -> str:
        async with self.db.transaction(actor.scope()) as tx:
            return str(await tx.value(Q.email, id=actor.user_id) or "")

    async def _about(self, actor: Actor) -> list[str]:
        async with self.db.transaction(actor.scope()) as tx:
            return [str(await tx.value(Q.tenant_name, id=actor.tenant_id) or "")]


_WRONG = errors.Phrase("this is not your password", es="no es su contraseña")
_SAME = errors.Phrase("choose another one than before", es="elija otra distinta de la anterior")
