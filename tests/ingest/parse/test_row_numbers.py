"""Rows are numbered alike in every format: from 1, as they are shown, those that name the columns counted."""

import pytest
from tests.ingest.parse.drawn_pdf import Sheet, Words, grid

from ingest.parse.made_files import docx, p, pptx, shape, table, xlsx  # type: ignore[import-not-found]
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read

ROWS = (("Plan", "Precio"), ("Básico", "10 €"), ("Medio", "20 €"), ("Completo", "30 €"))
XS, STEP = (50, 200, 350), 20


def html(*rows: str) -> str:
    return "<h1>Tarifas</h1><table>" + "".join(rows) + "</table>"


def html_row(cells: tuple[str, ...], attributes: str = "") -> str:
    return f"<tr {attributes}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def slide_table(*rows: tuple[str, ...]) -> str:
    cells = (
        "<a:tr>"
        + "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in row
        )
        + "</a:tr>"
        for row in rows
    )
    return f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{''.join(cells)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"


def ruled(sheet: Sheet, rows: tuple[tuple[str, ...], ...], top: float = 700) -> Sheet:
    words: list[Words] = [
        (x + 10, top - STEP * at, cell)
        for at, row in enumerate(rows)
        for x, cell in zip(XS, row, strict=False)
    ]
    return sheet.page(words, grid(XS, [top + 14 - STEP * at for at in range(len(rows) + 1)]))


def parse(data: bytes | str, filename: str) -> Parsed:
    return read(Source(data=data.encode() if isinstance(data, str) else data, filename=filename))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", docx(p("Tarifas") + table(*ROWS))),
        ("a.html", html(*map(html_row, ROWS))),
        ("a.md", "# Tarifas\n\nPlan | Precio\n--- | ---\n" + "\n".join(map(" | ".join, ROWS[1:])) + "\n"),
        ("a.pptx", pptx(slide_table(*ROWS))),
        ("a.pdf", ruled(Sheet(), ROWS).data()),
    ],
)
def test_the_rows_of_a_table_are_numbered_as_those_of_a_sheet(name: str, data: bytes | str) -> None:
    sheet = parse(xlsx(Tarifas=[list(row) for row in ROWS]), "a.xlsx")
    parsed = parse(data, name)
    rows = [block for block in parsed.blocks if block.kind in ("table_row", "table_header")]
    in_sheet = [block for block in sheet.blocks if block.kind in ("table_row", "table_header")]
    assert [(block.kind, block.row) for block in rows] == [(block.kind, block.row) for block in in_sheet]
    assert [block.row for block in rows] == [1, 2, 3, 4]
    assert {block.columns for block in rows} == {ROWS[0]}


def test_rows_that_are_empty_count_and_rows_that_are_hidden_do_not() -> None:
    parsed = parse(
        html(
            html_row(ROWS[0]),
            html_row(("", "")),
            html_row(ROWS[1], "hidden"),
            html_row(ROWS[2]),
            html_row(("Otros",)),
            html_row(ROWS[3]),
        ),
        "a.html",
    )
    assert [(parsed.of(block).split(" | ")[0], block.row) for block in parsed.blocks if block.table] == [
        ("Plan", 1),
        ("Medio", 3),
        ("Otros", 4),
        ("Completo", 5),
    ]


def test_each_table_begins_anew_also_one_of_a_single_column() -> None:
    parsed = parse(html(*map(html_row, ROWS)) + html(html_row(("Uno",)), html_row(("Dos",))), "a.html")
    rows = [(block.table, block.row) for block in parsed.blocks if block.table]
    assert rows == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2)]


def test_a_table_goes_on_counting_on_the_next_page_and_does_not_count_repeated_names() -> None:
    more = (("Familiar", "40 €"), ("Empresa", "50 €"))
    again = parse(ruled(ruled(Sheet(), ROWS, top=120), (ROWS[0], *more), top=780).data(), "a.pdf")
    assert [(block.kind, block.row) for block in again.blocks if block.table == 1] == [
        ("table_header", 1),
        ("table_row", 2),
        ("table_row", 3),
        ("table_row", 4),
        ("table_header", None),
        ("table_row", 5),
        ("table_row", 6),
    ]


def test_a_row_on_a_slide_stands_in_no_sheet() -> None:
    parsed = parse(pptx(shape("Tarifas", "title") + slide_table(*ROWS)), "a.pptx")
    assert {(block.part, block.sheet) for block in parsed.blocks if block.row} == {("Tarifas", None)}
    sheet = parse(xlsx(Tarifas=[["Tarifas"], *map(list, ROWS)]), "a.xlsx")
    assert {block.sheet for block in sheet.blocks} == {"Tarifas"}
