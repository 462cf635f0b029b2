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
from functools import cache
from itertools import combinations, pairwise
from typing import Self

from veraz.text.dates import MONTHS, Date, dates
from veraz.text.injection import visible
from veraz.text.languages import language_of, phrases, words
from veraz.text.measures import MONTHS_IN, Measure, measures
from veraz.text.names import Name, names
from veraz.text.numbers import odd_numerals
from veraz.text.plain import flat, plain_words

_MOST_ADDED = 12
"""Figures that are combined by arithmetic; more of them would explain any value."""
_DOLLARS = frozenset({"$", "peso", "dollar", "real", "sol"})
"""What «$» may stand for."""
_SHARES = {"%", "points"}
"""20 % less 5 points is 15 %."""


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
    claim = visible(claim)
    checks = (_unknown_date, _odd_figure, _unknown_figure, _other_column, _unknown_name)
    return next((flaw for check in checks if (flaw := check(claim, ground))), None)


# --- dates ---------------------------------------------------------------------------------------------------------


def _unknown_date(claim: str, ground: Ground) -> str | None:
    known = [date for text in ground.texts for date in dates(text)]
    parts = _DateParts.of(ground.texts, ground.passages)
    for date in dates(claim):
        if not any(date.within(other) for other in known) and not parts.make(date):
            return f"date: {claim[date.start : date.end]}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _DateParts:
    """Days, months and years as they stand apart: «Semana Santa de 2026 … viernes 3 de abril … domingo 5»."""

    days: frozenset[int]
    without_month: frozenset[int]
    """Days that are told by their weekday alone."""
    months: frozenset[int]
    years: frozenset[int]
    months_around: frozenset[int]
    """Months elsewhere in the quoted passages: one of them is what «domingo 5» means."""

    @classmethod
    def of(cls, texts: Sequence[str], passages: Sequence[str]) -> Self:
        """Everything in the texts that is a part of a date."""
        whole = [date for text in texts for date in dates(text)]
        plainly = [flat(text).lower() for text in texts]
        weekdays = {int(day) for text in plainly for day in _weekdays().findall(text)}
        ranges = {
            int(day) for text in plainly for days in _ranges().findall(text) for day in _DAY.findall(days)
        }
        figures = {int(m.value) for text in texts for m in measures(text) if 1900 <= m.value <= 2100}
        return cls(
            days=frozenset(weekdays | ranges | {date.day for date in whole if date.day}),
            without_month=frozenset(weekdays),
            months=_months(texts),
            years=frozenset(figures | {date.year for date in whole if date.year}),
            months_around=_months(passages),
        )

    def make(self, date: Date) -> bool:
        """Whether the date can be put together from them."""
        day = date.day is None or date.day in self.days
        month = date.month in self.months or (
            date.day in self.without_month and date.month in self.months_around
        )
        return day and month and (date.year is None or date.year in self.years)


def _months(texts: Sequence[str]) -> frozenset[int]:
    return frozenset(MONTHS[word] for text in texts for word in plain_words(text) if word in MONTHS)


_DAY = re.compile(r"\d{1,2}")


@cache
def _ranges() -> "re.Pattern[str]":
    """«del 15 al 20 de marzo», «los días 15 y 16 de marzo»."""
    joint = r"\s*(?:,|al?|y|e|o|to|and|-|–)\s*"
    return re.compile(rf"\b((?:\d{{1,2}}{joint})+\d{{1,2}})\s+(?:de\s+)?(?:{'|'.join(sorted(MONTHS))})\b")


@cache
def _weekdays() -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(sorted(words('weekdays')))})\s+(\d{{1,2}})\b")


# --- figures -------------------------------------------------------------------------------------------------------


def _odd_figure(claim: str, ground: Ground) -> str | None:
    """«½», «⑳»: nobody counts with them, so they must stand there alike."""
    known = {sign for text in ground.texts for sign in odd_numerals(text)}
    return next((f"figure: {sign}" for sign in sorted(odd_numerals(claim)) if sign not in known), None)


def _unknown_figure(claim: str, ground: Ground) -> str | None:
    quoted = [m for text in ground.quotes for m in measures(text)]
    stated = [m for text in ground.texts for m in measures(text)]
    days = {part for text in ground.texts for part in _parts_of_dates(text)}
    days |= {Decimal(part) for text in ground.texts for part in _CODE_FIGURE.findall(text)}
    for own in _outside_dates(claim):
        alike = [m for m in stated if own.same_value(m)]
        if not alike:
            if own.certain and own.value not in days and not _follows(own, stated):
                return f"figure: {own.text}"
        elif flaw := _otherwise(own, [m for m in quoted if own.same_value(m)]):
            return flaw
    return None


_CODE_FIGURE = re.compile(r"(?<=[^\W\d_][-/._])\d{1,9}\b|(?<=[^\W\d_])\d{2,9}\b")
"""The 2500 of «GX-2500», which somebody may write apart."""


def _outside_dates(text: str) -> Iterator[Measure]:
    spans = [(d.start, d.end) for d in dates(text)]
    return (m for m in measures(text) if not any(a < m.end and m.start < b for a, b in spans))


def _parts_of_dates(text: str) -> Iterator[Decimal]:
    return (Decimal(part) for d in dates(text) for part in (d.day, d.year) if part)


def _otherwise(own: Measure, quoted: Sequence[Measure]) -> str | None:
    """The same value is quoted, but every time of something else."""
    for name in ("unit", "rate", "day_kind", "bound"):
        mine = getattr(own, name)
        theirs = [getattr(other, name) for other in quoted]
        if mine and theirs and all(theirs) and not any(_agrees(name, mine, one) for one in theirs):
            return f"{name}: {own.text} ({' / '.join(dict.fromkeys(theirs))})"
    return None


def _agrees(name: str, mine: str, other: str) -> bool:
    return mine == other or (name == "unit" and "$" in (mine, other) and {mine, other} <= _DOLLARS)


def _follows(own: Measure, stated: Sequence[Measure]) -> bool:
    """The same in another unit or rhythm, or a sum, difference, product or share of what is stated in one unit."""
    if any(own.same_quantity(other) or _same_rate(own, other) for other in stated):
        return True
    if not own.unit and own.value == len(stated):
        return True
    alike = [m for m in stated if _comparable(own, m)][:_MOST_ADDED]
    return _added(own.value, [m.value for m in alike]) or _multiplied(own, stated) or _shared(own, stated)


def _comparable(own: Measure, other: Measure) -> bool:
    """The same unit, or one that is not written: «de 80 a 100 euros»."""
    if not other.unit or own.unit == other.unit:
        return True
    return {own.unit, other.unit} == _SHARES or _agrees("unit", own.unit, other.unit)


def _same_rate(own: Measure, other: Measure) -> bool:
    """«25 € al mes» is «300 € al año»."""
    if not _comparable(own, other) or own.rate not in MONTHS_IN or other.rate not in MONTHS_IN:
        return False
    return own.value * MONTHS_IN[other.rate] == other.value * MONTHS_IN[own.rate]


def _added(value: Decimal, given: Sequence[Decimal]) -> bool:
    pairs = any(value in (a + b, abs(a - b)) for a, b in combinations(given, 2))
    return pairs or any(value == sum(three) for three in combinations(given[:8], 3))


def _multiplied(own: Measure, stated: Sequence[Measure]) -> bool:
    """So many times a price: one factor has the unit, the other none."""
    prices = [m for m in stated if m.unit and _comparable(own, m)]
    times = [m for m in stated if not m.unit or m.unit in MONTHS_IN]
    return bool(own.unit) and any(
        own.value == price.value * count.value
        for price in prices
        for count in times
        if not count.unit or count.unit == price.rate
    )


def _shared(own: Measure, stated: Sequence[Measure]) -> bool:
    """A percentage of two figures of the same unit."""
    if own.unit != "%":
        return False
    pairs = combinations(stated[:_MOST_ADDED], 2)
    return any(_is_share(own.value, a.value, b.value) for a, b in pairs if _one_unit(a, b))


def _one_unit(a: Measure, b: Measure) -> bool:
    return "%" not in (a.unit, b.unit) and (a.unit == b.unit or "" in (a.unit, b.unit))


def _is_share(value: Decimal, a: Decimal, b: Decimal) -> bool:
    low, high = sorted((abs(a), abs(b)))
    if not low:
        return False
    shares = (low / high * 100, (high - low) / high * 100, (high - low) / low * 100)
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
    words_ = [word for word in plain_words(re.sub(r"\(.*?\)", "", label)) if len(word) > 2]
    return bool(words_) and all(word in spoken for word in words_)


def _is_figure(value: str) -> bool:
    return _BARE.fullmatch(value) is not None


# --- names ---------------------------------------------------------------------------------------------------------

_COMMON = frozenset({"pm", "am", "us", "kb", "mb", "gb", "tb"})
_JOINT = re.compile(r"[-/._’'&+@]")
_NUMBERED = re.compile(
    r"\d+(?:[.,:]\d+)?(?:º|ª|o|a|st|nd|rd|th|pm|am|h|m|kg|g|mg|km|cm|mm|l|ml|mb|gb|kb|w|v|kw)?"
)
_CAPITALS = re.compile(r"\b([A-ZÁÉÍÓÚÑ])[^\W\d_]+")


def _unknown_name(claim: str, ground: Ground) -> str | None:
    abroad = any(_abroad(claim, quote) for quote in ground.quotes)
    texts = (*ground.texts, *ground.passages)
    known = frozenset(form for text in texts for form in _name_words(text))
    for name in names(claim):
        if name.leading or _is_common(name.word) or (abroad and _may_be_translated(claim, name)):
            continue
        if not _stands(name.word, known, texts):
            return f"name: {name.word}"
    return None


def _may_be_translated(claim: str, name: Name) -> bool:
    """«la oficina de Estadística» is the Statistics Office, IVA is VAT; codes stay what they are."""
    return not any(sign.isdigit() for sign in claim[name.start : name.start + len(name.word)])


def _abroad(claim: str, quote: str) -> bool:
    """Whether both are clearly in different languages; names are translated."""
    own, theirs = language_of(claim), language_of(quote)
    return own is not None and theirs is not None and own != theirs


def _is_common(word: str) -> bool:
    """What is written with a capital or a digit and names nothing: months, days, units, titles, «4pm»."""
    listed = MONTHS.keys() | words("weekdays") | words("titles") | phrases("units").keys() | _COMMON
    return word in listed or _NUMBERED.fullmatch(word) is not None


def _name_words(text: str) -> Iterator[str]:
    """Words, their parts, and codes however they are joined: GX-2500, GX2500, GX 2500."""
    found = plain_words(text)
    for word in found:
        yield word
        yield from _JOINT.split(word)
        yield _JOINT.sub("", word)
    for one, other in pairwise(found):
        if other[0].isdigit():
            yield one + other


def _stands(name: str, known: frozenset[str], texts: Sequence[str]) -> bool:
    """Word by word, in singular or plural, as initials, or as a code however it is joined."""
    if name in known or _JOINT.sub("", name) in known:
        return True
    parts = [part for part in _JOINT.split(name) if part not in ("", "s")]
    if all(any(form in known for form in _forms(part)) for part in parts):
        return True
    return 2 < len(name) <= 6 and any(name in _initials(text) for text in texts)


def _initials(text: str) -> str:
    """The first letters of words with capitals, in order."""
    return flat("".join(_CAPITALS.findall(text))).lower()


def _forms(word: str) -> set[str]:
    return {word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s", f"{word}es"} - {""}
