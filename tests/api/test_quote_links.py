"""Signed links to quotations: what they show, to whom, and what they say when the document is no longer the same."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.api.test_passages import MANUAL, PNG, QUESTION, agent_reading, quote_of
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key, add_person
else:
    from api.test_passages import MANUAL, PNG, QUESTION, agent_reading, quote_of
    from ingest.parse import made_files as made
    from support.door import Door, Person
    from support.people import acting, add_key, add_person

BROWSER = {"Accept": "text/html,application/xhtml+xml"}
NOBODY = {"Authorization": ""}


@pytest.fixture
async def linked(at_work: Door) -> AsyncIterator[tuple[Door, dict[str, Any]]]:
    """A quote of acme's manual."""
    acme = at_work.acme
    await acme.ended(await acme.bring("manual.pdf", MANUAL))
    yield at_work, await quote_of(acme, await agent_reading(acme, acme.kb))


async def test_a_link_shows_the_quotation_in_its_text_with_its_place_and_page(
    linked: tuple[Door, dict[str, Any]],
) -> None:
    door, quote = linked
    page = await follow(door.acme, quote, headers=BROWSER)
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert f'<mark id="quote">{quote["text"]}</mark>' in page.text
    assert "manual.pdf" in page.text and "Cuotas › página 2" in page.text and '<html lang="es">' in page.text
    english = await follow(door.acme, quote, headers=BROWSER | {"Accept-Language": "en"})
    assert "Cuotas › page 2" in english.text
    picture = await follow(door.acme, quote, "/page.png")
    assert picture.status_code == 200 and picture.content.startswith(PNG)
    known = {"If-None-Match": picture.headers["etag"]}
    assert (await follow(door.acme, quote, "/page.png", headers=known)).status_code == 304
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]["text"]) == ("current", quote["text"])


async def test_a_stranger_signs_in_first_and_a_program_is_told_so(
    linked: tuple[Door, dict[str, Any]],
) -> None:
    door, quote = linked
    path = urlsplit(quote["url"]).path
    browser = await follow(door.acme, quote, headers=NOBODY | BROWSER)
    assert (browser.status_code, browser.headers["location"]) == (303, f"/es/login?next={path}")
    for rest in ("", "/page.png"):
        answer = await follow(door.acme, quote, rest, headers=NOBODY)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_others_find_nothing_behind_a_link(linked: tuple[Door, dict[str, Any]]) -> None:
    door, quote = linked
    outsider = await add_person(door.acme, "otto@acme.test")
    for person in (door.rival, outsider):
        for rest in ("", "/page.png"):
            answer = await follow(person, quote, rest)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        page = await follow(person, quote, headers=BROWSER)
        assert page.status_code == 404 and "30 euros" not in page.text and "manual.pdf" not in page.text
    end_user = acting(await add_key(door.acme, "ask"), user="cliente-7")
    assert (await follow(end_user, quote)).status_code == 200


async def test_a_forged_link_leads_nowhere(linked: tuple[Door, dict[str, Any]]) -> None:
    door, quote = linked
    token = urlsplit(quote["url"]).path.removeprefix("/s/")
    middle = len(token) // 2
    other = "A" if token[middle] != "A" else "B"
    for forged in (
        token[:middle] + other + token[middle + 1 :],
        token[:-4],
        "x",
        "ñandú",
        token + "AAAA",
        "A" * 84,
    ):
        for who in ({}, NOBODY):
            answer = await door.acme.send("GET", f"//s/{forged}", headers=who)
            assert answer.status_code == 404, forged


async def test_open_links_need_no_sign_in_and_only_an_admin_opens_them(
    linked: tuple[Door, dict[str, Any]], owner: Connection[TupleRow]
) -> None:
    door, quote = linked
    outsider = await add_person(door.acme, "otto@acme.test")
    await outsider.call("PATCH", "/tenant", 403, json={"links_open": True})
    assert (await door.acme.call("GET", "/tenant", 200))["links_open"] is False
    changed = await door.acme.call("PATCH", "/tenant", 200, json={"links_open": True})
    assert changed["links_open"] is True
    page = await follow(door.acme, quote, headers=NOBODY | BROWSER)
    assert page.status_code == 200 and quote["text"] in page.text
    assert (await follow(door.acme, quote, "/page.png", headers=NOBODY)).content.startswith(PNG)
    assert (await follow(door.rival, quote)).status_code == 200
    owner.execute("update veraz.document set machine_id = 'PC-7'")
    assert (await follow(door.acme, quote, headers=NOBODY)).status_code == 404


async def test_a_link_says_when_the_document_was_changed_or_deleted(
    linked: tuple[Door, dict[str, Any]], owner: Connection[TupleRow]
) -> None:
    door, quote = linked
    owner.execute("update veraz.document_text set text = replace(text, '30 euros', '45 euros')")
    changed = await follow(door.acme, quote, headers=BROWSER)
    assert changed.status_code == 200 and "ya no dice esto" in changed.text and "45 euros" not in changed.text
    assert (await follow(door.acme, quote)).json() == {
        "state": "changed",
        "document_name": "manual.pdf",
        "quote": None,
        "says_now": None,
    }
    assert (await follow(door.acme, quote, "/page.png")).status_code == 404
    await door.acme.call("DELETE", f"/knowledge-bases/{door.acme.kb}/documents/{quote['document_id']}", 204)
    gone = await follow(door.acme, quote, headers=BROWSER)
    assert gone.status_code == 410 and "se ha eliminado" in gone.text
    assert (await follow(door.rival, quote)).status_code == 404


async def test_a_link_to_a_corrected_chunk_or_an_old_document_shows_the_chunk(
    linked: tuple[Door, dict[str, Any]], owner: Connection[TupleRow]
) -> None:
    door, quote = linked
    agent = (await door.acme.call("GET", "/agents", 200))["items"][0]["id"]
    corrected = "La cuota mensual del gimnasio es de 35 euros."
    owner.execute("update veraz.chunk set content = %s", (corrected,))
    for change in ("select 1", "delete from veraz.document_text"):
        owner.execute(change)
        told = (await follow(door.acme, await quote_of(door.acme, agent))).json()
        assert (told["state"], told["quote"]["text"]) == ("current", corrected)
    assert (await follow(door.acme, quote)).json()["state"] == "changed"


async def test_a_link_says_that_a_person_has_corrected_the_text_since(
    linked: tuple[Door, dict[str, Any]],
) -> None:
    door, quote = linked
    await correct(door.acme, quote, "30 euros", "35 euros al mes")
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]["text"]) == ("corrected", quote["text"])
    assert "35 euros al mes" in told["says_now"]
    page = await follow(door.acme, quote, headers=BROWSER)
    assert "Una persona ha corregido este texto" in page.text and "35 euros al mes" in page.text
    assert quote["text"] in page.text and "page.png" in page.text
    english = await follow(door.acme, quote, headers=BROWSER | {"Accept-Language": "en"})
    assert "A person has corrected this text" in english.text
    assert (await follow(door.acme, quote, "/page.png")).content.startswith(PNG)
    await door.acme.call("PATCH", "/tenant", 200, json={"links_open": True})
    assert (await follow(door.acme, quote, headers=NOBODY)).json()["state"] == "corrected"
    await door.acme.call("PATCH", "/tenant", 200, json={"links_open": False})
    assert (await follow(door.rival, quote)).status_code == 404


async def test_a_link_to_corrected_words_is_current_until_they_are_corrected_again(
    linked: tuple[Door, dict[str, Any]],
) -> None:
    door, old = linked
    await correct(door.acme, old, "30 euros", "35 euros al mes")
    agent = (await door.acme.call("GET", "/agents", 200))["items"][0]["id"]
    quote = await quote_of(door.acme, agent)
    assert "35 euros al mes" in quote["text"] and quote["page_number"] == 2
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]["corrected"], told["says_now"]) == ("current", True, None)
    assert "35 euros al mes" in told["quote"]["text"] and told["quote"]["page_number"] == 2
    page = await follow(door.acme, quote, headers=BROWSER)
    assert "Una persona corrigió estas palabras" in page.text and "palabras de antes" in page.text
    await correct(door.acme, quote, "35 euros al mes", "40 euros")
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]) == ("corrected", None) and "40 euros" in told["says_now"]
    page = await follow(door.acme, quote, headers=BROWSER)
    assert "ya no dice lo que se citaba" in page.text and "35 euros" not in page.text
    await correct(door.acme, quote, "40 euros", "30 euros")
    assert (await follow(door.acme, old)).json()["state"] == "current", "it was corrected back"


async def test_a_link_to_words_beside_a_correction_stays_current(linked: tuple[Door, dict[str, Any]]) -> None:
    door, quote = linked
    await correct(door.acme, quote, "Los domingos está cerrado", "Los lunes está cerrado")
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]["corrected"]) == ("current", False)
    assert told["quote"]["rectangles"] == quote["rectangles"]


async def test_a_link_survives_another_way_of_cutting(linked: tuple[Door, dict[str, Any]]) -> None:
    door, quote = linked
    acme = door.acme
    body = {"chunking_config": {"strategy": "paragraph", "chunk_size": 60, "min_chunk_size": 0}}
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json=body)
    await acme.idle()
    assert (await acme.send("GET", f"/passages/{quote['chunk_id']}")).status_code == 404, "the chunk is gone"
    assert (await follow(acme, quote)).json()["state"] == "current"


async def test_openais_annotations_point_to_the_same_quotation(linked: tuple[Door, dict[str, Any]]) -> None:
    door, quote = linked
    body = {"model": "Luna", "messages": [{"role": "user", "content": QUESTION}]}
    answer = await door.acme.call("POST", "//v1/chat/completions", 200, json=body)
    message = answer["choices"][0]["message"]
    (noted, *_) = message["annotations"]
    cited = noted["url_citation"]
    assert cited["url"] == quote["url"] and noted["type"] == "url_citation"
    assert message["content"][cited["start_index"] : cited["end_index"]] == "[Chunk 1]"
    assert answer["claims"][0]["quotes"][0]["rectangles"] == quote["rectangles"]


async def test_a_link_to_a_replaced_version_shows_what_that_one_said(
    linked: tuple[Door, dict[str, Any]],
) -> None:
    door, quote = linked
    newer = made.pdf("# Cuotas\nLa cuota mensual del gimnasio es de 45 euros.")
    answer = await door.acme.upload(("manual.pdf", newer))
    assert answer.json()[0]["document_id"] == quote["document_id"]
    await door.acme.idle()
    told = (await follow(door.acme, quote)).json()
    assert (told["state"], told["quote"]["version"], told["quote"]["text"]) == ("changed", 1, quote["text"])
    page = await follow(door.acme, quote, headers=BROWSER)
    assert "Así decía entonces" in page.text and "page.png" not in page.text


async def correct(person: Person, quote: dict[str, Any], wrong: str, right: str) -> None:
    """A person corrects words of the quote's chunk."""
    chunks = await person.chunks(quote["document_id"])
    chunk = next(one for one in chunks if wrong in one["content"])
    path = f"/knowledge-bases/{person.kb}/documents/{quote['document_id']}/chunks/{chunk['id']}"
    body = {"content": chunk["content"].replace(wrong, right), "revision": chunk["revision"]}
    await person.call("PATCH", path, 200, json=body)


async def follow(person: Person, quote: dict[str, Any], rest: str = "", **more: Any) -> httpx.Response:
    return await person.send("GET", f"/{urlsplit(quote['url']).path}{rest}", **more)
