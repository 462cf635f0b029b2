"""From the lines of a PDF page to paragraphs, list items and headings."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise

from veraz.ingest.model import BlockKind, TextLine
from veraz.ingest.parse.pdf_headings import HeadingStyle, bold_headings
from veraz.ingest.parse.pdf_layout import Layout, Line
from veraz.ingest.parse.pdf_spacing import Spacing, begins_item, ends_sentence

_HEADING_WORDS = re.compile(r"[^\W\d_]{2}")
_HEADING_CHARACTERS = 160
_FLOWS = 0.6
"""A line of at least this share of a full one was broken by the margin."""
_OUTDENT = 2.0
"""Points a line must stand left of a list item to be no more of it."""
_RUNNING, _HEAD = 0, -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Lines that belong together."""

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    """Of a heading."""
    lines: tuple[TextLine, ...] = ()
    """Where its lines stand, their characters counted from the start of its text."""
    size: float = 0.0
    """Of the letters of its first line."""
    broken: bool = False
    """Its last word goes on in what follows."""
    page_breaks: tuple[int, ...] = ()
    """Where in its text the next pages begin."""


def paragraphs(
    layout: Layout, style: HeadingStyle, heads: Set[int] = frozenset(), *, more: bool = False
) -> Iterator[Paragraph | list[Line]]:
    """Headings by their look, list items by their mark, paragraphs by gaps and short last lines; tables as their lines.

    `heads` are the numbers of the lines that are running heads and feet; `more` says whether other pages follow.
    """
    lines = list(layout.lines)
    groups = [(place, list(group)) for place, group in groupby(enumerate(lines), key=partial(_place, heads))]
    spacing = Spacing.of([line for place, group in groups if place == _RUNNING for _, line in group])
    rest = sum(place != _HEAD for place, _ in groups)
    for place, numbered in groups:
        group = [line for _, line in numbered]
        rest -= place != _HEAD
        if place == _HEAD:
            yield from (_together([line], spacing, kind="note") for line in group)
        elif place == _RUNNING:
            yield from _running(group, style, spacing, more=rest > 0 or more)
        else:
            yield group


def _place(heads: Set[int], numbered: tuple[int, Line]) -> int:
    """Which table a line stands in, if any."""
    at, line = numbered
    return _HEAD if at in heads else line.cell.table if line.cell else _RUNNING


def running_text(lines: Sequence[Line], style: HeadingStyle) -> Iterator[Paragraph]:
    """Paragraphs from lines that were taken for those of a table."""
    whole = list[Line]()
    for line in lines:
        if whole and abs(whole[-1].bottom - line.bottom) < 1 and whole[-1].right < line.left:
            whole[-1] = _beside(whole[-1], line)
        else:
            whole.append(line)
    return _running(whole, style, Spacing.of(whole), more=False)


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
        weight=min(line.weight, other.weight),
    )


def _running(
    lines: Sequence[Line], style: HeadingStyle, spacing: Spacing, *, more: bool
) -> Iterator[Paragraph]:
    headings = bold_headings(lines, style, spacing, more=more)
    first = 0
    for at in range(1, len(lines) + 1):
        if (
            at == len(lines)
            or headings[at - 1] != headings[at]
            or (not headings[at] and _breaks(lines[first], lines[at - 1], lines[at], style, spacing))
        ):
            yield _paragraph(lines[first:at], style, spacing, bold=headings[first] > 0)
            first = at


def _breaks(first: Line, before: Line, line: Line, style: HeadingStyle, spacing: Spacing) -> bool:
    """Whether a new paragraph starts with this line; `first` begins the one before it."""
    if before.broken:
        return False
    if style.level(before) != style.level(line) or begins_item(line.text):
        return True
    return spacing.parts(before, line) or (
        line.left < first.left - _OUTDENT
        and begins_item(first.text)
        and ends_sentence(before)
        and not line.text[0].islower()
    )


def _paragraph(lines: Sequence[Line], style: HeadingStyle, spacing: Spacing, *, bold: bool) -> Paragraph:
    level = style.level(lines[0])
    if not level and not bold:
        return _together(lines, spacing, kind="list_item" if begins_item(lines[0].text) else "paragraph")
    heading = _together(lines, spacing, kind="heading")
    if len(heading.text) > _HEADING_CHARACTERS or not _HEADING_WORDS.search(heading.text):
        return replace(heading, kind="list_item" if begins_item(heading.text) else "paragraph")
    return replace(heading, level=level or style.bold_level(heading.text))


def _together(lines: Sequence[Line], spacing: Spacing, *, kind: BlockKind) -> Paragraph:
    text = lines[0].text
    placed = [lines[0].placed(0)]
    for before, line in pairwise(lines):
        # Full lines were broken by the margin; short ones (addresses, forms) on purpose.
        flows = kind == "heading" or len(before.text) >= _FLOWS * spacing.length
        text += "" if before.broken else " " if flows else "\n"
        placed.append(line.placed(len(text)))
        text += line.text
    known = tuple([line for line in placed if line.left < line.right and line.bottom < line.top])
    return Paragraph(text=text, kind=kind, lines=known, size=lines[0].size, broken=lines[-1].broken)
