"""How much is read from callers nobody knows yet, so that their bodies cannot fill the memory.

A body is read before it is known whose it is. The first kilobytes are read from anybody; for the rest the credential is
looked up first. Where strangers have something to say (a message from WhatsApp, a page's words without a socket), they
share a small sum, each address a part of it.
"""

from collections import Counter
from contextlib import suppress
from typing import Final

from starlette.requests import Request
from starlette.types import Scope

from veraz import errors
from veraz.api.bodies import KB, MB, Portion
from veraz.api.caller import address_of, token_of
from veraz.tenancy.rates import place_of
from veraz.wiring import Veraz

FROM_ANYBODY: Final = 32 * KB
"""Bytes of a body that are read before anybody asks whose it is."""
_ALL: Final = 32 * MB
_OF_A_PLACE: Final = 4 * MB
_WAIT: Final = 5


class Held:
    """Bytes of strangers' bodies that are being read in this process."""

    def __init__(self) -> None:
        self.all = 0
        self.of: Counter[str] = Counter()

    def add(self, place: str, size: int) -> None:
        """So many more; raises where that is too many."""
        self.all += size
        self.of[place] += size
        if self.all > _ALL or self.of[place] > _OF_A_PLACE:
            raise errors.RateLimited(seconds=_WAIT)

    def free(self, place: str, size: int) -> None:
        """So many fewer."""
        self.all -= size
        self.of[place] -= size
        if self.of[place] <= 0:
            del self.of[place]


class Admission:
    """Of one body: it goes on when its sender is known, or while there is room for strangers'."""

    def __init__(self, scope: Scope, portion: Portion, held: Held) -> None:
        self._scope, self._portion, self._held = scope, portion, held
        self._place = place_of(scope["client"][0] if scope.get("client") else "?")
        self._known = False
        self._size = 0

    async def take(self, size: int, seen: int) -> None:
        """A piece of the body, of which so much has been seen; raises when its sender may send no more."""
        if self._known or seen <= FROM_ANYBODY:
            return
        if self._portion.strangers:
            self._size += size
            self._held.add(self._place, size)
        else:
            await _look_up(Request(self._scope))
            self._known = True

    def end(self) -> None:
        """The request is over."""
        if self._size:
            self._held.free(self._place, self._size)


async def _look_up(request: Request) -> None:
    """Raises where the credential is nobody's. Whom a key acts for is the route's to ask."""
    veraz: Veraz = request.app.state.veraz
    token = token_of(request)
    try:
        with suppress(errors.EndUserUnproven):
            await veraz.callers.before_password(token or "")
    except errors.Unauthenticated:
        await veraz.rates.of_stranger(address_of(request))
        raise
