"""The second factor: codes of an authenticator app, recovery codes, and who must have one.

Secrets and codes stay behind functions that only the role that looks credentials up may call. A sign-in whose second
factor is still to be shown is a challenge, not a session: nothing but `challenges.py` knows what to do with it.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.security import record
from veraz.tenancy import tokens, totp
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_admin
from veraz.tenancy.rates import Rates
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

FactorRule = Literal["optional", "rights", "everyone"]
Needs = Literal["code", "enrolment"]
CHALLENGE_SECONDS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorState:
    """Whether somebody has a second factor, and whether they must."""

    enabled: bool
    confirmed_at: datetime | None
    recovery_codes_left: int
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Factor:
    secret_sealed: bytes
    begun_by: bytes | None
    confirmed_at: datetime | None
    last_step: int
    codes_left: int
    blocked_seconds: int


class SecondFactor:
    """Making, showing and taking away second factors."""

    def __init__(self, db: Database, vault: Vault, rates: Rates) -> None:
        self.db = db
        self.vault = vault
        self.rates = rates

    # oneself, signed in

    async def state(self, actor: Actor) -> FactorState:
        """One's own."""
        async with self._as(actor) as tx:
            factor = await tx.one(_Factor, Q.factor_of, user_id=_person(actor))
            required = bool(await tx.value(Q.asked_for_factor))
        confirmed_at = factor.confirmed_at if factor else None
        return FactorState(
            enabled=confirmed_at is not None,
            confirmed_at=confirmed_at,
            recovery_codes_left=factor.codes_left if factor and confirmed_at else 0,
            required=required,
        )

    async def begin(self, actor: Actor, *, account: str, password: str | None) -> totp.NewSecret:
        """A secret for the app; it counts once a code of it has come back."""
        await self._check_password(actor, password)
        return await self.begin_for(_scope(actor), account=account)

    async def confirm(self, actor: Actor, code: str, *, session_token: str) -> list[str]:
        """The first code; the recovery codes are in the answer and nowhere else. This session goes on."""
        await self.rates.of_own_secret(_person(actor))
        codes = await self.confirm_for(_scope(actor), code)
        await self.describe(_scope(actor), session_token, showed=True)
        return codes

    async def new_recovery_codes(self, actor: Actor, *, code: str) -> list[str]:
        """New ones in the place of all old ones."""
        await self._check_code(actor, code)
        async with self._as(actor) as tx:
            codes = await _new_codes(tx)
        record("recovery_codes_made", actor, about=actor.user_id)
        return codes

    async def remove(self, actor: Actor, *, password: str | None = None, code: str | None = None) -> None:
        """Takes one's own away: for the right password, or a code."""
        if code:
            await self._check_code(actor, code)
        else:
            await self._check_password(actor, password, must=True)
        if await self._asked_of(actor):
            raise errors.SecondFactorRuled()
        async with self._as(actor) as tx:
            await tx.run(Q.remove_factor, user_id=actor.user_id)
        record("factor_removed", actor, about=actor.user_id)

    # others

    async def reset(self, actor: Actor, user_id: UUID) -> None:
        """A colleague who lost theirs: it is gone, and so are their sessions."""
        _no_key(actor, "reset a second factor")
        async with self.db.transaction(actor.scope()) as tx:
            if not await tx.value(Q.user_exists, id=user_id):
                raise errors.NotFound(thing="user", id=user_id)
        need_admin(actor, "reset a second factor")
        if user_id == actor.user_id:
            raise errors.Forbidden(action="reset your own second factor without a code")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            await tx.run(Q.remove_factor, user_id=user_id)
        record("factor_removed", actor, about=user_id, reason="reset")

    async def user_named(self, actor: Actor, email: str) -> UUID | None:
        """The user of the tenant with this e-mail."""
        async with self.db.transaction(actor.scope()) as tx:
            found: UUID | None = await tx.value(Q.user_by_email, email=email.strip().lower())
            return found

    async def holders(self, actor: Actor) -> set[UUID]:
        """Who of the tenant has one, for its admins."""
        need_admin(actor, "see who has a second factor")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            return set(await tx.values(Q.users_with_factor))

    async def rule(self, actor: Actor) -> FactorRule:
        """Who must have one."""
        async with self.db.transaction(actor.scope()) as tx:
            rule: FactorRule = await tx.value(Q.factor_rule, id=actor.tenant_id)
            return rule

    async def set_rule(self, actor: Actor, rule: str) -> FactorRule:
        """Sets who must have one; whoever sets it comes under it, and must have theirs already."""
        need_admin(actor, "change the tenant")
        _no_key(actor, "change the rule of the second factor")
        if rule not in get_args(FactorRule):
            raise errors.Invalid(field="second_factor", reason=", ".join(get_args(FactorRule)))
        if rule != "optional" and actor.user_id and not (await self.state(actor)).enabled:
            raise errors.SecondFactorMissing()
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            await tx.run(Q.set_factor_rule, rule=rule)
        record("setting_changed", actor, setting="second_factor", after=rule)
        return await self.rule(actor)

    # signing in

    async def demand(self, scope: Scope, *, provider_id: UUID | None = None) -> None:
        """Nothing for who needs no second factor; for everybody else the challenge that they answer first."""
        async with self.db.sign_in.transaction(scope) as tx:
            needs = await tx.value(Q.needs_of_sign_in, user_id=scope.user_id)
            if needs is None:
                return
            token = tokens.new_challenge_token()
            await tx.run(
                Q.begin_challenge,
                token_hash=token.hash,
                needs=needs,
                provider_id=provider_id,
                seconds=CHALLENGE_SECONDS,
            )
        kind = errors.SecondFactorRequired if needs == "code" else errors.SecondFactorEnrolment
        raise kind(challenge=token.text, seconds=CHALLENGE_SECONDS, tenant_id=scope.tenant_id)

    async def begin_for(self, scope: Scope, *, account: str, by: bytes | None = None) -> totp.NewSecret:
        """A new secret for whoever this is; the same challenge is shown the same one again."""
        about = f"second factor {scope.user_id}"
        async with self.db.sign_in.transaction(scope) as tx:
            pending = await tx.one(_Factor, Q.factor_of, user_id=scope.user_id)
            if by and pending and pending.confirmed_at is None and pending.begun_by == by:
                return totp.shown(self.vault.open(pending.secret_sealed, about=about), account=account)
            secret = totp.new_secret()
            if not await tx.value(Q.begin_factor, sealed=self.vault.seal(secret, about=about), by=by):
                raise errors.SecondFactorThere()
        return totp.shown(secret, account=account)

    async def confirm_for(self, scope: Scope, code: str) -> list[str]:
        """The first code of a new secret; the recovery codes."""
        async with self.db.sign_in.transaction(scope) as tx:
            factor = await tx.one(_Factor, Q.factor_of, user_id=scope.user_id)
        if factor is None or factor.confirmed_at is not None:
            raise errors.NotFound(thing="second factor", id="")
        step = await self._step(scope, factor, code)
        async with self.db.sign_in.transaction(scope) as tx:
            if not await tx.value(Q.confirm_factor, step=step):
                raise errors.SecondFactorThere()
            codes = await _new_codes(tx)
        record("factor_added", scope, about=scope.user_id, method="totp")
        return codes

    async def check(self, scope: Scope, code: str) -> None:
        """A code of the app or a recovery code: right and not used before, or `WrongCode`."""
        async with self.db.sign_in.transaction(scope) as tx:
            factor = await tx.one(_Factor, Q.factor_of, user_id=scope.user_id)
            if factor is None or factor.confirmed_at is None:
                raise errors.WrongCode()
            if totp.looks_like_recovery_code(code) and await tx.value(
                Q.use_recovery_code, code_hash=totp.recovery_hash(code)
            ):
                record("recovery_code_used", scope, about=scope.user_id)
                return
        step = await self._step(scope, factor, code)
        async with self.db.sign_in.transaction(scope) as tx:
            if not await tx.value(Q.use_factor_step, step=step):
                raise _wrong(scope)

    async def describe(
        self, scope: Scope, session_token: str, *, showed: bool, provider_id: UUID | None = None
    ) -> None:
        """Writes to a session whether it has shown a second factor, and which issuer it came from."""
        async with self.db.sign_in.transaction(scope) as tx:
            await tx.run(
                Q.describe_session,
                token_hash=tokens.token_hash(session_token),
                showed=showed,
                provider_id=provider_id,
            )

    async def _step(self, scope: Scope, factor: _Factor, code: str) -> int:
        """The half minute of a right code; tries are counted, and many wrong ones make all wait."""
        if factor.blocked_seconds:
            raise _blocked(scope, factor.blocked_seconds)
        secret = self.vault.open(factor.secret_sealed, about=f"second factor {scope.user_id}")
        async with self.db.sign_in.transaction(scope) as tx:
            if not await tx.value(Q.try_factor):
                raise _blocked(scope, 60)
        step = totp.matching_step(secret, code, after=factor.last_step)
        if step is None:
            raise _wrong(scope)
        return step

    async def _asked_of(self, actor: Actor) -> bool:
        """Whether the tenant's rule wants one of this person."""
        async with self._as(actor) as tx:
            return bool(await tx.value(Q.asked_for_factor))

    async def _check_code(self, actor: Actor, code: str) -> None:
        """A right code of one's own."""
        await self.rates.of_own_secret(_person(actor))
        await self.check(_scope(actor), code)

    async def _check_password(self, actor: Actor, password: str | None, *, must: bool = False) -> None:
        """The right password of whoever has one; who signs in elsewhere has none to show."""
        await self.rates.of_own_secret(_person(actor))
        async with self._as(actor) as tx:
            stored = await tx.value(Q.own_password_hash)
        if stored is None and not must:
            return
        if stored is None or not password or not any(await tokens.matching(password, [stored])):
            record("factor_failed", actor, outcome="refused", about=actor.user_id, method="password")
            raise errors.Invalid(field="password", reason=_WRONG_PASSWORD)

    def _as(self, actor: Actor) -> AbstractAsyncContextManager[Transaction]:
        return self.db.sign_in.transaction(_scope(actor))


_WRONG_PASSWORD: Final = errors.Phrase("this is not your password", es="no es su contraseña")


def _wrong(scope: Scope) -> errors.WrongCode:
    record("factor_failed", scope, outcome="refused", about=scope.user_id)
    return errors.WrongCode()


def _blocked(scope: Scope, seconds: int) -> errors.RateLimited:
    record("account_locked", scope, outcome="refused", about=scope.user_id, method="totp", seconds=seconds)
    return errors.RateLimited(seconds=seconds)


def _scope(actor: Actor) -> Scope:
    """The person behind a session; a key holds no second factor."""
    return Scope(tenant_id=actor.tenant_id, user_id=_person(actor), role="member")


def _person(actor: Actor) -> UUID:
    _no_key(actor, "change a second factor")
    if actor.user_id is None:
        raise errors.Forbidden(action="change a second factor")
    return actor.user_id


def _no_key(actor: Actor, action: str) -> None:
    """Whoever found a key must not unlock its owner's sign-in with it."""
    if actor.key_id is not None:
        raise errors.Forbidden(action=action)


async def _new_codes(tx: Transaction) -> list[str]:
    codes = totp.new_recovery_codes()
    await tx.run(Q.replace_recovery_codes, hashes=[totp.recovery_hash(code) for code in codes])
    return codes
