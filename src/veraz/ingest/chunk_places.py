"""What a chunk knows of its pages: the first and the last, and the box it fills on the first. Kept in its metadata."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from veraz.ingest.chunk import Chunk
from veraz.ingest.model import Block, Parsed, TextLine
from veraz.text.blocks import first_page_end
from veraz.text.rectangles import rectangles, union

S = TypeVar("S", bound="Block | TextLine")

ON_PAGE = "on_page"
"""The key in a chunk's metadata; a chunk without it was stored before places were."""


def with_places(parsed: Parsed, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, those on pages with the pages they stand on."""
    if not any(block.page for block in parsed.blocks):
        return list(chunks)
    blocks, lines = _Within(parsed.blocks), _Within(parsed.lines)
    placed: list[Chunk] = []
    for chunk in chunks:
        own = blocks.between(chunk.start, chunk.end)
        if chunk.page is None or not own:
            placed.append(chunk)
            continue
        pages = [block.page_at(at) for block in own for at in _ends(block, chunk)]
        numbers = [page for page in pages if page is not None]
        end = first_page_end(own, chunk.start)
        near = lines.between(chunk.start, chunk.end)
        box = union(rectangles(near, parsed.text, chunk.start, min(chunk.end, end)))
        place: dict[str, Any] = {"pages": [min(numbers), max(numbers)]} if numbers else {}
        if box:
            place["bbox"] = [round(edge, 1) for edge in box]
        placed.append(replace(chunk, metadata=chunk.metadata | {ON_PAGE: place}))
    return placed


def _ends(block: Block, chunk: Chunk) -> tuple[int, int]:
    """The first and the last character of a block that a chunk has."""
    return max(block.start, chunk.start), min(block.end, chunk.end) - 1


class _Within(Generic[S]):
    """Finds what has characters between two places of the text."""

    def __init__(self, items: Sequence[S]) -> None:
        self._items = items
        self._starts = [item.start for item in items]
        self._ends = [item.end for item in items]

    def between(self, start: int, end: int) -> Sequence[S]:
        return self._items[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
