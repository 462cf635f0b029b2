"""What a question is about."""

import pytest

from veraz.answer.question import read_question
from veraz.text.words import lexemes


def stems(*words: str) -> set[str]:
    return {stem for word in words for stem in lexemes(word, "es")}


def test_the_words_that_only_ask_are_left_out() -> None:
    assert read_question("¿Cuánto cuesta la cuota del gimnasio?", "es").words == stems(
        "cuesta", "cuota", "gimnasio"
    )


def test_a_question_of_nothing_but_such_words_keeps_them() -> None:
    assert read_question("¿Qué número?", "es").words


def test_names_are_read() -> None:
    found = read_question("¿Quién dirige el gimnasio de Salamanca?", "es").names
    assert [name.word for name in found if not name.leading] == ["salamanca"]


def test_a_misspelt_word_is_put_right() -> None:
    asked = read_question("¿Quién dirige la pisina?", "es").spelt({"pisin": "piscin"})
    assert "piscin" in asked.words
    assert "pisin" not in asked.words


@pytest.mark.parametrize("name", ["Irak", "Verona"])
def test_a_name_is_never_put_right(name: str) -> None:
    asked = read_question(f"¿Cuál es la capital de {name}?", "es")
    (stem,) = stems(name)
    assert asked.spelt({stem: "otro"}).words == asked.words
