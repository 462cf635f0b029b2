"""Figures with what stands around them and changes what they say: unit, rhythm, kind of day, bound.

«hasta 10 días hábiles», «38,000 pesos al mes», «2.5 puntos»: words come from the language tables, so that Spanish,
English and Portuguese compare with each other.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from veraz.text.languages import phrases, words
from veraz.text.numbers import Figure, figures
from veraz.text.plain import flat, plain, plain_words

MONTHS_IN: Mapping[str, int] = {"month": 1, "bimester": 2, "quarter": 3, "semester": 6, "year": 12}
_SCALES: tuple[Mapping[str, Decimal], ...] = (
    {name: Decimal(size) for name, size in MONTHS_IN.items()},
    {"second": Decimal(1) / 60, "minute": Decimal(1), "hour": Decimal(60), "day": Decimal(1_440), "week": Decimal(10_080)},
    {"milligram": Decimal("0.001"), "gram": Decimal(1), "kilogram": Decimal(1_000), "ton": Decimal(1_000_000)},
    {"millimetre": Decimal(1), "centimetre": Decimal(10), "metre": Decimal(1_000), "kilometre": Decimal(1_000_000)},
    {"millilitre": Decimal(1), "litre": Decimal(1_000)},
)  # fmt: skip
"""Units of one kind, by size."""
_SIGNS = {"€": "euro", "£": "pound", "%": "%", "$": "$"}
_CODES = {
    "us$": "dollar",
    "usd": "dollar",
    "mxn": "peso",
    "cop": "peso",
    "eur": "euro",
    "r$": "real",
    "s/": "sol",
}
_SPANS = {"half_hour": Decimal("0.5"), "hour_and_half": Decimal("1.5")}
_AHEAD, _BEHIND, _CLAUSE = 40, 30, 60
_FEW = 3
"""«los dos», «las tres»: so few things are counted without being told."""
_CLOCK = re.compile(r"(\d{1,2})\s?[.:h]\s?([0-5]\d)(?!\d)")
_PER = re.compile(r"^\s?/\s?")
_BREAK = re.compile(r"[.;:\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A value as it stands in a text, with everything that qualifies it; empty where nothing does."""

    value: Decimal
    text: str
    start: int
    end: int
    unit: str = ""
    rate: str = ""
    day_kind: str = ""
    bound: str = ""
    also: frozenset[Decimal] = frozenset()
    """The same by another clock: «4 p. m.» is 16, «9.30» may be half past nine."""
    certain: bool = True
    """Written in digits or as a word that can be nothing else; an article («un mes») is not, nor are two or three of no unit."""

    @property
    def values(self) -> frozenset[Decimal]:
        """The value, and what it is by another clock."""
        return self.also | {self.value}

    def same_value(self, other: "Measure") -> bool:
        """Whether both may be the same figure."""
        return not self.values.isdisjoint(other.values)

    def same_quantity(self, other: "Measure") -> bool:
        """Whether both are the same in different units: «24 meses», «2 años»."""
        return any(
            self.unit in sizes and other.unit in sizes and self.value * sizes[self.unit] == other.value * sizes[other.unit]
            for sizes in _SCALES
        )  # fmt: skip


@lru_cache(maxsize=8192)
def measures(text: str) -> tuple[Measure, ...]:
    """Every figure of a text with what qualifies it."""
    found = [_measure(text, figure) for figure in figures(text) if not _inside_code(text, figure)]
    return (*found, *_spans(text))


def _measure(text: str, figure: Figure) -> Measure:
    after = "" if figure.ordinal else plain(text[figure.end : figure.end + _AHEAD].split("\n")[0])
    before = plain(text[max(0, figure.start - _CLAUSE) : figure.start].replace("\n", " . "))
    written = _written(text, figure)
    unit, rest = ("", after) if written else _leading("units", after)
    kind, rest = _leading("day_kinds", rest)
    unit = written or unit or _CODES.get(before.rsplit(None, 1)[-1] if before.strip() else "", "")
    return Measure(
        value=figure.value,
        text=" ".join(text[figure.start : figure.end + _AHEAD].split()[:3]),
        start=figure.start,
        end=figure.end,
        unit=unit,
        rate=_rate(rest),
        day_kind=kind,
        bound=_bound(before),
        also=_by_other_clock(text, figure, after),
        certain=_certain(text, figure, unit),
    )


def _written(text: str, figure: Figure) -> str:
    """The unit that belongs to the figure itself; «$» may be pesos, the word «dólares» may not."""
    if figure.unit == "$" and re.search(r"[a-z]{3}", plain(text[figure.start : figure.end])):
        return "dollar"
    return _SIGNS.get(figure.unit, "")


def _certain(text: str, figure: Figure, unit: str) -> bool:
    if not figure.explicit:
        return bool(unit) and figure.value > 1
    return figure.value > _FEW or bool(unit) or text[figure.start].isdigit()


def _rate(rest: str) -> str:
    if per := _PER.match(rest):
        unit, _ = _leading("units", rest[per.end() :])
        return unit
    return _leading("rates", rest)[0]


def _by_other_clock(text: str, figure: Figure, after: str) -> frozenset[Decimal]:
    found: set[Decimal] = set()
    if 1 <= figure.value < 12 and _leading("clock", " ".join(after.replace(".", " ").split()))[0]:
        found.add(figure.value + 12)
    clock = _CLOCK.match(text, figure.start)
    if clock and int(clock[1]) < 24:
        found.add(int(clock[1]) + Decimal(int(clock[2])) / 60)
    return frozenset(found)


def _spans(text: str) -> Iterator[Measure]:
    """«media hora», «hora y media»."""
    lowered = flat(text).lower()
    for phrase, name in phrases("spans").items():
        for match in re.finditer(rf"\b{phrase}\b", lowered):
            start, end = match.span()
            yield Measure(
                value=_SPANS[name], text=text[start:end], start=start, end=end, unit="hour", certain=False
            )


def _inside_code(text: str, figure: Figure) -> bool:
    """The 12 of «A-12/2024» and the 2500 of «GX-2500i» belong to the code, which is a name."""
    before, after = text[: figure.start], text[figure.end :]
    if re.search(r"[^\W\d_][-/._]?\Z", before):
        return True
    joined = re.match(r"[-/_.][^\W\d_]|[^\W\d_]{1,2}\b(?<!h)(?<!m)", after)
    return bool(joined and text[figure.end - 1].isdigit() and re.search(r"[-/]\Z", before))


def _leading(section: str, text: str) -> tuple[str, str]:
    """The key of the phrase a text begins with, and what follows it."""
    found = _matcher(section, end=False).match(text)
    return (phrases(section)[found[1]], text[found.end() :]) if found else ("", text)


def _bound(before: str) -> str:
    """At most, at least; a bound that is denied («no caben más de 80») is left to whoever reads."""
    found = _matcher("bounds", end=True).search(before)
    if not found or not words("negation").isdisjoint(plain_words(_BREAK.split(before[: found.start()])[-1])):
        return ""
    return phrases("bounds")[found[1]]


@cache
def _matcher(section: str, *, end: bool) -> "re.Pattern[str]":
    listed = "|".join(re.escape(p) for p in sorted(phrases(section), key=len, reverse=True))
    if end:
        return re.compile(
            rf"\b({listed})(?: (?:el|la|los|las|the|a|un|una|unos|unas|de|of|o|as))?\s?[€$£(]?$"
        )
    return re.compile(rf"^[\s.,(-]{{0,2}}(?:de |of )?({listed})(?![^\W_])")
