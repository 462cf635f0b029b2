"""Who uses the server of a home: the first to join starts it, the last to leave stops it.

Three lock files under home/postgres. `gate` lets one process at a time join or leave. `members` is
shared by every process that uses the server; whoever leaves and finds nobody else there stops it. A
process killed with -9 loses its share by itself. `server` is held by the server's own processes.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from veraz.db.embedded import lock
from veraz.db.embedded.place import Place
from veraz.db.embedded.server import START_SECONDS, Server, ServerAddress
from veraz.observe import log


@contextmanager
def running(home: Path, settings: Mapping[str, str] | None = None) -> Iterator[ServerAddress]:
    """The server of this home, for as long as the block lasts."""
    address = join(home, settings)
    try:
        yield address
    finally:
        leave(home)


def join(home: Path, settings: Mapping[str, str] | None = None) -> ServerAddress:
    """Start the server of this home or join the one that runs; every `join` needs its `leave`.

    It blocks for about a second: call it in a thread. Joining again also revives a server that was
    killed. `settings` are PostgreSQL's, and count only for the process that starts the server.
    """
    home = home.expanduser().resolve()
    with _mutex:
        member = _members.get(home) or _Member(server=Server(place=Place.of(home), settings=settings or {}))
        with lock.locked(member.server.place.gate, patience=2 * START_SECONDS):
            address = member.enter()
        _members[home] = member
        return address


def revive(home: Path) -> None:
    """Start the server again if it died under a process that has joined; nothing where it lives."""
    home = home.expanduser().resolve()
    with _mutex:
        member = _members.get(home)
        if member is None or member.server.answers():
            return
        with lock.locked(member.server.place.gate, patience=2 * START_SECONDS):
            member.server.ensure_running()
            log.warning("database_revived", home=str(home))


def leave(home: Path) -> None:
    """Undo one `join`; the last one of the last process stops the server."""
    home = home.expanduser().resolve()
    with _mutex:
        member = _members.get(home)
        if member is None:
            return
        member.count -= 1
        if member.count == 0:
            del _members[home]
            _leave_for_good(member)


@dataclass(slots=True, kw_only=True)
class _Member:
    """This process's use of one server, counted because several parts of it may join."""

    server: Server
    count: int = 0
    share: int | None = None

    def enter(self) -> ServerAddress:
        if self.share is None:
            self.share = lock.shared(self.server.place.members)
        try:
            address = self.server.ensure_running()
        except BaseException:
            if self.count == 0:
                self.exit()
            raise
        self.count += 1
        return address

    def exit(self) -> None:
        """Give up our share; with nobody left, stop the server. Behind the gate."""
        try:
            if self.share is not None and lock.is_alone(self.share):
                self.server.stop()
        finally:
            self.close()

    def close(self) -> None:
        if self.share is not None:
            os.close(self.share)
            self.share = None


def _leave_for_good(member: _Member) -> None:
    try:
        with lock.locked(member.server.place.gate, patience=2 * START_SECONDS):
            member.exit()
    except FileNotFoundError:
        # PostgreSQL ends by itself within a minute of losing its data folder
        log.warning("database_home_is_gone", home=str(member.server.place.home))
    finally:
        member.close()


_members: dict[Path, _Member] = {}
_mutex = threading.Lock()


def _forget_in_forked_child() -> None:
    """A forked child has not joined: it must neither keep its parent's share nor stop its server."""
    global _mutex
    _mutex = threading.Lock()
    for member in _members.values():
        member.close()
    _members.clear()


os.register_at_fork(after_in_child=_forget_in_forked_child)
