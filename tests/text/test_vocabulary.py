"""Words of a language, in their forms."""

import pytest

from veraz.text.vocabulary import is_word


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("cuántos", "es"),
        ("abrieron", "es"),
        ("significaría", "es"),
        ("Potable", "es"),
        ("opened", "en"),
        ("abriram", "pt"),
    ],
)
def test_a_form_of_a_word_is_known(word: str, language: str) -> None:
    assert is_word(word, language)


@pytest.mark.parametrize("word", ["cuantos", "concedio", "ninos", "pinguino"])
def test_a_word_is_known_without_its_accent(word: str) -> None:
    assert is_word(word, "es")


@pytest.mark.parametrize("word", ["garamtia", "debolver", "biosmasa", "Kelven"])
def test_a_misspelt_word_or_a_name_is_not(word: str) -> None:
    assert not is_word(word, "es")


def test_a_language_without_a_dictionary_knows_no_word() -> None:
    assert not is_word("casa", "xx")
