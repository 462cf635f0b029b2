"""How much one visitor, one address and everybody together may ask. Minutes are counted in this process, days in the database."""

import time
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from veraz import errors
from veraz.channels.widget.settings import Widget

SESSIONS_PER_ADDRESS: Final = 60
LOOKS_PER_ADDRESS: Final = 600
"""A minute; behind one address may sit a whole office."""


class WidgetLimits:
    """Refuses what comes too often, and says when to come back."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def session(self, address: str) -> None:
        """Before a visitor gets a token."""
        await self._hit([(RateLimitItemPerMinute(SESSIONS_PER_ADDRESS), ("session", address))])

    async def look(self, address: str) -> None:
        """Before something is read."""
        await self._hit([(RateLimitItemPerMinute(LOOKS_PER_ADDRESS), ("look", address))])

    async def question(self, widget: Widget, visitor_id: UUID, address: str) -> None:
        """Before a question is asked."""
        own, all_ = widget.visitor_per_minute, widget.per_minute
        of_address = max(own, all_ // 2)  # nobody takes the whole of it
        await self._hit(
            [
                (RateLimitItemPerMinute(own), ("visitor", str(visitor_id))),
                (RateLimitItemPerMinute(of_address), ("question", address)),
                (RateLimitItemPerMinute(all_), ("widget", str(widget.id))),
            ]
        )

    async def _hit(self, items: Iterable[tuple[RateLimitItem, tuple[str, str]]]) -> None:
        for item, who in items:
            if not await self._limiter.hit(item, *who):
                window = await self._limiter.get_window_stats(item, *who)
                raise errors.RateLimited(seconds=max(1, round(window.reset_time - time.time())))
