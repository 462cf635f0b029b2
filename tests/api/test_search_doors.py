"""Searching over HTTP: documents that came in by the front door, odd requests, other companies."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

POLICY = """# Devoluciones

Los productos electrónicos tienen un período de devolución de 30 días desde la fecha de compra.

# Envíos

El envío a las islas tarda entre cinco y siete días laborables.
"""
FIELDS = {
    "chunk_id", "document_id", "document_name", "content", "page_number", "headers", "similarity_score", "cosine",
    "keyword_rank", "rrf_score", "relevance", "source_tier", "authority_score", "evidence_level", "metadata",
}  # fmt: skip


async def test_a_document_that_came_in_is_found_explained_and_counted(at_work: Door) -> None:
    acme = at_work.acme
    document = await acme.bring("politica-devoluciones.md", POLICY.encode())
    await acme.ended(document)
    path = f"/knowledge-bases/{acme.kb}"
    question = {
        "query": "¿Cuál es el período de devolución de productos electrónicos?",
        "similarity_threshold": 0,
    }
    found = await acme.call("POST", f"{path}/search", 200, json=question)
    assert set(found["results"][0]) >= FIELDS
    assert found["results"][0]["document_id"] == document
    assert "30 días" in found["results"][0]["content"]
    assert found["formatted_context"].startswith("[CORPUS GLOBAL]\npolitica-devoluciones.md")
    assert found["total_chunks_searched"] >= 1
    assert found["search_time_ms"] > 0
    why = await acme.call("POST", f"{path}/search/why", 200, json=question | {"words": "electrónicos"})
    assert (why["reason"], why["document_id"], why["passages"][0]["vector_rank"]) == ("found", document, 1)

    agent = (await acme.call("POST", "/agents", 201, json={"name": "Ventas"}))["id"]
    empty = await acme.call("POST", f"/agents/{agent}/search", 200, json=question)
    assert empty["results"] == []
    why = await acme.call("POST", f"/agents/{agent}/explain", 200, json=question | {"document_id": document})
    assert why["reason"] == "not_assigned"
    assert "no está asignada" in why["message"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    same = await acme.call("POST", f"/agents/{agent}/search", 200, json=question)
    assert [r["chunk_id"] for r in same["results"]] == [r["chunk_id"] for r in found["results"]]

    log = await acme.call("GET", f"/queries?agent={agent}", 200)
    assert [entry["question"] for entry in log["items"]] == [question["query"]] * 2
    stats = await acme.call("GET", f"{path}/stats", 200)
    assert stats["use"]["queries"] == 2
    assert stats["total_documents"] == 1
    assert stats["last_queried_at"]


async def test_the_other_company_finds_and_sees_nothing(door: Door) -> None:
    acme, rival = door.acme, door.rival
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Ventas"}))["id"]
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json={"query": "secreto"})
    await rival.call("POST", f"/knowledge-bases/{acme.kb}/search", 404, json={"query": "secreto"})
    await rival.call("POST", f"/agents/{agent}/search", 404, json={"query": "secreto"})
    await rival.call("GET", f"/knowledge-bases/{acme.kb}/stats", 404)
    assert (await rival.call("GET", "/queries", 200))["items"] == []


NOBODY = "00000000-0000-0000-0000-000000000000"
JSON = {"Content-Type": "application/json"}
NO_SENSE: list[dict[str, Any]] = [
    {},
    {"query": ""},
    {"query": "   "},
    {"query": "\x00"},
    {"query": "a\x00b"},
    {"query": "\u200b\u200e"},
    {"query": "a\ud800"},
    {"query": "x" * 10_001},
    {"query": 5},
    {"query": ["a"]},
    {"query": "a", "top_k": 0},
    {"query": "a", "top_k": -1},
    {"query": "a", "top_k": 51},
    {"query": "a", "top_k": 10**9},
    {"query": "a", "top_k": 10**40},
    {"query": "a", "top_k": 1.5},
    {"query": "a", "top_k": "many"},
    {"query": "a", "similarity_threshold": 1.5},
    {"query": "a", "similarity_threshold": -0.1},
    {"query": "a", "similarity_threshold": 1e308},
    {"query": "a", "similarity_threshold": "NaN"},
    {"query": "a", "embedding": [0.1, 0.2]},
    {"query": "a", "filters": []},
    {"query": "a", "filters": {"unknown": 1}},
    {"query": "a", "filters": {"document_ids": ["x"]}},
    {"query": "a", "filters": {"document_ids": [None]}},
    {"query": "a", "filters": {"document_ids": [NOBODY] * 1_001}},
    {"query": "a", "filters": {"metadata": "x"}},
    {"query": "a", "filters": {"metadata": {"k": "\x00"}}},
    {"query": "a", "filters": {"metadata": {"k\ud800": 1}}},
    {"query": "a", "filters": {"date_range": {"from": "yesterday"}}},
    {"query": "a", "filters": {"date_range": {"from": "2024-02-30"}}},
    {"query": "a", "filters": {"date_range": {"from": "10000-01-01"}}},
    {"query": "a", "filters": {"date_range": {"to": "0000-00-00"}}},
    {"query": "a", "filters": {"date_range": {"to": 10**15}}},
    {"query": "a", "filters": {"date_range": {"until": "2024-01-01"}}},
]
ODD = [
    "de la", "🤔", "👩‍👩‍👧‍👦🇪🇸", "';drop table x;--", "a & !b | (c:*)", "x" * 10_000, r"\ud800 %s {} $1", "<-> <2> :* & | ! ( )",
    "'' \\ '", "%(query)s %%", "\u202eevil\u202c", "ﷺ" * 50, "a\tb\nc\r\n", "٠١٢ ½ Ⅷ", "NULL", "*",
]  # fmt: skip


async def agent_of(person: Any) -> str:
    agent = (await person.call("POST", "/agents", 201, json={"name": "Ventas"}))["id"]
    await person.call("PUT", f"/agents/{agent}/knowledge-bases/{person.kb}", 200)
    return str(agent)


async def test_requests_that_make_no_sense_are_refused_in_words(door: Door) -> None:
    acme, agent = door.acme, await agent_of(door.acme)
    for body in NO_SENSE:
        for path, more in (
            (f"/knowledge-bases/{acme.kb}/search", {}),
            (f"/agents/{agent}/search", {}),
            (f"/agents/{agent}/explain", {"document_id": NOBODY}),
            (f"/knowledge-bases/{acme.kb}/search/why", {"document_id": NOBODY}),
        ):
            answer = await acme.send("POST", path, content=json.dumps(body | more).encode(), headers=JSON)
            assert answer.status_code == 422, (path, str(body)[:200], answer.text)
            assert answer.json()["code"] == "invalid"


async def test_questions_that_make_no_sense_are_refused_in_words(door: Door) -> None:
    agent = await agent_of(door.acme)
    for body in (
        *({"question": one["query"]} for one in NO_SENSE if list(one) == ["query"]),
        {},
        {"question": "a", "language": "klingon"},
        {"question": "a", "conversation_id": "x"},
        {"question": "a", "stream": "maybe"},
        {"question": "a", "top_k": 5},
    ):
        answer = await door.acme.send(
            "POST", f"/agents/{agent}/ask", content=json.dumps(body).encode(), headers=JSON
        )
        assert answer.status_code == 422, (str(body)[:200], answer.text)
        assert answer.json()["code"] == "invalid"


async def test_odd_questions_are_answered(door: Door) -> None:
    acme, agent = door.acme, await agent_of(door.acme)
    for query in ODD:
        found = await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json={"query": query})
        assert found["results"] == []
        answer = await acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": query})
        assert answer["refused"] or answer["turn"] == "conversation", query
        assert answer["claims"] == []
        body = {"query": query, "document_id": NOBODY}
        await acme.call("POST", f"/agents/{agent}/explain", 404, json=body)


async def test_absurd_days_and_filters_find_nothing(door: Door) -> None:
    for days in ({"from": "0001-01-01", "to": "9999-12-31"}, {"from": "2030-01-01", "to": "2020-01-01"}, {}):
        filters = {"date_range": days, "metadata": {"'; --": "%"}, "document_ids": []}
        body = {"query": "plazo", "filters": filters}
        found = await door.acme.call("POST", f"/knowledge-bases/{door.acme.kb}/search", 200, json=body)
        assert found["results"] == []


async def test_vectors_of_a_wrong_size_are_refused_or_find_nothing(door: Door) -> None:
    wrong: list[Any] = [
        [],
        [0.1] * 3,
        [0.1] * 4_001,
        [0.1] * 20_000,
        "[1,2",
        "x",
        ["a"],
        [None],
        [1e308] * 64,
        {"a": 1},
    ]
    for vector in wrong:
        body = json.dumps({"query_embedding": vector, "match_count": 5}).encode()
        answer = await door.acme.send("POST", "//rest/v1/rpc/match_documents", content=body, headers=JSON)
        assert answer.status_code < 500, (str(vector)[:60], answer.text)
        assert answer.status_code >= 400 or answer.json() == []


async def test_the_right_one_of_forty_eight_that_look_alike_passes_the_threshold(at_work: Door) -> None:
    """Where all documents are alike, what separates them counts, not how near they are to each other."""
    acme = at_work.acme
    views, beds = ("al mar", "al patio", "a la plaza"), ("doble", "individual", "king")
    rooms = [
        await acme.bring(
            f"habitacion_{number}.md",
            (
                f"# Habitación {number}\n\nLa habitación {number} tiene cama {beds[number % 3]} y vista {views[number % 5 % 3]}. "
                f"El desayuno se sirve de 7 a 10. Cuesta {60 + number % 37} euros por noche. La salida es a las 12.\n"
            ).encode(),
        )
        for number in range(201, 249)
    ]
    await acme.ended(*rooms)
    path = f"/knowledge-bases/{acme.kb}/search"
    for number in (205, 214, 231):
        body = {"query": f"¿Qué cama tiene la habitación {number}?"}
        await acme.call("POST", path, 200, json=body)
        await at_work.veraz.search.settle()
        best = (await acme.call("POST", path, 200, json=body))["results"][0]
        assert best["document_name"] == f"habitacion_{number}.md"
        assert best["similarity_score"] >= 0.7


async def test_several_knowledge_bases_are_searched_as_one(at_work: Door) -> None:
    acme, rival = at_work.acme, at_work.rival
    document = await acme.bring("politica.md", POLICY.encode())
    await acme.ended(document)
    other = (await acme.call("POST", "/knowledge-bases", 201, json={"name": "Otra"}))["id"]
    added = await acme.upload(("horario.md", b"# Devoluciones\n\nSe atienden de nueve a siete.\n"), kb=other)
    await acme.idle()
    body = {"query": "devoluciones", "similarity_threshold": 0, "knowledge_base_ids": [acme.kb, other, other]}
    found = await acme.call("POST", "/search", 200, json=body)
    assert {one["document_id"] for one in found["results"]} == {document, added.json()[0]["document_id"]}
    assert {one["kb_id"] for one in found["results"]} == {acme.kb, other}
    only = {"document_ids": [document]}
    one = await acme.call("POST", "/search", 200, json=body | {"filters": only, "top_k": 1})
    assert [each["document_id"] for each in one["results"]] == [document]
    for ids in ([rival.kb], [acme.kb, rival.kb]):
        stranger = await acme.send("POST", "/search", json=body | {"knowledge_base_ids": ids})
        assert stranger.status_code == 404
    assert (await acme.send("POST", "/search", json=body | {"knowledge_base_ids": []})).status_code == 422


async def test_the_threshold_is_held_against_the_similarity_score(at_work: Door) -> None:
    acme = at_work.acme
    await acme.ended(await acme.bring("politica.md", POLICY.encode()))
    await acme.ended(await acme.bring("horario.md", b"# Horario\n\nAbrimos de nueve a siete.\n"))
    path = f"/knowledge-bases/{acme.kb}/search"
    body = {"query": "período de devolución de productos electrónicos", "top_k": 50}
    everything = await acme.call("POST", path, 200, json=body | {"similarity_threshold": 0})
    scores = sorted({one["similarity_score"] for one in everything["results"]})
    assert len(scores) > 1
    for threshold in (scores[0], (scores[0] + scores[-1]) / 2, 1.0):
        found = await acme.call("POST", path, 200, json=body | {"similarity_threshold": threshold})
        wanted = {one["chunk_id"] for one in everything["results"] if one["similarity_score"] > threshold}
        at_least = {one["chunk_id"] for one in everything["results"] if one["similarity_score"] >= threshold}
        assert wanted <= {one["chunk_id"] for one in found["results"]} <= at_least
