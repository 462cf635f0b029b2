"""What the reader of a file does not see is no evidence: hidden sheets, slides, rows and columns, Word text, parts of pages."""

import io
import struct
import zipfile
from collections.abc import Callable

import openpyxl
import pytest
from openpyxl.worksheet.filters import AutoFilter, FilterColumn
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from ingest.parse.made_files import biff, docx, p, ppt, pptx, shape, word_xml, workbook_xls  # type: ignore[import-not-found]
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


def priced(change: Callable[[Worksheet], None]) -> str:
    """The text of a price list in which rows 3 and 4 are hidden, after another change."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in ROWS:
        sheet.append(row)
    for number in (3, 4):
        sheet.row_dimensions[number].hidden = True
    change(sheet)
    out = io.BytesIO()
    book.save(out)
    return parse(out.getvalue(), "a.xlsx").text


def filter_sheet(sheet: Worksheet) -> None:
    sheet.auto_filter.ref = "A1:C5"
    sheet.auto_filter.add_filter_column(0, ["Tornillo 1", "Tornillo 4"])


def filter_table(sheet: Worksheet) -> None:
    table = Table(displayName="Lista", ref="A1:C7")
    table.autoFilter = AutoFilter(ref="A1:C7")
    table.autoFilter.add_filter_column(0, ["Tornillo 1", "Tornillo 4", "Tornillo 5", "Tornillo 6"])
    sheet.add_table(table)


def filter_elsewhere(sheet: Worksheet) -> None:
    """As an advanced filter does, which says only that rows are filtered."""
    sheet.sheet_properties.filterMode = True


def group_rows(sheet: Worksheet) -> None:
    sheet.row_dimensions.group(3, 4, outline_level=1, hidden=True)


@pytest.mark.parametrize("fold", [filter_sheet, filter_table, filter_elsewhere, group_rows])
def test_rows_that_a_filter_or_a_collapsed_group_folds_away_are_kept(
    fold: Callable[[Worksheet], None],
) -> None:
    text = priced(fold)
    assert [n for n in range(1, 7) if f"Artículo: Tornillo {n}; Coste: 100{n}" in text] == [1, 2, 3, 4, 5, 6]


def offer_filter(sheet: Worksheet) -> None:
    sheet.auto_filter.ref = "A1:C7"


def hide_a_button(sheet: Worksheet) -> None:
    sheet.auto_filter.ref = "A1:C7"
    sheet.auto_filter.filterColumn.append(FilterColumn(colId=1, hiddenButton=True))


def filter_other_rows(sheet: Worksheet) -> None:
    sheet.auto_filter.ref = "A4:C7"
    sheet.auto_filter.add_filter_column(0, ["Tornillo 4"])


@pytest.mark.parametrize("change", [offer_filter, hide_a_button, filter_other_rows])
def test_rows_that_no_criterion_of_a_filter_is_about_stay_hidden(change: Callable[[Worksheet], None]) -> None:
    text = priced(change)
    assert "Tornillo 1" in text and "Tornillo 2" not in text and "Tornillo 3" not in text


def test_columns_of_a_collapsed_group_are_kept() -> None:
    def fold(sheet: Worksheet) -> None:
        sheet.column_dimensions.group("B", "B", outline_level=1, hidden=True)

    assert "Artículo: Tornillo 1; Coste: 1001; Precio: 2001" in priced(fold)


def test_the_filter_of_a_view_that_is_only_saved_shows_nothing() -> None:
    filtered = workbook_part(
        workbook(rows=(3,)),
        "</sheetData>",
        '</sheetData><customSheetViews><customSheetView guid="{0}"><autoFilter ref="A1:C7"><filterColumn colId="0">'
        '<filters><filter val="x"/></filters></filterColumn></autoFilter></customSheetView></customSheetViews>',
    )
    assert "Tornillo 2" not in parse(filtered, "a.xlsx").text


def workbook_part(data: bytes, old: str, new: str) -> bytes:
    """A workbook with something replaced in its sheets."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            part = before.read(name)
            after.writestr(
                name, part.replace(old.encode(), new.encode()) if name.startswith("xl/worksheets/") else part
            )
    return out.getvalue()


def old_row(number: int, flags: int) -> bytes:
    return bytes(biff(0x0208, struct.pack("<8H", number, 0, 3, 255, 0, 0, 0x0100 | flags, 15)))


def old_filter_range(sheet: int, first: int, last: int) -> bytes:
    """The name an old workbook has for what a sheet filters."""
    area = struct.pack("<B5H", 0x3B, sheet - 1, first, last, 0, 1)
    head = struct.pack("<H2B3H4x", 0x0021, 0, 1, len(area), 0, sheet)
    return bytes(biff(0x0018, head + b"\x00\x0d" + area))


CELLS = [(row, column, f"celda {row}{column}") for row in range(4) for column in range(2)]


def rows_read(text: str) -> list[int]:
    return [row for row in range(4) if f"celda {row}0" in text]


def test_rows_that_a_filter_of_an_old_workbook_folds_away_are_kept() -> None:
    own = biff(0x009B, b"") + old_row(1, 0x20) + old_row(3, 0x20)
    book = {"Otra": (0, b"", CELLS[:2]), "Lista": (0, own, CELLS)}
    assert rows_read(parse(workbook_xls(book), "a.xls").text) == [0, 1, 2, 3]
    ranged = workbook_xls(book, old_filter_range(2, 0, 2))
    assert rows_read(parse(ranged, "a.xls").text) == [0, 1, 2]


def test_rows_and_columns_of_a_collapsed_group_of_an_old_workbook_are_kept() -> None:
    column = biff(0x007D, struct.pack("<6H", 1, 1, 2560, 15, 0x0101, 0))
    text = parse(workbook_xls({"Lista": (0, column + old_row(1, 0x21), CELLS)}), "a.xls").text
    assert rows_read(text) == [0, 1, 2, 3] and "celda 01" in text


def remark(data: bytes | str, filename: str) -> list[str]:
    """What a reading of a file says it left out."""
    return [notice.message("es") for notice in parse(data, filename).notices]


def test_a_reading_of_a_workbook_says_what_it_left_out() -> None:
    data = workbook(rows=(3, 4), columns="B", sheet="Márgenes")
    assert remark(data, "a.xlsx") == ["Se dejó fuera texto oculto: 1 hoja, 2 filas, 1 columna."]
    assert (
        parse(data, "a.xlsx").notices[0].message("en")
        == "Hidden text was left out: 1 sheet, 2 rows, 1 column."
    )
    assert remark(workbook(), "a.xlsx") == []


def test_hidden_rows_and_columns_without_content_are_not_worth_a_remark() -> None:
    assert remark(workbook(rows=(20, 21), columns="FG"), "a.xlsx") == []


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


def test_a_reading_of_a_word_file_says_what_it_left_out() -> None:
    row = "<w:tr>{}<w:tc>" + p("{}") + "</w:tc><w:tc>" + p("10 €") + "</w:tc></w:tr>"
    rows = row.format("", "Básico") + row.format("<w:trPr><w:hidden/></w:trPr>", "Interno")
    body = p("Visible") + run("Tres palabras ocultas", "<w:vanish/>") + f"<w:tbl>{rows}</w:tbl>"
    assert remark(docx(body), "a.docx") == ["Se dejó fuera texto oculto: 1 fila, 3 palabras."]


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


def test_a_reading_of_a_page_says_what_it_left_out() -> None:
    page = (
        "<body><nav hidden>uno dos</nav><script>var x</script><p>visible</p><div hidden><p>tres palabras ocultas</p></div>"
        "<table><tr><th>a</th><th>b</th></tr><tr hidden><td>otra <b hidden>más</b></td><td>1</td></tr></table></body>"
    )
    assert remark(page, "a.html") == ["Se dejó fuera texto oculto: 6 palabras."]
    assert remark("<body><nav hidden>uno dos</nav><p>visible</p></body>", "a.html") == []


# --- slides ------------------------------------------------------------------------------------------


def test_hidden_slides_are_left_out_with_their_notes_and_the_others_keep_their_numbers() -> None:
    slides = [
        shape(f"Tema {n}", "title") + shape(f"Texto {n}", "body") + shape(f"Pie {n}", "ftr")
        for n in (1, 2, 3)
    ]
    parsed = parse(pptx(*slides, hidden=(2,), notes={2: "Nota 2", 3: "Nota 3"}), "a.pptx")
    assert not any(words in parsed.text for words in ("Tema 2", "Texto 2", "Pie 2", "Nota 2"))
    assert [(block.page, parsed.of(block)) for block in parsed.blocks if block.kind == "heading"] == [
        (1, "Tema 1"),
        (3, "Tema 3"),
    ]
    assert "Nota 3" in parsed.text and parsed.page_count == 3
    assert [notice.message("es") for notice in parsed.notices] == [
        "Se dejó fuera texto oculto: 1 diapositiva."
    ]


def test_hidden_slides_of_an_old_presentation_are_left_out() -> None:
    slides = [(f"Tema {n}", f"Texto {n}") for n in (1, 2, 3)]
    parsed = parse(ppt(*slides, hidden=(1, 3)), "a.ppt")
    assert [(block.page, parsed.of(block)) for block in parsed.blocks] == [(2, "Tema 2"), (2, "Texto 2")]
    assert [notice.message("en") for notice in parsed.notices] == ["Hidden text was left out: 2 slides."]
    assert parse(ppt(*slides), "a.ppt").notices == ()
