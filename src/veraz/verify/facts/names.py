"""Names and codes of a claim that stand in no text it may take them from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Self

from veraz.text.dates import MONTHS
from veraz.text.languages import language_of, phrases, words
from veraz.text.names import Name, names
from veraz.text.plain import flat, plain_words
from veraz.verify.facts.ground import FUNCTION_WORDS, REMEMBERED, Ground, cut

_COMMON = frozenset({"pm", "am", "us", "kb", "mb", "gb", "tb"})
_JOINT = re.compile(r"[-/._’'&+@]")
_NUMBERED = re.compile(
    r"\d+(?:[.,:x]\d+)*(?:º|ª|o|a|st|nd|rd|th|ro|er|pm|am|h|m|k|s|kg|g|mg|km|cm|mm|l|ml|mb|gb|kb|w|v|kw)?"
)
_CAPITALS = re.compile(r"\b([A-ZÁÉÍÓÚÑ])[^\W\d_]+")
_ACRONYM = re.compile(r"\b[A-ZÑ]{2,6}\b")
_DOTTED = re.compile(r"(?<=[A-Z])\.\s?(?=[A-Z]{1,2}\b)")
"""«RR. HH.», «O.N.U.»."""
_ROMAN = re.compile(r"[IVX]+\b")
_SHORTENED = re.compile(r"\b([A-Z](?=/)|[A-Z][a-z]{1,3}(?=\.))[./]\s?(?=[A-Z\d])")
"""«Av. Reforma», «C/ Mayor»; «A. Requisitos» is the mark of a list."""
_SHORTENS = re.compile(r"\.\s*\w")
_LONG_CODE = 7
"""From so many signs on, a code counts without its blanks."""


def unknown_name(claim: str, ground: Ground) -> str | None:
    abroad = any(_abroad(claim, quote) for quote in cut(ground.quotes))
    known = _Names.of(ground)
    spelt_out = _initials(claim)
    for name in names(claim):
        if name.leading or _is_common(name.word) or _ROMAN.match(claim, name.start):
            continue
        if (abroad and _may_be_translated(claim, name)) or _shortens(claim, name, known):
            continue
        if not known.stands(name.word) and not known.has_initials(name.word, spelt_out):
            return f"name: {name.word}"
    return None


def _shortens(claim: str, name: Name, known: "_Names") -> bool:
    """«Av. Reforma» for «Avenida Reforma»."""
    if len(name.word) > 4 or not _SHORTENS.match(claim, name.start + len(name.word)):
        return False
    return any(_abbreviates(name.word, word) for word in known.words)


def _abbreviates(short: str, word: str) -> bool:
    """The first letter and others in order: «Av.» for «avenida», «Pza.» for «plaza»."""
    signs = iter(word)
    return word[:1] == short[0] and len(word) > len(short) and all(sign in signs for sign in short)


def _may_be_translated(claim: str, name: Name) -> bool:
    """«la oficina de Estadística» is the Statistics Office, IVA is VAT; codes and «EvilBot» stay what they are."""
    token = claim[name.start : name.start + len(name.word)]
    return token.isalpha() and (token.isupper() or token[1:].islower())


def _abroad(claim: str, quote: str) -> bool:
    """Whether both are clearly in different languages; names are translated."""
    own, theirs = language_of(claim), language_of(quote)
    return own is not None and theirs is not None and own != theirs


def _is_common(word: str) -> bool:
    """What is written with a capital or a digit and names nothing: months, days, units, titles, «4pm»."""
    return word in _listed() or _NUMBERED.fullmatch(word) is not None


@cache
def _listed() -> frozenset[str]:
    return frozenset(MONTHS.keys() | words("weekdays") | words("titles") | phrases("units").keys() | _COMMON)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What the names of a claim may stand in."""

    words: frozenset[str]
    capitals: tuple[str, ...]
    initials: tuple[str, ...]
    """First letters of words with capitals, and of all words."""
    acronyms: frozenset[str]
    shortened: frozenset[str]
    compact: str

    @classmethod
    @lru_cache(maxsize=REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Read once for all claims that stand on it."""
        texts = (*ground.texts, *cut(ground.passages))
        flats = [_DOTTED.sub("", flat(text)) for text in texts]
        return cls(
            words=frozenset(form for text in texts for form in _name_words(text)),
            capitals=tuple(map(_initials, texts)),
            initials=tuple(initials for text in texts for initials in _all_initials(text)),
            acronyms=frozenset(_single(word.lower()) for text in flats for word in _ACRONYM.findall(text)),
            shortened=frozenset(word.lower() for text in texts for word in _SHORTENED.findall(text)),
            compact=" ".join("".join(plain_words(_JOINT.sub("", text))) for text in texts),
        )

    def stands(self, name: str) -> bool:
        """Word by word, in singular or plural, shortened, as initials, or as a code however it is joined."""
        code = _JOINT.sub("", name)
        if name in self.words or code in self.words:
            return True
        parts = [part for part in _JOINT.split(name) if part not in ("", "s")]
        if all(any(form in self.words for form in forms(part)) for part in parts):
            return True
        if any(_abbreviates(short, name) for short in self.shortened):
            return True
        if len(code) >= _LONG_CODE and any(sign.isdigit() for sign in code) and code in self.compact:
            return True
        return self._is_acronym(name)

    def _is_acronym(self, name: str) -> bool:
        """Of words with capitals from two letters on, of any words from three; «RRHH», «EE. UU.»."""
        short = _single(name)
        if not 2 <= len(name) <= 6:
            return False
        return any(
            short in found for found in (self.capitals if len(name) < 3 else (*self.capitals, *self.initials))
        )

    def has_initials(self, name: str, spelt_out: str) -> bool:
        """«Recursos Humanos» where the text has «RR. HH.» or «RRHH»."""
        return any(
            name[0] in acronym and acronym in spelt_out for acronym in self.acronyms if len(acronym) > 1
        )


def _single(acronym: str) -> str:
    """«RRHH» stands for «Recursos Humanos»."""
    doubled = len(acronym) % 2 == 0 and acronym[::2] == acronym[1::2]
    return acronym[::2] if doubled else acronym


def _name_words(text: str) -> Iterator[str]:
    """Words, their parts, and codes however they are joined: GX-2500, GX2500, GX 2500."""
    found = plain_words(text)
    for word in found:
        yield word
        yield from _JOINT.split(word)
        yield _JOINT.sub("", word)
        yield word.lstrip("0123456789.,")
    for one, other in pairwise(found):
        if other[0].isdigit():
            yield one + other


def _all_initials(text: str) -> Iterator[str]:
    """The first letters of all words, and of all but function words."""
    found = [word for word in plain_words(text) if word[0].isalpha()]
    yield "".join(word[0] for word in found)
    yield "".join(word[0] for word in found if word not in FUNCTION_WORDS)


def _initials(text: str) -> str:
    return flat("".join(_CAPITALS.findall(text))).lower()


def forms(word: str) -> set[str]:
    return {word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s", f"{word}es"} - {""}
