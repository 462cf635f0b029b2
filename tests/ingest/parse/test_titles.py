"""What a document is called: a heading is its title only where it governs the whole."""

import pytest

from ingest.parse.made_files import docx, p, pptx, shape, word_xml  # type: ignore[import-not-found]
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read

STYLES = word_xml(
    "styles",
    '<w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>',
)


def parse(data: bytes | str, filename: str) -> Parsed:
    return read(Source(data=data.encode() if isinstance(data, str) else data, filename=filename))


def above(parsed: Parsed, words: str) -> tuple[str, ...]:
    return next(block.headers for block in parsed.blocks if words in parsed.of(block))


def styled(style: str, text: str) -> str:
    return str(p(text, f'<w:pStyle w:val="{style}"/>'))


def word(*paragraphs: str) -> bytes:
    made = docx("".join(paragraphs), word__styles=STYLES)
    assert isinstance(made, bytes)
    return made


BESIDE: dict[str, str | bytes] = {
    "a.md": "# Envíos\n\nTardan dos días.\n\n# Devoluciones\n\nSon treinta días.\n",
    "a.html": "<h1>Envíos</h1><p>Tardan dos días.</p><h1>Devoluciones</h1><p>Son treinta días.</p>",
    "a.docx": word(
        styled("H1", "Envíos"), p("Tardan dos días."), styled("H1", "Devoluciones"), p("Son treinta días.")
    ),
}


@pytest.mark.parametrize("filename", BESIDE)
def test_the_first_of_several_top_headings_is_not_the_title_of_all(filename: str) -> None:
    parsed = parse(BESIDE[filename], filename)
    assert parsed.title is None
    assert above(parsed, "Tardan") == ("Envíos",)
    assert above(parsed, "treinta") == ("Devoluciones",)


def test_what_the_file_says_it_is_called_stays_its_title_beside_several_top_headings() -> None:
    assert parse(f"---\ntitle: Manual\n---\n{BESIDE['a.md']!s}", "a.md").title == "Manual"
    assert parse(f"<title>Manual</title>{BESIDE['a.html']!s}", "a.html").title == "Manual"


def test_a_heading_that_all_others_stand_under_is_the_title() -> None:
    assert parse("# *Manual* de uso\n\n## Envíos\n\nDos días.\n\n## Otros\n\nNada.\n", "a.md").title == (
        "Manual de uso"
    )


def test_a_top_heading_with_nothing_of_its_own_above_the_others_is_the_title() -> None:
    parsed = parse(f"# Manual\n\n{BESIDE['a.md']!s}", "a.md")
    assert (parsed.title, above(parsed, "treinta")) == ("Manual", ("Devoluciones",))


def test_the_title_style_of_word_stands_above_the_first_headings() -> None:
    first, body, *rest = (styled("H1", "Envíos"), p("Dos días."), styled("H1", "Otros"), p("Son treinta."))
    parsed = parse(word(styled("T", "Manual"), p("Edición de mayo."), first, body, *rest), "a.docx")
    assert (parsed.title, above(parsed, "treinta")) == ("Manual", ("Manual", "Otros"))


def test_the_title_of_the_first_slide_is_that_of_the_presentation() -> None:
    slides = (shape(name, "title") + shape("Algo más de texto.") for name in ("Plan anual", "Metas"))
    assert parse(pptx(*slides), "a.pptx").title == "Plan anual"


def test_a_law_keeps_its_name_above_its_articles() -> None:
    law = "# Ley de plazos\n\nPreámbulo.\n\n# Artículo 1. Objeto\n\nEl plazo.\n\n# Artículo 2. Cómputo\n\nDías.\n"
    assert parse(law, "a.md").title == "Ley de plazos"
