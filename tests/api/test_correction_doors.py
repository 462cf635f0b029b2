"""What a person corrected outlives reprocessing, other chunks and other models, and asks where the text changed."""

from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import add_person
else:
    from support.door import Door, Person
    from support.people import add_person

PARTS = [
    f"El apartado {n} dice que la pieza {n} se entrega en {n + 10} días hábiles desde el pedido, con su factura."
    for n in range(12)
]
TEXT = "\n\n".join(PARTS)
WRONG, RIGHT = "la pieza 5 se entrega en 15 días hábiles", "la pieza 5 se entrega en 99 jornadas"


async def test_a_correction_survives_being_processed_again(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    before = _holder(await acme.chunks(document), RIGHT)
    await acme.call("POST", f"{_path(acme, document)}/reprocess", 202)
    await acme.ended(document)
    await acme.idle()
    after = _holder(await acme.chunks(document), RIGHT)
    assert after["id"] != before["id"] and after["content"] == before["content"]
    assert (after["revision"], after["edited_by"]) == (2, before["edited_by"])
    assert after["edited_at"]
    (correction,) = await _corrections(acme, document)
    assert correction["status"] == "applied"
    assert TEXT[correction["start_char"] : correction["end_char"]] == correction["before"]


@pytest.mark.parametrize(
    "config",
    [
        {"chunking_config": {"strategy": "fixed", "chunk_size": 120, "chunk_overlap": 0}},
        {"chunking_config": {"strategy": "fixed", "chunk_size": 600, "chunk_overlap": 100}},
        {"embedding_config": {"provider": "fake", "model": "hash", "dimensions": 32}},
    ],
)
async def test_a_correction_survives_another_cut_and_another_model(
    at_work: "Door", config: dict[str, Any]
) -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json=config)
    await acme.idle()
    chunks = await acme.chunks(document)
    text = " ".join(" ".join(chunk["content"] for chunk in chunks).split())
    assert "99 jornadas" in text and "15 días hábiles" not in text
    assert any(chunk["revision"] == 2 and chunk["edited_at"] for chunk in chunks)
    assert [chunk["ordinal"] for chunk in chunks] == list(range(len(chunks)))
    body = {"query": "99 jornadas", "similarity_threshold": 0, "top_k": 3}
    found = await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json=body)
    assert any("99 jornadas" in one["content"] for one in found["results"])


async def test_a_whole_chunk_rewritten_stays_rewritten_in_smaller_chunks(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", PARTS[0].encode())
    await acme.ended(document)
    (chunk,) = await acme.chunks(document)
    await _edit(acme, document, chunk, "Nada de eso vale ya.")
    small = {"strategy": "fixed", "chunk_size": 50, "chunk_overlap": 0, "min_chunk_size": 0}
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": small})
    await acme.idle()
    assert [chunk["content"] for chunk in await acme.chunks(document)] == ["Nada de eso vale ya."]


async def test_a_correction_follows_its_words_into_a_new_version(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    moved = "Nota preliminar que antes no estaba.\n\n" + TEXT
    await acme.upload(("plazos.md", moved.encode()))
    await acme.ended(document)
    await acme.idle()
    assert _holder(await acme.chunks(document), RIGHT)
    (correction,) = await _corrections(acme, document)
    assert correction["status"] == "applied"
    assert moved[correction["start_char"] : correction["end_char"]] == correction["before"]


async def test_where_the_text_changed_a_person_is_asked_and_applies_it_anew(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    changed = "Nota preliminar.\n\n" + TEXT.replace("15 días hábiles desde", "15 días hábiles contados desde")
    await acme.upload(("plazos.md", changed.encode()))
    await acme.ended(document)
    await acme.idle()
    text = " ".join(chunk["content"] for chunk in await acme.chunks(document))
    assert "99 jornadas" not in text
    (asks,) = await _corrections(acme, document, "?status=asks")
    path = f"{_path(acme, document)}/corrections/{asks['id']}"
    applied = await acme.call("POST", path, 200, json={"action": "apply"})
    assert "99 jornadas" in applied["chunk"]["content"]
    statuses = sorted(one["status"] for one in await _corrections(acme, document))
    assert statuses == ["applied", "discarded"]
    await acme.call("POST", f"{_path(acme, document)}/reprocess", 202)
    await acme.idle()
    assert any("99 jornadas" in chunk["content"] for chunk in await acme.chunks(document))


async def test_where_its_words_are_gone_the_chunk_is_named_or_it_is_discarded(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    await acme.upload(("plazos.md", TEXT.replace("15 días hábiles", "quince fechas").encode()))
    await acme.ended(document)
    await acme.idle()
    (asks,) = await _corrections(acme, document, "?status=asks")
    path = f"{_path(acme, document)}/corrections/{asks['id']}"
    gone = await acme.send("POST", path, json={"action": "apply"})
    assert (gone.status_code, gone.json()["code"]) == (409, "correction_outdated")
    chunk = _holder(await acme.chunks(document), "quince fechas")
    new = chunk["content"].replace("quince fechas", "99 jornadas")
    body = {"action": "apply", "chunk_id": chunk["id"], "content": new}
    applied = await acme.call("POST", path, 200, json=body)
    assert applied["chunk"]["content"] == new
    assert [one["id"] for one in await _corrections(acme, document, "?status=discarded")] == [asks["id"]]


async def test_a_discarded_correction_leaves_the_text_as_it_was(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    (correction,) = await _corrections(acme, document)
    path = f"{_path(acme, document)}/corrections/{correction['id']}"
    told = await acme.call("POST", path, 200, json={"action": "discard"})
    assert told["correction"]["status"] == "discarded"
    await acme.idle()
    chunk = _holder(await acme.chunks(document), WRONG)
    assert (chunk["revision"], chunk["edited_at"]) == (1, None)


async def test_correcting_back_leaves_no_correction(at_work: "Door") -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    chunk = _holder(await acme.chunks(document), RIGHT)
    await _edit(acme, document, chunk, chunk["content"].replace(RIGHT, WRONG))
    assert [one["status"] for one in await _corrections(acme, document)] == ["discarded"]


async def test_corrections_are_audited_with_before_and_after_but_not_personal_ones(at_work: "Door") -> None:
    acme = at_work.acme
    await _corrected(acme)
    (entry,) = (await acme.call("GET", "/audit?thing=correction", 200))["items"]
    assert entry["action"] == "insert"
    assert (
        "15 días hábiles" in entry["changes"]["before"][1] and "99 jornadas" in entry["changes"]["after"][1]
    )
    own = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Mía", "kind": "personal"})
    mine = Person(http=acme.http, headers=acme.headers, tenant_id=acme.tenant_id, kb=own["id"])
    await _corrected(mine)
    entry = (await acme.call("GET", "/audit?thing=correction", 200))["items"][0]
    assert entry["changes"]["before"] == entry["changes"]["after"] == ["…", "…"]


async def test_the_other_tenant_and_a_member_can_neither_see_nor_decide(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    document = await _corrected(acme)
    (correction,) = await _corrections(acme, document)
    member = await add_person(acme, "mia@acme.test")
    path = f"/knowledge-bases/{acme.kb}/documents/{document}/corrections"
    for stranger in (at_work.rival, member):
        assert (await stranger.send("GET", path)).status_code == 404
        decided = await stranger.send("POST", f"{path}/{correction['id']}", json={"action": "discard"})
        assert decided.status_code == 404
    assert owner.execute("select status from veraz.correction").fetchall() == [("applied",)]


async def _corrected(person: "Person") -> str:
    """A document of several chunks, one of them corrected."""
    document = await person.bring("plazos.md", TEXT.encode())
    (ended,) = await person.ended(document)
    assert ended["status"] == "completed", ended
    chunk = _holder(await person.chunks(document), WRONG)
    await _edit(person, document, chunk, chunk["content"].replace(WRONG, RIGHT))
    return document


async def _edit(person: "Person", document: str, chunk: dict[str, Any], content: str) -> None:
    path = f"{_path(person, document)}/chunks/{chunk['id']}"
    await person.call("PATCH", path, 200, json={"content": content, "revision": chunk["revision"]})


async def _corrections(person: "Person", document: str, query: str = "") -> list[dict[str, Any]]:
    return list((await person.call("GET", f"{_path(person, document)}/corrections{query}", 200))["items"])


def _holder(chunks: list[dict[str, Any]], text: str) -> dict[str, Any]:
    return next(chunk for chunk in chunks if text in chunk["content"])


def _path(person: "Person", document: str) -> str:
    return f"/knowledge-bases/{person.kb}/documents/{document}"
