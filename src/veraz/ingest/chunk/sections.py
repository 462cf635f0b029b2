"""The stretches of a document a chunk never leaves: one sheet, one slide, one record, or all of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from veraz.ingest.model import Block, Parsed


def sections(parsed: Parsed) -> Iterator[tuple[Block, ...]]:
    """Blocks in order, grouped by what no chunk crosses."""
    group: list[Block] = []
    for block in parsed.blocks:
        if group and _key(parsed, block) != _key(parsed, group[-1]):
            yield tuple(group)
            group = []
        group.append(block)
    if group:
        yield tuple(group)


def _key(parsed: Parsed, block: Block) -> tuple[str | None, int | None, int | None]:
    # pages of a book flow into each other; slides and records do not
    page = block.page if parsed.unit == "slide" else None
    row = block.row if parsed.unit == "row" else None
    return block.part, page, row


class Places:
    """Finds the block at a position of the text."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self._blocks = blocks
        self._starts = [block.start for block in blocks]

    def index(self, position: int) -> int:
        """Index of the block that holds the position, or of the first one if it stands before all."""
        return max(bisect_right(self._starts, position) - 1, 0)

    def table_header(self, position: int) -> str:
        """The header line a chunk starting here must repeat; empty outside tables."""
        block = self._blocks[self.index(position)]
        return (block.table_header or "") if block.kind == "table_row" else ""

    def body(self, start: int, end: int) -> tuple[Block, Block]:
        """The block where a span starts, and its first one that is not a heading (the same if all are)."""
        first = index = self.index(start)
        while (
            self._blocks[index].kind == "heading"
            and index + 1 < len(self._blocks)
            and self._starts[index + 1] < end
        ):
            index += 1
        return self._blocks[first], self._blocks[index]

    def within(self, start: int, end: int) -> tuple[Block, ...]:
        """The blocks that a span touches."""
        return self._blocks[self.index(start) : bisect_left(self._starts, end)]
