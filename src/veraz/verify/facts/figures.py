"""Figures of a claim that stand nowhere and follow from nothing, or stand beside another unit, rhythm or bound."""

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from itertools import chain, combinations, permutations, product
from typing import Self

from veraz.text.content_words import content_words
from veraz.text.dates import dates, possible_dates
from veraz.text.languages import phrases, words
from veraz.text.measures import MONTHS_IN, Measure, measures, said_values, same_unit
from veraz.text.names import names
from veraz.text.numbers import odd_numerals
from veraz.text.plain import plain, plain_words
from veraz.text.sentences import sentences
from veraz.verify.facts.ground import REMEMBERED, Ground, cut

_MOST_ADDED = 12
"""Figures that are combined by arithmetic; more of them would explain any value."""
_MOST_TIMES, _MOST_PRICES = 4, 6
"""Counts and prices whose products are added up."""
_SHARES = {"%", "points"}
"""20 % less 5 points is 15 %."""
_SPANS = frozenset({"", "minute", "hour", "day", "week", "month", "year"})
"""What days and years of dates may add up to."""
_TIMES_A_YEAR = {"week": Decimal(52)} | {rate: Decimal(12) / size for rate, size in MONTHS_IN.items()}

_CODE_FIGURE = re.compile(r"(?<=[^\W\d_][-/._])\d{1,9}\b|(?<=[^\W\d_])\d{2,9}\b")
"""The 2500 of «GX-2500», which somebody may write apart."""
_LONG = re.compile(r"\d(?:[\s().-]{0,2}\d){6,}")
"""Telephones and accounts: their digits count, not how they are spaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """What a ground says in figures."""

    quoted: tuple[Measure, ...]
    stated: tuple[Measure, ...]
    """Everywhere, also in words («la mitad») and by another clock."""
    counted: tuple[Measure, ...]
    """Without days and years."""
    written: int
    odd: frozenset[str]
    loose: frozenset[Decimal]
    """Parts of dates and codes."""
    long: tuple[str, ...]
    values: frozenset[Decimal]
    """Of everything stated."""

    @classmethod
    @lru_cache(maxsize=REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Read once for all claims that stand on it."""
        texts = ground.texts
        said = [m for text in texts for m in said_values(text)]
        stated = [m for text in texts for m in measures(text)]
        apart = [m for text in texts for m in outside_dates(text) if m.unit or not 1900 <= m.value <= 2100]
        codes = {Decimal(part) for text in texts for part in _CODE_FIGURE.findall(text)}
        return cls(
            quoted=tuple(m for text in cut(ground.quotes) for m in measures(text)),
            stated=_distinct((*stated, *said)),
            counted=_distinct((*apart, *said)),
            written=len(stated),
            odd=frozenset(sign for text in texts for sign in odd_numerals(text)),
            loose=frozenset(chain(codes, *map(_parts_of_dates, texts))),
            long=tuple(_digits(run[0]) for text in texts for run in _LONG.finditer(text)),
            values=frozenset(value for m in (*stated, *said) for value in m.values),
        )


def _distinct(found: Iterable[Measure]) -> tuple[Measure, ...]:
    return tuple({(m.value, m.unit, m.rate, m.also): m for m in found}.values())


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def odd_figure(claim: str, ground: Ground) -> str | None:
    """«½», «⑳»: they must stand there alike, or as the same value; those of a unit («m²») count nothing."""
    known = _Figures.of(ground)
    for sign, value in sorted(odd_numerals(claim).items()):
        if sign not in known.odd and value not in known.values and sign not in phrases("units"):
            return f"figure: {sign}"
    return None


def unknown_figure(claim: str, ground: Ground) -> str | None:
    known = _Figures.of(ground)
    numbers = [run.span() for run in _LONG.finditer(claim) if _is_long(run[0], known)]
    for own in _outside(numbers, outside_dates(claim)):
        alike = not own.values.isdisjoint(known.values)
        if not alike and not own.certain:
            continue
        if alike:
            flaw = _otherwise(own, [m for m in known.quoted if own.same_value(m)], claim, ground)
        else:
            flaw = None if own.value in known.loose else f"figure: {own.text}"
        if flaw and not (flaw.startswith(("figure", "unit")) and _follows(own, claim, ground)):
            return flaw
    return None


def _is_long(run: str, known: _Figures) -> bool:
    return any(_digits(run) in other for other in known.long)


def outside_dates(text: str) -> Iterator[Measure]:
    return _outside([(d.start, d.end) for d in dates(text)], measures(text))


def _outside(spans: Sequence[tuple[int, int]], found: Iterable[Measure]) -> Iterator[Measure]:
    taken = {place for start, end in spans for place in range(start, end)}
    return (m for m in found if taken.isdisjoint(range(m.start, m.end)))


def _parts_of_dates(text: str) -> Iterator[Decimal]:
    return (Decimal(part) for d in possible_dates(text) for part in (d.day, d.year) if part)


def _otherwise(own: Measure, quoted: Sequence[Measure], claim: str, ground: Ground) -> str | None:
    """The same value is quoted, but every time of something else."""
    for name in ("unit", "rate", "day_kind", "bound"):
        mine = getattr(own, name)
        theirs = [getattr(other, name) for other in quoted]
        if not mine or not theirs or not all(theirs) or any(_agrees(name, mine, one) for one in theirs):
            continue
        if name != "bound" or _alike_but_for_bound(claim, own, ground):
            return f"{name}: {own.text} ({' / '.join(dict.fromkeys(theirs))})"
    return None


def _agrees(name: str, mine: str, other: str) -> bool:
    return same_unit(mine, other) if name == "unit" else mine == other


def _alike_but_for_bound(claim: str, own: Measure, ground: Ground) -> bool:
    """Only then is another bound wrong: «los de más de 5 MB se rechazan» is what «máximo 5 MB» means."""
    named = " ".join(name.word for name in names(claim))
    mine = _content(claim) - _content(" ".join((named, *ground.places)))
    lines = (line for quote in cut(ground.quotes) for line in quote.split("\n"))
    quoted = (text for line in lines for text in sentences(line))
    return any(
        mine <= theirs and not words("advance") & theirs and words("negation") & theirs <= mine
        for text in quoted
        if any(own.same_value(m) for m in measures(text)) and (theirs := _content(text))
    )


def _content(text: str) -> frozenset[str]:
    """What a sentence is about, but for bounds and figures; «no» belongs to it."""
    simple = _bounds().sub(" ", plain(text))
    said = frozenset(word for word in content_words(simple, "es") if not word[0].isdigit())
    return said | (words("negation") | words("advance")).intersection(plain_words(simple))


@cache
def _bounds() -> "re.Pattern[str]":
    listed = sorted(phrases("bounds").keys() - words("advance"), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, listed))})\b")


def _follows(own: Measure, claim: str, ground: Ground) -> bool:
    """The same in another unit or rhythm, or what plain arithmetic makes of what is stated."""
    known = _Figures.of(ground)
    if any(own.same_quantity(other) or _same_rate(own, other) for other in known.stated):
        return True
    if not own.unit and own.value == known.written:
        return True
    counts = [m.value for m in measures(claim) if not m.unit and m.value != own.value][:_MOST_TIMES]
    units = [own.unit] if own.unit else list(dict.fromkeys(["", *(m.unit for m in known.stated)]))
    return any(own.value in _yields(ground, tuple(counts), unit) for unit in units) or _shared(
        own, known.stated
    )


def _comparable(unit: str, other: str) -> bool:
    """The same unit, or one that is not written: «de 80 a 100 euros»."""
    return not other or unit == other or {unit, other} == _SHARES or _agrees("unit", unit, other)


def _same_rate(own: Measure, other: Measure) -> bool:
    """«25 € al mes» is «300 € al año»."""
    mine, theirs = _TIMES_A_YEAR.get(own.rate), _TIMES_A_YEAR.get(other.rate)
    if not mine or not theirs or not _comparable(own.unit, other.unit):
        return False
    return own.value * mine == other.value * theirs


@lru_cache(maxsize=REMEMBERED)
def _yields(ground: Ground, counts: tuple[Decimal, ...], unit: str) -> frozenset[Decimal]:
    """Every value of a unit that follows from a ground, with the counts a claim speaks of («2 adultos y 2 niños»)."""
    known = _Figures.of(ground)
    stated = known.stated if unit in _SPANS else known.counted
    amounts = [value for m in stated for value in _in_unit(m, unit)][:_MOST_ADDED]
    found = set(_sums(amounts))
    if unit != "%":
        prices = [m for m in stated if bool(m.unit) is bool(unit) and _in_unit(m, unit)][:_MOST_ADDED]
        priced = [value for m in prices for value in _in_unit(m, unit)]
        bare = [m.value for m in stated if not m.unit]
        found.update(_percentages(amounts, [m.value for m in stated if m.unit == "%"]))
        found.update(_multiples(prices, stated, unit))
        found.update(_totals(priced, counts))
        if unit and len(bare) == len(priced) < _MOST_TIMES:
            found.add(sum(map(operator.mul, bare, priced), Decimal(0)))
    return frozenset(found | {_cents(value, way) for value in found for way in (ROUND_DOWN, ROUND_HALF_UP)})


def _cents(value: Decimal, way: str) -> Decimal:
    return value.quantize(Decimal("0.01"), way) if abs(value) < 10**20 else value


def _in_unit(measure: Measure, unit: str) -> frozenset[Decimal]:
    return frozenset({measure.value}) if _comparable(unit, measure.unit) else measure.in_unit(unit)


def _sums(amounts: Sequence[Decimal]) -> Iterator[Decimal]:
    for a, b in combinations(amounts, 2):
        yield from (a + b, abs(a - b))
    yield from (sum(three, Decimal(0)) for three in combinations(amounts[:8], 3))


def _percentages(amounts: Sequence[Decimal], shares: Sequence[Decimal]) -> Iterator[Decimal]:
    """A share of a figure, a figure with a surcharge or a discount."""
    for amount, share in product(amounts, shares[:_MOST_TIMES]):
        part = amount * share / 100
        yield from (part, amount + part, amount - part)


def _multiples(prices: Sequence[Measure], stated: Sequence[Measure], unit: str) -> Iterator[Decimal]:
    """So many times a price, or so many parts of it; hours a day times days."""
    for price, count in product(prices, stated[: 2 * _MOST_ADDED]):
        if count is not price and (not count.unit or count.unit == price.rate):
            for value in _in_unit(price, unit):
                yield value * count.value
                if unit and count.value > 1:
                    yield value / count.value


def _totals(prices: Sequence[Decimal], counts: Sequence[Decimal]) -> Iterator[Decimal]:
    """So many of each: «2 adultos y 2 niños»; each count belongs to one price."""
    for size in range(1, min(len(counts), len(prices), _MOST_TIMES - 1) + 1):
        for times, chosen in product(combinations(counts, size), permutations(prices[:_MOST_PRICES], size)):
            yield sum((price * count for price, count in zip(chosen, times, strict=True)), Decimal(0))


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
