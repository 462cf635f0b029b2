"""A page's socket belongs to the session that opened the page, and speaks for no other page.

The page framework finds a page by an id that every message carries. Here a socket must bring the session cookie the page
was built for, and what it says is heard only about the page it was opened for.
"""

from collections.abc import Awaitable, Callable
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from inspect import isawaitable
from typing import Any, Final

from nicegui import Client, core
from nicegui import nicegui as framework

from veraz.security import record

_HEARD: Final = ("event", "javascript_response", "ack", "log")
Handshake = Callable[[str, dict[str, Any]], Awaitable[bool]]


def guard_sockets(cookie: str) -> None:
    """Once per process; `cookie` is the name of the session's."""
    accept = framework._on_handshake
    if getattr(accept, "guarded", False):
        return
    handshake = _checked(accept, cookie)
    framework._on_handshake = handshake
    core.sio.on("handshake", handshake)
    for name in _HEARD:
        core.sio.on(name, _own(core.sio.handlers["/"][name]))


def same_session(opened: str | None, brought: str | None) -> bool:
    """Whether a socket may go on with a page. One that was opened by nobody is everybody's."""
    return not opened or compare_digest(opened.encode(), (brought or "").encode())


def _checked(accept: Handshake, cookie: str) -> Handshake:
    async def handshake(sid: str, data: dict[str, Any]) -> bool:
        page = Client.instances.get(str(data.get("client_id")))
        if page is not None and not sid.startswith("test-"):
            environ = core.sio.get_environ(sid) or {}
            brought = _cookies(environ.get("HTTP_COOKIE", "")).get(cookie)
            if not same_session(page.request.cookies.get(cookie), brought):
                record("access_refused", outcome="refused", action="open a page's socket")
                return False
        return await accept(sid, data)

    handshake.guarded = True  # type: ignore[attr-defined]
    return handshake


def _own(handler: Callable[..., Any]) -> Callable[..., Any]:
    async def heard(sid: str, message: dict[str, Any]) -> None:
        about = message.get("client_id")
        if not sid.startswith("test-") and about not in core.sio.rooms(sid):
            record("access_refused", outcome="refused", action="speak for another page")
            return
        outcome = handler(sid, message)
        if isawaitable(outcome):
            await outcome

    return heard


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}
