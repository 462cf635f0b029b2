"""What a question is about: its words and its names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from veraz.text.content_words import content_words
from veraz.text.names import Name, names

_QUESTION_LIST = """
    que cual cuales quien quienes cuando donde como cuanto cuanta cuantos cuantas ano fecha dia mes siglo decada porcentaje
    cantidad numero tipo nombre what which who whom whose when where why how many much year date day month century decade
    percentage amount number type kind name long far
"""
_QUESTION_WORDS = frozenset(
    word for language in ("es", "en") for word in content_words(_QUESTION_LIST, language)
) | frozenset(_QUESTION_LIST.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """A question, read."""

    text: str
    language: str
    words: frozenset[str]
    """Lexemes that say what it is about."""
    names: tuple[Name, ...] = ()

    def spelt(self, right: Mapping[str, str]) -> Self:
        """With misspelt words put right; names and the text stay as they were typed: Irak is not Irán."""
        named = [name.word for name in self.names if not name.leading]
        kept = frozenset(word for name in named for word in content_words(name, self.language))
        words = frozenset(word if word in kept else right.get(word, word) for word in self.words)
        return replace(self, words=words)


@lru_cache(maxsize=256)
def read_question(text: str, language: str) -> ParsedQuestion:
    """The question with what finding its answer needs."""
    words = content_words(text, language)
    return ParsedQuestion(
        text=text, language=language, words=words - _QUESTION_WORDS or words, names=tuple(names(text))
    )
