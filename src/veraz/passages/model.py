"""What somebody sees of a quotation, and what was looked up for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from veraz.errors import VerazError
from veraz.text.blocks import BlockKind
from veraz.text.page_shape import Box
from veraz.text.rectangles import MarkedPage, Rectangle

Kind = Literal["page", "text", "sheet"]
"""Whether it is best looked at on its page, in its text, or among the rows around it."""

LinkState = Literal["current", "corrected", "changed", "forgotten"]
"""What became of a quotation: nothing, a person corrected its words, its document was replaced, or was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDocument:
    """A document the caller may look into, with the chunk that was named."""

    document_id: UUID
    kb_id: UUID
    kind: Literal["global", "personal"]
    machine_id: str
    name: str
    title: str | None
    file_type: str
    version: int
    storage_key: str | None
    indexed_at: datetime
    pages_count: int | None
    chunk_id: UUID | None
    content: str | None
    start_char: int | None
    end_char: int | None
    page_number: int | None
    part: str | None
    row_number: int | None
    headers: list[str] | None
    language: str
    corrected: bool
    """Whether a person corrected the chunk."""
    current: bool = True
    """Whether this is the version that is read, not an earlier one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A row of a sheet or table."""

    number: int | None
    cells: tuple[str, ...]
    marked: bool
    marked_cells: tuple[int, ...] = ()
    """Which cells of a marked row are quoted, from 0; none where the whole row is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The rows around the quoted ones, under their columns."""

    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCell:
    """A cell of a table's row."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBlock:
    """A heading, paragraph, list item, row… of a document."""

    kind: BlockKind
    start: int
    depth: int
    """How many headings stand above it."""
    page_number: int | None
    row: int | None
    table: int | None
    columns: tuple[str, ...]
    before: str
    quoted: str
    after: str
    """Its words: before, in and after what is quoted; where nothing is, all of them stand before."""
    cells: tuple[SeenCell, ...]

    @property
    def text(self) -> str:
        """All of its words."""
        return f"{self.before}{self.quoted}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteView:
    """A quotation where it stands."""

    document_id: UUID
    document_name: str
    version: int
    chunk_id: UUID | None
    view: Kind
    text: str
    before: str
    after: str
    place: tuple[str, ...]
    page_number: int | None
    sheet: str | None
    row: int | None
    introduction: str | None
    start_char: int
    end_char: int
    rectangles: tuple[Rectangle, ...]
    """On the page it begins on."""
    pages: tuple[MarkedPage, ...]
    """Every page it stands on, the first one first."""
    grid: Grid | None
    changed: bool
    """Whether the document no longer says this here: its text is no longer the one that was cut."""
    corrected: bool
    """Whether a person corrected these words: the file, and the picture of its page, has others."""
    blocks: tuple[SeenBlock, ...] = ()
    """The blocks it stands in and those around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """What a link leads to: the quotation, or what has become of it."""

    state: LinkState
    quote: QuoteView | None
    document_name: str | None
    says_now: str | None = None
    """What a person made of the words that were quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """A page that was drawn without marks, and the boxes to lay over its picture."""

    page_number: int
    width: int
    height: int
    """In pixels."""
    boxes: tuple[Box, ...]
    tag: str
    """Of the picture: it stays the same while its file does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A quotation with everything needed to show it at once."""

    found: LinkView
    pages: tuple[ShownPage, ...] = ()
    """The pages it stands on; none where it is looked at in its text."""
    undrawn: VerazError | None = None
    """Why its page could not be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetView:
    """A sheet of a workbook and the character of the document's text it begins at."""

    name: str
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """A document that is looked at as a whole, some of its blocks at a time."""

    document_id: UUID
    kb_id: UUID
    name: str
    title: str | None
    file_type: str
    version: int
    current: bool
    view: Kind
    """Whether it is best looked at page by page, as text, or as sheets."""
    pages_count: int | None
    forgotten_pages: tuple[int, ...]
    """Pages that are not drawn, because something on them was forgotten."""
    sheets: tuple[SheetView, ...]
    blocks: tuple[SeenBlock, ...]
    next: int | None
    """The character the blocks after these begin at; None after the last ones."""
