"""Pages that could not be drawn, remembered for some minutes: who asks again is told so at once."""

from collections.abc import Hashable
from time import monotonic
from typing import Final

from veraz import errors

_REMEMBERED_SECONDS: Final = 10 * 60
_MOST: Final = 2_000


class Failures:
    """What went wrong lately, by what was drawn."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[float, errors.Unreadable]] = {}

    def raise_known(self, what: Hashable) -> None:
        """Raises the error that drawing this ended with, if that was lately."""
        until, error = self._known.get(what, (0.0, None))
        if error is not None and monotonic() < until:
            raise error.with_traceback(None)

    def remember(self, what: Hashable, error: errors.Unreadable) -> None:
        """Keeps the error for some minutes; the oldest ones make room."""
        self._known.pop(what, None)
        self._known[what] = (monotonic() + _REMEMBERED_SECONDS, error)
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
