"""Where a stretch of a document's text stands on its page: the rectangles people see marked."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from veraz.text.blocks import TextLine

Rectangle = tuple[float, float, float, float]
"""Left, bottom, right and top in PDF points from the lower left corner of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPage:
    """A page that words stand on, and where on it."""

    page_number: int
    rectangles: tuple[Rectangle, ...] = ()
    """One per line; none where the lines of the page are not known."""


_WORD_GAP = 0.1
"""What is left free before the next word, as a share of the line's height."""


def rectangles(lines: Sequence[TextLine], text: str, start: int, end: int) -> list[Rectangle]:
    """One rectangle per line that `text[start:end]` touches, its first and last line cut at whole words.

    `lines` are those of the document in the order of its text; they say where, not on which page.
    """
    start, end = _without_blanks(text, start, end)
    found = list[Rectangle]()
    if start >= end:
        return found
    for line in lines[bisect_right(lines, start, key=lambda line: line.end) :]:
        if line.start >= end:
            break
        found.append(_cut(line, text, max(start, line.start), min(end, line.end)))
    return found


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    stretch = text[start:end]
    return end - len(stretch.lstrip()), start + len(stretch.rstrip())


def _cut(line: TextLine, text: str, start: int, end: int) -> Rectangle:
    """The words of a line from `start` to `end`; all of them where their edges are not known."""
    whole = (line.left, line.bottom, line.right, line.top)
    if len(text[line.start : line.end].split()) != len(line.words) + 1:
        return whole
    edges = (line.left, *line.words)
    first = _words_before(text, line.start, start)
    after = _words_before(text, line.start, end) + 1
    left = edges[first]
    gap = _WORD_GAP * (line.top - line.bottom)
    right = edges[after] - gap if after < len(edges) else line.right
    return (left, line.bottom, right, line.top) if left < right else whole


def _words_before(text: str, start: int, at: int) -> int:
    """How many words of the line that begins at `start` have ended before the letter at `at`."""
    before = text[start:at]
    return len(before.split()) - (1 if before and not before[-1].isspace() else 0)


def union(parts: Sequence[Rectangle]) -> Rectangle | None:
    """The smallest rectangle around all of them; None around nothing."""
    if not parts:
        return None
    return (
        min(left for left, _, _, _ in parts),
        min(bottom for _, bottom, _, _ in parts),
        max(right for _, _, right, _ in parts),
        max(top for _, _, _, top in parts),
    )
