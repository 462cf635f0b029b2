"""A text without what does not matter when facts are compared."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from veraz.text.normal_forms import taken_apart

_MARKS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(r"[^\W_]+(?:[-/._’'&+@][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")


def plain(text: str) -> str:
    """Lower case, no accents, compatibility forms unfolded, blanks as single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    stripped = _MARKS.sub("", taken_apart(text)).replace("ª", "a").replace("º", "o")
    return " ".join(stripped.lower().split())


@lru_cache(maxsize=4_096)
def _base(sign: str) -> str:
    return unicodedata.normalize("NFD", sign)[0]


def flat(text: str) -> str:
    """The text without accents, sign by sign, so that places in it stay the same."""
    return text if text.isascii() else "".join(map(_base, text))


@lru_cache(maxsize=65_536)
def plain_word(word: str) -> str:
    """One word in that form, worked out once: texts repeat themselves."""
    return plain(word)


def plain_words(text: str) -> list[str]:
    """The words of a text in that form; joined words stay whole."""
    return words_in(plain(text))


def words_in(plain_text: str) -> list[str]:
    """The words of a text that has that form already."""
    return _WORD.findall(plain_text)


def spelt_out(text: str) -> Iterator[str]:
    """Every run of letters in that form."""
    return map(plain_word, _LETTERS.findall(text))
