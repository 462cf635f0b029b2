"""A tenant without `ai_agents_enabled` searches and asks through no door; what it has, it may look at and take with it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from tests.support.assistants import assistant, refused, used
    from tests.support.door import Door, Person
    from tests.support.loopback import served
    from tests.support.people import add_key
else:
    from support.assistants import assistant, refused, used
    from support.door import Door, Person
    from support.loopback import served
    from support.people import add_key

GYM = "# Gimnasio\n\nLa cuota mensual del gimnasio municipal es de 30 euros.\n"
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
SITE = "https://www.tienda.mx"
OFF, ON = {"ai_agents_enabled": False}, {"ai_agents_enabled": True}


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A company with an agent that has read a document; another one is the platform's."""

    door: Door
    owner: Person
    agent: str
    project: str
    document: str
    widget: str

    async def switch(self, features: dict[str, bool]) -> None:
        path = f"/tenants/{self.owner.tenant_id}"
        await self.door.acme.call("PATCH", path, 200, json={"features": features})

    def doors(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Every request that searches or asks, by its path and body."""
        agent, kb = f"/agents/{self.agent}", f"/knowledge-bases/{self.owner.kb}"
        ask, query = {"question": QUESTION}, {"query": QUESTION}
        chat = {"model": self.agent, "messages": [{"role": "user", "content": QUESTION}]}
        why = query | {"document_id": self.document}
        lead = {"leadId": "5215550001", "agentId": self.agent, "projectId": self.project, "message": QUESTION}
        rpc, vector = "//rest/v1/rpc", [0.1] * 64
        in_kb = {
            "p_tenant_id": self.owner.tenant_id,
            "p_kb_ids": [self.owner.kb],
            "p_query_embedding": vector,
        }
        in_agent = {"p_agent_id": self.agent, "p_project_id": self.project, "p_query_embedding": vector}
        both = {"query_text": "cuota", "query_embedding": vector, "target_rag_id": self.owner.kb}
        return {
            "ask": (f"{agent}/ask", ask),
            "ask in a stream": (f"{agent}/ask", ask | {"stream": True}),
            "small talk": (f"{agent}/ask", {"question": "hola"}),
            "openai": ("//v1/chat/completions", chat),
            "embeddings": ("//v1/embeddings", {"input": QUESTION}),
            "openai in a stream": ("//v1/chat/completions", chat | {"stream": True}),
            "search an agent": (f"{agent}/search", query),
            "explain": (f"{agent}/explain", why),
            "search a knowledge base": (f"{kb}/search", query),
            "why": (f"{kb}/search/why", why),
            "search several": ("/search", query | {"knowledge_base_ids": [self.owner.kb]}),
            "kairo": ("//webhook/kairo-ai-handler", lead),
            "search_agent_knowledge": (f"{rpc}/search_agent_knowledge", in_agent),
            "search_knowledge_base": (f"{rpc}/search_knowledge_base", in_kb),
            "match_documents": (f"{rpc}/match_documents", {"query_embedding": vector}),
            "search_rag_hybrid": (f"{rpc}/search_rag_hybrid", both),
        }

    async def guest(self) -> httpx.Response:
        """A visitor of the website asks."""
        path, headers = f"/widget/{self.widget}", {"Origin": SITE}
        entered = await self.door.http.post(f"{path}/session", headers=headers, json={})
        headers["Authorization"] = f"Bearer {entered.json()['token']}"
        return await self.door.http.post(f"{path}/ask", headers=headers, json={"question": QUESTION})


@pytest.fixture
async def shop(at_work: Door) -> AsyncIterator[Shop]:
    owner = at_work.rival
    document = await owner.bring("gimnasio.md", GYM.encode())
    await owner.ended(document)
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
    agent = await owner.call("POST", "/agents", 201, json=body)
    await owner.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{owner.kb}", 200)
    settings = {"enabled": True, "origins": [f"{SITE}/contacto"]}
    widget = await owner.call("PATCH", f"/agents/{agent['id']}/widget", 200, json=settings)
    yield Shop(
        door=at_work,
        owner=owner,
        agent=agent["id"],
        project=agent["project_id"],
        document=document,
        widget=widget["public_id"],
    )


async def test_no_door_searches_or_asks_while_the_feature_is_off(shop: Shop) -> None:
    for name, (path, body) in shop.doors().items():
        answer = await shop.owner.send("POST", path, json=body)
        assert answer.status_code == 200, (name, answer.text)
    await shop.switch(OFF)
    for name, (path, body) in shop.doors().items():
        answer = await shop.owner.send("POST", path, json=body)
        assert answer.status_code == 403, (name, answer.text)
        assert "ai_agents_enabled" in answer.text, (name, answer.text)
        assert "30 euros" not in answer.text, name
    log = await shop.owner.call("GET", "/queries", 200)
    await shop.switch(ON)
    assert (
        await shop.owner.send("POST", f"/agents/{shop.agent}/ask", json={"question": QUESTION})
    ).is_success
    assert len((await shop.owner.call("GET", "/queries", 200))["items"]) == len(log["items"]) + 1


async def test_the_website_and_assistants_are_refused_too(shop: Shop) -> None:
    assert "30 euros" in (await shop.guest()).text
    key = await add_key(shop.owner, "ask", "read")
    async with (
        served(shop.door.http._transport.app) as server,  # type: ignore[attr-defined]
        assistant(server, key.headers) as client,
    ):
        asked = {"question": QUESTION, "agent": shop.agent}
        searched = {"query": QUESTION, "knowledge_base": "Base"}
        assert "30 euros" in (await used(client, "ask_agent", **asked))["answer"]
        await shop.switch(OFF)
        assert "feature_disabled" in await refused(client, "ask_agent", **asked)
        assert "feature_disabled" in await refused(client, "search_knowledge", **searched)
    answer = await shop.guest()
    assert "feature_disabled" in answer.text and "30 euros" not in answer.text


async def test_nothing_is_brought_in_but_what_is_there_can_be_taken_out(shop: Shop) -> None:
    await shop.switch(OFF)
    documents = f"/knowledge-bases/{shop.owner.kb}/documents"
    brought = await shop.owner.upload(("b.md", b"# Otro"))
    assert (brought.status_code, brought.json()["code"]) == (403, "feature_disabled")
    again = await shop.owner.send("POST", f"{documents}/reprocess", json={"ids": [shop.document]})
    assert again.status_code == 403, again.text
    assert (await shop.owner.call("GET", f"{documents}/{shop.document}", 200))["name"] == "gimnasio.md"
    assert "30 euros" in (await shop.owner.send("GET", f"{documents}/{shop.document}/file")).text
    await shop.owner.call("DELETE", f"{documents}/{shop.document}", 204)


async def test_another_company_goes_on(shop: Shop) -> None:
    await shop.switch(OFF)
    acme = shop.door.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
    path = f"/knowledge-bases/{acme.kb}/search"
    found = await acme.call("POST", path, 200, json={"query": QUESTION, "similarity_threshold": 0})
    assert "30 euros" in found["results"][0]["content"]
