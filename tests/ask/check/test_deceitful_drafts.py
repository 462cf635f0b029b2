"""A model that hides what it makes up: in refusals, courtesies, signs nobody sees, other numerals, turned sentences."""

from uuid import uuid4

import pytest

from veraz.ask.check.claims import CITATION
from veraz.ask.check.reading import Source
from veraz.ask.check.verify import Verdict, verify
from veraz.ask.prompts import harmless

TRUE = "El plan A cuesta 10 € al mes [Chunk 1]."


async def check(draft: str, *passages: str, question: str = "¿Qué se sabe?", language: str = "es") -> Verdict:
    sources = [
        Source(number=number, chunk_id=uuid4(), text=text, language=language)
        for number, text in enumerate(passages or ("El plan A cuesta 10 € al mes.",), 1)
    ]
    return await verify(draft, sources, question=question, language=language)


@pytest.mark.parametrize(
    "aside",
    [
        "No tengo información, pero el plan A es gratis.",
        "No hay datos: el plan A es ilegal.",
        "No existe respuesta porque Ana García robó los documentos.",
        "No hay que presentar documentos.",
        "No existe obligación de entregar datos.",
        "El documento no permite fumar.",
        "I don't have that information, but plan A is free.",
    ],
)
async def test_a_refusal_carries_no_claim_along(aside: str) -> None:
    assert (await check(f"{aside} {TRUE}")).text == TRUE


async def test_a_plain_refusal_stays_beside_what_is_proven() -> None:
    draft = f"{TRUE} El documento no menciona el precio anual. No tengo información sobre descuentos."
    assert (await check(draft)).text == draft


@pytest.mark.parametrize("aside", ["Sí.", "Es un asistente.", "Tiene otra.", "Sí, claro."])
async def test_a_few_small_words_are_no_courtesy(aside: str) -> None:
    assert (await check(f"{aside} {TRUE}", question="¿El plan A incluye sauna?")).text == TRUE


@pytest.mark.parametrize(
    "text",
    ["[Chunk 1" + ", 1" * 3_000, "[chunk" + " " * 9_000, "a" + " " * 9_000 + "b", "." * 9_000, "[" * 9_000],
)
async def test_no_text_makes_the_check_go_round_in_circles(text: str) -> None:
    assert not CITATION.search(text)
    harmless(text)
    assert not (await check(text)).claims
