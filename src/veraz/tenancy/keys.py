"""API keys. A personal key acts as its owner; a service key acts for the tenant, or for whom it names."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.model import Actor, ApiKey
from veraz.tenancy.permissions import check_scopes, need, need_admin, need_whole

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A new key with its secret, which is never shown again."""

    key: ApiKey
    secret: str = field(repr=False)


class Keys:
    """Making, listing and revoking keys."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[ApiKey]:
        """The caller's keys; an admin sees the tenant's."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(ApiKey, Q.keys, after=page.after_id, limit=page.fetch))

    async def issue(
        self,
        actor: Actor,
        *,
        name: str,
        scopes: Sequence[str] = ("admin",),
        project_id: UUID | None = None,
        expires_at: datetime | None = None,
        personal: bool | None = None,
        ends_with_password: bool = False,
    ) -> IssuedKey:
        """A new key: a service key from an admin, a personal one from anybody else."""
        wanted = check_scopes(scopes)
        need_whole(actor, "make a key that may do more than this one")
        personal = not actor.is_tenant_admin if personal is None else personal
        _check_kind(actor, personal)
        token = tokens.new_key()
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            key = await tx.get(
                ApiKey,
                Q.add,
                thing="key",
                id=new_id(),
                name=name,
                prefix=token.prefix,
                key_hash=token.hash,
                scopes=wanted,
                project_id=project_id,
                personal=personal,
                expires_at=expires_at,
                ends_with_password=ends_with_password and personal,
            )
        record("key_made", actor, about=key.id, scopes=" ".join(wanted))
        return IssuedKey(key=key, secret=token.text)

    async def made_by(self, actor: Actor, user_id: UUID) -> list[ApiKey]:
        """The tenant's keys that somebody made and that go on without them."""
        need_admin(actor, "see who made a key")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            return await tx.all(ApiKey, Q.made_by, user_id=user_id)

    async def revoke(self, actor: Actor, key_id: UUID) -> None:
        """Ends a key at once."""
        need_whole(actor, "revoke keys")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            if not await tx.value(Q.revoke, id=key_id):
                raise errors.NotFound(thing="key", id=key_id)
        record("key_revoked", actor, about=key_id)


def _check_kind(actor: Actor, personal: bool) -> None:
    if personal and (actor.user_id is None or actor.user_role is None):
        raise errors.Forbidden(action="make a personal key without being a user")
    if not personal and not actor.is_tenant_admin:
        raise errors.Forbidden(action="make service keys")
