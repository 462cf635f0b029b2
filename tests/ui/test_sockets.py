"""What may be said to a page over its socket, and by whom."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import pytest
import websockets
from nicegui import core

if TYPE_CHECKING:
    from tests.support.loopback import served
    from tests.ui.conftest import Pages
else:
    from support.loopback import served

Socket = websockets.ClientConnection


@pytest.fixture
async def url(pages: "Pages") -> AsyncIterator[str]:
    """The pages on a real port."""
    async with served(pages.http._transport.app) as address:  # type: ignore[attr-defined]
        yield address


async def test_a_socket_of_no_page_ends(url: str) -> None:
    for query in ({}, {"client_id": str(uuid4()), "implicit_handshake": "true", "tab_id": "t"}):
        async with _socket(url, query) as socket:
            with pytest.raises(websockets.ConnectionClosed):
                await _until_closed(socket)


async def test_a_socket_goes_on_with_its_page(url: str) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert str(await socket.recv()).startswith("40")


@pytest.mark.parametrize(
    "frame", ["459999999-[]", '451-["event",{"_placeholder":true,"num":0}]', "42[", "42{}", "49", "4"]
)
async def test_what_no_page_sends_ends_the_socket(url: str, frame: str) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert str(await socket.recv()).startswith("40")
        await socket.send(frame)
        with pytest.raises(websockets.ConnectionClosed):
            await _until_closed(socket)


async def test_pieces_of_a_message_that_never_ends_are_not_collected(url: str) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert str(await socket.recv()).startswith("40")
        await socket.send('459999-["event",{"_placeholder":true,"num":0}]')
        with pytest.raises(websockets.ConnectionClosed):
            for _ in range(100):
                await socket.send(b"x" * 10_000)
                await socket.recv()
    assert not core.sio._binary_packet


@pytest.mark.parametrize("said", [None, [], 1, "x", {}, {"client_id": []}, {"client_id": {"a": 1}}])
async def test_messages_of_another_shape_are_not_heard(
    url: str, said: object, caplog: pytest.LogCaptureFixture
) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert str(await socket.recv()).startswith("40")
        for number, name in enumerate(("event", "handshake", "log", "ack", "javascript_response")):
            await socket.send(f"42{number}{json.dumps([name, said])}")
            answer = str(await _answer(socket, number))
            assert answer.endswith(("[]", "[false]"))
    assert not caplog.records


async def test_another_site_makes_no_socket_out_of_requests(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as http:
        address = "/_nicegui_ws/socket.io/?EIO=0&transport=polling"  # of no version: none is left open
        foreign = await http.get(address, headers={"Origin": "http://evil.example"})
        own = await http.get(address, headers={"Origin": url})
    assert foreign.status_code == 403
    assert "access-control-allow-origin" not in foreign.headers
    assert own.status_code == 400


async def _page(url: str) -> dict[str, str]:
    """What the script of a page says when it opens its socket."""
    async with httpx.AsyncClient(base_url=url) as http:
        found = re.search(r"client_id\W+([0-9a-f-]{36})", (await http.get("/es/login")).text)
    assert found
    query = {"client_id": found[1], "tab_id": "t", "document_id": "d", "next_message_id": "0"}
    return query | {"implicit_handshake": "true"}


@asynccontextmanager
async def _socket(url: str, query: dict[str, str]) -> AsyncIterator[Socket]:
    asked = urlencode(query | {"EIO": "4", "transport": "websocket"})
    address = f"{url.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?{asked}"
    async with websockets.connect(address, origin=websockets.Origin(url)) as socket:
        await socket.recv()
        await socket.send("40")
        yield socket


async def _until_closed(socket: Socket) -> None:
    for _ in range(100):
        await socket.recv()


async def _answer(socket: Socket, number: int) -> str:
    while not (said := str(await socket.recv())).startswith(f"43{number}"):
        pass
    return said
