"""Locks that the kernel releases when their holder dies, so none is ever stale.

A lock belongs to an open file and to every process that inherited it, not to a process number.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veraz.errors import DatabaseUnavailable, Phrase


@contextmanager
def locked(path: Path, *, patience: float = 10) -> Iterator[int]:
    """Alone with the lock; yields its descriptor for programs that shall inherit it."""
    descriptor = open_lock(path)
    try:
        _wait_for(descriptor, path, patience)
        yield descriptor
    finally:
        os.close(descriptor)


def shared(path: Path) -> int:
    """A descriptor that shares the lock until it is closed; call it where nobody can be alone with it."""
    descriptor = open_lock(path)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_alone(descriptor: int) -> bool:
    """Gives up our share; true when nobody else has one."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_free(path: Path) -> bool:
    """Whether no living process holds the lock."""
    descriptor = open_lock(path)
    try:
        return is_alone(descriptor)
    finally:
        os.close(descriptor)


def open_lock(path: Path) -> int:
    """Never inherited by accident, never through somebody's link."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _wait_for(descriptor: int, path: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while not is_alone(descriptor):
        if time.monotonic() > deadline:
            raise DatabaseUnavailable(
                reason=Phrase(
                    f"another process has held {path} for {patience:.0f} seconds",
                    es=f"otro proceso retiene {path} desde hace {patience:.0f} segundos",
                )
            )
        time.sleep(0.02)
