"""Signing in and out: an e-mail and a password become a session.

The same person may work in several tenants, each with an account and a password of its own. Who knows the password is
told in which of them it fits; who does not is told nothing, after the same time.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from veraz import errors, security
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.callers import Callers
from veraz.tenancy.model import UNKNOWN_DEVICE, Actor, Device, Session, User
from veraz.tenancy.rates import Rates
from veraz.tenancy.second_factor import SecondFactor

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One of a person's accounts, with what proves that it is theirs."""

    id: UUID
    tenant_id: UUID
    tenant_name: str
    password_hash: str = field(repr=False)

    def scope(self) -> Scope:
        """Its owner, who has not signed in yet."""
        return Scope(tenant_id=self.tenant_id, user_id=self.id, role="member")


class SignIn:
    """The front door."""

    def __init__(
        self, db: Database, callers: Callers, factor: SecondFactor, rates: Rates, *, session_hours: int
    ) -> None:
        self.db = db
        self.callers = callers
        self.factor = factor
        self.rates = rates
        self.session_length = timedelta(hours=session_hours)

    async def login(
        self, email: str, password: str, *, tenant: UUID | None = None, device: Device = UNKNOWN_DEVICE
    ) -> Session:
        """Email and password → a session, or the challenge of a second factor. `tenant` where they fit in several."""
        account = await self.account(email, password, tenant=tenant, device=device)
        await self.factor.demand(account.scope())
        return await self.open_session(account.tenant_id, account.id, device=device)

    async def account(
        self, email: str, password: str, *, tenant: UUID | None = None, device: Device = UNKNOWN_DEVICE
    ) -> Account:
        """The one account that the password fits, or that of this tenant."""
        await self.rates.of_guesser(device.address)
        known = await self._known(email)
        home = self.rates.known_device(
            device.mark, email, {one.tenant_id: one.password_hash for one in known}
        )
        spent = await self.rates.of_guess(email, device.address, home)
        fits = await tokens.matching(password, [one.password_hash for one in known])
        fitting = [
            one for one, fit in zip(known, fits, strict=True) if fit and tenant in (None, one.tenant_id)
        ]
        if home:
            await self._tell_apart(email, known, fitting, home.tenant_id, device)
        if not fitting:
            _tell_failure(known, email)
            raise errors.WrongCredentials()
        await self.rates.give_back(spent)
        if len(fitting) > 1:
            raise errors.TenantNeeded({one.tenant_id: one.tenant_name for one in fitting})
        return fitting[0]

    async def open_session(
        self,
        tenant_id: UUID,
        user_id: UUID,
        *,
        showed_factor: bool = False,
        provider_id: UUID | None = None,
        device: Device = UNKNOWN_DEVICE,
    ) -> Session:
        """The session of somebody who has proven who they are."""
        token = tokens.new_session_token()
        expires_at = datetime.now(UTC) + self.session_length
        scope = Scope(tenant_id=tenant_id, user_id=user_id, role="member")
        async with self.db.sign_in.transaction(scope) as tx:
            await tx.run(
                Q.open_session,
                id=new_id(),
                token_hash=token.hash,
                expires_at=expires_at,
                address=device.address,
                device=device.name,
            )
        if showed_factor or provider_id:
            await self.factor.describe(scope, token.text, showed=showed_factor, provider_id=provider_id)
        actor = await self.callers.before_password(token.text)
        method = ("provider" if provider_id else "password") + (" + factor" if showed_factor else "")
        record("signed_in", actor, method=method)
        return Session(token=token.text, expires_at=expires_at, actor=actor)

    async def device_mark(self, email: str, tenant_id: UUID) -> str | None:
        """For the device on which somebody has just come in; None where they have no password that it could know."""
        accounts = (one for one in await self._known(email) if one.tenant_id == tenant_id)
        found = next(accounts, None)
        return self.rates.mark(email, tenant_id, found.password_hash) if found else None

    async def account_name(self, scope: Scope) -> str:
        """How an authenticator app names somebody's account."""
        async with self.db.transaction(scope) as tx:
            user = await tx.get(User, Q.person, thing="user", id=scope.user_id)
            return user.email or user.display_name or str(user.id)

    async def logout(self, actor: Actor) -> None:
        """Ends the session."""
        if actor.session_id is None:
            return
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            await tx.run(Q.end_session, id=actor.session_id)
        record("signed_out", actor)

    async def _tell_apart(
        self, email: str, known: list[Account], fitting: list[Account], home: UUID, device: Device
    ) -> None:
        """A device that is known in one tenant guesses as a stranger at the accounts of the same e-mail elsewhere.

        Whoever may add people to some tenant could otherwise add an e-mail with a password they know, and be known.
        Before the outcome is told, so that there is none without an attempt.
        """
        elsewhere = any(one.tenant_id != home for one in known)
        if elsewhere and {one.tenant_id for one in fitting} != {home}:
            await self.rates.of_strange_guess(email, device.address)

    async def _known(self, email: str) -> list[Account]:
        email = email.strip().lower()
        return [Account(**row) for row in await self.db.sign_in.call(NOBODY, Q.users_for_login, email=email)]


def _tell_failure(known: list[Account], email: str) -> None:
    """To the tenants of the accounts; where there is none, to the platform."""
    for one in known:
        record("sign_in_failed", outcome="refused", tenant_id=one.tenant_id, about=one.id)
    if not known:
        record("sign_in_failed", outcome="refused", account=security.anonymous(email))
