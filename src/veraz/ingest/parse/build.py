"""Puts the pieces a reader finds into one text with exact spans."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, get_args

from veraz import errors
from veraz.ingest.model import Block, BlockKind, Notice, Parsed, Span, TextLine, Unit
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.clean import clean, one_line, tidy
from veraz.ingest.parse.finish import About, finished
from veraz.ingest.parse.lists import Nesting
from veraz.ingest.parse.size import check_columns, check_size

_TIGHT: frozenset[tuple[BlockKind, BlockKind]] = frozenset(
    {
        ("list_item", "list_item"),
        ("table_row", "table_row"),
        ("table_header", "table_row"),
        ("table_header", "table_header"),
    }
)
"""Which blocks follow each other without a blank line."""
_HEADER_CHARACTERS = 200
_TABLE_HEADER_CHARACTERS = 1000
_COLUMNS_MAX = 1_000
"""Columns of a row whose names and places are kept; the text has them all."""
_CELLS_MAX = 1_000_000
"""Cells of a document whose places are kept; the rows beyond still have their text."""

Hideable = Literal["sheets", "slides", "rows", "columns", "words"]
"""What a file may hide, in the order it is told."""
HIDEABLE: Final[tuple[Hideable, ...]] = get_args(Hideable)


class Builder:
    """Grows the text block by block and remembers the place and the headings above."""

    def __init__(self, source: Source, *, unit: Unit) -> None:
        self._source = source
        self._unit: Unit = unit
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._lines: list[TextLine] = []
        self._depths: dict[int, int] = {}
        self._list_starts: set[int] = set()
        self._tables = 0
        self._cells = 0
        self._columns: tuple[Sequence[str], tuple[str, ...], str | None] = ((), (), None)
        self._path: list[tuple[int, str]] = []
        self._headers: tuple[str, ...] = ()
        self._left_out: Counter[Hideable] = Counter()
        self._notices: dict[str, Notice] = {}
        self._page: int | None = None
        self._part: str | None = None

    def enter(self, *, page: int | None = None, part: str | None = None, keep_headings: bool = False) -> None:
        """Begin the next page, slide, sheet or record."""
        self._page, self._part = page, part and one_line(part)[:_HEADER_CHARACTERS]
        if not keep_headings:
            self._path.clear()
            self._headers = ()

    def heading(self, text: str, level: int, *, lines: Sequence[TextLine] = ()) -> None:
        """A heading: the blocks that follow stand under it."""
        line = one_line(text)
        if not line:
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._headers = tuple(above for _, above in self._path)
        self._put("heading", line, lines=lines if line == text else ())
        self._path.append((level, line[:_HEADER_CHARACTERS]))
        self._headers = (*self._headers, self._path[-1][1])

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        row: int | None = None,
        table_header: str | None = None,
        depth: int = 0,
        lines: Sequence[TextLine] = (),
        page_breaks: Sequence[int] = (),
    ) -> None:
        """Any other visible piece; blank ones are left out. `depth` is how deep a list item is nested.

        `lines`, and the `page_breaks` where the next pages begin, count their characters from the start of `text`.
        """
        body = clean(text).strip("\n").rstrip() if kind == "code" else tidy(text)
        if body.strip():
            if depth:
                self._depths[len(self._blocks)] = depth
            self._put(
                kind,
                body,
                row=row,
                table_header=table_header,
                lines=lines if body == text else (),
                page_breaks=page_breaks,
            )

    def begin_list(self) -> None:
        """The items that follow belong to a new list."""
        self._list_starts.add(len(self._blocks))

    def table(self) -> None:
        """The rows that follow belong to a new table."""
        self._tables += 1

    def row(
        self,
        cells: Sequence[str],
        *,
        columns: Sequence[str] = (),
        number: int | None = None,
        named: bool = False,
        header: bool = False,
        group: str = "",
        lines: Sequence[Sequence[TextLine]] = (),
    ) -> None:
        """A row of the table begun last: «a | b | c», or with `named` «Column: a; Column: b» without its empty cells.

        `header` marks the row that names the columns; `group` is what stands above some rows of the table, or above
        all of them, and is their last heading. `lines` are those of each cell and count their characters from
        the start of its text.
        """
        check_columns(self._source, max(len(cells), len(columns)))
        names, joined = self._named(columns)
        text, spans = _row_text([cell and one_line(cell) for cell in cells], names, named=named)
        if not text.strip(" |"):
            return
        placed = [_moved(line, span[0]) for span, cell in zip(spans, lines, strict=False) for line in cell]
        spans = spans if self._cells < _CELLS_MAX else ()
        self._cells += len(spans)
        self._put(
            "table_header" if header else "table_row",
            text,
            row=number,
            table_header=None if named or header else joined,
            headers=(*self._headers, one_line(group)[:_HEADER_CHARACTERS]) if group else None,
            table=self._tables or None,
            columns=names[:_COLUMNS_MAX],
            cells=spans,
            lines=placed,
        )

    def _named(self, columns: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
        """The names of columns, clean, and as one line; worked out once for all rows of a table."""
        if columns is not self._columns[0]:
            names = tuple(one_line(name)[:_HEADER_CHARACTERS] for name in columns)
            joined = " | ".join(names)[:_TABLE_HEADER_CHARACTERS] if any(names) else None
            self._columns = (columns, names, joined)
        return self._columns[1], self._columns[2]

    def embed(self, parsed: Parsed) -> None:
        """The text of a file that lies inside this one, on the page where it lies."""
        self._separate("note")
        base, tables = self._length, self._tables
        self._pieces.append(parsed.text)
        self._length += len(parsed.text)
        for block in parsed.blocks:
            self._blocks.append(
                replace(
                    block,
                    start=base + block.start,
                    end=base + block.end,
                    page=self._page,
                    part=block.part or self._part,
                    headers=self._headers + block.headers,
                    table=block.table and tables + block.table,
                    cells=tuple((base + start, base + end) for start, end in block.cells),
                    page_breaks=(),
                )
            )
            self._tables = max(self._tables, self._blocks[-1].table or 0)
        check_size(self._source, self._length, len(self._blocks))
        self._notices |= {notice.code: notice for notice in parsed.notices}

    def leave_out(self, what: Hideable, count: int) -> None:
        """Remember that some of the file is not in the text because nobody sees it."""
        self._left_out[what] += count

    @property
    def characters(self) -> int:
        """How much text there is so far."""
        return self._length

    def finish(self, about: About, *, notices: tuple[Notice, ...] = ()) -> Parsed:
        """The whole document."""
        text = "".join(self._pieces)
        self._pieces.clear()
        own = (*notices, *self._hidden_notice())
        return finished(
            self._source,
            text,
            tuple(self._blocks),
            unit=self._unit,
            about=about,
            notices=tuple({**self._notices, **{notice.code: notice for notice in own}}.values()),
            lines=tuple(self._lines),
            nesting=Nesting(self._depths, self._list_starts),
        )

    def _hidden_notice(self) -> Iterator[Notice]:
        numbers: dict[str, int] = {what: self._left_out[what] for what in HIDEABLE}
        if any(numbers.values()):
            yield Notice.of("hidden_left_out", counts=errors.counted(numbers))

    def _put(
        self,
        kind: BlockKind,
        body: str,
        *,
        row: int | None = None,
        table_header: str | None = None,
        headers: tuple[str, ...] | None = None,
        table: int | None = None,
        columns: tuple[str, ...] = (),
        cells: Sequence[Span] = (),
        lines: Sequence[TextLine] = (),
        page_breaks: Sequence[int] = (),
    ) -> None:
        self._separate(kind)
        base = self._length
        start = base + (len(body) - len(body.lstrip()) if kind == "code" else 0)
        self._pieces.append(body)
        self._length += len(body)
        self._blocks.append(
            Block(
                kind=kind,
                start=start,
                end=self._length,
                page=self._page,
                part=self._part,
                row=row,
                headers=self._headers if headers is None else headers,
                table_header=table_header and table_header[:_TABLE_HEADER_CHARACTERS],
                table=table,
                columns=columns,
                cells=tuple([(base + first, base + last) for first, last in cells]),
                page_breaks=tuple([base + page_break for page_break in page_breaks]),
            )
        )
        self._lines += (_moved(line, base) for line in lines)
        check_size(self._source, self._length, len(self._blocks))

    def _separate(self, kind: BlockKind) -> None:
        if self._blocks:
            last = self._blocks[-1]
            together = (last.kind, kind) in _TIGHT and last.page == self._page
            self._pieces.append("\n" if together else "\n\n")
            self._length += len(self._pieces[-1])


def _moved(line: TextLine, base: int) -> TextLine:
    """A line's place with its characters counted from the start of the document; `replace` takes thrice as long."""
    return TextLine(
        start=base + line.start,
        end=base + line.end,
        left=line.left,
        bottom=line.bottom,
        right=line.right,
        top=line.top,
        words=line.words,
    )


def _row_text(cells: Sequence[str], names: Sequence[str], *, named: bool) -> tuple[str, tuple[Span, ...]]:
    """A row as one line, and where in it each cell stands."""
    pieces, spans, length = list[str](), list[Span](), 0
    apart = "; " if any(names) else " | "
    named_columns = len(names) if named else 0
    for at, cell in enumerate(cells):
        if not named:
            before = (" | " if cell else " |")[not length :] if at else ""
        elif not cell:
            before = ""
        else:
            before = apart if length else ""
            if at < named_columns and names[at]:
                before += names[at] + ": "
        length += len(before)
        end = length + len(cell)
        if at < _COLUMNS_MAX:
            spans.append((length, end))
        length = end
        pieces += (before, cell)
    return "".join(pieces), tuple(spans)
