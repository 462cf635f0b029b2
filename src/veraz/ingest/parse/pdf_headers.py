"""Which rows of a table on a PDF page name its columns."""

import re

from veraz.ingest.parse.pdf_table import Table, text_of
from veraz.ingest.parse.tables import Row, count_header_rows

_SAMPLE = 24
_HEADER_ROWS = 3
_YEAR = re.compile(r"(?:19|20)\d\d")


def with_headers(table: Table) -> Table:
    """The table and how many of its first rows name the columns."""
    rows = _first_rows(table)
    return table._replace(headers=count_header_rows([Row(_years_named(rows, at)) for at in range(len(rows))]))


def _years_named(rows: list[tuple[str, ...]], at: int) -> tuple[str, ...]:
    """A row in which the years that name columns of other figures do not look like figures."""
    if at >= _HEADER_ROWS or at + 1 >= len(rows) or any(map(_YEAR.fullmatch, rows[at + 1])):
        return rows[at]
    return tuple(f"año {cell}" if _YEAR.fullmatch(cell) else cell for cell in rows[at])


def _first_rows(table: Table) -> list[tuple[str, ...]]:
    """The texts of the first rows, what a merged cell says in every place it covers."""
    rows = min(_SAMPLE, 1 + max(row for row, _ in table.cells))
    columns = 1 + max(column for _, column in table.cells)
    filled = [[""] * columns for _ in range(rows)]
    for (row, column), tokens in table.cells.items():
        if row >= rows:
            continue
        across, down = table.spans.get((row, column), (1, 1))
        text = text_of(tokens)
        for r in range(row, min(row + down, rows)):
            for c in range(column, min(column + across, columns)):
                filled[r][c] = text
    return [tuple(row) for row in filled]
