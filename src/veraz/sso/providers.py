"""A tenant's identity providers: set up, changed and removed by its admins, never by a key."""

import json
from typing import Any, Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.providers.oidc import Discovery, OidcIssuers
from veraz.security import record
from veraz.sso.model import SCOPES, GroupRole, IdentityProvider, ProviderChange
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_admin
from veraz.tenancy.secrets import Vault

Q = queries(__file__)


class IdentityProviders:
    """The providers of the caller's tenant."""

    def __init__(self, db: Database, vault: Vault, issuers: OidcIssuers) -> None:
        self.db = db
        self.vault = vault
        self.issuers = issuers

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[IdentityProvider]:
        """Newest first."""
        _need(actor)
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(
                await tx.all(IdentityProvider, Q.providers, after=page.after_id, limit=page.fetch)
            )

    async def get(self, actor: Actor, provider_id: UUID) -> IdentityProvider:
        """One."""
        _need(actor)
        async with self.db.transaction(actor.scope()) as tx:
            return await _get(tx, provider_id)

    async def create(self, actor: Actor, new: ProviderChange) -> IdentityProvider:
        """A new one; name, issuer and client id are needed."""
        _need(actor)
        for field in ("name", "issuer", "client_id"):
            if not getattr(new, field):
                raise errors.Invalid(field=field, reason="fill it in")
        provider_id = new_id()
        async with self.db.transaction(actor.scope()) as tx:
            await self._check(tx, actor, new)
            await tx.run(Q.add, **self._values(provider_id, new, fresh=True))
            made = await _get(tx, provider_id)
        record("provider_changed", actor, about=provider_id, action="added")
        return made

    async def change(self, actor: Actor, provider_id: UUID, change: ProviderChange) -> IdentityProvider:
        """Changes what is named. Another issuer is another world: its subjects are linked anew."""
        _need(actor)
        async with self.db.transaction(actor.scope()) as tx:
            before = await _get(tx, provider_id)
            await self._check(tx, actor, change, before)
            values = self._values(provider_id, change)
            await tx.run(Q.change, **values)
            if change.client_secret is not None:
                await tx.run(Q.set_secret, id=provider_id, secret_sealed=values["secret_sealed"])
            changed = await _get(tx, provider_id)
        if changed.issuer != before.issuer:
            async with self.db.sign_in.transaction(actor.scope()) as tx:
                await tx.run(Q.forget_links, id=provider_id)
        record("provider_changed", actor, about=provider_id, action="changed")
        return changed

    async def delete(self, actor: Actor, provider_id: UUID) -> None:
        """Removes it; the sessions that came through it end."""
        _need(actor)
        async with self.db.transaction(actor.scope()) as tx:
            if not await tx.run(Q.delete, id=provider_id):
                raise errors.NotFound(thing="identity provider", id=provider_id)
        record("provider_changed", actor, about=provider_id, action="removed")

    async def test(self, actor: Actor, provider_id: UUID) -> Discovery:
        """Whether its issuer answers, asked now."""
        return await self.issuers.discover((await self.get(actor, provider_id)).issuer, anew=True)

    async def _check(
        self, tx: Transaction, actor: Actor, change: ProviderChange, before: IdentityProvider | None = None
    ) -> None:
        if change.issuer is not None:
            self.issuers.checked(change.issuer)
        creates = (
            change.creates_users if change.creates_users is not None else before and before.creates_users
        )
        domains = change.domains if change.domains is not None else before.domains if before else []
        if creates and not domains:
            raise errors.Invalid(field="domains", reason=_WHOSE)
        if change.listed and not actor.is_platform_admin:
            raise errors.Forbidden(action="show an identity provider to everybody")
        if change.scopes is not None and "openid" not in change.scopes:
            raise errors.Invalid(field="scopes", reason="openid")
        for one in change.groups or []:
            await _check_group(tx, one)

    def _values(self, provider_id: UUID, change: ProviderChange, *, fresh: bool = False) -> dict[str, Any]:
        secret = change.client_secret
        groups = change.groups if change.groups is not None else [] if fresh else None
        domains = change.domains if change.domains is not None else [] if fresh else None
        return {
            "id": provider_id,
            "name": change.name,
            "issuer": change.issuer,
            "client_id": change.client_id,
            "secret_sealed": self.vault.seal(secret, about=provider_id) if secret else None,
            "scopes": change.scopes or (list(SCOPES) if fresh else None),
            "domains": None
            if domains is None
            else sorted({one.strip().lower().lstrip("@") for one in domains}),
            "links_users": change.links_users,
            "creates_users": change.creates_users,
            "shows_factor": change.shows_factor,
            "groups_claim": change.groups_claim,
            "groups": None if groups is None else json.dumps([one.stored() for one in groups]),
            "listed": change.listed,
            "enabled": change.enabled,
        }


def _need(actor: Actor) -> None:
    """Whoever sets up an issuer can sign in as anybody of the tenant: not for a key that somebody found."""
    need_admin(actor, "change how people sign in")
    if actor.key_id is not None:
        raise errors.Forbidden(action="change how people sign in")


async def _get(tx: Transaction, provider_id: UUID) -> IdentityProvider:
    return await tx.get(IdentityProvider, Q.provider, thing="identity provider", id=provider_id)


async def _check_group(tx: Transaction, one: GroupRole) -> None:
    if one.project_id is None and one.role != "admin":
        raise errors.Invalid(field="groups", reason=_PROJECT)
    if one.project_id and not await tx.value(Q.project_exists, id=one.project_id):
        raise errors.NotFound(thing="project", id=one.project_id)


_WHOSE: Final = errors.Phrase(
    "say whose people are added: at least one mail domain",
    es="indique a quiénes se agrega: al menos un dominio de correo",
)
_PROJECT: Final = errors.Phrase(
    "a role that is not of the tenant's administrators needs a project",
    es="un rol que no sea de administrador de la organización necesita un proyecto",
)
