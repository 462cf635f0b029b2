"""How many pages are drawn at once: few, one page of a file at a time, and room left for other organisations."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from veraz import errors

AT_ONCE: Final = 3
AT_ONCE_OF_TENANT: Final = 2
MOST_WAITING: Final = 32
"""Drawings of one organisation that may wait; who asks for more is told to come back."""
_COME_BACK_SECONDS: Final = 10


class DrawingSlots:
    """Lets drawings through; a slow file holds up itself, not the others."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(AT_ONCE)
        self._gates: dict[Hashable, asyncio.Semaphore] = {}
        self._users: dict[Hashable, int] = {}

    @asynccontextmanager
    async def slot(self, tenant_id: UUID, file: str) -> AsyncIterator[None]:
        """Waits for the file, then for the organisation's share, then for a free place."""
        if self._users.get(tenant_id, 0) >= MOST_WAITING:
            raise errors.RateLimited(seconds=_COME_BACK_SECONDS)
        with_share = self._gate(tenant_id, AT_ONCE_OF_TENANT)
        async with with_share as share, self._gate(file, 1) as own, own, share, self._all:
            yield

    @asynccontextmanager
    async def _gate(self, key: Hashable, places: int) -> AsyncIterator[asyncio.Semaphore]:
        """The semaphore of a file or organisation, there while somebody uses it."""
        gate = self._gates.setdefault(key, asyncio.Semaphore(places))
        self._users[key] = self._users.get(key, 0) + 1
        try:
            yield gate
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._gates[key]
