"""The widget's doors at the root: the script, and what it calls from the pages of others as a visitor without an account."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import Field

from veraz import errors
from veraz.answer.model import Answered, Event, Searching, Wrote
from veraz.api.caller import Caller, Services, same_origin
from veraz.api.passages import (
    PNG,
    KnownTag,
    PageNumber,
    PassageView,
    Scale,
    bare_tag,
    passage_view,
    picture_response,
)
from veraz.api.problems import language_of, problem_of
from veraz.api.schemas import Body, Text, View
from veraz.api.widget_test_page import test_page
from veraz.channels.widget.settings import Widget
from veraz.channels.widget.tokens import VALID_SECONDS, Visitor
from veraz.channels.widget.visitors import Talk, WidgetQuestion, said_of
from veraz.channels.widget.wording import plain

router = APIRouter(tags=["widget"])

KEEP_ALIVE_SECONDS: Final = 15.0
_LONGEST_QUESTION: Final = 2_000
"""Characters; what the script lets a visitor type."""
_SCRIPT_CACHE: Final = "public, max-age=600, stale-while-revalidate=86400"

PublicId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$")]
Preview = Annotated[str | None, Query(max_length=200, description="For our own test page.")]
Language = Annotated[Literal["es", "en"], Query()]
Number = Annotated[int, Path(ge=0, le=1_000)]


class LookView(View):
    """How the widget looks and what it offers."""

    title: str
    greeting: str
    colour: str
    ink: str
    position: Literal["right", "left"]
    language: Literal["auto", "es", "en"]
    suggestions: bool
    sources: bool


class SessionBody(Body):
    """Nothing, or what our own test page brings."""

    preview: Annotated[str, Field(max_length=200)] | None = None


class SessionView(View):
    """A visitor's token; send it as `Authorization: Bearer <token>`, and here again to get a fresh one."""

    token: str
    expires_in: int


class WidgetAskBody(Body):
    """A visitor's question."""

    question: Annotated[Text, Field(min_length=1, max_length=_LONGEST_QUESTION)]
    fresh: bool = False
    """Begins a new conversation."""
    again: bool = False
    """It was sent before; where it has no answer yet, this one is its answer."""


class HandOverBody(Body):
    """Who is to answer from now on."""

    person: bool
    language: Literal["es", "en"] = "es"
    fresh: bool = False
    """Calls the person into a new conversation."""


class SourceView(View):
    """A quotation that `passages/{message}/{claim}/{quote}` shows."""

    number: int
    claim: int
    quote: int
    document_name: str
    page_number: int | None
    sheet: str | None
    row: int | None


class SaidView(View):
    """A message; U+E000 and U+E001 surround the numbers of its sources in the text."""

    id: UUID
    role: Literal["visitor", "agent", "person"]
    text: str
    sources: list[SourceView]
    refused: bool
    created_at: datetime


class TalkView(View):
    """The visitor's conversation."""

    with_person: bool
    answering: bool
    messages: list[SaidView]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtWidget:
    """A visitor whose page may show the widget."""

    widget: Widget
    visitor: Visitor
    address: str


async def at_widget(public_id: PublicId, request: Request, veraz: Services) -> AtWidget:
    """The visitor of the token, at a page that may show the widget."""
    widget: Widget | None = request.state.widget
    origin, own = _page_of(request)
    visitor = veraz.widget_visitors.tokens.read(_token(request), widget.id) if widget else None
    trying = visitor is not None and visitor.trying and own
    admitted = veraz.widget_visitors.admit(widget, origin, trying=trying)
    if visitor is None:
        raise errors.SessionExpired()
    return AtWidget(widget=admitted, visitor=visitor, address=_address(request))


Visit = Annotated[AtWidget, Depends(at_widget)]


@router.get("/widget.js", response_class=Response, responses={200: {"content": {"text/javascript": {}}}})
async def script(known: KnownTag = None) -> Response:
    """The script: `<script src="…/widget.js" data-agent="…" async></script>`."""
    code, tag = _script()
    headers = {
        "ETag": f'"{tag}"',
        "Cache-Control": _SCRIPT_CACHE,
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    if bare_tag(known) == tag:
        return Response(status_code=304, headers=headers)
    return Response(code, media_type="text/javascript; charset=utf-8", headers=headers)


@router.get("/widget/{public_id}")
async def look(
    public_id: PublicId, request: Request, response: Response, veraz: Services, preview: Preview = None
) -> LookView:
    """How it looks, for a page that may show it."""
    admitted, _ = _admitted(request, veraz, preview)
    await veraz.widget_visitors.limits.look(_address(request))
    response.headers["Cache-Control"] = "no-store"
    return LookView.model_validate(admitted)


@router.post("/widget/{public_id}/session")
async def session(public_id: PublicId, request: Request, veraz: Services, body: SessionBody) -> SessionView:
    """A token for a visitor. Who sends theirs, also one that ended days ago, stays who they are."""
    admitted, trying = _admitted(request, veraz, body.preview)
    token = await veraz.widget_visitors.session(
        admitted, _token(request) or None, _address(request), trying=trying
    )
    return SessionView(token=token, expires_in=VALID_SECONDS)


@router.post(
    "/widget/{public_id}/ask",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def ask(body: WidgetAskBody, visit: Visit, request: Request, veraz: Services) -> StreamingResponse:
    """The events searching, text (all that is proven so far), answered and error."""
    question = WidgetQuestion(text=body.question, fresh=body.fresh, again=body.again)
    events = veraz.widget_visitors.ask(visit.widget, visit.visitor, question, visit.address)
    first = await anext(events)  # what is refused at once is a problem, not a stream
    lines = _lines(visit.widget, first, events, language_of(request.headers))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines, media_type="text/event-stream", headers=headers)


@router.get("/widget/{public_id}/messages")
async def messages(visit: Visit, veraz: Services, after: UUID | None = None) -> TalkView:
    """What was said in the visitor's own conversation, also by people of the team; with `after` what is new."""
    await veraz.widget_visitors.limits.look(visit.address)
    return _talk(await veraz.widget_visitors.talk(visit.widget, visit.visitor, after))


@router.post("/widget/{public_id}/handoff")
async def hand_over(body: HandOverBody, visit: Visit, veraz: Services) -> TalkView:
    """Calls a person of the team into the conversation, or gives it back to the agent."""
    talk = await veraz.widget_visitors.hand_over(
        visit.widget, visit.visitor, visit.address, **body.model_dump()
    )
    return _talk(talk)


@router.get("/widget/{public_id}/suggestions")
async def suggestions(visit: Visit, veraz: Services, language: Language = "es") -> list[str]:
    """Questions to begin with that the agent's documents answer."""
    await veraz.widget_visitors.limits.look(visit.address)
    return await veraz.widget_visitors.suggestions(visit.widget, visit.visitor, language)


@router.get("/widget/{public_id}/passages/{message_id}/{claim}/{quote}")
async def passage(
    message_id: UUID, claim: Number, quote: Number, visit: Visit, veraz: Services
) -> PassageView:
    """A quotation of one of the visitor's own answers where it stands."""
    await veraz.widget_visitors.limits.look(visit.address)
    actor, at = await veraz.widget_visitors.quoted(visit.widget, visit.visitor, message_id, claim, quote)
    return passage_view(await veraz.passages.look(actor, at.chunk_id, at.start, at.end))


@router.get(
    "/widget/{public_id}/passages/{message_id}/{claim}/{quote}/page.png",
    responses=PNG,
    response_class=Response,
)
async def page_picture(
    message_id: UUID,
    claim: Number,
    quote: Number,
    visit: Visit,
    veraz: Services,
    scale: Scale = 1.5,
    page: PageNumber = None,
    known: KnownTag = None,
) -> Response:
    """Its page with the words marked."""
    await veraz.widget_visitors.limits.look(visit.address)
    actor, at = await veraz.widget_visitors.quoted(visit.widget, visit.visitor, message_id, claim, quote)
    picture = await veraz.passages.picture(
        actor, at.chunk_id, at.start, at.end, scale=scale, page=page, known=bare_tag(known)
    )
    return picture_response(picture, known)


@router.get("/widget/{public_id}/test", response_class=HTMLResponse, include_in_schema=False)
async def try_it(
    public_id: PublicId, request: Request, actor: Caller, veraz: Services, language: Language = "es"
) -> HTMLResponse:
    """A page with the widget, for who manages its agent; also before it is enabled."""
    widget: Widget | None = request.state.widget
    if widget is None:
        raise errors.NotFound(thing="widget", id=public_id)
    await veraz.widgets.of_agent(actor, widget.agent_id)
    preview = veraz.widget_visitors.tokens.preview(widget.id)
    return HTMLResponse(test_page(widget, preview, language))


def _admitted(request: Request, veraz: Services, preview: str | None) -> tuple[Widget, bool]:
    """The widget, and whether it is our own test page that shows it."""
    widget: Widget | None = request.state.widget
    origin, own = _page_of(request)
    trying = own and widget is not None and veraz.widget_visitors.tokens.is_preview(preview, widget.id)
    return veraz.widget_visitors.admit(widget, origin, trying=trying), trying


def _page_of(request: Request) -> tuple[str | None, bool]:
    """The origin of the page that calls, and whether it is ours; browsers leave it out where a page reads its own site."""
    origin = request.headers.get("origin")
    if origin is not None:
        return origin, same_origin(request)
    if request.headers.get("sec-fetch-site") == "same-origin":
        return f"{request.url.scheme}://{request.headers.get('host', '')}", True
    return None, False


def _token(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip()[:500] if scheme.lower() == "bearer" else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else "?"


def _talk(talk: Talk) -> TalkView:
    return TalkView.model_validate(talk)


async def _lines(
    widget: Widget, first: Event, events: AsyncGenerator[Event, None], language: str
) -> AsyncIterator[str]:
    text = ""
    try:
        async with aclosing(_kept_alive(first, events)) as told:
            async for event in told:
                text += event.delta if isinstance(event, Wrote) else ""
                yield _line(widget, event, text)
    except errors.VerazError as error:
        yield f"event: error\ndata: {bytes(problem_of(error, language).body).decode()}\n\n"


def _line(widget: Widget, event: Event | None, text: str) -> str:
    match event:
        case None:
            return ": still here\n\n"
        case Searching():
            return _sse("searching", {})
        case Wrote():
            return _sse("text", {"text": plain(text)})
        case Answered():
            said = SaidView.model_validate(said_of(widget, event)).model_dump(mode="json")
            with_person = event.answer.handoff
            waits = event.answer.refusal == "human"
            return _sse("answered", {"message": None if waits else said, "with_person": with_person})
        case _:
            return ""


def _sse(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


async def _kept_alive(
    first: Event, events: AsyncGenerator[Event, None]
) -> AsyncGenerator[Event | None, None]:
    """The events, and None where nothing has happened for a while: something between us might hang up."""
    yield first
    async with aclosing(events):
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                while not (await asyncio.wait({coming}, timeout=KEEP_ALIVE_SECONDS))[0]:
                    yield None
                if (event := coming.result()) is None:
                    return
            finally:
                coming.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await coming
            yield event


@cache
def _script() -> tuple[bytes, str]:
    code = files("veraz.api").joinpath("static", "widget.js").read_bytes()
    return code, hashlib.sha256(code).hexdigest()[:16]
