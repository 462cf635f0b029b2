"""The rows around a row."""

from collections.abc import Sequence

from veraz.passages.model import Grid, GridRow
from veraz.passages.reading import Reading
from veraz.text.blocks import Block

_ROWS = 6
"""How many rows are shown before and after the quoted ones."""


def grid_around(blocks: Sequence[Block], reading: Reading, start: int, end: int) -> Grid | None:
    """The rows of the same table around a stretch; None where it is no row."""
    quoted = [
        block for block in blocks if block.kind == "table_row" and block.start < end and block.end > start
    ]
    if not quoted:
        return None
    table = [block for block in blocks if block.kind == "table_row" and _same_table(block, quoted[0])]
    first, last = table.index(quoted[0]), table.index(quoted[-1]) if quoted[-1] in table else 0
    near = table[max(first - _ROWS, 0) : max(first, last) + 1 + _ROWS]
    return Grid(
        columns=quoted[0].columns,
        rows=tuple(
            GridRow(
                number=block.row,
                cells=_cells(block, reading),
                marked=block in quoted,
                marked_cells=_quoted_cells(block, start, end),
            )
            for block in near
        ),
    )


def _same_table(block: Block, other: Block) -> bool:
    return block.table == other.table and (block.table is not None or block.part == other.part)


def _cells(block: Block, reading: Reading) -> tuple[str, ...]:
    spans = block.cells or ((block.start, block.end),)
    return tuple(reading.text(start, end) for start, end in spans)


def _quoted_cells(block: Block, start: int, end: int) -> tuple[int, ...]:
    """The cells of a row that a stretch touches; none where it holds the row."""
    if start <= block.start and end >= block.end:
        return ()
    cells = enumerate(block.cells)
    return tuple(number for number, (first, last) in cells if max(first, start) < min(last, end))
