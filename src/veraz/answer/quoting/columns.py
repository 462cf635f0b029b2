"""Which columns of a row a question asks for: those that say which row it is, and those it names or means."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from veraz.answer.quoting.kinds import holds
from veraz.answer.quoting.ranges import fits
from veraz.answer.quoting.rank import Asked, likeness, spoken_words
from veraz.answer.quoting.superlatives import superlative
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors
from veraz.text.measures import measures
from veraz.text.words import lexemes

_NARROW = 3
"""A row of no more columns is shown whole."""
_LIKE = _HALF = 0.5
_TELLING = frozenset({"name", "contact", "clock", "date", "percent"})
"""Kinds of value that are known by their looks, whatever their column is called."""


def asked_columns(unit: Unit, asked: Asked, vectors: Mapping[str, Vectors]) -> list[tuple[str, str]]:
    """Names and values of the row, as far as they are asked for; all of them where the question does not say."""
    named = [(name, value) for name, value in _pairs(unit) if value]
    if len(named) <= _NARROW:
        return named
    wanted = [_asks_for(name, asked, vectors) for name, _ in named]
    empty = empty_columns(unit, asked)
    if not any(wanted) and not empty:
        return named
    stems = frozenset(asked.stems)
    values = {kind.value for kind in asked.kinds} & _TELLING
    keep = [
        place == 0
        or want
        or bool(stems & frozenset(lexemes(value, asked.parsed.language)))
        or any(holds(value, kind) for kind in values)
        for place, (want, (_, value)) in enumerate(zip(wanted, named, strict=True))
    ]
    shown = [pair for pair, kept in zip(named, keep, strict=True) if kept]
    return shown if len(shown) > 1 or empty else named


def empty_columns(unit: Unit, asked: Asked) -> list[str]:
    """The columns that the question names by more than half of their words, or by kind, in which the row has nothing."""
    return [
        name
        for name, value in _pairs(unit)[1:]
        if name and not value and (_share(name, asked) > _HALF or _means(name, asked))
    ]


def _pairs(unit: Unit) -> list[tuple[str, str]]:
    return list(zip_longest(unit.columns, unit.cells, fillvalue=""))


def _share(column: str, asked: Asked) -> float:
    """How much of a column's name the question says."""
    stems = frozenset(lexemes(column, asked.parsed.language))
    return len(stems & asked.stems.keys()) / len(stems) if stems else 0.0


def _means(column: str, asked: Asked) -> bool:
    """Whether the question asks for what a column says, by its kind or its measure."""
    stems = frozenset(lexemes(column, asked.parsed.language))
    measure = superlative(asked.parsed.text, asked.parsed.language)
    return any(kind.says & stems for kind in asked.kinds) or bool(measure and measure.says & stems)


def _asks_for(name: str, asked: Asked, vectors: Mapping[str, Vectors]) -> bool:
    """Whether the question names a column, uses a word like one of its name, or a figure that lies in its range."""
    inside = fits(name, measures(asked.parsed.text))
    if inside is not None:
        return inside
    if _share(name, asked) or _means(name, asked):
        return True
    carrying = [word for word in asked.spoken if word in vectors]
    words: Sequence[str] = [word for word in spoken_words(name) if word in vectors]
    return bool((likeness(carrying, words, vectors) >= _LIKE).any()) if carrying and words else False
