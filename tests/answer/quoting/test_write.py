"""Quotations as they are read: each under its place, word for word, with what it stands on."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.evidence import sources_of
from veraz.library.model import AnswerStyle

if TYPE_CHECKING:
    from tests.support.passages import make_hit
    from tests.support.quoting import PLANS, ROOMS, Quoter, hit_of
else:
    from support.passages import make_hit
    from support.quoting import PLANS, ROOMS, Quoter, hit_of

LEAD = "Esto dicen los documentos:\n"
GYM = """# Gimnasio

Debe presentar un certificado médico antes de inscribirse en el gimnasio.

Existe riesgo de caídas en la zona húmeda del gimnasio.

La cuota del gimnasio es de 30 euros.
"""


async def test_a_price_is_quoted_with_its_section(quoter: Quoter) -> None:
    assert (await quoter.ask("¿Cuánto cuesta el Plan Básico?", hit_of(PLANS))).text == (
        f"{LEAD}- Tarifas del gimnasio › Plan Básico: "
        "«La cuota es de 20 euros al mes. Incluye la sala de máquinas.» [Chunk 1]"
    )


async def test_a_row_is_quoted_with_the_columns_asked_for_and_their_names(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Qué vista tiene la individual?", hit_of(ROOMS))
    assert asked.text == f"{LEAD}- Habitaciones: «Habitación: Individual; Vista: Calle» [Chunk 1]"


async def test_a_list_stands_below_its_introduction(quoter: Quoter) -> None:
    assert (await quoter.ask("¿Cómo me doy de baja?", hit_of(PLANS))).text.startswith(
        f"{LEAD}- Tarifas del gimnasio › Baja: Para darse de baja siga estos pasos:\n"
        "  - «1. Rellene el formulario de baja.» [Chunk 1]\n"
        "  - «2. Entréguelo en recepción antes del día 20.» [Chunk 1]\n"
        "  - «3. Devuelva la tarjeta de acceso.» [Chunk 1]"
    )


async def test_a_single_item_comes_with_its_introduction(quoter: Quoter) -> None:
    goods = (
        "# Tienda\n\nEn la tienda se venden:\n\n- Toalla: 8 euros\n- Candado: 5 euros\n- Gafas: 12 euros\n"
    )
    text = (await quoter.ask("¿Qué precio tiene el candado?", hit_of(goods))).text
    assert "- Tienda: En la tienda se venden: «Candado: 5 euros» [Chunk 1]" in text


@pytest.mark.parametrize("style", ["strict", "chat", "evidence"])
@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("¿Cuánto cuesta el Plan Familiar?", PLANS),
        ("¿Cómo me doy de baja?", PLANS),
        ("¿Cuánto es la cuota del gimnasio?", GYM),
    ],
)
async def test_every_quotation_stands_in_its_source_word_for_word(
    quoter: Quoter, question: str, document: str, style: AnswerStyle
) -> None:
    hit = hit_of(document)
    (source,) = sources_of([hit])
    claims = [one for one in (await quoter.ask(question, hit, style=style)).pieces if one.proof]
    assert claims
    for one in claims:
        assert one.proof
        assert one.proof.verdict == "quoted"
        (quote,) = one.proof.quotes
        assert source.text[quote.start : quote.end] == quote.text
        assert quote.text == one.piece.text.strip("«»")


async def test_every_value_of_a_row_stands_in_its_source(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Cuánto cuesta la Suite Mar?", hit_of(ROOMS))
    (claim,) = (one for one in asked.pieces if one.proof)
    assert claim.proof
    for pair in claim.piece.text.strip("«»").split("; "):
        assert pair.partition(": ")[2] in claim.proof.quotes[0].text


async def test_a_quotation_names_the_chunk_it_stands_in(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Cuánto cuesta la Suite Mar?", hit_of(PLANS), hit_of(ROOMS, "hotel.md"))
    assert "Suite Mar" in asked.text
    assert "[Chunk 2]" in asked.text
    assert "[Chunk 1]" not in asked.text


async def test_of_a_long_paragraph_the_sentences_around_the_best_one_are_quoted(quoter: Quoter) -> None:
    filler = " ".join(f"El capítulo {n} trata de las obras del edificio antiguo." for n in range(40))
    text = f"# Guía\n\n{filler} La cuota del gimnasio es de 30 euros. {filler}\n"
    asked = await quoter.ask("¿Cuánto es la cuota del gimnasio?", hit_of(text))
    (claim,) = (one for one in asked.pieces if one.proof)
    assert "La cuota del gimnasio es de 30 euros." in claim.piece.text
    assert len(claim.piece.text.split()) <= 90
    assert claim.proof
    assert claim.piece.text.strip("«»") in claim.proof.quotes[0].text


async def test_the_evidence_style_has_the_sections_there_is_evidence_for(quoter: Quoter) -> None:
    todo = await quoter.ask("¿Qué certificado médico debo presentar?", hit_of(GYM), style="evidence")
    assert "## QUÉ HACER\n- Gimnasio: «Debe presentar un certificado médico" in todo.text
    assert "## SEÑALES DE ALERTA" not in todo.text
    risk = await quoter.ask("¿Qué riesgo de caídas hay en la zona húmeda?", hit_of(GYM), style="evidence")
    assert "## SEÑALES DE ALERTA\n- Gimnasio: «Existe riesgo de caídas" in risk.text


async def test_what_introduces_the_quotations_is_in_the_language_of_the_reader(quoter: Quoter) -> None:
    asked = await quoter.ask("How much is the Plan Familiar?", hit_of(PLANS), language="en")
    assert not asked.text.startswith("Esto dicen")
    assert "«La cuota es de 45 euros al mes. Incluye la piscina.» [Chunk 1]" in asked.text


async def test_a_title_is_not_quoted_beside_what_stands_below_it(quoter: Quoter) -> None:
    hit = make_hit("## Garantía\n\nLa garantía es de 3 años y cubre defectos.")
    text = (await quoter.ask("¿Cuál es la garantía?", hit)).text
    assert text == f"{LEAD}- doc: «La garantía es de 3 años y cubre defectos.» [Chunk 1]"


async def test_the_same_sentence_of_two_documents_is_quoted_once(quoter: Quoter) -> None:
    text = "La cuota mensual del gimnasio es de 30 euros."
    hits = [make_hit(text, document_name="a.md"), make_hit(text, document_name="b.md")]
    assert (await quoter.ask("¿Cuánto es la cuota mensual del gimnasio?", *hits)).text.count("30 euros") == 1
