"""Who holds the event loop: the processor time of every single step of it, which a busy machine does not change."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Holds:
    """The longest steps of one stretch of work."""

    longest: float = 0.0
    by: str = ""

    def clear(self) -> None:
        """Forgets what was, before the next stretch."""
        self.longest, self.by = 0.0, ""


@contextmanager
def watched() -> Iterator[Holds]:
    """Measures every step of this thread's loop while the block lasts."""
    kind: Any = asyncio.Handle
    holds, thread, run = Holds(), threading.get_ident(), kind._run

    def measured(handle: Any) -> Any:
        if threading.get_ident() != thread:
            return run(handle)
        began = time.thread_time()
        try:
            return run(handle)
        finally:
            took = time.thread_time() - began
            if took > holds.longest:
                holds.longest, holds.by = took, repr(handle)[:300]

    kind._run = measured
    try:
        yield holds
    finally:
        kind._run = run
