"""Figures and dates are the same however they are written."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz.text.dates import dates
from veraz.text.names import names
from veraz.text.numbers import figures


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1.234,56 €", "1234.56", "€"),
        ("1,234.56 euros", "1234.56", "€"),
        ("1 234,56 EUR", "1234.56", "€"),
        ("€1,234.56", "1234.56", "€"),
        ("1.234", "1234", ""),
        ("1,234", "1234", ""),
        ("0,125", "0.125", ""),
        ("3,14", "3.14", ""),
        ("2,5 millones", "2500000", ""),
        ("2.5 million", "2500000", ""),
        ("20 por ciento", "20", "%"),
        ("20%", "20", "%"),
        ("mil doscientos treinta y cuatro", "1234", ""),
        ("cien mil millones", "100000000000", ""),
        ("three hundred and five dollars", "305", "$"),
        ("treinta y cinco", "35", ""),
        ("veintiún mil", "21000", ""),
        ("22.338.618", "22338618", ""),
        ("-5", "-5", ""),
        ("32ª", "32", ""),
        ("cento e vinte e cinco", "125", ""),
        ("duzentas", "200", ""),
        ("twenty-five", "25", ""),
        ("one hundred and twenty", "120", ""),
        ("dois mil", "2000", ""),
        ("14:30", "14.5", ":"),
        ("14.30 h", "14.5", ":"),
        ("9:00", "9", ""),
    ],
)
def test_a_figure_is_its_value_in_any_notation(text: str, value: str, unit: str) -> None:
    (figure,) = [f for f in figures(f"Son {text} ahora.") if f.explicit]
    assert (figure.value, figure.unit) == (Decimal(value), unit)


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_spanish_and_english_notation_agree(value: Decimal) -> None:
    english = f"{value:,.2f}"
    spanish = english.translate(str.maketrans(",.", ".,"))
    (a,), (b,) = figures(f"x {english} x"), figures(f"x {spanish} x")
    assert a.value == b.value == value


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading_of_facts(text: str) -> None:
    figures(text)
    dates(text)
    names(text)


@pytest.mark.parametrize(
    "text",
    [
        "15 de marzo de 2024",
        "15/03/2024",
        "2024-03-15",
        "March 15, 2024",
        "15 March 2024",
        "15.03.2024",
        "15 de Marzo del 2024",
        "15/3/24",
        "15 de março de 2024",
    ],
)
def test_a_date_is_its_day_in_any_notation(text: str) -> None:
    (day,) = dates(f"desde el {text} hasta hoy")
    assert (day.year, day.month, day.day) == (2024, 3, 15)


@pytest.mark.parametrize(
    ("text", "month"), [("4 de outubro", 10), ("4 de setembro de 2024", 9), ("4 de fev. de 2024", 2)]
)
def test_a_month_is_read_in_portuguese(text: str, month: int) -> None:
    (day,) = dates(f"a partir de {text} sempre")
    assert (day.month, day.day) == (month, 4)


def test_day_and_month_in_digits_may_be_either_way_round() -> None:
    (own,), (april,), (march,), (may,) = map(
        dates, ("03/04/2024", "3 de abril de 2024", "4 de marzo de 2024", "3 de mayo de 2024")
    )
    assert own.within(april)
    assert own.within(march)
    assert not own.within(may)
    assert not dates("45/67/2024")


def test_a_less_exact_date_stands_in_a_more_exact_one() -> None:
    (month,), (day,), (other,) = dates("marzo de 2024"), dates("15/03/2024"), dates("15/03/2023")
    assert month.within(day)
    assert not day.within(month)
    assert not month.within(other)


def test_an_article_is_no_figure_that_must_be_proven() -> None:
    assert not [f for f in figures("una oficina con un jardín") if f.explicit]


def test_names_are_told_from_words_that_only_begin_a_sentence() -> None:
    assert {n.word for n in names("Ana García dirige ventas en Lugo.")} == {"ana", "garcia", "lugo"}
    assert not names("Ofrece tres planes.")
    assert [(n.word, n.leading) for n in names("Sevilla tiene mar.")] == [("sevilla", True)]
    assert ("mora", False) in [(n.word, n.leading) for n in names("¿El Dr. Mora atiende?")]
    assert ("hoy", True) in [(n.word, n.leading) for n in names("Ok. Hoy no.")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use la bomba GX-2500i.", {"gx-2500i"}),
        ("Lo dice la ONU.", {"onu"}),
        ("ONU lo dice.", {"onu"}),
        ("Escriba a alta@gym.example.", {"alta@gym.example"}),
        ("A: 20 €.", {"a"}),
        ("- Marta Ruiz vive en Cádiz.", {"marta", "ruiz", "cadiz"}),
        ("Fuera de Argentina no se aplica.", {"argentina"}),
        ("Marta de la Torre dirige ventas.", {"torre"}),
        ("El plan: Incluye todo.", set()),
        ("«Agua para todos» es el lema.", set()),
    ],
)
def test_names_acronyms_and_codes_are_found(text: str, found: set[str]) -> None:
    assert {name.word for name in names(text) if not name.leading} == found


@pytest.mark.parametrize(
    "text", ["20 out of 100", "5 set meals", "5 may be refused", "10 ago", "3 mar adentro"]
)
def test_a_short_month_that_is_also_a_word_is_no_date_by_itself(text: str) -> None:
    assert dates(text) == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("15-mar-2026", (15, 3)),
        ("15/mar/2026", (15, 3)),
        ("15 mar. 2026", (15, 3)),
        ("15 mar 2026", (15, 3)),
        ("5 de set", (5, 9)),
        ("1ro de mayo", (1, 5)),
        ("primero de mayo", (1, 5)),
        ("the 30th of June 2026", (30, 6)),
        ("May 15th", (15, 5)),
    ],
)
def test_a_date_is_read_with_a_joint_a_dot_a_year_or_an_ordinal(text: str, day: tuple[int, int]) -> None:
    (found,) = dates(text)
    assert (found.day, found.month) == day


def test_who_is_greeted_and_what_stands_in_a_title_need_no_proof() -> None:
    assert all(name.leading for name in names("Hi Ana, it is open."))
    assert all(name.leading for name in names("**Return Policy**: you have time."))
    assert [name.word for name in names("**Return Policy**: ask Lugo.") if not name.leading] == ["lugo"]
