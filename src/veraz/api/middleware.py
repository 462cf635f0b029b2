"""Around every request: an id, a measured time, a size limit, security headers. Plain ASGI, streaming stays streaming."""

import re
import time
from http import HTTPMethod
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veraz import errors
from veraz.api.bodies import BodyRefused, JsonMeter, Portion, Portions
from veraz.api.connections import know_address
from veraz.api.headers import add_headers, nonce_of
from veraz.api.problems import language_of, problem, problem_of, speaking
from veraz.api.strangers import Admission, Held
from veraz.ids import new_id
from veraz.observe import REQUEST_SECONDS, REQUESTS, log, request_id
from veraz.security import address, caller

_SAFE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

_METHODS: Final = frozenset(HTTPMethod)


class RequestMiddleware:
    """Gives the request an id, times it, counts it, logs it without its content."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self.app = app
        self.https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address.set(scope["client"][0] if scope.get("client") else None)
        caller.set(None)
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        rid = given if _SAFE_ID.fullmatch(given) else str(new_id())
        token = request_id.set(rid)
        speaking.set(language_of(Headers(scope=scope)))
        nonce_of(scope)
        started, status, answering = time.perf_counter(), 500, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, answering
            if message["type"] == "http.response.start":
                status, answering = message["status"], True
                self._add_headers(scope, MutableHeaders(scope=message), rid)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001 - the door's outermost handler
            log.error("request_crashed", path=scope["path"], exc_info=error)
            if not answering:
                language = language_of(Headers(scope=scope))
                answer = problem(500, errors.VerazError.code, errors.VerazError().message(language))
                await answer(scope, receive, send_with_headers)
        finally:
            if caller.get() is not None:
                know_address(scope)
            self._record(scope, status, time.perf_counter() - started)
            request_id.reset(token)

    def _add_headers(self, scope: Scope, headers: MutableHeaders, rid: str) -> None:
        headers["X-Request-ID"] = rid
        _stay(scope, headers)
        add_headers(scope, headers, https=self.https)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        REQUESTS.labels(method, route, status).inc()
        REQUEST_SECONDS.labels(method, route).observe(seconds)
        level = log.info if status < 500 else log.error
        level("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


def _stay(scope: Scope, headers: MutableHeaders) -> None:
    """The router's redirects repeat the host the caller claimed; a path alone leads nobody elsewhere."""
    location = headers.get("location", "")
    claimed = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
    if location.startswith(f"{claimed}/"):
        headers["location"] = "/" + location.removeprefix(claimed).lstrip("/\\")


class BodyLimit:
    """Refuses more than the portion of the route: bytes by the header at once or while they stream, JSON by its values; and
    more than strangers may send."""

    def __init__(self, app: ASGIApp, *, json_bytes: int, upload_bytes: int) -> None:
        self.app = app
        self.json_bytes = json_bytes
        self.upload_bytes = upload_bytes
        self._portions: Portions | None = None
        self._held = Held()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        portion = self._portion(scope)
        streamed = portion.files and headers.get("content-type", "").lower().startswith("multipart/form-data")
        limit = self.upload_bytes if streamed else portion.bytes
        error = errors.TooLarge(what="body", limit=f"{limit // 1024} KiB")
        declared = headers.get("content-length", "0")
        if not declared.isdecimal() or len(declared) > 15 or int(declared) > limit:
            await problem_of(error, language_of(headers))(scope, receive, send)
            return
        meter = None if streamed else JsonMeter(portion)
        admission = Admission(scope, portion, self._held)
        try:
            await self.app(scope, _measured(receive, limit, error, meter, admission), send)
        finally:
            admission.end()

    def _portion(self, scope: Scope) -> Portion:
        if self._portions is None:  # pages and other doors come after the middleware
            self._portions = Portions(scope["app"].routes)
        return self._portions.of(scope["method"], scope["path"]).within(self.json_bytes)


def _measured(
    receive: Receive, limit: int, error: errors.TooLarge, meter: JsonMeter | None, admission: Admission
) -> Receive:
    seen = 0

    async def measure() -> Message:
        nonlocal seen
        message = await receive()
        piece = message.get("body", b"")
        seen += len(piece)
        try:
            if seen > limit:
                raise error
            if meter and piece:
                meter.feed(piece)
            await admission.take(len(piece), seen)
        except errors.VerazError as refused:
            raise BodyRefused(refused) from refused
        return message

    return measure
