"""The files of the embedded server: where they are, whose they are, and how its system user reaches them.

home/postgres/data        PostgreSQL's own, 0700, of the account that runs it
home/postgres/run         its socket, 0700; a private folder under /tmp where the path would be too long
home/postgres/*.lock      see `share`
home/log/postgres.log
"""

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from veraz.db.embedded.account import Account, account_for, closed_folder, current_user
from veraz.errors import DatabaseNotStarted, DiskFull, FolderUnreachable, VerazError
from veraz.observe import log

_LOG_BYTES = 1_000_000
_SOCKET_PATH_BYTES = 90  # the kernel takes about 104, with the socket's own name


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Everything one server has on disk."""

    home: Path
    account: Account

    @classmethod
    def of(cls, home: Path) -> Self:
        """The place under this home; makes the folders that are missing, changes none that is there."""
        place = cls(home=home, account=account_for(home, home / "postgres" / "data"))
        try:
            place._make_folders()
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(folder=home) from error
            if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise FolderUnreachable(user=current_user(), folder=error.filename) from error
            raise
        return place

    @property
    def folder(self) -> Path:
        return self.home / "postgres"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def gate(self) -> Path:
        return self.folder / "gate.lock"

    @property
    def members(self) -> Path:
        return self.folder / "members.lock"

    @property
    def server(self) -> Path:
        return self.folder / "server.lock"

    @property
    def log_file(self) -> Path:
        return self.home / "log" / "postgres.log"

    @contextmanager
    def entrance(self, folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
        """A name by which the account enters the folder, and the descriptors it must inherit for that.

        Under a folder closed to it (root's own, or a temporary one) the path is of no use. There the
        account gets an open handle of this one folder, and nothing has to be opened to everybody.
        """
        closed = closed_folder(folder, self.account)
        if closed is None:
            yield str(folder), ()
            return
        if not Path("/proc/self/fd").is_dir():
            raise FolderUnreachable(user=self.account.name, folder=closed)
        log.info(
            "database_folder_handed_over", user=self.account.name, closed=str(closed), folder=str(folder)
        )
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield f"/proc/self/fd/{handle}", (handle,)
        finally:
            os.close(handle)

    def make_private(self, folder: Path) -> None:
        """A new folder for the account alone."""
        folder.mkdir(mode=0o700)
        if self.account.switch:
            os.chown(folder, self.account.uid, self.account.gid, follow_symlinks=False)

    def write(self, path: Path, text: str) -> None:
        """A file of the account, replaced as a whole and never through a link."""
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            if self.account.switch:
                os.fchown(descriptor, self.account.uid, self.account.gid)
            file.write(text)
        fresh.replace(path)

    # the socket

    def socket_folder(self) -> Path | None:
        """Where the running server listens: what its starter wrote down, if it is still ours."""
        try:
            folder = Path(self._socket_note.read_text())
        except OSError:
            return None
        ours = folder == self._run or folder.name.startswith(self._socket_prefix)
        return folder if ours and self._is_private(folder) else None

    def choose_socket_folder(self) -> Path:
        """For a server about to start: the last one again, or one that is short enough to connect to."""
        folder = self.socket_folder() or self._new_socket_folder()
        self._socket_note.write_text(str(folder))
        self._give(self._socket_note)
        return folder

    def forget_socket_folder(self) -> None:
        """After a clean stop nothing stays outside home."""
        folder = self.socket_folder()
        if folder is not None and folder != self._run:
            with suppress(OSError):
                folder.rmdir()
            self._socket_note.unlink()

    @property
    def _run(self) -> Path:
        return self.folder / "run"

    @property
    def _socket_note(self) -> Path:
        return self.folder / "socket"

    @property
    def _socket_prefix(self) -> str:
        """Names the home, so that a copied home does not listen where the original does."""
        return f"veraz-{hashlib.sha256(os.fsencode(self.home)).hexdigest()[:8]}-"

    def _new_socket_folder(self) -> Path:
        run = self._run
        # libpq takes a comma for the end of one host and the start of the next
        connectable = len(os.fsencode(run)) <= _SOCKET_PATH_BYTES and "," not in str(run)
        if connectable and closed_folder(self.folder, self.account) is None:
            with suppress(FileExistsError):
                self.make_private(run)
            if self._is_private(run):
                return run
        folder = Path(tempfile.mkdtemp(prefix=self._socket_prefix, dir="/tmp"))
        if self.account.switch:
            os.chown(folder, self.account.uid, self.account.gid, follow_symlinks=False)
        log.info("database_socket_outside_home", folder=str(folder), home=str(self.home))
        return folder

    def _is_private(self, folder: Path) -> bool:
        with suppress(OSError):
            status = folder.lstat()
            private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077
            return private and status.st_uid == self.account.uid
        return False

    # the log

    def open_log(self) -> BinaryIO:
        """To append to; a long one makes room first."""
        if self.log_file.exists() and self.log_file.stat().st_size > _LOG_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        output = os.fdopen(os.open(self.log_file, flags, 0o600), "ab")
        self._give(self.log_file)
        return output

    def log_tail(self, since: int) -> str:
        """What the log says since it had that size, at most twenty lines."""
        with suppress(OSError):
            return "\n".join(self.log_file.read_bytes()[since:].decode(errors="replace").splitlines()[-20:])
        return ""

    def explained(self, text: str) -> VerazError:
        """The error for what `initdb`, the log or a connection said."""
        if "No space left on device" in text:
            return DiskFull(folder=self.home)
        return DatabaseNotStarted(folder=self.data, log=text.strip() or "(…)")

    def _make_folders(self) -> None:
        closed, passable = (0o700, 0o711) if self.account.switch else (0o700, 0o700)
        self.home.mkdir(mode=passable, parents=True, exist_ok=True)
        for folder, mode in ((self.folder, passable), (self.log_file.parent, closed)):
            if not folder.exists():
                folder.mkdir(mode=mode, exist_ok=True)
                self._give(folder)
        for lock in (self.gate, self.members, self.server):
            os.close(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            self._give(lock)

    def _give(self, path: Path) -> None:
        """Root at work in somebody's home leaves nothing there that its owner could not use."""
        if self.account.switch and self.home.stat().st_uid == self.account.uid:
            os.chown(path, self.account.uid, self.account.gid, follow_symlinks=False)
