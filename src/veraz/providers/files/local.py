"""Files in a folder of this machine: written aside, synced, then renamed into place.

All disk work happens in threads, so a slow disk never stops the event loop.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar
from uuid import uuid4

from veraz.errors import OutsideDown, Phrase
from veraz.providers.files.base import (
    READ_BYTES,
    FileEntry,
    Measure,
    Stored,
    checked_key,
    checked_prefix,
    missing,
)

T = TypeVar("T")

INCOMING = ".incoming"
LIST_BATCH = 500
FORGOTTEN_SECONDS = 3600
RENAME_CHANCES = 50


class LocalFiles:
    """A `FileStore` under one folder that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._incoming = folder / INCOMING

    async def put(self, key: str, chunks: AsyncIterator[bytes], *, max_bytes: int) -> Stored:
        """Write beside, sync and rename; a cut-off write leaves nothing under the key."""
        final, measure = self._path(key), Measure(key, max_bytes=max_bytes)
        beside = self._incoming / uuid4().hex
        file = await _in_thread(self._start, beside)
        try:
            async for chunk in chunks:
                measure.add(chunk)
                await _in_thread(file.write, chunk)
            await _in_thread(self._finish, file, beside, final)
        finally:
            await _in_thread(_drop, file, beside)
        return measure.result()

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The file piece by piece."""
        if not await self.exists(key):
            raise missing(key)
        return _pieces(self._path(key), key)

    @asynccontextmanager
    async def local_copy(self, key: str) -> AsyncIterator[Path]:
        """The file itself; it is read, never written."""
        if not await self.exists(key):
            raise missing(key)
        yield self._path(key)

    async def delete(self, key: str) -> None:
        """Remove the file and the folders it leaves empty."""
        await _in_thread(self._remove, self._path(key))

    async def exists(self, key: str) -> bool:
        """Whether the file is there."""
        return await _in_thread(self._path(key).is_file)

    async def list(self, prefix: str) -> AsyncIterator[FileEntry]:
        """Walk the folder in a thread, some hundred files at a time; what was left half written goes on the way."""
        await _in_thread(self._sweep)
        found = self._walk(self._folder / checked_prefix(prefix))
        while batch := await _in_thread(_take, found, LIST_BATCH):
            for entry in batch:
                yield entry

    def _path(self, key: str) -> Path:
        return self._folder / checked_key(key)

    def _start(self, beside: Path) -> IO[bytes]:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._incoming.mkdir(exist_ok=True, mode=0o700)
        self._sweep()
        return os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", READ_BYTES)

    def _sweep(self) -> None:
        """Remove what a killed process left half written: what is still being written is touched all the time."""
        if not self._incoming.is_dir():
            return
        for leftover in self._incoming.iterdir():
            with suppress(FileNotFoundError):
                if time.time() - leftover.stat().st_mtime > FORGOTTEN_SECONDS:
                    leftover.unlink()

    def _finish(self, file: IO[bytes], beside: Path, final: Path) -> None:
        """Make the bytes durable, then visible, then make the name durable too."""
        file.flush()
        os.fsync(file.fileno())
        for chance in range(RENAME_CHANCES, 0, -1):
            try:
                self._make_folders(final.parent)
                beside.replace(final)
                break
            except FileNotFoundError:
                # A delete of the last neighbour took the folder away in between: make it again.
                if chance == 1:
                    raise
        _sync_folder(final.parent)

    def _make_folders(self, folder: Path) -> None:
        """Each level by itself: `parents=True` would leave the upper ones open to other users."""
        if folder != self._folder:
            self._make_folders(folder.parent)
            # `exist_ok=True` fails when a delete takes the folder away between its two looks.
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        with suppress(OSError):
            for folder in path.parents:
                if folder == self._folder:
                    break
                folder.rmdir()

    def _walk(self, folder: Path) -> Iterator[FileEntry]:
        for here, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                with suppress(FileNotFoundError):
                    yield self._entry(Path(here, name))

    def _entry(self, path: Path) -> FileEntry:
        stat = path.stat()
        return FileEntry(
            key=path.relative_to(self._folder).as_posix(),
            size=stat.st_size,
            modified_at=datetime.fromtimestamp(stat.st_mtime, UTC),
        )


async def _in_thread(work: Callable[..., T], *args: object) -> T:
    """Run in a thread to its end even when cancelled: a file is never closed under a running write."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *args))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
    except OSError as problem:
        reason = Phrase(f"disk: {problem.strerror}", es=f"disco: {problem.strerror}")
        raise OutsideDown(
            host=Phrase("The file store", es="El almacén de archivos"), reason=reason
        ) from problem


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _drop(file: IO[bytes], beside: Path) -> None:
    with suppress(OSError):
        file.close()
    beside.unlink(missing_ok=True)


async def _pieces(path: Path, key: str) -> AsyncIterator[bytes]:
    try:
        file = await asyncio.to_thread(path.open, "rb")
    except FileNotFoundError as gone:
        raise missing(key) from gone
    try:
        while piece := await _in_thread(file.read, READ_BYTES):
            yield piece
    finally:
        file.close()


def _take(entries: Iterator[FileEntry], count: int) -> tuple[FileEntry, ...]:
    return tuple(islice(entries, count))
