"""Lines that stand at the edge of page after page: they belong to the pages, not to the text that flows across them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from veraz.ingest.model import Block

_DIGITS = re.compile(r"\d+")
_CHARACTERS = 200
_EDGE_BLOCKS = 2
_SHARE = 0.4
"""On how many of the pages a line must come back."""
_WORDS_MIN = 3
"""Words of a line that is recognised when other text has been joined to it."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """The repeated lines of a document."""

    blocks: frozenset[int] = frozenset()
    """The blocks that are nothing else, by their number."""
    edges: frozenset[int] = frozenset()
    """The blocks at the edges of pages that may begin with such a line."""
    beginning: re.Pattern[str] | None = None

    def end_in(self, number: int, words: str) -> int:
        """Where the repeated line a block begins with ends; 0 when it begins with none."""
        if number in self.blocks:
            return len(words)
        found = self.beginning.match(words) if self.beginning and number in self.edges else None
        return found.end() if found else 0


def furniture_of(text: str, blocks: Sequence[Block]) -> Furniture:
    """The head and foot lines that come back on most pages, whatever page number they show."""
    pages: dict[int, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.page is not None:
            pages.setdefault(block.page, []).append(number)
    if len(pages) < 2:
        return Furniture()
    edges = frozenset(
        number
        for numbers in pages.values()
        for number in (*numbers[:_EDGE_BLOCKS], *numbers[-_EDGE_BLOCKS:])
        if blocks[number].kind == "paragraph"
    )
    alike: dict[str, set[int]] = {}
    for number in edges:
        if blocks[number].end - blocks[number].start <= _CHARACTERS:
            line = _DIGITS.sub("#", text[blocks[number].start : blocks[number].end])
            alike.setdefault(line, set()).add(number)
    at_least = max(2, round(_SHARE * len(pages)))
    repeated = {line: found for line, found in alike.items() if _pages(blocks, found) >= at_least}
    return Furniture(frozenset().union(*repeated.values()), edges, _beginning(repeated))


def _pages(blocks: Sequence[Block], numbers: set[int]) -> int:
    return len({blocks[number].page for number in numbers})


def _beginning(lines: Iterable[str]) -> re.Pattern[str] | None:
    long = [line for line in lines if len(line.split()) >= _WORDS_MIN]
    if not long:
        return None
    return re.compile("(?:" + "|".join(re.escape(line).replace(r"\#", r"\d+") for line in long) + r")(?=\s)")
