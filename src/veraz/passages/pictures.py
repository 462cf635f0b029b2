"""Pages drawn with their marks. What was drawn is kept for a while: never much, never long.

Who asks for a picture that is being drawn gets that one. A page that could not be drawn is not tried again for some minutes.
"""

import asyncio
import hashlib
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import draw_page
from veraz.passages.drawing_slots import DrawingSlots
from veraz.passages.failures import Failures
from veraz.passages.model import SeenDocument
from veraz.providers.files.tenants import Files
from veraz.settings import Settings
from veraz.text.rectangles import Rectangle

_SECONDS: Final = 20.0
_OUTPUT_MB: Final = 24
_KEPT_FILES: Final = 400
_KEPT_SECONDS: Final = 24 * 3600

Marks = tuple[Rectangle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A page as a PNG; pictures with the same tag are the same."""

    data: bytes
    tag: str


class Pictures:
    """Draws pages in a process of their own."""

    def __init__(self, files: Files, settings: Settings) -> None:
        self._files = files
        self._limits = replace(ParseLimits.of(settings), seconds=_SECONDS, output_mb=_OUTPUT_MB)
        self._folder = settings.home / "cache" / "pages"
        self._slots = DrawingSlots()
        self._failures = Failures()
        self._drawing: dict[str, asyncio.Task[bytes]] = {}

    def tag(self, seen: SeenDocument, page: int, marks: Marks, scale: float) -> str:
        """What the picture will be, before it is drawn."""
        parts = (seen.storage_key, seen.indexed_at, page, marks, scale)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    async def draw(
        self, tenant_id: UUID, seen: SeenDocument, page: int, marks: Marks, scale: float
    ) -> Picture:
        """A page of a PDF with some rectangles marked."""
        if seen.file_type != "pdf" or seen.storage_key is None:
            raise errors.NotFound(thing="page", id=seen.document_id)
        tag = self.tag(seen, page, marks, scale)
        data = await asyncio.to_thread(_read, self._path(tag))
        if data is None:
            data = await self._drawn_once(tenant_id, seen, page, marks, scale, tag)
        return Picture(data=data, tag=tag)

    async def _drawn_once(
        self, tenant_id: UUID, seen: SeenDocument, page: int, marks: Marks, scale: float, tag: str
    ) -> bytes:
        """The picture that is being drawn, or a new one; it is finished and kept even if its asker goes away."""
        task = self._drawing.get(tag)
        if task is None:
            task = asyncio.create_task(self._drawn(tenant_id, seen, page, marks, scale, tag))
            self._drawing[tag] = task
            task.add_done_callback(lambda done: self._forget(tag, done))
        return await asyncio.shield(task)

    def _forget(self, tag: str, done: asyncio.Task[bytes]) -> None:
        del self._drawing[tag]
        if not done.cancelled():
            done.exception()  # else asyncio complains of an error nobody waited for

    async def _drawn(
        self, tenant_id: UUID, seen: SeenDocument, page: int, marks: Marks, scale: float, tag: str
    ) -> bytes:
        assert seen.storage_key is not None
        # The key names one stored file, of one organisation: nobody learns from the clock what others have stored.
        what = (seen.storage_key, seen.indexed_at, page, scale)
        self._failures.raise_known(what)
        async with self._slots.slot(tenant_id, seen.storage_key):
            self._failures.raise_known(what)  # of the one before in the queue
            try:
                data = await self._page(tenant_id, seen.storage_key, page, marks, scale)
            except errors.Unreadable as error:
                self._failures.remember(what, error)
                raise
        await asyncio.to_thread(_keep, self._path(tag), data)
        return data

    async def _page(self, tenant_id: UUID, storage_key: str, page: int, marks: Marks, scale: float) -> bytes:
        async with self._files.of(tenant_id).local_copy(storage_key) as path:
            return await draw_page(path, page=page, rectangles=marks, scale=scale, limits=self._limits)

    def _path(self, tag: str) -> Path:
        return self._folder / f"{tag}.png"


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _keep(path: Path, data: bytes) -> None:
    """Writes the file whole or not at all, and forgets the oldest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.{time.monotonic_ns()}")
    draft.write_bytes(data)
    draft.replace(path)
    kept = sorted(path.parent.glob("*.png"), key=_age)
    for number, one in enumerate(kept):
        if number >= _KEPT_FILES or _age(one) > _KEPT_SECONDS:
            one.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
