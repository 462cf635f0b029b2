"""What the words say about structure: items with their introduction, articles, headings without marks."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parse.made_files import docx, p, pptx, shape, word_xml  # type: ignore[import-not-found]
from veraz.ingest.model import Block, BlockKind, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.lists import Nesting
from veraz.ingest.parse.read import read
from veraz.ingest.parse.structure import structured


def parse(data: bytes | str, filename: str = "a.txt") -> Parsed:
    parsed = read(Source(data=data.encode() if isinstance(data, str) else data, filename=filename))
    at = 0
    for block in parsed.blocks:
        assert parsed.text[at : block.start].strip() == ""
        assert parsed.of(block) == parsed.of(block).strip() != ""
        at = block.end
    assert parsed.text[at:].strip() == ""
    return parsed


def introductions(parsed: Parsed) -> dict[str, str | None]:
    return {parsed.of(block): block.introduction for block in parsed.blocks if block.kind == "list_item"}


def headings(parsed: Parsed) -> list[str]:
    return [parsed.of(block) for block in parsed.blocks if block.kind == "heading"]


def above(parsed: Parsed, words: str) -> tuple[str, ...]:
    return next(block.headers for block in parsed.blocks if words in parsed.of(block))


# --- lists -------------------------------------------------------------------------------------------

NESTED = {
    "a) Los daños por agua.": "Quedan excluidos:",
    "b) Los gastos siguientes:": "Quedan excluidos:",
    "1.º El IVA.": "Quedan excluidos: Los gastos siguientes:",
    "2.º Las tasas.": "Quedan excluidos: Los gastos siguientes:",
    "c) El robo.": "Quedan excluidos:",
}


@pytest.mark.parametrize("apart", ["\n", "\n\n"])
def test_items_of_plain_text_carry_the_introduction_of_their_list(apart: str) -> None:
    lines = ["La garantía dura dos años. Quedan excluidos:", *NESTED, "", "El resto está cubierto."]
    assert introductions(parse(apart.join(lines))) == NESTED


def test_paragraphs_of_a_word_document_that_are_items_by_their_mark() -> None:
    body = "".join(p(line) for line in ("Quedan excluidos:", *NESTED, "El resto está cubierto."))
    assert introductions(parse(docx(body), "a.docx")) == NESTED


def test_nested_items_of_a_page_stand_under_their_parent_and_the_next_list_is_another() -> None:
    parsed = parse(
        "<p>Incluye:</p><ul><li>Limpieza<ul><li>de salón</li></ul></li><li>Comida</li></ul>"
        "<ol><li>Otra cosa</li></ol><dl><dt>Plazo</dt><dd>Tres días</dd></dl>",
        "a.html",
    )
    assert introductions(parsed) == {
        "Limpieza": "Incluye:",
        "de salón": "Incluye: Limpieza",
        "Comida": "Incluye:",
        "Otra cosa": None,
        "Plazo": None,
        "Tres días": "Plazo",
    }


def test_nested_items_of_markdown_stand_under_their_parent() -> None:
    parsed = parse("**Se necesita:**\n\n- DNI\n- Si es menor:\n  - firma\n  - foto\n- Pago\n", "a.md")
    assert introductions(parsed) == {
        "- DNI": "Se necesita:",
        "- Si es menor:": "Se necesita:",
        "- firma": "Se necesita: Si es menor:",
        "- foto": "Se necesita: Si es menor:",
        "- Pago": "Se necesita:",
    }


def test_nested_items_of_a_slide_and_of_a_word_list() -> None:
    nested = shape("Requisitos:\nDNI", "body").replace(
        "<a:p><a:r><a:t>DNI", '<a:p><a:pPr lvl="1"/><a:r><a:t>DNI'
    )
    assert introductions(parse(pptx(nested), "a.pptx"))["DNI"] == "Requisitos:"
    numbering = word_xml(
        "numbering",
        '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>',
    )
    listed = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="3"/></w:numPr>'
    body = (
        p("Se pide:")
        + p("DNI", listed.format(0))
        + p("original", listed.format(1))
        + p("Pago", listed.format(0))
    )
    assert introductions(parse(docx(body, word__numbering=numbering), "a.docx")) == {
        "• DNI": "Se pide:",
        "• original": "Se pide: DNI",
        "• Pago": "Se pide:",
    }


def test_a_list_goes_on_after_a_page_break_and_a_footnote() -> None:
    lines = [
        "Pasos:",
        "1. Abrir la caja con",
        "cuidado de no romperla.",
        "(1) Nota.",
        "2. Montar.",
        "3. Probar.",
    ]
    text, blocks = "\n".join(lines), list[Block]()
    for number, line in enumerate(lines):
        start = text.index(line)
        kind: BlockKind = "note" if "Nota" in line else "paragraph"
        blocks.append(Block(kind=kind, start=start, end=start + len(line), page=1 if number < 2 else 2))
    found = structured(text, tuple(blocks), Nesting())
    assert [block.introduction for block in found] == [None, "Pasos:", None, None, "Pasos:", "Pasos:"]


def test_a_list_goes_on_across_the_lines_at_the_edges_of_pages() -> None:
    pages = (
        ("Acme · Manual de uso 1", "Quedan excluidos:"),
        ("Acme · Manual de uso 2", "a) El agua.", "b) El fuego."),
        ("Acme · Manual de uso 3 c) El robo.", "Fin del manual."),
    )
    text, blocks = "", list[Block]()
    for number, page in enumerate(pages, 1):
        for line in page:
            blocks.append(Block(kind="paragraph", start=len(text), end=len(text) + len(line), page=number))
            text += f"{line}\n"
    found = structured(text, tuple(blocks), Nesting())
    assert [
        text[block.start : block.end] for block in found if block.introduction == "Quedan excluidos:"
    ] == [
        "a) El agua.",
        "b) El fuego.",
        "c) El robo.",
    ]
    assert [block.page for block in found if block.kind == "note"] == [1, 2, 3]


def test_numbered_titles_below_a_heading_of_that_number_are_headings() -> None:
    parsed = parse(
        "<h2>2. Citas</h2><p>2.1 Tolerancia<br>Diez minutos.</p><p>2.2 Cancelación</p><p>Con un día.</p>"
        "<h2>3. Pide</h2><p>3.1 DNI</p><p>3.2 Foto</p><p>Nada más.</p>",
        "a.html",
    )
    assert above(parsed, "Diez minutos") == ("2. Citas", "2.1 Tolerancia")
    assert above(parsed, "Con un día") == ("2. Citas", "2.2 Cancelación")
    assert above(parsed, "Nada más") == ("3. Pide",)


def test_a_new_paragraph_ends_a_list_and_its_introduction() -> None:
    parsed = parse("Incluye:\n\n• luz\n• agua\n\nAdemás hay otras cosas.\n\n• gas\n• leña")
    assert list(introductions(parsed).values()) == ["Incluye:", "Incluye:", None, None]


@pytest.mark.parametrize(
    "text",
    [
        "A. García firmó el acta.\n\nB. no vino.".replace("B. no", "El señor B. no"),
        "1. de mayo es fiesta en casi todo el mundo.",
        "* Precios sin IVA.",
        "—Hola —dijo Juan.\n\nNadie contestó.",
        "3.5 kg de harina bastan.",
    ],
)
def test_a_mark_alone_makes_no_list(text: str) -> None:
    assert introductions(parse(text)) == {}


def test_a_long_introduction_keeps_the_words_next_to_the_list() -> None:
    start = (
        "En todos los casos previstos por las normas que regulan " + "la materia de que se trata aquí " * 20
    )
    (introduction,) = set(introductions(parse(f"{start}se exige:\n\n- uno\n- dos")).values())
    assert introduction is not None
    assert introduction.startswith("… ")
    assert introduction.endswith("se exige:")
    assert len(introduction) < 310


# --- articles ----------------------------------------------------------------------------------------

LAW = """LEY DE PRUEBA

TÍTULO I
De los plazos

CAPÍTULO II

Disposiciones comunes

Artículo 12. Plazo. El plazo es de treinta días.

Se cuenta desde el día siguiente.

Artículo 13. Cómputo.

Los días inhábiles no se cuentan.

Art. 14.- Nadie puede ampliarlo.

Según el artículo 12 de la Ley, nada cambia.

Artículo 12 de la Ley de Aguas. No es de aquí.

Disposición adicional primera. Régimen.

Rige lo anterior.

ANEXO I

Formulario de solicitud para todos."""


def test_paragraphs_of_a_law_stand_under_their_article() -> None:
    parsed = parse(LAW)
    chapter = ("TÍTULO I. De los plazos", "CAPÍTULO II. Disposiciones comunes")
    assert above(parsed, "El plazo es") == (*chapter, "Artículo 12. Plazo")
    assert above(parsed, "Se cuenta desde") == (*chapter, "Artículo 12. Plazo")
    assert above(parsed, "Los días inhábiles") == (*chapter, "Artículo 13. Cómputo")
    assert above(parsed, "Nadie puede") == (*chapter, "Art. 14")
    assert above(parsed, "No es de aquí") == (*chapter, "Art. 14")
    assert above(parsed, "Rige lo anterior") == ("Disposición adicional primera. Régimen",)
    assert above(parsed, "Formulario") == ("ANEXO I",)
    assert "Artículo 13. Cómputo." in headings(parsed)
    assert parsed.title == "LEY DE PRUEBA"


def test_clauses_of_a_contract_stand_under_their_number_below_the_styles_of_the_document() -> None:
    styles = word_xml("styles", '<w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style>')
    body = p("Estipulaciones", '<w:pStyle w:val="T1"/>') + "".join(
        p(line)
        for line in (
            "PRIMERA.- Objeto. Se vende una casa.",
            "La casa está en Lugo.",
            "Cláusula 2ª. Precio",
            "Son cien euros.",
            "TERCERA: El pago se hace en mano.",
        )
    )
    parsed = parse(docx(body, word__styles=styles), "contrato.docx")
    assert above(parsed, "La casa está") == ("Estipulaciones", "PRIMERA. Objeto")
    assert above(parsed, "Son cien") == ("Estipulaciones", "Cláusula 2ª. Precio")
    assert above(parsed, "El pago se") == ("Estipulaciones", "TERCERA")


def test_an_article_without_a_style_does_not_stand_under_the_one_before_it() -> None:
    parsed = parse(
        "# Ordenanza\n\n## Capítulo I\n\n### Artículo 4. Plazos\n\nDiez días.\n\nArtículo 5. Recursos.\n\nNo caben.\n",
        "a.md",
    )
    assert above(parsed, "No caben") == ("Ordenanza", "Capítulo I", "Artículo 5. Recursos")
    assert above(parsed, "Artículo 5") == ("Ordenanza", "Capítulo I")


def test_an_article_of_one_sentence_is_no_heading() -> None:
    parsed = parse("Artículo 3. El plazo es de diez días.\n\nArtículo 4. No hay prórroga.")
    assert headings(parsed) == []
    assert above(parsed, "No hay") == ("Artículo 4",)


def test_a_table_of_contents_makes_no_headings() -> None:
    assert headings(parse("Artículo 1. Objeto .......... 3\n\nArtículo 2. Plazo .......... 4")) == []


# --- headings ----------------------------------------------------------------------------------------


def test_plain_text_has_headings_in_capitals_underlined_or_numbered() -> None:
    parsed = parse(
        "GUÍA DE USO\nEdición de mayo.\n\n1. PAGOS (en euros)\nSe paga en caja.\n\n2. ENVÍOS\nSe envía a todo el país.\n\n"
        "Garantía\n--------\nDos años.\n"
    )
    assert headings(parsed) == ["GUÍA DE USO", "1. PAGOS (en euros)", "2. ENVÍOS", "Garantía\n--------"]
    assert above(parsed, "Se envía") == ("GUÍA DE USO", "2. ENVÍOS")
    assert above(parsed, "Dos años") == ("Garantía",)


def test_numbered_titles_with_text_below_each_are_headings_and_numbered_lines_are_a_list() -> None:
    parsed = parse(
        "3. Pagos\n\nEn caja.\n\n3.1 Tarjetas\n\nTodas sirven.\n\n3.2 Garantías\n\nNo hacen falta."
    )
    assert headings(parsed) == ["3. Pagos", "3.1 Tarjetas", "3.2 Garantías"]
    assert above(parsed, "No hacen falta") == ("3. Pagos", "3.2 Garantías")
    assert headings(parse("1. Pan\n\n2. Leche\n\n3. Huevos\n\nY nada más por hoy.")) == []


def test_numbered_titles_on_the_first_line_of_their_paragraph_are_headings() -> None:
    parsed = parse(
        "1. Pases de día\nSe venden en la recepción hasta dos horas antes del cierre.\n\n2. Antes de nadar\n- Ducharse.\n- Gorro.\n\n"
        "3. Idioma\nSe habla inglés todos los días. Hay tres pasos:\n1. Uno\n2. Dos\n"
    )
    assert headings(parsed) == ["1. Pases de día", "2. Antes de nadar", "3. Idioma"]
    assert above(parsed, "Gorro") == ("2. Antes de nadar",)
    assert introductions(parsed)["2. Dos"] == "Hay tres pasos:"
    steps = "1. Llame por teléfono al número que está en la factura y pida\nAyuda al asesor.\n\n2. Espere a que le\nLlamen.\n"
    assert headings(parse(steps)) == []


@pytest.mark.parametrize(
    "text",
    [
        "ESTO ESTÁ TODO EN MAYÚSCULAS\n\nPORQUE ASÍ SE ESCRIBÍA ANTES\n\nY NADIE LO CAMBIÓ",
        "NO FUMAR.\n\nEs peligroso.",
        "Primera línea\nsegunda línea del mismo párrafo",
        "RM-650\n\nUn modelo.",
        "AVISO\n",
    ],
)
def test_what_may_not_be_a_heading_is_none(text: str) -> None:
    assert headings(parse(text)) == []


def test_short_bold_lines_are_headings_of_what_follows_them() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r></w:p>"
    body = (
        bold.format("Horario") + p("De nueve a cinco.") + bold.format("¿Cuánto cuesta?") + p("Cinco euros.")
    )
    parsed = parse(docx(body + bold.format("Juan Pérez")), "a.docx")
    assert headings(parsed) == ["Horario", "¿Cuánto cuesta?"]
    assert above(parsed, "Cinco euros") == ("¿Cuánto cuesta?",)
    page = parse("<p><b>Horario</b></p><p>De nueve <b>a cinco</b>.</p><p><strong>Fin</strong></p>", "a.html")
    assert headings(page) == ["Horario"]
    note = parse("**Horario**\nDe nueve a cinco.\n\n**Nota:** cerrado.\n\n**Fin**\n", "a.md")
    assert headings(note) == ["**Horario**"]
    assert above(note, "De nueve") == ("Horario",)


def test_a_bold_first_line_is_the_heading_of_the_rest_of_its_paragraph() -> None:
    run = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Pase {}</w:t></w:r><w:r><w:br/></w:r><w:r><w:t>Cuesta {}.</w:t></w:r></w:p>"
    word = parse(docx(run.format("día", 5) + run.format("mes", 40)), "a.docx")
    page = parse(
        "<p><strong>Pase día</strong><br>Cuesta 5.</p><p><b>Pase mes</b><br>Cuesta 40.</p>", "a.html"
    )
    for parsed in (word, page):
        assert headings(parsed) == ["Pase día", "Pase mes"]
        assert above(parsed, "Cuesta 40.") == ("Pase mes",)


def test_a_bold_word_within_a_line_makes_no_heading() -> None:
    page = parse("<p><b>Nota</b> del autor<br>Cuesta 5.</p><p>Sin <b>recargo</b><br>los lunes.</p>", "a.html")
    assert headings(page) == []


def test_a_rule_below_a_paragraph_makes_no_heading_and_headings_are_plain() -> None:
    parsed = parse(
        "# Guía <a id='x'></a>*rápida* de [uso](u)\nTexto.\n\nUn párrafo con punto final.\n---\nOtro.\n",
        "a.md",
    )
    assert len(headings(parsed)) == 1
    assert above(parsed, "Otro") == ("Guía rápida de uso",)
    assert [parsed.of(block) for block in parsed.blocks][1:] == [
        "Texto.",
        "Un párrafo con punto final.",
        "---",
        "Otro.",
    ]


LINES = (
    "", " ", "- ", "- uno", "a) dos:", "b) tres", "1. cuatro", "2.", "i) x", "ii) y", "• z", "TÍTULO", "TÍTULO I", "Artículo 1. Objeto.",
    "Artículo 2. Plazo. Es corto.", "Artículo 3.", "CAPÍTULO II", "De los plazos", "====", "---", "Incluye:", "PRIMERA.- Que sí.", "2.1 Sub",
    "2. Citas", "una línea normal que sigue.", "* nota", "**negrita**", "| a | b |", "\t3.4 x", "ANEXO A", "(1) y", "1.º z",
)  # fmt: skip


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    lines=st.lists(st.sampled_from(LINES), min_size=1, max_size=25), name=st.sampled_from(["a.txt", "a.md"])
)
def test_whatever_the_lines_the_blocks_hold_all_of_the_text_in_order(lines: list[str], name: str) -> None:
    text = "\n".join([*lines, "fin"])
    parsed = parse(text, name)
    assert "".join(parsed.text.split()) == "".join(text.split())


def test_items_keep_everything_that_was_known_about_them() -> None:
    known = Block(kind="list_item", start=9, end=12, page=3, part="x", row=4, headers=("H",))
    colon = Block(kind="paragraph", start=0, end=8, page=3, part="x", headers=("H",))
    _, found = structured("Incluye: luz", (colon, known), Nesting())
    assert found.introduction == "Incluye:"
    for each in fields(Block):
        if each.name != "introduction":
            assert getattr(found, each.name) == getattr(known, each.name)
