"""How often somebody may call: buckets that fill again steadily, in PostgreSQL, so that all processes share them.

Where much is allowed, a process takes a lot at once and spends it by itself: one call in forty asks the database. Where
little is, as with passwords, each call asks. Who was refused is refused here until the wait is over, at no cost.
"""

import hashlib
import hmac
import math
import secrets
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY
from veraz.db.sql import queries
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

    async def of_guess(self, account: str, address: str, mark: str = "") -> UUID | None:
        """Before a password or a code is looked at: per account, and more widely per address, behind which a whole office may sit.

        Each place, and each device that showed the right password before (`mark`), has its own attempts at an account;
        wrong ones of all strange devices together are few in an hour. So nobody far away can keep the owner out.
        The answer is the tenant where this device showed the right password: in the others it is strange.
        """
        per_minute, who, place = self.settings.login_attempts_per_minute, _who(account), place_of(address)
        device, tenant = self._device(mark, account)
        await self.spend(
            Rate(about=f"guess {who} {device or place}", per_minute=per_minute),
            Rate(about=f"guesser {place}", per_minute=per_minute * _PEOPLE_PER_ADDRESS),
            *(() if device else (self._of_strangers(who),)),
        )
        return tenant

    async def of_strange_guess(self, account: str) -> None:
        """A known device tried what would open the same e-mail's account in another tenant."""
        await self.spend(self._of_strangers(_who(account)))

    async def was_no_guess(self, account: str, tenant_id: UUID, mark: str = "") -> str:
        """The password of this tenant's account was right: it does not count, and the device is known there from now on."""
        known, _ = self._device(mark, account)
        if not known and (rate := self._of_strangers(_who(account))).per_minute > 0:
            await self._give_back(rate)
        device = f"{secrets.token_urlsafe(9)}.{tenant_id}"
        return f"{device}.{self._signature(device, account)}"

    def _of_strangers(self, who: str) -> Rate:
        per_hour = self.settings.login_failures_per_hour
        return Rate(about=f"strangers at {who}", per_minute=per_hour, seconds=_HOUR)

    def _device(self, mark: str, account: str) -> tuple[str, UUID | None]:
        """The device that a mark of ours names for this account, and the tenant; or nothing."""
        device, _, signature = mark.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(device, account).encode()):
            return "", None
        return device, UUID(device.rpartition(".")[2])

    def _signature(self, device: str, account: str) -> str:
        return hmac.new(self._secret, f"device {device} {_who(account)}".encode(), hashlib.sha256).hexdigest()

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
