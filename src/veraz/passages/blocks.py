"""A document's blocks as somebody sees them: each with its words, its cells, and what of them is quoted."""

from collections.abc import Iterable

from veraz.passages.model import SeenBlock, SeenCell
from veraz.passages.reading import Reading
from veraz.text.blocks import Block, Span


def seen_blocks(
    blocks: Iterable[Block], reading: Reading, quoted: Span | None = None
) -> tuple[SeenBlock, ...]:
    """The blocks as people corrected them, with a stretch of the document marked in them."""
    return tuple(_seen(block, reading, quoted or (0, 0)) for block in blocks)


def _seen(block: Block, reading: Reading, quoted: Span) -> SeenBlock:
    first, last = max(block.start, quoted[0]), min(block.end, quoted[1])
    if first >= last:
        first = last = block.end
    return SeenBlock(
        kind=block.kind,
        start=block.start,
        depth=len(block.headers),
        page_number=block.page,
        row=block.row,
        table=block.table,
        columns=block.columns,
        before=reading.text(block.start, first),
        quoted=reading.text(first, last),
        after=reading.text(last, block.end),
        cells=tuple(_cell(cell, reading, (first, last), block) for cell in block.cells),
    )


def _cell(cell: Span, reading: Reading, quoted: Span, block: Block) -> SeenCell:
    """A cell; marked where the quotation touches it and is not the whole row."""
    whole = quoted[0] <= block.start and quoted[1] >= block.end
    return SeenCell(
        text=reading.text(*cell),
        marked=not whole and max(cell[0], quoted[0]) < min(cell[1], quoted[1]),
    )
