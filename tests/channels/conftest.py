"""Fixtures of the channels.

graph    Meta's Graph on loopback
desk     acme's agent «Luna» answers at a WhatsApp number, with a worker; rival has a number of its own
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from argon2 import PasswordHasher

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy import tokens

if TYPE_CHECKING:
    from tests.support import graph_server as meta
    from tests.support.door import Door, Person, open_door, working
else:
    from support import graph_server as meta
    from support.door import Door, Person, open_door, working

GYM = """# Gimnasio

La cuota mensual del gimnasio municipal es de 30 euros. Ana García dirige el gimnasio municipal desde 2015.
"""
RIVAL = "209990000000001"
RIVAL_SECRET = "app-secret-of-the-rival"


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Acme's number and whoever sits behind it."""

    door: Door
    graph: meta.Graph
    agent: str
    project: str
    number: dict[str, Any]

    @property
    def acme(self) -> Person:
        """The company."""
        return self.door.acme

    async def write(self, *messages: dict[str, Any], **more: Any) -> None:
        """Somebody writes; Meta calls and must be thanked."""
        answer = await meta.deliver(self.door.http, meta.call(meta.change(messages)), **more)
        assert answer.status_code == 200, answer.text

    async def report(self, *statuses: dict[str, Any]) -> None:
        """Meta reports on deliveries."""
        answer = await meta.deliver(self.door.http, meta.call(meta.change(statuses=statuses)))
        assert answer.status_code == 200, answer.text

    async def sent(self, number: int, seconds: float = 20) -> list[str]:
        """The texts on people's phones once there are so many."""
        async with asyncio.timeout(seconds):
            while len(self.graph.sent) < number:  # noqa: ASYNC110 - another process would poll too
                await asyncio.sleep(0.01)
        await self.quiet()
        return self.graph.texts

    async def quiet(self, seconds: float = 20) -> None:
        """Until no job is waiting or running."""
        await self.acme.idle(seconds)

    async def talk(self) -> dict[str, Any]:
        """The newest conversation."""
        found: dict[str, Any] = (await self.acme.call("GET", "/conversations", 200))["items"][0]
        return found

    async def said(self) -> list[tuple[str, str]]:
        """Who said what in the newest conversation."""
        path = f"/conversations/{(await self.talk())['id']}/messages"
        items = (await self.acme.call("GET", path, 200))["items"]
        return [(item["role"], item["text"]) for item in items]

    async def deliveries(self, **more: Any) -> list[dict[str, Any]]:
        """What became of the messages of the newest conversation."""
        path = f"/conversations/{(await self.talk())['id']}/deliveries"
        return list((await self.acme.call("GET", path, 200, **more))["items"])

    async def events(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of acme's events of this kind."""
        found = await self.acme.call("GET", f"/events?kind={kind}&limit=500", 200)
        return [event["payload"] for event in found["items"]]


@pytest.fixture
async def graph() -> AsyncIterator[meta.Graph]:
    """Meta's side."""
    async with meta.graph_server() as running:
        yield running


@pytest.fixture
async def desk(
    settings: Settings,
    db: Database,
    worker_db: Database,
    graph: meta.Graph,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Desk]:
    """Acme answers at its number; so does rival, about nothing."""
    monkeypatch.setattr(tokens, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    quick = settings.model_copy(
        update={
            "embedding_model": "fake:hash@64",
            "login_attempts_per_minute": 10_000,
            "whatsapp_graph_url": graph.url,
        }
    )
    async with open_door(quick, db) as door, working(quick, worker_db):
        yield await _furnished(door, graph)
    structlog.configure(wrapper_class=before)


async def _furnished(door: Door, graph: meta.Graph) -> Desk:
    await door.acme.ended(await door.acme.bring("gimnasio.md", GYM.encode()))
    agent = await agent_of(door.acme, "Luna")
    await door.acme.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{door.acme.kb}", 200)
    number = await number_of(door.acme, agent["id"])
    other = await agent_of(door.rival, "Atlas")
    await number_of(door.rival, other["id"], phone_number_id=RIVAL, app_secret=RIVAL_SECRET)
    return Desk(door=door, graph=graph, agent=agent["id"], project=agent["project_id"], number=number)


async def agent_of(person: Person, name: str, **more: Any) -> dict[str, Any]:
    """A new agent."""
    body = {"name": name, "retrieval": {"similarity_threshold": 0.0}} | more
    made: dict[str, Any] = await person.call("POST", "/agents", 201, json=body)
    return made


async def number_of(person: Person, agent: str, **more: Any) -> dict[str, Any]:
    """A new number."""
    body = {
        "agent_id": agent,
        "phone_number_id": meta.PHONE,
        "access_token": meta.TOKEN,
        "app_secret": meta.SECRET,
        "verify_token": "palabra-acordada",
    }
    made: dict[str, Any] = await person.call("POST", "/whatsapp-numbers", 201, json=body | more)
    return made
