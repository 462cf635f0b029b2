"""Documents through the HTTP door, with the real pipeline behind it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.errors import CheckViolation
from psycopg.rows import TupleRow

from veraz.api.app import create_app
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, names
else:
    from ingest.parse import made_files as made
    from support.door import Door, names

MARKDOWN = "# Garantía\n\nLa garantía cubre dos años.\n\n## Devoluciones\n\nHay treinta días para devolver.\n"

FILES: dict[str, tuple[bytes, str]] = {
    "contrato.pdf": (made.pdf("El plazo es de treinta días.", "La sede está en Bogotá."), "Bogotá"),
    "manual.docx": (made.docx(made.p("El botón rojo detiene la máquina.")), "botón rojo"),
    "precios.xlsx": (made.xlsx(Precios=[["Pieza", "Precio"], ["Tornillo", 12], ["Tuerca", 7]]), "Tornillo"),
    "clientes.csv": ("Nombre;Ciudad\nÁlvaro;Cádiz\nBegoña;León\n".encode(), "Begoña"),
    "garantia.md": (MARKDOWN.encode(), "treinta días"),
    "datos.json": (json.dumps({"país": "Perú", "capital": "Lima"}).encode(), "Lima"),
    "pagina.html": (b"<h1>Horario</h1><p>Abrimos a las nueve.</p>", "nueve"),
}


async def test_files_of_many_kinds_become_chunks_one_can_look_at(at_work: "Door") -> None:
    acme = at_work.acme
    answer = await acme.upload(*((name, data) for name, (data, _) in FILES.items()))
    assert answer.status_code == 202
    accepted = answer.json()
    assert [one["filename"] for one in accepted] == list(FILES)
    assert {one["status"] for one in accepted} == {"pending"}
    assert all(one["estimated_processing_time_seconds"] >= 1 for one in accepted)
    ended = await acme.ended(*(one["document_id"] for one in accepted))
    for document in ended:
        assert document["status"] == "completed", document
        assert document["progress_percent"] == 100
        chunks = await acme.chunks(document["id"])
        assert document["chunks_count"] == len(chunks) > 0
        assert FILES[document["name"]][1] in " ".join(chunk["content"] for chunk in chunks)
    pdf = next(d for d in ended if d["name"] == "contrato.pdf")
    assert (pdf["pages_count"], pdf["author"]) == (2, "Ana Pérez")
    assert [c["page_number"] for c in await acme.chunks(pdf["id"])] == [1]
    batch = await acme.call("GET", f"/knowledge-bases/{acme.kb}/progress", 200)
    assert (batch["documents"], batch["completed"], batch["progress_percent"]) == (7, 7, 100)


async def test_a_broken_file_ends_failed_with_a_sentence(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("roto.pdf", made.pdf("algo")[:200])
    (ended,) = await acme.ended(document)
    assert ended["status"] == "failed"
    status = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents/{document}/status", 200)
    assert status["error_code"] == "corrupt" and "dañado" in status["error_message"]
    assert (status["progress_percent"], status["chunks_created"]) == (0, 0)
    jobs = await acme.call("GET", f"/jobs?status=FAILED&document={document}", 200)
    assert [job["error_code"] for job in jobs["items"]] == ["corrupt"]
    again = await acme.upload(("roto.pdf", made.pdf("algo")[:200]))
    assert again.status_code == 202, "a failed twin does not stand in the way"


async def test_a_duplicate_is_refused_and_names_its_twin(door: "Door") -> None:
    acme = door.acme
    first = await acme.bring("a.md", MARKDOWN.encode())
    answer = await acme.upload(("otro nombre.md", MARKDOWN.encode()))
    problem = answer.json()
    assert answer.status_code == 409 and answer.headers["content-type"] == "application/problem+json"
    assert (problem["code"], problem["document_id"]) == ("duplicate_document", first)
    assert "a.md" in problem["detail"]
    other_machine = await acme.upload(("a.md", MARKDOWN.encode()), machine_id="PC-7")
    assert other_machine.status_code == 202


async def test_of_several_files_each_is_judged_by_itself(door: "Door") -> None:
    acme = door.acme
    files = [
        ("a.md", b"# Uno\n\nTexto."),
        ("b.png", b"\x89PNG\r\n"),
        ("c.md", b"# Uno\n\nTexto."),
        ("d.txt", b""),
    ]
    answer = await acme.upload(*files)
    assert answer.status_code == 202
    good, png, twin, empty = answer.json()
    assert good["status"] == "pending"
    assert [one["error"]["code"] for one in (png, twin, empty)] == [
        "unsupported",
        "duplicate_document",
        "empty_document",
    ]
    assert twin["error"]["document_id"] == good["document_id"]
    assert png["document_id"] is None and png["status"] == "failed"
    none = await acme.upload(*files[1:])
    assert none.status_code == 415
    assert [one["filename"] for one in none.json()["errors"]] == ["b.png", "c.md", "d.txt"]


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("a.txt", b"x" * (10 * 1024 * 1024 + 1), 413),
        ("a.zip", made.package({"a.txt": "hola"}), 415),
        ("a.pdf", b"solo texto", 415),
        ("vacio.txt", b"", 422),
        ("protegido.docx", made.ole({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}), 422),
    ],
    ids=["too large", "archive", "wrong extension", "empty", "password"],
)
async def test_a_refused_file_answers_with_its_own_status(
    door: "Door", name: str, data: bytes, status: int
) -> None:
    answer = await door.acme.upload((name, data))
    assert answer.status_code == status, answer.text
    page = await door.acme.call("GET", f"/knowledge-bases/{door.acme.kb}/documents", 200)
    assert page["items"] == []


async def test_names_keep_accents_and_lose_folders(door: "Door") -> None:
    acme = door.acme
    answer = await acme.upload(("../../etc/Año «nuevo» ñ.md", b"# Hola"), ("C:\\temp\\b.md", b"# Chau"))
    assert [one["filename"] for one in answer.json()] == ["Año «nuevo» ñ.md", "b.md"]


async def test_an_empty_machine_is_refused_and_never_becomes_everybodys(door: "Door") -> None:
    acme = door.acme
    for machine in ("", "   "):
        answer = await acme.upload(("a.md", b"# Hola"), machine_id=machine)
        assert answer.status_code == 422
        assert "machine_id" in answer.text
        text = {"title": "a", "content": "# Hola", "machine_id": machine}
        assert (
            await acme.send("POST", f"/knowledge-bases/{acme.kb}/documents/text", json=text)
        ).status_code == 422
    listed = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200)
    assert listed["items"] == []


async def test_metadata_and_machine_travel_with_the_file(door: "Door") -> None:
    acme = door.acme
    document = await acme.bring("a.md", b"# Hola", machine_id="PC-7", metadata='{"area": "ventas"}')
    found = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents/{document}", 200)
    assert (found["machine_id"], found["metadata"]) == ("PC-7", {"area": "ventas"})
    for wrong in ("[1]", "{", '"x"'):
        answer = await acme.upload(("b.md", b"# Otra"), metadata=wrong)
        assert answer.status_code == 422, wrong


async def test_a_form_without_files_or_of_another_kind_is_refused(door: "Door") -> None:
    acme = door.acme
    path = f"/knowledge-bases/{acme.kb}/documents"
    assert (await acme.send("POST", path, data={"machine_id": "x"})).status_code == 422
    assert (await acme.send("POST", path, json={"files": []})).status_code == 422
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    broken = await acme.send("POST", path, content=b"--x\r\nnonsense", headers=headers)
    assert broken.status_code == 422


async def test_nobody_uploads_without_signing_in_and_nothing_is_read(door: "Door") -> None:
    read: list[int] = []

    async def body() -> Any:
        for number in range(3):
            read.append(number)
            yield b"x" * 1000

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await door.http.post(
        f"/api/v1/knowledge-bases/{door.acme.kb}/documents", content=body(), headers=headers
    )
    assert answer.status_code == 401


async def test_quota_and_credits_are_asked_before_any_work(door: "Door", owner: Connection[TupleRow]) -> None:
    rival = door.rival
    owner.execute("update veraz.plan set max_documents_per_kb = 1 where code = 'business'")
    first = await rival.bring("a.md", b"# Uno")
    assert first
    full = await rival.upload(("b.md", b"# Dos"))
    assert (full.status_code, full.json()["code"]) == (402, "quota_exceeded")
    owner.execute("update veraz.plan set max_documents_per_kb = null where code = 'business'")
    owner.execute("update veraz.credit_balance set credits = 1 where tenant_id = %s", (rival.tenant_id,))
    poor = await rival.upload(("c.md", b"# Tres " * 2000))
    assert (poor.status_code, poor.json()["code"]) == (402, "credits_exhausted")
    again = await rival.send("POST", f"/knowledge-bases/{rival.kb}/documents/{first}/reprocess")
    assert again.status_code in (202, 402)
    stored = [path for path in (door.veraz.settings.home / "files").rglob("*") if path.is_file()]
    assert len(stored) == 1, "refused files leave nothing behind"


async def test_deleting_a_document_removes_every_trace(
    at_work: "Door", owner: Connection[TupleRow], door_settings: Settings
) -> None:
    acme = at_work.acme
    document = await acme.bring("garantia.md", MARKDOWN.encode())
    await acme.ended(document)
    assert _files(door_settings.home)
    assert (await acme.send("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}")).status_code == 204
    await acme.idle()
    assert not _files(door_settings.home)
    for table in ("chunk", "embedding_cache"):
        assert _count(owner, f"select count(*) from veraz.{table} where document_id = '{document}'") == 0
    left = owner.execute(
        "select term, sum(count) from veraz.edition_term group by term having sum(count) <> 0"
    ).fetchall()
    assert left == [], "the words it held are no longer counted"
    gone = await acme.send("GET", f"/knowledge-bases/{acme.kb}/documents/{document}")
    assert gone.status_code == 404
    assert (await acme.send("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}")).status_code == 404


async def test_several_documents_are_deleted_together(door: "Door") -> None:
    acme = door.acme
    one, two = [await acme.bring(f"{n}.md", f"# {n}".encode()) for n in range(2)]
    stranger = "00000000-0000-7000-8000-000000000000"
    answer = await acme.call(
        "POST",
        f"/knowledge-bases/{acme.kb}/documents/bulk-delete",
        200,
        json={"ids": [one, stranger]},
    )
    assert answer == {"deleted": [one], "missing": [stranger]}
    page = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200)
    assert [d["id"] for d in page["items"]] == [two]


async def test_processing_again_costs_again(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("garantia.md", MARKDOWN.encode())
    await acme.ended(document)
    before = await acme.credits()
    answer = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/{document}/reprocess", 202)
    assert answer == {"queued": [document]}
    (ended,) = await acme.ended(document)
    await acme.idle()
    assert ended["status"] == "completed" and await acme.credits() < before
    everything = await acme.call("POST", f"/knowledge-bases/{acme.kb}/reprocess", 202)
    assert everything == {"queued": [document]}
    await acme.idle()
    assert len(await acme.chunks(document)) == ended["chunks_count"]


async def test_what_waits_already_is_not_queued_twice(door: "Door") -> None:
    acme = door.acme
    document = await acme.bring("a.md", b"# Uno")
    answer = await acme.call("POST", f"/knowledge-bases/{acme.kb}/reprocess", 202, json={"ids": [document]})
    assert answer == {"queued": []}


async def test_people_say_what_a_source_is_worth(door: "Door") -> None:
    acme = door.acme
    path = f"/knowledge-bases/{acme.kb}/documents/{await acme.bring('a.md', b'# Uno')}"
    standing = {
        "name": "Guía.md",
        "tier": "tier1_gold",
        "authority_score": 87.5,
        "evidence_level": "guideline",
        "institution": "OMS",
        "peer_reviewed": True,
        "metadata": {"año": 2024},
    }
    changed = await acme.call("PATCH", path, 200, json=standing)
    assert {name: changed[name] for name in standing} == standing
    cleared = await acme.call("PATCH", path, 200, json={"tier": None, "author": "Eva"})
    assert (cleared["tier"], cleared["author"], cleared["institution"]) == (None, "Eva", "OMS")
    for wrong in ({"tier": "gold"}, {"authority_score": 101}, {"status": "completed"}, {"name": ""}):
        assert (await acme.send("PATCH", path, json=wrong)).status_code == 422


async def test_the_list_is_filtered_and_paged(door: "Door") -> None:
    acme = door.acme
    for number in range(3):
        await acme.bring(f"nota_{number}.md", f"# {number}".encode())
    await acme.bring("100%.txt", b"texto", machine_id="PC-7")
    path = f"/knowledge-bases/{acme.kb}/documents"

    async def found(query: str) -> list[str]:
        return names((await acme.call("GET", f"{path}?{query}", 200))["items"])

    assert await found("text=NOTA_") == ["nota_2.md", "nota_1.md", "nota_0.md"]
    assert await found("text=%25") == ["100%.txt"]
    assert await found("file_type=txt") == ["100%.txt"]
    assert await found("machine_id=PC-7") == ["100%.txt"]
    assert await found("status=completed") == []
    page = await acme.call("GET", f"{path}?limit=3", 200)
    rest = await acme.call("GET", f"{path}?limit=3&cursor={page['next_cursor']}", 200)
    assert names(page["items"]) + names(rest["items"]) == ["100%.txt", "nota_2.md", "nota_1.md", "nota_0.md"]
    assert (await acme.send("GET", f"{path}?status=ready")).status_code == 422
    indexed = await acme.call("GET", f"{path}?status=indexed", 200)
    assert indexed == await acme.call("GET", f"{path}?status=completed", 200)


async def test_the_file_comes_back_as_it_was_and_never_opens_in_the_browser(door: "Door") -> None:
    acme = door.acme
    page = b"<script>alert(1)</script><p>Hola a todos</p>"
    document = await acme.bring("Año nuevo.html", page)
    answer = await acme.send("GET", f"/knowledge-bases/{acme.kb}/documents/{document}/file")
    assert answer.content == page
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith('attachment; filename="A_o nuevo.html"')
    assert answer.headers["content-disposition"].endswith("filename*=UTF-8''A%C3%B1o%20nuevo.html")


async def test_typed_text_is_a_document_like_any_other(at_work: "Door") -> None:
    acme = at_work.acme
    body = {
        "title": "Precios 2024/2025",
        "content": "El tornillo cuesta doce pesos.",
        "source": "manual",
        "source_url": "https://example.com/p",
        "metadata": {"area": "ventas"},
    }
    added = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/text", 202, json=body)
    assert added["filename"] == "Precios 2024/2025"
    (ended,) = await acme.ended(added["document_id"])
    assert (ended["status"], ended["origin"], ended["file_type"]) == ("completed", "text", "md")
    assert ended["metadata"] == {"area": "ventas", "source": "manual"}
    (chunk,) = await acme.chunks(ended["id"])
    assert "doce pesos" in chunk["content"]
    same = await acme.send("POST", f"/knowledge-bases/{acme.kb}/documents/text", json=body)
    assert same.status_code == 409


async def test_a_corrected_chunk_is_found_by_its_new_words_and_guards_its_revision(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"El plazo es de veinte dias habiles.")
    await acme.ended(document)
    (chunk,) = await acme.chunks(document)
    path = f"/knowledge-bases/{acme.kb}/documents/{document}/chunks/{chunk['id']}"
    edited = await acme.call(
        "PATCH", path, 200, json={"content": "El plazo es de treinta jornadas.", "revision": 1}
    )
    assert (edited["revision"], edited["content"]) == (2, "El plazo es de treinta jornadas.")
    late = await acme.send("PATCH", path, json={"content": "Otra cosa.", "revision": 1})
    assert (late.status_code, late.json()["code"]) == (409, "chunk_changed")
    counted = "select coalesce(sum(count), 0) from veraz.edition_term where term = -1"
    assert _count(owner, counted) == 1
    words = owner.execute("select lexemes::text from veraz.chunk where id = %s", (chunk["id"],)).fetchone()
    assert words is not None and "trei" in words[0] and "vein" not in words[0]


async def test_what_happened_can_be_read_in_order(at_work: "Door") -> None:
    acme = at_work.acme
    good = await acme.bring("a.md", b"# Uno")
    bad = await acme.bring("b.pdf", made.pdf("x")[:150])
    await acme.ended(good, bad)
    first = await acme.call("GET", "/events?limit=1", 200)
    rest = await acme.call("GET", f"/events?after={first['next_cursor']}", 200)
    told = {event["document_id"]: event["kind"] for event in first["items"] + rest["items"]}
    assert told == {good: "document.completed", bad: "document.failed"}
    none = await acme.call("GET", f"/events?after={rest['next_cursor']}", 200)
    assert none == {"items": [], "next_cursor": rest["next_cursor"]}
    assert (await at_work.rival.call("GET", "/events", 200))["items"] == []


async def test_the_console_counts_retries_and_purges(at_work: "Door", owner: Connection[TupleRow]) -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"# Uno")
    await acme.ended(document)
    await acme.idle()
    assert await acme.call("GET", "/jobs/stats?kb=Base", 200) == {
        "PENDING": 0,
        "RUNNING": 0,
        "DONE": 1,
        "FAILED": 0,
        "DLQ": 0,
    }
    owner.execute("update veraz.job set status = 'DLQ'")
    assert await acme.call("POST", "/jobs/retry-dlq", 200, json={"kb": acme.kb}) == {"retried": 1}
    await acme.ended(document)
    await acme.idle()
    assert await acme.call("POST", "/jobs/purge", 200) == {"purged": 1}
    history = await acme.call("GET", f"/jobs/history?kb={acme.kb}", 200)
    assert [job["document_id"] for job in history["items"]] == [document]
    assert (await acme.call("GET", "/jobs", 200))["items"] == []
    assert (await acme.send("GET", "/jobs?kb=Nadie")).status_code == 404


async def test_a_dropped_connection_leaves_nothing_behind(door: "Door", door_settings: Settings) -> None:
    acme = door.acme
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
    messages = iter(
        [
            {"type": "http.request", "body": head + b"a" * 200_000, "more_body": True},
            {"type": "http.disconnect"},
        ]
    )
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"multipart/form-data; boundary=x")]
    headers += [(name.lower().encode(), value.encode()) for name, value in acme.headers.items()]
    path = f"/api/v1/knowledge-bases/{acme.kb}/documents"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "headers": headers}
    more = {"query_string": b"", "http_version": "1.1", "scheme": "http", "server": ("x", 80), "client": None}
    before = len(list(Path("/proc/self/fd").iterdir()))
    await create_app(door.veraz)(scope | more, receive, send)
    assert sent[0]["status"] == 400
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert _files(door_settings.home) == []
    assert (await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200))["items"] == []


async def test_the_other_company_cannot(door: "Door") -> None:
    acme, rival = door.acme, door.rival
    document = await acme.bring("secreto.md", b"# Secreto")
    kb = f"/knowledge-bases/{acme.kb}"
    attempts: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", f"{kb}/documents", {"files": [("files", ("x.md", b"# x"))]}),
        ("POST", f"{kb}/documents/text", {"json": {"title": "x", "content": "y"}}),
        ("POST", f"{kb}/documents/url", {"json": {"url": "https://example.com/"}}),
        ("POST", f"{kb}/documents/url", {"json": {"url": "https://example.com/", "crawl": {}}}),
        ("GET", f"{kb}/documents", {}),
        ("GET", f"{kb}/documents/export", {}),
        ("POST", f"{kb}/documents/bulk-delete", {"json": {"ids": [document]}}),
        ("POST", f"{kb}/reprocess", {}),
        ("GET", f"{kb}/progress", {}),
        ("GET", f"{kb}/editions", {}),
        ("POST", f"{kb}/rebuild", {"json": {}}),
        ("POST", f"{kb}/rebuild", {"json": {"dry_run": True}}),
        ("DELETE", f"{kb}/rebuild", {}),
        ("POST", f"{kb}/editions/1/activate", {}),
        ("PATCH", kb, {"json": {"chunking_config": {"strategy": "paragraph"}}}),
        ("GET", f"/jobs?kb={acme.kb}", {}),
        ("POST", "/jobs/purge", {"json": {"kb": acme.kb}}),
        ("POST", "/jobs/retry-dlq", {"json": {"kb": acme.kb}}),
    ]
    for base in (kb, f"/knowledge-bases/{rival.kb}"):
        one = f"{base}/documents/{document}"
        attempts += [
            ("GET", one, {}),
            ("PATCH", one, {"json": {"name": "x"}}),
            ("DELETE", one, {}),
            ("GET", f"{one}/status", {}),
            ("GET", f"{one}/chunks", {}),
            ("PATCH", f"{one}/chunks/{document}", {"json": {"content": "x", "revision": 1}}),
            ("GET", f"{one}/file", {}),
            ("POST", f"{one}/reprocess", {}),
        ]
    for method, path, more in attempts:
        answer = await rival.send(method, path, **more)
        assert answer.status_code == 404, f"{method} {path}: {answer.status_code} {answer.text}"
    assert (await rival.call("GET", "/jobs", 200))["items"] == []
    assert (await rival.call("GET", f"/jobs?document={document}", 200))["items"] == []
    assert names((await acme.call("GET", f"{kb}/documents", 200))["items"]) == ["secreto.md"]


def _files(home: Path) -> list[Path]:
    return [path for path in (home / "files").rglob("*") if path.is_file()]


def _count(owner: Connection[TupleRow], query: str) -> int:
    row = owner.execute(query).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize(
    "metadata", ['{"a":' * 200 + "1" + "}" * 200, '{"a": NaN}', '{"a": "\\ud800"}', "[1]"]
)
async def test_a_form_takes_the_same_metadata_as_json(door: "Door", metadata: str) -> None:
    refused = await door.acme.upload(("nota.txt", b"Una nota."), metadata=metadata)
    assert refused.status_code == 422
    assert "«metadata»" in refused.json()["detail"]


async def test_the_deepest_metadata_taken_can_be_read_everywhere(door: "Door") -> None:
    acme = door.acme
    deepest: Any = 1
    for _ in range(31):
        deepest = {"a": deepest}
    document = await acme.bring("hondo.txt", b"Una nota honda.", metadata=json.dumps(deepest))
    path = f"/knowledge-bases/{acme.kb}/documents"
    assert (await acme.call("GET", f"{path}/{document}", 200))["metadata"] == deepest
    await acme.call("GET", path, 200)
    await acme.call("GET", f"/audit?thing_id={document}", 200)


async def test_a_new_name_is_cleaned_like_the_first_one(door: "Door") -> None:
    document = await door.acme.bring("nombre.txt", b"Con nombre.")
    path = f"/knowledge-bases/{door.acme.kb}/documents/{document}"
    named = await door.acme.call("PATCH", path, 200, json={"name": "a\r\nSet-Cookie: x\u202e.txt"})
    assert named["name"] == "aSet-Cookie: x.txt"


async def test_the_documentation_says_that_files_are_files(door: "Door") -> None:
    paths = (await door.acme.http.get("/openapi.json")).json()["paths"]
    documents = "/api/v1/knowledge-bases/{kb_id}/documents"
    export = paths[f"{documents}/export"]["get"]["responses"]["200"]["content"]
    assert {"text/csv", "application/json"} <= {kind.split(";")[0] for kind in export}
    file = paths[documents + "/{document_id}/file"]["get"]["responses"]["200"]["content"]
    assert set(file) == {"application/octet-stream"}


async def test_a_row_that_names_a_file_of_another_company_gives_nothing_away(
    door: "Door", owner: "Connection[TupleRow]"
) -> None:
    """The table takes no such key; were one in it all the same, no door would follow it."""
    rival = door.rival
    theirs = await rival.bring("secreto.md", b"# Secreto\n\nSolo para Rival.")
    key = _value(owner, "select storage_key from veraz.document where id = %s", theirs)
    mine = await door.acme.bring("propio.md", b"# Propio\n\nDe Acme.")
    change = "update veraz.document set storage_key = %s where id = %s"
    with pytest.raises(CheckViolation):
        owner.execute(change, (key, mine))
    owner.execute("alter table veraz.document drop constraint document_storage_key")
    owner.execute(change, (key, mine))
    answer = await door.acme.send("GET", f"/knowledge-bases/{door.acme.kb}/documents/{mine}/file")
    assert (answer.status_code, answer.json()["code"]) == (500, "foreign_file")
    assert "Rival" not in answer.text
    await door.veraz.security_events.settle()
    told = (await door.acme.call("GET", "/security-events?kind=foreign_file", 200))["items"]
    assert [one["outcome"] for one in told] == ["refused"]
    path = f"/knowledge-bases/{rival.kb}/documents/{theirs}/file"
    assert "Solo para Rival" in (await rival.send("GET", path)).text


def _value(owner: "Connection[TupleRow]", query: str, *values: str) -> Any:
    row = owner.execute(query.encode(), values).fetchone()
    assert row is not None
    return row[0]
