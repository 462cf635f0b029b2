"""From the parser to the passage: what a search finds knows its document's pieces."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.search.model import Passage
from veraz.search.places import place_of
from veraz.search.service import Wish
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.api.test_documents import FILES
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, Person
else:
    from api.test_documents import FILES
    from ingest.parse import made_files as made
    from support.door import Door, Person


async def test_passages_know_the_blocks_they_are_made_of(at_work: "Door") -> None:
    acme = at_work.acme
    ids = [await acme.bring(name, data) for name, (data, _) in FILES.items()]
    await acme.ended(*ids)
    found = {
        passage.document_name: passage for passage in await passages(at_work, acme, "precio Tornillo plazo")
    }
    assert set(found) <= set(FILES)
    for passage in found.values():
        pieces = [passage.content[block.start : block.end] for block in passage.blocks]
        assert pieces and all(piece == piece.strip() and piece in passage.content for piece in pieces)
    sheet = found["precios.xlsx"]
    row = next(block for block in sheet.blocks if "Tornillo" in sheet.content[block.start : block.end])
    assert (row.part, row.columns) == ("Precios", ("Pieza", "Precio"))
    assert [sheet.content[a:b] for a, b in row.cells] == ["Tornillo", "12"]
    pdf = found["contrato.pdf"]
    pages = {pdf.content[block.start : block.end]: block.page for block in pdf.blocks}
    assert pages["La sede está en Bogotá."] == 2


async def test_a_chunk_that_is_not_of_the_stored_text_has_no_blocks(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    await acme.ended(await acme.bring("a.md", b"# Uno\n\nEl plazo es de dos d\xc3\xadas.\n"))
    (before,) = await passages(at_work, acme, "plazo")
    assert [block.kind for block in before.blocks] == ["heading", "paragraph"]
    owner.execute("update veraz.chunk set content = 'El plazo es de tres días.'")
    (after,) = await passages(at_work, acme, "plazo")
    assert after.blocks == ()


async def test_another_tenant_reads_no_text(at_work: "Door", owner: Connection[TupleRow]) -> None:
    acme, rival = at_work.acme, at_work.rival
    await acme.ended(await acme.bring("a.md", b"El plazo es de dos d\xc3\xadas.\n"))
    chunks = [row[0] for row in owner.execute("select id from veraz.chunk").fetchall()]
    for person, segments in ((acme, 1), (rival, 0)):
        actor = await admin(at_work, person)
        async with at_work.veraz.db.transaction(actor.scope()) as tx:
            rows = await tx.rows(
                "select * from veraz.passage_text(null, %(kbs)s, %(chunks)s)",
                kbs=[UUID(acme.kb), UUID(rival.kb)],
                chunks=chunks,
            )
            seen = await tx.value("select count(*) from veraz.document_text")
        assert (len(rows), seen) == (segments, segments)


@pytest.mark.parametrize(
    "chunking",
    [
        {"strategy": "fixed"},
        {"strategy": "fixed", "unit": "tokens", "chunk_size": 800, "chunk_overlap": 100},
        {"strategy": "paragraph"},
        {"strategy": "semantic"},
    ],
)
async def test_every_sentence_has_its_own_page_however_the_document_is_cut(
    at_work: "Door", chunking: dict[str, object]
) -> None:
    body = {"name": "cut", "chunking_config": chunking}
    kb = await at_work.acme.call("POST", "/knowledge-bases", 201, json=body)
    acme = replace(at_work.acme, kb=kb["id"])
    await acme.ended(await acme.bring("libro.pdf", made.pdf(*map(page_text, range(1, 8)))))
    seen: set[str] = set()
    for passage in await passages(at_work, acme, "regla página"):
        for rule in re.finditer(r"La regla \d+ de la página (\d+) obliga a todos\.", passage.content):
            place = place_of(passage, rule.start(), rule.end())
            assert place.page_number == int(rule[1]), passage.content
            assert place.headings == (f"Capítulo {rule[1]}",)
            seen.add(rule[0])
    assert len(seen) > 100, "of 140; passages nearly like better ones are left out"


def page_text(number: int) -> str:
    rules = (f"La regla {rule} de la página {number} obliga a todos." for rule in range(1, 21))
    return "\n".join([f"# Capítulo {number}", *rules])


async def passages(door: "Door", person: "Person", query: str) -> list[Passage]:
    wish = Wish(top_k=20, similarity_threshold=0)
    result = await door.veraz.search.search_kb(await admin(door, person), UUID(person.kb), query, wish=wish)
    return [hit.passage for hit in result.evidence.hits]


async def admin(door: "Door", person: "Person") -> Actor:
    me = await person.call("GET", "/me", 200)
    return Actor(tenant_id=UUID(person.tenant_id), user_id=UUID(me["user"]["id"]), user_role="admin")
