"""A figure of the question falls into a range, or not."""

from decimal import Decimal

import pytest

from veraz.answer.quoting.ranges import fits, range_of
from veraz.text.measures import measures


@pytest.mark.parametrize(
    ("cell", "question", "inside"),
    [
        ("4 a 6 años", "un niño de 5 años", True),
        ("4 a 6 años", "un niño de 6 años", True),
        ("4 a 6 años", "un niño de 7 años", False),
        ("más de 100 m²", "una casa de 140 m²", True),
        ("más de 100 m²", "una casa de 80 m²", False),
        ("hasta 5 kg", "un paquete de 3 kg", True),
        ("hasta 5 kg", "un paquete de 8 kg", False),
        ("1 a 3 (años)", "un perro de 2 años", True),
        ("hasta 2 kg", "un paquete de 1500 g", True),
    ],
)
def test_a_figure_of_the_question_lies_in_a_range_or_not(cell: str, question: str, inside: bool) -> None:
    assert fits(cell, measures(question)) is inside


@pytest.mark.parametrize(
    ("cell", "question"),
    [
        ("4 a 6 años", "¿cuánto cuesta?"),
        ("4 a 6 años", "un paquete de 5 kg"),
        ("Delfines", "un niño de 5 años"),
    ],
)
def test_what_cannot_be_compared_says_nothing(cell: str, question: str) -> None:
    assert fits(cell, measures(question)) is None


def test_a_single_figure_is_a_range_of_one() -> None:
    assert range_of("5 kg") == (Decimal(5), Decimal(5), range_of("4 a 6 kg")[2])  # type: ignore[index]


def test_a_long_text_or_one_with_many_figures_is_no_range() -> None:
    assert range_of("de 1 a 2 años o de 3 a 4 años") is None
    assert range_of(f"{'muy ' * 30}5 años") is None
