"""Pages for those whom nobody knows yet: so many a minute for each address, and so many that wait for their socket.

A page is kept in memory from when it is asked for until its socket has come and gone. Who asks for pages and never opens a
socket would fill the memory; the oldest of such pages make room. Pages of people who are signed in are counted as theirs.
"""

from typing import Final
from urllib.parse import parse_qs

from nicegui import Client
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from veraz import errors
from veraz.api.problems import language_of
from veraz.wiring import Veraz

MOST_WAITING: Final = 300
"""Pages of nobody that no socket belongs to."""
_SIGN_IN: Final = ("login", "password")


class Visitors:
    """Around the page framework."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not _is_strange(scope):
            await self.app(scope, receive, send)
            return
        try:
            await count_visit(HTTPConnection(scope))
        except errors.RateLimited as error:
            await _refuse(error, scope, receive, send)
            return
        make_room()
        await self.app(scope, receive, send)


async def count_visit(connection: HTTPConnection) -> None:
    """One more page or socket for somebody who has not shown who they are; `RateLimited` where it is too many."""
    veraz: Veraz = connection.app.state.veraz
    await veraz.rates.of_visitor(connection.client.host if connection.client else "?")


def know_visitor(connection: HTTPConnection) -> None:
    """The page that is built for this request is somebody's."""
    connection.state.known = True


def is_known(page: Client | None) -> bool:
    """Whether a page was built for somebody who is signed in."""
    return page is not None and getattr(page.request.state, "known", False)


def make_room() -> None:
    """Forgets the oldest pages of nobody that no socket belongs to."""
    waiting = [
        page for page in Client.instances.values() if not page.has_socket_connection and not is_known(page)
    ]
    for page in waiting[: max(0, len(waiting) - MOST_WAITING + 1)]:
        page.delete()


def _is_strange(scope: Scope) -> bool:
    """A page on the way in, or what speaks for no page of anybody who is signed in."""
    first, _, rest = scope["path"].removeprefix("/").partition("/")
    if first == "_nicegui_ws":
        named = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=50).get("client_id", [""])
        return not is_known(Client.instances.get(named[0]))
    return rest.partition("/")[0] in _SIGN_IN and first != "_nicegui"


async def _refuse(error: errors.RateLimited, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013})
        return
    message = error.message(language_of(Headers(scope=scope)))
    headers = {"Retry-After": str(error.context["seconds"])}
    await PlainTextResponse(message, 429, headers=headers)(scope, receive, send)
