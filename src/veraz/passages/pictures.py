"""Pages drawn with their marks. What was drawn is kept for a while.

Who asks for a picture that is being drawn gets that one. A page that could not be drawn is not tried again for some minutes.
"""

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import draw_page
from veraz.passages.drawing_slots import DrawingSlots
from veraz.passages.failures import Failures
from veraz.passages.model import SeenDocument
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.settings import Settings
from veraz.text.rectangles import Rectangle

_SECONDS: Final = 20.0
_OUTPUT_MB: Final = 24

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
        self._kept = PagePictures(settings.home)
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
        data = await self._kept.read(seen.storage_key, tag)
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
        await self._kept.keep(seen.storage_key, tag, data)
        if not await self._files.of(tenant_id).exists(seen.storage_key):  # forgotten while it was drawn
            await self._kept.forget(seen.storage_key)
        return data

    async def _page(self, tenant_id: UUID, storage_key: str, page: int, marks: Marks, scale: float) -> bytes:
        async with self._files.of(tenant_id).local_copy(storage_key) as path:
            return await draw_page(path, page=page, rectangles=marks, scale=scale, limits=self._limits)
