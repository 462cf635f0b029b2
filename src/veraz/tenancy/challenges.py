"""Somebody half signed in: what a challenge allows, which is to show a second factor or to set one up, and nothing else."""

from dataclasses import dataclass
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.tenancy import tokens
from veraz.tenancy.model import UNKNOWN_DEVICE, Device, Session
from veraz.tenancy.second_factor import Needs, SecondFactor
from veraz.tenancy.sign_in import SignIn
from veraz.tenancy.totp import NewSecret

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenged:
    """Whose sign-in waits, and for what."""

    tenant_id: UUID
    user_id: UUID
    needs: Needs
    provider_id: UUID | None

    @property
    def scope(self) -> Scope:
        """The person, as far as their second factor is concerned."""
        return Scope(tenant_id=self.tenant_id, user_id=self.user_id, role="member")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """A sign-in that set up a second factor on its way; the recovery codes are shown once."""

    session: Session
    recovery_codes: list[str]


class Challenges:
    """The second step of a sign-in."""

    def __init__(self, db: Database, sign_in: SignIn, factor: SecondFactor) -> None:
        self.db = db
        self.sign_in = sign_in
        self.factor = factor

    async def needs(self, token: str) -> Needs:
        """What is asked for; `SessionExpired` where the sign-in has to begin again."""
        return (await self._find(token)).needs

    async def answer(self, token: str, code: str, *, device: Device = UNKNOWN_DEVICE) -> Session:
        """A right code → the session."""
        found = await self._tried(token, "code", device)
        await self.factor.check(found.scope, code)
        return await self._finish(token, found, device)

    async def begin_enrolment(self, token: str, *, device: Device = UNKNOWN_DEVICE) -> NewSecret:
        """The secret for the app of somebody who must set up a second factor."""
        await self._slow_down(token, device)
        found = await self._find(token, "enrolment")
        account = await self.sign_in.account_name(found.scope)
        return await self.factor.begin_for(found.scope, account=account, by=tokens.token_hash(token))

    async def confirm_enrolment(self, token: str, code: str, *, device: Device = UNKNOWN_DEVICE) -> Enrolled:
        """The first code of the app → the session and the recovery codes."""
        found = await self._tried(token, "enrolment", device)
        codes = await self.factor.confirm_for(found.scope, code)
        return Enrolled(session=await self._finish(token, found, device), recovery_codes=codes)

    async def _find(self, token: str, needs: Needs | None = None) -> Challenged:
        rows = await self.db.sign_in.call(NOBODY, Q.challenge_by_hash, token_hash=tokens.token_hash(token))
        found = Challenged(**rows[0]) if rows else None
        if found is None or (needs and found.needs != needs):
            raise errors.SessionExpired()
        return found

    async def _slow_down(self, token: str, device: Device) -> None:
        await self.sign_in.rates.of_one_use(f"challenge {token}", device.address)

    async def _tried(self, token: str, needs: Needs, device: Device) -> Challenged:
        """The challenge, with one try less left."""
        await self._slow_down(token, device)
        found = await self._find(token, needs)
        async with self.db.sign_in.transaction(found.scope) as tx:
            if not await tx.value(Q.try_challenge, token_hash=tokens.token_hash(token)):
                raise errors.SessionExpired()
        return found

    async def _finish(self, token: str, found: Challenged, device: Device) -> Session:
        """Of two who answer at once, one ends the challenge."""
        async with self.db.sign_in.transaction(found.scope) as tx:
            if not await tx.value(Q.end_challenge, token_hash=tokens.token_hash(token)):
                raise errors.SessionExpired()
        return await self.sign_in.open_session(
            found.tenant_id,
            found.user_id,
            showed_factor=True,
            provider_id=found.provider_id,
            device=device,
        )
