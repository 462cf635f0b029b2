"""The pieces of a document's text and the lines of its pages: what ingestion writes down and everybody else reads.

Both are kept as compact JSON; what neighbours repeat (headings, columns, introductions) is written once.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

BlockKind = Literal["heading", "paragraph", "list_item", "code", "table_row", "note", "table_header"]

Span = tuple[int, int]
"""Start and end of a stretch of the document's text."""

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One visible piece of a document: `text[start:end]` of the text it belongs to."""

    kind: BlockKind
    start: int
    end: int
    page: int | None = None
    """Page or slide number, from 1; None where the format has neither."""
    part: str | None = None
    """The sheet's name, the slide's title or the record («row 12»); a new part is a new little document."""
    row: int | None = None
    """Number of a row, from 1, those that name the columns counted: in a sheet the one beside it, in a file of records
    its place in the file, in any other table its place among the rows that are shown."""
    headers: tuple[str, ...] = ()
    """The headings above, outermost first; a heading does not list itself."""
    table_header: str | None = None
    """The header line to repeat before a table row that starts a chunk; None when the row already
    names its columns («Precio: 10; Stock: 3») or when the block is the header itself."""
    table: int | None = None
    """Which table of the document it is a row of, from 1."""
    columns: tuple[str, ...] = ()
    """The names of its table's columns, empty where one has none."""
    cells: tuple[Span, ...] = ()
    """Where each column's value stands in the document's text; an empty span for an empty cell."""
    introduction: str | None = None
    """What governs a list item: «Quedan excluidos:»."""
    page_breaks: tuple[int, ...] = ()
    """Where in the text the pages after its first one begin, for a paragraph that goes on over the page."""

    @property
    def sheet(self) -> str | None:
        """The sheet it is a row of."""
        return sheet_name(self.part, self.row, page=self.page, headings=self.headers)

    def page_at(self, position: int) -> int | None:
        """The page a character of it stands on."""
        return self.page and self.page + sum(page_break <= position for page_break in self.page_breaks)

    def part_of(self, start: int, end: int) -> "Block":
        """Its stretch from `start` to `end`, as a block of its own."""
        page_breaks = tuple(page_break for page_break in self.page_breaks if start < page_break < end)
        return replace(self, start=start, end=end, page=self.page_at(start), page_breaks=page_breaks)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line as it is drawn on its page, in PDF points from the lower left corner."""

    start: int
    end: int
    left: float
    bottom: float
    right: float
    top: float
    words: tuple[float, ...] = ()
    """The left edge of each word after the first; empty when they are not known."""


def sheet_name(part: str | None, row: int | None, *, page: int | None, headings: Sequence[str]) -> str | None:
    """The sheet a row stands in; none for a record of a file without sheets, nor for a slide, whose title is also a heading."""
    if row is None or part == f"row {row}":
        return None
    return None if page is not None and part in headings[:1] else part


def first_page_end(blocks: Sequence[Block], start: int) -> int:
    """Where the page that `start` stands on ends, in blocks that follow each other, the first of which holds it."""
    page, end = blocks[0].page_at(start), blocks[0].end
    for block in blocks:
        if block.page_at(max(start, block.start)) != page:
            break
        page_break = next((page_break for page_break in block.page_breaks if page_break > start), None)
        if page_break is not None:
            return page_break
        end = block.end
    return end


def page_spans(blocks: Iterable[Block], start: int, end: int) -> list[tuple[int, int, int]]:
    """The pages that a stretch of blocks in their order stands on, with the first and last character it has there.

    A page may come again: a footnote follows the paragraph that goes on over the page.
    """
    found: list[tuple[int, int, int]] = []
    for block in blocks:
        breaks = (page_break for page_break in block.page_breaks if start < page_break < end)
        for first, last in pairwise((max(block.start, start), *breaks, min(block.end, end))):
            page = block.page_at(first)
            if found and page == found[-1][0]:
                found[-1] = (page, found[-1][1], last)
            elif page is not None:
                found.append((page, first, last))
    return found


def pack_blocks(blocks: Iterable[Block]) -> dict[str, Any]:
    """Blocks as JSON can carry them: `shared` values, and the blocks that point to them."""
    shared: dict[object, int] = {None: 0}
    packed = [
        (
            _KINDS.index(block.kind),
            block.start,
            block.end,
            block.page,
            shared.setdefault(block.part, len(shared)),
            block.row,
            shared.setdefault(block.headers, len(shared)),
            shared.setdefault(block.table_header, len(shared)),
            block.table,
            shared.setdefault(block.columns, len(shared)),
            [each - block.start for cell in block.cells for each in cell],
            shared.setdefault(block.introduction, len(shared)),
            *(page_break - block.start for page_break in block.page_breaks),
        )
        for block in blocks
    ]
    return {"shared": list(shared), "blocks": packed}


def unpack_blocks(packed: dict[str, Any]) -> list[Block]:
    """The blocks again."""
    shared = _shared(packed)
    return [_block(fields, shared) for fields in packed["blocks"]]


def unpack_between(packed: dict[str, Any], start: int, end: int, *, cut_to: int | None = None) -> list[Block]:
    """The blocks that have characters between two places, whole; or cut there and counted as if `start` were `cut_to`."""
    shared = _shared(packed)
    near = (fields for fields in packed["blocks"] if fields[2] > start and fields[1] < end)
    if cut_to is None:
        return [_block(fields, shared) for fields in near]
    return [_block(_cut(fields, start, end, cut_to - start), shared) for fields in near]


def pack_lines(lines: Iterable[TextLine]) -> list[tuple[float, ...]]:
    """Lines as JSON can carry them."""
    return [
        (line.start, line.end, line.left, line.bottom, line.right, line.top, *line.words) for line in lines
    ]


def unpack_lines(packed: Iterable[list[Any]]) -> list[TextLine]:
    """The lines again."""
    return [
        TextLine(start=start, end=end, left=left, bottom=bottom, right=right, top=top, words=tuple(words))
        for start, end, left, bottom, right, top, *words in packed
    ]


def compact(value: object) -> str:
    """JSON without blanks, as it is stored and sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _shared(packed: dict[str, Any]) -> list[Any]:
    return [tuple(item) if isinstance(item, list) else item for item in packed["shared"]]


def _cut(fields: list[Any], start: int, end: int, by: int) -> list[Any]:
    """The block's part between two places, moved; a cell outside is empty."""
    first, last = max(fields[1], start), min(fields[2], end)
    cells = [min(max(fields[1] + each, first), last) - first for each in fields[10]]
    page_breaks = [fields[1] + each for each in fields[12:]]
    page = fields[3] and fields[3] + sum(page_break <= first for page_break in page_breaks)
    kept = [page_break - first for page_break in page_breaks if first < page_break < last]
    return [fields[0], first + by, last + by, page, *fields[4:10], cells, fields[11], *kept]


def _block(fields: list[Any], shared: list[Any]) -> Block:
    (
        kind,
        start,
        end,
        page,
        part,
        row,
        headers,
        table_header,
        table,
        columns,
        cells,
        introduction,
        *page_breaks,
    ) = fields
    edges = [start + each for each in cells]
    return Block(
        kind=_KINDS[kind],
        start=start,
        end=end,
        page=page,
        part=shared[part],
        row=row,
        headers=shared[headers],
        table_header=shared[table_header],
        table=table,
        columns=shared[columns],
        cells=tuple(zip(edges[::2], edges[1::2], strict=True)),
        introduction=shared[introduction],
        page_breaks=tuple(start + page_break for page_break in page_breaks),
    )
