"""What a knowledge base lets chunks carry, twins among edited chunks, and failures in the caller's language."""

from typing import TYPE_CHECKING

import pytest

from veraz import errors

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

TEXT = (
    "Primero, el plazo de devolución es de treinta días.\n\nSegundo, el envío a las islas tarda una semana."
)
ENGLISH = {"Accept-Language": "en"}


async def test_a_base_may_keep_pages_and_addresses_to_itself(at_work: Door) -> None:
    acme = at_work.acme
    shown = {}
    for name, flag in (("open", True), ("closed", False)):
        chunking = {"include_page_number": flag, "include_source_url": flag}
        kb = await acme.call(
            "POST", "/knowledge-bases", 201, json={"name": name, "chunking_config": chunking}
        )
        body = {"title": "Plazos", "content": TEXT, "source_url": "https://acme.test/plazos"}
        added = await acme.call("POST", f"/knowledge-bases/{kb['id']}/documents/text", 202, json=body)
        await acme.idle()
        query = {"query": "plazo de devolución", "similarity_threshold": 0}
        found = await acme.call("POST", f"/knowledge-bases/{kb['id']}/search", 200, json=query)
        shown[name] = found["results"][0]
        document = added[0] if isinstance(added, list) else added
        path = f"/knowledge-bases/{kb['id']}/documents/{document['document_id']}"
        assert (await acme.call("GET", path, 200))["source_url"] == "https://acme.test/plazos"
    assert shown["open"]["source_url"] == "https://acme.test/plazos"
    assert shown["closed"]["source_url"] is None
    assert "source_url" not in shown["closed"]["metadata"]
    assert shown["closed"]["page_number"] is None


@pytest.mark.parametrize(
    "sizes", [{"chunk_size": 0}, {"chunk_overlap": -1}, {"chunk_size": 0, "unit": "tokens"}]
)
async def test_sizes_that_cannot_be_are_refused(door: Door, sizes: dict[str, object]) -> None:
    answer = await door.acme.send("POST", "/knowledge-bases", json={"name": "x", "chunking_config": sizes})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert next(iter(sizes)) in answer.json()["detail"]


async def test_a_chunk_may_not_become_its_neighbour(at_work: Door) -> None:
    acme = at_work.acme
    chunking = {"strategy": "paragraph", "chunk_size": 60, "min_chunk_size": 0}
    kb = await acme.call("POST", "/knowledge-bases", 201, json={"name": "cut", "chunking_config": chunking})
    added = await acme.call(
        "POST", f"/knowledge-bases/{kb['id']}/documents/text", 202, json={"title": "P", "content": TEXT}
    )
    await acme.idle()
    document = (added[0] if isinstance(added, list) else added)["document_id"]
    path = f"/knowledge-bases/{kb['id']}/documents/{document}/chunks"
    first, second = (await acme.call("GET", path, 200))["items"][:2]
    body = {"content": second["content"].upper().replace(" ", "  "), "revision": 1}
    refused = await acme.send("PATCH", f"{path}/{first['id']}", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "chunk_twin")
    assert "número 2" in refused.json()["detail"]
    await acme.call("PATCH", f"{path}/{first['id']}", 200, json={"content": first["content"], "revision": 1})
    await at_work.rival.call("PATCH", f"{path}/{first['id']}", 404, json=body)


async def test_a_failure_is_told_in_the_callers_language(at_work: Door) -> None:
    acme = at_work.acme
    document = await acme.bring("roto.pdf", b"%PDF-1.7 nothing more")
    (ended,) = await acme.ended(document)
    path = f"/knowledge-bases/{acme.kb}/documents"
    english = await acme.call("GET", f"{path}/{document}", 200, headers=ENGLISH)
    kind = {one.code: one for one in errors.Unreadable.__subclasses__()}[ended["error_code"]]
    assert ended["error_message"] == kind().message("es")
    assert english["error_message"] == kind().message("en")
    status = await acme.call("GET", f"{path}/{document}/status", 200, headers=ENGLISH)
    assert status["error_message"] == english["error_message"]
    (job,) = (await acme.call("GET", "/jobs?status=FAILED", 200, headers=ENGLISH))["items"]
    assert job["error_message"] == english["error_message"]


async def test_a_document_says_what_hidden_text_was_left_out(at_work: Door) -> None:
    acme = at_work.acme
    page = "<body><p>El plazo es de dos semanas.</p><p hidden>tres palabras ocultas</p></body>"
    document = await acme.bring("plazos.html", page.encode())
    await acme.idle()
    path = f"/knowledge-bases/{acme.kb}/documents/{document}"
    spanish, english = (
        await acme.call("GET", path, 200),
        await acme.call("GET", path, 200, headers=ENGLISH),
    )
    assert (spanish["status"], spanish["error_code"]) == ("completed", "hidden_left_out")
    assert spanish["error_message"] == "Se dejó fuera texto oculto: 3 palabras."
    assert english["error_message"] == "Hidden text was left out: 3 words."
    await at_work.rival.call("GET", path, 404)


async def test_a_problem_has_a_title_in_the_callers_language(door: Door) -> None:
    spanish = (await door.acme.send("GET", "/agents/x")).json()
    english = (await door.acme.send("GET", "/agents/x", headers=ENGLISH)).json()
    assert (spanish["title"], english["title"]) == ("No válido", "Not valid")


@pytest.mark.parametrize(
    "error",
    [
        errors.Corrupt(),
        errors.ParseTimeout(seconds=120),
        errors.NoText(hint=""),
        errors.OutsideDown(host="api.example", reason="the answer was cut off"),
        errors.WorkerLost(times=3),
    ],
)
def test_what_was_said_in_spanish_is_told_again_in_english(error: errors.VerazError) -> None:
    assert errors.retold(error.code, error.message("es"), "en") == error.message("en")
    assert errors.retold(error.code, error.message("es"), "es") == error.message("es")


def test_notices_about_a_document_are_told_again_in_english() -> None:
    counts = errors.counted({"sheets": 2, "rows": 1, "columns": 0, "words": 5})
    notices = [
        errors.notice("ocr_page_limit", read=300, pages=412),
        errors.notice("hidden_left_out", counts=counts),
        errors.notice("ocr_missing", pages=3, install="apt-get install tesseract-ocr"),
    ]
    assert notices[1]["es"] == "Se dejó fuera texto oculto: 2 hojas, 1 fila, 5 palabras."
    kept = " ".join(notice["es"] for notice in notices)
    assert errors.retold("ocr_page_limit", kept, "en") == " ".join(notice["en"] for notice in notices)
    assert errors.retold("hidden_left_out", kept, "es") == kept


def test_a_sentence_nobody_knows_stays_as_it_is() -> None:
    assert errors.retold("corrupt", "Algo distinto.", "en") == "Algo distinto."
    assert errors.retold("ocr_missing", "Falta Tesseract.", "en") == "Falta Tesseract."
    assert errors.retold(None, None, "en") is None
