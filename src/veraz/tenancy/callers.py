"""Who is calling: a session token or a key, and for service keys whom they act for, become the caller of every verb."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from veraz import errors, security
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.acting import (
    NOBODY_ELSE,
    Acting,
    checked,
    end_user,
    licensed,
    refuse_machine,
    tell_admitted,
)
from veraz.tenancy.machines import EVERY_MACHINE
from veraz.tenancy.model import Actor, UserRole, system
from veraz.tenancy.permissions import KeyScope
from veraz.tenancy.secrets import Vault
from veraz.tenancy.signed_acting import acting_proven

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SessionRow:
    session_id: UUID
    user_id: UUID
    tenant_id: UUID
    role: UserRole
    is_platform_admin: bool
    must_change_password: bool
    unmarked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyRow:
    key_id: UUID
    tenant_id: UUID
    scopes: list[KeyScope]
    project_id: UUID | None
    user_id: UUID | None
    user_role: UserRole | None
    is_platform_admin: bool
    unmarked: bool
    signed_end_users: bool


class Callers:
    """The doorkeeper, who looks at what everybody carries."""

    def __init__(self, db: Database, vault: Vault, *, idle_minutes: int) -> None:
        self.db = db
        self.vault = vault
        self.idle = timedelta(minutes=idle_minutes)

    async def authenticate(
        self,
        token: str,
        *,
        external_user: str | None = None,
        machine_id: str | None = None,
        signed: str | None = None,
    ) -> Actor:
        """A token or key (and, for service keys, whom it acts for, said or signed) → the caller."""
        acting = checked(Acting(external_user=external_user, machine_id=machine_id))
        return _admitted(await self._who(token, acting, signed))

    async def by_clock(self, token: str) -> Actor:
        """Whose page asks by itself: it does not use the session, which ends though a page stays open."""
        return _admitted(await self._who(token, NOBODY_ELSE, None, by_clock=True))

    async def before_password(self, token: str) -> Actor:
        """The same, also for whose password somebody else chose: to change it, or to leave again."""
        return await self._who(token, NOBODY_ELSE, None)

    async def _who(self, token: str, acting: Acting, signed: str | None, *, by_clock: bool = False) -> Actor:
        if token.startswith(tokens.SESSION_PREFIX):
            actor = await self._by_session(token, by_clock=by_clock)
            refuse_machine(acting, signed)
        else:
            actor = await self._by_key(token, acting, signed)
        security.caller.set(actor)
        if actor.key_id and security.address.get():
            record("key_used_from_new_address", actor)
        return actor

    async def _by_session(self, token: str, *, by_clock: bool) -> Actor:
        rows = await self.db.sign_in.call(
            NOBODY, Q.session_by_hash, token_hash=tokens.token_hash(token), idle=self.idle
        )
        if not rows:
            raise errors.SessionExpired()
        row = _SessionRow(**rows[0])
        if row.unmarked and not by_clock:
            mine = Scope(tenant_id=row.tenant_id, user_id=row.user_id, role="member")
            async with self.db.sign_in.transaction(mine) as tx:
                await tx.run(Q.session_seen, id=row.session_id)
        return Actor(
            tenant_id=row.tenant_id,
            user_id=row.user_id,
            user_role=row.role,
            is_platform_admin=row.is_platform_admin,
            session_id=row.session_id,
            must_change_password=row.must_change_password,
        )

    async def _by_key(self, token: str, acting: Acting, signed: str | None) -> Actor:
        rows = await self.db.sign_in.call(NOBODY, Q.key_by_hash, token_hash=tokens.token_hash(token))
        if not rows:
            raise errors.KeyRevoked()
        row = _KeyRow(**rows[0])
        user_id, admitted = row.user_id, None
        service = row.user_id is None
        if not service:
            refuse_machine(acting, signed)
            acting = NOBODY_ELSE
        if row.unmarked or acting or signed is not None:
            async with self.db.transaction(system(row.tenant_id)) as tx:
                if row.unmarked:
                    await tx.run(Q.key_used, id=row.key_id)
                acting = await acting_proven(tx, self.vault, row.tenant_id, acting, signed)
                user_id = user_id or await end_user(tx, acting)
                admitted = await licensed(tx, acting.machine_id)
        must_prove = service and row.signed_end_users
        actor = Actor(
            tenant_id=row.tenant_id,
            user_id=user_id,
            user_role=row.user_role,
            is_platform_admin=row.is_platform_admin,
            key_id=row.key_id,
            key_project=row.project_id,
            scopes=frozenset(row.scopes),
            machine_id=acting.machine_id or (EVERY_MACHINE if must_prove else None),
            names_machines=service,
            unproven=must_prove and not acting,
            external_user=acting.external_user,
        )
        tell_admitted(row.tenant_id, admitted, actor)
        return actor


def _admitted(actor: Actor) -> Actor:
    if actor.must_change_password:
        raise errors.PasswordChangeNeeded()
    return actor
