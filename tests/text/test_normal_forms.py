"""Normal forms are Unicode's, and take no longer for marks without end."""

import time
import unicodedata
from contextlib import suppress

import pytest

from veraz import errors
from veraz.search.service import LONGEST_QUERY, asked
from veraz.text.languages import language_of
from veraz.text.normal_forms import MOST_MARKS, composed, taken_apart
from veraz.text.plain import plain
from veraz.text.words import lexemes

RUNS = ["\u0301\u0316", "\u0345\u0334", "\uff9e", "\u0f73", "\U0001e94a\u0301"]


@pytest.mark.parametrize(
    "text", ["", "año", "cafe\u0301 a\u0316\u0301", "ﬁn ½ ª", "한국어", "a" + "\u0301" * MOST_MARKS, "नमस्ते"]
)
def test_what_people_write_has_unicodes_own_forms(text: str) -> None:
    assert composed(text) == unicodedata.normalize("NFC", text)
    assert taken_apart(text) == unicodedata.normalize("NFKD", text)


@pytest.mark.parametrize("run", RUNS)
def test_marks_without_end_cost_no_time(run: str) -> None:
    text = "a" + (run * 100_000)[:100_000]
    began = time.thread_time()
    for read in (composed, taken_apart, plain, lexemes, language_of):
        read(text)
    assert time.thread_time() - began < 0.5
    assert len(composed(text)) <= 100_000


def test_a_query_that_is_too_long_is_refused_before_it_is_read() -> None:
    began = time.thread_time()
    for query in ("a" + "\u0301\u0316" * 20_000, "a\u0301" * 9_999, "\u0301" * 2_000_000):
        with suppress(errors.Invalid):
            assert len(asked(query)) <= LONGEST_QUERY
    assert time.thread_time() - began < 0.1
