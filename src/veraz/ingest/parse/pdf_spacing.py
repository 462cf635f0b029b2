"""How the lines of a PDF page follow each other: how long they are, how far apart, how they begin and end."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

from veraz.ingest.parse.pdf_layout import Line

_ITEM = re.compile(
    r"(?:[•▪◦‣●○■□–—]|[-*]|\(?(?:\d{1,3}|[a-zñ]|[ivx]{2,5})[.)]|\d{1,3}\.?[ºª°]\.?\)?)\s+\S", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?:;…»”\")]$")
_WIDE_GAP, _GAP = 1.45, 1.2
"""Steps from one line to the next that part them: always, and after the end of a sentence."""
_BACK_UP = 0.7
"""Steps up the page that are no accent or raised number but the next column."""
_SHORT = 0.7
"""A line that is shorter than this share of a full one was ended on purpose."""
_FARTHEST_STEP = 60


class Spacing(NamedTuple):
    """What is usual on a page; 0 when it is not known."""

    length: int
    """Characters of a full line: three out of four are not longer."""
    step: float
    """The commonest distance from one line to the next."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Self:
        """The spacing of some lines."""
        lengths = sorted([len(line.text) for line in lines])
        bottoms = [line.bottom for line in lines if line.bottom]
        steps = [round(a - b) for a, b in pairwise(bottoms) if 0 < a - b < _FARTHEST_STEP]
        return cls(
            lengths[int(len(lengths) * 0.75)] if lengths else 0,
            Counter(steps).most_common(1)[0][0] if steps else 0.0,
        )

    def is_short(self, line: Line) -> bool:
        """Whether a line ends clearly before the margin."""
        return len(line.text) < _SHORT * self.length

    def parts(self, before: Line, line: Line) -> bool:
        """Whether the place of a line, and how the one before it ends, say that a new paragraph begins."""
        ended = ends_sentence(before)
        drop = before.bottom - line.bottom
        if self.step and before.bottom and line.bottom:
            if drop > self.step * _WIDE_GAP or drop < -self.step * _BACK_UP:
                # A jump up or far away is the next column or page part: the sentence may go on there.
                return drop > 0 or ended
            if drop > self.step * _GAP and ended and not line.text[0].islower():
                return True
        return ended and self.is_short(before)

    def gap_above(self, before: Line, line: Line) -> bool:
        """Whether there is more white between two lines than is usual, or they stand apart."""
        return not 0 <= before.bottom - line.bottom <= self.step * _GAP


def begins_item(text: str) -> bool:
    """Whether a line begins with the mark of a list item."""
    return bool(_ITEM.match(text))


def ends_sentence(line: Line) -> bool:
    """Whether a line ends with a mark that may end a sentence."""
    return ends_sentence_text(line.text)


def ends_sentence_text(text: str) -> bool:
    """Whether a text ends with a mark that may end a sentence."""
    return bool(_SENTENCE_END.search(text))
