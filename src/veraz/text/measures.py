"""Figures with what stands around them and changes what they say: unit, rhythm, kind of day, bound.

«hasta 10 días hábiles», «38,000 pesos al mes», «2.5 puntos»: words come from the language tables, so that Spanish,
English and Portuguese compare with each other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from itertools import pairwise, zip_longest

from veraz.text.languages import phrases, values, words
from veraz.text.numbers import Figure, figures, odd_numerals
from veraz.text.plain import flat, plain, plain_words

MONTHS_IN: Mapping[str, int] = {"month": 1, "bimester": 2, "quarter": 3, "semester": 6, "year": 12}
_SCALES: tuple[Mapping[str, Decimal], ...] = (
    {name: Decimal(size) for name, size in MONTHS_IN.items()},
    {"second": Decimal(1) / 60, "minute": Decimal(1), "hour": Decimal(60), "day": Decimal(1_440), "week": Decimal(10_080)},
    {"milligram": Decimal("0.001"), "gram": Decimal(1), "kilogram": Decimal(1_000), "ton": Decimal(1_000_000)},
    {"millimetre": Decimal(1), "centimetre": Decimal(10), "metre": Decimal(1_000), "kilometre": Decimal(1_000_000)},
    {"millilitre": Decimal(1), "litre": Decimal(1_000)},
    *({"cent": Decimal(1), money: Decimal(100)} for money in ("$", "dollar", "euro", "peso", "pound", "real", "sol")),
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
_DOLLARS = frozenset({"$", "peso", "dollar", "real", "sol"})
"""What «$» may stand for."""
MONEY = _DOLLARS | {"euro", "pound", "guarani", "quetzal", "boliviano"}
_SPANS = {"half_hour": Decimal("0.5"), "hour_and_half": Decimal("1.5")}
_TAILS = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "less_quarter": Decimal("-0.25")}
_AHEAD, _CLAUSE = 40, 60
_FEW = 3
"""«los dos», «las tres»: so few things are counted without being told."""
_CLOCK = re.compile(r"(\d{1,2})\s?[.:h]\s?([0-5]\d)(?!\d)")
_RANGE = re.compile(r"\s*(?:a|to|y|and|e|até|-|–|—)\s*(?:las?\s+|as\s+|às\s+)?", re.IGNORECASE)
_RATIO = re.compile(r"(?<![\w/.,])(\d{1,3})/(\d{1,3})(?![\w/]|[.,]\d)")
_ROMAN = re.compile(r"\b(?:X{1,3}(?:IX|IV|V?I{0,3})|IX|IV|VI{0,3}|I{1,3})\b")
_LINKS = frozenset({"", "y", "con", "and", "e", "com", "with", ","})
"""Between the parts of one quantity: «1 h 30 min», «4 euros con 50 céntimos»."""
_CODE_BEFORE = re.compile(r"[^\W\d_][-/._]?\Z")
_CODE_BEHIND = re.compile(r"[-/_.][^\W\d_]|[^\W\d_]{1,2}\b(?<!h)(?<!m)")
_GROUPS = values("numbers", "groups")
_PER = re.compile(r"^\s?/\s?")
_DIGITS = re.compile(r"[-−€$£\s]*\d")
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
        return self.value in other.in_unit(self.unit)

    def in_unit(self, unit: str) -> frozenset[Decimal]:
        """Its value in another unit of the same kind; none where it has none."""
        scales = [sizes for sizes in _SCALES if self.unit in sizes and unit in sizes]
        return frozenset(self.value * sizes[self.unit] / sizes[unit] for sizes in scales)


def same_unit(unit: str, other: str) -> bool:
    """Whether both may be written for the same: «$» may be pesos."""
    return unit == other or ("$" in (unit, other) and {unit, other} <= _DOLLARS)


@lru_cache(maxsize=8192)
def measures(text: str) -> tuple[Measure, ...]:
    """Every figure of a text with what qualifies it."""
    ratios = {
        place: share
        for m in _RATIO.finditer(text)
        for place in range(*m.span())
        if (share := _share(m[1], m[2]))
    }
    said = {place for m in _fractions().finditer(flat(text).lower()) for place in range(*m.span())}
    found = [
        _measure(text, figure, ratios.get(figure.start, frozenset()))
        for figure in figures(text)
        if not _inside_code(text, figure) and not (figure.ordinal and figure.start in said)
    ]
    return (*_compounds(text, _ranges(text, found)), *_spans(text))


@lru_cache(maxsize=8192)
def said_values(text: str) -> tuple[Measure, ...]:
    """What a text says without a figure, or may say by another clock: «la mitad», «½», «siglo XIX», «16:00» as four."""
    found = [(_roman(m[0]), "") for m in _ROMAN.finditer(text)]
    found += [(value, "") for value in odd_numerals(text).values() if value is not None]
    found += [
        (m.value - 12, "") for m in measures(text) if 13 <= m.value < 24 and _CLOCK.match(text, m.start)
    ]
    for name in sorted({phrases("fractions")[m[1]] for m in _fractions().finditer(flat(text).lower())}):
        part, of = name.split("/")
        found += [(value, "%" if of != "1" and value > 1 else "") for value in sorted(_share(part, of))]
    return tuple(
        Measure(value=value, unit=unit, text=text[:_AHEAD], start=0, end=0, certain=False)
        for value, unit in found
    )


def _share(part: str, of: str) -> frozenset[Decimal]:
    """«2/3» as 0.67, 66, 66.7 …; two of one are two."""
    if int(of) == 0 or int(part) >= int(of) != 1:
        return frozenset()
    exact = Decimal(part) / Decimal(of)
    if of == "1":
        return frozenset({exact})
    rounded = {
        (exact * 100).quantize(Decimal(1).scaleb(-n), way)
        for n in (0, 1, 2)
        for way in (ROUND_DOWN, ROUND_HALF_UP)
    }
    return frozenset({value.normalize() + 0 for value in rounded} | {exact})


def _roman(numeral: str) -> Decimal:
    sizes = [{"I": 1, "V": 5, "X": 10}[sign] for sign in numeral]
    return Decimal(
        sum(-one if one < after else one for one, after in zip(sizes, [*sizes[1:], 0], strict=True))
    )


def _measure(text: str, figure: Figure, ratio: frozenset[Decimal]) -> Measure:
    after = "" if figure.ordinal else plain(text[figure.end : figure.end + _AHEAD].split("\n")[0])
    before = plain(text[max(0, figure.start - _CLAUSE) : figure.start].replace("\n", " . "))
    written = _written(text, figure)
    tail, after = _leading("tails", after)
    unit, rest = ("", after) if written else _leading("units", after)
    tail, rest = (tail, rest) if tail else _leading("tails", rest)
    kind, rest = _leading("day_kinds", rest)
    unit = written or unit or _CODES.get(before.rsplit(None, 1)[-1] if before.strip() else "", "")
    value = figure.value + _TAILS.get(tail, Decimal(0)) * _group(text, figure)
    return Measure(
        value=value,
        text=" ".join(text[figure.start : figure.end + _AHEAD].split()[:3]),
        start=figure.start,
        end=figure.end,
        unit=unit,
        rate=_rate(rest),
        day_kind=kind,
        bound=_bound(before),
        also=_by_other_clock(text, figure.start, value, after) | ratio,
        certain=_certain(text, figure, unit),
    )


def _group(text: str, figure: Figure) -> int:
    """What half of is meant in «un millón y medio»."""
    return _GROUPS.get(plain(text[max(figure.start, figure.end - 12) : figure.end]).rpartition(" ")[2], 1)


def _ranges(text: str, found: Sequence[Measure]) -> Iterator[Measure]:
    """The afternoon of «from 4 to 8 pm» is that of both."""
    for one, following in zip_longest(found, found[1:]):
        late = following is not None and one.value < 12 and following.value + 12 in following.also
        if late and _RANGE.fullmatch(text, one.end, following.start):
            yield replace(one, also=one.also | {one.value + 12})
        else:
            yield one


def _compounds(text: str, found: Iterable[Measure]) -> Iterator[Measure]:
    """«1 h 30 min» is one quantity; its parts are not held against anything."""
    parts = list(found)
    whole = [_compound(text, one, other) for one, other in pairwise(parts)]
    for index, part in enumerate(parts):
        joined = any(whole[max(0, index - 1) : index + 1])
        yield replace(part, certain=False) if joined else part
    yield from (one for one in whole if one)


def _compound(text: str, one: Measure, other: Measure) -> Measure | None:
    if not one.unit or not one.certain or other.start - one.end > _AHEAD:
        return None
    smaller = [value for value in one.in_unit(other.unit) if value > one.value]
    between = plain(text[one.end : other.start])
    if not smaller or (_leading("units", between)[1] if between not in _LINKS else "").strip() not in _LINKS:
        return None
    return replace(
        other,
        value=smaller[0] + other.value,
        start=one.start,
        text=text[one.start : other.end],
        bound=one.bound,
    )


def _written(text: str, figure: Figure) -> str:
    """The unit that belongs to the figure itself; «$» may be pesos, the word «dólares» may not."""
    if figure.unit == "$" and re.search(r"[a-z]{3}", plain(text[figure.start : figure.end])):
        return "dollar"
    return _SIGNS.get(figure.unit, "")


def _certain(text: str, figure: Figure, unit: str) -> bool:
    if not figure.explicit:
        return bool(unit) and figure.value > 1
    return abs(figure.value) > _FEW or bool(unit) or bool(_DIGITS.match(text, figure.start))


def _rate(rest: str) -> str:
    if per := _PER.match(rest):
        unit, _ = _leading("units", rest[per.end() :])
        return unit
    return _leading("rates", rest)[0]


def _by_other_clock(text: str, start: int, value: Decimal, after: str) -> frozenset[Decimal]:
    found: set[Decimal] = set()
    half = _leading("clock", " ".join(after.replace(".", " ").split()))[0]
    if half == "afternoon" and 1 <= value < 12:
        found.add(value + 12)
    if half == "morning" and 12 <= value < 13:
        found.add(value - 12)
    clock = _CLOCK.match(text, start)
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
    start = figure.start
    if _CODE_BEFORE.search(text, max(0, start - 2), start):
        return True
    joined = _CODE_BEHIND.match(text, figure.end)
    return bool(joined and text[figure.end - 1].isdigit() and text[start - 1 : start] in ("-", "/"))


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
def _fractions() -> "re.Pattern[str]":
    listed = sorted(phrases("fractions"), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, listed))})\b")


@cache
def _matcher(section: str, *, end: bool) -> "re.Pattern[str]":
    listed = "|".join(re.escape(p) for p in sorted(phrases(section), key=len, reverse=True))
    if end:
        return re.compile(
            rf"\b({listed})(?: (?:el|la|los|las|the|a|un|una|unos|unas|de|of|o|as))?(?: ?\([^()]{{0,12}}\))?(?: ?:)?\s?[€$£(]?$"
        )
    return re.compile(rf"^[\s.,(-]{{0,2}}(?:de |of )?({listed})(?![^\W_])")
