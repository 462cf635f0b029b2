"""Tables of every format become rows × columns: each value with the name of its column."""

import io
import zipfile

import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from ingest.parse.made_files import docx, p, pptx, xlsx  # type: ignore[import-not-found]
from veraz import errors
from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read

GROUPED = ("Producto", "Precio › Contado", "Precio › Crédito")


def parse(data: bytes | str, filename: str) -> Parsed:
    return read(Source(data=data.encode() if isinstance(data, str) else data, filename=filename))


def values(parsed: Parsed, block: Block) -> dict[str, str]:
    """Each value by the name of its column, read from the text by the places of the cells."""
    cells = [parsed.text[start:end] for start, end in block.cells]
    return dict(zip(block.columns, cells, strict=False))


def rows(parsed: Parsed) -> list[dict[str, str]]:
    return [values(parsed, block) for block in parsed.blocks if block.kind == "table_row"]


def headers(parsed: Parsed) -> list[str]:
    return [parsed.of(block) for block in parsed.blocks if block.kind == "table_header"]


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def word_table(*lines: str) -> bytes:
    return bytes(docx("<w:tbl>" + "".join(f"<w:tr>{line}</w:tr>" for line in lines) + "</w:tbl>"))


def test_merged_cells_of_a_word_table_say_their_value_in_every_place_they_cover() -> None:
    down, goes_on, across = '<w:vMerge w:val="restart"/>', "<w:vMerge/>", '<w:gridSpan w:val="2"/>'
    parsed = parse(
        word_table(
            cell("Producto", down) + cell("Precio", across),
            cell("", goes_on) + cell("Contado") + cell("Crédito"),
            cell("Café", down) + cell("10 €") + cell("12 €"),
            cell("", goes_on) + cell("Gratis", across),
            cell("Total") + cell("20 €") + cell("24 €"),
        ),
        "precios.docx",
    )
    assert headers(parsed) == ["Producto | Precio | Precio", "Producto | Contado | Crédito"]
    assert rows(parsed) == [
        dict(zip(GROUPED, ("Café", "10 €", "12 €"), strict=True)),
        dict(zip(GROUPED, ("Café", "Gratis", "Gratis"), strict=True)),
        dict(zip(GROUPED, ("Total", "20 €", "24 €"), strict=True)),
    ]
    assert parsed.blocks[-1].table_header == " | ".join(GROUPED)


def test_a_title_above_a_word_table_names_no_column() -> None:
    wide = '<w:gridSpan w:val="2"/>'
    parsed = parse(
        word_table(cell("Tarifas 2026", wide), cell("Plan") + cell("Precio"), cell("Básico") + cell("10 €")),
        "a.docx",
    )
    assert [(block.kind, parsed.of(block)) for block in parsed.blocks] == [
        ("paragraph", "Tarifas 2026"),
        ("table_header", "Plan | Precio"),
        ("table_row", "Básico | 10 €"),
    ]
    assert rows(parsed) == [{"Plan": "Básico", "Precio": "10 €"}]


def test_a_table_of_names_and_values_has_no_header() -> None:
    parsed = parse(
        word_table(cell("Teléfono") + cell("555 12 34"), cell("Correo") + cell("hola@ejemplo.es")), "a.docx"
    )
    assert [(block.kind, block.columns) for block in parsed.blocks] == [("table_row", ()), ("table_row", ())]
    assert [parsed.text[start:end] for start, end in parsed.blocks[0].cells] == ["Teléfono", "555 12 34"]


def test_two_tables_of_a_document_are_told_apart() -> None:
    one = "<w:tbl><w:tr>{}</w:tr><w:tr>{}</w:tr></w:tbl>"
    body = one.format(cell("A") + cell("B"), cell("uno") + cell("dos"))
    parsed = parse(docx(body + p("Entre las dos") + body), "a.docx")
    assert [block.table for block in parsed.blocks] == [1, 1, None, 2, 2]


def test_the_merged_cells_of_a_slide() -> None:
    def tc(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    lines = (
        tc("Producto", 'rowSpan="2"') + tc("Precio", 'gridSpan="2"') + tc("", 'hMerge="1"'),
        tc("", 'vMerge="1"') + tc("Contado") + tc("Crédito"),
        tc("Café") + tc("10 €") + tc("12 €"),
    )
    table = '<a:tbl><a:tblPr firstRow="1"/>' + "".join(f"<a:tr>{line}</a:tr>" for line in lines) + "</a:tbl>"
    frame = (
        "<p:graphicFrame><a:graphic><a:graphicData>" + table + "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    parsed = parse(pptx(frame), "charla.pptx")
    assert rows(parsed) == [dict(zip(GROUPED, ("Café", "10 €", "12 €"), strict=True))]
    assert parsed.blocks[-1].page == 1


def test_a_web_table_with_groups_spans_and_totals() -> None:
    parsed = parse(
        "<table><tr><td colspan=3>Precios de 2026</td></tr>"
        "<tr><th rowspan=2>Producto</th><th colspan=2>Precio</th></tr><tr><th>Contado</th><th>Crédito</th></tr>"
        "<tr><td rowspan=2>Café</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>"
        "<tr><td>Total</td><td>4</td><td>6</td></tr></table>",
        "a.html",
    )
    assert parsed.of(parsed.blocks[0]) == "Precios de 2026"
    assert [tuple(row.values()) for row in rows(parsed)[1:]] == [
        ("Café", "1", "2"),
        ("Café", "3", "4"),
        ("Total", "4", "6"),
    ]
    assert parsed.blocks[-1].columns == GROUPED


def test_a_table_inside_a_cell_is_a_table_of_its_own_and_said_once() -> None:
    inner = "<table><tr><th>Talla</th><th>Stock</th></tr><tr><td>M</td><td>7</td></tr></table>"
    page = f"<table><tr><th>Producto</th><th>Tallas</th></tr><tr><td>Camisa</td><td>{inner}</td></tr></table>"
    parsed = parse(page, "a.html")
    assert parsed.text.count("Stock") == 1
    assert {"Talla": "M", "Stock": "7"} in rows(parsed)


def test_rows_stand_under_the_title_of_their_group() -> None:
    parsed = parse(
        "<h1>Carta</h1><table><tr><th>Plato</th><th>Precio</th></tr><tr><td colspan=2>Bebidas</td></tr>"
        "<tr><td>Té</td><td>2 €</td></tr><tr><td colspan=2>Postres</td></tr><tr><td>Té helado</td><td>4 €</td></tr>"
        "<tr><td colspan=2>El IVA está incluido.</td></tr></table><p>Fin.</p>",
        "a.html",
    )
    above = {parsed.of(block): block.headers for block in parsed.blocks}
    assert above["Té | 2 €"] == ("Carta", "Bebidas")
    assert above["Té helado | 4 €"] == ("Carta", "Postres")
    assert above["Fin."] == ("Carta",)


def test_a_web_cell_that_claims_to_span_everything_is_bounded() -> None:
    parsed = parse('<table><tr><td colspan="99999" rowspan="99999">a</td><td>b</td></tr></table>', "a.html")
    assert len(parsed.text) < 2_000


def test_markdown_cells_stand_between_their_bars() -> None:
    parsed = parse(
        "| Plan | **Precio** (€) |\n|:--|--:|\n| Básico | 10 |\n| A \\| B | |\n\nNombre | Edad\n--|--\nAna | 30\n",
        "a.md",
    )
    assert rows(parsed) == [
        {"Plan": "Básico", "Precio (€)": "10"},
        {"Plan": "A \\| B", "Precio (€)": ""},
        {"Nombre": "Ana", "Edad": "30"},
    ]
    assert [block.table for block in parsed.blocks] == [1, 1, 1, 2, 2]
    assert parsed.blocks[1].table_header == "| Plan | **Precio** (€) |\n|:--|--:|"


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Precios"
    for row in (
        ["Lista de precios 2026", None, None],
        [],
        ["Producto", "Precio", None],
        [None, "Contado", "Crédito"],
        [None, "(€)", "(€)"],
        ["Café", 10, 12],
        [None, 11, 13],
        ["Total", 21, 25],
        [],
        ["Mes", 2025, 2026],
        ["Enero", 7, 8],
    ):
        sheet.append(row)
    for merged in ("A1:C1", "A3:A4", "B3:C3", "A6:A7"):
        sheet.merge_cells(merged)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_sheet_with_a_title_groups_units_merged_cells_and_a_second_table() -> None:
    parsed = parse(workbook(), "precios.xlsx")
    names = ("Producto", "Precio › Contado (€)", "Precio › Crédito (€)")
    table = [block for block in parsed.blocks if block.columns == names and block.kind == "table_row"]
    assert [values(parsed, block) for block in table] == [
        dict(zip(names, ("Café", "10", "12"), strict=True)),
        dict(zip(names, ("Café", "11", "13"), strict=True)),
        dict(zip(names, ("Total", "21", "25"), strict=True)),
    ]
    assert parsed.of(table[0]) == "Producto: Café; Precio › Contado (€): 10; Precio › Crédito (€): 12"
    assert (table[0].part, table[0].row, table[0].table_header) == ("Precios", 6, None)
    assert parsed.of(parsed.blocks[0]) == "Lista de precios 2026"
    assert table[0].headers == ("Lista de precios 2026",)
    last = parsed.blocks[-1]
    assert values(parsed, last) == {"Mes": "Enero", "2025": "7", "2026": "8"}
    assert last.table == (table[0].table or 0) + 1


def test_rows_of_a_csv_know_their_columns() -> None:
    parsed = parse("Producto;Precio;Nota\nCafé;1,5;\nTé;2,0;frío\n", "a.csv")
    assert rows(parsed) == [
        {"Producto": "Café", "Precio": "1,5", "Nota": ""},
        {"Producto": "Té", "Precio": "2,0", "Nota": "frío"},
    ]
    assert [(block.part, block.table) for block in parsed.blocks] == [("row 2", 1), ("row 3", 1)]


def test_a_csv_as_wide_as_a_spreadsheet_keeps_its_text_and_the_first_names() -> None:
    names = ",".join(f"c{number}" for number in range(16_384))
    parsed = parse(f"{names}\n{names.replace('c', 'v')}\n", "ancho.csv")
    (block,) = parsed.blocks
    assert parsed.of(block).endswith("c16383: v16383")
    assert (len(block.columns), len(block.cells)) == (1_000, 1_000)
    assert values(parsed, block)["c999"] == "v999"


def test_a_csv_wider_than_a_spreadsheet_is_refused() -> None:
    with pytest.raises(errors.TooLarge):
        parse(",".join("1" for _ in range(16_385)), "ancho.csv")


def test_a_sheet_of_all_columns_keeps_its_text_and_the_first_names() -> None:
    parsed = parse(wide_sheet(rows=3, columns=16_384), "ancho.xlsx")
    last = parsed.blocks[-1]
    assert parsed.of(last).endswith("n16384: 3")
    assert (len(last.columns), len(last.cells)) == (1_000, 1_000)


def test_the_places_of_a_very_long_table_end_at_a_million_cells() -> None:
    line = ",".join("1" for _ in range(500))
    parsed = parse("\n".join([line] * 2_010), "largo.csv")
    assert sum(len(block.cells) for block in parsed.blocks) == 1_000_000
    assert parsed.of(parsed.blocks[-1]) == " | ".join("1" for _ in range(500))


def wide_sheet(*, rows: int, columns: int) -> bytes:
    """A workbook written part by part: making it with a library takes longer than reading it."""
    start = xlsx(Hoja=[["x"]])
    names = [get_column_letter(number) for number in range(1, columns + 1)]
    lines = []
    for row in range(1, rows + 1):
        cells = (
            f'<c r="{name}{row}" t="inlineStr"><is><t>n{number}</t></is></c>'
            if row == 1
            else f'<c r="{name}{row}"><v>{row}</v></c>'
            for number, name in enumerate(names, 1)
        )
        lines.append(f'<row r="{row}">{"".join(cells)}</row>')
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        + "".join(lines)
        + "</sheetData></worksheet>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(start)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            after.writestr(name, sheet if "sheet1.xml" in name else before.read(name))
    return out.getvalue()


@pytest.mark.parametrize(
    ("first", "second"),
    [("Concepto", "Importe 2026"), ("Plan", "Precio (€)"), ("Servicio", "Descripción")],
)
def test_two_columns_with_names_have_a_header(first: str, second: str) -> None:
    parsed = parse(f"<table><tr><td>{first}<td>{second}</tr><tr><td>Uno<td>10 €</tr></table>", "a.html")
    assert rows(parsed) == [{first: "Uno", second: "10 €"}]
