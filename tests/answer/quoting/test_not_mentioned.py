"""What is asked and not said: by the named section while its look-alikes do, or by anything at all."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.quoting import Quoter, hit_of
else:
    from support.quoting import Quoter, hit_of

INSURANCE = """# Seguros Faro

## Plan Oro

El plan Oro cuesta 640 € al año. Cubre robo e incendio. La franquicia es de 150 €. Incluye vehículo de sustitución.

## Plan Plata

El plan Plata cuesta 410 € al año. Cubre robo. La franquicia es de 300 €. Incluye estacionamiento en el aeropuerto.

## Plan Bronce

El plan Bronce cuesta 230 € al año. Cubre daños a terceros.
"""
TABLE = "# Planes\n\n| Plan | WiFi | Precio |\n|---|---|---|\n| Básico | No | 20 € |\n| Medio | Sí | 30 € |\n"


@pytest.mark.parametrize(
    "question",
    [
        "¿el plan Oro incluye estacionamiento?",
        "¿Qué franquicia tiene el plan Bronce?",
        "¿El plan Plata incluye vehículo de sustitución?",
    ],
)
async def test_what_only_a_look_alike_speaks_of_is_refused(quoter: Quoter, question: str) -> None:
    asked = await quoter.ask(question, hit_of(INSURANCE))
    assert asked.reading.refusal == "not_answered"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿El plan Plata incluye estacionamiento?", "aeropuerto"),
        ("¿El plan Oro incluye coche de sustitución?", "sustitución"),
        ("¿Qué precio tiene el plan Bronce?", "230 €"),
    ],
)
async def test_what_the_named_section_says_in_other_words_is_quoted(
    quoter: Quoter, question: str, said: str
) -> None:
    assert said in (await quoter.ask(question, hit_of(INSURANCE))).text


async def test_a_row_that_is_not_there_is_not_answered_from_another(quoter: Quoter) -> None:
    assert (await quoter.ask("¿El plan Oro tiene WiFi?", hit_of(TABLE))).text == ""


async def test_a_part_of_a_question_that_stands_nowhere_is_named(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuánto cuesta el plan Oro y tienen piscina olímpica?", hit_of(INSURANCE))).text
    assert "640 €" in text
    assert text.endswith("Sobre «tienen piscina olímpica» no encontré una respuesta en los documentos.")


async def test_a_part_is_not_answered_from_a_look_alike_of_what_was_named_before(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Cuánto cuesta el plan Oro y qué estacionamiento incluye?", hit_of(INSURANCE))
    assert "640 €" in asked.text
    assert "aeropuerto" not in asked.text
    assert asked.reading.lost == ("qué estacionamiento incluye",)


async def test_a_part_that_only_goes_on_is_not_called_lost(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Cuánto cuesta el plan Oro y qué cubre?", hit_of(INSURANCE))
    assert asked.reading.lost == ()
    assert "robo e incendio" in asked.text and "410 €" not in asked.text
