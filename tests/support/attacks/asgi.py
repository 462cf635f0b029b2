"""One request straight into an ASGI application: paths, methods and headers as they are, nothing normalised."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

PATIENCE = 30.0
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What goes over the wire."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""

    def text(self) -> str:
        """Everything the caller said, so that an echo is no leak."""
        said = [self.method, self.target, unquote(self.target), *(f"{k}: {v}" for k, v in self.headers)]
        return "\n".join([*said, self.body.decode("utf-8", "replace")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; `hung` when nothing did, `crashed` when it broke off."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    hung: bool = False
    crashed: str = ""

    def header(self, name: str) -> str:
        """The first header of this name, or nothing."""
        return next((value for key, value in self.headers if key == name), "")


async def send(app: Any, request: Request) -> Answer:
    """The whole answer, streams to their end."""
    exchange = _Exchange(request)
    crashed = ""
    try:
        async with asyncio.timeout(PATIENCE):
            await app(exchange.scope(), exchange.receive, exchange.send)
    except TimeoutError:
        return Answer(status=exchange.status, body=bytes(exchange.body), hung=True)
    except Exception as error:  # noqa: BLE001 - whatever the application lets through is what we look for
        crashed = "" if exchange.status else repr(error)
    return Answer(
        status=exchange.status, headers=exchange.headers, body=bytes(exchange.body), crashed=crashed
    )


class _Exchange:
    """The server's side of one request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.status = 0
        self.headers: tuple[tuple[str, str], ...] = ()
        self.body = bytearray()
        self.sent = False
        self.over = asyncio.Event()

    def scope(self) -> dict[str, Any]:
        """As uvicorn would make it."""
        path, _, query = self.request.target.partition("?")
        named = {name.lower() for name, _ in self.request.headers}
        headers = [(k.lower().encode("latin-1"), v.encode("utf-8")) for k, v in self.request.headers]
        if "host" not in named:
            headers.append((b"host", b"veraz.test"))
        if self.request.body and "content-length" not in named:
            headers.append((b"content-length", str(len(self.request.body)).encode()))
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": self.request.method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode("utf-8"),
            "query_string": query.encode("utf-8"),
            "root_path": "",
            "headers": headers,
            "client": ("203.0.113.7", 50_000),
            "server": ("veraz.test", 80),
            "state": {},
        }

    async def receive(self) -> dict[str, Any]:
        """The body once, then the end."""
        if self.sent:
            await self.over.wait()
            return {"type": "http.disconnect"}
        self.sent = True
        return {"type": "http.request", "body": self.request.body, "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        """Keeps what is answered."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = tuple(
                (k.decode("latin-1").lower(), v.decode("latin-1")) for k, v in message.get("headers", ())
            )
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                self.over.set()
