"""Figures with what stands around them, in three languages that compare with each other."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz.text.measures import Measure, measures, said_values


def one(text: str) -> Measure:
    (found,) = measures(text)
    return found


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (("25 euros", "25 €", "€25", "25 EUR", "EUR 25", "vinte e cinco euros"), "euro"),
        (("25 pesos", "MXN 25", "25 MXN", "veinticinco pesos"), "peso"),
        (("25 reais", "R$ 25", "25 reales"), "real"),
        (("S/ 25", "25 soles"), "sol"),
        (("25 libras esterlinas", "£25", "25 pounds"), "pound"),
        (("25 %", "25 por ciento", "25 percent"), "%"),
        (("25 puntos porcentuales", "25 pontos percentuais", "25 puntos"), "points"),
        (("25 días", "25 days", "25 dias"), "day"),
        (("25 metros cuadrados", "25 m2", "25 m²", "25 square metres"), "square_metre"),
        (("25 m", "25 metros", "25 meters"), "metre"),
        (("25 kg", "25 kilos", "25 quilos"), "kilogram"),
        (("25 litros", "25 l", "25 liters"), "litre"),
        (("25 millones de pesos",), "peso"),
    ],
)
def test_a_unit_is_the_same_in_every_language(texts: tuple[str, ...], unit: str) -> None:
    assert {text: one(f"Son {text}.").unit for text in texts} == dict.fromkeys(texts, unit)


@pytest.mark.parametrize(
    ("texts", "rate"),
    [
        (("25 € al mes", "25 euros mensuales", "25 € a month", "25 reais por mês", "$25 cada mes"), "month"),
        (("25 € al año", "25 euros anuales", "25 € per year", "25 € ao ano"), "year"),
        (("25 € por hora", "25 € an hour", "25 € la hora"), "hour"),
        (("25 € a la semana", "25 € weekly", "25 € semanais"), "week"),
        (("25 €", "25 € más el IVA al mes"), ""),
    ],
)
def test_a_rhythm_is_the_same_in_every_language(texts: tuple[str, ...], rate: str) -> None:
    assert {text: one(f"Son {text}.").rate for text in texts} == dict.fromkeys(texts, rate)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (("10 días hábiles", "10 días laborables", "10 business days", "10 dias úteis"), "working"),
        (("10 días naturales", "10 calendar days", "10 dias corridos"), "calendar"),
        (("10 días",), ""),
    ],
)
def test_a_kind_of_day_is_the_same_in_every_language(texts: tuple[str, ...], kind: str) -> None:
    assert {text: one(f"Son {text}.").day_kind for text in texts} == dict.fromkeys(texts, kind)


@pytest.mark.parametrize(
    ("texts", "bound"),
    [
        (
            (
                "hasta 10",
                "como máximo 10",
                "up to 10",
                "até 10",
                "no más de 10",
                "hasta un 10",
                "hasta las 10",
            ),
            "upper",
        ),
        (("al menos 10", "at least 10", "pelo menos 10", "más de 10", "a partir de los 10"), "lower"),
        (("10", "unos 10", "10 como poco"), ""),
    ],
)
def test_a_bound_is_the_same_in_every_language(texts: tuple[str, ...], bound: str) -> None:
    found = {text: next(m for m in measures(f"Son {text}.") if m.value == 10).bound for text in texts}
    assert found == dict.fromkeys(texts, bound)


@pytest.mark.parametrize(
    ("one_time", "another", "same"),
    [
        ("24 horas", "un día", True),
        ("dos semanas", "14 días", True),
        ("90 minutos", "2 horas", False),
        ("24 meses", "dos años", True),
        ("un semestre", "two quarters", True),
        ("un mes", "30 días", False),
        ("24 euros", "un día", False),
    ],
)
def test_the_same_span_in_other_units(one_time: str, another: str, same: bool) -> None:
    assert one(one_time).same_quantity(one(another)) is same


@pytest.mark.parametrize("text", ["4 de la tarde", "4 pm", "4 in the afternoon", "4 da tarde"])
def test_an_hour_of_the_afternoon_is_also_that_of_the_other_clock(text: str) -> None:
    assert one(f"A las {text}").values == {Decimal(4), Decimal(16)}
    assert one(f"A las {text}").same_value(one("16:00"))


@pytest.mark.parametrize("text", ["4 p. m.", "4 p.m.", "4 P.M."])
def test_the_dots_of_the_afternoon_are_read(text: str) -> None:
    assert one(f"A las {text}").values == {Decimal(4), Decimal(16)}


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("cuatro planes", True),
        ("4 planes", True),
        ("2 planes", True),
        ("dos meses", True),
        ("los dos", False),
        ("una oficina", False),
        ("once días", True),
        ("ten days", True),
        ("un mes", False),
    ],
)
def test_articles_and_a_few_counted_things_are_not_certain(text: str, certain: bool) -> None:
    assert one(text).certain is certain


@pytest.mark.parametrize("text", ["La bomba GX-2500i", "Ley A-12", "El modelo TR.88"])
def test_figures_of_a_code_are_no_measures(text: str) -> None:
    assert measures(text) == ()


def test_an_ordinal_has_no_unit() -> None:
    assert one("el tercer mes").unit == ""


def test_an_ordinal_in_digits_has_no_unit_either() -> None:
    assert one("la 3ª semana").unit == ""


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading_of_measures(text: str) -> None:
    for found in measures(text):
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("un millón y medio de pesos", "1500000", "peso"),
        ("dos horas y media", "2.5", "hour"),
        ("las 7 menos cuarto", "6.75", ""),
        ("3 M€", "3000000", "euro"),
        ("$5M", "5000000", "$"),
        ("100k", "100000", ""),
        ("1'500.000 pesos", "1500000", "peso"),
        ("99 céntimos", "99", "cent"),
    ],
)
def test_a_figure_is_read_with_what_goes_on_with_it(text: str, value: str, unit: str) -> None:
    found = measures(f"Son {text}.")[0]
    assert (found.value, found.unit) == (Decimal(value), unit)


def test_parts_of_one_quantity_are_held_against_nothing_by_themselves() -> None:
    assert [(str(m.value), m.unit) for m in measures("1 h 30 min") if m.certain] == [("90", "minute")]


def test_the_afternoon_of_a_range_is_that_of_both_hours() -> None:
    assert [m.also for m in measures("from 4 to 8 pm")] == [{Decimal(16)}, {Decimal(20)}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("la mitad", "50"),
        ("two thirds", "66.7"),
        ("½", "0.5"),
        ("1½", "1.5"),
        ("siglo XIX", "19"),
        ("16:00", "4"),
    ],
)
def test_a_text_says_values_without_figures(text: str, value: str) -> None:
    assert Decimal(value) in {m.value for m in said_values(text)}


@pytest.mark.parametrize(("text", "certain"), [("-300", True), ("-2", True), ("€2", True), ("$ 2", True)])
def test_a_sign_or_a_currency_makes_no_figure_uncertain(text: str, certain: bool) -> None:
    assert one(text).certain is certain
