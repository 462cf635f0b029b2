"""What a document says about the one it replaces."""

import pytest

from veraz.ingest.model import Block, Parsed
from veraz.ingest.traits import replaces_statement, traits_of


@pytest.mark.parametrize(
    "sentence",
    [
        "La versión 5 sustituye íntegramente a la versión 4, publicada el 15 de enero de 2024.",
        "El presente reglamento rige desde el 1 de marzo de 2023 y deroga el Acuerdo 031 de 2019.",
        "Este tarifario reemplaza por completo al Tarifario 2025.",
        "Esta revisión deja sin efecto la revisión 3.",
        "This policy supersedes the one of 2023.",
        "This edition replaces the third edition.",
        "Este regulamento substitui o Regulamento de 2022.",
    ],
)
def test_the_sentence_that_says_so_is_kept(sentence: str) -> None:
    assert (
        replaces_statement(_parsed("Reglamento", f"Vale para todos. {sentence} Entra en vigor hoy."))
        == sentence
    )


@pytest.mark.parametrize(
    "text",
    [
        "Este documento no sustituye las indicaciones de su médico.",
        "This leaflet does not replace medical advice.",
        "Estos resúmenes no reemplazan la hoja completa del fabricante.",
        "La garantía cubre dos años.",
    ],
)
def test_what_replaces_nothing_says_nothing(text: str) -> None:
    assert replaces_statement(_parsed(text)) is None


def test_only_the_beginning_counts() -> None:
    late = [f"Punto {n}." for n in range(40)] + ["Este texto deroga el anterior."]
    assert replaces_statement(_parsed(*late)) is None


def test_a_name_gives_its_stem_and_a_text_its_words() -> None:
    traits = traits_of(_parsed("La garantía cubre dos años.", "Y nada más."), "Tarifario_2026.docx")
    assert (traits.edition_stem, traits.words, traits.replaces) == ("tarifario", 8, None)


def _parsed(*paragraphs: str) -> Parsed:
    blocks, text = [], ""
    for paragraph in paragraphs:
        text += "\n\n" if text else ""
        blocks.append(Block(kind="paragraph", start=len(text), end=len(text) + len(paragraph)))
        text += paragraph
    return Parsed(text=text, blocks=tuple(blocks))
