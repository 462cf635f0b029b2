"""One PostgreSQL over one data folder: made, started, asked, stopped. `share` decides when.

Whether the server lives is never guessed from process numbers, which are reused and differ between
containers: every process of the server inherits a locked file, so it lives exactly as long as the lock.
"""

import hashlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from veraz.db.embedded import lock
from veraz.db.embedded.account import programs
from veraz.db.embedded.data import OWNER, make_data, write_access_rules
from veraz.db.embedded.place import Place
from veraz.errors import DatabaseUnavailable
from veraz.observe import log

DATABASE = "veraz"
START_SECONDS = 120.0
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where the owner of the database connects: a Unix socket, never the network."""

    socket_folder: Path
    port: int

    @property
    def url(self) -> str:
        """An address `psycopg` takes; it holds no secret, the system user is the proof."""
        folder = quote(str(self.socket_folder), safe="")
        return f"postgresql://{OWNER}@/{DATABASE}?host={folder}&port={self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The server of one place; its methods are called by one process at a time, behind the gate."""

    place: Place
    settings: Mapping[str, str]

    def ensure_running(self) -> ServerAddress:
        """Join the server that lives, or start one; returns once it answers."""
        address = self._join() or self._start()
        self._ensure_database(address)
        return address

    def alive(self) -> bool:
        """Whether any process of the server is left, also one started by hand on our data."""
        return not lock.is_free(self.place.server) or self._postmaster() is not None

    def answers(self) -> bool:
        """Whether its postmaster is there; where that cannot be seen from here, whether it lets us in."""
        if self._postmaster() is not None:
            return True
        address = self._address()
        return address is not None and _answers(address)

    def stop(self) -> None:
        """Politely, then firmly; a server that cannot be signalled from here is left, and we say so."""
        if self.alive():
            self._end()
            log.info("database_stopped", folder=str(self.place.data))
        if self.alive():
            log.warning("database_left_running", folder=str(self.place.data))
        else:
            self.place.forget_socket_folder()

    def _join(self) -> ServerAddress | None:
        """The address once a living server answers, None once none lives."""
        began = time.monotonic()
        while self.alive():
            address = self._address()
            if address and _answers(address):
                log.info("database_joined", folder=str(self.place.data))
                return address
            waited = time.monotonic() - began
            if waited > START_SECONDS:
                raise self.place.explained(self.place.log_tail(0))
            if waited > 1.5 and self._postmaster() is None:
                # backends whose postmaster was killed end by themselves, unless they are busy
                _signal(self._processes(), signal.SIGKILL)
            time.sleep(0.02)
        return None

    def _start(self) -> ServerAddress:
        began = time.monotonic()
        make_data(self.place, self.settings)
        self._clear_leavings()
        write_access_rules(self.place)
        log_size = self._spawn()
        address = self._address()
        while not (address and _answers(address)):
            if not self.alive() or time.monotonic() - began > START_SECONDS:
                self._end()
                raise self.place.explained(self.place.log_tail(log_size))
            time.sleep(0.02)
        seconds = round(time.monotonic() - began, 2)
        log.info(
            "database_started", folder=str(self.place.data), user=self.place.account.name, seconds=seconds
        )
        return address

    def _address(self) -> ServerAddress | None:
        folder = self.place.socket_folder()
        if folder is None:
            return None
        return ServerAddress(socket_folder=folder, port=int(self.settings.get("port", 5432)))

    def _clear_leavings(self) -> None:
        """What a killed server leaves names processes that are gone, or by now somebody else's."""
        if not self._is_unknown_server(self._noted_postmaster()):
            (self.place.data / "postmaster.pid").unlink(missing_ok=True)
        for socket in self.place.choose_socket_folder().glob(".s.PGSQL.*"):
            socket.unlink()

    def _spawn(self) -> int:
        """Through a shell that ends at once: the server is nobody's child and outlives its starter."""
        place = self.place
        with (
            place.entrance(place.data) as (name, handles),
            lock.locked(place.server) as held,
            place.open_log() as output,
        ):
            command = [str(programs(place.account, place.folder) / "postgres"), "-D", name]
            command += [f"--{key}={value}" for key, value in self._command_line_settings().items()]
            size = output.seek(0, os.SEEK_END)
            place.account.run(["/bin/sh", "-c", '"$@" &', "sh", *command], (*handles, held), output)
        return size

    def _command_line_settings(self) -> dict[str, str]:
        folder = str(self.place.socket_folder()).replace('"', '""')
        return {
            "listen_addresses": "",
            "unix_socket_directories": f'"{folder}"',
            "unix_socket_permissions": "0700",
            "cluster_name": self._mark(),
            "logging_collector": "off",
            "dynamic_shared_memory_type": _shared_memory_type(),
            **self.settings,
        }

    def _ensure_database(self, address: ServerAddress) -> None:
        try:
            with psycopg.connect(address.url, dbname="postgres", autocommit=True) as connection:
                found = connection.execute("select from pg_database where datname = %s", [DATABASE])
                if found.fetchone() is None:
                    connection.execute(f"create database {DATABASE}")
        except psycopg.Error as error:
            raise self.place.explained(str(error)) from error

    def _end(self) -> None:
        """A fast stop, then an immediate one, then no mercy; the data survives each of them."""
        for number, patience in ((signal.SIGINT, 30), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
            postmaster = self._postmaster()
            targets = [postmaster] if postmaster else []
            targets = self._processes() if number == signal.SIGKILL else targets
            _signal(targets, number)
            if _happens(lambda: not self.alive(), patience if targets else 0):
                return

    def _postmaster(self) -> int | None:
        """Its process number, if the one written down is still a process of this server."""
        number = self._noted_postmaster()
        return number if number and self._is_ours(number) else None

    def _noted_postmaster(self) -> int | None:
        """What postmaster.pid says; it may be half written, or name a process long gone."""
        try:
            number = int((self.place.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None
        return number if number > 0 else None

    def _processes(self) -> list[int]:
        """Every process of this server that can be seen from here."""
        numbers = [int(entry.name) for entry in _PROC.glob("[0-9]*")]
        return [number for number in numbers if self._is_ours(number)]

    def _is_ours(self, number: int) -> bool:
        """Known by its owner and by the mark that every process of the server carries in its title."""
        if not (_PROC / "self").exists():
            return not lock.is_free(self.place.server)
        with suppress(OSError):
            process = _PROC / str(number)
            mine = process.stat().st_uid == self.place.account.uid
            return mine and self._mark().encode() in (process / "cmdline").read_bytes()
        return False

    def _is_unknown_server(self, number: int | None) -> bool:
        """A PostgreSQL that none of us started: only PostgreSQL itself may judge what it does here."""
        if not (_PROC / "self").exists():
            return True
        with suppress(OSError):
            process = _PROC / str(number)
            title = (process / "cmdline").read_bytes()
            ours_or_dead = not title or b"cluster_name=veraz-" in title or b"postgres: veraz-" in title
            return (process / "comm").read_text().strip() == "postgres" and not ours_or_dead
        return False

    def _mark(self) -> str:
        status = self.place.data.stat()
        return "veraz-" + hashlib.sha256(f"{status.st_dev}:{status.st_ino}".encode()).hexdigest()[:12]


def _answers(address: ServerAddress) -> bool:
    """Whether it lets us in; false while it starts or stops."""
    try:
        psycopg.connect(address.url, dbname="postgres", connect_timeout=5).close()
    except psycopg.OperationalError as error:
        if "FATAL" in str(error) and "the database system is" not in str(error):
            raise DatabaseUnavailable(reason=str(error)) from error
        return False
    return True


def _signal(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _happens(condition: Callable[[], bool], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _shared_memory_type() -> str:
    """Containers often get 64 MB of /dev/shm, too little to build an index in parallel."""
    roomy = Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").total >= 1 << 30
    return "posix" if roomy else "mmap"
