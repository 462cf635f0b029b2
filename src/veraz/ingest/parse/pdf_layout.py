"""From the lines of a PDF page to paragraphs and headings."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

_ITEM = re.compile(r"(?:[•▪◦‣●○■□–—]|[-*]|\(?[a-z0-9]{1,3}[.)])\s+\S", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;…»”\")]$")
_HEADING_WORDS = re.compile(r"[^\W\d_]{2}")
_BIGGER = 1.12
_HEADING_CHARACTERS = 160
_LEVELS = 4
_WIDE_GAP = 1.45
_JOINT = "\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of text; size and place are 0 when they are not known."""

    text: str
    size: float = 0.0
    left: float = 0.0
    bottom: float = 0.0
    broken: bool = False
    """Its last word goes on in the next line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What was found on a page, packed: a document may have half a million lines, all kept until the last is read."""

    texts: str = ""
    places: "array[float]" = field(default_factory=lambda: array("f"))
    broken: bytes = b""

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Self:
        """Lines as they are kept; clean text never holds the sign they are joined by."""
        kept = list(lines)
        places = array("f", (value for line in kept for value in (line.size, line.left, line.bottom)))
        texts = _JOINT.join(line.text for line in kept)
        return cls(texts=texts, places=places, broken=bytes(line.broken for line in kept))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines again."""
        rest = iter(self.places)
        texts = self.texts.split(_JOINT) if self.broken else []
        return tuple(
            Line(text=text, size=size, left=left, bottom=bottom, broken=bool(broken))
            for text, size, left, bottom, broken in zip(texts, rest, rest, rest, self.broken, strict=True)
        )

    @property
    def words(self) -> int:
        """How many words the page has."""
        return len(self.texts.replace(_JOINT, " ").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Lines that belong together."""

    text: str
    level: int = 0
    """Heading level; 0 for running text."""
    item: bool = False


def heading_sizes(layouts: Iterable[Layout]) -> dict[float, int]:
    """Level of each letter size that is clearly larger than that of the running text."""
    weights: Counter[float] = Counter()
    for layout in layouts:
        for line in layout.lines:
            weights[_rounded(line.size)] += len(line.text)
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


def paragraphs(layout: Layout, sizes: dict[float, int]) -> Iterator[Paragraph]:
    """Headings by size, list items by their mark, paragraphs by gaps and short last lines."""
    group: list[Line] = []
    lines = layout.lines
    usual = _usual_length(lines)
    step = _usual_step(lines)
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
    for before, line in pairwise(lines):
        # Full lines were broken by the margin; short ones (addresses, tables) on purpose.
        flows = level or len(before.text) >= 0.6 * usual
        text += ("" if before.broken else " " if flows else "\n") + line.text
    if level and (len(text) > _HEADING_CHARACTERS or not _HEADING_WORDS.search(text)):
        level = 0
    return Paragraph(text=text, level=level, item=not level and bool(_ITEM.match(text)))


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
