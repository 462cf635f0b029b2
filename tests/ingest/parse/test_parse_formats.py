"""Each format gives its visible text, where each piece stands, and what the file says about itself."""

import datetime
import io
import json
import shutil
import zipfile

import pytest

from ingest.parse.made_files import (  # type: ignore[import-not-found]
    doc,
    docx,
    drawn_pdf,
    p,
    pdf,
    ppt,
    pptx,
    scanned_pdf,
    shape,
    table,
    word6,
    word_xml,
    xlsx,
)
from veraz import errors
from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import ParseLimits, Source
from veraz.ingest.parse.read import read

TESSERACT = shutil.which("tesseract")
needs_tesseract = pytest.mark.skipif(
    TESSERACT is None, reason="needs Tesseract: apt-get install tesseract-ocr tesseract-ocr-spa"
)
SPANISH = "El plazo de devolución es de treinta días desde la fecha de la compra según el artículo segundo."


def parse(data: bytes | str, filename: str, **limits: object) -> Parsed:
    raw = data.encode() if isinstance(data, str) else data
    source = Source(data=raw, filename=filename, limits=ParseLimits(tesseract=TESSERACT, **limits))  # type: ignore[arg-type]
    parsed = read(source)
    check_spans(parsed)
    return parsed


def check_spans(parsed: Parsed) -> None:
    at = 0
    for block in parsed.blocks:
        assert at <= block.start < block.end <= len(parsed.text)
        assert parsed.text[at : block.start].strip() == ""
        assert parsed.of(block) == parsed.of(block).strip()
        at = block.end
    assert parsed.text[at:].strip() == ""


def texts(parsed: Parsed, kind: str | None = None) -> list[str]:
    return [parsed.of(block) for block in parsed.blocks if kind in (None, block.kind)]


def block_with(parsed: Parsed, words: str) -> Block:
    return next(block for block in parsed.blocks if words in parsed.of(block))


# --- PDF ---------------------------------------------------------------------------------------------


def test_a_pdf_gives_text_by_page_with_headings_and_what_it_says_about_itself() -> None:
    data = pdf(
        f"# Devoluciones\n{SPANISH}\n{SPANISH}",
        f"# Envíos\n{SPANISH}\nÑandú, cigüeña y café.",
        title="Manual 2024",
    )
    parsed = parse(data, "manual.pdf")
    assert (parsed.unit, parsed.page_count, parsed.title, parsed.author) == (
        "page",
        2,
        "Manual 2024",
        "Ana Pérez",
    )
    assert parsed.created_date == datetime.date(2024, 3, 15)
    assert parsed.language == "es"
    found = block_with(parsed, "Ñandú, cigüeña y café.")
    assert (found.page, found.headers) == (2, ("Envíos",))
    assert block_with(parsed, "Devoluciones").kind == "heading"


def test_lines_broken_by_the_margin_flow_together() -> None:
    parsed = parse(pdf(f"{SPANISH}\n{SPANISH}\n{SPANISH}"), "a.pdf")
    assert texts(parsed) == [" ".join([SPANISH] * 3)]


@needs_tesseract
def test_only_scanned_pages_go_through_ocr() -> None:
    scan = scanned_pdf(
        "# Aviso importante\nEl horario de atención es de nueve a cinco\nLa dirección cambió en el año 2023"
    )
    seen: list[int] = []
    expected: list[int] = []
    parsed = read(
        Source(
            data=scan,
            filename="scan.pdf",
            limits=ParseLimits(tesseract=TESSERACT),
            progress=seen.append,
            expect_scans=expected.append,
        )
    )
    assert "El horario de atención es de nueve a cinco" in parsed.text
    assert "año 2023" in parsed.text
    assert (expected, seen[-1], parsed.page_count) == ([1], 99, 1)


@needs_tesseract
def test_letters_that_are_only_drawn_are_read_too() -> None:
    parsed = parse(drawn_pdf("El horario de atención es de nueve a cinco"), "curvas.pdf")
    assert "El horario de atención es de nueve a cinco" in parsed.text


def test_a_scan_without_tesseract_says_what_to_install() -> None:
    with pytest.raises(errors.ScanUnread) as caught:
        read(Source(data=scanned_pdf("Hola"), filename="scan.pdf", limits=ParseLimits(tesseract=None)))
    assert "tesseract-ocr-spa" in caught.value.message("es")


def test_pages_with_text_are_kept_when_the_scanned_ones_cannot_be_read() -> None:
    grey = bytes([255]) * (100 * 100)
    mixed = pdf(SPANISH, "x", images={2: (100, 100, grey)})
    parsed = read(Source(data=mixed, filename="mixed.pdf", limits=ParseLimits(tesseract=None)))
    assert parsed.text == SPANISH
    assert parsed.notices[0].code == "ocr_missing"
    assert "tesseract-ocr-spa" in parsed.notices[0].message("es")


@needs_tesseract
def test_pages_beyond_the_ocr_limit_are_said() -> None:
    scan = scanned_pdf("Primera página escaneada", "Segunda página escaneada")
    parsed = parse(scan, "scan.pdf", ocr_pages_max=1)
    assert "Primera" in parsed.text
    assert "Segunda" not in parsed.text
    assert parsed.notices[0].code == "ocr_page_limit"


# --- Word --------------------------------------------------------------------------------------------

STYLES = word_xml(
    "styles",
    '<w:style w:styleId="Ttulo1"><w:name w:val="Título 1"/></w:style>'
    '<w:style w:styleId="Mio"><w:name w:val="Mi estilo"/><w:basedOn w:val="Ttulo2"/></w:style>'
    '<w:style w:styleId="Ttulo2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>',
)
NUMBERING = word_xml(
    "numbering",
    '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>',
)


def item(text: str, level: int) -> str:
    return str(p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="3"/></w:numPr>'))


def test_a_word_document_keeps_headings_lists_tables_and_notes() -> None:
    body = (
        p("Contrato", '<w:pStyle w:val="Ttulo1"/>')
        + p("Cláusulas", '<w:pStyle w:val="Mio"/>')
        + item("Objeto", 0)
        + item("Alcance", 1)
        + item("Límites", 1)
        + item("Precio", 0)
        + p("Texto suelto", '<w:pStyle w:val="Loop"/>')
        + table(("Plan", "Precio"), ("Básico", "10 €"), ("Premium", "20 €"))
    )
    footnotes = word_xml(
        "footnotes",
        f'<w:footnote w:type="separator">{p("raya")}</w:footnote><w:footnote>{p("Nota al pie")}</w:footnote>',
    )
    header = word_xml("hdr", p("Empresa S.A.") + p("Empresa S.A.") + p("3"))
    parsed = parse(
        docx(
            body,
            word__styles=STYLES,
            word__numbering=NUMBERING,
            word__footnotes=footnotes,
            word__header1=header,
        ),
        "contrato.docx",
    )
    assert texts(parsed, "heading") == ["Contrato", "Cláusulas"]
    assert texts(parsed, "list_item") == ["1. Objeto", "1.a) Alcance", "1.b) Límites", "2. Precio"]
    row = block_with(parsed, "Premium")
    assert (parsed.of(row), row.table_header, row.headers) == (
        "Premium | 20 €",
        "Plan | Precio",
        ("Contrato", "Cláusulas"),
    )
    assert texts(parsed, "note") == ["Nota al pie", "Empresa S.A."]
    assert parsed.title == "Contrato"


def test_what_word_does_not_show_is_left_out_and_boxes_are_read_once() -> None:
    box = f"<w:txbxContent>{p('En el cuadro')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Vigente</w:t></w:r><w:del><w:r><w:delText>borrado</w:delText><w:t>tachado</w:t></w:r></w:del>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>oculto</w:t></w:r><w:ins><w:r><w:t> y nuevo</w:t></w:r></w:ins>"
        '<w:hyperlink r:id="x"><w:r><w:t> enlace</w:t></w:r></w:hyperlink></w:p>'
        f"<w:p><w:r><w:t>Antes</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert texts(parse(docx(body), "a.docx")) == ["Vigente y nuevo enlace", "Antes", "En el cuadro"]


def test_a_long_word_document_is_read_in_little_memory() -> None:
    body = "".join(p(f"Párrafo número {number} con algo de texto.") for number in range(20_000))
    parsed = parse(docx(body), "largo.docx")
    assert len(parsed.blocks) == 20_000


def test_an_old_word_document_is_put_together_from_its_pieces() -> None:
    data = doc(
        ("El período de ", True),
        ("garantía ‘€’ es ", False),
        ("de 2 años.\rSegundo párrafo\r", True),
        ('\x13 HYPERLINK "x" \x14enlace\x15 fin\r', True),
    )
    assert texts(parse(data, "viejo.doc")) == [
        "El período de garantía ‘€’ es de 2 años.",
        "Segundo párrafo",
        "enlace fin",
    ]


def test_a_word_6_document_is_read_in_its_code_page() -> None:
    assert texts(parse(word6("Año nuevo en España\rAdiós\r"), "antiguo.doc")) == [
        "Año nuevo en España",
        "Adiós",
    ]


# --- Excel -------------------------------------------------------------------------------------------


def test_each_sheet_is_a_part_and_each_row_names_its_columns() -> None:
    rows: list[list[object]] = [
        ["Precios de mayoreo"],
        [],
        ["Producto", "Precio", "Alta", "Activo"],
        ["Café", 12.0, datetime.date(2024, 3, 1), True],
        ["Té", 7.25, datetime.datetime.fromisoformat("2024-03-02T10:30"), None],
    ]
    parsed = parse(xlsx(Precios=rows, Notas=[["Solo una nota"]], Vacia=[]), "precios.xlsx")
    assert parsed.unit == "sheet"
    assert texts(parsed) == [
        "Precios de mayoreo",
        "Producto | Precio | Alta | Activo",
        "Producto: Café; Precio: 12; Alta: 2024-03-01; Activo: TRUE",
        "Producto: Té; Precio: 7.25; Alta: 2024-03-02 10:30:00",
        "Solo una nota",
    ]
    row = block_with(parsed, "Té")
    assert (row.part, row.row, row.kind) == ("Precios", 5, "table_row")
    assert parsed.blocks[-1].part == "Notas"


# --- PowerPoint --------------------------------------------------------------------------------------


def test_slides_come_in_the_order_they_are_shown() -> None:
    slides = (
        shape("Uno\nDos", "body") + shape("Resultados", "title") + shape("7", "sldNum"),
        shape("Portada", "ctrTitle") + shape("Cuadro suelto"),
    )
    parsed = parse(pptx(*slides, order=(2, 1), notes={1: "No olvidar la gráfica"}), "charla.pptx")
    assert (parsed.unit, parsed.page_count) == ("slide", 2)
    assert [(block.page, parsed.of(block)) for block in parsed.blocks] == [
        (1, "Portada"), (1, "Cuadro suelto"), (2, "Resultados"), (2, "Uno"), (2, "Dos"), (2, "No olvidar la gráfica"),
    ]  # fmt: skip
    assert block_with(parsed, "Dos").headers == ("Resultados",)
    assert block_with(parsed, "olvidar").kind == "note"


def test_an_old_presentation_shows_its_latest_edit() -> None:
    data = ppt(("Título nuevo", "Punto a\rPunto b"), ("Segunda", "Café"), old=("Título viejo", "borrado"))
    parsed = parse(data, "vieja.ppt")
    assert texts(parsed) == ["Título nuevo", "Punto a", "Punto b", "Segunda", "Café"]
    assert [block.page for block in parsed.blocks] == [1, 1, 1, 2, 2]
    assert parsed.page_count == 2


# --- HTML --------------------------------------------------------------------------------------------


def test_a_page_gives_what_a_visitor_sees() -> None:
    page = """<!doctype html><html lang="es"><head><title>Envíos y plazos</title><meta name="author" content="Luis">
    <meta property="article:published_time" content="2024-05-06T10:00:00Z"><style>x{}</style></head><body>
    <nav>Inicio Contacto</nav><h1>Envíos</h1><p>Enviamos a   toda
    España.<br>Y a Portugal.</p><div style="display: none">secreto</div><p hidden>oculto</p><span aria-hidden="true">★</span>
    <h2>Tarifas</h2><table><tr><th>Zona</th><th>Precio</th></tr><tr><td>Norte</td><td>5 €</td></tr><tr><td>Sur</td><td><b>6</b> €</td></tr></table>
    <ul><li>Rápido</li><li>Seguro <em>siempre</em></li></ul><pre>a = 1
  b = 2</pre><script>alert(1)</script></body></html>"""
    parsed = parse(page, "envios.html")
    assert texts(parsed) == [
        "Envíos", "Enviamos a toda España.\nY a Portugal.", "Tarifas", "Zona | Precio", "Norte | 5 €", "Sur | 6 €",
        "Rápido", "Seguro siempre", "a = 1\n  b = 2",
    ]  # fmt: skip
    assert block_with(parsed, "Sur").table_header == "Zona | Precio"
    assert block_with(parsed, "Sur").headers == ("Envíos", "Tarifas")
    assert (parsed.title, parsed.author, parsed.language) == ("Envíos y plazos", "Luis", "es")
    assert parsed.created_date == datetime.date(2024, 5, 6)


def test_a_page_says_its_own_charset() -> None:
    page = '<meta charset="iso-8859-1"><p>El niño compró café – 5 €'
    assert texts(parse(page.encode("cp1252"), "a.html")) == ["El niño compró café – 5 €"]


# --- Markdown ----------------------------------------------------------------------------------------


def test_markdown_stays_as_written_with_its_structure_known() -> None:
    text = (
        '---\ntitle: "Guía \\"rápida\\""\nauthor: \'Eva\'\ndate: 2024-02-03\n---\n# Guía **rápida**\n\nPrimer párrafo\nsigue aquí.\n\n'
        "## Tabla\n\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n<!-- escondido -->\n\n- uno\n- dos\n  sigue\n\n"
        "```python\n# no es título\n<!-- sí se ve -->\n```\n\nOtro\n====\n\nfin\n"
    )
    parsed = parse(text, "guia.md")
    assert [(block.kind, parsed.of(block)) for block in parsed.blocks] == [
        ("heading", "# Guía **rápida**"),
        ("paragraph", "Primer párrafo\nsigue aquí."),
        ("heading", "## Tabla"),
        ("table_header", "| A | B |\n|---|---|"),
        ("table_row", "| 1 | 2 |"),
        ("table_row", "| 3 | 4 |"),
        ("list_item", "- uno"),
        ("list_item", "- dos\n  sigue"),
        ("code", "```python\n# no es título\n<!-- sí se ve -->\n```"),
        ("heading", "Otro\n===="),
        ("paragraph", "fin"),
    ]
    assert block_with(parsed, "| 3 | 4 |").table_header == "| A | B |\n|---|---|"
    assert block_with(parsed, "| 3 | 4 |").headers == ("Guía rápida", "Tabla")
    assert block_with(parsed, "fin").headers == ("Otro",)
    assert (parsed.title, parsed.author, parsed.created_date) == (
        'Guía "rápida"',
        "Eva",
        datetime.date(2024, 2, 3),
    )


# --- text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "utf-32"]
)
def test_text_is_decoded_with_its_accents(encoding: str) -> None:
    text = "El pingüino comió jamón en Logroño.\n\n¿Cuándo? ¡Mañana!"
    parsed = parse(text.encode(encoding), "a.txt")
    assert texts(parsed) == text.split("\n\n")


def test_nul_bytes_and_controls_disappear() -> None:
    assert parse(b"uno\x00 dos\x07 tres\r\n\r\ncuatro" + b" palabra" * 20, "a.txt").text.startswith(
        "uno dos tres\n\ncuatro"
    )


# --- CSV ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_keep_the_names_of_their_columns(delimiter: str) -> None:
    lines = [["Producto", "Precio", "Nota"], ["Café", "1.5", '"con ""leche"" y\nazúcar"'], ["Té", "2", ""]]
    parsed = parse("\n".join(delimiter.join(line) for line in lines), "a.csv")
    assert texts(parsed) == [
        'Producto: Café; Precio: 1.5; Nota: con "leche" y azúcar',
        "Producto: Té; Precio: 2",
    ]
    assert [(block.part, block.row) for block in parsed.blocks] == [("row 2", 2), ("row 3", 3)]
    assert parsed.unit == "row"


def test_spanish_exports_with_decimal_commas_in_cp1252() -> None:
    data = "Año;Importe;Peso\n2023;1.234,50;2,5\n2024;99,00;3,75\n".encode("cp1252")
    assert texts(parse(data, "a.csv")) == [
        "Año: 2023; Importe: 1.234,50; Peso: 2,5",
        "Año: 2024; Importe: 99,00; Peso: 3,75",
    ]


def test_rows_without_names_stay_rows() -> None:
    assert texts(parse("1,2,3\n4,5,6\n", "a.csv")) == ["1 | 2 | 3", "4 | 5 | 6"]


def test_a_quote_that_never_closes_does_not_swallow_the_file() -> None:
    data = 'a,b\n"x,1\n' + "".join(f"fila {number},{number}\n" for number in range(500))
    assert len(parse(data, "a.csv").blocks) == 501


# --- JSON --------------------------------------------------------------------------------------------


def test_values_keep_their_path_and_records_are_rows() -> None:
    value = {
        "empresa": {"nombre": "Ñu S.A.", "año": 1999},
        "socios": [{"n": "Ana", "p": 0.1}, {"n": "Eva", "etiquetas": ["a", "b"]}],
        "x": None,
    }
    parsed = parse(json.dumps(value), "a.json")
    assert texts(parsed) == [
        "empresa.nombre: Ñu S.A.",
        "empresa.año: 1999",
        "n: Ana\np: 0.1",
        "n: Eva\netiquetas: a, b",
    ]
    assert block_with(parsed, "Eva").row == 2
    assert block_with(parsed, "Eva").part == "socios 2"


def test_json_lines_and_big_numbers_stay_exact() -> None:
    parsed = parse('{"id": 12345678901234567890123}\n{"id": 0.10}\n', "a.jsonl")
    assert texts(parsed) == ["id: 12345678901234567890123", "id: 0.10"]
    assert parsed.unit == "row"


def test_a_file_without_extension_is_known_by_its_content() -> None:
    assert parse(pdf("Hola a todos"), "sin_nombre").unit == "page"
    assert parse("<!DOCTYPE html><p>hola", "pagina").unit == "section"
    assert parse('{"a": "b"}', "datos").text == "a: b"
    assert parse("hola", "LEEME").text == "hola"


def test_macros_are_data_and_never_run() -> None:
    data = docx(p("Texto con macro"), word__vbaProject=b"\x00Attribute VB_Name")
    assert texts(parse(data, "macro.docm")) == ["Texto con macro"]


def test_names_that_point_outside_lead_nowhere() -> None:
    out = io.BytesIO(docx(p("Hola")))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("../../etc/passwd", "root::0:0")
        archive.writestr("/etc/cron.d/x", "* * * * *")
        link = zipfile.ZipInfo("word/enlace.xml")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert texts(parse(out.getvalue(), "a.docx")) == ["Hola"]
