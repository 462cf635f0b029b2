"""Questions that stand in a text, or that its sentences answer."""

import pytest

from veraz.learn.question_forms import own_questions, sentence_questions


def test_questions_of_a_text_are_its_own_lines() -> None:
    text = "# Ayuda\n\n## ¿Cuánto tarda un envío?\n\nDos días.\n\n  1. ¿Puedo devolverlo?  \nSí.\n"
    assert [one.question for one in own_questions(text)] == ["¿Cuánto tarda un envío?", "¿Puedo devolverlo?"]


@pytest.mark.timeout(60)  # a pattern that backtracks takes minutes
@pytest.mark.parametrize("text", ["Texto" + "\n" * 50_000 + "fin", " \n" * 20_000, "# " * 20_000])
def test_no_text_stalls_the_forms(text: str) -> None:
    assert not list(own_questions(text))
    assert not list(sentence_questions(text))
