"""How often somebody may call: buckets that fill again steadily, in PostgreSQL, so that all processes share them.

Where much is allowed, a process takes a lot at once and spends it by itself: one call in forty asks the database. Where
little is, as with passwords, each call asks. Who was refused is refused here until the wait is over, at no cost.
"""

import hashlib
import hmac
import math
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY
from veraz.db.sql import queries
from veraz.security import anonymous, record
from veraz.settings import Settings
from veraz.tenancy.model import Actor

Q = queries(__file__)

_LOTS: Final = 40
"""Parts of a minute's calls that a process takes at a time."""
_GOOD_FOR: Final = 10.0
"""Seconds after which what is left of a lot lapses."""
_MOST_KEPT: Final = 20_000
_SECONDS: Final = 60.0
_HOUR: Final = 3600.0
_PEOPLE_PER_ADDRESS: Final = 20
_NETWORKS: Final = 10
"""So many networks may use up what each may guess at an account in an hour, before there is a crowd."""
_IN_A_CROWD: Final = 4
"""Then each has a part of it, by this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many calls a minute for whoever this is about."""

    about: str
    per_minute: int
    """So many in `seconds`, which is a minute unless it says otherwise."""
    seconds: float = _SECONDS

    @property
    def lot(self) -> int:
        """How many a process takes at a time."""
        return max(1, self.per_minute // _LOTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDevice:
    """A device on which the password that an account has now was right."""

    id: str
    tenant_id: UUID


@dataclass(slots=True)
class _Here:
    """What this process knows of a bucket."""

    left: int = 0
    until: float = 0.0
    refused_until: float = 0.0


class Rates:
    """Spends from buckets; raises where one is empty, with the seconds until it is not."""

    def __init__(self, db: Database, settings: Settings, *, secret: str) -> None:
        self.db = db
        self.settings = settings
        self._secret = secret.encode()
        self._here: dict[str, _Here] = {}

    async def spend(self, *rates: Rate) -> None:
        """One call from each; a rate of 0 is none."""
        now = time.monotonic()
        empty = [rate for rate in rates if rate.per_minute > 0 and not self._spent_here(rate, now)]
        if empty:
            await self._take(empty, now)

    async def of_caller(self, actor: Actor) -> None:
        """Before anything is done for somebody who has shown who they are."""
        settings = self.settings
        who = actor.key_id or actor.user_id or actor.tenant_id
        await self.spend(
            Rate(about=f"caller {who}", per_minute=settings.caller_requests_per_minute),
            Rate(about=f"tenant {actor.tenant_id}", per_minute=settings.tenant_requests_per_minute),
        )

    async def of_stranger(self, address: str) -> None:
        """Before somebody is told that they are nobody we know."""
        per_minute = self.settings.stranger_requests_per_minute
        await self.spend(Rate(about=f"stranger {place_of(address)}", per_minute=per_minute))

    async def of_visitor(self, address: str) -> None:
        """Before a page is built, or a socket opened, for somebody who has not shown who they are."""
        per_minute = self.settings.stranger_requests_per_minute
        await self.spend(Rate(about=f"visitor {place_of(address)}", per_minute=per_minute))

    async def of_guesser(self, address: str) -> None:
        """Before a secret somebody types is looked at, whosever it is. Behind an address a whole office may sit."""
        per_minute = self.settings.login_attempts_per_minute * _PEOPLE_PER_ADDRESS
        await self._guess(address, Rate(about=f"guesser {place_of(address)}", per_minute=per_minute))

    async def of_one_use(self, secret: str, address: str) -> None:
        """Before a link or a challenge, with what comes with it, is looked at."""
        await self.of_guesser(address)
        await self._guess(secret, Rate(about=f"guess {secret}", per_minute=self._per_minute))

    async def of_own_secret(self, user_id: UUID) -> None:
        """Before somebody who is signed in proves once more who they are: the session may be in other hands."""
        who = f"own secret {user_id}"
        per_hour = Rate(
            about=f"{who} in an hour", per_minute=self.settings.login_failures_per_hour, seconds=_HOUR
        )
        await self._guess(who, Rate(about=who, per_minute=self._per_minute), per_hour)

    async def of_guess(
        self, account: str, address: str, device: KnownDevice | None = None
    ) -> tuple[Rate, ...]:
        """Before a password is compared with an account's. What a right password gives back.

        Each place has its own attempts at an account, and so has each device that showed the right password before.
        """
        who = device.id if device else place_of(address)
        about = f"guess {_who(account)} {who}"
        await self._guess(account, Rate(about=about, per_minute=self._per_minute))
        return () if device else await self.of_strange_guess(account, address)

    async def of_strange_guess(self, account: str, address: str) -> tuple[Rate, ...]:
        """The same from a device on which the password was never right: few in an hour for each network.

        Where many networks guess at one account, each has fewer, and never none: the owner may be in any of them.
        """
        who, network = _who(account), network_of(address)
        here, all_together, in_a_crowd = self._of_strangers(who, network)
        await self._guess(account, here)
        try:
            await self.spend(all_together)
        except errors.RateLimited:
            await self._guess(account, in_a_crowd)
            return here, in_a_crowd
        return here, all_together

    async def give_back(self, spent: tuple[Rate, ...]) -> None:
        """What was right was no guess."""
        for rate in spent:
            if rate.per_minute > 0:
                await self._give_back(rate)

    def mark(self, account: str, tenant_id: UUID, password_hash: str) -> str:
        """For a device on which this password was right; worth nothing with the next password."""
        device = f"{secrets.token_urlsafe(9)}.{tenant_id}"
        return f"{device}.{self._signature(device, account, password_hash)}"

    def known_device(
        self, mark: str, account: str, password_hashes: Mapping[UUID, str]
    ) -> KnownDevice | None:
        """The device that a mark of ours names, if its password is still the account's in that tenant."""
        device, _, signature = mark.rpartition(".")
        for tenant_id, password_hash in password_hashes.items():
            right = self._signature(device, account, password_hash)
            if device.endswith(f".{tenant_id}") and hmac.compare_digest(signature.encode(), right.encode()):
                return KnownDevice(id=device, tenant_id=tenant_id)
        return None

    @property
    def _per_minute(self) -> int:
        return self.settings.login_attempts_per_minute

    def _of_strangers(self, who: str, network: str) -> tuple[Rate, Rate, Rate]:
        """Of one network, of all together, and of one network where all together have had enough."""
        most = self.settings.login_failures_per_hour
        few = -(-most // _IN_A_CROWD)
        return (
            Rate(about=f"strangers of {network} at {who}", per_minute=most, seconds=_HOUR),
            Rate(about=f"strangers at {who}", per_minute=most * _NETWORKS, seconds=_HOUR),
            Rate(about=f"strangers of {network} in a crowd at {who}", per_minute=few, seconds=_HOUR),
        )

    async def _guess(self, account: str, *rates: Rate) -> None:
        try:
            await self.spend(*rates)
        except errors.RateLimited:
            record("sign_in_limited", outcome="refused", account=anonymous(account))
            raise

    def _signature(self, device: str, account: str, password_hash: str) -> str:
        about = f"device {device} {_who(account)} {password_hash}"
        return hmac.new(self._secret, about.encode(), hashlib.sha256).hexdigest()

    async def _give_back(self, rate: Rate) -> None:
        await self.db.call(
            NOBODY,
            Q.spend,
            keys=[self._key(rate)],
            wanted=[-1],
            seconds_each=[rate.seconds / rate.per_minute],
            bursts=[rate.per_minute],
        )

    def _spent_here(self, rate: Rate, now: float) -> bool:
        here = self._known(rate)
        if here.refused_until > now:
            raise errors.RateLimited(seconds=math.ceil(here.refused_until - now))
        if here.left and here.until > now:
            here.left -= 1
            return True
        return False

    async def _take(self, rates: list[Rate], now: float) -> None:
        rates = sorted(
            rates, key=lambda rate: rate.about
        )  # in one order, or two processes wait for each other
        waits = await self.db.call(
            NOBODY,
            Q.spend,
            keys=[self._key(rate) for rate in rates],
            wanted=[rate.lot for rate in rates],
            seconds_each=[rate.seconds / rate.per_minute for rate in rates],
            bursts=[rate.per_minute for rate in rates],
        )
        longest = 0.0
        for rate, row in zip(rates, waits, strict=True):
            here, wait = self._known(rate), float(row["s"])
            if wait:
                here.refused_until = now + wait
                longest = max(longest, wait)
            else:
                here.left, here.until = here.left + rate.lot - 1, now + _GOOD_FOR
        if longest:
            raise errors.RateLimited(seconds=math.ceil(longest))

    def _known(self, rate: Rate) -> _Here:
        if rate.about not in self._here and len(self._here) >= _MOST_KEPT:
            self._here.clear()  # the database knows
        return self._here.setdefault(rate.about, _Here())

    def _key(self, rate: Rate) -> bytes:
        """Keyed, so that nobody who can call the function can empty the bucket of another."""
        return hmac.new(self._secret, rate.about.encode(), hashlib.sha256).digest()


def _who(account: str) -> str:
    return account.strip().lower()


def place_of(address: str) -> str:
    """Whom an address stands for: in IPv6 everybody has a network of their own with more addresses than there are people."""
    try:
        place = ip_address(address)
    except ValueError:
        return address[:64]
    if not isinstance(place, IPv6Address):
        return str(place)
    return str(place.ipv4_mapped or f"{IPv6Address(int(place) >> 64 << 64)}/64")


def network_of(address: str) -> str:
    """Whose an address is, more widely: what one provider gives one customer, as near as can be told."""
    try:
        place = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(place, IPv6Address) and place.ipv4_mapped is None:
        return str(ip_network((place, 48), strict=False))
    return str(ip_network((str(getattr(place, "ipv4_mapped", None) or place), 24), strict=False))
