"""Ruled tables: the lines drawn on a page make a grid, the words fall into its cells."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from veraz.ingest.parse.pdf_headers import with_headers
from veraz.ingest.parse.pdf_rows import split_rows
from veraz.ingest.parse.pdf_rules import Rule, Rules
from veraz.ingest.parse.pdf_table import Table, Token, visual_lines

_NEAR = 3.0
"""Points by which lines may miss each other and still meet."""
_NARROWEST = 4.0
"""Lines nearer to each other than this, in points, rule no row or column of their own."""
_OUTSIDE = 8.0
_CROSSINGS_MAX = 200_000
_CELLS_MAX = 10_000
_HEADER_ROWS, _BELOW, _FAR_BELOW = 3, 1.6, 6.0
_FILLED = 0.3
"""The share of its cells a table fills at least."""

Place = tuple[int, int]


def find_grids(tokens: Sequence[Token], rules: Rules) -> list[Table]:
    """The ruled tables of a page, from top to bottom."""
    found = list[Table]()
    for across, down in _connected(rules):
        grid = _Grid(across, down)
        if grid.columns > 1 and grid.columns * grid.rows <= _CELLS_MAX and not grid.is_header_only(tokens):
            table = grid.table(tokens)
            if _is_table(table):
                found.append(with_headers(table))
    return found


class _Grid:
    """Borders of rows from the top, of columns from the left, and which of them are open between two cells."""

    def __init__(self, across: list[Rule], down: list[Rule]) -> None:
        self._across, self._down = across, down
        self._xs = _borders([rule.at for rule in down], _ends(across))
        ends = [end for rule in down for end in rule[1:]]
        self._ys = [-y for y in reversed(_borders([rule.at for rule in across] + ends, _ends(down)))]
        self.columns, self.rows = len(self._xs) - 1, len(self._ys) - 1

    def is_header_only(self, tokens: Iterable[Token]) -> bool:
        """Whether it frames only the names of the columns: words go on below it in the same columns."""
        if self.rows > _HEADER_ROWS:
            return False
        return any(self._fills_columns(line) for line in self._lines_below(tokens))

    def _lines_below(self, tokens: Iterable[Token]) -> Iterator[list[Token]]:
        """The first lines right below it: a row may begin with the lines of its longest cell."""
        floor = -self._ys[-1]
        below = [token for token in tokens if token.middle < floor < token.middle + _FAR_BELOW * token.height]
        for line in visual_lines(below):
            if floor - line[0].middle > _BELOW * line[0].height:
                return
            yield line
            floor = line[0].middle

    def _fills_columns(self, line: list[Token]) -> bool:
        """Whether its words stand apart, in several columns."""
        columns = {bisect_right(self._xs, (token.left + token.right) / 2) for token in line}
        apart = any(b.left - a.right > b.size / 2 for a, b in pairwise(line))
        return apart and len(columns - {0, self.columns + 1}) > 1

    def table(self, tokens: Iterable[Token]) -> Table:
        """The words in their cells, without the rows and columns that have none."""
        cells: dict[Place, list[Token]] = defaultdict(list)
        for token in tokens:
            row = bisect_right(self._ys, -token.middle) - 1
            column = bisect_right(self._xs, (token.left + token.right) / 2) - 1
            if 0 <= row < self.rows and 0 <= column < self.columns:
                cells[row, column].append(token)
        if len(cells) < 4:
            return Table({}, {})
        areas = self._areas()
        merged: dict[Place, list[Token]] = defaultdict(list)
        for place, words in sorted(cells.items()):
            merged[areas[place][0]] += words
        spans = {place: span for place, span in areas.values() if place in merged and span != (1, 1)}
        return _compact(split_rows(Table(dict(merged), spans), self._xs))

    def _areas(self) -> dict[Place, tuple[Place, tuple[int, int]]]:
        """The cell each place belongs to, and the columns and rows that cell covers."""
        found: dict[Place, tuple[Place, tuple[int, int]]] = {}
        above: dict[tuple[int, int], int] = {}
        for row in range(self.rows):
            groups = list(self._groups(row))
            above = {group: self._top(row, group, above) for group in groups}
            for (first, last), top in above.items():
                span = (last - first + 1, row - top + 1)
                for place in ((r, c) for r in range(top, row + 1) for c in range(first, last + 1)):
                    found[place] = ((top, first), span)
        return found

    def _groups(self, row: int) -> Iterator[tuple[int, int]]:
        """Columns of a row without a line between them."""
        middle = -(self._ys[row] + self._ys[row + 1]) / 2
        first = 0
        for column in range(1, self.columns):
            if _drawn(self._down, self._xs[column], middle):
                yield first, column - 1
                first = column
        yield first, self.columns - 1

    def _top(self, row: int, group: tuple[int, int], above: dict[tuple[int, int], int]) -> int:
        """Where the cell begins that ends in this row."""
        if group not in above:
            return row
        middle = (self._xs[group[0]] + self._xs[group[1] + 1]) / 2
        return row if _drawn(self._across, -self._ys[row], middle) else above[group]


def _connected(rules: Rules) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Lines that meet each other, directly or through others; from the top."""
    across, down = rules
    if not across or not down or len(across) * len(down) > _CROSSINGS_MAX:
        return
    group = list(range(len(across)))
    touching = [[at for at, rule in enumerate(across) if _meet(rule, line)] for line in down]
    for met in touching:
        roots = {_root(group, at) for at in met}
        for root in roots:
            group[root] = min(roots)
    yield from sorted(_frames(rules, group, touching), key=lambda frame: -max(rule.at for rule in frame[0]))


def _frames(rules: Rules, group: list[int], touching: list[list[int]]) -> list[tuple[list[Rule], list[Rule]]]:
    """The lines of each group, those down the page with the ones they meet or stand among."""
    rows, columns = defaultdict(list), defaultdict(list)
    for at, rule in enumerate(rules.across):
        rows[_root(group, at)].append(rule)
    for line, met in zip(rules.down, touching, strict=True):
        if met:
            columns[_root(group, met[0])].append(line)
    for line in (line for line, met in zip(rules.down, touching, strict=True) if not met):
        around = next((root for root in columns if _within(line, rows[root], columns[root])), None)
        if around is not None:
            columns[around].append(line)
    return [(rows[root], columns[root]) for root in columns]


def _within(line: Rule, across: list[Rule], down: list[Rule]) -> bool:
    """Whether a line stands inside a frame without touching it."""
    left, right = _ends(across)
    bottom, top = _ends(down)
    return left < line.at < right and bottom <= line.start and line.end <= top


def _meet(rule: Rule, line: Rule) -> bool:
    level = line.start - _NEAR <= rule.at <= line.end + _NEAR
    return level and rule.start - _NEAR <= line.at <= rule.end + _NEAR


def _root(group: list[int], at: int) -> int:
    while group[at] != at:
        at = group[at]
    return at


def _ends(rules: list[Rule]) -> tuple[float, float]:
    return min(rule.start for rule in rules), max(rule.end for rule in rules)


def _borders(places: list[float], ends: tuple[float, float]) -> list[float]:
    """Where lines stand, those nearly at one place as one, and the open ends of the lines that cross them."""
    borders = list[float]()
    for place in sorted(places):
        if not borders or place - borders[-1] > _NARROWEST:
            borders.append(place)
    opening = [ends[0]] if ends[0] < borders[0] - _OUTSIDE else []
    closing = [ends[1]] if ends[1] > borders[-1] + _OUTSIDE else []
    return opening + borders + closing


def _drawn(rules: list[Rule], at: float, beside: float) -> bool:
    return any(abs(rule.at - at) <= _NARROWEST and rule.start <= beside <= rule.end for rule in rules)


def _compact(table: Table) -> Table:
    """The same without rows and columns in which no cell with words begins."""
    rows = sorted({row for row, _ in table.cells})
    columns = sorted({column for _, column in table.cells})
    row_of = {row: at for at, row in enumerate(rows)}
    column_of = {column: at for at, column in enumerate(columns)}
    cells = {(row_of[row], column_of[column]): words for (row, column), words in table.cells.items()}
    spans = dict[Place, tuple[int, int]]()
    for (row, column), (across, down) in table.spans.items():
        wide = sum(column <= each < column + across for each in columns)
        high = sum(row <= each < row + down for each in rows)
        if (wide, high) != (1, 1):
            spans[row_of[row], column_of[column]] = (wide, high)
    return Table(cells, spans)


def _is_table(table: Table) -> bool:
    """At least two rows of at least two cells, and not a form or a chart that is mostly empty."""
    if not table.cells:
        return False
    rows = 1 + max(row for row, _ in table.cells)
    columns = 1 + max(column for _, column in table.cells)
    several = [row for (row, _), (other, _) in pairwise(sorted(table.cells)) if row == other]
    return rows > 1 and columns > 1 and len(set(several)) > 1 and len(table.cells) >= _FILLED * rows * columns
