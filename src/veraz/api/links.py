"""`/s/…`: a permanent link to a quotation, as a small page for people and as JSON for programs."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Annotated, Final
from urllib.parse import quote as quoted

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from veraz import errors
from veraz.api.caller import Services, caller, token_of
from veraz.api.passages import (
    PNG,
    KnownTag,
    PageNumber,
    PictureTag,
    Scale,
    bare_tag,
    passage_view,
    picture_response,
)
from veraz.api.problems import language_of, problem_of
from veraz.passages.model import Grid, LinkView, QuoteView
from veraz.tenancy.model import Actor

router = APIRouter(tags=["passages"])

_WORDS: Final = {
    "es": {
        "changed": "El documento se ha cambiado desde que se citó. Así decía entonces.",
        "gone": "El documento se ha cambiado desde que se citó y ya no dice esto.",
        "corrected": "Una persona ha corregido este texto desde que se citó. Así decía entonces.",
        "corrected_gone": "Una persona ha corregido este texto desde que se citó y ya no dice lo que se citaba.",
        "says_now": "Ahora dice:",
        "by_hand": "Una persona corrigió estas palabras; el archivo del documento dice otras.",
        "by_hand_page": "La página muestra las palabras de antes.",
        "forgotten": "El documento que se citaba aquí se ha eliminado.",
        "missing": "Este enlace no lleva a ninguna cita que usted pueda ver.",
        "page": "página",
        "row": "fila",
        "quote": "Cita",
        "picture": "La página con la cita marcada",
    },
    "en": {
        "changed": "The document has been changed since it was quoted. This is what it said then.",
        "gone": "The document has been changed since it was quoted and no longer says this.",
        "corrected": "A person has corrected this text since it was quoted. This is what it said then.",
        "corrected_gone": "A person has corrected this text since it was quoted; it no longer says what was quoted.",
        "says_now": "It now says:",
        "by_hand": "A person corrected these words; the document's file has others.",
        "by_hand_page": "The page shows the words before.",
        "forgotten": "The document that was quoted here has been deleted.",
        "missing": "This link leads to no quotation that you may see.",
        "page": "page",
        "row": "row",
        "quote": "Quotation",
        "picture": "The page with the quotation marked",
    },
}
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:17px/1.6 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:2rem 1.2rem}"
    "header{margin-bottom:1.4rem}h1{font-size:1.15rem;margin:0}.place{opacity:.7;font-size:.92rem}"
    ".text{white-space:pre-wrap;overflow-wrap:anywhere}.around{opacity:.62}"
    "mark{background:#ffedb0;color:#1c1c1c;padding:.08em .12em;border-radius:.2em}"
    ".note{background:#8882;border-radius:.5rem;padding:.7rem 1rem}img{max-width:100%;height:auto;border:1px solid #8884;"
    "border-radius:.4rem;margin-top:1.6rem;background:#fff}.grid{overflow-x:auto;margin-top:1.6rem}table{border-collapse:collapse;"
    "font-size:.92rem}td,th{border:1px solid #8884;padding:.25rem .6rem;text-align:left}tr.marked{background:#ffedb0;color:#1c1c1c}"
)


@router.get("/s/{token}", response_class=HTMLResponse)
async def follow(token: str, request: Request, veraz: Services) -> Response:
    """The quotation in its text with its place and its page; says so when it was corrected, changed or deleted since."""
    language = language_of(request.headers)
    wants_page = "text/html" in request.headers.get("accept", "")
    try:
        found = await veraz.passages.follow(await _whoever(request, veraz), token)
    except errors.Unauthenticated:
        if not wants_page:
            raise
        return RedirectResponse(f"/{language}/login?next={quoted(f'/s/{token}', safe='/')}", 303)
    except errors.NotFound as error:
        if not wants_page:
            raise
        status = problem_of(error, language).status_code
        return HTMLResponse(_document(language, "", _note(_WORDS[language]["missing"])), status)
    status = 410 if found.state == "forgotten" else 200
    if not wants_page:
        quote = passage_view(found.quote).model_dump(mode="json") if found.quote else None
        told = {"state": found.state, "document_name": found.document_name}
        body = told | {"quote": quote, "says_now": found.says_now}
        return JSONResponse(body, status)
    return HTMLResponse(_page(found, token, language), status)


@router.get("/s/{token}/page.png", responses=PNG, response_class=Response)
async def followed_picture(
    token: str,
    request: Request,
    veraz: Services,
    scale: Scale = 1.5,
    page: PageNumber = None,
    marks: Annotated[bool, Query(description="Whether the words are marked.")] = True,
    tag: PictureTag = None,
    known: KnownTag = None,
) -> Response:
    """The page of the quotation with its words marked, or plain; with `page` another one they go on to."""
    actor = await _whoever(request, veraz)
    picture = await veraz.passages.followed_picture(
        actor, token, scale=scale, page=page, known=bare_tag(known), marks=marks
    )
    return picture_response(picture, known, tag)


async def _whoever(request: Request, veraz: Services) -> Actor | None:
    """The caller, or nobody: an open link needs none, and a session that has ended is none."""
    if not token_of(request):
        return None
    try:
        return await caller(request, veraz, None, None)
    except errors.Unauthenticated:
        return None


def _page(found: LinkView, token: str, language: str) -> str:
    words = _WORDS[language]
    if found.state == "forgotten":
        return _document(language, "", _note(words["forgotten"]))
    title = escape(found.document_name or "")
    notes = "".join(map(_note, _sentences(found, words)))
    shown = _shown(found, found.quote, token, language) if found.quote else ""
    return _document(language, title, notes + shown)


def _sentences(found: LinkView, words: Mapping[str, str]) -> Iterator[str]:
    """What has become of the quotation since, or why its page shows other words."""
    if found.state == "changed":
        yield words["changed" if found.quote else "gone"]
    elif found.state == "corrected":
        yield words["corrected" if found.quote else "corrected_gone"]
        if found.says_now:
            yield f"{words['says_now']} {found.says_now}"
    elif found.quote and found.quote.corrected:
        yield words["by_hand"]
        if found.quote.view == "page":
            yield words["by_hand_page"]


def _shown(found: LinkView, quote: QuoteView, token: str, language: str) -> str:
    before, text, after = escape(quote.before), escape(quote.text), escape(quote.after)
    shown = f'<p class="place">{_place(quote, language)}</p><div class="text"><span class="around">{before}</span>'
    shown += f'<mark id="quote">{text}</mark><span class="around">{after}</span></div>'
    if quote.grid:
        shown += _table(quote.grid)
    if quote.view == "page" and found.state in ("current", "corrected"):
        alt, address = escape(_WORDS[language]["picture"]), f"/s/{escape(token)}/page.png"
        for page in quote.pages:
            shown += f'<img src="{address}?page={page.page_number}" alt="{alt}" loading="lazy">'
    return shown


def _place(quote: QuoteView, language: str) -> str:
    words = _WORDS[language]
    parts = list(quote.place)
    parts += [f"{words['page']} {quote.page_number}"] if quote.page_number else []
    parts += [f"{words['row']} {quote.row}"] if quote.row else []
    return escape(" › ".join(parts))


def _table(grid: Grid) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *grid.columns))
    rows = ""
    for row in grid.rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row.cells)
        marked = ' class="marked"' if row.marked else ""
        rows += f"<tr{marked}><th>{row.number or ''}</th>{cells}</tr>"
    return f'<div class="grid"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _note(sentence: str) -> str:
    return f'<p class="note">{escape(sentence)}</p>'


def _document(language: str, title: str, body: str) -> str:
    name = title or escape(_WORDS[language]["quote"])
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="robots" content="noindex">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name} · Veraz</title>'
        f"<style>{_STYLE}</style></head><body><header><h1>{name}</h1></header><main>{body}</main></body></html>"
    )
