"""Running heads and feet of a PDF: lines that come back at the same height of page after page."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from veraz.ingest.parse.articles import division_of
from veraz.ingest.parse.pdf_layout import Layout

_DIGITS = re.compile(r"\d+")
_ROWS = 3
"""How many lines from the top or the bottom of a page they stand."""
_CHARACTERS = 200
_SHARE = 0.4
"""On how many of the pages one must come back."""
_SAME_HEIGHT = 3.0


class _Place(NamedTuple):
    height: float
    page: int
    line: int


def running_heads(layouts: Sequence[Layout]) -> list[Set[int]]:
    """Which lines of each page are running heads or feet, whatever page number they show."""
    found: list[set[int]] = [set() for _ in layouts]
    pages = sum(bool(layout.flags) for layout in layouts)
    at_least = max(2, round(_SHARE * pages))
    alike: dict[str, list[_Place]] = {}
    for page, layout in enumerate(layouts if pages > 1 else ()):
        for line, text, height in layout.edge_lines(_ROWS):
            if len(text) <= _CHARACTERS:
                alike.setdefault(_wording(text), []).append(_Place(height, page, line))
    for places in alike.values():
        for same in _at_same_height(sorted(places)) if len(places) >= at_least else ():
            if len({place.page for place in same}) >= at_least:
                for place in same:
                    found[place.page].add(place.line)
    return list(found)


def _wording(text: str) -> str:
    """A line without its page number; the number of a chapter or article is part of its name."""
    return text if division_of(text) else _DIGITS.sub("#", text)


def _at_same_height(places: Sequence[_Place]) -> Iterator[Sequence[_Place]]:
    """Places in groups with no step between them."""
    steps = [at for at, (a, b) in enumerate(pairwise(places), 1) if b.height - a.height > _SAME_HEIGHT]
    for start, end in pairwise((0, *steps, len(places))):
        yield places[start:end]
