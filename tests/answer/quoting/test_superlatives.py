"""Which end of what measure a question asks for, and what texts measure."""

from decimal import Decimal

import pytest

from veraz.answer.quoting.superlatives import comparable, only_figure, only_price, superlative
from veraz.text.measures import Measure
from veraz.text.words import lexemes


@pytest.mark.parametrize(
    ("question", "most", "column"),
    [
        ("¿Cuál es el más barato?", False, "Precio"),
        ("¿Cuál es el menos caro?", False, "Precio"),
        ("¿Cuál es la habitación más grande?", True, "Superficie"),
        ("¿Qué sala tiene la menor capacidad?", False, "Capacidad"),
        ("¿Qué tarifa es la más rápida?", True, "Velocidad"),
        ("Which one is the lightest?", False, "Weight"),
        ("Which one is the most expensive?", True, "Price"),
        ("Which one is the least expensive?", False, "Price"),
        ("Qual é o mais caro?", True, "Preço"),
    ],
)
def test_a_superlative_has_an_end_and_a_measure(question: str, most: bool, column: str) -> None:
    found = superlative(question, "es")
    assert found and found.most is most
    assert found.says & {stem for code in ("es", "en", "pt") for stem in lexemes(column, code)}


@pytest.mark.parametrize("question", ["¿Hay algo más?", "¿Cuánto pago por más de 30 horas?", "¿Qué es?"])
def test_more_is_not_most(question: str) -> None:
    assert superlative(question, "es") is None


def figure(text: str) -> Measure:
    found = only_figure(text)
    assert found
    return found


def test_values_are_compared_in_the_unit_of_the_first() -> None:
    assert comparable([figure("1 kg"), figure("500 g")]) == [Decimal(1), Decimal("0.5")]


@pytest.mark.parametrize("texts", [("20 €", "3 kg"), ("20 € al mes", "200 € al año")])
def test_what_measures_different_things_is_not_compared(texts: tuple[str, str]) -> None:
    assert comparable([figure(text) for text in texts]) == []


def test_a_range_is_no_figure() -> None:
    assert only_figure("de 20 a 30 €") is None


def test_of_several_prices_the_one_that_is_called_so_counts() -> None:
    says = frozenset(lexemes("cuesta"))
    price = only_price("El plan cuesta 640 € al año. La franquicia es de 150 €.", says, "es")
    assert price and price.value == 640
    assert only_price("Son 640 €. La franquicia es de 150 €.", says, "es") is None
