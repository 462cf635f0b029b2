"""What somebody sees of a quotation, and what was looked up for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

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


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A row of a sheet or table."""

    number: int | None
    cells: tuple[str, ...]
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The rows around the quoted ones, under their columns."""

    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """What a link leads to: the quotation, or what has become of it."""

    state: LinkState
    quote: QuoteView | None
    document_name: str | None
    says_now: str | None = None
    """What a person made of the words that were quoted."""
