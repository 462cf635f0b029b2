"""Pages drawn with their marks. What was drawn is kept for a while: never much, never long."""

import asyncio
import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from veraz import errors
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import draw_page
from veraz.passages.model import QuoteView, SeenDocument
from veraz.providers.files.base import FileStore
from veraz.settings import Settings

_AT_ONCE: Final = 2
_SECONDS: Final = 20.0
_OUTPUT_MB: Final = 24
_KEPT_FILES: Final = 400
_KEPT_SECONDS: Final = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A page as a PNG; pictures with the same tag are the same."""

    data: bytes
    tag: str


class Pictures:
    """Draws pages in a process of their own."""

    def __init__(self, files: FileStore, settings: Settings) -> None:
        self._files = files
        self._limits = replace(ParseLimits.of(settings), seconds=_SECONDS, output_mb=_OUTPUT_MB)
        self._folder = settings.home / "cache" / "pages"
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def tag(self, seen: SeenDocument, quote: QuoteView, scale: float) -> str:
        """What the picture will be, before it is drawn."""
        parts = (seen.storage_key, seen.indexed_at, quote.page_number, quote.rectangles, scale)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    async def draw(self, seen: SeenDocument, quote: QuoteView, scale: float) -> Picture:
        """The page of the quotation with the quotation marked."""
        if quote.view != "page" or quote.page_number is None or seen.storage_key is None:
            raise errors.NotFound(thing="page", id=seen.document_id)
        tag = self.tag(seen, quote, scale)
        path = self._folder / f"{tag}.png"
        data = await asyncio.to_thread(_read, path)
        if data is None:
            data = await self._drawn(seen.storage_key, quote.page_number, quote.rectangles, scale)
            await asyncio.to_thread(_keep, path, data)
        return Picture(data=data, tag=tag)

    async def _drawn(
        self, storage_key: str, page: int, rectangles: Sequence[Sequence[float]], scale: float
    ) -> bytes:
        async with self._turns, self._files.local_copy(storage_key) as path:
            return await draw_page(path, page=page, rectangles=rectangles, scale=scale, limits=self._limits)


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
