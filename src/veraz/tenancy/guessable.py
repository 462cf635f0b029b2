"""Passwords that are tried first: from a list of thirty thousand common ones, or made of what everybody knows about a person.

The list comes with the program, so that nothing about a password leaves it. It holds the passwords of the frequency lists of
zxcvbn (MIT), and common Spanish ones.
"""

import gzip
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

_SHORTEST_WORD: Final = 4
_OWN_LETTERS: Final = 6
"""What a password holds at least besides words that are known about its owner."""
_ROWS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "asdfghjklñ",
    "zxcvbnm",
    "1qaz2wsx3edc4rfv5tgb",
)
_WRITTEN_FOR: Final = str.maketrans("@4013$5!7", "aaoiessit")


def is_guessable(password: str, about: Iterable[str] = ()) -> bool:
    """Whether somebody who tries the usual ones would find it. `about`: names and addresses of its owner."""
    plain = _plain(password)
    forms = {plain, plain.translate(_WRITTEN_FOR)}
    forms |= {re.sub(r"^[\W\d_]+|[\W\d_]+$", "", form) for form in forms}
    if any(form in _common() for form in forms) or not forms - {""}:
        return True
    return any(_is_row(form) or _is_of(form, about) for form in forms)


def _is_row(text: str) -> bool:
    """Few different characters, or neighbours on the keyboard or in the alphabet."""
    letters = re.sub(r"[\W_]", "", text)
    if len(set(letters)) <= 3:
        return True
    return any(letters in row * 2 or letters in (row * 2)[::-1] for row in _ROWS)


def _is_of(text: str, about: Iterable[str]) -> bool:
    letters = re.sub(r"[\W_]", "", text)
    left = letters
    for word in sorted({word for one in about for word in _words(one)}, key=len, reverse=True):
        left = left.replace(word, "")
    return left != letters and len(set(left)) < _OWN_LETTERS


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", _plain(text)) if len(word) >= _SHORTEST_WORD]


def _plain(text: str) -> str:
    """Lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


@cache
def _common() -> frozenset[str]:
    packed = files("veraz.tenancy").joinpath("common_passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n")) - {""}
