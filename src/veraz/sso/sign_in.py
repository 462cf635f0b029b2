"""Signing in at an issuer: the browser goes there, comes back with a code, and whoever it is gets a session here, or not.

What binds the answer to the question (state, nonce, PKCE's verifier) stays in the browser that asked, sealed: an answer
that comes back to another browser, for another provider or too late is nobody's.
"""

import base64
import hmac
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.providers.oidc import OTHER_ISSUER, Attempt, OidcClient, OidcIssuers, failed
from veraz.security import record
from veraz.sso import groups
from veraz.sso.model import GroupRole, OutsidePerson
from veraz.tenancy import tokens
from veraz.tenancy.model import UNKNOWN_DEVICE, Device, Session
from veraz.tenancy.secrets import Vault
from veraz.tenancy.sign_in import SignIn

Q = queries(__file__)

ATTEMPT_SECONDS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedProvider:
    """A button of the sign-in page."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Where the browser goes, and what it keeps meanwhile."""

    address: str
    kept: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What the browser brings back."""

    kept: str = field(repr=False)
    state: str
    code: str = field(repr=False)
    issuer: str | None = None
    """Who sent it back, where the issuer says so (RFC 9207)."""
    refused: bool = False
    """The issuer, or the person there, said no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    id: UUID
    tenant_id: UUID
    name: str
    issuer: str
    client_id: str
    secret_sealed: bytes | None
    scopes: list[str]
    domains: list[str]
    links_users: bool
    creates_users: bool
    shows_factor: bool
    groups_claim: str
    groups: list[dict[str, Any]]

    @property
    def scope(self) -> Scope:
        """The tenant's own hand: the rules its admin wrote down."""
        return Scope(tenant_id=self.tenant_id, role="admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    id: UUID
    disabled: bool
    is_platform_admin: bool
    role: str


class SingleSignOn:
    """The way out to an issuer and back in."""

    def __init__(
        self, db: Database, sign_in: SignIn, vault: Vault, issuers: OidcIssuers, *, address: str
    ) -> None:
        self.db = db
        self.sign_in = sign_in
        self.vault = vault
        self.issuers = issuers
        self.address = address

    async def listed(self) -> list[ListedProvider]:
        """What the sign-in page shows to everybody."""
        rows = await self.db.sign_in.call(NOBODY, Q.listed_providers)
        return [ListedProvider(**row) for row in rows]

    def redirect_uri(self, provider_id: UUID) -> str:
        """The address that is registered at the issuer; one for each provider, so that answers are not mixed up."""
        return f"{self.address}/auth/sso/{provider_id}/callback"

    def sign_in_uri(self, provider_id: UUID) -> str:
        """Where the tenant's people sign in, for a bookmark or the company's portal."""
        return f"{self.address}/auth/sso/{provider_id}"

    async def start(self, provider_id: UUID, *, device: Device = UNKNOWN_DEVICE) -> Started:
        """The way to the issuer."""
        await self._slow_down(device)
        provider = await self._provider(provider_id)
        attempt = Attempt(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
        )
        address = await self.issuers.sign_in_address(self._client(provider), attempt)
        content = [int(time.time()) + ATTEMPT_SECONDS, attempt.state, attempt.nonce, attempt.verifier]
        sealed = self.vault.seal(json.dumps(content), about=f"sso {provider_id}")
        return Started(address=address, kept=base64.urlsafe_b64encode(sealed).decode())

    async def finish(
        self, provider_id: UUID, returned: Returned, *, device: Device = UNKNOWN_DEVICE
    ) -> Session:
        """Back from the issuer: a session, the challenge of a second factor, or a refusal that tells nothing."""
        await self._slow_down(device)
        attempt = self._attempt(provider_id, returned)
        provider = await self._provider(provider_id)
        if returned.refused or not returned.code:
            raise _refused(provider, "the issuer said no")
        discovery = await self.issuers.discover(provider.issuer)
        told = returned.issuer is not None or discovery.names_itself
        if told and returned.issuer != provider.issuer:
            raise failed(provider.issuer, OTHER_ISSUER)
        try:
            claims = await self.issuers.identify(self._client(provider), attempt, returned.code)
        except errors.IssuerFailed:  # a wrong secret, too: whoever connected it has to hear of it
            _tell(provider, "the issuer failed")
            raise
        user_id = await self._somebody(provider, OutsidePerson.of(claims, provider.groups_claim))
        return await self._session(provider, user_id, device)

    async def leaving(self, session_token: str) -> UUID | None:
        """The provider a session came through."""
        async with self.db.sign_in.transaction() as tx:
            found: UUID | None = await tx.value(
                Q.provider_of_session, token_hash=tokens.token_hash(session_token)
            )
            return found

    async def name_of(self, provider_id: UUID) -> str | None:
        """What the tenant calls it."""
        rows = await self.db.sign_in.call(NOBODY, Q.provider_for_sign_in, id=provider_id)
        return str(rows[0]["name"]) if rows else None

    async def sign_out_address(
        self, provider_id: UUID, back: str, *, device: Device = UNKNOWN_DEVICE
    ) -> str | None:
        """Where the session at the issuer is ended too."""
        await self._slow_down(device)
        provider = await self._provider(provider_id)
        discovery = await self.issuers.discover(provider.issuer)
        return self.issuers.sign_out_address(discovery, provider.client_id, back)

    async def _slow_down(self, device: Device) -> None:
        """Whoever it is, the issuer is asked on their behalf."""
        await self.sign_in.rates.of_stranger(device.address)

    # the attempt

    def _attempt(self, provider_id: UUID, returned: Returned) -> Attempt:
        """What this browser went away with; sealed for this provider alone."""
        try:
            sealed = base64.urlsafe_b64decode(returned.kept)
            until, state, nonce, verifier = json.loads(self.vault.open(sealed, about=f"sso {provider_id}"))
        except (ValueError, errors.Unavailable) as problem:
            raise errors.SessionExpired() from problem
        if until < time.time() or not hmac.compare_digest(state.encode(), returned.state.encode()):
            raise errors.SessionExpired()
        return Attempt(state=state, nonce=nonce, verifier=verifier)

    async def _provider(self, provider_id: UUID) -> _Provider:
        rows = await self.db.sign_in.call(NOBODY, Q.provider_for_sign_in, id=provider_id)
        if not rows:
            raise errors.NotFound(thing="identity provider", id=provider_id)
        return _Provider(**rows[0])

    def _client(self, provider: _Provider) -> OidcClient:
        sealed = provider.secret_sealed
        return OidcClient(
            issuer=provider.issuer,
            client_id=provider.client_id,
            secret=self.vault.open(sealed, about=provider.id) if sealed else None,
            scopes=tuple(provider.scopes),
            redirect_uri=self.redirect_uri(provider.id),
        )

    # who it is

    async def _somebody(self, provider: _Provider, person: OutsidePerson) -> UUID:
        """The user this person is: linked before, linked now by the e-mail, new, or nobody."""
        mapping = [GroupRole.of(one) for one in provider.groups]
        async with self.db.sign_in.transaction(provider.scope) as tx:
            known = await tx.one(_Known, Q.linked_user, provider_id=provider.id, subject=person.subject)
            if known is None:
                known = await self._link(tx, provider, person)
            if known.disabled:
                raise _refused(provider, "disabled")
            if known.is_platform_admin:  # also who became one after they were linked
                raise _refused(provider, "an administrator of the platform")
            change = await groups.apply_in_tenant(tx, known.id, person.groups, mapping)
        async with self.db.transaction(provider.scope) as tx:
            await groups.apply_in_projects(tx, known.id, person.groups, mapping)
        if change:
            before, after = change
            record(
                "rights_changed",
                provider.scope,
                about=known.id,
                before=before,
                after=after,
                provider=str(provider.id),
            )
        return known.id

    async def _link(self, tx: Transaction, provider: _Provider, person: OutsidePerson) -> _Known:
        """By an e-mail that the issuer has verified, of a domain the tenant named, and inside the tenant alone."""
        if not person.email:
            raise _refused(provider, "no verified e-mail")
        if provider.domains and person.domain not in provider.domains:
            raise _refused(provider, "another domain")
        known = await tx.one(_Known, Q.user_of_email, email=person.email)
        if known is None:
            known = await self._create(tx, provider, person)
        elif not provider.links_users:
            raise _refused(provider, "users are not linked")
        elif known.is_platform_admin:
            raise _refused(provider, "an administrator of the platform")
        if not await tx.value(Q.link_user, provider_id=provider.id, subject=person.subject, user_id=known.id):
            raise _refused(provider, "linked with another subject")
        record("provider_linked", provider.scope, about=known.id, provider=str(provider.id))
        return known

    async def _create(self, tx: Transaction, provider: _Provider, person: OutsidePerson) -> _Known:
        if not provider.creates_users or person.domain not in provider.domains:
            raise _refused(provider, "users are not added")
        user_id = new_id()
        await tx.run(Q.add_person, id=user_id, email=person.email, display_name=person.name)
        record("user_added", provider.scope, about=user_id, role="member", provider=str(provider.id))
        return _Known(id=user_id, disabled=False, is_platform_admin=False, role="member")

    async def _session(self, provider: _Provider, user_id: UUID, device: Device) -> Session:
        scope = Scope(tenant_id=provider.tenant_id, user_id=user_id, role="member")
        if not provider.shows_factor:
            await self.sign_in.factor.demand(scope, provider_id=provider.id)
        return await self.sign_in.open_session(
            provider.tenant_id,
            user_id,
            showed_factor=provider.shows_factor,
            provider_id=provider.id,
            device=device,
        )


def _refused(provider: _Provider, reason: str) -> errors.SignInRefused:
    """The same sentence whatever the reason is; the tenant's admins find it among the security events."""
    _tell(provider, reason)
    return errors.SignInRefused()


def _tell(provider: _Provider, reason: str) -> None:
    record("sign_in_failed", provider.scope, outcome="refused", provider=str(provider.id), reason=reason)
