"""The types that travel along a document's way in, one per arrow; no step changes its input."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

Unit = Literal["page", "slide", "sheet", "row", "section", "text"]
"""What a document of this kind is counted and cited in."""

BlockKind = Literal["heading", "paragraph", "list_item", "code", "table_row", "note", "table_header"]

Span = tuple[int, int]
"""Start and end of a stretch of the document's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One visible piece of a document: `text[start:end]` of the `Parsed` it belongs to."""

    kind: BlockKind
    start: int
    end: int
    page: int | None = None
    """Page or slide number, from 1; None where the format has neither."""
    part: str | None = None
    """The sheet's name, the slide's title or the record («row 12»); a new part is a new little document."""
    row: int | None = None
    """Row number in its sheet or file, from 1, for records."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the reader should know about a document that was read all the same."""

    code: str
    en: str
    es: str

    def message(self, language: str = "es") -> str:
        """The sentence a person reads, in Spanish or English."""
        return self.es if language.startswith("es") else self.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """The visible text of a document and where each piece of it stands.

    Blocks are in reading order, do not overlap, hold no blank edges, and everything outside them
    is white space. The text is NFC, without NUL, lone surrogates or control characters but
    newline and tab.
    """

    text: str
    blocks: tuple[Block, ...]
    unit: Unit = "text"
    title: str | None = None
    author: str | None = None
    created_date: date | None = None
    language: str | None = None
    """ISO 639-1, guessed from the text («es», «en», …)."""
    page_count: int | None = None
    notices: tuple[Notice, ...] = ()
    lines: tuple[TextLine, ...] = ()
    """The lines of pages in the order of the text, each within one block; none where a format has no pages."""

    def of(self, block: Block) -> str:
        """The text of one of its blocks."""
        return self.text[block.start : block.end]

    def count_words(self) -> int:
        """How many words it has; block by block, because the words of a huge text all at once fill the memory."""
        return sum(len(self.of(block).split()) for block in self.blocks)

    def parts(self) -> Iterator[tuple[Block, ...]]:
        """Blocks grouped by page and part, in order: pages, slides, sheets or records."""
        group: list[Block] = []
        for block in self.blocks:
            if group and (block.page, block.part) != (group[-1].page, group[-1].part):
                yield tuple(group)
                group = []
            group.append(block)
        if group:
            yield tuple(group)
