"""Looking at quotations: their text, place, page and rows; who may look, and who is told nothing."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key, add_person
else:
    from ingest.parse import made_files as made
    from support.door import Door, Person
    from support.people import acting, add_key, add_person

SENTENCE = "La cuota mensual del gimnasio es de 30 euros."
MANUAL = made.pdf(
    "# Gimnasio municipal\nEl gimnasio abre a las nueve de la mañana.\nLos domingos está cerrado todo el día.",
    f"# Cuotas\n{SENTENCE}\nLos jubilados pagan la mitad de la cuota.",
    "# Piscina\nLa piscina cubierta abre solo en invierno.",
)
QUESTION = "¿Cuánto es la cuota mensual del gimnasio?"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
async def ready(at_work: Door) -> AsyncIterator[tuple[Door, str]]:
    """An agent of acme that reads a manual of three pages."""
    acme = at_work.acme
    await acme.ended(await acme.bring("manual.pdf", MANUAL))
    yield at_work, await agent_reading(acme, acme.kb)


async def test_a_quote_has_the_page_heading_and_rectangles_of_its_own_sentence(
    ready: tuple[Door, str],
) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    assert "30 euros" in quote["text"]
    assert quote["page_number"] == 2
    assert quote["place"][-1] == "Cuotas"
    (left, bottom, right, top), *_ = quote["rectangles"]
    assert left == pytest.approx(72, abs=2) and 660 < bottom < top < 720 and right > 200
    evidence = await door.acme.call("POST", f"/agents/{agent}/search", 200, json={"query": QUESTION})
    found = next(one for one in evidence["results"] if one["chunk_id"] == quote["chunk_id"])
    assert found["page_number"] == 1 and found["pages"] == [1, 3] and len(found["bbox"]) == 4
    stored = await door.acme.call("GET", f"/conversations/{await talk(door.acme)}/messages", 200)
    assert stored["items"][-1]["claims"][0]["quotes"][0]["rectangles"] == quote["rectangles"]
    assert stored["items"][-1]["claims"][0]["quotes"][0]["url"] == quote["url"]


async def test_looking_at_a_quote_shows_it_in_its_text_and_on_its_page(ready: tuple[Door, str]) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    start = quote["start_char"] + quote["text"].index(SENTENCE[:-1])
    stretch = quote | {"start_char": start, "end_char": start + len(SENTENCE)}
    seen = await door.acme.call("GET", address(stretch), 200)
    assert seen["text"] == SENTENCE
    assert seen["before"].endswith("Cuotas\n\n") and "Los jubilados pagan" in seen["after"]
    assert (seen["view"], seen["page_number"], seen["changed"]) == ("page", 2, False)
    assert seen["rectangles"] == quote["rectangles"][:1] and seen["place"] == quote["place"]
    whole = await door.acme.call("GET", f"/passages/{quote['chunk_id']}", 200)
    assert quote["text"] in whole["text"] and whole["start_char"] == 0


async def test_the_page_is_drawn_with_the_words_marked_and_known_by_its_tag(ready: tuple[Door, str]) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    marked = await door.acme.send("GET", address(quote, "/page.png"))
    assert marked.status_code == 200 and marked.headers["content-type"] == "image/png"
    assert marked.content.startswith(PNG)
    again = await door.acme.send(
        "GET", address(quote, "/page.png"), headers={"If-None-Match": marked.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    other = await door.acme.send("GET", address(quote, "/page.png") + "&scale=0.5")
    assert other.content.startswith(PNG) and len(other.content) < len(marked.content)
    assert other.headers["etag"] != marked.headers["etag"]


async def test_a_row_is_shown_among_its_rows(at_work: Door) -> None:
    acme = at_work.acme
    rows: list[list[object]] = [["Pieza", "Precio"], *([f"Pieza {n}", n * 10] for n in range(1, 31))]
    document = await acme.bring("precios.xlsx", made.xlsx(Tarifa=rows))
    await acme.ended(document)
    chunk = next(one for one in await acme.chunks(document) if "Pieza 17" in one["content"])
    start = chunk["end_char"] - len(chunk["content"]) + chunk["content"].index("Pieza 17")
    seen = await acme.call("GET", f"/passages/{chunk['id']}?start={start}&end={start + 8}", 200)
    assert (seen["view"], seen["sheet"], seen["text"]) == ("sheet", "Tarifa", "Pieza 17")
    assert seen["grid"]["columns"] == ["Pieza", "Precio"]
    (marked,) = [row for row in seen["grid"]["rows"] if row["marked"]]
    assert marked["cells"] == ["Pieza 17", "170"]
    assert len(seen["grid"]["rows"]) == 13
    assert (await acme.send("GET", f"/passages/{chunk['id']}/page.png")).status_code == 404


async def test_whoever_may_be_told_may_look_and_nobody_else(ready: tuple[Door, str]) -> None:
    door, agent = ready
    acme = door.acme
    quote = await quote_of(acme, agent)
    project = (await acme.call("GET", f"/agents/{agent}", 200))["project_id"]
    member = await add_person(acme, "marta@acme.test", **{project: "member"})
    outsider = await add_person(acme, "otto@acme.test")
    end_user = acting(await add_key(acme, "ask"), user="cliente-7")
    for person, status in ((member, 200), (end_user, 200), (outsider, 404), (door.rival, 404)):
        for path in (address(quote), address(quote, "/page.png")):
            assert (await person.send("GET", path)).status_code == status, (person.headers, path)
    told = await door.rival.call("GET", address(quote), 404)
    absent = await door.rival.call("GET", f"/passages/{uuid4()}", 404)
    assert told["detail"].replace(quote["chunk_id"], "") == absent["detail"].replace(
        absent["detail"].split("«")[1].split("»")[0], ""
    )
    await acme.call("DELETE", f"/agents/{agent}/knowledge-bases/{acme.kb}", 204)
    assert (await member.send("GET", address(quote))).status_code == 404
    assert (await acme.send("GET", address(quote))).status_code == 200


async def test_what_is_bound_to_a_machine_is_for_that_machine(ready: tuple[Door, str]) -> None:
    door, _ = ready
    document = await door.acme.bring("solo.md", "El código del taller es 4711.".encode(), machine_id="PC-7")
    await door.acme.ended(document)
    (chunk,) = await door.acme.chunks(document)
    key = await add_key(door.acme, "ask")
    for machine, status in (("PC-7", 200), ("PC-8", 404), (None, 404)):
        person = acting(key, user="cliente-7", machine=machine)
        assert (await person.send("GET", f"/passages/{chunk['id']}")).status_code == status, machine


async def test_who_reads_the_knowledge_base_sees_of_machines_what_a_search_finds(
    ready: tuple[Door, str],
) -> None:
    door, agent = ready
    bound = made.pdf("# Taller\nEl código de la alarma del taller es 4711.")
    await door.acme.ended(await door.acme.bring("taller.pdf", bound, machine_id="PC-7"))
    key = await add_key(door.acme, "read", "ask", "manage")
    question = "¿Cuál es el código de la alarma del taller?"
    quote = await quote_of(acting(key, machine="PC-7"), agent, question)
    assert "4711" in quote["text"]
    link = urlsplit(quote["url"]).path
    doors = (address(quote), address(quote, "/page.png"), f"/{link}", f"/{link}/page.png")
    for machine, status in (("PC-7", 200), ("PC-8", 404), (None, 404)):
        person = acting(key, machine=machine)
        body = {"query": question, "similarity_threshold": 0}
        found = await person.call("POST", f"/knowledge-bases/{door.acme.kb}/search", 200, json=body)
        assert any("4711" in one["content"] for one in found["results"]) is (status == 200)
        for path in doors:
            assert (await person.send("GET", path)).status_code == status, (machine, path)
    rival = acting(await add_key(door.rival, "read", "ask", "manage"), machine="PC-7")
    for path in doors:
        assert (await rival.send("GET", path)).status_code == 404


async def test_somebody_elses_personal_documents_are_not_found(ready: tuple[Door, str]) -> None:
    door, agent = ready
    project = (await door.acme.call("GET", f"/agents/{agent}", 200))["project_id"]
    marta = await add_person(door.acme, "marta@acme.test", **{project: "member"})
    body = {"name": "Notas", "kind": "personal"}
    kb = (await marta.call("POST", "/knowledge-bases", 201, json=body))["id"]
    own = replace(marta, kb=kb)
    document = await own.bring("nota.md", b"Mi nota secreta.")
    await own.ended(document)
    path = f"/passages/{(await own.chunks(document))[0]['id']}"
    assert (await marta.send("GET", path)).status_code == 200
    assert (await door.acme.send("GET", path)).status_code == 404


async def test_a_chunk_that_is_not_of_the_stored_text_shows_what_it_says_itself(
    ready: tuple[Door, str], owner: Connection[TupleRow]
) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    owner.execute("update veraz.chunk set content = 'Corregido a mano.' where id = %s", (quote["chunk_id"],))
    seen = await door.acme.call("GET", f"/passages/{quote['chunk_id']}", 200)
    assert (seen["text"], seen["changed"], seen["rectangles"]) == ("Corregido a mano.", True, [])


async def test_quotes_of_a_corrected_chunk_have_their_own_page_and_rectangles(
    ready: tuple[Door, str],
) -> None:
    door, agent = ready
    before = await quote_of(door.acme, agent)
    other = "¿Cuándo abre la piscina cubierta?"
    pool = await quote_of(door.acme, agent, other)
    (chunk,) = await door.acme.chunks(before["document_id"])
    content = chunk["content"].replace("de 30 euros", "de 35 euros con descuento")
    path = f"/knowledge-bases/{door.acme.kb}/documents/{before['document_id']}/chunks/{chunk['id']}"
    await door.acme.call("PATCH", path, 200, json={"content": content, "revision": 1})
    after = await quote_of(door.acme, agent)
    assert "35 euros con descuento" in after["text"]
    assert (after["page_number"], after["place"]) == (2, before["place"])
    assert (after["start_char"], after["end_char"]) == (before["start_char"], before["end_char"])
    assert after["rectangles"] == before["rectangles"] != []
    unchanged = await quote_of(door.acme, agent, other)
    kept = ("text", "start_char", "end_char", "page_number", "rectangles", "place", "url")
    assert {name: unchanged[name] for name in kept} == {name: pool[name] for name in kept}
    seen = await door.acme.call("GET", address(after), 200)
    assert "35 euros con descuento" in seen["text"] and "30 euros" not in seen["text"]
    assert (seen["corrected"], seen["changed"], seen["page_number"]) == (True, False, 2)
    assert seen["before"].endswith("Cuotas\n\n") and seen["rectangles"] == after["rectangles"]
    assert (await door.acme.send("GET", address(after, "/page.png"))).content.startswith(PNG)
    beside = await door.acme.call("GET", address(unchanged), 200)
    assert (beside["corrected"], beside["page_number"]) == (False, 3)
    assert "35 euros con descuento" in beside["before"]
    whole = await door.acme.call("GET", f"/passages/{after['chunk_id']}", 200)
    assert whole["text"] == content and whole["corrected"]
    assert (await door.rival.send("GET", address(after))).status_code == 404


async def test_a_corrected_row_is_shown_corrected_among_its_rows(at_work: Door) -> None:
    acme = at_work.acme
    rows: list[list[object]] = [["Pieza", "Precio"], *([f"Pieza {n}", n * 10] for n in range(1, 9))]
    document = await acme.bring("precios.xlsx", made.xlsx(Tarifa=rows))
    await acme.ended(document)
    chunk = next(one for one in await acme.chunks(document) if "Pieza 3" in one["content"])
    path = f"/knowledge-bases/{acme.kb}/documents/{document}/chunks/{chunk['id']}"
    start = chunk["end_char"] - len(chunk["content"]) + chunk["content"].index("Pieza 3")
    right = chunk["content"].replace("Pieza 3", "Pieza tres", 1).replace("30", "33", 1)
    await acme.call("PATCH", path, 200, json={"content": right, "revision": 1})
    seen = await acme.call("GET", f"/passages/{chunk['id']}?start={start}&end={start + 7}", 200)
    assert (seen["view"], seen["sheet"], seen["corrected"]) == ("sheet", "Tarifa", True)
    (marked,) = [row for row in seen["grid"]["rows"] if row["marked"]]
    assert marked["cells"] == ["Pieza tres", "33"]


async def test_a_document_read_before_places_were_has_pages_only_where_they_are_certain(
    ready: tuple[Door, str], owner: Connection[TupleRow]
) -> None:
    door, agent = ready
    owner.execute("delete from veraz.document_text")
    owner.execute("update veraz.chunk set metadata = '{}'")
    found = await door.acme.call("POST", f"/agents/{agent}/search", 200, json={"query": QUESTION})
    assert [(one["page_number"], one["pages"], one["bbox"]) for one in found["results"]] == [
        (None, None, None)
    ]
    quote = await quote_of(door.acme, agent)
    assert (quote["page_number"], quote["rectangles"]) == (None, [])
    seen = await door.acme.call("GET", address(quote), 200)
    assert seen["text"] and seen["page_number"] is None


@pytest.mark.parametrize(
    "span",
    [
        "start=-1",
        "start=9&end=3",
        "start=0&end=900000",
        "start=x",
        "end=99999999999",
        "start=90000&end=90010",
    ],
)
async def test_stretches_that_cannot_be_are_refused(ready: tuple[Door, str], span: str) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    answer = await door.acme.send("GET", f"/passages/{quote['chunk_id']}?{span}")
    assert answer.status_code == 422


async def test_a_stretch_behind_the_end_says_that_the_document_has_changed(ready: tuple[Door, str]) -> None:
    door, agent = ready
    quote = await quote_of(door.acme, agent)
    seen = await door.acme.call("GET", f"/passages/{quote['chunk_id']}?start=5000&end=5010", 200)
    assert (seen["text"], seen["changed"]) == ("", True)


async def test_programs_that_bring_their_own_vector_are_told_the_place_too(ready: tuple[Door, str]) -> None:
    acme = ready[0].acme
    await acme.ended(await acme.bring("precios.xlsx", made.xlsx(Tarifa=[["Pieza", "Precio"], ["Tuerca", 7]])))
    body = {"model": "default", "input": QUESTION}
    embedding = (await acme.call("POST", "//v1/embeddings", 200, json=body))["data"][0]["embedding"]
    asked = {"query_embedding": embedding, "match_threshold": -1}
    rows = await acme.call("POST", "//rest/v1/rpc/match_documents", 200, json=asked)
    told = {row["metadata"]["filename"]: row["metadata"] for row in rows}
    manual, prices = told["manual.pdf"], told["precios.xlsx"]
    assert (manual["page"], manual["pages"], len(manual["bbox"])) == (1, [1, 3], 4)
    assert (prices["sheet"], "page" in prices, "on_page" in manual) == ("Tarifa", False, False)
    hybrid = {"query_text": QUESTION, "query_embedding": embedding, "target_rag_id": acme.kb}
    first = (await acme.call("POST", "//rest/v1/rpc/search_rag_hybrid", 200, json=hybrid))[0]
    assert first["metadata"]["pages"] == [1, 3] and first["metadata"]["headers"] == ["Gimnasio municipal"]


async def agent_reading(person: Person, kb: str) -> str:
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
    agent = str((await person.call("POST", "/agents", 201, json=body))["id"])
    await person.call("PUT", f"/agents/{agent}/knowledge-bases/{kb}", 200)
    return agent


async def quote_of(person: Person, agent: str, question: str = QUESTION) -> dict[str, Any]:
    """The first quote of an answer."""
    answer = await person.call("POST", f"/agents/{agent}/ask", 200, json={"question": question})
    quote: dict[str, Any] = answer["claims"][0]["quotes"][0]
    return quote


async def talk(person: Person) -> str:
    return str((await person.call("GET", "/conversations", 200))["items"][0]["id"])


def address(quote: dict[str, Any], rest: str = "") -> str:
    return f"/passages/{quote['chunk_id']}{rest}?start={quote['start_char']}&end={quote['end_char']}"
