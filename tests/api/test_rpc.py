"""The seeds' functions for PostgREST's clients: the real `postgrest` client over HTTP, on loopback."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from postgrest import APIError, AsyncPostgrestClient, CountMethod

from veraz.api.app import create_app

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.loopback import served
    from tests.support.shelves import vector_of
else:
    from support.door import Door, Person
    from support.loopback import served
    from support.shelves import vector_of

RETURNS = b"# Devoluciones\n\nLas devoluciones se aceptan durante treinta dias con el recibo de compra.\n"
HOURS = b"# Horario\n\nLa tienda abre de nueve a siete, de lunes a viernes.\n"
ASKED = "devoluciones con recibo de compra"


@dataclass(frozen=True, kw_only=True)
class Rest:
    """A server with two companies, each with a key and an agent that reads its knowledge base."""

    url: str
    door: Door
    keys: dict[str, str]
    agents: dict[str, dict[str, Any]]

    def client(self, who: str, schema: str = "public", **headers: str) -> Any:
        """A client with this company's key, as supabase's clients send it."""
        key = self.keys[who]
        return AsyncPostgrestClient(
            f"{self.url}/rest/v1",
            schema=schema,
            headers={"apikey": key, "Authorization": f"Bearer {key}"} | headers,
        )


@pytest.fixture
async def rest(at_work: Door) -> AsyncIterator[Rest]:
    keys, agents = {}, {}
    for name, person in (("acme", at_work.acme), ("rival", at_work.rival)):
        ids = [await person.bring("devoluciones.md", RETURNS), await person.bring("horario.md", HOURS)]
        await person.ended(*ids)
        agents[name] = await _agent(person)
        key = await person.call("POST", "/api-keys", 201, json={"name": "n8n", "scopes": ["manage", "ask"]})
        keys[name] = key["key"]
    async with served(create_app(at_work.veraz)) as url:
        yield Rest(url=url, door=at_work, keys=keys, agents=agents)


async def _agent(person: Person) -> dict[str, Any]:
    projects = await person.call("GET", "/projects", 200)
    project = projects["items"][0]["id"]
    agent = await person.call("POST", "/agents", 201, json={"project_id": project, "name": "Luna"})
    await person.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{person.kb}", json={})
    return dict(agent)


async def embedding() -> list[float]:
    return [float(x) for x in await vector_of(ASKED)]


def of_agent(rest: Rest, who: str, vector: Any) -> dict[str, Any]:
    agent = rest.agents[who]
    return {
        "p_agent_id": agent["id"],
        "p_project_id": agent["project_id"],
        "p_query_embedding": vector,
        "p_match_threshold": 0.0,
    }


async def test_an_agents_knowledge_is_found_and_filtered(rest: Rest) -> None:
    async with rest.client("acme") as client:
        found = await client.rpc(
            "search_agent_knowledge", of_agent(rest, "acme", await embedding())
        ).execute()
        best: Any = found.data[0]
        assert "devoluciones" in best["content"]
        assert set(best) == {"id", "content", "title", "source", "similarity"}
        again = client.rpc("search_agent_knowledge", of_agent(rest, "acme", str(await embedding())))
        narrowed = await again.eq("id", best["id"]).order("similarity", desc=True).limit(1).execute()
        assert narrowed.data == [best]


async def test_the_other_tenant_cannot(rest: Rest) -> None:
    async with rest.client("rival") as client:
        stolen = await client.rpc(
            "search_agent_knowledge", of_agent(rest, "acme", await embedding())
        ).execute()
        assert stolen.data == []
        named = {"p_tenant_id": rest.door.acme.tenant_id, "p_kb_ids": [rest.door.acme.kb]}
        for tenant in (rest.door.acme.tenant_id, rest.door.rival.tenant_id):
            asked = named | {
                "p_tenant_id": tenant,
                "p_query_embedding": await embedding(),
                "p_similarity_threshold": 0,
            }
            assert (await client.rpc("search_knowledge_base", asked).execute()).data == []
        hybrid = {
            "query_text": ASKED,
            "query_embedding": await embedding(),
            "target_rag_id": rest.door.acme.kb,
        }
        assert (await client.rpc("search_rag_hybrid", hybrid).execute()).data == []
        assert (
            await client.rpc("user_owns_rag_project", {"target_rag_id": rest.door.acme.kb}).execute()
        ).data is False
        assert (
            await client.rpc("purge_completed_jobs", {"target_rag_id": rest.door.acme.kb}).execute()
        ).data == 0
    async with rest.client("acme") as client:
        purged = await client.rpc("purge_completed_jobs", {"target_rag_id": rest.door.acme.kb}).execute()
        assert purged.data == 2


async def test_another_schema_is_named_as_postgrest_names_it(rest: Rest) -> None:
    asked = {
        "p_tenant_id": rest.door.acme.tenant_id,
        "p_kb_ids": [rest.door.acme.kb],
        "p_query_embedding": await embedding(),
        "p_similarity_threshold": 0,
    }
    async with rest.client("acme", schema="ai_agents") as client:
        found = await client.rpc("search_knowledge_base", asked).execute()
        names = [row["document_name"] for row in found.data]
        assert names == ["devoluciones.md", "horario.md"]


async def test_langchains_call_finds_memories(rest: Rest) -> None:
    """What the n8n and LangChain «Supabase Vector Store» sends."""
    asked = {"query_embedding": await embedding(), "filter": {}, "match_count": 4}
    async with rest.client("acme") as client:
        found = await client.rpc("match_documents", asked).execute()
        assert {"id", "content", "similarity", "metadata"} == set(found.data[0])
        by_file = client.rpc("match_documents", asked | {"match_threshold": 0})
        only = await by_file.eq("metadata->>filename", "horario.md").execute()
        assert len(only.data) == 1


async def test_counts_ranges_and_single_rows(rest: Rest) -> None:
    asked = {
        "query_text": "devoluciones tienda",
        "query_embedding": await embedding(),
        "target_rag_id": rest.door.acme.kb,
    }
    async with rest.client("acme") as client:
        counted = await client.rpc("search_rag_hybrid", asked, count=CountMethod.exact).limit(1).execute()
        assert (counted.count, len(counted.data)) == (2, 1)
        one = (
            await client.rpc("search_rag_hybrid", asked).select("id", "rrf_score").limit(1).single().execute()
        )
        assert set(one.data) == {"id", "rrf_score"}
        with pytest.raises(APIError) as error:
            await client.rpc("search_rag_hybrid", asked).select("*").single().execute()
        assert error.value.code == "PGRST116"


async def test_a_function_that_only_reads_may_be_got(rest: Rest) -> None:
    asked = of_agent(rest, "acme", str(await embedding()))
    async with rest.client("acme") as client:
        found = await client.rpc("search_agent_knowledge", asked, get=True).limit(1).execute()
        assert len(found.data) == 1
        with pytest.raises(APIError) as error:
            await client.rpc("purge_completed_jobs", {"target_rag_id": rest.door.acme.kb}, get=True).execute()
        assert error.value.code == "25006"


async def test_errors_have_postgrests_form(rest: Rest) -> None:
    good = of_agent(rest, "acme", await embedding())

    async def refused(name: str, arguments: dict[str, Any], order: str = "") -> APIError:
        async with rest.client("acme") as client:
            call = client.rpc(name, arguments)
            with pytest.raises(APIError) as error:
                await (call.order(order) if order else call).execute()
            return error.value

    assert (await refused("no_such_function", {})).code == "PGRST202"
    missing = await refused("search_agent_knowledge", {"p_agent_id": good["p_agent_id"]})
    assert missing.code == "PGRST202" and "p_query_embedding" in (missing.hint or "")
    short = await refused("search_agent_knowledge", good | {"p_query_embedding": [1.0, 2.0]})
    assert short.code == "22000" and "dimensions" in (short.message or "") and short.hint
    assert (await refused("search_agent_knowledge", good | {"p_agent_id": "not an id"})).code == "22P02"
    assert (await refused("search_agent_knowledge", good, order="embedding")).code == "42703"


async def test_no_key_and_a_wrong_key_are_refused(rest: Rest) -> None:
    async with httpx.AsyncClient(base_url=rest.url) as http:
        for headers in ({}, {"apikey": "vzk_wrong"}):
            answer = await http.post(
                "/rest/v1/rpc/match_documents", json={"query_embedding": [1]}, headers=headers
            )
            assert answer.status_code == 401
            assert answer.json()["code"] == "PGRST301"


async def test_a_key_without_the_scope_is_refused(rest: Rest) -> None:
    person = rest.door.acme
    key = await person.call("POST", "/api-keys", 201, json={"name": "ask", "scopes": ["ask"]})
    async with httpx.AsyncClient(base_url=rest.url, headers={"apikey": key["key"]}) as http:
        purge = await http.post("/rest/v1/rpc/purge_completed_jobs", json={"target_rag_id": person.kb})
        assert (purge.status_code, purge.json()["code"]) == (403, "scope_missing")
        found = await http.post("/rest/v1/rpc/match_documents", json={"query_embedding": await embedding()})
        assert found.status_code == 200 and found.json(), "an agent of this key's reads it"


Sent = Callable[[httpx.AsyncClient], Any]
STRANGE: dict[str, Sent] = {
    "no JSON": lambda http: http.post("/rest/v1/rpc/match_documents", content=b"{"),
    "a list": lambda http: http.post("/rest/v1/rpc/match_documents", content=b"[1]"),
    "NaN": lambda http: http.post("/rest/v1/rpc/match_documents", content=b'{"query_embedding":[NaN]}'),
    "deep": lambda http: http.post("/rest/v1/rpc/match_documents", content=b"[" * 100_000),
    "words": lambda http: http.post("/rest/v1/rpc/match_documents", json={"query_embedding": ["a"]}),
    "a number": lambda http: http.post("/rest/v1/rpc/match_documents", json={"query_embedding": 5}),
    "too long": lambda http: http.post(
        "/rest/v1/rpc/match_documents", json={"query_embedding": [1] * 20_000}
    ),
    "a huge count": lambda http: http.post(
        "/rest/v1/rpc/match_documents", json={"query_embedding": [1], "match_count": 10**30}
    ),
    "a NUL": lambda http: http.post(
        "/rest/v1/rpc/search_rag_hybrid",
        json={"query_text": "\x00", "query_embedding": None, "target_rag_id": None},
    ),
    "half a character": lambda http: http.post(
        "/rest/v1/rpc/search_rag_hybrid",
        content=b'{"query_text": "\\ud800", "query_embedding": null, "target_rag_id": null}',
    ),
    "a number no float holds": lambda http: http.post(
        "/rest/v1/rpc/match_documents", content=b'{"query_embedding":[1' + b"0" * 400 + b"]}"
    ),
    "an operator of another type": lambda http: http.get(
        "/rest/v1/rpc/match_documents?query_embedding=[1]&content=cs.a"
    ),
    "a truth that is none": lambda http: http.get(
        "/rest/v1/rpc/match_documents?query_embedding=[1]&similarity=is.true"
    ),
    "an unknown operator": lambda http: http.get("/rest/v1/rpc/match_documents?query_embedding=[1]&id=or.1"),
    "a broken list": lambda http: http.get("/rest/v1/rpc/match_documents?query_embedding=[1]&id=in.1"),
    "an injection": lambda http: http.get("/rest/v1/rpc/match_documents?query_embedding=[1]&order=id;drop"),
    "a negative limit": lambda http: http.get("/rest/v1/rpc/match_documents?query_embedding=[1]&limit=-1"),
}


async def test_what_postgres_refuses_is_said_in_its_own_words(door: Door) -> None:
    """As PostgREST's clients know it from PostgREST."""
    door.http.headers.update(door.acme.headers)
    path = "/rest/v1/rpc/match_documents"
    wrong = await door.http.post(path, json={"query_embedding": "[1]", "match_count": "many"})
    assert wrong.json()["message"] == 'invalid input syntax for type integer: "many"'
    unfit = await door.http.get(path, params={"query_embedding": "[1]", "content": "cs.a"})
    assert (unfit.status_code, unfit.json()["code"]) == (400, "42883")


@pytest.mark.parametrize("name", STRANGE)
async def test_strange_requests_are_the_callers_fault(door: Door, name: str) -> None:
    door.http.headers.update(door.acme.headers)
    answer = await STRANGE[name](door.http)
    assert 200 <= answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert set(answer.json()) == {"code", "message", "details", "hint"}


async def test_a_threshold_means_the_same_over_http_and_sql(rest: Rest) -> None:
    acme = rest.door.acme
    by_vector = {
        "p_tenant_id": acme.tenant_id,
        "p_kb_ids": [acme.kb],
        "p_query_embedding": await embedding(),
    }
    async with rest.client("acme", schema="ai_agents") as client:
        for threshold in (0.0, 0.2, 0.5, 0.7, 0.9):
            asked = {"query": ASKED, "similarity_threshold": threshold}
            found = await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json=asked)
            over_http = {one["document_name"]: one["similarity_score"] for one in found["results"]}
            wish = by_vector | {"p_similarity_threshold": threshold}
            rows = (await client.rpc("search_knowledge_base", wish).execute()).data
            in_sql = {row["document_name"]: row["similarity_score"] for row in rows}
            assert over_http == pytest.approx(in_sql, abs=1e-3)
            assert all(score >= threshold for score in over_http.values())
