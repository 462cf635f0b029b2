"""Pictures of pages that were drawn: kept on this machine for a while, beside the key of the file they show, and gone with it.

Never much, never long: what is kept is made again from the file at any time.
"""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from veraz.providers.files.base import checked_key

_KEPT_FILES: Final = 400
_KEPT_SECONDS: Final = 24 * 3600


class PagePictures:
    """A folder of pictures below home: `tenant/knowledge base/document/picture`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "cache" / "pages"

    async def read(self, key: str, tag: str) -> bytes | None:
        """A picture of a page of this file; None where it is not kept."""
        return await asyncio.to_thread(_read, self._path(key, tag))

    async def keep(self, key: str, tag: str, data: bytes) -> None:
        """Keeps a picture of a page of this file, and forgets the oldest of all."""
        await asyncio.to_thread(self._keep, self._path(key, tag), data)

    async def forget(self, prefix: str) -> None:
        """No picture is left of this file, or of all files whose keys begin with these folders."""
        await asyncio.to_thread(shutil.rmtree, self._folder / checked_key(prefix), ignore_errors=True)

    async def forget_all(self) -> None:
        """No picture is left."""
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def sweep(self) -> int:
        """Forgets what is old or too much; how many pictures."""
        return await asyncio.to_thread(self._sweep)

    def _path(self, key: str, tag: str) -> Path:
        return self._folder / checked_key(key) / f"{tag}.png"

    def _keep(self, path: Path, data: bytes) -> None:
        """Writes the file whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.{time.monotonic_ns()}")
        draft.write_bytes(data)
        draft.replace(path)
        self._sweep()

    def _sweep(self) -> int:
        kept = sorted((_age(one), one) for one in self._folder.rglob("*") if one.is_file())
        old = [one for number, (age, one) in enumerate(kept) if number >= _KEPT_FILES or age > _KEPT_SECONDS]
        for one in old:
            one.unlink(missing_ok=True)
            for folder in self._above(one):
                try:
                    folder.rmdir()
                except OSError:  # something is still in it
                    break
        return len(old)

    def _above(self, path: Path) -> Iterator[Path]:
        return (folder for folder in path.parents if self._folder in folder.parents)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
