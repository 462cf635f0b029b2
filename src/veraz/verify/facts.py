"""Exact facts of a claim that code can hold against the quotes it stands on: figures, dates, names.

A fact is known when it stands in a quote, in the place of a quoted passage (title, headings, sheet, column), in the
question, or follows from figures that stand there by plain arithmetic. Rules only reject, and only what is certain:
a figure that stands nowhere, a unit, currency, rhythm or bound that differs from the one written beside the same figure,
the value of another column. Everything else is left to the judge.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Self

from veraz.text.dates import MONTHS, Date, dates
from veraz.text.languages import in_another_language
from veraz.text.measures import Measure, measures
from veraz.text.names import names
from veraz.text.plain import plain_words

_MOST_ADDED = 12
"""Figures that are combined by arithmetic; more of them would explain any value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a claim may take its facts from."""

    quotes: tuple[str, ...]
    places: tuple[str, ...]
    question: str = ""
    known: tuple[str, ...] = ()
    """Names that need no proof: the reader's, the agent's, the company's."""
    passages: tuple[str, ...] = ()
    """The whole passages the quotes stand in: a name may stand elsewhere in them."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything a fact may stand in, the quotes first."""
        return (*self.quotes, *self.places, self.question, *self.known)


def flaw_in(claim: str, ground: Ground) -> str | None:
    """What is certainly wrong with a claim, as «kind: words»; None when code finds nothing.

    Kinds: date, figure, unit, rate, day_kind, bound, column, name.
    """
    checks = (_unknown_date, _unknown_figure, _other_column, _unknown_name)
    return next((flaw for check in checks if (flaw := check(claim, ground))), None)


# --- dates ---------------------------------------------------------------------------------------------------------


def _unknown_date(claim: str, ground: Ground) -> str | None:
    known = [date for text in ground.texts for date in dates(text)]
    parts = _DateParts.of(ground.texts)
    for date in dates(claim):
        if not any(date.within(other) for other in known) and not parts.make(date):
            return f"date: {claim[date.start : date.end]}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _DateParts:
    """Days, months and years as they stand apart: «Semana Santa de 2026 … viernes 3 de abril … domingo 5»."""

    figures: frozenset[int]
    months: frozenset[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Everything in the texts that may be a part of a date."""
        figures = {int(m.value) for text in texts for m in measures(text) if m.value == int(m.value)}
        days = {int(part) for text in texts for part in _parts_of_dates(text)}
        months = {MONTHS[word] for text in texts for word in plain_words(text) if word in MONTHS}
        return cls(figures=frozenset(figures | days), months=frozenset(months))

    def make(self, date: Date) -> bool:
        """Whether the date can be put together from them; where a date stands whole, another day is another date."""
        wanted = [part for part in (date.day, date.year) if part is not None]
        return date.month in self.months and all(part in self.figures for part in wanted)


# --- figures -------------------------------------------------------------------------------------------------------


def _unknown_figure(claim: str, ground: Ground) -> str | None:
    quoted = [m for text in ground.quotes for m in measures(text)]
    stated = [m for text in ground.texts for m in measures(text)]
    days = [m for text in ground.texts for m in _parts_of_dates(text)]
    for own in _outside_dates(claim):
        alike = [m for m in stated if own.same_value(m)]
        if not alike:
            if own.certain and own.value not in days and not _follows(own, stated):
                return f"figure: {own.text}"
        elif flaw := _otherwise(own, [m for m in quoted if own.same_value(m)]):
            return flaw
    return None


def _outside_dates(text: str) -> Iterator[Measure]:
    spans = [(d.start, d.end) for d in dates(text)]
    return (m for m in measures(text) if not any(a < m.end and m.start < b for a, b in spans))


def _parts_of_dates(text: str) -> set[Decimal]:
    return {Decimal(part) for d in dates(text) for part in (d.day, d.month, d.year) if part}


def _otherwise(own: Measure, quoted: Sequence[Measure]) -> str | None:
    """The same value is quoted, but every time of something else."""
    for name in ("unit", "rate", "day_kind", "bound"):
        mine = getattr(own, name)
        theirs = [getattr(other, name) for other in quoted]
        if mine and theirs and all(theirs) and not any(_agrees(name, mine, one) for one in theirs):
            return f"{name}: {own.text} ({' / '.join(dict.fromkeys(theirs))})"
    return None


def _agrees(name: str, mine: str, other: str) -> bool:
    if mine == other:
        return True
    return name == "unit" and (
        "$" in (mine, other) and {mine, other} <= {"$", "peso", "dollar", "real", "sol"}
    )


def _follows(own: Measure, stated: Sequence[Measure]) -> bool:
    """A sum, difference, product or share of what is stated, or the same time in another unit."""
    if any(own.same_time(other) for other in stated):
        return True
    given = list(dict.fromkeys(m.value for m in stated))[:_MOST_ADDED]
    value = own.value
    for a, b in combinations(given, 2):
        if value in (a + b, abs(a - b), a * b) or _is_share(value, a, b):
            return True
    return any(value == sum(three) for three in combinations(given[:8], 3)) or value == len(stated)


def _is_share(value: Decimal, a: Decimal, b: Decimal) -> bool:
    low, high = sorted((abs(a), abs(b)))
    if not low:
        return False
    shares = (low / high * 100, (high - low) / high * 100, (high - low) / low * 100, high / low)
    near = Decimal("0.06") * max(Decimal(1), value / 10)
    return any(abs(share - value) < near for share in shares)


# --- columns -------------------------------------------------------------------------------------------------------

_BARE = re.compile(r"[\s$€£]*\d[\d.,:/\s$€£%–-]*(?:[^\W\d_]{1,6}\.?)?\s*")
_CELL = re.compile(r"(?:^|[;|\n])\s*(?P<label>[^:;|\n]{1,60}?)\s*:\s+(?P<value>[^;|\n]+)")


def _other_column(claim: str, ground: Ground) -> str | None:
    """A row says «Norte: 30; Sur: 40»: who speaks of the north, and says 40 instead of 30, took the wrong column."""
    spoken = frozenset(form for word in plain_words(claim) for form in _forms(word))
    own = list(_outside_dates(claim))
    for row in _rows(ground.quotes):
        for figure in own:
            held = [label for label, value in row if _is_figure(value) and _holds(value, figure)]
            if not held or any(_speaks_of(spoken, label) for label in held):
                continue
            for label, value in row:
                missed = not any(_holds(value, other) for other in own)
                if missed and _speaks_of(spoken, label) and _is_figure(value):
                    return f"column: {figure.text} ({held[0]})"
    return None


def _holds(value: str, figure: Measure) -> bool:
    return any(figure.same_value(m) for m in measures(value))


def _rows(quotes: Iterable[str]) -> Iterator[list[tuple[str, str]]]:
    for quote in quotes:
        for line in quote.split("\n"):
            cells = [(m["label"], m["value"]) for m in _CELL.finditer(line)]
            if len(cells) > 1:
                yield cells


def _speaks_of(spoken: frozenset[str], label: str) -> bool:
    words = [word for word in plain_words(re.sub(r"\(.*?\)", "", label)) if len(word) > 2]
    return bool(words) and all(word in spoken for word in words)


def _is_figure(value: str) -> bool:
    return _BARE.fullmatch(value) is not None


# --- names ---------------------------------------------------------------------------------------------------------


def _unknown_name(claim: str, ground: Ground) -> str | None:
    if any(_abroad(claim, quote) for quote in ground.quotes):
        return None  # «la oficina de Estadística» is the Statistics Office
    words = {word for text in (*ground.texts, *ground.passages) for word in _name_words(text)}
    for name in names(claim):
        if not name.leading and name.word not in MONTHS and not _stands(name.word, words):
            return f"name: {name.word}"
    return None


def _abroad(claim: str, quote: str) -> bool:
    return any(
        in_another_language(quote, code) and not in_another_language(claim, code)
        for code in ("es", "en", "pt")
    )


def _name_words(text: str) -> Iterator[str]:
    for word in plain_words(text):
        yield word
        yield from re.split(r"[-/._’'&+@]", word)


def _stands(name: str, words: set[str]) -> bool:
    """Word by word, in singular or plural, as its initials, or as a code however it is joined."""
    parts = [part for part in re.split(r"[-/._’'&+@]", name) if part]
    return name in words or all(any(form in words for form in _forms(part)) for part in parts)


def _forms(word: str) -> set[str]:
    return {word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s", f"{word}es"} - {""}
