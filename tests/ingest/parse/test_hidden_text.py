"""What the reader of a file does not see is no evidence: hidden sheets, rows and columns, Word text, parts of pages."""

import io
import struct

import openpyxl
import pytest
from made_files import biff, docx, p, word_xml, workbook_xls  # type: ignore[import-not-found]

from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read

ROWS: list[list[object]] = [
    ["Artículo", "Coste", "Precio"],
    *([f"Tornillo {n}", 1000 + n, 2000 + n] for n in range(1, 7)),
]


def parse(data: bytes | str, filename: str) -> Parsed:
    return read(Source(data=data.encode() if isinstance(data, str) else data, filename=filename))


def workbook(*, rows: tuple[int, ...] = (), columns: str = "", sheet: str = "") -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name in ("Precios", "Márgenes"):
        made = book.create_sheet(name)
        for row in ROWS:
            made.append([f"{cell} {name}" if isinstance(cell, str) else cell for cell in row])
        for number in rows:
            made.row_dimensions[number].hidden = True
        for letter in columns:
            made.column_dimensions[letter].hidden = True
        if name == sheet:
            made.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# --- sheets ------------------------------------------------------------------------------------------


def test_a_hidden_sheet_is_left_out() -> None:
    text = parse(workbook(sheet="Márgenes"), "a.xlsx").text
    assert "Tornillo 1 Precios" in text and "Márgenes" not in text


def test_hidden_rows_are_left_out_and_the_others_keep_their_numbers_and_columns() -> None:
    parsed = parse(workbook(rows=(3, 4)), "a.xlsx")
    assert "Tornillo 2" not in parsed.text and "Tornillo 3" not in parsed.text
    row = next(block for block in parsed.blocks if "Tornillo 4 Precios" in parsed.of(block))
    assert (row.row, row.columns) == (5, ("Artículo Precios", "Coste Precios", "Precio Precios"))


def test_hidden_columns_are_left_out() -> None:
    parsed = parse(workbook(columns="B"), "a.xlsx")
    assert "Coste" not in parsed.text and "1001" not in parsed.text
    assert "Artículo Precios: Tornillo 1 Precios; Precio Precios: 2001" in parsed.text


def test_hidden_rows_columns_and_sheets_of_an_old_workbook_are_left_out() -> None:
    cells = [(row, column, f"celda {row}{column}") for row in range(3) for column in range(3)]
    hidden_row = biff(0x0208, struct.pack("<8H", 1, 0, 3, 255, 0, 0, 0x0120, 15))
    hidden_column = biff(0x007D, struct.pack("<6H", 2, 2, 2560, 15, 1, 0))
    sheets = {"Vista": (0, hidden_column + hidden_row, cells), "Oculta": (1, b"", [(0, 0, "secreto")])}
    text = parse(workbook_xls(sheets), "a.xls").text
    assert [cell for _, _, cell in cells if cell in text] == ["celda 00", "celda 01", "celda 20", "celda 21"]
    assert "secreto" not in text


# --- Word --------------------------------------------------------------------------------------------

STYLES = word_xml(
    "styles",
    '<w:style w:styleId="Notas"><w:name w:val="Notas"/><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="Hija"><w:name w:val="Hija"/><w:basedOn w:val="Notas"/></w:style>'
    '<w:style w:styleId="Vista"><w:name w:val="Vista"/><w:basedOn w:val="Notas"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>',
)


def run(text: str, properties: str) -> str:
    return f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_word_text_of_a_hidden_style_is_left_out() -> None:
    body = (
        p("Visible")
        + p("Oculto uno", '<w:pStyle w:val="Hija"/>')
        + run("Oculto dos", '<w:rStyle w:val="Notas"/>')
        + run("Oculto tres", "<w:vanish/>")
        + p("También visible", '<w:pStyle w:val="Vista"/>')
        + run("Y esto", '<w:rStyle w:val="Notas"/><w:vanish w:val="false"/>')
    )
    assert parse(docx(body, word__styles=STYLES), "a.docx").text == "Visible\n\nTambién visible\n\nY esto"


def test_hidden_rows_of_a_word_table_are_left_out() -> None:
    row = "<w:tr>{}<w:tc>" + p("{}") + "</w:tc><w:tc>" + p("10 €") + "</w:tc></w:tr>"
    rows = row.format("", "Básico") + row.format("<w:trPr><w:hidden/></w:trPr>", "Interno")
    text = parse(docx(f"<w:tbl>{rows}</w:tbl>"), "a.docx").text
    assert "Básico" in text and "Interno" not in text


# --- pages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hidden",
    [
        "<style>.x { display: none }</style><p class=x>secreto</p>",
        "<style>div.x, #y { color: red; visibility:hidden !important }</style><div class=x><p>secreto</p></div>",
        "<p style='DISPLAY : NONE'>secreto</p>",
        "<div hidden><p>secreto</p></div>",
        "<table><tbody style='display:none'><tr><td>secreto</td><td>1</td></tr></tbody></table>",
        "<table><tr><td hidden><table><tr><td>secreto</td><td>1</td></tr></table></td><td>2</td></tr></table>",
    ],
)
def test_what_a_page_hides_is_left_out(hidden: str) -> None:
    text = parse(f"<body><p>visible</p>{hidden}</body>", "a.html").text
    assert "visible" in text and "secreto" not in text


@pytest.mark.parametrize(
    "shown",
    [
        "<style>.x { display: none } .x.on { display: block }</style><p class='x on'>a la vista</p>",
        "<style>.x { display: none }</style><p class=x style='display:block'>a la vista</p>",
        "<style>@media print { .x { display: none } }</style><p class=x>a la vista</p>",
        "<style>.m:hover .x { display: none } p[ { display:none }</style><p class=x>a la vista</p>",
        "<style>/* p { display: none } */ p { display: block }</style><p>a la vista</p>",
    ],
)
def test_what_a_page_shows_after_all_is_read(shown: str) -> None:
    assert "a la vista" in parse(f"<body>{shown}</body>", "a.html").text
