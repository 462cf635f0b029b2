"""A stretch of a document's text as somebody sees it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from veraz import errors
from veraz.answer.evidence import named_place
from veraz.passages.blocks import seen_blocks
from veraz.passages.grid import grid_around
from veraz.passages.model import Grid, Kind, QuoteView, SeenDocument
from veraz.passages.reading import Reading
from veraz.search.places import Segment, blocks_between, marks_on, pages_in, text_between
from veraz.text.blocks import Block, sheet_name
from veraz.text.rectangles import MarkedPage

AROUND: Final = 500
"""Characters shown before and after a quotation."""
REACH: Final = 8_000
"""Characters read before and after it, so that the rows around it are there."""
_CONTEXT: Final = 1_200
"""Characters before and after it whose blocks are shown."""
SHEETS: Final = frozenset({"xlsx", "xls", "csv"})


def quote_view(
    seen: SeenDocument, reading: Reading, start: int, end: int, *, version: int | None = None
) -> QuoteView:
    """The quotation from one character of the document to another, where that stands, as people corrected it.

    Of a document whose text is not stored, or is not the one that was cut, the chunk itself is shown.
    """
    segments = reading.segments
    start, end = _spoken(segments, start, end)
    if seen.content is not None and seen.chunk_id not in reading.holds and not _says(seen, segments):
        return _chunk_view(seen, segments)
    text, corrected = reading.text(start, end), reading.is_corrected(start, end)
    first, last = reading.whole(start, end)
    near = blocks_between(segments, max(start - REACH, 0), end + REACH)
    block = _block_at(near, start, blank=corrected and not text_between(segments, start, end).strip())
    grid = _grid(seen, near, reading, start, end, block)
    part = block.part if block else None
    page_number = block.page_at(start) if block else None
    pages = pages_in(segments, start, end) or _only(page_number)
    return QuoteView(
        document_id=seen.document_id,
        document_name=seen.name,
        version=version or seen.version,
        chunk_id=seen.chunk_id,
        view="sheet" if grid and seen.file_type in SHEETS else _kind(seen, block),
        text=text.strip() if corrected else text,
        before=_tail(reading.text(max(first - AROUND, 0), first), whole=first <= AROUND),
        after=_head(reading.text(last, last + AROUND)),
        place=named_place(seen.name, seen.title, part, block.headers if block else ()),
        page_number=page_number,
        sheet=block.sheet if block else None,
        row=block.row if block else None,
        introduction=block.introduction if block else None,
        start_char=start,
        end_char=end,
        rectangles=marks_on(pages, page_number),
        pages=pages,
        grid=grid,
        changed=len(text_between(segments, start, end)) < end - start or not text.strip(),
        corrected=corrected,
        blocks=seen_blocks(_within(near, first - _CONTEXT, last + _CONTEXT), reading, (start, end)),
    )


def _within(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    return [block for block in blocks if block.end > start and block.start < end]


def _grid(
    seen: SeenDocument, near: Sequence[Block], reading: Reading, start: int, end: int, block: Block | None
) -> Grid | None:
    """The rows around a stretch of a sheet, or around one that begins in a row of another table."""
    in_table = block is not None and block.kind == "table_row" and block.table is not None
    return grid_around(near, reading, start, end) if in_table or seen.file_type in SHEETS else None


def on_page(view: QuoteView, number: int | None) -> QuoteView:
    """The quotation with its marks on one of its pages, None for the first; a page it does not stand on is not found."""
    if number is None:
        return view
    page = next((page for page in view.pages if page.page_number == number), None)
    if page is None:
        raise errors.NotFound(thing="page", id=number)
    return replace(view, page_number=number, rectangles=page.rectangles)


def _block_at(near: Sequence[Block], start: int, *, blank: bool) -> Block | None:
    """The block a stretch begins in; of blanks, where new words were put in, the one before them."""
    if blank:
        before = [one for one in near if one.end <= start and one.kind != "heading"]
        if before:
            return before[-1]
    return next((one for one in near if one.end > start), None)


def _spoken(segments: Sequence[Segment], start: int, end: int) -> tuple[int, int]:
    """An empty stretch, where a heading was quoted, is shown as the block that stands there."""
    block = next(iter(blocks_between(segments, start, start + 1)), None) if start == end else None
    return (block.start, block.end) if block else (start, end)


def _says(seen: SeenDocument, segments: Sequence[Segment]) -> bool:
    """Whether the document's stored text is what the chunk was cut from."""
    assert seen.content is not None and seen.start_char is not None and seen.end_char is not None
    own = text_between(segments, seen.start_char, seen.end_char)
    return len(own) == seen.end_char - seen.start_char and seen.content.endswith(own)


def _chunk_view(seen: SeenDocument, segments: Sequence[Segment]) -> QuoteView:
    start, end = seen.start_char or 0, seen.end_char or 0
    return QuoteView(
        document_id=seen.document_id,
        document_name=seen.name,
        version=seen.version,
        chunk_id=seen.chunk_id,
        view="page" if seen.file_type == "pdf" and seen.page_number else "text",
        text=seen.content or "",
        before="",
        after="",
        place=named_place(seen.name, seen.title, seen.part, seen.headers or ()),
        page_number=seen.page_number,
        sheet=sheet_name(
            seen.part, seen.row_number, page=seen.page_number, headings=tuple(seen.headers or ())
        ),
        row=seen.row_number,
        introduction=None,
        start_char=start,
        end_char=end,
        rectangles=(),
        pages=_only(seen.page_number),
        grid=None,
        changed=bool(segments),
        corrected=seen.corrected,
    )


def _only(page_number: int | None) -> tuple[MarkedPage, ...]:
    return () if page_number is None else (MarkedPage(page_number=page_number),)


def _kind(seen: SeenDocument, block: Block | None) -> Kind:
    return "page" if seen.file_type == "pdf" and block is not None and block.page is not None else "text"


def _tail(text: str, *, whole: bool) -> str:
    """The last words of what stands before."""
    return text if whole else text.partition(" ")[2]


def _head(text: str) -> str:
    """The first words of what follows."""
    return text if len(text) < AROUND else text.rpartition(" ")[0]
