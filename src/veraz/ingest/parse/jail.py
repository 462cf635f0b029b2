"""What a parsing process may not do: take more than its share, write files, reach the network."""

import ctypes
import os
import resource
import sys
from contextlib import suppress

from veraz.ingest.parse.base import MB

_NEW_NETWORK, _NEW_USER = 0x40000000, 0x10000000
_NO_NEW_PRIVILEGES = 38
_NOBODY = 65534
_OPEN_FILES = 40
_PROCESSES = 512
_CPU_GRACE = 5


def leave_network() -> bool:
    """Move this process and its children to an empty network; whether the system allowed it."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    flags = _NEW_NETWORK if os.geteuid() == 0 else _NEW_NETWORK | _NEW_USER
    return bool(libc.unshare(flags) == 0)


def lock(*, memory_mb: int, cpu_seconds: float) -> None:
    """Bound this process; there is no way back."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_CPU, int(cpu_seconds) + _CPU_GRACE)
    _limit(resource.RLIMIT_AS, memory_mb * MB)
    _drop_root()
    sys.addaudithook(_refuse_network)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(ValueError, OSError):  # a system that cannot limit this still has the wall clock
        resource.setrlimit(what, (bounded, bounded))


def _drop_root() -> None:
    """Root's rights are not needed to read an open file."""
    if os.geteuid() != 0:
        return
    with suppress(OSError):
        _limit(resource.RLIMIT_NPROC, _PROCESSES)
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _refuse_network(event: str, _arguments: tuple[object, ...]) -> None:
    """Where the system gives no empty network, Python's own sockets are refused at least."""
    if event.startswith("socket."):
        raise PermissionError(event)
