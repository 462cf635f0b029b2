"""A small web site on loopback whose every byte the test decides."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Handler = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class WebSite:
    """Pages by path: bytes as they go over the wire, or a handler that writes them itself."""

    pages: dict[str, bytes | Handler] = field(default_factory=dict)
    visits: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    port: int = 0

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            self.requests.append(head)
            self.visits.append(path)
            self.hosts.append(
                next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: "))
            )
            page = self.pages.get(path, reply(b"no", status="404 Not Found"))
            if callable(page):
                await page(writer)
            else:
                writer.write(page)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def reply(body: bytes = b"", *, status: str = "200 OK", kind: str = "text/html", **headers: str) -> bytes:
    """A whole answer; header names are written with underscores."""
    lines = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def redirect(to: str, status: str = "302 Found") -> bytes:
    return reply(status=status, Location=to)


@asynccontextmanager
async def web_site(tls: ssl.SSLContext | None = None) -> AsyncIterator[WebSite]:
    """A running site; it stops, connections and all, with the block."""
    site = WebSite()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.ensure_future(site.answer(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
