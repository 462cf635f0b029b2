"""One document takes the place of another: said, proposed, undone; and nearly equal ones are named."""

from typing import TYPE_CHECKING, Any

from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.support.door import Door, Person
else:
    from support.door import Door, Person

RULES = "# Reglamento de pacientes\n\nLas visitas son de {hours}.\n\nCada paciente recibe {number} acompañantes.\n"
OLD = RULES.format(hours="nueve a once", number="dos").encode()
NEW = RULES.format(hours="diez a doce", number="tres").encode()
SMALL = {"strategy": "fixed", "chunk_size": 60, "chunk_overlap": 0}


async def test_what_is_superseded_is_kept_and_no_longer_found(at_work: "Door") -> None:
    acme = at_work.acme
    old, new = await _read(acme, "viejo.md", OLD), await _read(acme, "nuevo.md", NEW)
    told = await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    assert (told["superseded_by"], told["superseded_by_name"]) == (new, "nuevo.md")
    assert (told["status"], told["chunks_count"], told["indexed_at"]) == ("completed", 0, None)
    assert await acme.chunks(old) == []
    assert await _found(acme, "nueve a once") == {new}
    assert (await acme.send("GET", f"{_path(acme, old)}/file")).content == OLD
    again = await acme.call("POST", f"/knowledge-bases/{acme.kb}/reprocess", 202)
    assert again == {"queued": [new]}
    assert await acme.call("POST", f"{_path(acme, old)}/reprocess", 202) == {"queued": []}
    await acme.idle()
    assert await acme.chunks(old) == []


async def test_it_is_read_again_once_nothing_supersedes_it(at_work: "Door") -> None:
    acme = at_work.acme
    old, new = await _read(acme, "viejo.md", OLD), await _read(acme, "nuevo.md", NEW)
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": None})
    (ended,) = await acme.ended(old)
    assert ended["superseded_by"] is None and await _found(acme, "nueve a once") == {old, new}
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    await acme.send("DELETE", _path(acme, new))
    await acme.idle()
    assert await _found(acme, "nueve a once") == {old}, "what took its place is gone"


async def test_rebuilds_leave_out_what_is_superseded(at_work: "Door") -> None:
    acme = at_work.acme
    old, new = await _read(acme, "viejo.md", OLD), await _read(acme, "nuevo.md", NEW)
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": SMALL})
    await acme.idle()
    kb = await acme.call("GET", f"/knowledge-bases/{acme.kb}", 200)
    assert (kb["status"], kb["chunking_config"]["chunk_size"]) == ("active", 60)
    assert await acme.chunks(old) == [] and await acme.chunks(new) != []


async def test_what_is_superseded_before_it_was_read_is_not_read(door: "Door") -> None:
    acme = door.acme
    old, new = await acme.bring("viejo.md", OLD), await acme.bring("nuevo.md", NEW)
    told = await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    assert told["status"] == "completed"
    late = await acme.upload(("viejo.md", b"# Otro"))
    assert (late.status_code, late.json()["code"]) == (409, "document_superseded")
    put = await acme.send("PUT", _path(acme, old), files={"file": ("a.md", b"# Otro")})
    assert (put.status_code, put.json()["code"]) == (409, "document_superseded")


async def test_no_circles_no_strangers_no_other_machines(door: "Door") -> None:
    acme, rival = door.acme, door.rival
    one, two, three = [await acme.bring(f"{n}.md", f"# {n}".encode()) for n in range(3)]
    bound = await acme.bring("pc.md", b"# PC", machine_id="PC-7")
    foreign = await rival.bring("r.md", b"# R")
    await acme.call("PATCH", _path(acme, one), 200, json={"superseded_by": two})
    await acme.call("PATCH", _path(acme, two), 200, json={"superseded_by": three})
    for document, by, status in (
        (one, one, 422),
        (three, one, 422),
        (three, bound, 422),
        (three, foreign, 404),
        (three, acme.kb, 404),
    ):
        answer = await acme.send("PATCH", _path(acme, document), json={"superseded_by": by})
        assert answer.status_code == status, (document, by, answer.text)
    kb = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Otra"})
    elsewhere = await acme.upload(("x.md", b"# X"), kb=kb["id"])
    by = elsewhere.json()[0]["document_id"]
    assert (await acme.send("PATCH", _path(acme, three), json={"superseded_by": by})).status_code == 404
    assert (await rival.send("PATCH", _path(acme, three), json={"superseded_by": foreign})).status_code == 404


async def test_a_later_edition_by_its_name_proposes_to_take_the_place(at_work: "Door") -> None:
    acme = at_work.acme
    old = await _read(acme, "Reglamento_pacientes_v4_2024.md", OLD)
    new = await _read(acme, "Reglamento_pacientes_v5_2026.md", NEW)
    proposal = (await _document(acme, new))["supersedes_proposal"]
    assert (proposal["document_id"], proposal["name"]) == (old, "Reglamento_pacientes_v4_2024.md")
    assert "edición posterior" in proposal["reason"]
    assert (await _document(acme, old))["supersedes_proposal"] is None
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    assert (await _document(acme, new))["supersedes_proposal"] is None, "it was accepted"


async def test_a_document_that_says_what_it_replaces_proposes_it(at_work: "Door") -> None:
    acme = at_work.acme
    old = await _read(acme, "Norma de teletrabajo.md", b"# Norma de teletrabajo\n\nDos dias por semana.\n")
    await _read(acme, "Norma de vacaciones.md", b"# Norma de vacaciones\n\nVeintidos dias al mes.\n")
    text = (
        "# Trabajo a distancia\n\nEste documento sustituye a la Norma de teletrabajo. Tres días por semana.\n"
    )
    new = await _read(acme, "Trabajo a distancia.md", text.encode())
    proposal = (await _document(acme, new))["supersedes_proposal"]
    assert proposal["document_id"] == old
    assert "sustituye a la Norma de teletrabajo" in proposal["reason"]


async def test_minutes_of_other_months_propose_nothing(at_work: "Door") -> None:
    acme = at_work.acme
    for month in ("01", "02"):
        text = f"# Acta\n\nReunidos en el mes {month}, se aprueba el punto {month}.\n"
        document = await _read(acme, f"Acta_2026-{month}.md", text.encode())
        assert (await _document(acme, document))["supersedes_proposal"] is None


async def test_nearly_equal_documents_are_named_and_others_are_not(at_work: "Door") -> None:
    acme, rival = at_work.acme, at_work.rival
    words = " ".join(f"El artículo {n} trata de la pieza {n} del almacén {n % 7}." for n in range(120))
    first = await _read(acme, "catalogo.md", words.encode())
    second = await _read(acme, "copia.md", words.replace("pieza 60 ", "parte 60 ").encode())
    other = await _read(acme, "otra.md", " ".join(f"Nota número {n} de Lima." for n in range(200)).encode())
    await _read(rival, "catalogo.md", words.encode())
    (near,) = (await _document(acme, second))["similar_to"]
    assert (near["document_id"], near["name"]) == (first, "catalogo.md") and near["similarity"] >= 0.9
    assert [one["document_id"] for one in (await _document(acme, first))["similar_to"]] == [second]
    assert (await _document(acme, other))["similar_to"] == []


async def test_superseding_is_audited(at_work: "Door", owner: Connection[TupleRow]) -> None:
    acme = at_work.acme
    old, new = await _read(acme, "viejo.md", OLD), await _read(acme, "nuevo.md", NEW)
    await acme.call("PATCH", _path(acme, old), 200, json={"superseded_by": new})
    entries = (await acme.call("GET", f"/audit?thing=document&thing_id={old}", 200))["items"]
    assert entries[0]["changes"] == {"superseded_by": [None, new]}


async def _read(person: "Person", name: str, data: bytes) -> str:
    document = await person.bring(name, data)
    (ended,) = await person.ended(document)
    assert ended["status"] == "completed", ended
    return document


async def _document(person: "Person", document: str) -> dict[str, Any]:
    return dict(await person.call("GET", _path(person, document), 200))


async def _found(person: "Person", query: str) -> set[str]:
    body = {"query": query, "similarity_threshold": 0, "top_k": 20}
    found = await person.call("POST", f"/knowledge-bases/{person.kb}/search", 200, json=body)
    return {one["document_id"] for one in found["results"]}


def _path(person: "Person", document: str) -> str:
    return f"/knowledge-bases/{person.kb}/documents/{document}"
