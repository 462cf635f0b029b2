"""The other ways in and out: addresses, sites, manual entries, the edge function, exports."""

import asyncio
import csv
import io
from typing import TYPE_CHECKING, Any

import openpyxl
from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.support.door import Door
    from tests.support.web_site import reply, web_site
else:
    from support.door import Door
    from support.web_site import reply, web_site


async def test_a_page_of_the_web_becomes_a_document(at_work: "Door") -> None:
    acme = at_work.acme
    async with web_site() as site:
        site.pages["/horario"] = reply(b"<title>Horario</title><p>Abrimos a las nueve.</p>")
        url = site.url("/horario")
        body = {"url": url, "metadata": {"area": "web"}}
        added = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/url", 202, json=body)
        (ended,) = await acme.ended(added["document_id"])
        assert ended["status"] == "completed", ended
        assert (ended["origin"], ended["source_url"], ended["title"]) == ("url", url, "Horario")
        assert "nueve" in (await acme.chunks(ended["id"]))[0]["content"]
        twice = await acme.send("POST", f"/knowledge-bases/{acme.kb}/documents/url", json={"url": url})
        assert (twice.status_code, twice.json()["document_id"]) == (409, ended["id"])
        gone = await acme.call(
            "POST", f"/knowledge-bases/{acme.kb}/documents/url", 202, json={"url": site.url("/nada")}
        )
        (failed,) = await acme.ended(gone["document_id"])
        assert failed["status"] == "failed" and "ya no existe" in failed["error_message"]


async def test_a_site_becomes_as_many_documents_as_it_may(at_work: "Door") -> None:
    acme = at_work.acme
    async with web_site() as site:
        links = "".join(f'<a href="/p{n}">{n}</a>' for n in range(5))
        site.pages["/"] = reply(f"<p>Inicio del sitio</p>{links}".encode())
        for number in range(5):
            site.pages[f"/p{number}"] = reply(f"<p>Página número {number}</p>".encode())
        body = {"url": site.url("/"), "crawl": {"max_depth": 1, "max_pages": 4}}
        order = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/url", 202, json=body)
        assert order["document_id"] is None and order["job_id"]
        await acme.idle()
    page = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200)
    assert {d["status"] for d in page["items"]} == {"completed"}
    assert len(page["items"]) == 4
    for wrong in ({"max_depth": 6}, {"max_pages": 1001}):
        answer = await acme.send(
            "POST", f"/knowledge-bases/{acme.kb}/documents/url", json=body | {"crawl": wrong}
        )
        assert answer.status_code == 422


async def test_an_address_that_is_none_is_refused_at_once(door: "Door") -> None:
    for url in ("ftp://example.com/", "javascript:alert(1)", "http://user:pw@example.com/", "x"):
        answer = await door.acme.send(
            "POST", f"/knowledge-bases/{door.acme.kb}/documents/url", json={"url": url}
        )
        assert answer.status_code == 422, url


async def test_an_agent_knows_what_people_typed_for_it(at_work: "Door") -> None:
    acme = at_work.acme
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Kairo"}))["id"]
    path = f"/agents/{agent}/knowledge"
    assert await acme.call("GET", path, 200) == {"items": [], "next_cursor": None}
    body = {"content": "El horario es de 9 a 18.\nLos sábados cerramos.", "metadata": {"tema": "horario"}}
    entry = await acme.call("POST", path, 201, json=body)
    assert (entry["title"], entry["source"]) == ("El horario es de 9 a 18.", "manual")
    named = await acme.call(
        "POST", path, 201, json={"title": "Envíos", "content": "Gratis.", "source": "csv"}
    )
    listed = (await acme.call("GET", path, 200))["items"]
    assert [one["title"] for one in listed] == ["Envíos", "El horario es de 9 a 18."]
    assert (named["source"], named["metadata"]) == ("csv", {"source": "csv"})
    whole = await acme.call("GET", f"{path}/{entry['id']}", 200)
    assert whole["content"] == body["content"]
    await acme.idle()
    assert (await acme.call("GET", f"{path}/{entry['id']}", 200))["status"] == "completed"
    reads = await acme.call("GET", f"/agents/{agent}/knowledge-bases", 200)
    assert [kb["kb_id"] for kb in reads["items"]] == [entry["kb_id"]]
    for method, where, more in _entry_attempts(path, entry["id"]):
        assert (await at_work.rival.send(method, where, **more)).status_code == 404, f"{method} {where}"
    assert (await acme.send("DELETE", f"{path}/{entry['id']}")).status_code == 204
    assert (await acme.send("DELETE", f"{path}/{entry['id']}")).status_code == 404


async def test_what_people_typed_for_an_agent_is_kept_under_its_name(door: "Door") -> None:
    named = "Entradas manuales de Kairo"
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    await door.acme.call("POST", "/knowledge-bases", 201, json={"name": named, "project_id": project})
    for agent, name in (("Ana", "Entradas manuales de Ana"), ("Kairo", named)):
        agent_id = (await door.acme.call("POST", "/agents", 201, json={"name": agent}))["id"]
        await door.acme.call("POST", f"/agents/{agent_id}/knowledge", 201, json={"content": "Hola."})
        read = (await door.acme.call("GET", f"/agents/{agent_id}/knowledge-bases", 200))["items"]
        taken = f"{name} · {agent_id[-8:]}" if name == named else name
        assert [kb["kb_name"] for kb in read] == [taken]
        assert (await door.rival.send("GET", f"/agents/{agent_id}/knowledge-bases")).status_code == 404


async def test_what_people_typed_for_an_agent_is_changed_in_place(at_work: "Door") -> None:
    acme = at_work.acme
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Kairo"}))["id"]
    path = f"/agents/{agent}/knowledge"
    entry = await acme.call("POST", path, 201, json={"title": "Horario", "content": "Abrimos a las nueve."})
    one = f"{path}/{entry['id']}"
    await acme.idle()
    changed = await acme.call("PUT", one, 200, json={"content": "Abrimos a las diez y media."})
    assert changed["id"] == entry["id"]
    await acme.idle()
    whole = await acme.call("GET", one, 200)
    assert (whole["title"], whole["content"]) == ("Horario", "Abrimos a las diez y media.")
    assert (whole["version"], whole["status"]) == (2, "completed")
    await acme.call("PATCH", one, 200, json={"title": "Horario de verano"})
    await acme.idle()
    whole = await acme.call("GET", one, 200)
    assert (whole["title"], whole["content"]) == ("Horario de verano", "Abrimos a las diez y media.")
    assert [each["id"] for each in (await acme.call("GET", path, 200))["items"]] == [entry["id"]]
    body = {"query": "¿a qué hora abren?", "similarity_threshold": 0}
    found = await acme.call("POST", f"/agents/{agent}/search", 200, json=body)
    assert [each["content"] for each in found["results"]] == ["Abrimos a las diez y media."]
    same = await acme.send("PUT", one, json={"content": "Abrimos a las diez y media."})
    assert (same.status_code, same.json()["code"]) == (409, "duplicate_document")
    assert (await acme.send("PUT", one, json={})).status_code == 422


def _entry_attempts(path: str, entry: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        ("GET", path, {}),
        ("POST", path, {"json": {"content": "x"}}),
        ("GET", f"{path}/{entry}", {}),
        ("PUT", f"{path}/{entry}", {"json": {"content": "x"}}),
        ("PATCH", f"{path}/{entry}", {"json": {"title": "x"}}),
        ("DELETE", f"{path}/{entry}", {}),
    ]


async def test_the_edge_function_remembers_files_for_all_or_one_machine(door: "Door") -> None:
    acme = door.acme
    key = (await acme.call("POST", "/api-keys", 201, json={"name": "Portality"}))["key"]

    async def send(data: bytes, query: str = "", **fields: str) -> Any:
        return await door.http.post(
            f"/functions/v1/ingest-file{query}",
            headers={"apikey": key},
            files={"file": ("nota.md", data)},
            data=fields,
        )

    first = (await send(b"# Uno", machine_id="PC-7")).json()
    assert (first["status"], first["filename"]) == ("pending", "nota.md")
    kbs = (await acme.call("GET", "/knowledge-bases", 200))["items"]
    brain = next(kb for kb in kbs if kb["name"] == "Portality Brain")
    path = f"/knowledge-bases/{brain['id']}/documents"
    assert (await acme.call("GET", f"{path}/{first['document_id']}", 200))["machine_id"] == "PC-7"
    assert (await send(b"# Dos")).status_code == 200
    assert len((await acme.call("GET", path, 200))["items"]) == 2
    assert (await send(b"# Dos")).status_code == 409
    assert (await send(b"# Tres", kb="Base")).status_code == 200
    assert (await send(b"# Cuatro", query=f"?kb={acme.kb}")).status_code == 200
    (only,) = (await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200))["items"]
    versions = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents/{only['id']}/versions", 200)
    assert len(versions["items"]) == 2, "the same name again is the next version"
    assert (await send(b"# Cinco", kb="Nadie")).status_code == 404
    assert (
        await door.rival.send(
            "POST", f"//functions/v1/ingest-file?kb={acme.kb}", files={"file": ("a.md", b"# a")}
        )
    ).status_code == 404
    assert (
        await door.http.post("/functions/v1/ingest-file", files={"file": ("a.md", b"# a")})
    ).status_code == 401
    assert (await send(b"\x89PNG\r\n")).status_code == 415


async def test_files_dropped_all_at_once_into_an_empty_memory_are_all_remembered(door: "Door") -> None:
    """A drop zone sends each file on its own, and the memory is made by the first."""
    sent = await asyncio.gather(
        *(
            door.acme.send("POST", "//functions/v1/ingest-file", files={"file": (f"{n}.md", b"# %d" % n)})
            for n in range(6)
        )
    )
    assert [answer.status_code for answer in sent] == [200] * 6
    kbs = (await door.acme.call("GET", "/knowledge-bases", 200))["items"]
    assert [kb["total_documents"] for kb in kbs if kb["name"] == "Portality Brain"] == [6]
    theirs = (await door.rival.call("GET", "/knowledge-bases", 200))["items"]
    assert [kb["name"] for kb in theirs] == ["Base"]


async def test_an_exported_list_runs_no_formula(door: "Door") -> None:
    acme = door.acme
    kb = f"/knowledge-bases/{acme.kb}"
    evil = ["=cmd|'calc'!A1.md", "+1.md", "-1.md", "@sum(1).md", "bueno ñ.md"]
    for number, name in enumerate(evil):
        document = await acme.bring(name, f"# {number}".encode())
        await acme.call(
            "PATCH", f"{kb}/documents/{document}", 200, json={"author": "\t=1+1" if number else "=A1"}
        )
    answer = await acme.send("GET", f"{kb}/documents/export?format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].endswith("filename*=UTF-8''Base.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["name"] for row in reversed(rows)] == [f"'{name}" for name in evil[:4]] + ["bueno ñ.md"]
    book = openpyxl.load_workbook(
        io.BytesIO((await acme.send("GET", f"{kb}/documents/export?format=xlsx")).content)
    )
    cells = [cell for row in book.active.iter_rows() for cell in row]  # type: ignore[union-attr]
    assert not [cell.value for cell in cells if cell.data_type == "f"]
    texts = [cell.value for cell in cells if isinstance(cell.value, str)]
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t"))]
    plain = (await acme.send("GET", f"{kb}/documents/export?format=json")).json()
    assert [one["name"] for one in reversed(plain)] == evil
    assert (await acme.send("GET", f"{kb}/documents/export?format=pdf")).status_code == 422


async def test_an_export_tells_the_version_and_the_title_of_each_document(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("plazos.md", b"# Plazos\n\nTreinta dias.\n")
    await acme.ended(document)
    await acme.upload(("plazos.md", b"# Plazos de entrega\n\nCuarenta dias.\n"))
    (ended,) = await acme.ended(document)
    path = f"/knowledge-bases/{acme.kb}/documents/export"
    answer = await acme.send("GET", f"{path}?format=csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["version"], row["title"]) == ("2", ended["title"]) and ended["title"]
    (plain,) = (await acme.send("GET", f"{path}?format=json")).json()
    assert (plain["version"], plain["title"]) == (2, ended["title"])
    assert (await at_work.rival.send("GET", path)).status_code == 404


async def test_an_export_holds_every_document_and_an_empty_one_none(
    door: "Door", owner: Connection[TupleRow]
) -> None:
    acme = door.acme
    kb = f"/knowledge-bases/{acme.kb}"
    assert (await acme.send("GET", f"{kb}/documents/export?format=json")).json() == []
    owner.execute(
        "insert into veraz.document (id, tenant_id, kb_id, name, origin, file_type, size_bytes) "
        "select gen_random_uuid(), %s, %s, 'doc ' || n, 'upload', 'md', 1 from generate_series(1, 1203) n",
        (acme.tenant_id, acme.kb),
    )
    for kind in ("json", "csv", "xlsx"):
        answer = await acme.send("GET", f"{kb}/documents/export?format={kind}")
        assert _rows(kind, answer.content) == 1203, kind


def _rows(kind: str, content: bytes) -> int:
    if kind == "json":
        return content.count(b'"name": "doc ')
    if kind == "csv":
        return content.count(b"doc ")
    sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
    return sum(1 for _ in sheet.iter_rows()) - 1


async def test_a_machine_bound_key_adds_only_for_its_machine_or_all(door: "Door") -> None:
    acme = door.acme
    key = (await acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["ingest"]}))["key"]
    await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7", "user_name": "Ana"})
    headers = {"apikey": key, "X-Veraz-Machine": "PC-7"}

    async def send(name: str, machine: str) -> int:
        path = f"/api/v1/knowledge-bases/{acme.kb}/documents"
        data = {"machine_id": machine}
        files = {"files": (name, name.encode())}
        return (await door.http.post(path, headers=headers, files=files, data=data)).status_code

    assert await send("a.md", "PC-7") == 202
    assert await send("b.md", "global") == 202
    assert await send("c.md", "PC-8") == 403


async def test_quotation_marks_in_the_name_of_a_file_stay(door: "Door") -> None:
    path = f"/knowledge-bases/{door.acme.kb}/documents"
    file = ("files", ('Plan "Oro" 100%.txt', b"Hola."))
    (received,) = await door.acme.call("POST", path, 202, files=[file])
    assert received["filename"] == 'Plan "Oro" 100%.txt'
    listed = (await door.acme.call("GET", path, 200))["items"]
    assert [one["name"] for one in listed] == ['Plan "Oro" 100%.txt']
    assert (await door.rival.send("GET", path)).status_code == 404
