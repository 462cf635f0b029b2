"""The time one document's job may take once it is read: for cutting, words, vectors and storing, all together.

A thread cannot be ended from outside, so the work in threads looks at the clock itself, piece by piece.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

from veraz import errors

T = TypeVar("T")


_due: ContextVar[tuple[float, float] | None] = ContextVar("due", default=None)
"""When the time of the job at hand is over, and how many seconds it had; threads started by it know too."""


@asynccontextmanager
async def budget(seconds: float) -> AsyncIterator[None]:
    """Ends what takes longer with a sentence for people."""
    before = _due.set((time.monotonic() + seconds, seconds))
    try:
        async with asyncio.timeout(seconds) as clock:
            yield
    except TimeoutError as error:
        if clock.expired():
            raise _over(seconds) from error
        raise
    finally:
        _due.reset(before)


def in_time(items: Iterable[T]) -> Iterator[T]:
    """The items, as long as there is time."""
    for item in items:
        due = _due.get()
        if due is not None and time.monotonic() > due[0]:
            raise _over(due[1])
        yield item


def _over(seconds: float) -> errors.JobTooLong:
    return errors.JobTooLong(minutes=max(1, round(seconds / 60)))
