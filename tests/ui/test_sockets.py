"""What may be said to a page over its socket, and by whom."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import pytest
import websockets
from nicegui import Client, core

from veraz.api.caller import COOKIE
from veraz.api.sockets import LARGEST_FRAME, PatientSocket
from veraz.ui.visitors import MOST_WAITING, is_known

if TYPE_CHECKING:
    from tests.support.loop_watch import watched
    from tests.support.loopback import served
    from tests.ui.conftest import Pages
else:
    from support.loop_watch import watched
    from support.loopback import served

PASSWORD = "correcto caballo batería"

Socket = websockets.ClientConnection


@pytest.fixture
async def url(pages: "Pages") -> AsyncIterator[str]:
    """The pages on a real port."""
    limits = {"ws": PatientSocket, "ws_max_size": LARGEST_FRAME, "ws_per_message_deflate": False}
    async with served(pages.http._transport.app, **limits) as address:  # type: ignore[attr-defined]
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


@pytest.mark.parametrize("inside", ["[]", "{}", "1"])
async def test_a_frame_of_many_values_is_not_read_and_holds_nobody(url: str, inside: str) -> None:
    page = await _page(url)
    frame = f'42["event",{{"client_id":"{page["client_id"]}","id":"x","x":[{",".join([inside] * 170_000)}]}}]'
    async with _socket(url, page) as socket:
        assert str(await socket.recv()).startswith("40")
        with watched() as holds, pytest.raises(websockets.ConnectionClosed):
            await socket.send(frame)
            await _until_closed(socket)
        assert holds.longest <= 0.1


async def test_a_socket_that_never_rests_ends_and_another_page_goes_on(url: str) -> None:
    async with _socket(url, await _page(url)) as other, _socket(url, await _page(url)) as socket:
        with pytest.raises(websockets.ConnectionClosed):
            for number in range(2_000):
                await socket.send(f'42{number}["log",{{"client_id":"nobody"}}]')
                await asyncio.sleep(0)
            await _until_closed(socket)
        await other.send('421["log",null]')
        assert await _answer(other, 1) == "431[]"


async def test_a_socket_full_of_pings_ends_and_holds_nobody(url: str) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert socket.transport is not None
        with watched() as holds:
            for beginning in (b"\x89\x80....", b"\x01\x80....", b"\x00\x80...."):  # pings, and empty pieces
                socket.transport.write(beginning * 30_000)
            with suppress(websockets.ConnectionClosed):
                await _until_closed(socket)
        assert holds.longest <= 0.1


async def test_nothing_is_unpacked(url: str) -> None:
    async with _socket(url, await _page(url)) as socket:
        assert not socket.protocol.extensions


async def test_strangers_open_only_so_many_pages_and_sockets(
    pages: "Pages", monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = {"Cookie": f"{COOKIE}={(await pages.veraz.sign_in.login('ana@acme.test', PASSWORD)).token}"}
    few = pages.veraz.settings.model_copy(update={"stranger_requests_per_minute": 5})
    monkeypatch.setattr(pages.veraz.rates, "settings", few)
    polled = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    statuses = [
        (await pages.http.get(path)).status_code
        for path in ("/es/login", "/en/password", polled, "/es/", "/es/login", "/es/login", polled, "/es/")
    ]
    assert statuses == [200, 200, 200, 303, 200, 429, 429, 429]
    assert (await pages.http.get("/es/", headers=cookie)).status_code == 200


async def test_pages_that_nobody_opens_a_socket_for_make_room(pages: "Pages") -> None:
    cookie = {"Cookie": f"{COOKIE}={(await pages.veraz.sign_in.login('ana@acme.test', PASSWORD)).token}"}
    await pages.http.get("/es/", headers=cookie)
    mine = list(Client.instances)[-1]
    for _ in range(MOST_WAITING + 20):
        await pages.http.get("/es/login")
    assert mine in Client.instances
    assert sum(not is_known(page) for page in Client.instances.values()) <= MOST_WAITING + 5


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
