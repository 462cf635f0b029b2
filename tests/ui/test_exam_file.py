"""Exams people bring along."""

import pytest

from veraz import errors
from veraz.ui.exam_file import EXAMPLE, questions_in


def test_the_example_on_the_page_can_be_read() -> None:
    first, second = questions_in(EXAMPLE)
    assert (first.question, first.expected_text, first.must_refuse) == (
        "¿Cuál es el plazo de devolución?",
        "30 días",
        False,
    )
    assert (second.expected_text, second.must_refuse, second.origin) == (None, True, "imported")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_may_use_any_usual_separator(separator: str) -> None:
    table = f"\ufeffPregunta{separator}Respuesta\r\n¿Qué?{separator}Esto\r\n"
    assert [(one.question, one.expected_text) for one in questions_in(table)] == [("¿Qué?", "Esto")]


def test_json_is_a_list_of_questions() -> None:
    found = questions_in(
        '[{"question": "¿Qué?", "must_refuse": true}, {"question": "a", "expected_text": "b"}]'
    )
    assert [one.must_refuse for one in found] == [True, False]


@pytest.mark.parametrize(
    "text", ["", "question", "question;expected_text\n¿Qué?;", "[1]", "[", "nombre\nx", "question\n" * 3]
)
def test_what_holds_no_question_is_refused(text: str) -> None:
    with pytest.raises(errors.Invalid):
        questions_in(text)


def test_more_than_an_exam_holds_is_refused() -> None:
    with pytest.raises(errors.Invalid):
        questions_in("question;expected_text\n" + "a;b\n" * 501)
