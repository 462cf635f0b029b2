"""One chunk is forgotten: whatever the version, the neighbours or the cut, none of its words comes back or is said again."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection

if TYPE_CHECKING:
    from tests.support.canaries import in_tables
    from tests.support.door import Door, Person
else:
    from support.canaries import in_tables
    from support.door import Door, Person

SECRET = "El director Velorcio Trasmundo cobra un sobresueldo de 77319 euros por la sede de Burgos."
QUESTION = "¿Qué sobresueldo cobra el director Velorcio Trasmundo en Burgos?"


def fill(word: str, count: int) -> str:
    """Sentences that differ in one number."""
    return " ".join(
        f"En el apartado {word} número {number} se explica cómo se atiende a las personas usuarias del centro."
        for number in range(count)
    )


async def agent(person: Person) -> str:
    """One that quotes sentences and needs no model."""
    body = {"name": "Cita", "retrieval": {"similarity_threshold": 0.0}}
    made = (await person.call("POST", "/agents", 201, json=body))["id"]
    await person.call("PUT", f"/agents/{made}/knowledge-bases/{person.kb}", 200)
    return str(made)


async def change(person: Person, document: str, text: str) -> None:
    """The next version of a document, read."""
    path = f"/knowledge-bases/{person.kb}/documents/{document}"
    answer = await person.send("PUT", path, files={"file": ("manual.md", text.encode())})
    assert answer.status_code == 202, answer.text
    await person.idle()


async def forget(person: Person, document: str, word: str, *, most: int = 1) -> None:
    """Forgets the first chunks that say a word."""
    found = [one for one in await person.chunks(document) if word in one["content"]]
    assert found
    for one in found[:most]:
        path = f"/knowledge-bases/{person.kb}/documents/{document}/chunks/{one['id']}"
        await person.call("DELETE", path, 204)
    await person.idle()
    await person.ended(document)


async def small(person: Person, size: int = 300) -> Person:
    """With a knowledge base that is cut into small chunks."""
    config = {"strategy": "fixed", "chunk_size": size, "chunk_overlap": 0, "min_chunk_size": 20}
    body = {"name": f"Trozos de {size}", "chunking_config": config}
    return replace(person, kb=(await person.call("POST", "/knowledge-bases", 201, json=body))["id"])


async def test_an_answer_from_an_earlier_version_is_blanked_and_no_longer_history(
    at_work: Door, owner: Connection[Any]
) -> None:
    acme = at_work.acme
    document = await acme.bring("manual.md", f"# Manual\n\n{SECRET} {fill('alto', 4)}".encode())
    await acme.ended(document)
    asked = await agent(acme)
    answer = await acme.call("POST", f"/agents/{asked}/ask", 200, json={"question": QUESTION})
    assert "Velorcio" in answer["answer"]
    other = await acme.call(
        "POST",
        f"/agents/{asked}/ask",
        200,
        json={"question": "¿Qué se explica en el apartado alto número 3?"},
    )
    assert "alto número 3" in other["answer"]
    await change(
        acme, document, f"# Manual\n\n{fill('nuevo', 30)}\n\n## Sueldos\n\n{SECRET}\n\n{fill('alto', 4)}"
    )
    await forget(acme, document, "Velorcio", most=5)
    said = await acme.call("GET", f"/conversations/{answer['conversation_id']}/messages", 200)
    assert said["items"][1]["text"].startswith("[olvidado el ")
    assert said["items"][1]["claims"] == []
    assert in_tables(owner, "velorci", "77319") == {}


async def test_a_restored_version_does_not_bring_a_sentence_back_from_between_other_words(
    at_work: Door, owner: Connection[Any]
) -> None:
    acme = at_work.acme
    first = f"# Manual\n\n{fill('alto', 3)} {SECRET} {fill('medio', 20)}"
    document = await acme.bring("manual.md", first.encode())
    await acme.ended(document)
    await change(acme, document, f"# Manual\n\n{fill('nuevo', 4)} {SECRET} {fill('medio', 20)}")
    await forget(acme, document, "Velorcio", most=5)
    assert in_tables(owner, "velorci", "77319") == {}  # not in the stored text of the first version either
    path = f"/knowledge-bases/{acme.kb}/documents/{document}"
    await acme.call("POST", f"{path}/versions/1/restore", 202)
    await acme.idle()
    chunks = await acme.chunks(document)
    assert any("alto número 2" in one["content"] for one in chunks)
    assert not [one for one in chunks if "█" in one["content"]]
    assert in_tables(owner, "velorci", "77319") == {}


async def test_a_sentence_that_stands_twice_goes_from_both_places(
    at_work: Door, owner: Connection[Any]
) -> None:
    acme = await small(at_work.acme)
    text = f"# Manual\n\n{SECRET} {fill('alto', 9)}\n\n## Otra vez\n\n{fill('bajo', 9)} {SECRET}"
    document = await acme.bring("manual.md", text.encode())
    await acme.ended(document)
    await forget(acme, document, "Velorcio Trasmundo cobra")
    assert in_tables(owner, "velorci") == {}


async def test_short_sentences_and_headings_stay_where_others_say_them(at_work: Door) -> None:
    acme = await small(at_work.acme, 150)
    text = (
        f"# Manual\n\n## Resumen\n\n¿Es zorbelfunto la clave de la sala de servidores? Sí. Contraseña: quirmelonda.\n\n"
        f"## Piscina\n\n{fill('alto', 3)}\n\n## Resumen\n\n¿Abre la piscina municipal los sábados por la tarde? Sí.\n\n{fill('bajo', 3)}"
    )
    document = await acme.bring("manual.md", text.encode())
    await acme.ended(document)
    await forget(acme, document, "zorbelfunto", most=3)
    chunks = await acme.chunks(document)
    said = " ".join(one["content"] for one in chunks)
    assert "zorbelfunto" not in said
    assert "quirmelonda" not in said
    assert "los sábados por la tarde? Sí." in said
    assert "Resumen" in str(chunks)


@pytest.mark.parametrize(
    "text", ["clavemondo" + "x7q" * 1200, "密码是蓝鲸" + "我们公司的员工可以在周一到周五上班休息" * 200]
)
async def test_a_chunk_that_is_cut_in_mid_word_stays_away(
    at_work: Door, owner: Connection[Any], text: str
) -> None:
    acme = at_work.acme
    document = await acme.bring("llave.md", f"# Llave\n\n{text}\n\nOtra cosa queda aquí.\n".encode())
    await acme.ended(document)
    await forget(acme, document, text[:5])
    assert in_tables(owner, text[:5]) == {}


async def test_a_document_that_was_forgotten_whole_is_read_again_without_a_failure(at_work: Door) -> None:
    acme = at_work.acme
    document = await acme.bring("nota.txt", SECRET.encode())
    await acme.ended(document)
    await forget(acme, document, "Velorcio")
    told = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents/{document}", 200)
    assert (told["status"], told["error_code"], told["chunks_count"]) == ("completed", None, 0)


async def test_another_company_cannot_forget_a_chunk(at_work: Door) -> None:
    acme = at_work.acme
    document = await acme.bring("manual.md", f"# Manual\n\n{SECRET}".encode())
    await acme.ended(document)
    (chunk,) = await acme.chunks(document)
    path = f"/knowledge-bases/{acme.kb}/documents/{document}/chunks/{chunk['id']}"
    await at_work.rival.call("DELETE", path, 404)
    assert await acme.chunks(document)
