"""From the lines of a PDF page to paragraphs and headings."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise
from typing import NamedTuple, Self

from veraz.ingest.model import TextLine

_ITEM = re.compile(r"(?:[•▪◦‣●○■□–—]|[-*]|\(?[a-z0-9]{1,3}[.)])\s+\S", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;…»”\")]$")
_HEADING_WORDS = re.compile(r"[^\W\d_]{2}")
_BIGGER = 1.12
_HEADING_CHARACTERS = 160
_LEVELS = 4
_WIDE_GAP = 1.45
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
    """Bit 1 for a broken last word, bit 2 for a line whose words' edges are known, bit 4 for one in a cell."""
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
        places, cells = [round(place, 1) for place in self.places], iter(self.cells)
        edges, used = [round(edge, 1) for edge in self.edges], 0
        texts = self.texts.split(_JOINT) if self.flags else []
        for at, (text, flag) in enumerate(zip(texts, self.flags, strict=True)):
            words = text.count(" ") if flag & 2 else 0
            cell = Cell(*islice(cells, 7)) if flag & 4 else None
            size, left, bottom, right, top = places[5 * at : 5 * at + 5]
            yield Line(
                text, size, left, bottom, right, top, tuple(edges[used : used + words]), bool(flag & 1), cell
            )
            used += words

    @property
    def sizes(self) -> Iterator[tuple[float, int]]:
        """The letter size and the number of characters of each line."""
        texts = self.texts.split(_JOINT) if self.flags else []
        return zip([round(size, 1) for size in self.places[::5]], map(len, texts), strict=True)

    @property
    def words(self) -> int:
        """How many words the page has."""
        return len(self.texts.replace(_JOINT, " ").split())


def _flags(line: Line) -> int:
    return line.broken | bool(line.words) << 1 | (line.cell is not None) << 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Lines that belong together."""

    text: str
    level: int = 0
    """Heading level; 0 for running text."""
    item: bool = False
    lines: tuple[TextLine, ...] = ()
    """Where its lines stand, their characters counted from the start of its text."""


def heading_sizes(layouts: Iterable[Layout]) -> dict[float, int]:
    """Level of each letter size that is clearly larger than that of the running text."""
    weights: Counter[float] = Counter()
    for layout in layouts:
        for size, characters in layout.sizes:
            weights[_rounded(size)] += characters
    weights.pop(0.0, None)
    if not weights:
        return {}
    body = weights.most_common(1)[0][0]
    total = weights.total()
    larger = sorted(
        (size for size, weight in weights.items() if size > body * _BIGGER and weight < total * 0.2),
        reverse=True,
    )
    return {size: min(place, _LEVELS) for place, size in enumerate(larger, 1)}


def paragraphs(layout: Layout, sizes: dict[float, int]) -> Iterator[Paragraph | list[Line]]:
    """Headings by size, list items by their mark, paragraphs by gaps and short last lines; tables as their lines."""
    lines = list(layout.lines)
    running = [line for line in lines if line.cell is None]
    usual, step = _usual_length(running), _usual_step(running)
    for table, group in groupby(lines, key=lambda line: line.cell.table if line.cell else 0):
        if table:
            yield list(group)
        else:
            yield from _running(group, sizes, usual, step)


def running_text(lines: Sequence[Line], sizes: dict[float, int]) -> Iterator[Paragraph]:
    """Paragraphs from lines that were taken for those of a table."""
    whole = list[Line]()
    for line in lines:
        if whole and abs(whole[-1].bottom - line.bottom) < 1 and whole[-1].right < line.left:
            whole[-1] = _beside(whole[-1], line)
        else:
            whole.append(line)
    return _running(whole, sizes, _usual_length(whole), _usual_step(whole))


def _beside(line: Line, other: Line) -> Line:
    """Two pieces of a line as one."""
    known = all(len(each.words) == each.text.count(" ") for each in (line, other))
    return line._replace(
        text=f"{line.text} {other.text}",
        bottom=min(line.bottom, other.bottom),
        right=other.right,
        top=max(line.top, other.top),
        words=(*line.words, other.left, *other.words) if known else (),
        broken=other.broken,
    )


def _running(lines: Iterable[Line], sizes: dict[float, int], usual: int, step: float) -> Iterator[Paragraph]:
    group: list[Line] = []
    for line in lines:
        if group and _breaks(group[-1], line, sizes, usual, step):
            yield _together(group, sizes, usual)
            group = []
        group.append(line)
    if group:
        yield _together(group, sizes, usual)


def _breaks(before: Line, line: Line, sizes: dict[float, int], usual: int, step: float) -> bool:
    """Whether a new paragraph starts with this line."""
    if before.broken:
        return False
    if _level(before, sizes) != _level(line, sizes) or _ITEM.match(line.text):
        return True
    drop = before.bottom - line.bottom
    if step and before.bottom and line.bottom and abs(drop) > step * _WIDE_GAP:
        # A jump up or far away is the next column or page part: the sentence may go on there.
        return drop > 0 or bool(_SENTENCE_END.search(before.text))
    return len(before.text) < 0.7 * usual and bool(_SENTENCE_END.search(before.text))


def _together(lines: list[Line], sizes: dict[float, int], usual: int) -> Paragraph:
    level = _level(lines[0], sizes)
    text = lines[0].text
    placed = [lines[0].placed(0)]
    for before, line in pairwise(lines):
        # Full lines were broken by the margin; short ones (addresses, forms) on purpose.
        flows = level or len(before.text) >= 0.6 * usual
        text += "" if before.broken else " " if flows else "\n"
        placed.append(line.placed(len(text)))
        text += line.text
    if level and (len(text) > _HEADING_CHARACTERS or not _HEADING_WORDS.search(text)):
        level = 0
    known = tuple(line for line in placed if line.left < line.right and line.bottom < line.top)
    return Paragraph(text=text, level=level, item=not level and bool(_ITEM.match(text)), lines=known)


def _level(line: Line, sizes: dict[float, int]) -> int:
    return sizes.get(_rounded(line.size), 0)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _usual_length(lines: Sequence[Line]) -> int:
    """The length of a full line: three out of four are not longer."""
    lengths = sorted(len(line.text) for line in lines)
    return lengths[int(len(lengths) * 0.75)] if lengths else 0


def _usual_step(lines: Sequence[Line]) -> float:
    """The commonest distance from one line to the next."""
    bottoms = [line.bottom for line in lines if line.bottom]
    steps = [round(a - b, 0) for a, b in pairwise(bottoms) if 0 < a - b < 60]
    return Counter(steps).most_common(1)[0][0] if steps else 0.0
