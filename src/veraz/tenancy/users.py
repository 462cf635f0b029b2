"""The people of a tenant: who they are, who may see them, coming and going."""

from dataclasses import dataclass, field
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy.model import Actor, User, UserRole
from veraz.tenancy.passwords import Passwords
from veraz.tenancy.permissions import need, need_admin, need_no_key, need_whole

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """What is needed to add somebody."""

    email: str
    password: str | None = field(default=None, repr=False)
    """A first one; None where they will choose theirs with a link."""
    must_change_password: bool = False
    """Whether the first one lets them in to choose another, and to nothing else."""
    display_name: str = ""
    role: UserRole = "member"
    language: str = "es"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChange:
    """What may change about a user; None leaves it."""

    display_name: str | None = None
    role: UserRole | None = None
    language: str | None = None
    disabled: bool | None = None
    revoke_keys: bool = False
    """Also the tenant's keys that the person made, which belong to the tenant and go on otherwise."""


class Users:
    """Who else is here."""

    def __init__(self, db: Database, passwords: Passwords) -> None:
        self.db = db
        self.passwords = passwords

    async def me(self, actor: Actor) -> User | None:
        """The caller as a user; None for a key that acts for nobody."""
        if actor.user_id is None:
            return None
        return await self.get(actor, actor.user_id)

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[User]:
        """The users the caller may see, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(User, Q.people, after=page.after_id, limit=page.fetch))

    async def get(self, actor: Actor, user_id: UUID) -> User:
        """One user; every key may look at whom it acts as."""
        if user_id != actor.user_id:
            need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(User, Q.person, thing="user", id=user_id)

    async def add(self, actor: Actor, new: NewUser) -> User:
        """Adds somebody, with a first password or none."""
        need_admin(actor, "add users")
        if new.password is not None:
            need_no_key(actor, "set passwords")
        if new.role == "admin":
            need_no_key(actor, "change roles")
        password_hash = new.password and await self.passwords.for_colleague(actor, new.email, new.password)
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            user = await add_person(tx, new, password_hash or None, must_change=new.must_change_password)
        record("user_added", actor, about=user.id, role=user.role)
        return user

    async def change(self, actor: Actor, user_id: UUID, change: UserChange) -> User:
        """Changes a user; members change only themselves, and not their role."""
        need_whole(actor, "change users")
        before = await self.get(actor, user_id)
        if not actor.is_tenant_admin and actor.user_id != user_id:
            raise errors.Forbidden(action="change this user")
        if change.role not in (None, before.role):
            need_no_key(actor, "change roles")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            user = await tx.get(
                User,
                Q.change_person,
                thing="user",
                id=user_id,
                display_name=change.display_name,
                role=change.role,
                language=change.language,
                disabled=change.disabled,
            )
            revoked = await _revoke_keys(tx, user_id) if change.revoke_keys else []
        _tell_of(actor, before, user)
        _tell_of_keys(actor, revoked)
        return user

    async def delete(self, actor: Actor, user_id: UUID, *, revoke_keys: bool = False) -> None:
        """Removes a user with their personal knowledge bases, and on wish the tenant's keys that they made."""
        need(actor, "admin")
        await self.get(actor, user_id)
        need_admin(actor, "delete users")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            revoked = await _revoke_keys(tx, user_id) if revoke_keys else []
            await tx.run(Q.remove_person, id=user_id)
        record("user_deleted", actor, about=user_id)
        _tell_of_keys(actor, revoked)


async def add_person(
    tx: Transaction,
    new: NewUser,
    password_hash: str | None,
    *,
    must_change: bool = False,
    platform: bool = False,
) -> User:
    """Adds somebody inside a transaction that founds a tenant, or the tenant's admin began."""
    email = new.email.strip().lower()
    if "@" not in email[1:-1]:
        raise errors.Invalid(field="email", reason="name@example.com")
    return await tx.get(
        User,
        Q.add_person,
        thing="user",
        id=new_id(),
        email=email,
        display_name=new.display_name,
        role=new.role,
        language=new.language,
        password_hash=password_hash,
        must_change=must_change and password_hash is not None,
        platform=platform,
    )


async def _revoke_keys(tx: Transaction, user_id: UUID) -> list[UUID]:
    return list(await tx.values(Q.revoke_keys_made_by, id=user_id))


def _tell_of_keys(actor: Actor, revoked: list[UUID]) -> None:
    for key_id in revoked:
        record("key_revoked", actor, about=key_id)


def _tell_of(actor: Actor, before: User, user: User) -> None:
    """What of a change of a user is about security."""
    if user.role != before.role:
        record("rights_changed", actor, about=user.id, before=before.role, after=user.role)
    if bool(user.disabled_at) != bool(before.disabled_at):
        record("user_disabled" if user.disabled_at else "user_enabled", actor, about=user.id)
