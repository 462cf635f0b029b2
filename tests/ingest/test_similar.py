"""Sketches tell nearly equal texts from others."""

import pytest

from veraz.ingest.similar import NEARLY_EQUAL, bands, similarity, sketch

WORDS = [f"palabra{n * 7919 % 10007}" for n in range(2_000)]
TEXT = " ".join(WORDS)


def _changed(number: int) -> str:
    """The text with so many of its words replaced, evenly."""
    words = list(WORDS)
    for place in range(0, len(words), len(words) // number):
        words[place] = f"otra{place}"
    return " ".join(words)


def test_equal_texts_have_equal_sketches_whatever_their_spaces_and_capitals() -> None:
    assert sketch(TEXT) == sketch(TEXT.upper().replace(" ", "\n\n"))


@pytest.mark.parametrize(("number", "near"), [(5, True), (20, True), (200, False), (1_000, False)])
def test_a_sketch_tells_how_much_two_texts_share(number: int, near: bool) -> None:
    one, other = sketch(TEXT), sketch(_changed(number))
    assert (similarity(one, other) >= NEARLY_EQUAL) is near
    if near:
        assert set(bands(one)) & set(bands(other))


def test_texts_of_a_few_words_have_no_sketch() -> None:
    assert sketch("Gratis.") == sketch("") == [] and bands([]) == []


def test_texts_that_share_nothing_share_no_band() -> None:
    other = sketch(" ".join(f"distinta{n}" for n in range(300)))
    assert not set(bands(sketch(TEXT))) & set(bands(other))


def test_a_huge_text_is_read_in_pieces() -> None:
    huge = TEXT * 20
    assert similarity(sketch(huge), sketch(TEXT)) > 0.95
