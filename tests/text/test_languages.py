"""What code knows of a language is data: one table each, the same shape, plain words."""

import pytest

from veraz.text.dates import MONTHS
from veraz.text.languages import CODES, in_another_language, phrases, table, values
from veraz.text.plain import plain

MAPS = ("units", "rates", "day_kinds", "bounds", "clock")
NATIONAL = {
    "units": {"sol", "guarani", "quetzal", "boliviano", "mile", "inch", "foot", "bimester"},
    "rates": {"bimester", "semester"},
}
"""Keys that make sense in some languages only."""


def test_every_table_has_the_same_sections() -> None:
    assert {tuple(sorted(table(code))) for code in CODES} == {tuple(sorted(table("es")))}


@pytest.mark.parametrize("section", ["numbers", "months", "negation", "function"])
def test_lists_have_the_same_keys(section: str) -> None:
    assert {tuple(sorted(table(code)[section])) for code in CODES} == {tuple(sorted(table("es")[section]))}


@pytest.mark.parametrize("section", MAPS)
def test_phrases_have_the_same_keys_where_it_makes_sense(section: str) -> None:
    every = {key for code in CODES for key in table(code)[section]} - NATIONAL.get(section, set())
    missing = {code: every - set(table(code)[section]) for code in CODES}
    assert missing == {code: set() for code in CODES}


@pytest.mark.parametrize("code", CODES)
def test_every_language_has_twelve_months_and_the_small_numbers(code: str) -> None:
    assert len(table(code)["months"]["names"]) == 12
    pairs = [pair.split("=") for pair in table(code)["numbers"]["words"].split()]
    assert set(range(21)) <= {int(value) for _, value in pairs}


@pytest.mark.parametrize("code", CODES)
def test_words_are_plain(code: str) -> None:
    listed = [
        word.partition("=")[0]
        for name, section in table(code).items()
        if name != "follow_up"  # «él» points back, «el» does not
        for text in section.values()
        for line in ([text] if isinstance(text, str) else text)
        for word in line.split()
    ]
    assert [word for word in listed if word != plain(word)] == []


@pytest.mark.parametrize("section", MAPS)
def test_a_phrase_means_the_same_in_all_languages(section: str) -> None:
    meant: dict[str, set[str]] = {}
    for code in CODES:
        for key, listed in table(code)[section].items():
            for phrase in listed.split("|"):
                meant.setdefault(" ".join(phrase.split()), set()).add(key)
    assert {phrase: keys for phrase, keys in meant.items() if len(keys) > 1} == {}
    assert set(phrases(section)) == set(meant)


@pytest.mark.parametrize("key", ["words", "groups", "ordinals", "like_ordinals"])
def test_a_number_is_the_same_in_all_languages(key: str) -> None:
    found = values("numbers", key)
    for code in CODES:
        for pair in table(code)["numbers"][key].split():
            word, value = pair.split("=")
            assert found[word] == int(value)


def test_a_month_is_the_same_in_all_languages() -> None:
    for code in CODES:
        for number, names in enumerate(table(code)["months"]["names"], 1):
            assert {MONTHS[name] for name in names.split()} == {number}


def test_a_bound_in_no_language_is_both() -> None:
    upper = {phrase for phrase, key in phrases("bounds").items() if key == "upper"}
    assert {"hasta", "up to", "ate"} <= upper
    assert not upper & {"al menos", "at least", "pelo menos"}


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        ("The pool is open from nine to five for all of the members.", "es", True),
        ("La piscina está abierta de nueve a cinco para todos los socios.", "es", False),
        ("La piscina está abierta de nueve a cinco para todos los socios.", "en", True),
        ("Plan Premium", "es", False),
        ("La piscina está abierta para los socios.", "xx", False),
    ],
)
def test_another_language_is_told_by_its_function_words(text: str, language: str, other: bool) -> None:
    assert in_another_language(text, language) is other
