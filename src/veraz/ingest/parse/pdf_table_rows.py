"""Writes the tables of PDF pages as rows with the names of their columns; one may go on over several pages."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from veraz.ingest.model import TextLine
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.pdf_layout import Line
from veraz.ingest.parse.pdf_table import Evidence
from veraz.ingest.parse.tables import column_names

_MARGIN_CHARACTERS = 300
"""What may stand between a table and the rest of it on the next page: footer and header."""
_REPEATED_CHARACTERS = 200
_CELLS_MAX = 100_000
"""Places a page's table may have, its merged ones counted in every place they cover."""


class _Cell(NamedTuple):
    text: str = ""
    lines: tuple[TextLine, ...] = ()
    broken: bool = False
    """Its last word goes on in its next line."""


Grid = list[list[_Cell]]


class TableWriter:
    """Remembers the last table, which may go on."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._names: tuple[str, ...] = ()
        self._width = 0
        self._rows = 0
        """How many it has so far."""
        self._passed = _MARGIN_CHARACTERS + 1
        self._first = True

    def enter(self) -> None:
        """The next page: what stood last on the one before may go on here."""
        self._first = True

    def passed(self, text: str) -> None:
        """Other text stands between."""
        self._passed += len(text)

    def write(self, lines: Sequence[Line]) -> bool:
        """The rows of one table, from its lines; False, and nothing written, where it turns out to be running text."""
        cells = [line.cell for line in lines if line.cell]
        rows = max(cell.row + cell.down for cell in cells)
        width = max(cell.column + cell.across for cell in cells)
        if rows * width > _CELLS_MAX:
            rows, width = max(cell.row for cell in cells) + 1, max(cell.column for cell in cells) + 1
        grid, titles = _grid(lines, rows, width)
        headers = {cell.row for cell in cells if cell.header}
        repeated = set[int]()
        if self._goes_on(grid, headers, width, cells[0].evidence):
            repeated = headers = headers if self._repeats(grid, headers) else set()
        elif cells[0].evidence == Evidence.LOOSE:
            return False
        else:
            self._builder.table()
            self._names, self._width, self._rows = _names(grid, headers), width, 0
        self._write_rows(grid, titles, headers, self._numbers(len(grid), repeated))
        self._passed, self._first = 0, False
        return True

    def _numbers(self, count: int, repeated: set[int]) -> list[int | None]:
        """Those of the next rows; names of columns that a further page repeats are no row of the table."""
        numbers: list[int | None] = []
        for at in range(count):
            self._rows += at not in repeated
            numbers.append(None if at in repeated else self._rows)
        return numbers

    def _write_rows(
        self, grid: Grid, titles: set[int], headers: set[int], numbers: Sequence[int | None]
    ) -> None:
        for at, (row, number) in enumerate(zip(grid, numbers, strict=True)):
            if at in titles:
                self._builder.row([row[0].text], number=number, lines=[row[0].lines])
            else:
                self._builder.row(
                    [cell.text for cell in row],
                    columns=self._names,
                    number=number,
                    header=at in headers,
                    lines=[cell.lines for cell in row],
                )

    def _goes_on(self, grid: Grid, headers: set[int], width: int, evidence: int) -> bool:
        """Whether it is the rest of the last table of the page before."""
        if not self._first or self._passed > _MARGIN_CHARACTERS or width != self._width:
            return False
        return not headers or evidence < Evidence.SURE or self._repeats(grid, headers)

    def _repeats(self, grid: Grid, headers: set[int]) -> bool:
        return _names(grid, headers) == self._names


def _names(grid: Grid, headers: set[int]) -> tuple[str, ...]:
    return column_names([[cell.text for cell in grid[row]] for row in sorted(headers)])


def _grid(lines: Sequence[Line], rows: int, width: int) -> tuple[Grid, set[int]]:
    """Every place with what stands in it, and the rows that are one cell over all columns."""
    grid: Grid = [[_Cell()] * width for _ in range(rows)]
    for line in lines:
        if line.cell:
            row, column = line.cell.row, line.cell.column
            grid[row][column] = _joined(grid[row][column], line)
    cells = {line.cell for line in lines if line.cell}
    beside = Counter(cell.row for cell in cells)
    titles = {cell.row for cell in cells if cell.across == width and cell.down == 1 and beside[cell.row] == 1}
    for _, row, column, across, down, *_ in sorted(cells):
        cell = grid[row][column]
        if row not in titles and (across, down) != (1, 1) and len(cell.text) <= _REPEATED_CHARACTERS:
            _spread(grid, cell, range(row, min(rows, row + down)), range(column, min(width, column + across)))
    return grid, titles


def _spread(grid: Grid, cell: _Cell, rows: range, columns: range) -> None:
    for row in rows:
        for column in columns:
            if not grid[row][column].text:
                grid[row][column] = cell


def _joined(cell: _Cell, line: Line) -> _Cell:
    """A cell with its next line."""
    text = f"{cell.text} " if cell.text and not cell.broken else cell.text
    placed = line.placed(len(text))
    known = (placed,) if placed.left < placed.right and placed.bottom < placed.top else ()
    return _Cell(text + line.text, cell.lines + known, line.broken)
