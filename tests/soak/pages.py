"""The pages under load: `python -m tests.soak.pages [--documents 10000] [--chunks 5000] [--sessions 100]`.

A knowledge base with thousands of documents, a document with thousands of chunks: how long the server works on each page,
how soon a person can use it in Chromium, how long the next page of the list takes; then a hundred people with open pages,
and the memory of the process that shows them. Fails over its limits. Not below other load: it measures this machine.
"""

import argparse
import asyncio
import re
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID, uuid4

import httpx
import psutil
from playwright.async_api import Page, expect
from tests.support.browser import ADMIN, PASSWORD, chromium, idle, running_veraz, sign_in, signed_in
from tests.support.load import fresh_home, made_up
from websockets.asyncio.client import ClientConnection, connect

from veraz.settings import Settings
from veraz.wiring import open_veraz

USABLE_S, ALL_SESSIONS_MB, NEXT_S = 2.0, 1024, 1.0
MODEL = "fake:words@512"
_CLIENT = re.compile(r"client_id['\"]: ['\"]([0-9a-f-]+)")
_MESSAGE = re.compile(r"next_message_id['\"]: ['\"]?(\d+)")
_NEXT = '.q-btn:has(i:text-is("chevron_right")), .q-btn:has(i:text-is("keyboard_arrow_right"))'
_MORE_DOCUMENTS = """
insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, status, progress_percent, chunks_count, indexed_at,
                            created_at)
select gen_random_uuid(), %(kb)s, 'documento-' || lpad(number::text, 5, '0') || '.md', 'upload', 'md', 2000 + number,
       'completed', 100, 3, now(), now() - number * interval '1 second'
from generate_series(1, %(count)s) number
"""


def main() -> None:
    """Seeds, measures, prints, and fails over a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--sessions", type=int, default=100)
    sys.exit(asyncio.run(_measure(parser.parse_args())))


async def _measure(options: argparse.Namespace) -> bool:
    with fresh_home("veraz-pages-") as home:
        environment = {"VERAZ_EMBEDDING_MODEL": MODEL, "VERAZ_LOG_LEVEL": "error"}
        async with running_veraz(home, **environment) as url:
            addresses = await _seed(home, url, options)
            print(f"{'page':<12}{'server ms':>11}{'p95':>8}{'usable s':>10}{'next s':>9}")
            server = await _server_times(url, addresses)
            slow = await _browser_times(url, addresses, server)
            heavy = await _sessions(url, list(addresses.values()), options.sessions, home)
    return slow or heavy


async def _seed(home: Path, url: str, options: argparse.Namespace) -> dict[str, str]:
    """The knowledge base and the long document; the addresses of their pages."""
    http = await signed_in(url, ADMIN)
    tenant = (await http.get("/api/v1/tenant")).json()
    await http.patch(f"/api/v1/tenants/{tenant['id']}", json={"plan": "unlimited"})
    kb = (await http.post("/api/v1/knowledge-bases", json={"name": "Muchos"})).json()["id"]
    long = (await http.post("/api/v1/knowledge-bases", json={"name": "Largo"})).json()["id"]
    await _add(http, kb, "primero.md", made_up(0, 2_000))
    characters = options.chunks * 400
    while True:
        document = await _add(http, long, f"largo-{characters}.md", made_up(1, characters))
        chunks = (await http.get(f"/api/v1/knowledge-bases/{long}/documents/{document}")).json()[
            "chunks_count"
        ]
        if chunks >= options.chunks:
            break
        characters = int(characters * options.chunks / max(chunks, 1) * 1.05)
    await _multiply(home, kb, options.documents - 1)
    print(f"documents {options.documents:,}; chunks of the long one {chunks:,}", flush=True)
    base = "/es/knowledge-bases"
    return {
        "list": f"{base}/{kb}",
        "document": f"{base}/{long}/documents/{document}",
        "console": "/es/console",
    }


async def _add(http: httpx.AsyncClient, kb: str, name: str, text: str) -> str:
    files = [("files", (name, text.encode()))]
    answer = await http.post(f"/api/v1/knowledge-bases/{kb}/documents", files=files)
    assert answer.status_code == 202, answer.text
    await idle(http, kb, seconds=3600)
    return str(answer.json()[0]["document_id"])


async def _multiply(home: Path, kb: str, count: int) -> None:
    async with open_veraz(Settings(home=home, embedding_model=MODEL, log_level="error")) as veraz:
        actor = await veraz.tenants.operator()
        async with veraz.db.transaction(actor.scope()) as tx:
            await tx.run(_MORE_DOCUMENTS, kb=UUID(kb), count=count)


async def _server_times(url: str, addresses: dict[str, str]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        await _enter(http)
        for name, address in addresses.items():
            times[name] = [await _timed(lambda a=address: http.get(a)) * 1000 for _ in range(12)][2:]  # type: ignore[misc]
    return times


async def _enter(http: httpx.AsyncClient) -> None:
    form = {"email": ADMIN, "password": PASSWORD}
    answer = await http.post("/es/login", data=form, headers={"Origin": str(http.base_url).rstrip("/")})
    assert answer.status_code == 303, answer.text


async def _timed(do: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await do()
    return time.perf_counter() - begun


async def _browser_times(url: str, addresses: dict[str, str], server: dict[str, list[float]]) -> bool:
    slow = False
    async with chromium(shutil.which("chromium") or "/usr/bin/chromium") as browser:
        for name, address in addresses.items():
            context = await browser.new_context(viewport={"width": 1280, "height": 860})
            page = await sign_in(context, url, ADMIN)
            usable = [await _timed(lambda: _open(page, url + address, name)) for _ in range(3)]  # noqa: B023
            following = await _timed(lambda: _turn(page)) if name != "console" else 0.0  # noqa: B023
            _line(name, server[name], statistics.median(usable), following)
            slow = slow or statistics.median(usable) > USABLE_S or following > NEXT_S
            await context.close()
    return slow


def _line(name: str, server: Sequence[float], usable: float, following: float) -> None:
    p95 = sorted(server)[int(0.95 * len(server))]
    print(
        f"{name:<12}{statistics.median(server):>11.0f}{p95:>8.0f}{usable:>10.2f}{following:>9.2f}", flush=True
    )


async def _open(page: Page, address: str, name: str) -> None:
    await page.goto(address)
    ready = {"list": "td.name a", "document": ".passage", "console": "td.name"}[name]
    await page.locator(ready).first.wait_for()


async def _turn(page: Page) -> None:
    """The next page of the list, until its first row is another one."""
    row = page.locator("td.name a, .passage").first
    before = await row.inner_text()
    await page.locator(_NEXT).last.click()
    await expect(row).not_to_have_text(before)


async def _sessions(url: str, addresses: Sequence[str], count: int, home: Path) -> bool:
    """Real sessions: each fetched its page and holds the socket a browser would hold."""
    server = next(one for one in psutil.process_iter(["cmdline"]) if _serves(one, home))
    before = _memory(server)
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=120))
        await _enter(http)
        for number in range(count):
            await stack.enter_async_context(_session(http, url, addresses[number % len(addresses)]))
        await asyncio.sleep(15)
        after = _memory(server)
    print(
        f"{count} sessions: {before:.0f} MB → {after:.0f} MB, each {(after - before) / count:.2f} MB",
        flush=True,
    )
    return after > ALL_SESSIONS_MB


def _serves(process: psutil.Process, home: Path) -> bool:
    words = process.info["cmdline"] or []
    return "serve" in words and str(home) in words


def _memory(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20


@asynccontextmanager
async def _session(http: httpx.AsyncClient, url: str, address: str) -> AsyncIterator[None]:
    page = await http.get(address)
    client, message = _CLIENT.search(page.text), _MESSAGE.search(page.text)
    assert client, f"{page.status_code}: the page names no socket"
    assert message, "the page names no message"
    query = {"client_id": client[1], "next_message_id": message[1], "implicit_handshake": "true"}
    query |= {"tab_id": str(uuid4()), "document_id": str(uuid4()), "EIO": "4", "transport": "websocket"}
    address = f"{url.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?{urlencode(query)}"
    async with connect(address, max_size=None) as socket:
        await socket.recv()
        await socket.send("40")
        assert str(await socket.recv()).startswith("40"), "the socket was refused"
        answering = asyncio.create_task(_answer_pings(socket))
        yield
        answering.cancel()


async def _answer_pings(socket: ClientConnection) -> None:
    async for message in socket:
        if message == "2":
            await socket.send("3")


if __name__ == "__main__":
    main()
