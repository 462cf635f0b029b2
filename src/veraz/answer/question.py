"""What a question asks for: its words, its facts, and the kind of thing an answer must hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Self

from veraz.answer.reading import read_sentence
from veraz.text.content_words import content_words
from veraz.text.dates import Date, dates
from veraz.text.names import Name, names
from veraz.text.numbers import Figure, figures
from veraz.text.plain import plain, plain_words

Kind = Literal["who", "when", "how_many", "where", "why", "other"]

_KINDS: tuple[tuple[Kind, "re.Pattern[str]"], ...] = tuple(
    (kind, re.compile(pattern))  # type: ignore[misc]
    for kind, pattern in (
        (
            "when",
            (
                r"\bcuando\b|\b(?:que|cual(?:es)?|what|which) (?:es |fue |era |was |is )?(?:la |el |the )?(?:ano|fecha|dia|mes|siglo|decada|epoca|hora|"
                r"year|date|day|month|century|decade|time)\b|^when\b|\bdesde cuando\b|\bhow long ago\b"
            ),
        ),
        (
            "how_many",
            (
                r"\bcuant[oa]s?\b|\bhow (?:many|much|long|far|old|tall|big|large|often|fast|high|deep)\b|\bque (?:porcentaje|cantidad|numero de|"
                r"proporcion|precio|distancia|temperatura|edad|altura|superficie|poblacion)\b|\b(?:what|which) (?:percentage|amount|number of|"
                r"proportion|price|distance|temperature|age|height|population)\b|\ba que (?:distancia|precio|edad|velocidad)\b|"
                r"\bcual(?:es)? (?:es|era|fue) (?:la|el) (?:porcentaje|cantidad|numero|precio|distancia|temperatura|edad|altura|superficie|poblacion|coste|costo)\b"
            ),
        ),
        (
            "who",
            r"\bquien(?:es)?\b|\bwho(?:m|se)?\b|\bque (?:persona|autor|presidente|director|rey|general|cientifico|lider)\b",
        ),
        (
            "where",
            (
                r"\b(?:a|de|en|hacia|por)?\s?donde\b|\bwhere\b|\ben que (?:ciudad|pais|lugar|region|estado|continente|calle|sitio)\b|"
                r"\bin (?:what|which) (?:city|country|place|region|state)\b|\b(?:que|what|which) (?:ciudad|pais|city|country)\b"
            ),
        ),
        (
            "why",
            r"\bpor que\b|\bwhy\b|\bcual(?:es)? (?:es|fue|son|fueron) (?:la|las|el|los) (?:causa|razon|motivo)",
        ),
    )
)
_PERCENT = re.compile(r"\b(?:porcentaje|percentage|percent|por ciento|proporcion|proportion)\b")
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
    kind: Kind
    words: frozenset[str]
    """Lexemes that say what it is about."""
    plain: frozenset[str]
    """All its words without accents."""
    names: tuple[Name, ...] = ()
    figures: tuple[Figure, ...] = ()
    dates: tuple[Date, ...] = ()
    denied: frozenset[str] = frozenset()
    """Lexemes right after a negation."""
    percent: bool = False
    """Asks for a share."""

    def spelt(self, right: Mapping[str, str]) -> Self:
        """With misspelt words put right; names, figures and the text stay as they were typed: Irak is not Irán."""
        named = [name.word for name in self.names if not name.leading]
        kept = frozenset(word for name in named for word in content_words(name, self.language))
        words = frozenset(word if word in kept else right.get(word, word) for word in self.words)
        return replace(self, words=words)


@lru_cache(maxsize=256)
def read_question(text: str, language: str) -> ParsedQuestion:
    """The question with what an answer to it needs."""
    simple, days = plain(text), dates(text)
    kind: Kind = next((kind for kind, pattern in _KINDS if pattern.search(simple)), "other")
    words = content_words(text, language) - _QUESTION_WORDS
    return ParsedQuestion(
        text=text,
        language=language,
        kind=kind,
        words=words or content_words(text, language),
        plain=frozenset(plain_words(text)),
        names=tuple(names(text)),
        figures=tuple(f for f in figures(text) if not any(d.start < f.end and f.start < d.end for d in days)),
        dates=days,
        denied=read_sentence(text, language).denied,
        percent=bool(_PERCENT.search(simple)),
    )
