"""The kind of thing a question asks for, and whether a text holds a thing of that kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from veraz.text.dates import dates
from veraz.text.languages import CODES, phrases_of, table
from veraz.text.names import names
from veraz.text.plain import plain, words_in
from veraz.text.words import lexemes

_MONEY = re.compile(
    r"[$€£]|\b(?:s/\.?|r\$)\s?\d|\d\s?(?:mxn|cop|clp|ars|usd|eur|pen|uyu|pesos|euros?|dolares|dollars|soles|reais|smmlv|uf|uma)\b"
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:h|hs|hrs|horas|am|pm|a\.?\s?m|p\.?\s?m)\b|\b\d{1,2} a \d{1,2}\b|\b24/7\b|mediodia|medianoche"
)
_PERCENT = re.compile(r"\d\s?%|\bpor ciento\b|\bper ?cent\b|\bpor cento\b")
_CONTACT = re.compile(r"\S+@\S+\.\w|\+?\d[\d\s().-]{6,}\d|\bwww\.|https?:|\bext(?:ension)?\.? \d")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing."""

    name: str
    asks: "re.Pattern[str]"
    """How it is asked for."""
    says: frozenset[str]
    """Stems of the words documents say it with."""
    value: str
    """What an answer holds: money, clock, date, duration, percent, number, name, contact, or nothing in particular."""


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, in all languages; what stands first in a table wins."""
    tables: dict[str, list[Mapping[str, str]]] = {}
    for code in CODES:
        for name, listed in table(code)["question_kinds"].items():
            tables.setdefault(name, []).append({**listed, "code": code})
    return tuple(_kind(name, listed) for name, listed in tables.items())


def _kind(name: str, listed: list[Mapping[str, str]]) -> Kind:
    asks = [" ".join(phrase.split()) for each in listed for phrase in each["asks"].split("|")]
    says = {stem for each in listed for stem in lexemes(each.get("says", ""), each["code"])}
    pattern = "|".join(rf"\b{phrase}\b" for phrase in asks if phrase)
    return Kind(name, re.compile(pattern), frozenset(says), listed[0]["value"])


@lru_cache(maxsize=256)
def asked_kinds(question: str) -> tuple[Kind, ...]:
    """The kinds of thing a question asks for; often none is said."""
    simple = plain(question)
    return tuple(kind for kind in kinds() if kind.asks.search(simple))


@lru_cache(maxsize=256)
def asking_words(question: str) -> frozenset[str]:
    """The words by which a question asks for its first kind of thing: «cuesta» of «¿cuánto cuesta la entrada?»; a text that
    holds such a thing need not say them."""
    simple = plain(question)
    found = next((kind.asks.search(simple) for kind in asked_kinds(question) if kind.value), None)
    return frozenset(words_in(found[0])) if found else frozenset()


def every_asking_word(question: str) -> frozenset[str]:
    """The words by which a question asks for any kind of thing."""
    simple = plain(question)
    found = (match[0] for kind in asked_kinds(question) for match in kind.asks.finditer(simple))
    return frozenset(word for phrase in found for word in words_in(phrase))


def wants_summary(question: str) -> bool:
    """Whether a document is to be summed up."""
    return bool(_summary().search(plain(question)))


@lru_cache(maxsize=8192)
def holds(text: str, value: str) -> bool:
    """Whether a text holds a thing of this kind."""
    simple = plain(text)
    if value == "date":
        return bool(dates(text)) or not _weekdays().isdisjoint(words_in(simple))
    if value == "duration":
        return bool(_duration().search(simple))
    if value == "name":
        return any(not name.leading for name in names(text))
    patterns = {
        "money": _MONEY,
        "clock": _CLOCK,
        "percent": _PERCENT,
        "contact": _CONTACT,
        "number": _number(),
    }
    return bool(patterns[value].search(simple)) if value in patterns else True


def has_figure(text: str) -> bool:
    """Whether there is any figure, in digits or words."""
    return bool(_DIGIT.search(text) or _number().search(plain(text)))


@cache
def _summary() -> "re.Pattern[str]":
    return re.compile("|".join(rf"\b{phrase}\b" for phrase in phrases_of("summary", "asks")))


@cache
def _number() -> "re.Pattern[str]":
    words = {pair.split("=")[0] for code in CODES for pair in table(code)["numbers"]["words"].split()}
    articles = {word for code in CODES for word in table(code)["numbers"].get("articles", "").split()}
    return re.compile(r"\d|\b(?:" + "|".join(sorted(words - articles, key=len, reverse=True)) + r")\b")


@cache
def _duration() -> "re.Pattern[str]":
    units = ("second", "minute", "hour", "day", "week", "fortnight", "month", "quarter", "semester", "year")
    spelt = {
        phrase.strip()
        for code in CODES
        for unit in units
        for phrase in table(code)["units"].get(unit, "").split("|")
        if len(phrase.strip()) > 1
    }
    names_ = "|".join(sorted(spelt, key=len, reverse=True))
    return re.compile(
        rf"(?:{_number().pattern}|\bmedi[ao]|\bun[ao]?|\ban?|\bhalf)\S*\s(?:[a-z]+\s)?(?:{names_})\b"
    )


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(word for code in CODES for word in table(code)["weekdays"]["words"].split())
