"""Connections that say nothing, or too slowly, end; those that move go on, and nobody takes all the places."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import websockets
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from veraz.api.addresses import TrustedProxies
from veraz.api.connections import Limits, Places, patient

if TYPE_CHECKING:
    from tests.support.loop_watch import watched
    from tests.support.loopback import served
else:
    from support.loop_watch import watched
    from support.loopback import served

QUICK = Limits(head_seconds=0.6, stall_seconds=0.6, progress=10, connections=500, per_address=450)
HEAD = b"POST /takes HTTP/1.1\r\nHost: veraz.test\r\n"


async def health(_: Request) -> Response:
    return PlainTextResponse("ok")


async def takes(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def tells(_: Request) -> Response:
    async def events() -> AsyncIterator[bytes]:
        for number in range(8):
            yield f"data: {number}\n\n".encode()
            await asyncio.sleep(0.25)

    return StreamingResponse(events(), media_type="text/event-stream")


async def floods(_: Request) -> Response:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 65_536
            await asyncio.sleep(0)

    return StreamingResponse(endless())


async def echoes(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


ROUTES = [
    Route("/healthz", health),
    Route("/takes", takes, methods=["POST"]),
    Route("/tells", tells),
    Route("/floods", floods),
    WebSocketRoute("/echoes", echoes),
]


@asynccontextmanager
async def opened(limits: Limits = QUICK, *, proxies: tuple[str, ...] = ()) -> AsyncIterator[Any]:
    """A server with these limits: its address and its places."""
    kind = patient(limits, TrustedProxies(proxies))
    async with served(Starlette(routes=ROUTES), http=kind, proxy_headers=False) as address:
        yield address, kind.places


async def line(address: str, source: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A bare connection."""
    place = urlsplit(address)
    return await asyncio.open_connection(place.hostname, place.port, local_addr=(source, 0))


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What came until the other side closed."""
    async with asyncio.timeout(20):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


async def test_four_hundred_half_open_connections_end_and_health_answers_meanwhile() -> None:
    async with opened() as (address, places):
        lines = [await line(address) for _ in range(400)]
        for number, (_, writer) in enumerate(lines):
            writer.write(HEAD if number % 2 else b"")
        async with httpx.AsyncClient(base_url=address) as http:
            assert (await http.get("/healthz")).text == "ok"
        answers = await asyncio.gather(*(ended(reader) for reader, _ in lines))
        assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in answers)
        async with asyncio.timeout(20):
            while places.all:  # noqa: ASYNC110 - they leave when the loop hears of it
                await asyncio.sleep(0.01)
        assert not places.taken


async def test_a_head_that_drips_ends_although_it_moves() -> None:
    async with opened() as (address, _):
        reader, writer = await line(address)
        answer = asyncio.create_task(ended(reader))
        for sign in HEAD * 20:
            if answer.done():
                break
            writer.write(bytes([sign]))
            await asyncio.sleep(0.05)
        assert (await answer).startswith(b"HTTP/1.1 408 ")


async def test_a_body_that_stands_still_ends_and_one_that_moves_slowly_arrives() -> None:
    async with opened() as (address, _):
        reader, writer = await line(address)
        writer.write(HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 100)
        assert (await ended(reader)).startswith(b"HTTP/1.1 408 ")

        async def slowly() -> AsyncIterator[bytes]:
            for _ in range(12):
                yield b"y" * 50
                await asyncio.sleep(0.2)

        async with httpx.AsyncClient(base_url=address, timeout=30) as http:
            assert (await http.post("/takes", content=slowly())).text == "600"


async def test_a_stream_of_events_lasts_longer_than_all_patience() -> None:
    async with opened() as (address, _), httpx.AsyncClient(base_url=address, timeout=30) as http:
        assert (await http.get("/tells")).text.count("data:") == 8


async def test_who_never_reads_the_answer_is_left() -> None:
    async with opened() as (address, places):
        _, writer = await line(address)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET /floods HTTP/1.1\r\nHost: veraz.test\r\n\r\n")
        await writer.drain()
        async with asyncio.timeout(20):
            while not places.all:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            while places.all:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_one_address_leaves_places_for_others() -> None:
    few = replace(QUICK, per_address=5, head_seconds=30)
    async with opened(few) as (address, _):
        mine = [await line(address, "127.0.0.2") for _ in range(5)]
        reader, _ = await line(address, "127.0.0.2")
        assert (await ended(reader)).startswith(b"HTTP/1.1 503 ")
        async with httpx.AsyncClient(base_url=address) as http:
            assert (await http.get("/healthz")).text == "ok"
        for _, writer in mine:
            writer.close()


async def test_a_trusted_proxy_brings_as_many_as_there_are_places() -> None:
    few = replace(QUICK, per_address=2, connections=6, head_seconds=30)
    async with opened(few, proxies=("127.0.0.0/8",)) as (address, places):
        lines = [await line(address) for _ in range(6)]
        reader, _ = await line(address)
        assert (await ended(reader)).startswith(b"HTTP/1.1 503 ")
        assert places.all == 6
        for _, writer in lines:
            writer.close()


async def test_addresses_of_one_network_share_its_places() -> None:
    places = Places(replace(QUICK, per_address=2))
    assert [places.take(f"2001:db8:1:2::{number}") for number in range(3)] == [True, True, False]
    assert places.take("2001:db8:1:3::1")
    for number in range(2):
        places.give_back(f"2001:db8:1:2::{number}")
    assert places.take("2001:db8:1:2::9")


async def test_strangers_leave_places_for_those_who_are_known_and_for_this_machine() -> None:
    places = Places(replace(QUICK, connections=100, per_address=10), TrustedProxies(["10.9.9.9"]))
    places.know("10.0.1.1")
    for number in range(200):
        places.take(f"10.0.0.{number // 10}")
    assert places.all == 75
    assert not places.take("10.0.1.2")
    assert places.take("10.0.1.1")
    while places.take("10.9.9.9"):
        pass
    assert places.all == 95
    assert not places.take("10.0.1.1")
    assert places.take("127.0.0.1")


async def test_who_sends_thousands_of_requests_at_once_is_left() -> None:
    async with opened() as (address, places):
        reader, writer = await line(address)
        with watched() as holds:
            writer.write(b"GET /healthz HTTP/1.1\r\n\r\n" * 14_000)
            answers = await ended(reader)
        assert answers.count(b"200 OK") <= 9
        assert holds.longest <= 0.1
        async with asyncio.timeout(20):
            while places.all:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_few_requests_at_once_are_all_answered() -> None:
    async with opened() as (address, _):
        reader, writer = await line(address)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: veraz.test\r\n\r\n" * 6)
        for _ in range(6):
            assert b"200 OK" in await reader.readuntil(b"ok")
        writer.close()


async def test_a_socket_keeps_its_place_until_it_closes() -> None:
    async with opened() as (address, places):
        async with websockets.connect(address.replace("http", "ws") + "/echoes") as socket:
            await asyncio.sleep(2 * QUICK.head_seconds)
            await socket.send("¿sigue?")
            assert await socket.recv() == "¿sigue?"
            assert places.all == 1
        async with asyncio.timeout(20):
            while places.all:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_head_without_end_is_refused() -> None:
    async with opened() as (address, _):
        for head in (
            b"X-Long: " + b"y" * 200_000,
            b"".join(b"X-%d: y\r\n" % n for n in range(9_000)) + b"Z: z",
        ):
            reader, writer = await line(address)
            writer.write(HEAD + head + b"\r\n\r\n")
            assert (await ended(reader)).startswith(b"HTTP/1.1 431 ")


async def test_a_connection_kept_alive_serves_again_and_then_ends() -> None:
    async with opened() as (address, _):
        reader, writer = await line(address)
        for _ in range(2):
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: veraz.test\r\n\r\n")
            assert b"200 OK" in await reader.readuntil(b"ok")
        writer.write(b"GET /hea")  # the next one is never finished
        assert (await ended(reader)).startswith(b"HTTP/1.1 408 ")
