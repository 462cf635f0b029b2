"""Tokens are counted offline and exactly."""

import hashlib
import lzma
from importlib.resources import files

from hypothesis import given, settings
from hypothesis import strategies as st

from veraz.text.tokens import TokenRuler, count_tokens

WORDS = [
    "el",
    " niño",
    "  ",
    "\n\n",
    ".\n\n",
    "'s",
    " 's",
    "12345",
    "é",
    "👍🏽",
    "日本語",
    "(",
    "-",
    "\t",
    "ab",
]


def test_the_vocabulary_is_the_published_one() -> None:
    packed = files("veraz.text").joinpath("cl100k_base.tiktoken.xz").read_bytes()
    digest = hashlib.sha256(lzma.decompress(packed)).hexdigest()
    assert digest == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"


def test_known_texts_have_their_known_number_of_tokens() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("お誕生日おめでとう") == 9


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60), st.integers(0, 200), st.integers(0, 200))
def test_a_span_measures_what_it_would_measure_alone(words: list[str], start: int, length: int) -> None:
    text = "".join(words)
    span = text[start : start + length].rstrip()
    if span:
        assert TokenRuler(text).size(start, start + len(span)) == count_tokens(span)


def test_a_long_text_measures_the_same_in_segments() -> None:
    text = "La vigésima reunión, celebrada en París.\n\n" * 20_000
    assert TokenRuler(text).size(0, len(text.rstrip())) == count_tokens(text.rstrip())


def test_a_text_without_spaces_is_measured_quickly_and_right() -> None:
    text = "東京都の天気は晴れ、'tis\nuno,dos\n" * 40_000
    ruler = TokenRuler(text)
    for start in range(0, 200_000, 9_973):
        span = text[start : start + 1_500].rstrip()
        assert ruler.size(start, start + len(span)) == count_tokens(span)
        end = ruler.reach(start, 100)
        assert 80 <= count_tokens(text[start:end]) <= 105
