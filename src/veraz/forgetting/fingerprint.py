"""What tells a text that repeats forgotten words from one that only uses the same language.

Two signs are enough, each alone: a telling word (a name, a code, a figure that no dictionary has and no other document of the
tenant holds), or a run of words in the same order. Answers that stand on evidence are not judged by this: they go with
their documents.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_plus

from veraz.text.plain import plain, words_in
from veraz.text.vocabulary import is_word

_RUN: Final = 5
"""So many words in the same order are no accident…"""
_HEAVY, _HEAVIES = 4, 3
"""…where so many of them are longer than articles and prepositions."""
_SHORTEST: Final = 4
_DIGITS: Final = 5
_LANGUAGES: Final = ("es", "en", "pt")
_JOINT = re.compile(r"[-/._’'&+@]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")

Elsewhere = Callable[[set[str]], set[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The signs of a forgotten text."""

    telling: frozenset[str]
    runs: frozenset[int]

    def marks(self, text: str) -> bool:
        """Whether this text repeats forgotten words."""
        words = _words(text)
        if not self.telling.isdisjoint(words) or any(
            not self.telling.isdisjoint(_JOINT.split(word)) for word in words if _JOINT.search(word)
        ):
            return True
        return len(words) >= _RUN and any(run in self.runs for run in _runs(words))


def telling_candidates(texts: Iterable[str], language: str = "es") -> set[str]:
    """Words that no dictionary has: names, codes, long figures. Whether other documents hold them too is not known here."""
    found: set[str] = set()
    for text in texts:
        for word in set(_words(text)):
            found.update(part for part in {word, *_JOINT.split(word)} if len(part) >= _SHORTEST)
    languages = dict.fromkeys((*_LANGUAGES, language))
    return {word for word in found if _is_telling(word, languages)}


def fingerprint(texts: Iterable[str], telling: Iterable[str]) -> Fingerprint:
    """The signs of these texts, whose telling words are known."""
    runs = {run for text in texts for run in _runs(_words(text))}
    return Fingerprint(telling=frozenset(telling), runs=frozenset(runs))


def redacted(value: Any, forgotten: Fingerprint, mark: str) -> Any:
    """The same JSON, with a mark where a string repeats forgotten words."""
    if isinstance(value, str):
        return mark if forgotten.marks(value) else value
    if isinstance(value, list):
        return [redacted(one, forgotten, mark) for one in value]
    if isinstance(value, dict):
        return {
            mark if forgotten.marks(key) else key: redacted(one, forgotten, mark)
            for key, one in value.items()
        }
    return value


def _words(text: str) -> list[str]:
    """Addresses say their words in another spelling."""
    return words_in(plain(unquote_plus(text) if _ESCAPE.search(text) else text))


def _runs(words: list[str]) -> Iterator[int]:
    for start in range(len(words) - _RUN + 1):
        run = words[start : start + _RUN]
        if sum(len(word) >= _HEAVY for word in run) >= _HEAVIES:
            yield hash(tuple(run))


def _is_telling(word: str, languages: Iterable[str]) -> bool:
    digits = sum(sign.isdigit() for sign in word)
    if digits:
        return digits >= _DIGITS or digits < len(word.replace(",", "").replace(".", ""))
    if _JOINT.search(word):
        return not all(_is_known(part, languages) for part in _JOINT.split(word))
    return not _is_known(word, languages)


def _is_known(word: str, languages: Iterable[str]) -> bool:
    return len(word) < _SHORTEST or any(is_word(word, language) for language in languages)
