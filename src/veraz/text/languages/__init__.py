"""What code must know of a language, one table each (`es.toml`, `en.toml`, `pt.toml`), read together.

A question, a passage and an answer may each be in another language, so the tables are merged: a word means what it
means in any of them. Nothing here proves anything; these words only help to see that two exact facts differ.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from veraz.text.normal_forms import taken_apart
from veraz.text.stop_words import STOP_WORDS

CODES = ("es", "en", "pt")
_WORD = re.compile(r"[^\W\d_]+")
_CLEAR_LEAD = 2


@cache
def table(code: str) -> Mapping[str, Any]:
    """One language's table."""
    return tomllib.loads(files("veraz.text.languages").joinpath(f"{code}.toml").read_text(encoding="utf-8"))


@cache
def phrases(section: str) -> Mapping[str, str]:
    """Every phrase of a section in all languages → the key it stands under («al mes» → «month»)."""
    found: dict[str, str] = {}
    for code in CODES:
        for key, listed in table(code).get(section, {}).items():
            found |= {" ".join(phrase.split()): key for phrase in listed.split("|")}
    return found


@cache
def phrases_of(section: str, key: str) -> tuple[str, ...]:
    """The phrases under one key in all languages, the longest first."""
    listed = (phrase for code in CODES for phrase in table(code)[section][key].split("|"))
    return tuple(sorted({" ".join(phrase.split()) for phrase in listed}, key=lambda each: (-len(each), each)))


@cache
def values(section: str, key: str) -> Mapping[str, int]:
    """A list of `word=value` in all languages."""
    pairs = (pair.split("=") for code in CODES for pair in table(code)[section][key].split())
    return {word: int(value) for word, value in pairs}


@cache
def words(section: str, key: str = "words") -> frozenset[str]:
    """A list of words in all languages."""
    return frozenset(word for code in CODES for word in table(code)[section][key].split())


@lru_cache(maxsize=256)
def in_another_language(text: str, language: str) -> bool:
    """Whether its function words clearly belong to another language; short or mixed texts do not say so."""
    own = STOP_WORDS.get(language[:2].lower())
    if own is None:
        return False
    words_ = [_plain(word) for word in _WORD.findall(text)]
    others = (sum(word in known for word in words_) for known in STOP_WORDS.values() if known is not own)
    return max(others) >= sum(word in own for word in words_) + _CLEAR_LEAD


@lru_cache(maxsize=1024)
def language_of(text: str) -> str | None:
    """The language a text's function words clearly belong to, among the three; None where they do not tell."""
    words_ = [_plain(word) for word in _WORD.findall(text)]
    counts = sorted(
        ((sum(word in STOP_WORDS[code] for word in words_), code) for code in CODES), reverse=True
    )
    return counts[0][1] if counts[0][0] >= counts[1][0] + _CLEAR_LEAD else None


def _plain(word: str) -> str:
    decomposed = taken_apart(word.lower())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
