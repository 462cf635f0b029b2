"""The rows of a table without lines between them: which lines of text belong to one row."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from veraz.ingest.parse.pdf_table import Table, Token, is_figure, share, text_of, visual_lines

_BANDS_MAX = 8
"""Ruled rows up to which a table may have rows without lines between them."""
_LINES_MIN = 3
_CLOSER = 0.93
"""Lines of one cell are closer together than rows: at most this share of the distance."""
_FIGURES = 0.6
_FARTHEST = 1.75
"""Lines farther apart than this many times their height do not belong to one cell."""

Columns = dict[int, list[Token]]
"""The words of a line by the column they stand in."""


def by_columns(line: Sequence[Token], borders: Sequence[float]) -> Columns:
    """A line's words by column; `borders` are where the columns after the first begin."""
    found: Columns = defaultdict(list)
    for token in line:
        found[bisect_right(borders, (token.left + token.right) / 2)].append(token)
    return found


def figure_columns(lines: Sequence[Columns], count: int) -> set[int]:
    """The columns that mostly hold prices, amounts or dates."""
    found = set[int]()
    for column in range(count):
        figures = [is_figure(text_of(line[column])) for line in lines if column in line]
        if len(figures) > 1 and share(figures) >= _FIGURES:
            found.add(column)
    return found


def group_lines(lines: Sequence[Columns], columns: int, *, edges: Sequence[float] = ()) -> list[list[int]]:
    """Which lines make a row; `edges` are the heights of the lines drawn between them."""
    if not lines:
        return []
    middles = [_middle(line) for line in lines]
    ruled = _ruled(lines, middles, edges)
    if ruled:
        return ruled
    anchors = figure_columns(lines, columns)
    full = [bool(anchors & line.keys()) if anchors else len(line) * 2 > columns for line in lines]
    steps = [above - below for above, below in pairwise(middles)]
    usual = _row_step(steps, full)
    tight = any(step < usual * _CLOSER for step in steps)
    groups = [[0]]
    for at, step in enumerate(steps, 1):
        both = bool(anchors) and full[at - 1] and full[at]
        goes_on = (
            step < usual * _CLOSER if tight else not full[at] and _goes_on(lines[at - 1], lines[at], step)
        )
        if goes_on and not both:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def split_rows(table: Table, borders: Sequence[float]) -> Table:
    """A table with lines between its columns only, one row per line of its figures."""
    bands: dict[int, Columns] = defaultdict(dict)
    for (row, column), words in table.cells.items():
        bands[row][column] = words
    if len(bands) > _BANDS_MAX:
        return table
    rows = list[tuple[int, Columns]]()
    for row, band in sorted(bands.items()):
        merged = any((row, column) in table.spans for column in band)
        rows += (
            [(row, band)]
            if merged or not _holds_rows(band)
            else [(-1, part) for part in _split(band, borders)]
        )
    if len(rows) == len(bands):
        return table
    cells = {(at, column): words for at, (_, row) in enumerate(rows) for column, words in row.items()}
    kept = {old: at for at, (old, _) in enumerate(rows) if old >= 0}
    spans = {(kept[row], column): span for (row, column), span in table.spans.items() if row in kept}
    return Table(cells, spans)


def _split(band: Columns, borders: Sequence[float]) -> list[Columns]:
    words = visual_lines(token for column in band.values() for token in column)
    lines = [by_columns(line, borders[1:-1]) for line in words]
    return [_collected(lines, group) for group in group_lines(lines, len(borders) - 1)]


def _holds_rows(band: Columns) -> bool:
    """Whether what looks like one row is several: figures below each other, or lines in every column."""
    lines = [visual_lines(words) for words in band.values()]
    if any(len(cell) >= _LINES_MIN and all(is_figure(text_of(line)) for line in cell) for cell in lines):
        return True
    return len(lines) > 1 and min(map(len, lines)) >= _LINES_MIN


def _middle(line: Columns) -> float:
    words = [token for column in line.values() for token in column]
    return sum(token.middle for token in words) / len(words)


def _ruled(lines: Sequence[Columns], middles: list[float], edges: Sequence[float]) -> list[list[int]]:
    """Lines between the same two drawn ones, where nearly every row is ruled off from the next."""
    bands: dict[int, list[int]] = defaultdict(list)
    drawn = sorted(edges)
    for at, middle in enumerate(middles):
        bands[bisect_right(drawn, middle)].append(at)
    inner = list(bands.values())
    if len(inner) < _LINES_MIN:
        return []
    steps = [above - below for above, below in pairwise(middles)]
    within = [steps[at - 1] for band in inner for at in band[1:]]
    between = [steps[band[0] - 1] for band in inner[1:]]
    return inner if max(within, default=0.0) < _CLOSER * min(between) else []


def _collected(lines: Sequence[Columns], band: list[int]) -> Columns:
    found: Columns = defaultdict(list)
    for at in band:
        for column, words in lines[at].items():
            found[column] += words
    return found


def row_step(lines: Sequence[Columns], anchors: set[int]) -> float:
    """The distance between rows that have words in the anchor columns; 0 when not known."""
    middles = [_middle(line) for line in lines]
    steps = [above - below for above, below in pairwise(middles)]
    return _row_step(steps, [bool(anchors & line.keys()) for line in lines])


def _row_step(steps: list[float], full: list[bool]) -> float:
    """The distance between rows: the smallest between two lines that both begin one, else the largest there is."""
    between = sorted(step for step, (one, other) in zip(steps, pairwise(full), strict=True) if one and other)
    if between:
        return between[len(between) // 5]
    return sorted(steps)[len(steps) * 9 // 10] if steps else 0.0


def _goes_on(above: Columns, line: Columns, step: float) -> bool:
    """Whether a line goes on with cells of the line above, where rows stand as close together as lines."""
    height = max(token.height for column in line.values() for token in column)
    return 0 not in line and line.keys() <= above.keys() and step <= _FARTHEST * height
