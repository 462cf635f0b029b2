"""The lines of a PDF page, as they are kept until the whole document has been seen."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import NamedTuple, Self

from veraz.ingest.model import TextLine

_JOINT = "\0"


class Cell(NamedTuple):
    """Which cell of a page's table a line stands in."""

    table: int
    """Which table of its page, from 1."""
    row: int
    column: int
    across: int = 1
    """Over how many columns it goes."""
    down: int = 1
    """Over how many rows it goes."""
    header: int = 0
    """1 for a cell that names its columns."""
    evidence: int = 0
    """How much speaks for its table."""


class Weight(IntEnum):
    """How much of a line is set in bold."""

    REGULAR = 0
    BEGINS_BOLD = 1
    BOLD = 2
    """All of it."""


_WEIGHTS = tuple(Weight)


class Line(NamedTuple):
    """One line of text; size and place are 0 when they are not known."""

    text: str
    size: float = 0.0
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    words: tuple[float, ...] = ()
    """The left edge of each word after the first; empty when they are not known."""
    broken: bool = False
    """Its last word goes on in the next line."""
    weight: Weight = Weight.REGULAR
    cell: Cell | None = None

    def placed(self, start: int) -> TextLine:
        """Its place on the page, as the characters of a block from `start` on."""
        return TextLine(
            start=start,
            end=start + len(self.text),
            left=self.left,
            bottom=self.bottom,
            right=self.right,
            top=self.top,
            words=self.words,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What was found on a page, packed: a document may have half a million lines, all kept until the last is read."""

    texts: str = ""
    places: "array[float]" = field(default_factory=lambda: array("f"))
    """Size, left, bottom, right and top of each line."""
    edges: "array[float]" = field(default_factory=lambda: array("f"))
    """The left edges of the words after the first of each line."""
    flags: bytes = b""
    """Bit 1 for a broken last word, bit 2 for a line whose words' edges are known, bit 4 for one in a cell, then its weight."""
    cells: "array[int]" = field(default_factory=lambda: array("i"))

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Self:
        """Lines as they are kept; clean text never holds the sign they are joined by."""
        kept = list(lines)
        return cls(
            texts=_JOINT.join(line.text for line in kept),
            places=array("f", [value for line in kept for value in line[1:6]]),
            edges=array("f", [edge for line in kept for edge in line.words]),
            flags=bytes([_flags(line) for line in kept]),
            cells=array("i", [value for line in kept if line.cell for value in line.cell]),
        )

    @property
    def lines(self) -> Iterator[Line]:
        """The lines again."""
        places, cells = _tenths(self.places), iter(self.cells)
        edges, used = _tenths(self.edges), 0
        texts = self.texts.split(_JOINT) if self.flags else []
        for at, (text, flag) in enumerate(zip(texts, self.flags, strict=True)):
            words = text.count(" ") if flag & 2 else 0
            cell = Cell(*islice(cells, 7)) if flag & 4 else None
            size, left, bottom, right, top = places[5 * at : 5 * at + 5]
            known = tuple(edges[used : used + words])
            yield Line(text, size, left, bottom, right, top, known, bool(flag & 1), _WEIGHTS[flag >> 3], cell)
            used += words

    @property
    def looks(self) -> Iterator[tuple[float, Weight, int]]:
        """The letter size, the weight and the number of characters of each line."""
        texts = self.texts.split(_JOINT) if self.flags else []
        sizes = _tenths(self.places[::5])
        return zip(sizes, [_WEIGHTS[flag >> 3] for flag in self.flags], map(len, texts), strict=True)

    @property
    def bold_texts(self) -> Iterator[str]:
        """The texts of the lines that are bold as a whole."""
        texts = self.texts.split(_JOINT) if self.flags else []
        return (text for text, flag in zip(texts, self.flags, strict=True) if flag >> 3 == Weight.BOLD)

    def edge_lines(self, rows: int) -> Iterator[tuple[int, str, float]]:
        """Number, text and bottom of the highest and the lowest lines, but for those of tables."""
        bottoms = self.places[2::5]
        heights = sorted({round(bottom) for bottom in bottoms})
        if not heights:
            return
        low, high = heights[:rows][-1], heights[-rows:][0]
        texts = self.texts.split(_JOINT)
        for at, (bottom, flag) in enumerate(zip(bottoms, self.flags, strict=True)):
            if not flag & 4 and not low < round(bottom) < high:
                yield at, texts[at], bottom

    @property
    def words(self) -> int:
        """How many words the page has."""
        return len(self.texts.replace(_JOINT, " ").split())


def _flags(line: Line) -> int:
    return line.broken | bool(line.words) << 1 | (line.cell is not None) << 2 | line.weight << 3


def _tenths(values: "array[float]") -> list[float]:
    """Rounded to one decimal; the long way only where a broken file has places that are no numbers."""
    try:
        return [round(10 * value) / 10 for value in values]
    except (OverflowError, ValueError):
        return [round(value, 1) for value in values]
