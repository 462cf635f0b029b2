"""Misspelt words of a question, put right before it is embedded."""

import pytest

from veraz.search.model import Query
from veraz.search.spelling import respelt


@pytest.mark.parametrize(
    ("typed", "corrected", "meant"),
    [
        ("cuanto dura la garamtia", {"garamti": "garanti"}, "cuanto dura la garantia"),
        ("cuantos dias tengo para debolver", {"debolv": "devolv"}, "cuantos dias tengo para devolver"),
        ("¿cuánto dura la garantía?", {}, "¿cuánto dura la garantía?"),
        ("¿cuántas obras entran?", {"entran": "centr"}, "¿cuántas obras entran?"),
    ],
)
def test_a_misspelt_word_is_replaced_by_the_likeliest_spelling_of_the_one_it_stands_for(
    typed: str, corrected: dict[str, str], meant: str
) -> None:
    assert respelt(typed, corrected, "es") == meant


def test_a_name_stays_as_it_was_typed() -> None:
    assert respelt("quiero viajar a Irak", {"irak": "iran"}, "es") == "quiero viajar a Irak"


def test_a_question_is_embedded_with_its_words_put_right() -> None:
    query = Query(text="la garamtia", meant="la garantia")
    assert query.embedded == "la garantia"
    assert Query(text="la garantía").embedded == "la garantía"
