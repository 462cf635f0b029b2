"""A page's socket belongs to the session that opened the page, and speaks for no other page.

The page framework finds a page by an id that every message carries. Here a socket must name a page and bring the session
cookie it was built for, or it ends; what it says is heard only about that page. Pages send words alone: pieces of binary
messages, which the library below collects until all that were announced have come, end a socket too, as does what messages, which the library below collects until all that were announced have come, end a socket too, as does what nobody
can read. Whatever carries it, a frame is measured before it is read, and each page has a budget of them: a small one where
nobody is signed in.
"""

from collections.abc import Awaitable, Callable
from hmac import compare_digest
from inspect import isawaitable
from typing import Any, Final, TypeGuard

from nicegui import Client, core
from nicegui import nicegui as framework
from starlette.requests import cookie_parser

from veraz import errors
from veraz.api.bodies import KB, PAGE, JsonMeter, Portion
from veraz.api.sockets import Bucket, FrameBudget
from veraz.security import record
from veraz.ui.visitors import is_known

_HEARD: Final = ("event", "javascript_response", "ack", "log")
_OF_NOBODY: Final = Portion(bytes=16 * KB, values=500)
_BINARY: Final = ("5", "6")
"""How frames begin that announce pieces to come."""
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
    core.sio.eio.on("message", _in_words(core.sio.eio.handlers["message"]))


def same_session(opened: str | None, brought: str | None) -> bool:
    """Whether a socket may go on with a page. One that was opened by nobody is everybody's."""
    return not opened or compare_digest(opened.encode(), (brought or "").encode())


def _checked(accept: Handshake, cookie: str) -> Handshake:
    async def handshake(sid: str, data: dict[str, Any]) -> bool:
        if not _is_message(data):
            return False
        page = Client.instances.get(str(data["client_id"]))
        if page is not None and not sid.startswith("test-"):
            environ = core.sio.get_environ(sid) or {}
            brought = cookie_parser(environ.get("HTTP_COOKIE", "")).get(cookie)
            if not same_session(page.request.cookies.get(cookie), brought):
                record("access_refused", outcome="refused", action="open a page's socket")
                return False
        return await accept(sid, data)

    handshake.guarded = True  # type: ignore[attr-defined]
    return handshake


def _own(handler: Callable[..., Any]) -> Callable[..., Any]:
    async def heard(sid: str, message: object = None, *_: object) -> None:
        if not _is_message(message):
            return
        if not sid.startswith("test-") and message["client_id"] not in core.sio.rooms(sid):
            record("access_refused", outcome="refused", action="speak for another page")
            return
        outcome = handler(sid, message)
        if isawaitable(outcome):
            await outcome

    return heard


def _in_words(read: Callable[[str, Any], Awaitable[None]]) -> Callable[[str, Any], Awaitable[None]]:
    """Reads one frame; a socket that sends what no page sends, or that belongs to no page after its first words, ends."""

    async def heard(socket: str, frame: object) -> None:
        if not await _is_read(read, socket, frame) or _page_of(socket) is None:
            await _end(socket)

    return heard


async def _is_read(read: Callable[[str, Any], Awaitable[None]], socket: str, frame: object) -> bool:
    if not isinstance(frame, str) or frame.startswith(_BINARY) or not _within_budget(socket, frame):
        return False
    try:
        await read(socket, frame)
    except (ValueError, TypeError, LookupError):
        return False
    return True


def _within_budget(socket: str, frame: str) -> bool:
    """Whether the socket still listens, the page may say as much, and the frame holds no more than a page says."""
    there = core.sio.eio.sockets.get(socket)
    if there is None or there.closing or there.closed:
        return False
    known = is_known(_page_of(socket))
    budget = getattr(there, "budget", None)
    if budget is None or budget.known != known:
        budget = there.budget = _PageBudget(known)
    return bool(budget.takes(frame))


class _PageBudget:
    """What one page may say over its socket."""

    def __init__(self, known: bool) -> None:
        self.known = known
        self._portion = PAGE if known else _OF_NOBODY
        self._left = FrameBudget() if known else FrameBudget(Bucket(200, 20), Bucket(128 * KB, 16 * KB))

    def takes(self, frame: str) -> bool:
        """Whether it may be read."""
        sent = frame.encode("utf-8", "surrogatepass")
        if len(sent) > self._portion.bytes or not self._left.spend(len(sent)):
            return False
        try:
            JsonMeter(self._portion).feed(sent)
        except errors.VerazError:
            return False
        return True


async def _end(socket: str) -> None:
    """At once, also where the other side neither reads nor hangs up."""
    if there := core.sio.eio.sockets.get(socket):
        await there.close(wait=False)
        await there.queue.put(None)  # after its last words, the one who sends them hangs up


def _page_of(socket: str) -> Client | None:
    sid = core.sio.manager.sid_from_eio_sid(socket, "/")
    rooms = core.sio.rooms(sid) if sid is not None else ()
    return next((Client.instances[room] for room in rooms if room in Client.instances), None)


def _is_message(said: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(said, dict) and isinstance(said.get("client_id"), str)
