"""Running text set in columns whose lines a file holds row by row: each column is read to its end."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from veraz.ingest.parse.pdf_columns import White, common_white, inner_white, white_of
from veraz.ingest.parse.pdf_rows import by_columns
from veraz.ingest.parse.pdf_shape import Segment, VisualRow, most_alike
from veraz.ingest.parse.pdf_table import Token, share

_ROWS_MIN, _WORDS_MIN = 2, 3
_GUTTER = 1.0
"""The narrowest white between two columns of text, in letter sizes."""
_FARTHEST = 3.0
"""Rows with more white between them than this many times their height do not belong together."""
_CLOSE = 1.3
"""A line alone below the columns goes on with one of them up to this many times the usual step."""
_FLOWING, _ALIGNED = 0.4, 0.6
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "…")

Column = list[list[Token]]
"""Its lines."""


def find_text_columns(rows: Sequence[VisualRow]) -> list[list[Column]]:
    """The stretches of a page where running text stands in columns that the file does not keep together."""
    found = list[list[Column]]()
    for stretch, rivers in _stretches(rows):
        borders = [(left + right) / 2 for left, right in rivers]
        lines = [by_columns(row.tokens, borders) for row in stretch]
        columns = [[line[at] for line in lines if at in line] for at in range(len(borders) + 1)]
        if all(map(_flows, columns)) and _is_mixed(columns):
            found.append(columns)
    return found


def _stretches(rows: Sequence[VisualRow]) -> Iterator[tuple[Sequence[VisualRow], list[White]]]:
    """Rows one below the other with the same white between their columns."""
    first = 0
    while first < len(rows):
        rivers = _gutters(white_of(rows[first].segments), rows[first])
        last = first
        while rivers and last + 1 < len(rows):
            row = rows[last + 1]
            common = _gutters(common_white(rivers, white_of(row.segments), row), row)
            far = rows[last].bottom - row.top > _FARTHEST * (row.top - row.bottom)
            if far or len(common) < len(rivers):
                break
            rivers, last = common, last + 1
        stretch = _trimmed(rows[first : last + 1]) if rivers else []
        if len(stretch) >= _ROWS_MIN:
            yield stretch, rivers
        first += max(1, len(stretch))


def _gutters(rivers: Sequence[White], row: VisualRow) -> list[White]:
    narrowest = _GUTTER * row.tokens[0].size
    return [(left, right) for left, right in inner_white(rivers) if right - left >= narrowest]


def _trimmed(rows: Sequence[VisualRow]) -> Sequence[VisualRow]:
    """Without the lines below that begin something new."""
    last = max(at for at, row in enumerate(rows) if len(row.segments) > 1)
    steps = sorted(above.bottom - below.bottom for above, below in pairwise(rows[: last + 1]))
    usual = steps[len(steps) // 2] if steps else 0.0
    while last + 1 < len(rows) and rows[last].bottom - rows[last + 1].bottom <= _CLOSE * usual:
        last += 1
    return rows[: last + 1]


def _flows(column: Column) -> bool:
    """Whether lines are those of running text: long, below each other, and many go on with the sentence above."""
    full = column[:-1]
    if len(column) < _ROWS_MIN or sum(map(len, full)) < _WORDS_MIN * len(full):
        return False
    goes_on = [_goes_on(above, line) for above, line in pairwise(column)]
    return share(goes_on) >= _FLOWING and most_alike([line[0].left for line in column]) >= _ALIGNED


def _goes_on(above: Segment, line: Segment) -> bool:
    return line[0].text[0].islower() and not above[-1].text.endswith(_SENTENCE_ENDS)


def _is_mixed(columns: Sequence[Column]) -> bool:
    """Whether the file goes back and forth between the columns."""
    places = sorted(
        (token.line, token.at, at) for at, column in enumerate(columns) for line in column for token in line
    )
    changes = sum(one[2] != other[2] for one, other in pairwise(places))
    return changes >= max(len(columns), min(map(len, columns)))
