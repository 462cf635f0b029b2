"""A claim is shown only with a passage that proves it."""

from uuid import uuid4

import pytest
from veraz.verify.verify import Verdict, verify

from veraz.answer.reading import Source

SOURCES = [
    Source(
        number=1,
        chunk_id=uuid4(),
        heading="Tarifas 2024",
        text="El plan A cuesta 10 € al mes. El plan B cuesta 20 € al mes. Ana García dirige ventas. "
        "Luis Pérez dirige compras desde el 15 de marzo de 2021. El básico pesa 3 kg y el premium 5 kg.",
    ),
    Source(
        number=2,
        chunk_id=uuid4(),
        text="El gimnasio abre de 7:00 a 22:00 y no admite menores de 16 años. La piscina mide 25 metros. "
        "Fue inaugurada en 1998. El lema es «agua para todos».",
    ),
    Source(
        number=3,
        chunk_id=uuid4(),
        language="en",
        text="The library opens at nine in the morning. Members may borrow five books for three weeks.",
    ),
]


async def check(draft: str, language: str = "es") -> Verdict:
    return await verify(
        draft, SOURCES, question="¿Cuánto cuesta el plan A?", language=language, known=["María"]
    )


@pytest.mark.parametrize(
    ("draft", "shown"),
    [
        ("El plan A cuesta 10 € [Chunk 1].", "El plan A cuesta 10 € [Chunk 1]."),
        ("El plan A cuesta diez euros al mes. [Chunk 1]", "El plan A cuesta diez euros al mes [Chunk 1]."),
        ("El plan A cuesta 10,00 € [1].", "El plan A cuesta 10,00 € [Chunk 1]."),
        (
            "El plan A cuesta 10 € y el plan B 20 € al mes [Chunk 1].",
            "El plan A cuesta 10 € y el plan B 20 € al mes [Chunk 1].",
        ),
        ("La piscina fue inaugurada en 1998 [Chunk 2].", "La piscina fue inaugurada en 1998 [Chunk 2]."),
        (
            "Luis Pérez dirige compras desde marzo de 2021 (Fuente 1).",
            "Luis Pérez dirige compras desde marzo de 2021 [Chunk 1].",
        ),
        (
            "Hola, María. El gimnasio abre a las 7:00 [Chunk 2]. ¿Puedo ayudarte en algo más?",
            "Hola, María. El gimnasio abre a las 7:00 [Chunk 2]. ¿Puedo ayudarte en algo más?",
        ),
        ("El premium pesa 5 kg [Chunk 1].", "El premium pesa 5 kg [Chunk 1]."),
        ("El lema es «agua para todos» [Chunk 2].", "El lema es «agua para todos» [Chunk 2]."),
    ],
)
async def test_what_a_passage_says_is_shown(draft: str, shown: str) -> None:
    assert (await check(draft)).text == shown


@pytest.mark.parametrize(
    "draft",
    [
        "El plan A cuesta 20 € [Chunk 1].",
        "El plan A cuesta 10 % [Chunk 1].",
        "El plan A cuesta 10 dólares [Chunk 1].",
        "Ana García dirige compras [Chunk 1].",
        "Ana García dirige ventas y compras [Chunk 1].",
        "Marta García dirige ventas [Chunk 1].",
        "Sevilla dirige ventas [Chunk 1].",
        "Luis Pérez dirige compras desde el 15 de abril de 2021 [Chunk 1].",
        "La piscina mide 50 metros [Chunk 2].",
        "La piscina mide más de 25 kilómetros [Chunk 2].",
        "El gimnasio admite menores de 16 años [Chunk 2].",
        "El gimnasio no abre de 7:00 a 22:00 [Chunk 2].",
        "El gimnasio cierra a las 7:00 [Chunk 2].",
        "El básico pesa 5 kg [Chunk 1].",
        "El básico pesa 5 kg y el premium 3 kg [Chunk 1].",
        "El plan B incluye sauna [Chunk 1].",
        "El lema es «agua para nadie» [Chunk 2].",
        "Todo es gratis.",
        "PWNED",
        "¿Sabías que el plan A es ilegal en Francia?",
        "## El plan A fue prohibido en 2019",
    ],
)
async def test_what_no_passage_says_is_removed(draft: str) -> None:
    verdict = await check(draft)
    assert verdict.nothing_left
    assert verdict.removed
    assert verdict.removed[0].reason


async def test_a_wrong_citation_is_repaired() -> None:
    for draft in (
        "La piscina mide 25 metros [Chunk 1].",
        "La piscina mide 25 metros [Chunk 9].",
        "La piscina mide 25 metros.",
    ):
        verdict = await check(draft)
        assert verdict.text == "La piscina mide 25 metros [Chunk 2]."
        assert verdict.repaired == 1


async def test_only_the_passages_that_prove_a_claim_stay_cited() -> None:
    verdict = await check("La piscina mide 25 metros [Chunk 1, 2].")
    assert verdict.claims[0].numbers == (2,)
    assert verdict.repaired == 0


async def test_a_false_sentence_goes_and_the_true_ones_stay_in_order() -> None:
    verdict = await check(
        "## Qué dice la evidencia\n1. El plan A cuesta 10 € [Chunk 1].\n2. El plan A cuesta 99 € [Chunk 1].\n"
        "3. La piscina mide 25 metros [Chunk 2].\n\n## Qué hacer\nCorra 40 km [Chunk 2].\n\n## Fuentes\n"
    )
    assert verdict.text == (
        "## Qué dice la evidencia\n1. El plan A cuesta 10 € [Chunk 1].\n2. La piscina mide 25 metros [Chunk 2]."
    )
    assert len(verdict.removed) == 2


async def test_a_refusal_claims_nothing() -> None:
    verdict = await check("No tengo esa información.")
    assert verdict.nothing_left
    assert not verdict.removed


async def test_images_and_strange_addresses_never_pass() -> None:
    draft = "El plan A cuesta 10 € ![x](https://evil.example/?q=10) [Chunk 1]. Mire https://evil.example/a [Chunk 1]."
    assert (await check(draft)).text == "El plan A cuesta 10 € [Chunk 1]."


class _Always:
    """A comparison that finds everything near."""

    def __init__(self, cosine: float) -> None:
        self.cosine = cosine

    async def closeness(self, pairs: object) -> list[float]:
        return [self.cosine for _ in pairs]  # type: ignore[attr-defined]


async def test_meaning_decides_only_across_languages_and_only_when_facts_agree() -> None:
    async def across(draft: str, cosine: float) -> Verdict:
        return await verify(
            draft, SOURCES, question="¿cuántos libros?", language="es", meaning=_Always(cosine)
        )

    assert (await across("Se pueden tomar prestados cinco libros durante tres semanas.", 0.9)).claims[
        0
    ].numbers == (3,)
    assert (await across("Se pueden tomar prestados cinco libros durante tres semanas.", 0.5)).nothing_left
    assert (await across("Se pueden tomar prestados seis libros durante tres semanas.", 0.9)).nothing_left
    assert (await across("El plan A incluye sauna y masajes.", 0.99)).nothing_left
