"""A quoted row says which row of its table it is, in every format and through every door, and is shown among its rows."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.api.test_quotes_in_every_door import address, agent_with, quote_of, quotes_everywhere, told
    from tests.ingest.parse import made_files as made
    from tests.ingest.parse.drawn_pdf import Sheet, grid
    from tests.support.door import Door
else:
    from api.test_quotes_in_every_door import address, agent_with, quote_of, quotes_everywhere, told
    from ingest.parse import made_files as made
    from ingest.parse.drawn_pdf import Sheet, grid
    from support.door import Door

ROWS = (
    ("Actividad", "Cuota"),
    ("Natación", "31 euros"),
    ("Escalada", "47 euros"),
    ("Baloncesto", "25 euros"),
)
QUESTION = "¿Cuánto es la cuota de Escalada?"


def page() -> str:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
    return f"<h1>Cuotas del gimnasio</h1><table>{rows}</table>"


def slide() -> str:
    rows = "".join(
        "<a:tr>"
        + "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in row
        )
        + "</a:tr>"
        for row in ROWS
    )
    table = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    return made.shape("Cuotas del gimnasio", "title") + table


def drawn() -> bytes:
    cells = [
        (x, 700 - 20 * at, cell)
        for at, row in enumerate(ROWS)
        for x, cell in zip((60, 210), row, strict=True)
    ]
    return Sheet().page(cells, grid((50, 200, 350), [714 - 20 * at for at in range(5)])).data()


FILES = {
    "cuotas.docx": made.docx(made.p("Cuotas del gimnasio") + made.table(*ROWS)),
    "cuotas.html": page().encode(),
    "cuotas.md": "\n".join(["| Actividad | Cuota |", "|---|---|", *map(" | ".join, ROWS[1:])]).encode(),
    "cuotas.pptx": made.pptx(slide()),
    "cuotas.pdf": drawn(),
    "cuotas.xlsx": made.xlsx(Cuotas=[list(row) for row in ROWS]),
}


@pytest.mark.parametrize("name", FILES)
async def test_a_quoted_row_has_its_number_and_columns_in_every_door(at_work: Door, name: str) -> None:
    agent, _ = await agent_with(at_work.acme, name, FILES[name])
    quotes = await quotes_everywhere(at_work, agent, QUESTION)
    assert all("47 euros" in quote["text"] for quote in quotes)
    assert told(quotes, "row") == {3} and told(quotes, "columns") == {'["Actividad", "Cuota"]'}
    assert told(quotes, "sheet") == {"Cuotas" if name.endswith("xlsx") else None}


@pytest.mark.parametrize("name", FILES)
async def test_a_quoted_row_is_shown_among_the_rows_of_its_table(at_work: Door, name: str) -> None:
    agent, _ = await agent_with(at_work.acme, name, FILES[name])
    quote = await quote_of(at_work.acme, agent, QUESTION)
    seen = await at_work.acme.call("GET", address(quote), 200)
    assert seen["view"] == {"pdf": "page", "xlsx": "sheet"}.get(name.partition(".")[2], "text")
    assert (seen["row"], seen["grid"]["columns"]) == (3, list(ROWS[0]))
    assert [(row["number"], tuple(row["cells"]), row["marked"]) for row in seen["grid"]["rows"]] == [
        (2, ROWS[1], False),
        (3, ROWS[2], True),
        (4, ROWS[3], False),
    ]
    assert (await at_work.rival.send("GET", address(quote))).status_code == 404


async def test_a_paragraph_beside_a_table_is_no_row_of_it(at_work: Door) -> None:
    text = "El carné joven cuesta 12 euros al año.\n\n" + FILES["cuotas.md"].decode()
    agent, _ = await agent_with(at_work.acme, "cuotas.md", text.encode())
    quote = await quote_of(at_work.acme, agent, "¿Cuánto cuesta el carné joven al año?")
    assert (quote["row"], quote["columns"]) == (None, [])
    seen = await at_work.acme.call("GET", address(quote), 200)
    assert (seen["row"], seen["grid"]) == (None, None)


async def test_programs_are_told_the_row_of_a_slide_and_no_sheet(at_work: Door) -> None:
    acme = at_work.acme
    kb = {"chunking_config": {"strategy": "fixed", "chunk_size": 60, "chunk_overlap": 0}}
    await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json=kb)
    await agent_with(acme, "cuotas.pptx", FILES["cuotas.pptx"])
    body: dict[str, Any] = {"query": "Baloncesto", "similarity_threshold": 0, "top_k": 20}
    found = await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json=body)
    rows = {one["row"]: one["sheet"] for one in found["results"]}
    assert any(rows) and set(rows.values()) == {None}
    vector = await acme.call("POST", "//v1/embeddings", 200, json={"model": "default", "input": "Baloncesto"})
    asked = {"query_embedding": vector["data"][0]["embedding"], "match_threshold": -1}
    told_rows = await acme.call("POST", "//rest/v1/rpc/match_documents", 200, json=asked)
    places = [one["metadata"] for one in told_rows]
    assert {place["row"] for place in places if "row" in place} == set(filter(None, rows))
    assert not any("sheet" in place for place in places)
