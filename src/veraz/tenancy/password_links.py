"""Invitations and resets: a link lets one person choose a password, once and not for long. Nobody types it for them.

The token stands behind the `#` of the address, which browsers send to nobody: no log, no proxy and no other site sees it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.model import UNKNOWN_DEVICE, Actor, Device, Tenant, User
from veraz.tenancy.passwords import Passwords
from veraz.tenancy.permissions import need_admin, need_no_key
from veraz.tenancy.tenants import NewTenant, Tenants
from veraz.tenancy.users import NewUser, Users, add_person

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordLink:
    """A fresh link; it is shown once, to who hands it on."""

    token: str = field(repr=False)
    expires_at: datetime
    user: User

    def address(self, installation: str) -> str:
        """Where the person goes, in their language."""
        return f"{installation.rstrip('/')}/{self.user.language}/password#{self.token}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Linked:
    user_id: UUID
    tenant_id: UUID
    tenant_name: str
    email: str
    has_password: bool


class PasswordLinks:
    """Lets people choose their own password."""

    def __init__(
        self,
        db: Database,
        users: Users,
        tenants: Tenants,
        passwords: Passwords,
        *,
        hours: Mapping[bool, int],
    ) -> None:
        self.db = db
        self.users = users
        self.tenants = tenants
        self.passwords = passwords
        self.hours = hours
        """How long a link is good, by whether the person had a password before."""

    async def invite(self, actor: Actor, new: NewUser) -> PasswordLink:
        """Adds somebody, who will choose a password with the link."""
        need_admin(actor, "add users")
        need_no_key(actor, "invite or reset users")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            user = await add_person(tx, new, None)
            link = await self._made(tx, user)
        record("user_added", actor, about=user.id, role=user.role)
        record("invited", actor, about=user.id)
        return link

    async def found(self, actor: Actor, new: NewTenant) -> tuple[Tenant, PasswordLink]:
        """A new company whose first admin will choose a password with the link."""
        need_no_key(actor, "invite or reset users")
        founded = await self.tenants.found(actor, new)
        inside = Scope(tenant_id=founded.tenant.id, role="worker", platform=True)
        async with self.db.sign_in.transaction(inside) as tx:
            link = await self._made(tx, founded.admin)
        record("invited", actor, tenant_id=founded.tenant.id, about=founded.admin.id)
        return founded.tenant, link

    async def make(self, actor: Actor, user_id: UUID) -> PasswordLink:
        """A new link for somebody who lost theirs, or their password. Their sessions go on until it is used."""
        need_admin(actor, "invite or reset users")
        need_no_key(actor, "invite or reset users")
        user = await self.users.get(actor, user_id)
        if user.email is None or user.disabled_at:
            raise errors.Forbidden(action="invite or reset users")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            link = await self._made(tx, user)
        record("password_reset_asked" if user.has_password else "invited", actor, about=user.id)
        return link

    async def accept(self, token: str, password: str, *, device: Device = UNKNOWN_DEVICE) -> str:
        """The password of whom the link is for; the link is used up. The e-mail to sign in with."""
        await self.passwords.rates.of_one_use(f"password link {token[:12]}", device.address)
        linked = await self._find(token)
        secret = await self.passwords.hashed(linked.email, password, about=(linked.tenant_name,))
        scope = Scope(tenant_id=linked.tenant_id, user_id=linked.user_id, role="member")
        async with self.db.sign_in.transaction(scope) as tx:
            if not await tx.value(Q.use_link, token_hash=tokens.token_hash(token)):
                raise errors.LinkUsed()
            await tx.run(Q.set_password, id=linked.user_id, password_hash=secret)
        record("password_reset" if linked.has_password else "invitation_used", scope, about=linked.user_id)
        return linked.email

    async def _find(self, token: str) -> _Linked:
        rows = await self.db.sign_in.call(NOBODY, Q.link_by_hash, token_hash=tokens.token_hash(token))
        if not rows:
            raise errors.LinkUsed()
        return _Linked(**rows[0])

    async def _made(self, tx: Transaction, user: User) -> PasswordLink:
        token = tokens.new_link()
        expires_at = datetime.now(UTC) + timedelta(hours=self.hours[user.has_password])
        await tx.run(Q.add_link, id=new_id(), user_id=user.id, token_hash=token.hash, expires_at=expires_at)
        return PasswordLink(token=token.text, expires_at=expires_at, user=user)
