"""Figures with what stands around them and changes what they say: unit, rhythm, kind of day, bound.

«hasta 10 días hábiles», «38,000 pesos al mes», «2.5 puntos»: words come from the language tables, so that Spanish,
English and Portuguese compare with each other.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from veraz.text.languages import phrases
from veraz.text.numbers import Figure, figures
from veraz.text.plain import plain

_MINUTES: Mapping[str, int] = {"minute": 1, "hour": 60, "day": 1_440, "week": 10_080}
_MONTHS: Mapping[str, int] = {"month": 1, "bimester": 2, "quarter": 3, "semester": 6, "year": 12}
_SIGNS = {"€": "euro", "£": "pound", "%": "%", "$": "$"}
_AHEAD, _BEHIND = 40, 30
_FEW = 3
"""«los dos», «las tres»: so few things are counted without being told."""


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
    afternoon: bool = False
    certain: bool = True
    """Written in digits, with a unit, or as a word that is no article."""

    def same_value(self, other: "Measure") -> bool:
        """Whether both may be the same figure; «4 p. m.» is 16."""
        return bool(self.values & other.values)

    @property
    def values(self) -> frozenset[Decimal]:
        """The value, and the hour it is by the other clock."""
        noon = {self.value + 12} if self.afternoon and 1 <= self.value < 12 else set()
        return frozenset({self.value} | noon)

    def same_time(self, other: "Measure") -> bool:
        """Whether both are the same span of time in different units."""
        return any(
            self.unit in units
            and other.unit in units
            and self.value * units[self.unit] == other.value * units[other.unit]
            for units in (_MINUTES, _MONTHS)
        )


@lru_cache(maxsize=8192)
def measures(text: str) -> tuple[Measure, ...]:
    """Every figure of a text with what qualifies it."""
    return tuple(_measure(text, figure) for figure in figures(text) if not _inside_code(text, figure))


def _measure(text: str, figure: Figure) -> Measure:
    after = plain(text[figure.end : figure.end + _AHEAD].split("\n")[0])
    before = plain(text[max(0, figure.start - _BEHIND) : figure.start].replace("\n", " . "))
    if figure.ordinal:
        after = ""
    written = _SIGNS.get(figure.unit, "")
    unit, rest = ("", after) if written else _leading("units", after)
    kind, rest = _leading("day_kinds", rest)
    rate, _ = _leading("rates", rest)
    return Measure(
        value=figure.value,
        text=" ".join(text[figure.start : figure.end + _AHEAD].split()[:3]),
        start=figure.start,
        end=figure.end,
        unit=written or unit or _before_sign(before),
        rate=rate,
        day_kind=kind,
        bound=_bound(before),
        afternoon=bool(_leading("clock", rest if unit else after)[0]),
        certain=figure.explicit
        and (figure.value > _FEW or bool(written or unit) or text[figure.start].isdigit()),
    )


def _inside_code(text: str, figure: Figure) -> bool:
    """The 12 of «A-12/2024» and the 2500 of «GX-2500i» belong to the code, which is a name."""
    before, after = text[: figure.start], text[figure.end :]
    return bool(re.search(r"[^\W\d_][-/._]?\Z", before)) or bool(
        re.match(r"[-/_.][^\W\d_]|[^\W\d_]{1,2}\b(?<!h)(?<!m)", after)
        and text[figure.end - 1].isdigit()
        and re.search(r"[-/]\Z", before)
    )


def _leading(section: str, text: str) -> tuple[str, str]:
    """The key of the phrase a text begins with, and what follows it."""
    found = _matcher(section, end=False).match(text)
    return (phrases(section)[found[1]], text[found.end() :]) if found else ("", text)


def _bound(before: str) -> str:
    found = _matcher("bounds", end=True).search(before)
    return phrases("bounds")[found[1]] if found else ""


def _before_sign(before: str) -> str:
    """«US$ 200», «MXN 200», «S/ 20»."""
    word = before.rsplit(None, 1)[-1] if before.strip() else ""
    return {
        "us$": "dollar",
        "usd": "dollar",
        "mxn": "peso",
        "cop": "peso",
        "eur": "euro",
        "r$": "real",
        "s/": "sol",
    }.get(word, "")


@cache
def _matcher(section: str, *, end: bool) -> "re.Pattern[str]":
    listed = "|".join(re.escape(p) for p in sorted(phrases(section), key=len, reverse=True))
    if end:
        return re.compile(
            rf"\b({listed})(?: (?:el|la|los|las|the|a|un|una|unos|unas|de|of|o|as))?\s?[€$£(]?$"
        )
    return re.compile(rf"^[\s.,/(-]{{0,2}}(?:de |of )?({listed})(?![^\W_])")
