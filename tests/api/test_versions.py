"""A document is replaced: the same id, a new version, the one before read until the new one is."""

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.ingest import pipeline
from veraz.ingest.corrections import overlay
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, Person
else:
    from ingest.parse import made_files as made
    from support.door import Door, Person

OLD = b"# Devoluciones\n\nHay treinta dias para devolver un pedido.\n"
NEW = b"# Devoluciones\n\nHay cuarenta y cinco jornadas para devolver un pedido.\n"
OTHER = b"# Envios\n\nLos envios salen los martes.\n"


async def test_the_same_name_again_is_the_next_version_of_the_document(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    answer = await acme.upload(("politica.md", NEW))
    (again,) = answer.json()
    assert (answer.status_code, again["document_id"], again["version"]) == (202, document, 2)
    (ended,) = await acme.ended(document)
    assert (ended["status"], ended["version"], ended["name"]) == ("completed", 2, "politica.md")
    assert "cuarenta y cinco" in _text(await acme.chunks(document))
    assert "treinta" not in _text(await acme.chunks(document))
    page = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200)
    assert [one["id"] for one in page["items"]] == [document]
    new, old = (await _versions(acme, document))["items"]
    assert (new["version"], new["status"], new["current"]) == (2, "current", True)
    assert (old["version"], old["status"], old["size_bytes"]) == (1, "superseded", len(OLD))
    assert old["superseded_at"] and new["created_by"] == old["created_by"]


async def test_put_replaces_under_another_name_and_each_file_is_kept(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica_2024.md", OLD)
    path = _path(acme, document)
    answer = await acme.send("PUT", path, files={"file": ("politica_2025.md", NEW)})
    assert (answer.status_code, answer.json()["document_id"], answer.json()["version"]) == (202, document, 2)
    (ended,) = await acme.ended(document)
    assert ended["name"] == "politica_2025.md"
    assert (await acme.send("GET", f"{path}/file")).content == NEW
    assert (await acme.send("GET", f"{path}/versions/1/file")).content == OLD
    assert (await acme.send("GET", f"{path}/versions/2/file")).content == NEW
    assert (await acme.send("GET", f"{path}/versions/3/file")).status_code == 404


async def test_the_version_before_is_read_until_the_new_one_is(door: "Door") -> None:
    acme = door.acme
    document = await acme.bring("politica.md", OLD)
    again = (await acme.upload(("politica.md", NEW))).json()[0]
    assert (again["document_id"], again["version"]) == (document, 2)
    found = await acme.call("GET", _path(acme, document), 200)
    assert (found["version"], found["size_bytes"]) == (1, len(OLD))
    statuses = [one["status"] for one in (await _versions(acme, document))["items"]]
    assert statuses == ["pending", "current"]


async def test_a_version_that_cannot_be_read_leaves_the_one_before_and_says_why(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "contrato.pdf", made.pdf("El plazo es de treinta dias."))
    before = await acme.chunks(document)
    await acme.upload(("contrato.pdf", made.pdf("algo")[:200]))
    await acme.idle()
    found = await acme.call("GET", _path(acme, document), 200)
    assert (found["status"], found["version"], found["error_code"]) == ("completed", 1, "corrupt")
    assert await acme.chunks(document) == before
    failed, current = (await _versions(acme, document))["items"]
    assert (failed["status"], failed["error_code"], current["status"]) == ("failed", "corrupt", "current")
    await acme.upload(("contrato.pdf", made.pdf("El plazo es de sesenta dias.")))
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["error_code"]) == (3, None)
    assert "sesenta" in _text(await acme.chunks(document))


async def test_of_several_versions_that_wait_the_last_one_is_read(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"# Uno")
    for number in range(2, 6):
        again = (await acme.upload(("a.md", f"# Numero {number}".encode()))).json()[0]
        assert (again["document_id"], again["version"]) == (document, number)
    await acme.idle()
    (ended,) = await acme.ended(document)
    assert ended["version"] == 5 and "Numero 5" in _text(await acme.chunks(document))
    statuses = {one["status"] for one in (await _versions(acme, document))["items"]}
    assert statuses == {"current", "superseded"}


async def test_an_earlier_version_is_restored_as_a_new_one(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    await acme.upload(("politica.md", NEW))
    await acme.idle()
    restored = await acme.call("POST", f"{_path(acme, document)}/versions/1/restore", 202)
    assert (restored["document_id"], restored["version"]) == (document, 3)
    (ended,) = await acme.ended(document)
    assert ended["version"] == 3 and "treinta" in _text(await acme.chunks(document))
    current = await acme.send("POST", f"{_path(acme, document)}/versions/3/restore")
    assert (current.status_code, current.json()["code"]) == (409, "duplicate_document")


async def test_the_same_bytes_are_a_duplicate_and_no_version(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    other = await _read(acme, "envios.md", OTHER)
    for answer in (
        await acme.upload(("politica.md", OLD)),
        await acme.send("PUT", _path(acme, document), files={"file": ("otro.md", OLD)}),
        await acme.send("PUT", _path(acme, document), files={"file": ("politica.md", OTHER)}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "duplicate_document")
    assert other and len((await _versions(acme, document))["items"]) == 1


async def test_files_of_one_upload_and_of_other_machines_do_not_replace_each_other(door: "Door") -> None:
    acme = door.acme
    both = (await acme.upload(("a.md", b"# Uno"), ("a.md", b"# Dos"))).json()
    assert len({one["document_id"] for one in both}) == 2
    machine = (await acme.upload(("a.md", b"# Tres"), machine_id="PC-7")).json()[0]
    assert machine["version"] == 1 and machine["document_id"] not in {one["document_id"] for one in both}
    folder = (await acme.upload(("a.md", b"# Cuatro"), metadata='{"path": "sub/a.md"}')).json()[0]
    assert folder["version"] == 1, "the same name in another folder is another document"


async def test_a_written_text_is_changed_in_place(at_work: "Door") -> None:
    acme = at_work.acme
    body = {"title": "Horario", "content": "Abrimos a las nueve."}
    added = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/text", 202, json=body)
    document = added["document_id"]
    await acme.ended(document)
    path = _path(acme, document)
    await acme.call("PUT", path, 202, json={"content": "Abrimos a las diez."})
    (ended,) = await acme.ended(document)
    assert (ended["name"], ended["version"]) == ("Horario", 2)
    assert "diez" in _text(await acme.chunks(document))
    await acme.call("PUT", path, 202, json={"title": "Horario de verano"})
    (ended,) = await acme.ended(document)
    assert (ended["name"], ended["title"], ended["version"]) == ("Horario de verano", "Horario de verano", 3)
    assert "diez" in _text(await acme.chunks(document))
    wrongs: list[Any] = [{}, {"content": ""}, {"text": "x"}, []]
    for wrong in wrongs:
        assert (await acme.send("PUT", path, json=wrong)).status_code == 422
    file = await _read(acme, "politica.md", OLD)
    assert (await acme.send("PUT", _path(acme, file), json={"content": "x"})).status_code == 422


async def test_a_file_replaces_no_text_that_somebody_wrote(at_work: "Door") -> None:
    acme = at_work.acme
    body = {"title": "Horario", "content": "Abrimos a las nueve."}
    added = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/text", 202, json=body)
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Luna"}))["id"]
    entry = await acme.call("POST", f"/agents/{agent}/knowledge", 201, json={"content": "#\n\n# Hola\nAdiós"})
    assert entry["title"] == "Hola"
    for kb, document in ((acme.kb, added["document_id"]), (entry["kb_id"], entry["id"])):
        path = f"/knowledge-bases/{kb}/documents/{document}"
        answer = await acme.send("PUT", path, files={"file": ("a.pdf", made.pdf("Otra cosa."))})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert "es un texto" in answer.json()["detail"]
    await acme.idle()
    told = await acme.call("GET", f"/agents/{agent}/knowledge/{entry['id']}", 200)
    assert told["content"] == "#\n\n# Hola\nAdiós"


async def test_the_title_of_the_file_before_leaves_with_it(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    path = _path(acme, document)
    assert (await acme.call("GET", path, 200))["title"] == "Devoluciones"
    await acme.upload(("politica.md", b"Los envios salen los martes, sin titulo ninguno.\n"))
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["title"], ended["name"]) == (2, None, "politica.md")
    await acme.upload(("politica.md", OTHER))
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["title"]) == (3, "Envios")
    await acme.call("POST", f"{path}/versions/1/restore", 202)
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["title"]) == (4, "Devoluciones")
    titles = [one["title"] for one in (await _versions(acme, document))["items"]]
    assert titles == ["Devoluciones", "Envios", None, "Devoluciones"]


async def test_a_title_that_a_person_gave_outlives_every_file_until_it_is_taken_back(
    at_work: "Door",
) -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    path = _path(acme, document)
    await acme.call("PATCH", path, 200, json={"title": "Política oficial", "author": "Ana"})
    await acme.upload(("politica.md", NEW))
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["title"], ended["author"]) == (2, "Política oficial", "Ana")
    await acme.call("PATCH", path, 200, json={"title": None, "author": ""})
    await acme.upload(("politica.md", OTHER))
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["title"], ended["author"]) == (3, "Envios", None)
    foreign = await at_work.rival.send("PATCH", path, json={"title": "Robada"})
    assert foreign.status_code == 404


async def test_a_text_with_another_content_keeps_the_title_a_person_gave_it(at_work: "Door") -> None:
    acme = at_work.acme
    body = {"title": "Horario", "content": "Abrimos a las nueve."}
    added = await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/text", 202, json=body)
    document = added["document_id"]
    await acme.ended(document)
    await acme.call("PATCH", _path(acme, document), 200, json={"title": "Horario de apertura"})
    await acme.call("PUT", _path(acme, document), 202, json={"content": "# Otro\n\nAbrimos a las diez."})
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["name"], ended["title"]) == (2, "Horario", "Horario de apertura")


async def test_quotas_count_every_file_that_is_kept(at_work: "Door", owner: Connection[TupleRow]) -> None:
    rival = at_work.rival
    document = await _read(rival, "politica.md", OLD)
    room = len(OLD) + len(NEW)
    owner.execute(
        "update veraz.plan set max_documents_per_kb = 1, max_bytes_per_kb = %s where code = 'business'",
        (room,),
    )
    again = await rival.upload(("politica.md", NEW))
    assert again.status_code == 202, "a version is no further document"
    await rival.ended(document)
    full = await rival.upload(("politica.md", OTHER))
    assert (full.status_code, full.json()["code"]) == (402, "quota_exceeded")
    usage = (await rival.call("GET", "/tenant", 200))["usage"]
    assert usage["bytes"] == room


async def test_deleting_a_document_deletes_all_its_versions(
    at_work: "Door", owner: Connection[TupleRow], door_settings: Settings
) -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    await acme.upload(("politica.md", NEW))
    await acme.idle()
    assert len(_files(door_settings)) == 2
    assert (await acme.send("DELETE", _path(acme, document))).status_code == 204
    await acme.idle()
    assert _files(door_settings) == []
    for table in ("document_version", "document_text", "chunk"):
        count = owner.execute(f"select count(*) from veraz.{table} where document_id = '{document}'")
        assert count.fetchone() == (0,)


async def test_the_way_back_to_an_earlier_edition_reads_the_new_version(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _read(acme, "politica.md", OLD)
    small = {"strategy": "fixed", "chunk_size": 60, "chunk_overlap": 0}
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": small})
    await acme.idle()
    await acme.upload(("politica.md", NEW))
    await acme.idle()
    editions = await acme.call("GET", f"/knowledge-bases/{acme.kb}/editions", 200)
    first = min(one["id"] for one in editions["items"])
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/editions/{first}/activate", 202)
    await acme.idle()
    assert "cuarenta y cinco" in _text(await acme.chunks(document))


@pytest.mark.parametrize("method", ["PUT", "versions", "file", "restore"])
async def test_the_other_tenant_can_neither_replace_nor_look_at_versions(
    at_work: "Door", method: str
) -> None:
    acme, rival = at_work.acme, at_work.rival
    document = await _read(acme, "politica.md", OLD)
    for kb in (acme.kb, rival.kb):
        path = f"/knowledge-bases/{kb}/documents/{document}"
        calls: dict[str, tuple[str, str, dict[str, Any]]] = {
            "PUT": ("PUT", path, {"files": {"file": ("a.md", NEW)}}),
            "versions": ("GET", f"{path}/versions", {}),
            "file": ("GET", f"{path}/versions/1/file", {}),
            "restore": ("POST", f"{path}/versions/1/restore", {}),
        }
        verb, where, more = calls[method]
        assert (await rival.send(verb, where, **more)).status_code == 404


async def _read(person: "Person", name: str, data: bytes) -> str:
    document = await person.bring(name, data)
    (ended,) = await person.ended(document)
    assert ended["status"] == "completed", ended
    return document


async def _versions(person: "Person", document: str) -> dict[str, Any]:
    return dict(await person.call("GET", f"{_path(person, document)}/versions", 200))


def _path(person: "Person", document: str) -> str:
    return f"/knowledge-bases/{person.kb}/documents/{document}"


def _text(chunks: list[dict[str, Any]]) -> str:
    return " ".join(chunk["content"] for chunk in chunks)


def _files(settings: Settings) -> list[str]:
    return [str(path) for path in (settings.home / "files").rglob("*") if path.is_file()]


async def test_the_same_name_sent_twice_at_once_is_one_document(door: "Door") -> None:
    acme = door.acme
    answers = await asyncio.gather(*(acme.upload(("a.md", f"# Texto {n}".encode())) for n in range(4)))
    received = [answer.json()[0] for answer in answers]
    assert len({one["document_id"] for one in received}) == 1
    assert sorted(one["version"] for one in received) == [1, 2, 3, 4]


async def test_a_version_that_arrives_while_another_is_read_is_read_next(
    at_work: "Door", monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = at_work.acme
    reading, go_on = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        reading.set()
        go_on.wait(30)
        return overlay(*given)

    monkeypatch.setattr(pipeline, "overlay", slow)
    document = await acme.bring("a.md", OLD)
    assert await asyncio.to_thread(reading.wait, 30)
    again = (await acme.upload(("a.md", NEW))).json()[0]
    assert (again["document_id"], again["version"]) == (document, 2)
    go_on.set()
    await acme.idle()
    (ended,) = await acme.ended(document)
    assert ended["version"] == 2 and "cuarenta y cinco" in _text(await acme.chunks(document))


async def test_what_was_corrected_while_it_is_processed_again_is_not_lost(
    at_work: "Door", monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = at_work.acme
    document = await _read(acme, "a.md", OLD)
    (chunk,) = await acme.chunks(document)
    reading, go_on = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        built = overlay(*given)
        reading.set()
        go_on.wait(30)
        return built

    monkeypatch.setattr(pipeline, "overlay", slow)
    await acme.call("POST", f"{_path(acme, document)}/reprocess", 202)
    assert await asyncio.to_thread(reading.wait, 30)
    body = {"content": chunk["content"].replace("treinta", "noventa"), "revision": chunk["revision"]}
    await acme.call("PATCH", f"{_path(acme, document)}/chunks/{chunk['id']}", 200, json=body)
    go_on.set()
    await acme.idle()
    assert "noventa" in _text(await acme.chunks(document))


async def test_what_is_superseded_while_it_is_read_stays_unread(
    at_work: "Door", monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = at_work.acme
    new = await _read(acme, "nuevo.md", NEW)
    reading, go_on = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        reading.set()
        go_on.wait(30)
        return overlay(*given)

    monkeypatch.setattr(pipeline, "overlay", slow)
    old = await acme.bring("viejo.md", OLD)
    assert await asyncio.to_thread(reading.wait, 30)
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    go_on.set()
    await acme.idle()
    found = await acme.call("GET", _path(acme, old), 200)
    assert (found["status"], found["chunks_count"], found["progress_percent"]) == ("completed", 0, 100)
    assert await acme.chunks(old) == []


async def test_a_failed_version_is_tried_again_from_the_dead_letter_queue(
    at_work: "Door", monkeypatch: pytest.MonkeyPatch, owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    document = await _read(acme, "a.md", OLD)
    broken = [True]

    def failing(*given: Any) -> Any:
        if broken[0]:
            raise errors.OutsideDown(name="x")
        return overlay(*given)

    monkeypatch.setattr(pipeline, "overlay", failing)
    await acme.upload(("a.md", NEW))
    await asyncio.to_thread(
        owner.execute, "update veraz.job set max_attempts = 1, run_after = now() where status = 'PENDING'"
    )
    async with asyncio.timeout(60):
        while not (await acme.call("GET", "/jobs/stats", 200))["DLQ"]:
            await asyncio.to_thread(
                owner.execute,
                "update veraz.job set max_attempts = 1, run_after = now() where status = 'PENDING'",
            )
            await asyncio.sleep(0.1)
    found = await acme.call("GET", _path(acme, document), 200)
    assert (found["status"], found["version"]) == ("completed", 1) and found["error_code"]
    broken[0] = False
    await acme.call("POST", "/jobs/retry-dlq", 200)
    await acme.idle()
    (ended,) = await acme.ended(document)
    assert (ended["version"], ended["error_code"]) == (2, None)
    assert "cuarenta y cinco" in _text(await acme.chunks(document))
