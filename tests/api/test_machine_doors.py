"""What is meant for one machine never becomes everybody's, however it is named, misnamed or not named at all."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key
else:
    from support.door import Door, Person
    from support.people import acting, add_key

NOTHING = ("", "   ", "\t", "\u00a0", "\u200b", "\u2066\u2069", "a\u0000b", "a\nb", "x" * 201)
FILE = {"files": ("secreto.md", b"# Solo para una caja")}
TEXT = {"title": "secreto", "content": "# Solo para una caja"}


def _form(person: Person, machine: str) -> Awaitable[httpx.Response]:
    path = f"/knowledge-bases/{person.kb}/documents"
    return person.send("POST", path, files=FILE, data={"machine_id": machine})


def _text(person: Person, machine: Any) -> Awaitable[httpx.Response]:
    path = f"/knowledge-bases/{person.kb}/documents/text"
    return person.send("POST", path, json=TEXT | {"machine_id": machine})


def _page(person: Person, machine: Any) -> Awaitable[httpx.Response]:
    path = f"/knowledge-bases/{person.kb}/documents/url"
    return person.send("POST", path, json={"url": "https://example.com/a", "machine_id": machine})


def _site(person: Person, machine: Any) -> Awaitable[httpx.Response]:
    body = {"url": "https://example.com/a", "machine_id": machine, "crawl": {"max_pages": 2}}
    return person.send("POST", f"/knowledge-bases/{person.kb}/documents/url", json=body)


def _edge(person: Person, machine: str) -> Awaitable[httpx.Response]:
    file = {"file": FILE["files"]}
    return person.send("POST", "//functions/v1/ingest-file", files=file, data={"machine_id": machine})


def _licence(person: Person, machine: Any) -> Awaitable[httpx.Response]:
    return person.send("POST", "/licences", json={"machine_id": machine})


DOORS: dict[str, Callable[[Person, str], Awaitable[httpx.Response]]] = {
    "form": _form, "text": _text, "page": _page, "site": _site, "edge": _edge, "licence": _licence,
}  # fmt: skip


@pytest.mark.parametrize("name", DOORS)
async def test_a_machine_that_is_named_by_nothing_is_refused(door: "Door", name: str) -> None:
    for machine in NOTHING:
        answer = await DOORS[name](door.acme, machine)
        assert answer.status_code == 422, (machine, answer.text)
    kbs = (await door.acme.call("GET", "/knowledge-bases", 200))["items"]
    for kb in kbs:
        assert (await door.acme.call("GET", f"/knowledge-bases/{kb['id']}/documents", 200))["items"] == []
    assert (await door.acme.call("GET", "/jobs", 200))["items"] == []


async def test_null_is_no_machine_either(door: "Door") -> None:
    for send in (_text, _page, _site):
        assert (await send(door.acme, None)).status_code == 422


async def test_a_form_that_could_be_misread_is_refused(door: "Door") -> None:
    acme = door.acme
    path = f"/knowledge-bases/{acme.kb}/documents"
    twice = {"machine_id": ["PC-7", "global"]}
    for form in ({"machineId": "PC-7"}, {"machine": "PC-7"}, twice):
        answer = await acme.send("POST", path, files=FILE, data=form)
        assert answer.status_code == 422, answer.text
    as_file = [("files", FILE["files"]), ("machine_id", ("m.txt", b"PC-7"))]
    assert (await acme.send("POST", path, files=as_file)).status_code == 422
    assert (await acme.call("GET", path, 200))["items"] == []


async def test_the_next_version_of_a_document_cannot_be_sent_for_another_machine(door: "Door") -> None:
    document = await door.acme.bring("a.md", b"# Para todas")
    path = f"/knowledge-bases/{door.acme.kb}/documents/{document}"
    file = {"file": ("a.md", b"# Solo para una")}
    answer = await door.acme.send("PUT", path, files=file, data={"machine_id": "PC-7"})
    assert (answer.status_code, "machine_id" in answer.text) == (422, True)
    assert (await door.rival.send("PUT", path, files=file)).status_code == 404


async def test_a_header_without_a_machine_or_with_two_is_refused(door: "Door") -> None:
    key = await add_key(door.acme, "ingest", "read")
    for name in ("X-Veraz-Machine", "X-Veraz-User"):
        for value in ("", "   "):
            answer = await key.send("GET", "/me", headers={name: value})
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid"), (name, value)
        two = [*key.headers.items(), (name, "uno"), (name, "dos")]
        answer = await key.http.get("/api/v1/me", headers=two)
        assert answer.status_code == 422, name


async def test_a_person_who_names_a_machine_is_refused_and_nothing_is_added_for_all(door: "Door") -> None:
    personal = await door.acme.call(
        "POST", "/api-keys", 201, json={"name": "mía", "scopes": ["ingest"], "personal": True}
    )
    mine = replace(door.acme, headers={"Authorization": f"Bearer {personal['key']}"})
    for person in (door.acme, mine):
        answer = await person.send(
            "POST",
            f"/knowledge-bases/{person.kb}/documents/text",
            json=TEXT,
            headers={"X-Veraz-Machine": "PC-7"},
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), answer.text


async def test_what_a_machine_adds_without_saying_for_whom_is_its_own(door: "Door") -> None:
    acme = door.acme
    key = await add_key(acme, "ingest", "read")
    seven, eight = acting(key, machine="PC-7"), acting(key, machine="PC-8")
    path = f"/knowledge-bases/{acme.kb}/documents"
    by_form = (await seven.send("POST", path, files=FILE)).json()[0]["document_id"]
    by_text = (await seven.call("POST", f"{path}/text", 202, json=TEXT | {"content": "# Otra"}))[
        "document_id"
    ]
    for_all = await seven.call(
        "POST", f"{path}/text", 202, json=TEXT | {"title": "todas", "machine_id": "global"}
    )
    for one in (by_form, by_text):
        assert (await acme.call("GET", f"{path}/{one}", 200))["machine_id"] == "PC-7"
        assert (await eight.send("GET", f"{path}/{one}")).status_code == 404
    assert (await eight.call("GET", f"{path}/{for_all['document_id']}", 200))["machine_id"] == "global"
    assert (await door.rival.send("GET", f"{path}/{by_form}")).status_code == 404


async def test_a_search_by_rpc_for_a_machine_without_a_name_is_refused(door: "Door") -> None:
    key = await add_key(door.acme, "read")
    body = {"query_embedding": [0.1] * 8, "filter_machine_id": "  "}
    answer = await key.send("POST", "//rest/v1/rpc/match_documents", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "22023"), answer.text


async def test_what_a_machine_asked_and_read_is_not_told_to_another(door: "Door") -> None:
    """Neither questions nor jobs, events and deliveries, which name documents and addresses."""
    acme = door.acme
    key = await add_key(acme, "ingest", "ask")
    a, b = acting(key, machine="PC-A"), acting(key, machine="PC-B")
    path = f"/knowledge-bases/{acme.kb}/documents"
    await b.call("POST", f"{path}/url", 202, json={"url": "https://example.com/solo-b"})
    site = {"url": "https://example.com/todo-b", "crawl": {"max_pages": 2}}
    await b.call("POST", f"{path}/url", 202, json=site)
    await a.call("POST", f"{path}/text", 202, json={"title": "De A", "content": "# De A"})
    await b.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json={"query": "contraseña de B"})
    for what in ("/jobs", "/queries", "/usage/questions", "/events", "/attention"):
        seen = await a.send("GET", what)
        assert seen.status_code in (200, 403), seen.text
        for theirs in ("solo-b", "todo-b", "contraseña de B"):
            assert theirs not in seen.text, what
    assert len((await a.call("GET", "/jobs", 200))["items"]) == 1
    assert len((await b.call("GET", "/jobs", 200))["items"]) == 2
    assert "contraseña de B" in (await b.send("GET", "/queries")).text
    everything = await acme.send("GET", "/jobs")
    assert len(everything.json()["items"]) == 3, "who acts for no machine sees all"


async def test_events_of_a_machines_documents_are_for_that_machine(door: "Door", owner: Any) -> None:
    acme = door.acme
    key = await add_key(acme, "ingest")
    a, b = acting(key, machine="PC-A"), acting(key, machine="PC-B")
    path = f"/knowledge-bases/{acme.kb}/documents/text"
    made = await b.call("POST", path, 202, json={"title": "De B", "content": "# De B"})
    document = (made[0] if isinstance(made, list) else made)["document_id"]
    owner.execute(
        "insert into veraz.event (tenant_id, kind, kb_id, document_id) values (%s, 'document.completed', %s, %s)",
        (acme.tenant_id, acme.kb, document),
    )
    assert document in (await b.send("GET", "/events")).text
    assert document not in (await a.send("GET", "/events")).text
    assert document not in (await door.rival.send("GET", "/events")).text


@pytest.mark.parametrize("name", DOORS)
async def test_global_in_other_letters_is_no_machine(door: "Door", name: str) -> None:
    for machine in ("Global", "GLOBAL", " gLobal ", "ｇｌｏｂａｌ"):
        answer = await DOORS[name](door.acme, machine)
        assert answer.status_code == 422, (machine, answer.text)
    key = acting(await add_key(door.acme, "read"), machine="Global")
    assert (await key.send("GET", "/me")).status_code == 422
    assert (await door.acme.call("GET", "/licences", 200))["items"] == []


async def test_a_closed_machine_does_not_come_back_in_other_letters(door: "Door") -> None:
    acme = door.acme
    licence = await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7"})
    key = await add_key(acme, "read")
    await acme.call("PATCH", f"/licences/{licence['id']}", 200, json={"status": "revoked"})
    assert (await acting(key, machine="pc-7").send("GET", "/me")).status_code == 403
    await acme.call("DELETE", f"/licences/{licence['id']}?memory=keep", 204)
    for machine in ("PC-7", "pc-7", "Pc-7"):
        assert (await acting(key, machine=machine).send("GET", "/me")).status_code == 403
        assert (await _text(acme, machine)).status_code == 403
    refused = await _licence(acme, "pc-7")
    assert (refused.status_code, refused.json()["code"]) == (409, "licence_closed")
    assert len((await acme.call("GET", "/licences", 200))["items"]) == 1
    rival = await _licence(door.rival, "pc-7")
    assert rival.status_code == 201, "what another company closed is nothing to it"
