"""Nobody pays for an answer that nobody waits for: who hangs up ends the call to the model, over every door."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from pydantic import SecretStr

from veraz.api.app import create_app
from veraz.providers.chat.pick import pick_chat
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.chat_server import ChatServer, chat_server
    from tests.support.door import Door
    from tests.support.loopback import served
else:
    from support.chat_server import ChatServer, chat_server
    from support.door import Door
    from support.loopback import served

GYM = "# Gimnasio\n\nLa cuota mensual del gimnasio municipal es de 30 euros.\n"
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
ANSWER = "La cuota mensual del gimnasio municipal es de 30 euros [Chunk 1]."


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.answer = ANSWER
        running.misbehave("stall")
        yield running


@pytest.fixture
async def address(
    at_work: Door, door_settings: Settings, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Door, str, str]]:
    """The application on a real port, and an agent whose model stops in the middle of its answer."""
    reachable = {"openai_api_key": SecretStr("k"), "openai_base_url": f"{model.url}/v1"}
    chats = door_settings.model_copy(update=reachable)
    monkeypatch.setattr(
        at_work.veraz.answers, "_chats", lambda name, fallback: pick_chat(name, chats, fallback)
    )
    acme = at_work.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
    body = {"name": "Lenta", "model": "openai:loopback", "retrieval": {"rewrite": False}}
    agent = (await acme.call("POST", "/agents", 201, json=body))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    async with served(create_app(at_work.veraz)) as url:
        yield at_work, url, agent


async def until(done: Any) -> None:
    """Until the other side has noticed."""
    async with asyncio.timeout(60):
        while not done():  # noqa: ASYNC110 - the server's thread tells in no other way
            await asyncio.sleep(0.02)


async def test_a_closed_stream_ends_the_call_to_the_model(
    address: tuple[Door, str, str], model: ChatServer
) -> None:
    door, url, agent = address
    async with (
        httpx.AsyncClient(base_url=url, headers=door.acme.headers, timeout=60) as client,
        client.stream(
            "POST", f"/api/v1/agents/{agent}/ask", json={"question": QUESTION, "stream": True}
        ) as answer,
    ):
        assert answer.status_code == 200
        lines = answer.aiter_lines()  # kept: an iterator nobody holds is closed, and the connection with it
        while await anext(lines) != "event: found":
            pass
        await until(lambda: model.requests)
    await until(lambda: model.hung_up == 1)


@pytest.mark.parametrize("door_name", ["json", "openai", "openai streaming"])
async def test_who_waits_for_checked_text_may_hang_up_too(
    address: tuple[Door, str, str], model: ChatServer, door_name: str
) -> None:
    door, url, agent = address
    messages = [{"role": "user", "content": QUESTION}]
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "json": (f"/api/v1/agents/{agent}/ask", {"question": QUESTION}),
        "openai": ("/v1/chat/completions", {"model": "Lenta", "messages": messages}),
        "openai streaming": (
            "/v1/chat/completions",
            {"model": "Lenta", "stream": True, "messages": messages},
        ),
    }
    path, body = requests[door_name]
    async with httpx.AsyncClient(base_url=url, headers=door.acme.headers, timeout=60) as client:
        asking = asyncio.create_task(client.post(path, json=body))
        await until(lambda: model.requests)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    await until(lambda: model.hung_up == 1)
    await until_logged(door, agent)


async def until_logged(door: Door, agent: str) -> None:
    """Also a question nobody waits for has its line in the log."""
    async with asyncio.timeout(60):
        while not (await door.acme.call("GET", f"/queries?agent={agent}", 200))["items"]:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
