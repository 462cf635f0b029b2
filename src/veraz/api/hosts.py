"""Under which names this installation answers, and from which pages its sockets may be opened.

A page of another site can make its own name point at us (DNS rebinding) and then read our answers as its own. It cannot
make the browser send another name than its own in `Host`, so names that are not ours are refused. Numbers cannot be
pointed anywhere, and nobody can register names below `.localhost` and `.test`.
"""

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from veraz import errors
from veraz.api.problems import language_of, problem_of
from veraz.security import record
from veraz.settings import Settings

_ALIVE: Final = frozenset({"/healthz", "/readyz"})
_POLLED: Final = "/_nicegui_ws/"
_RESERVED: Final = (".localhost", ".test")
_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?")


class HostGuard:
    """Refuses requests under a name that is not ours, and sockets that another site's page opens."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str]) -> None:
        self.app = app
        self.names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in _ALIVE:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = said_host(headers)
        if not is_ours(host, self.names):
            await self._refuse(scope, receive, send, headers, host)
        elif _is_socket(scope, headers) and not _from_our_page(headers, host):
            await self._refuse(scope, receive, send, headers, headers.get("origin", "–"))
        else:
            await self.app(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, headers: Headers, host: str) -> None:
        record("host_refused", outcome="refused", host=host)
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        refused = errors.HostNotAllowed(host=host[:100])
        await problem_of(refused, language_of(headers))(scope, receive, send)


def names_of(settings: Settings) -> frozenset[str]:
    """The names that are ours beside numbers and reserved ones."""
    public = urlsplit(settings.public_url).hostname if settings.public_url else None
    found = {*settings.allowed_hosts, public, settings.host, socket.gethostname(), "localhost"}
    return frozenset(name.lower() for name in found if name)


def said_host(headers: Headers) -> str:
    """What `Host` says. Of two, a proxy may have looked at the other one: together they are nobody's name."""
    return ", ".join(headers.getlist("host"))


def is_ours(host: str, names: frozenset[str]) -> bool:
    """Whether a `Host` header names us."""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return False
    name = parts[1].lower().rstrip(".")
    if name in names or name.endswith(_RESERVED) or _is_number(name) or "*" in names:
        return True
    return any(one.startswith("*.") and name.endswith(one[1:]) for one in names)


def _is_number(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _is_socket(scope: Scope, headers: Headers) -> bool:
    """Also one that is made of requests, for which a browser names the page where it is of another site."""
    polled: bool = scope["path"].startswith(_POLLED) and "origin" in headers
    return scope["type"] == "websocket" or polled


def _from_our_page(headers: Headers, host: str) -> bool:
    """A browser says with every socket from which page it is opened."""
    try:
        return urlsplit(headers.get("origin", "")).netloc == host
    except ValueError:
        return False
