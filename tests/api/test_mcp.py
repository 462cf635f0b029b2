"""Assistants over the Model Context Protocol at /mcp: the same rights as their key, nothing more."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from tests.support.assistants import assistant, refused, used
    from tests.support.door import Door, Person
    from tests.support.loopback import served
    from tests.support.people import acting, add_key, add_person
else:
    from support.assistants import assistant, refused, used
    from support.door import Door, Person
    from support.loopback import served
    from support.people import acting, add_key, add_person

TEXT = "La garantía cubre dos años desde la compra.\n\nEl envío tarda tres días."


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A company with an agent that knows one document, on a real port."""

    address: str
    door: Door
    agent: str
    document: str

    @property
    def acme(self) -> Person:
        return self.door.acme


@pytest.fixture
async def shop(at_work: Door) -> AsyncIterator[Shop]:
    acme = at_work.acme
    agent = await acme.call("POST", "/agents", 201, json={"name": "Ana"})
    await acme.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{acme.kb}", 200, json={})
    document = await acme.bring("garantía.md", TEXT.encode())
    await acme.ended(document)
    async with served(at_work.http._transport.app) as address:  # type: ignore[attr-defined]
        yield Shop(address=address, door=at_work, agent=agent["id"], document=document)


async def test_nothing_is_kept_open_for_who_only_listens(shop: Shop) -> None:
    key = await add_key(shop.acme, "ask")
    for method in ("GET", "DELETE", "HEAD", "OPTIONS"):
        answer = await shop.acme.http.request(method, "/mcp", headers=key.headers, timeout=20)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST"), method


async def test_an_assistant_searches_asks_lists_and_reads_with_citations(shop: Shop) -> None:
    key = await add_key(shop.acme, "admin")
    async with assistant(shop.address, key.headers) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {
            "search_knowledge",
            "ask_agent",
            "list_agents",
            "list_knowledge_bases",
            "list_documents",
            "read_document",
        }
        assert (await used(client, "list_agents"))["agents"][0]["name"] == "Ana"
        shelves = (await used(client, "list_knowledge_bases"))["knowledge_bases"]
        assert [shelf["id"] for shelf in shelves] == [shop.acme.kb]
        listed = await used(client, "list_documents", knowledge_base="Base")
        assert [(d["id"], d["status"]) for d in listed["documents"]] == [(shop.document, "completed")]
        read = await used(client, "read_document", knowledge_base="Base", document_id=shop.document)
        assert "dos años" in read["pieces"][0]["text"]
        for where in ({"knowledge_base": "Base"}, {"agent": "Ana"}, {}):
            found = await used(client, "search_knowledge", query="cubre la garantía dos años", **where)
            assert found["passages"][0]["document"] == "garantía.md"
            assert found["passages"][0]["document_id"] == shop.document
        answer = await used(client, "ask_agent", question="¿Cuántos años cubre la garantía?", agent="Ana")
        cited = {chunk for claim in answer["claims"] for chunk in claim["chunk_ids"]}
        assert not answer["refused"]
        assert cited and cited == {source["chunk_id"] for source in answer["sources"]}


async def test_the_other_tenants_assistant_finds_nothing_of_it(shop: Shop) -> None:
    async with assistant(shop.address, shop.door.rival.headers, "/mcp/") as client:
        assert (await used(client, "list_agents"))["agents"] == []
        shelves = (await used(client, "list_knowledge_bases"))["knowledge_bases"]
        assert [shelf["id"] for shelf in shelves] == [shop.door.rival.kb]
        assert "not_found" in await refused(client, "ask_agent", question="¿Garantía?", agent=shop.agent)
        assert "not_found" in await refused(client, "search_knowledge", query="garantía", agent=shop.agent)
        for shelf in (shop.acme.kb, shop.door.rival.kb):
            sentence = await refused(client, "read_document", knowledge_base=shelf, document_id=shop.document)
            assert "not_found" in sentence
        found = await used(client, "search_knowledge", query="garantía", knowledge_base="Base")
        assert found["passages"] == []


async def test_a_key_does_what_its_scopes_say(shop: Shop) -> None:
    asking, reading = await add_key(shop.acme, "ask"), await add_key(shop.acme, "read")
    async with assistant(shop.address, asking.headers) as client:
        assert not (await used(client, "ask_agent", question="¿Cuánto cubre la garantía?"))["refused"]
        assert "scope_missing" in await refused(client, "list_knowledge_bases")
    async with assistant(shop.address, reading.headers) as client:
        assert (await used(client, "search_knowledge", query="garantía"))["passages"]
        assert "scope_missing" in await refused(client, "ask_agent", question="¿Cuánto cubre la garantía?")


async def test_a_member_talks_to_agents_of_their_projects_only(shop: Shop) -> None:
    outsider = await add_person(shop.acme, "x@acme.test")
    async with assistant(shop.address, outsider.headers) as client:
        assert (await used(client, "list_agents"))["agents"] == []
        assert "not_found" in await refused(client, "ask_agent", question="¿Garantía?", agent="Ana")


async def test_a_revoked_key_a_wrong_one_and_none_are_turned_away(shop: Shop) -> None:
    key = await add_key(shop.acme, "read")
    async with assistant(shop.address, key.headers) as client:
        await used(client, "list_knowledge_bases")
        for one in (await shop.acme.call("GET", "/api-keys", 200))["items"]:
            await shop.acme.call("DELETE", f"/api-keys/{one['id']}", 204)
        with pytest.raises(Exception):  # noqa: B017 - the client's own, whatever it is called
            await used(client, "list_knowledge_bases")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx.AsyncClient(base_url=shop.address) as http:
        for headers in (key.headers, {"Authorization": "Bearer vzk_no"}, {}, {"Cookie": "veraz_session=x"}):
            answer = await http.post("/mcp", json=call, headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert answer.headers["content-type"] == "application/problem+json"


async def test_a_machine_of_a_revoked_licence_is_turned_away(shop: Shop) -> None:
    licence = await shop.acme.call("POST", "/licences", 201, json={"machine_id": "m1"})
    await shop.acme.call("PATCH", f"/licences/{licence['id']}", 200, json={"status": "revoked"})
    key = acting(await add_key(shop.acme, "ask"), machine="m1")
    async with httpx.AsyncClient(base_url=shop.address) as http:
        assert (await http.post("/mcp", json={}, headers=key.headers)).status_code == 403


async def test_wrong_arguments_and_unclear_agents_are_explained(shop: Shop) -> None:
    await shop.acme.call("POST", "/agents", 201, json={"name": "Beto"})
    async with assistant(shop.address, shop.acme.headers) as client:
        assert "«Ana»" in await refused(client, "ask_agent", question="¿Quién responde?")
        assert "top_k" in await refused(client, "search_knowledge", query="x", agent="Ana", top_k=0)
        assert "not_found" in await refused(client, "list_documents", knowledge_base="Nada")


def test_the_application_starts_without_loading_the_sdk() -> None:
    import subprocess
    import sys

    code = "import sys, veraz.api.app; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
