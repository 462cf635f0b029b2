"""Looking into a whole document: its pages, blocks and sheets; for whom an agent may cite it, and for nobody else."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from tests.api.test_passages import MANUAL, PNG, QUESTION, SENTENCE, agent_reading, quote_of
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
    from tests.support.people import acting, add_key, add_person
else:
    from api.test_passages import MANUAL, PNG, QUESTION, SENTENCE, agent_reading, quote_of
    from ingest.parse import made_files as made
    from support.door import Door
    from support.people import acting, add_key, add_person


@pytest.fixture
async def ready(at_work: Door) -> AsyncIterator[tuple[Door, str, str]]:
    """A manual of three pages and an agent of acme that reads it."""
    acme = at_work.acme
    document = await acme.bring("manual.pdf", MANUAL)
    await acme.ended(document)
    yield at_work, document, await agent_reading(acme, acme.kb)


async def test_a_document_is_shown_in_blocks_with_its_headings_and_pages(
    ready: tuple[Door, str, str],
) -> None:
    door, document, _ = ready
    seen = await door.acme.call("GET", f"/documents/{document}/text", 200)
    assert (seen["name"], seen["view"], seen["pages_count"], seen["next"]) == ("manual.pdf", "page", 3, None)
    kinds = [(block["kind"], block["page_number"]) for block in seen["blocks"]]
    assert ("heading", 2) in kinds
    assert any(SENTENCE in block["text"] for block in seen["blocks"])


async def test_whoever_may_be_told_may_look_into_the_document_and_nobody_else(
    ready: tuple[Door, str, str],
) -> None:
    door, document, agent = ready
    project = (await door.acme.call("GET", f"/agents/{agent}", 200))["project_id"]
    member = await add_person(door.acme, "marta@acme.test", **{project: "member"})
    outsider = await add_person(door.acme, "otto@acme.test")
    end_user = acting(await add_key(door.acme, "ask"), user="cliente-7")
    doors = (f"/documents/{document}/text", f"/documents/{document}/pages/2.png")
    for person, status in ((member, 200), (end_user, 200), (outsider, 404), (door.rival, 404)):
        for path in doors:
            assert (await person.send("GET", path)).status_code == status, (person.headers, path)
    await door.acme.call("DELETE", f"/agents/{agent}/knowledge-bases/{door.acme.kb}", 204)
    for path in doors:
        assert (await member.send("GET", path)).status_code == 404


async def test_a_document_bound_to_a_machine_is_looked_into_on_that_machine_only(
    ready: tuple[Door, str, str],
) -> None:
    door, _, _ = ready
    bound = made.pdf("# Taller\nEl código de la alarma del taller es 4711.")
    document = await door.acme.bring("taller.pdf", bound, machine_id="PC-7")
    await door.acme.ended(document)
    key = await add_key(door.acme, "ask")
    for machine, status in (("PC-7", 200), ("PC-8", 404), (None, 404)):
        for path in (f"/documents/{document}/text", f"/documents/{document}/pages/1.png"):
            person = acting(key, user="cliente-7", machine=machine)
            assert (await person.send("GET", path)).status_code == status, (machine, path)


async def test_a_page_without_marks_is_one_picture_for_all_its_quotations_and_may_be_kept(
    ready: tuple[Door, str, str],
) -> None:
    door, document, agent = ready
    first = await quote_of(door.acme, agent, QUESTION)
    other = await quote_of(door.acme, agent, "¿Qué pagan los jubilados?")
    plain = [
        await door.acme.send("GET", f"/{urlsplit(quote['url']).path}/page.png?marks=false")
        for quote in (first, other)
    ]
    page = await door.acme.send("GET", f"/documents/{document}/pages/2.png")
    assert page.content.startswith(PNG) and {one.content for one in plain} == {page.content}
    marked = await door.acme.send("GET", f"/{urlsplit(first['url']).path}/page.png")
    assert marked.content != page.content
    assert page.headers["cache-control"] == "private, no-cache"
    tag = page.headers["etag"].strip('"')
    named = await door.acme.send("GET", f"/documents/{document}/pages/2.png?tag={tag}")
    assert "immutable" in named.headers["cache-control"]
    assert (await door.acme.send("GET", f"/documents/{document}/pages/4.png")).status_code == 404


async def test_an_earlier_version_is_for_who_reads_the_knowledge_base(ready: tuple[Door, str, str]) -> None:
    door, document, agent = ready
    path = f"/knowledge-bases/{door.acme.kb}/documents/{document}"
    changed = made.pdf("# Cuotas\nLa cuota mensual del gimnasio es de 45 euros.")
    answer = await door.acme.send("PUT", path, files={"file": ("manual.pdf", changed)})
    assert answer.status_code == 202, answer.text
    await door.acme.idle()
    project = (await door.acme.call("GET", f"/agents/{agent}", 200))["project_id"]
    member = await add_person(door.acme, "marta@acme.test", **{project: "member"})
    now = await member.call("GET", f"/documents/{document}/text", 200)
    assert now["current"] and any("45 euros" in block["text"] for block in now["blocks"])
    before = await door.acme.call("GET", f"/documents/{document}/text?version=1", 200)
    assert not before["current"] and any(SENTENCE in block["text"] for block in before["blocks"])
    assert before["pages_count"] == 3
    for place in ("text?version=1", "pages/2.png?version=1"):
        assert (await door.acme.send("GET", f"/documents/{document}/{place}")).status_code == 200
        for person in (member, door.rival):
            assert (await person.send("GET", f"/documents/{document}/{place}")).status_code == 404


async def test_a_workbook_tells_its_sheets_and_long_ones_come_in_steps(ready: tuple[Door, str, str]) -> None:
    door, _, _ = ready
    rows: list[list[object]] = [["Pieza", "Precio"], *([f"Pieza {n} " + "x" * 60, n] for n in range(400))]
    book = made.xlsx(Tarifa=rows, Notas=[["Nota", "Texto"], ["1", "Todo con IVA."]])
    document = await door.acme.bring("tarifa.xlsx", book)
    await door.acme.ended(document)
    seen = await door.acme.call("GET", f"/documents/{document}/text", 200)
    assert (seen["view"], [sheet["name"] for sheet in seen["sheets"]]) == ("sheet", ["Tarifa", "Notas"])
    assert [cell["text"] for cell in seen["blocks"][1]["cells"]][1] == "0"
    starts = [block["start"] for block in seen["blocks"]]
    while seen["next"] is not None:
        seen = await door.acme.call("GET", f"/documents/{document}/text?first={seen['next']}", 200)
        starts += [block["start"] for block in seen["blocks"]]
    assert len(starts) == len(set(starts)) == 403 and starts == sorted(starts)
    notes = await door.acme.call("GET", f"/documents/{document}/text?first={seen['sheets'][1]['first']}", 200)
    assert any("Todo con IVA." in block["text"] for block in notes["blocks"])
