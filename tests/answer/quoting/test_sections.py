"""Which of several look-alike sections, rows or editions is asked about."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.question import read_question
from veraz.answer.quoting.sections import current, naming, own_sections, sides

if TYPE_CHECKING:
    from tests.support.quoting import AGES, PLANS, ROOMS, hit_of, units
else:
    from support.quoting import AGES, PLANS, ROOMS, hit_of, units

OLD = hit_of("# Tarifas\n\nLa entrada cuesta 8 euros.\n", "tarifas_2023.md")
NEW = hit_of("# Tarifas\n\nLa entrada cuesta 10 euros.\n", "tarifas_2025.md")
LEVELS = "# Planes\n\n## Plan Básico\n\nCuesta 20 euros.\n\n## Plan Familiar\n\nCuesta 45 euros e incluye piscina.\n"
LEADS = "# Masajes\n\nMasaje relajante. 50 minutos, 60 euros.\n\nMasaje deportivo. 30 minutos, 45 euros.\n"


def left(question: str, document: str) -> str:
    """What is not left out as another section's."""
    return " ".join(
        unit.text for unit in own_sections(read_question(question, "es"), units(hit_of(document)))
    )


@pytest.mark.parametrize(
    ("question", "document", "own", "other"),
    [
        ("¿Cuánto cuesta el Plan Básico?", LEVELS, "20 euros", "45 euros"),
        ("¿Qué incluye el plan familiar?", LEVELS, "piscina", "20 euros"),
        ("¿Cuánto cuesta el masaje deportivo?", LEADS, "45 euros", "60 euros"),
    ],
)
def test_the_look_alikes_of_what_is_named_are_left_out(
    question: str, document: str, own: str, other: str
) -> None:
    said = left(question, document)
    assert own in said
    assert other not in said


def test_nothing_is_left_out_where_nothing_is_named() -> None:
    assert len(left("¿Cuánto cuesta?", PLANS)) == len(" ".join(unit.text for unit in units(hit_of(PLANS))))


def test_a_name_within_a_longer_name_is_not_meant_where_the_longer_one_is_said() -> None:
    document = (
        "# Planes\n\n## Plan Ampliado\n\nCuesta 30 euros.\n\n## Plan Ampliado Plus\n\nCuesta 50 euros.\n"
    )
    assert left("¿Cuánto cuesta el plan Ampliado Plus?", document) == "Cuesta 50 euros."


def test_a_row_is_named_by_its_cells() -> None:
    rows = units(hit_of(ROOMS))
    named = [own for own, _ in naming(read_question("¿Cuánto cuesta la Suite Mar?", "es"), rows)]
    assert named.index(max(named)) == 1


@pytest.mark.parametrize(("age", "row"), [(5, 0), (8, 1), (12, 2)])
def test_a_row_is_named_by_a_figure_in_its_range(age: int, row: int) -> None:
    question = read_question(f"¿Qué grupo le toca a un niño de {age} años?", "es")
    found = naming(question, units(hit_of(AGES)))
    assert [own for own, _ in found].index(1.0) == row
    assert all(other == 1.0 for place, (_, other) in enumerate(found) if place != row)


def test_a_comparison_has_two_sides() -> None:
    question = read_question("¿Qué diferencia hay entre el Plan Básico y el Plan Familiar?", "es")
    (compared,) = sides(question, units(hit_of(PLANS)))
    assert sorted(side[0].path[-1] for side in compared) == ["Plan Básico", "Plan Familiar"]


def test_a_question_about_one_section_compares_nothing() -> None:
    assert sides(read_question("¿Cuánto cuesta el Plan Básico?", "es"), units(hit_of(PLANS))) == []


def test_only_the_current_edition_is_read() -> None:
    found = current(units(OLD, NEW), "¿Cuánto cuesta la entrada?")
    assert [unit.text for unit in found] == ["La entrada cuesta 10 euros."]


def test_the_old_edition_is_read_when_its_year_is_named() -> None:
    found = current(units(OLD, NEW), "¿Cuánto costaba la entrada en 2023?")
    assert [unit.text for unit in found] == ["La entrada cuesta 8 euros."]


def test_documents_of_other_names_are_no_editions_of_each_other() -> None:
    other = hit_of("# Horario\n\nAbre a las 9.\n", "horario_2023.md")
    assert len(current(units(other, NEW), "¿Cuánto cuesta la entrada?")) == 2
