"""Looking into a document that an agent may cite to you: its pages, its blocks, the sheets of a workbook."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from veraz.api.caller import Caller, Services
from veraz.api.passages import PNG, Character, KnownTag, PictureTag, Scale, bare_tag, picture_response
from veraz.api.schemas import View

router = APIRouter(tags=["passages"])

Version = Annotated[
    int | None,
    Query(ge=1, le=1_000_000, description="An earlier version, for who reads the knowledge base."),
]


class SheetOut(View):
    """A sheet of a workbook and the character it begins at."""

    name: str
    first: int


class CellOut(View):
    """A cell of a row."""

    text: str


class BlockOut(View):
    """A heading, paragraph, list item, row… of a document."""

    kind: Literal["heading", "paragraph", "list_item", "code", "table_row", "note", "table_header"]
    start: int
    """The character of the document's text it begins at."""
    depth: int
    """How many headings stand above it."""
    page_number: int | None
    row: int | None
    table: int | None
    columns: list[str]
    text: str
    cells: list[CellOut]


class DocumentOut(View):
    """A document as it is looked at."""

    document_id: UUID
    name: str
    title: str | None
    file_type: str
    version: int
    current: bool
    view: Literal["page", "text", "sheet"]
    """Whether it is best looked at page by page, as text, or as sheets."""
    pages_count: int | None
    forgotten_pages: list[int]
    """Pages without a picture, because something on them was forgotten; their text says the rest."""
    sheets: list[SheetOut]
    blocks: list[BlockOut]
    next: int | None
    """`first` of the blocks after these; null after the last ones."""


@router.get("/documents/{document_id}/text")
async def document_text(
    document_id: UUID, actor: Caller, veraz: Services, version: Version = None, first: Character = 0
) -> DocumentOut:
    """The blocks of a document that an agent may cite to you, some at a time, as people corrected them."""
    found = await veraz.passages.document(actor, document_id, version=version, first=first)
    return DocumentOut.model_validate(found)


@router.get("/documents/{document_id}/pages/{number}.png", responses=PNG, response_class=Response)
async def document_page(
    document_id: UUID,
    number: Annotated[int, Path(ge=1, le=1_000_000)],
    actor: Caller,
    veraz: Services,
    version: Version = None,
    scale: Scale = 1.5,
    tag: PictureTag = None,
    known: KnownTag = None,
) -> Response:
    """A page of a PDF that an agent may cite to you, without marks."""
    picture = await veraz.passages.page(
        actor, document_id, number, scale=scale, version=version, known=bare_tag(known)
    )
    return picture_response(picture, known, tag)
