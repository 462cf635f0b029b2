"""Which of several look-alike sections, rows or editions is asked about."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.question import read_question
from veraz.answer.quoting.sections import Naming, current

if TYPE_CHECKING:
    from tests.support.quoting import AGES, PLANS, ROOMS, Quoter, hit_of, units
else:
    from support.quoting import AGES, PLANS, ROOMS, Quoter, hit_of, units

OLD = hit_of("# Tarifas\n\nLa entrada cuesta 8 euros.\n", "tarifas_2023.md")
NEW = hit_of("# Tarifas\n\nLa entrada cuesta 10 euros.\n", "tarifas_2025.md")
LEVELS = "# Planes\n\n## Plan Básico\n\nCuesta 20 euros.\n\n## Plan Familiar\n\nCuesta 45 euros e incluye piscina.\n"
LEADS = "# Masajes\n\nMasaje relajante. 50 minutos, 60 euros.\n\nMasaje deportivo. 30 minutos, 45 euros.\n"


DOGS = (
    "# En adopción\n\n## Bruno\n\nPerro mestizo de 3 años y 20 kilos. Le gusta correr.\n\n"
    "## Canela\n\nPerra mestiza de 5 años y 14 kilos. Se lleva bien con los gatos.\n"
)
MODELS = (
    "# Taladros\n\n## Taladro A100\n\nPesa 2 kilos y gira a 900 vueltas.\n\n"
    "## Taladro A200\n\nPesa 3 kilos y gira a 1200 vueltas.\n"
)
CARS = (
    "# Alquiler\n\n## Categoría B · Compacto\n\nCuesta 45 euros al día, con cinco plazas.\n\n"
    "## Categoría F · Furgoneta\n\nCuesta 79 euros al día, con tres plazas.\n"
)
SIZES = "# Trasteros\n\n## Talla S\n\nMide 4 metros.\n\n## Talla M\n\nMide 8 metros.\n"


async def naming(quoter: Quoter, question: str, document: str) -> Naming:
    """What a question names in a document."""
    found = units(hit_of(document))
    return Naming(read_question(question, "es"), found, await quoter.vectors(question, found))


async def left(quoter: Quoter, question: str, document: str) -> str:
    """What is not left out as another section's."""
    return " ".join(unit.text for unit in (await naming(quoter, question, document)).own())


@pytest.mark.parametrize(
    ("question", "document", "own", "other"),
    [
        ("¿Cuánto cuesta el Plan Básico?", LEVELS, "20 euros", "45 euros"),
        ("¿Qué incluye el plan familiar?", LEVELS, "piscina", "20 euros"),
        ("¿Cuánto cuesta el masaje deportivo?", LEADS, "45 euros", "60 euros"),
        ("¿Bruno se lleva bien con los gatos?", DOGS, "correr", "gatos"),
        ("cuánto vale al día el compacto", CARS, "45 euros", "79 euros"),
        ("cuantos metros tiene la talla s", SIZES, "4 metros", "8 metros"),
    ],
)
async def test_the_look_alikes_of_what_is_named_are_left_out(
    quoter: Quoter, question: str, document: str, own: str, other: str
) -> None:
    said = await left(quoter, question, document)
    assert own in said
    assert other not in said


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("¿Cuánto pesa el A300?", MODELS),
        ("¿Cuánto pesa el taladro A300?", MODELS),
        ("¿Cuánto cuesta el Plan Oro?", LEVELS),
    ],
)
async def test_nothing_is_left_of_look_alikes_where_one_is_named_that_is_not_there(
    quoter: Quoter, question: str, document: str
) -> None:
    assert await left(quoter, question, document) == ""


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("¿Cuánto cuesta?", PLANS),
        ("¿Cuánto pesan los taladros?", MODELS),
        ("¿Qué plan incluye sauna?", LEVELS),
        ("¿A qué hora abre el almacén?", SIZES),
    ],
)
async def test_nothing_is_left_out_where_nothing_is_named(
    quoter: Quoter, question: str, document: str
) -> None:
    assert await left(quoter, question, document) == " ".join(unit.text for unit in units(hit_of(document)))


async def test_a_word_that_siblings_speak_of_too_names_none_of_them(quoter: Quoter) -> None:
    document = (
        "# Normas\n\n## Pago de la cuota\n\nLa cuota se cobra el día 5.\n\n"
        "## Retrasos\n\nEl pago tardío de la cuota tiene un recargo de 3 euros.\n"
    )
    assert "3 euros" in await left(quoter, "¿Qué recargo tiene el pago fuera de plazo?", document)


async def test_a_heading_that_asks_is_no_name(quoter: Quoter) -> None:
    document = (
        "# Preguntas\n\n## ¿Hacen envíos?\n\nSe envía a toda España.\n\n"
        "## ¿Venden perros?\n\nNo. Hay adopciones los sábados.\n"
    )
    assert "adopciones" in await left(quoter, "¿Con quién hacen las adopciones?", document)


async def test_a_name_within_a_longer_name_is_not_meant_where_the_longer_one_is_said(quoter: Quoter) -> None:
    document = (
        "# Planes\n\n## Plan Ampliado\n\nCuesta 30 euros.\n\n## Plan Ampliado Plus\n\nCuesta 50 euros.\n"
    )
    assert await left(quoter, "¿Cuánto cuesta el plan Ampliado Plus?", document) == "Cuesta 50 euros."


async def test_a_row_is_named_by_its_cells(quoter: Quoter) -> None:
    rows = units(hit_of(ROOMS))
    question = "¿Cuánto cuesta la Suite Mar?"
    found = Naming(read_question(question, "es"), rows, await quoter.vectors(question, rows))
    named = [found.of(row)[0] for row in rows]
    assert named.index(max(named)) == 1


@pytest.mark.parametrize(("age", "row"), [(5, 0), (8, 1), (12, 2)])
async def test_a_row_is_named_by_a_figure_in_its_range(quoter: Quoter, age: int, row: int) -> None:
    rows = units(hit_of(AGES))
    question = f"¿Qué grupo le toca a un niño de {age} años?"
    naming_ = Naming(read_question(question, "es"), rows, await quoter.vectors(question, rows))
    found = [naming_.of(each) for each in rows]
    assert [own for own, _ in found].index(1.0) == row
    assert all(other == 1.0 for place, (_, other) in enumerate(found) if place != row)


async def test_a_comparison_has_two_sides(quoter: Quoter) -> None:
    question = "¿Qué diferencia hay entre el Plan Básico y el Plan Familiar?"
    (compared,) = (await naming(quoter, question, PLANS)).sides()
    assert sorted(side[0].path[-1] for side in compared) == ["Plan Básico", "Plan Familiar"]


async def test_a_question_about_one_section_compares_nothing(quoter: Quoter) -> None:
    assert (await naming(quoter, "¿Cuánto cuesta el Plan Básico?", PLANS)).sides() == []


def test_only_the_current_edition_is_read() -> None:
    found = current(units(OLD, NEW), "¿Cuánto cuesta la entrada?")
    assert [unit.text for unit in found] == ["La entrada cuesta 10 euros."]


def test_the_old_edition_is_read_when_its_year_is_named() -> None:
    found = current(units(OLD, NEW), "¿Cuánto costaba la entrada en 2023?")
    assert [unit.text for unit in found] == ["La entrada cuesta 8 euros."]


def test_documents_of_other_names_are_no_editions_of_each_other() -> None:
    other = hit_of("# Horario\n\nAbre a las 9.\n", "horario_2023.md")
    assert len(current(units(other, NEW), "¿Cuánto cuesta la entrada?")) == 2
