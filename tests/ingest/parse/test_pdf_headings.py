"""Bold lines of a PDF are headings where they stand above text, and nowhere else."""

import pytest
from tests.ingest.parse.drawn_pdf import Sheet, Words, column

from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

PLUS = (
    "Cubre el incendio del edificio hasta ciento diez millones y el del contenido",
    "hasta dieciocho millones. El robo se cubre a primer riesgo absoluto.",
)
TOTAL = (
    "Cubre el incendio del edificio hasta ciento noventa millones y el del contenido",
    "hasta treinta y dos millones, con los daños por agua y los del jardín.",
)


def parse(*pages: list[Words]) -> Parsed:
    sheet = Sheet()
    for page in pages:
        sheet.page(page)
    return read(Source(data=sheet.data(), filename="planes.pdf"))


def headings(parsed: Parsed) -> list[str]:
    return [parsed.of(block) for block in parsed.blocks if block.kind == "heading"]


def headers_of(parsed: Parsed, words: str) -> tuple[str, ...]:
    return next(block.headers for block in parsed.blocks if words in parsed.of(block))


def test_a_bold_line_above_its_paragraph_is_a_heading() -> None:
    parsed = parse(column("**Hogar Plus", *PLUS, "**Hogar Total", *TOTAL))
    assert headings(parsed) == ["Hogar Plus", "Hogar Total"]
    assert headers_of(parsed, "ciento diez") == ("Hogar Plus",)
    assert headers_of(parsed, "ciento noventa") == ("Hogar Total",)


def test_bold_lines_with_a_full_stop_above_their_paragraphs_are_headings() -> None:
    parsed = parse(column("**Hogar Plus.", *PLUS, "", "**Hogar Total.", *TOTAL))
    assert headings(parsed) == ["Hogar Plus.", "Hogar Total."]
    assert headers_of(parsed, "ciento noventa") == ("Hogar Total.",)


def test_a_bold_line_with_a_full_stop_may_be_the_only_one_of_its_page() -> None:
    parsed = parse(column("**Hogar Plus.", *PLUS), column("**Hogar Total.", *TOTAL))
    assert headers_of(parsed, "ciento noventa") == ("Hogar Total.",)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([*PLUS, "**El plazo vence en marzo.", *TOTAL, "**No se prorroga."], id="between lines"),
        pytest.param(
            [*PLUS, "", "**El plazo vence en marzo.", "", *TOTAL, "", "**No se prorroga.", "", *PLUS],
            id="as paragraphs of their own",
        ),
        pytest.param(["", "**Franquicia.", *TOTAL], id="a single one"),
        pytest.param(
            ["**Vence en marzo, sin prórroga.", *PLUS, "", "**Pague antes. No espere.", *TOTAL],
            id="sentences",
        ),
        pytest.param(
            ["**Lea el contrato entero antes de firmar y guarde una copia.", *PLUS] * 2, id="long sentences"
        ),
    ],
)
def test_stressed_sentences_are_no_headings(lines: list[str]) -> None:
    assert headings(parse(column(*lines))) == []


def test_numbered_bold_headings_are_nested_by_their_numbers() -> None:
    parsed = parse(column("**2. Planes", "**2.1 Hogar Plus", *PLUS, "**2.2 Hogar Total", *TOTAL))
    assert headings(parsed) == ["2. Planes", "2.1 Hogar Plus", "2.2 Hogar Total"]
    assert headers_of(parsed, "ciento noventa") == ("2. Planes", "2.2 Hogar Total")


def test_bold_articles_stand_below_their_chapter_and_above_plain_titles() -> None:
    parsed = parse(column("**Capítulo I. Zonas", "**Artículo 9. Límites", *PLUS, "**Casco histórico", *TOTAL))
    assert headers_of(parsed, "ciento noventa") == (
        "Capítulo I. Zonas",
        "Artículo 9. Límites",
        "Casco histórico",
    )


def test_a_bold_heading_at_the_foot_of_a_page_stands_above_the_next_page() -> None:
    parsed = parse(column("**Hogar Plus", *PLUS, "**Hogar Total"), column(*TOTAL))
    assert headers_of(parsed, "ciento noventa") == ("Hogar Total",)
    assert headings(parse(column("**Hogar Plus", *PLUS, "", "**Ana Pérez Soto"))) == ["Hogar Plus"]


def test_a_bold_heading_ends_the_list_item_above_it() -> None:
    parsed = parse(
        column(
            "**4.2 Arranque en frío",
            *PLUS,
            "Siga este orden:",
            "1. Abra la llave de combustible.",
            "2. Deje calentar el motor tres minutos antes de bajar el disco.",
            "**4.3 Arranque en caliente",
            "Siga este orden:",
            "1. Conecte a una toma con tierra.",
        )
    )
    items = [block for block in parsed.blocks if block.kind == "list_item"]
    assert [parsed.of(block) for block in items][1:] == [
        "2. Deje calentar el motor tres minutos antes de bajar el disco.",
        "1. Conecte a una toma con tierra.",
    ]
    assert items[-1].headers == ("4.3 Arranque en caliente",)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([*PLUS, "**Total: 45.000 euros", *TOTAL], id="a label with its value"),
        pytest.param([*PLUS, "**El plazo vence en marzo.", *TOTAL], id="a sentence"),
        pytest.param([*PLUS, "**• Aviso importante", *TOTAL], id="a list item"),
        pytest.param([*PLUS, "**y con todos sus anexos", *TOTAL], id="the rest of a sentence"),
        pytest.param([PLUS[0], "**Incendio del contenido", *TOTAL], id="bold words within a paragraph"),
        pytest.param(["**" + line for line in (*PLUS, *TOTAL)], id="a document in bold"),
        pytest.param([*PLUS, "**Robo", "**hurto y otros daños, según se explica:", *TOTAL], id="an emphasis"),
    ],
)
def test_other_bold_lines_are_no_headings(lines: list[str]) -> None:
    assert headings(parse(column(*lines))) == []


def test_a_line_that_only_begins_in_bold_is_no_heading() -> None:
    first: list[Words] = [(60, 740, "**Franquicia"), (128, 740, "la parte a cargo del asegurado")]
    assert headings(parse([*first, *column(*TOTAL, top=726)])) == []


def test_a_paragraph_that_begins_in_bold_may_stand_below_a_heading() -> None:
    first: list[Words] = [
        (60, 726, "**Franquicia."),
        (130, 726, "La parte que paga el asegurado en cada daño."),
    ]
    parsed = parse([*column("**Definiciones"), *first, *column(*TOTAL, top=712)])
    assert headings(parsed) == ["Definiciones"]


def test_bold_words_that_go_on_in_the_next_line_are_no_heading() -> None:
    first = "**Artículo 3. Plazo para presentar las solicitudes y todos los documentos que se piden"
    rest: list[Words] = [(60, 726, "**en cada caso."), (150, 726, "El plazo termina el último día de marzo.")]
    assert headings(parse([*column(first), *rest, *column(*TOTAL, top=712)])) == []


def test_bold_words_far_apart_are_no_heading() -> None:
    names: list[Words] = [(60, 740, "**Servicio"), (200, 740, "**Precio"), (300, 740, "**Plazo")]
    assert headings(parse([*names, *column(*TOTAL, top=726)])) == []
