"""Looking at quotations: what stands around them, their place, and their page with the words marked."""

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from veraz.api.caller import Caller, Services
from veraz.api.schemas import View
from veraz.passages.model import QuoteView
from veraz.passages.pictures import Picture
from veraz.passages.service import FINEST

router = APIRouter(tags=["passages"])

Character = Annotated[int, Query(ge=0, le=1_000_000_000, description="A character of the document's text.")]
PageNumber = Annotated[
    int | None, Query(ge=1, le=1_000_000, description="One of the pages the words stand on; else the first.")
]
Scale = Annotated[float, Query(ge=0.5, le=FINEST, multiple_of=0.5, description="Pixels to a PDF point.")]
PictureTag = Annotated[
    str | None,
    Query(max_length=64, description="The picture that is meant: one so named may be kept by the browser."),
]
KnownTag = Annotated[str | None, Header(alias="If-None-Match", max_length=200)]
_KEPT_SECONDS: Final = 24 * 3600
PNG: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"image/png": {}}, "description": "The page"},
    304: {"description": "Known already"},
}


class MarkedPageView(View):
    """A page that words stand on, and where on it."""

    page_number: int
    rectangles: list[list[float]]
    """Left, bottom, right, top of each line, in PDF points from the page's lower left corner."""


class GridRowView(View):
    """A row of a sheet or table."""

    number: int | None
    cells: list[str]
    marked: bool
    marked_cells: list[int]
    """Which cells of a marked row are quoted, from 0; none where the whole row is."""


class GridView(View):
    """The rows around the quoted ones."""

    columns: list[str]
    rows: list[GridRowView]


class PassageView(View):
    """A quotation where it stands."""

    document_id: UUID
    document_name: str
    version: int
    chunk_id: UUID | None
    view: Literal["page", "text", "sheet"]
    """How it is best looked at: on its page (`page.png`), in its text, or as rows of a sheet (`grid`)."""
    text: str
    before: str
    after: str
    place: list[str]
    page_number: int | None
    sheet: str | None
    row: int | None
    introduction: str | None
    start_char: int
    end_char: int
    rectangles: list[list[float]]
    """On `page_number`, where the words begin."""
    pages: list[MarkedPageView]
    """Every page the words stand on, the first one first."""
    grid: GridView | None
    """The rows around a row, of tables in pages and texts too."""
    changed: bool
    """Whether the document no longer says this here."""
    corrected: bool
    """Whether a person corrected these words; the document's file, and `page.png`, still has the ones before."""


@router.get("/passages/{chunk_id}")
async def passage(
    chunk_id: UUID,
    actor: Caller,
    veraz: Services,
    start: Character | None = None,
    end: Character | None = None,
) -> PassageView:
    """A passage that an agent may cite to you, or a stretch of its document: what it says, where it stands, what stands around it."""
    return passage_view(await veraz.passages.look(actor, chunk_id, start, end))


@router.get("/passages/{chunk_id}/page.png", responses=PNG, response_class=Response)
async def page_picture(
    chunk_id: UUID,
    actor: Caller,
    veraz: Services,
    start: Character | None = None,
    end: Character | None = None,
    scale: Scale = 1.5,
    page: PageNumber = None,
    known: KnownTag = None,
) -> Response:
    """The page of a PDF with the words marked; with `page` another one they go on to."""
    picture = await veraz.passages.picture(
        actor, chunk_id, start, end, scale=scale, page=page, known=bare_tag(known)
    )
    return picture_response(picture, known)


def passage_view(quote: QuoteView) -> PassageView:
    """A quotation as JSON."""
    return PassageView.model_validate(quote)


def bare_tag(known: str | None) -> str | None:
    """An entity tag without its quotation marks."""
    return known.removeprefix("W/").strip('"') if known else None


def picture_response(picture: Picture | None, known: str | None, named: str | None = None) -> Response:
    """A picture, or the word that the caller has it.

    It is asked for anew each time, because rights may change; but an address that names the picture itself
    never leads to another one: who has seen it keeps it for a day.
    """
    kept = picture is not None and named == picture.tag
    caching = f"private, max-age={_KEPT_SECONDS}, immutable" if kept else "private, no-cache"
    headers = {"ETag": f'"{picture.tag}"' if picture else known or "", "Cache-Control": caching}
    if picture is None:
        return Response(status_code=304, headers=headers)
    return Response(picture.data, media_type="image/png", headers=headers)
