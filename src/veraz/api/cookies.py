"""The Cookie header, held to what browsers send, before anybody reads it.

Python's reader of quoted cookies takes quadratic time over backslashes (CVE-2024-7592). No cookie of ours has one; what
another program on this host has set goes on without them.
"""

from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_COOKIES: Final = 8 * 1024
"""Bytes of all cookies together."""
_TOO_LARGE: Final = PlainTextResponse("the cookies are too large", 431)


class PlainCookies:
    """Refuses a request or a socket with more, and takes the backslashes out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers") or []
        brought = [value for name, value in headers if name == b"cookie"]
        if sum(map(len, brought)) > MOST_COOKIES:
            await _refuse(scope, receive, send)
            return
        if any(b"\\" in value for value in brought):
            plain = [(name, _plain(value) if name == b"cookie" else value) for name, value in headers]
            scope = {**scope, "headers": plain}
        await self.app(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _TOO_LARGE(scope, receive, send)


def _plain(cookies: bytes) -> bytes:
    return cookies.replace(b"\\", b"")
