"""How well each unit answers: by meaning, by words, by the kind of thing, by its section."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from veraz.answer.quoting.rank import likeness, needed_words, spoken_words

if TYPE_CHECKING:
    from tests.support.quoting import PLANS, ROOMS, Quoter, hit_of, units
else:
    from support.quoting import PLANS, ROOMS, Quoter, hit_of, units

POOL = """# Piscina

La piscina mide 25 metros.

La entrada a la piscina vale 6 euros.

La piscina se abrió en 1998.

El vestuario tiene duchas y taquillas.
"""


@pytest.mark.parametrize(
    ("question", "document", "best"),
    [
        ("¿Cuánto cuesta entrar en la piscina?", POOL, "vale 6 euros"),
        ("¿Cuánto mide la piscina?", POOL, "25 metros"),
        ("¿En qué año se inauguró la piscina?", POOL, "1998"),
        ("¿A qué hora abren?", PLANS, "7:00"),
        ("¿Cuánto cuesta el Plan Familiar?", PLANS, "45 euros"),
        ("How much is the family plan?", PLANS, "45 euros"),
        ("What time do you open?", PLANS, "7:00"),
        ("¿Qué vista tiene la individual?", ROOMS, "Calle"),
    ],
)
async def test_what_answers_comes_first(quoter: Quoter, question: str, document: str, best: str) -> None:
    _, rated, _ = await quoter.rate(question, units(hit_of(document)))
    assert best in rated[0].unit.text


async def test_a_word_of_like_meaning_counts(quoter: Quoter) -> None:
    vectors = await quoter.meanings.of(["cuarto", "habitación", "factura"])
    near, far = likeness(["cuarto"], ["habitación"], vectors), likeness(["cuarto"], ["factura"], vectors)
    assert near[0] > far[0]


async def test_likeness_lies_between_nothing_and_the_same(quoter: Quoter) -> None:
    vectors = await quoter.meanings.of(["baja", "alta", "piscina"])
    found = likeness(["baja", "alta"], ["baja", "piscina"], vectors)
    assert np.isclose(found[0], 1.0, atol=0.01)
    assert 0.0 <= found[1] < 1.0
    assert likeness(["baja"], [], vectors).tolist() == [0.0]


async def test_the_kind_of_thing_asked_for_is_seen_also_by_the_name_of_a_column(quoter: Quoter) -> None:
    table = "# Sala\n\n| Sala | Precio (por hora) |\n|---|---|\n| Azul | 25 |\n| Roja | a convenir |\n"
    _, rated, _ = await quoter.rate("¿Cuánto cuesta la sala?", units(hit_of(table)))
    assert {each.unit.cells[0]: each.kind for each in rated} == {"Azul": 1.0, "Roja": 0.0}


async def test_the_section_that_is_named_is_told_from_its_sibling(quoter: Quoter) -> None:
    _, rated, _ = await quoter.rate("¿Cuánto cuesta el Plan Básico?", units(hit_of(PLANS)))
    by_section = {each.unit.path[-1]: each for each in rated}
    assert (by_section["Plan Básico"].named, by_section["Plan Básico"].other) == (1.0, 0.0)
    assert "Plan Familiar" not in by_section


async def test_without_units_nothing_is_rated(quoter: Quoter) -> None:
    _, rated, _ = await quoter.rate("¿Cuánto cuesta?", [])
    assert rated == []


def test_words_that_mean_nothing_alone_are_left_out() -> None:
    assert spoken_words("¿Cuánto cuesta la entrada de la piscina? La entrada.") == (
        "cuesta",
        "entrada",
        "piscina",
    )


def test_every_word_of_question_and_units_is_needed() -> None:
    needed = needed_words("¿Cuánto vale?", units(hit_of("# Piscina\n\nMide 25 metros.\n")))
    assert {"vale", "piscina", "mide", "metros"} <= set(needed)
