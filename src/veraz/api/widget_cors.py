"""Other origins and the widget's doors: exactly the pages a widget names may read the answers, without cookies; nobody else."""

import re
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veraz import errors
from veraz.api.problems import language_of, problem_of
from veraz.channels.widget.origins import allows
from veraz.channels.widget.settings import Widget
from veraz.channels.widget.visitors import WidgetVisitors

_PATH: Final = re.compile(r"/widget/([A-Za-z0-9_-]{16})(?:/|$)")
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}


class WidgetCors:
    """Finds the widget a request is about, answers preflights, and lets allowed pages read what the doors say."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _PATH.match(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            visitors: WidgetVisitors = scope["app"].state.veraz.widget_visitors
            widget = await visitors.widget(found[1])
        except errors.VerazError as error:
            await problem_of(error, language_of(headers))(scope, receive, send)
            return
        scope.setdefault("state", {})["widget"] = widget
        origin = headers.get("origin", "")
        told = _told(origin, send) if _may_read(widget, origin) else send
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            await _preflight(headers, told is not send)(scope, receive, told)
        else:
            await self.app(scope, receive, told)


class ApiCors(CORSMiddleware):
    """The installation's own list of origins; the widgets have theirs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _PATH.match(scope["path"]):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def _may_read(widget: Widget | None, origin: str) -> bool:
    return widget is not None and widget.enabled and allows(widget.origins, origin)


def _told(origin: str, send: Send) -> Send:
    async def with_origin(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = "Retry-After"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers.add_vary_header("Origin")
        await send(message)

    return with_origin


def _preflight(headers: Headers, allowed: bool) -> Response:
    if allowed:
        return Response(status_code=204, headers=_PREFLIGHT)
    refused = errors.OriginNotAllowed(origin=headers.get("origin", "–")[:200])
    return problem_of(refused, language_of(headers))
