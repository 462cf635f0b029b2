"""`/s/…`: a permanent link to a quotation, as a small page for people and as JSON for programs."""

from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from veraz import errors
from veraz.api.caller import Services, address_of, caller, token_of
from veraz.api.link_page import link_page, missing_page
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
from veraz.passages.model import SourceView
from veraz.tenancy.model import Actor

router = APIRouter(tags=["passages"])


@router.get("/s/{token}", response_class=HTMLResponse)
async def follow(token: str, request: Request, veraz: Services) -> Response:
    """The quotation in its text with its place and its page; says so when it was corrected, changed or deleted since."""
    language = language_of(request.headers)
    wants_page = "text/html" in request.headers.get("accept", "")
    try:
        actor = await _whoever(request, veraz)
        shown = await _shown(veraz, actor, token, drawn=wants_page)
    except errors.Unauthenticated:
        if not wants_page:
            raise
        return RedirectResponse(f"/{language}/login?next={quoted(f'/s/{token}', safe='/')}", 303)
    except errors.NotFound as error:
        if not wants_page:
            raise
        status = problem_of(error, language).status_code
        return HTMLResponse(missing_page(language), status)
    found = shown.found
    status = 410 if found.state == "forgotten" else 200
    if not wants_page:
        quote = passage_view(found.quote).model_dump(mode="json") if found.quote else None
        told = {"state": found.state, "document_name": found.document_name}
        body = told | {"quote": quote, "says_now": found.says_now}
        return JSONResponse(body, status)
    return HTMLResponse(link_page(shown, token, language, signed_in=actor is not None), status)


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


async def _shown(veraz: Services, actor: Actor | None, token: str, *, drawn: bool) -> SourceView:
    if drawn:
        return await veraz.passages.show(actor, token)
    return SourceView(found=await veraz.passages.follow(actor, token))


async def _whoever(request: Request, veraz: Services) -> Actor | None:
    """The caller, or nobody: an open link needs none, and a session that has ended is none. Nobody counts by address."""
    if not token_of(request):
        await veraz.rates.of_stranger(address_of(request))
        return None
    try:
        return await caller(request, veraz, None, None)
    except errors.Unauthenticated:
        return None
