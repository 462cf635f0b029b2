"""One to three quotations: the row, the whole list, both sides of a comparison, the skeleton of a document."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.quoting.choose import MOST, choose, parts
from veraz.answer.quoting.kinds import wants_summary

if TYPE_CHECKING:
    from tests.support.quoting import PLANS, ROOMS, Quoter, hit_of
else:
    from support.quoting import PLANS, ROOMS, Quoter, hit_of

STEPS = [
    "1. Rellene el formulario de baja.",
    "2. Entréguelo en recepción antes del día 20.",
    "3. Devuelva la tarjeta de acceso.",
]


async def test_the_look_alike_section_is_never_quoted_beside_the_one_that_is_named(quoter: Quoter) -> None:
    for name, own, other in (("Básico", "20 euros", "45 euros"), ("Familiar", "45 euros", "20 euros")):
        chosen = await quoter.choose(f"¿Cuánto cuesta el Plan {name}?", hit_of(PLANS))
        said = " ".join(text for quotation in chosen for text in quotation)
        assert own in said
        assert other not in said


async def test_a_list_that_is_asked_for_is_quoted_whole(quoter: Quoter) -> None:
    assert STEPS in await quoter.choose("¿Cómo me doy de baja?", hit_of(PLANS))


@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        ("¿Qué incluye el precio?", "pensión completa", "saco de dormir"),
        ("¿Qué no incluye el precio?", "saco de dormir", "pensión completa"),
        ("¿El precio incluye el saco de dormir?", "saco de dormir", "pensión completa"),
    ],
)
@pytest.mark.parametrize("mark", ["", "## "])
async def test_a_list_is_not_taken_for_the_one_that_denies_it(
    quoter: Quoter, mark: str, question: str, own: str, other: str
) -> None:
    end = "" if mark else ":"
    camp = (
        f"# Campamento\n\n{mark}El precio incluye{end}\n\n- alojamiento en cabañas\n- pensión completa\n\n"
        f"{mark}El precio no incluye{end}\n\n- transporte\n- saco de dormir\n"
    )
    said = " ".join(text for quotation in await quoter.choose(question, hit_of(camp)) for text in quotation)
    assert own in said
    assert other not in said


async def test_no_unit_is_quoted_twice(quoter: Quoter) -> None:
    chosen = await quoter.choose("¿Cómo me doy de baja?", hit_of(PLANS))
    said = [text for quotation in chosen for text in quotation]
    assert len(said) == len(set(said))


async def test_one_item_answers_where_one_is_asked_for(quoter: Quoter) -> None:
    goods = (
        "# Tienda\n\nEn la tienda se venden:\n\n- Toalla: 8 euros\n- Candado: 5 euros\n- Gafas: 12 euros\n"
    )
    assert (await quoter.choose("¿Qué precio tiene el candado?", hit_of(goods)))[0] == ["Candado: 5 euros"]


@pytest.mark.parametrize(
    ("question", "document", "both"),
    [
        (
            "¿Qué diferencia de precio hay entre el Plan Básico y el Plan Familiar?",
            PLANS,
            ("20 euros", "45 euros"),
        ),
        ("¿Qué es más caro, la Suite Mar o la Individual?", ROOMS, ("150 €", "55 €")),
    ],
)
async def test_a_comparison_quotes_both_sides(
    quoter: Quoter, question: str, document: str, both: tuple[str, str]
) -> None:
    chosen = await quoter.choose(question, hit_of(document))
    assert len(chosen) == 2
    for side in both:
        assert sum(side in text for quotation in chosen for text in quotation) == 1


async def test_a_summary_is_the_opening_of_every_section_in_its_order(quoter: Quoter) -> None:
    assert await quoter.choose("Resume las tarifas del gimnasio", hit_of(PLANS)) == [
        ["La cuota es de 20 euros al mes. Incluye la sala de máquinas."],
        ["La cuota es de 45 euros al mes. Incluye la piscina."],
        ["Para darse de baja siga estos pasos:"],
        ["Abrimos de lunes a viernes de 7:00 a 22:00."],
    ]


async def test_a_summary_is_of_one_document(quoter: Quoter) -> None:
    chosen = await quoter.choose(
        "Resume las tarifas del gimnasio", hit_of(ROOMS, "habitaciones.md"), hit_of(PLANS, "gimnasio.md")
    )
    assert not any("Suite" in text for quotation in chosen for text in quotation)


async def test_there_are_at_most_three_quotations(quoter: Quoter) -> None:
    rules = "# Piscina\n\n" + "\n\n".join(f"La norma {n} de la piscina obliga a ducharse." for n in range(9))
    chosen = await quoter.choose("¿Qué normas obligan a ducharse en la piscina?", hit_of(rules))
    assert 1 <= len(chosen) <= MOST


async def test_nothing_is_chosen_from_nothing(quoter: Quoter) -> None:
    asked, rated, vectors = await quoter.rate("¿Cuánto cuesta?", [])
    assert choose(asked, rated, vectors) == []


@pytest.mark.parametrize(
    "question", ["Resume el reglamento", "Hazme un resumen de la guía", "Summarize the guide"]
)
def test_a_summary_is_asked_for_in_many_words(question: str) -> None:
    assert wants_summary(question)


def test_a_question_is_no_summary() -> None:
    assert not wants_summary("¿Cuánto cuesta el plan?")


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (
            "¿Cuánto cuesta el plan y a qué hora abren?",
            ["¿Cuánto cuesta el plan y", "a qué hora abren?"],
        ),
        (
            "¿Cuánto cuesta el plan? ¿Dónde están ustedes?",
            ["¿Cuánto cuesta el plan?", "¿Dónde están ustedes?"],
        ),
        ("¿Cuánto cuestan el plan básico y el familiar?", ["¿Cuánto cuestan el plan básico y el familiar?"]),
    ],
)
def test_several_questions_in_one_are_taken_apart(question: str, found: list[str]) -> None:
    assert parts(question) == found
