"""Puts the pieces a reader finds into one text with exact spans."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from veraz import errors
from veraz.ingest.model import Block, BlockKind, Notice, Parsed, Span, TextLine, Unit
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.clean import clean, one_line, tidy
from veraz.ingest.parse.language import guess_language

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
_PLACEHOLDER_TITLE = re.compile(
    r"^(microsoft (word|powerpoint|excel) - .*|untitled.*|sin t[íi]tulo.*|document[o ]?\d*|presentaci[óo]n( de powerpoint)?\s?\d*"
    r"|powerpoint[- ]?pr[eä]sentation|presentation\s?\d*|diapositiva \d+|slide \d+|libro\s?\d*|book\s?\d*|title|t[íi]tulo|.*\.(docx?|indd|qxd|dvi|tex|pptx?|xlsx?|pdf))$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a file says about itself."""

    title: str | None = None
    author: str | None = None
    created_date: date | None = None
    language: str | None = None
    page_count: int | None = None


class Builder:
    """Grows the text block by block and remembers the place and the headings above."""

    def __init__(self, source: Source, *, unit: Unit) -> None:
        self._source = source
        self._unit: Unit = unit
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._lines: list[TextLine] = []
        self._tables = 0
        self._path: list[tuple[int, str]] = []
        self._page: int | None = None
        self._part: str | None = None

    def enter(self, *, page: int | None = None, part: str | None = None, keep_headings: bool = False) -> None:
        """Begin the next page, slide, sheet or record."""
        self._page, self._part = page, part and one_line(part)[:_HEADER_CHARACTERS]
        if not keep_headings:
            self._path.clear()

    def heading(self, text: str, level: int, *, lines: Sequence[TextLine] = ()) -> None:
        """A heading: the blocks that follow stand under it."""
        line = one_line(text)
        if not line:
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._put("heading", line, lines=lines if line == text else ())
        self._path.append((level, line[:_HEADER_CHARACTERS]))

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        row: int | None = None,
        table_header: str | None = None,
        lines: Sequence[TextLine] = (),
    ) -> None:
        """Any other visible piece; blank ones are left out. `lines` count their characters from the start of `text`."""
        body = clean(text).strip("\n").rstrip() if kind == "code" else tidy(text)
        if body.strip():
            self._put(kind, body, row=row, table_header=table_header, lines=lines if body == text else ())

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
        lines: Sequence[TextLine] = (),
    ) -> None:
        """A row of the table begun last: «a | b | c», or with `named` «Column: a; Column: b» without its empty cells.

        `header` marks the row that names the columns. `lines` count their characters from the start of the row's text.
        """
        names = tuple(one_line(name)[:_HEADER_CHARACTERS] for name in columns)
        text, spans = _row_text([one_line(cell) for cell in cells], names if named else ())
        if not any(start < end for start, end in spans):
            return
        self._put(
            "table_header" if header else "table_row",
            text,
            row=number,
            table_header=None if named or header or not any(names) else " | ".join(names),
            table=self._tables or None,
            columns=names,
            cells=spans,
            lines=lines,
        )

    @property
    def characters(self) -> int:
        """How much text there is so far."""
        return self._length

    def finish(self, about: About, *, notices: tuple[Notice, ...] = ()) -> Parsed:
        """The whole document."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return finished(
            self._source,
            text,
            tuple(self._blocks),
            unit=self._unit,
            about=about,
            notices=notices,
            lines=tuple(self._lines),
        )

    def _put(
        self,
        kind: BlockKind,
        body: str,
        *,
        row: int | None = None,
        table_header: str | None = None,
        table: int | None = None,
        columns: tuple[str, ...] = (),
        cells: Sequence[Span] = (),
        lines: Sequence[TextLine] = (),
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
                headers=tuple(text for _, text in self._path),
                table_header=table_header and table_header[:_TABLE_HEADER_CHARACTERS],
                table=table,
                columns=columns,
                cells=tuple((base + first, base + last) for first, last in cells),
            )
        )
        self._lines += (replace(line, start=base + line.start, end=base + line.end) for line in lines)
        check_size(self._source, self._length, len(self._blocks))

    def _separate(self, kind: BlockKind) -> None:
        if self._blocks:
            last = self._blocks[-1]
            together = (last.kind, kind) in _TIGHT and last.page == self._page
            self._pieces.append("\n" if together else "\n\n")
            self._length += len(self._pieces[-1])


def check_size(source: Source, characters: int, blocks: int) -> None:
    """Stop a file whose text is larger than any real document's."""
    if characters > source.limits.characters_max:
        raise too_large(source, source.limits.characters_max, "characters", es="caracteres")
    if blocks > source.limits.blocks_max:
        raise too_large(source, source.limits.blocks_max, "paragraphs or rows", es="párrafos o filas")


def too_large(source: Source, limit: int, what: str, *, es: str) -> errors.TooLarge:
    """The refusal of a file that holds more of something than any real document."""
    number = f"{limit:,}"
    phrase = errors.Phrase(f"{number} {what}", es=f"{number.replace(',', '.')} {es}")
    return errors.TooLarge(what=source.filename, limit=phrase)


def finished(
    source: Source,
    text: str,
    blocks: tuple[Block, ...],
    *,
    unit: Unit,
    about: About,
    notices: tuple[Notice, ...] = (),
    lines: tuple[TextLine, ...] = (),
) -> Parsed:
    """The parsed document, with title and language found in the text when the file does not say them."""
    if not blocks:
        raise errors.NoText(hint="")
    check_size(source, len(text), len(blocks))
    about = replace(about, title=_title(about.title) or _first_heading(text, blocks))
    return Parsed(
        text=text,
        blocks=blocks,
        unit=unit,
        title=about.title,
        author=one_line(about.author or "")[:200] or None,
        created_date=about.created_date,
        language=guess_language(text) or _short_language(about.language),
        page_count=about.page_count,
        notices=notices,
        lines=lines,
    )


def _row_text(cells: Sequence[str], names: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """A row as one line, and where in it each cell stands."""
    text, spans = "", list[Span]()
    for at, cell in enumerate(cells):
        if names:
            label = f"{names[at]}: " if at < len(names) and names[at] else ""
            text += (("; " if text else "") + label) if cell else ""
        elif at:
            text += (" | " if cell else " |") if text else ("| " if cell else "|")
        spans.append((len(text), len(text) + len(cell)))
        text += cell
    return text, tuple(spans)


def read_date(value: str | None) -> date | None:
    """The day in an ISO date or date-time; None when there is none or it cannot be."""
    try:
        return datetime.fromisoformat((value or "").strip()[:10]).date()
    except ValueError:
        return None


def _title(value: str | None) -> str | None:
    line = one_line(value or "")
    return None if not line or _PLACEHOLDER_TITLE.match(line) else line[:500]


def _first_heading(text: str, blocks: tuple[Block, ...]) -> str | None:
    """A heading among the first blocks serves as title."""
    for block in blocks[:5]:
        if block.kind == "heading":
            return text[block.start : block.end].strip("#=- \n")[:500] or None
    return None


def _short_language(value: str | None) -> str | None:
    code = (value or "").strip().lower()[:2]
    return code if len(code) == 2 and code.isalpha() else None
