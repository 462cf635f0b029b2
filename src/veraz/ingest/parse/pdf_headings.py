"""How the headings of a PDF stand out from its running text: by larger letters, or by bold ones."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

from veraz.ingest.parse.articles import division_of
from veraz.ingest.parse.headings import candidate_of, may_be_bold_heading, numbered_rank
from veraz.ingest.parse.pdf_layout import Layout, Line, Weight
from veraz.ingest.parse.pdf_spacing import Spacing, begins_item, ends_sentence

_BIGGER = 1.12
_LARGE_SHARE = 0.2
_BOLD_SHARE = 0.3
"""Where more of the text than this is bold, bold is no sign of a heading."""
_LEVELS = 4
_PLAIN_RANK = 12
"""Bold headings without a number stand below those with one."""
_BEGINNING = re.compile(r"[¿¡«\"“(]?(?:\d|[^\W\d_a-zß-öø-ÿ])")
_LABEL = re.compile(r":\s")
_CAPTION = re.compile(r"(?:tabla|cuadro|figura|gr[áa]fico|imagen|table|figure)\s+\d", re.IGNORECASE)
_STOPPED_WORDS, _SEVERAL = 8, 2
"""How long a heading with a full stop is at most, and how many of them it takes to be one."""
_INNER_MARK = re.compile(r"[.,;:!?…]")
_NEARER = 1.1
_BESIDE = 0.3
"""Lines nearer to each other than this share of their size stand side by side."""
_FARTHEST = 3.5
"""Steps from a heading to what it stands above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingStyle:
    """Which looks make a heading in one document."""

    sizes: dict[float, int]
    """Level of each letter size that is clearly larger than that of the running text."""
    bold: bool
    """Whether a bold line may be a heading."""
    stopped: bool = False
    """Whether one that ends with a full stop may be: a single one is a sentence that somebody stressed."""

    @classmethod
    def of(cls, layouts: Sequence[Layout]) -> Self:
        """The style of a document's pages."""
        weights: Counter[float] = Counter()
        bold = 0
        for layout in layouts:
            for size, weight, characters in layout.looks:
                weights[_rounded(size)] += characters
                bold += characters if weight is Weight.BOLD else 0
        total = weights.total()
        weights.pop(0.0, None)
        may_be_bold = 0 < bold < _BOLD_SHARE * total
        return cls(
            sizes=_larger(weights), bold=may_be_bold, stopped=may_be_bold and _several_stopped(layouts)
        )

    def level(self, line: Line) -> int:
        """The heading level of a line by the size of its letters; 0 for running text."""
        return self.sizes.get(_rounded(line.size), 0)

    def bold_level(self, text: str) -> int:
        """The level of a bold heading: below those of larger letters, and by its number among its like."""
        division = division_of(text)
        candidate = candidate_of(text)
        rank = division.rank if division else numbered_rank(text) or (candidate.rank if candidate else None)
        return max(self.sizes.values(), default=0) + 1 + (_PLAIN_RANK if rank is None else rank)


def _larger(weights: Counter[float]) -> dict[float, int]:
    if not weights:
        return {}
    body = weights.most_common(1)[0][0]
    most = weights.total() * _LARGE_SHARE
    larger = [size for size, weight in weights.items() if size > body * _BIGGER and weight < most]
    return {size: min(place, _LEVELS) for place, size in enumerate(sorted(larger, reverse=True), 1)}


def _several_stopped(layouts: Iterable[Layout]) -> bool:
    stopped = filter(_is_stopped, (text for layout in layouts for text in layout.bold_texts))
    return len(list(islice(stopped, _SEVERAL))) == _SEVERAL


def _is_stopped(text: str) -> bool:
    """Whether it is a few words with a full stop after them, and nothing else a sentence has."""
    words = text.removesuffix(".")
    return (
        words != text
        and len(words.split()) <= _STOPPED_WORDS
        and not _INNER_MARK.search(words)
        and _reads_as_heading(words)
    )


def bold_headings(lines: Sequence[Line], style: HeadingStyle, spacing: Spacing, *, more: bool) -> list[int]:
    """For each line the number of the bold heading it belongs to, from 1; 0 for all others.

    `more` says whether anything follows the last line that it may be the heading of.
    """
    found = [0] * len(lines)
    if not style.bold or not any(line.weight is Weight.BOLD for line in lines):
        return found
    end, number, below = len(lines), 0, more
    while end > 0:
        start = _start_of_run(lines, end, style, spacing)
        run = lines[start:end]
        if run[0].weight is not Weight.BOLD or style.level(run[0]):
            below = True
        else:
            below = below and _is_heading(lines, start, end, style, spacing)
            number += below
            found[start:end] = [number if below else 0] * len(run)
        end = start
    return found


def _start_of_run(lines: Sequence[Line], end: int, style: HeadingStyle, spacing: Spacing) -> int:
    """Where the bold lines that end there begin; any other line stands alone."""
    start = end - 1
    while start > 0 and lines[start].weight is Weight.BOLD and not style.level(lines[start]):
        before, line = lines[start - 1], lines[start]
        apart = spacing.gap_above(before, line) or _beside(before, line) or _is_numbered(line.text)
        if before.weight is not Weight.BOLD or style.level(before) or apart:
            break
        start -= 1
    return start


def _is_heading(lines: Sequence[Line], start: int, end: int, style: HeadingStyle, spacing: Spacing) -> bool:
    text = " ".join(line.text for line in lines[start:end])
    if not _reads_as_heading(text) and not (
        style.stopped and _is_stopped(text) and _belongs_below(lines, start, end)
    ):
        return False
    if start and not _begins_anew(lines[start - 1], lines[start], spacing):
        return False
    return end == len(lines) or _stands_above(lines[end - 1], lines[end], spacing)


def _belongs_below(lines: Sequence[Line], start: int, end: int) -> bool:
    """Whether lines stand nearer to what follows them than to what comes before: a stressed sentence stands in between."""
    if start == 0 or end == len(lines):
        return True
    above = lines[start - 1].bottom - lines[start].bottom
    return not 0 <= above < _NEARER * (lines[end - 1].bottom - lines[end].bottom)


def _reads_as_heading(text: str) -> bool:
    if _is_numbered(text) and may_be_bold_heading(text.rstrip(".")):
        return True
    return (
        may_be_bold_heading(text)
        and bool(_BEGINNING.match(text))
        and not begins_item(text)
        and not _LABEL.search(text)
        and not _CAPTION.match(text)
    )


def _is_numbered(text: str) -> bool:
    """An article or a section by its number, with nothing but its title."""
    division = division_of(text)
    if division:
        return division.heading_end >= len(text)
    return bool(numbered_rank(text)) and candidate_of(text) is not None


def _begins_anew(before: Line, line: Line, spacing: Spacing) -> bool:
    """Whether the text above has come to its end: bold words may fill a line of running text."""
    if before.broken or _beside(before, line):
        return False
    if before.weight is Weight.BOLD or ends_sentence(before) or spacing.is_short(before):
        return True
    return spacing.gap_above(before, line)


def _stands_above(line: Line, below: Line, spacing: Spacing) -> bool:
    """Whether a line is followed by another right below it, which does not only explain it."""
    if line.broken or _beside(line, below) or below.text.startswith("("):
        return False
    if (
        below.weight is Weight.BEGINS_BOLD
        and not spacing.is_short(line)
        and not spacing.gap_above(line, below)
    ):
        return False  # bold words that go on in the next line
    drop = line.bottom - below.bottom
    return 0 < drop < _FARTHEST * max(spacing.step, line.size)


def _beside(one: Line, other: Line) -> bool:
    return abs(one.bottom - other.bottom) < _BESIDE * max(one.size, other.size)


def _rounded(size: float) -> float:
    return round(size * 2) / 2
