"""Pages whose picture would show what was forgotten of a document: the file still says it, so they are read as text alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from veraz.text.blocks import Block, page_spans, unpack_blocks

_BARS: Final = re.compile(r"█(?:[█\s]*█)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenPages:
    """The pages of a document that are not drawn."""

    pages: frozenset[int] = frozenset()
    every: bool = False
    """Where it is not known on which pages the forgotten words stood."""

    def __contains__(self, page: int) -> bool:
        return self.every or page in self.pages

    def up_to(self, count: int | None) -> tuple[int, ...]:
        """Their numbers, of a document of so many pages."""
        return tuple(range(1, (count or 1) + 1)) if self.every else tuple(sorted(self.pages))


def forgotten_pages(segments: Iterable[dict[str, Any]]) -> ForgottenPages:
    """The pages on which a document's stored text has bars; all of them where one cannot be told."""
    found: set[int] = set()
    for segment in segments:
        if segment["text"] is None:
            return ForgottenPages(every=True)
        blocks = unpack_blocks(segment["blocks"])
        for bars in _BARS.finditer(segment["text"]):
            start, end = (segment["start_char"] + at for at in bars.span())
            pages = {page for page, _, _ in page_spans(_between(blocks, start, end), start, end)}
            if not pages:
                return ForgottenPages(every=True)
            found |= pages
    return ForgottenPages(pages=frozenset(found))


def _between(blocks: Iterable[Block], start: int, end: int) -> list[Block]:
    return [block for block in blocks if block.start < end and block.end > start]
