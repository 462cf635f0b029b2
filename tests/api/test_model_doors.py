"""Managers choose models from those that are connected, and try one before they use it."""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.chat_server import ChatServer, chat_server
    from tests.support.door import Door, open_door
    from tests.support.people import add_person
else:
    from support.chat_server import ChatServer, chat_server
    from support.door import Door, open_door
    from support.people import add_person


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    """A provider on loopback."""
    with chat_server() as server:
        yield server


@pytest.fixture
async def connected(door_settings: Settings, db: Database, model: ChatServer) -> AsyncIterator[Door]:
    """An installation that is connected to it, and to nothing else."""
    ours = {"openai_api_key": "loopback", "openai_base_url": f"{model.url}/v1"}
    settings = Settings(**(door_settings.model_dump() | ours | {"ollama_base_url": "http://127.0.0.1:9/v1"}))
    async with open_door(settings, db) as opened:
        yield opened


async def probe(door: Door, name: str, role: str = "writer", status: int = 200) -> Any:
    """One tiny request."""
    return await door.acme.call("POST", "/models/probe", status, json={"role": role, "name": name})


async def test_the_models_of_connected_services_are_listed_and_those_agents_use(connected: Door) -> None:
    body = {"name": "Luna", "model": "openai:mine", "fallback_model": "extractive"}
    await connected.acme.call("POST", "/agents", 201, json=body)
    found = await connected.acme.call("GET", "/models/available", 200)
    assert found["chat"] == ["openai:mine", "openai:loopback"]
    assert {"name": "openai", "answers": True} in found["providers"]
    assert {"name": "ollama", "answers": False} in found["providers"]
    assert (found["default_writer"], found["default_reranker"], found["judges"]) == (None, "local", [])
    theirs = await connected.rival.call("GET", "/models/available", 200)
    assert theirs["chat"] == ["openai:loopback"]


async def test_a_model_that_answers_works(connected: Door) -> None:
    found = await probe(connected, "openai:loopback")
    assert (found["outcome"], found["detail"]) == ("works", "")


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("401", "wrong_key"),
        ("404", "unknown_model"),
        ("500", "no_answer"),
        ("429", "busy"),
        ("empty", "works"),
    ],
)
async def test_what_is_wrong_with_a_model_is_said(
    connected: Door, model: ChatServer, fault: str, outcome: str
) -> None:
    model.misbehave(fault)
    assert (await probe(connected, "openai:loopback", "judge"))["outcome"] == outcome


async def test_a_provider_that_is_not_there_does_not_answer(connected: Door) -> None:
    assert (await probe(connected, "ollama:tiny"))["outcome"] == "no_answer"
    assert (await probe(connected, "local", "reranker"))["outcome"] == "works"


@pytest.mark.parametrize("name", ["anthropic:x", "http://evil.example/v1", "cohere:rerank-v3.5", "local"])
async def test_only_connected_providers_can_be_reached(connected: Door, model: ChatServer, name: str) -> None:
    before = len(model.requests)
    await probe(connected, name, status=422)
    assert len(model.requests) == before


async def test_trying_models_has_a_limit_for_each_tenant(connected: Door) -> None:
    for _ in range(20):
        await probe(connected, "local", "reranker")
    await probe(connected, "local", "reranker", status=429)
    await connected.rival.call("POST", "/models/probe", 200, json={"role": "reranker", "name": "local"})


async def test_members_choose_no_models(connected: Door) -> None:
    project = (await connected.acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(connected.acme, "miguel@acme.test", **{project: "member"})
    await member.call("GET", "/models/available", 403)
    await member.call("POST", "/models/probe", 403, json={"name": "openai:loopback"})
