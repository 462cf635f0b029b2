"""What a table on a PDF page is made of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from operator import attrgetter
from typing import NamedTuple

_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")
_NOTHING = re.compile(r"[-–—.*/ ]+|[xX✓✔✗✘•●]|[nN][./]?[aAdD]\.?|[sS][íi]|[nN]o")
_AT = attrgetter("at")
_FROM_LEFT = attrgetter("left", "line", "at")
_SEPARATE = 0.4
"""Boxes whose middles are farther apart than this share of their height stand in different lines."""


class Token(NamedTuple):
    """A word as its page is seen: where it stands, and which word of which line it is."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    line: int
    at: int
    size: float

    @property
    def middle(self) -> float:
        """Half its height up."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """From its bottom to its top."""
        return self.top - self.bottom


class Evidence(IntEnum):
    """How much speaks for a table and its header."""

    LOOSE = 1
    """It is one only if it goes on with that of the page before."""
    GUESSED = 2
    """Its first row may be one like the others."""
    SURE = 3


class Table(NamedTuple):
    """Words by row and column, from the top left; the first `headers` rows name the columns."""

    cells: dict[tuple[int, int], list[Token]]
    spans: dict[tuple[int, int], tuple[int, int]]
    """Columns and rows a cell goes over, where that is more than one."""
    headers: int = 0
    evidence: Evidence = Evidence.SURE

    def tokens(self) -> Iterator[Token]:
        """All its words."""
        for cell in self.cells.values():
            yield from cell


def visual_lines(tokens: Iterable[Token]) -> list[list[Token]]:
    """Words on the same height, from the top, each line from the left."""
    lines = list[list[Token]]()
    middle = height = 0.0
    for token in sorted(tokens, key=lambda token: token.bottom + token.top, reverse=True):
        bottom, top = token.bottom, token.top
        if lines and middle - (bottom + top) / 2 < _SEPARATE * min(top - bottom, height):
            lines[-1].append(token)
        else:
            lines.append([token])
            middle, height = (bottom + top) / 2, top - bottom
    for line in lines:
        line.sort(key=_FROM_LEFT)
    return lines


def text_of(tokens: Iterable[Token]) -> str:
    """Words as they are read."""
    words = list(tokens)
    if len(words) == 1:
        return words[0].text
    if len({token.line for token in words}) < 2:
        return " ".join([token.text for token in sorted(words, key=_AT)])
    return " ".join(token.text for line in visual_lines(words) for token in line)


def is_figure(text: str) -> bool:
    """A price, an amount, a share, a date, or the sign that there is none."""
    if not _DIGIT.search(text):
        return bool(_NOTHING.fullmatch(text))
    return len(text) <= 24 and len(_LETTERS.findall(text)) <= 8


def share(values: Sequence[bool]) -> float:
    """How many of them hold, from 0 to 1."""
    return sum(values) / len(values) if values else 0.0
