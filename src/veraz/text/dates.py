"""Dates as days, months and years, however they are written."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from veraz.text.languages import CODES, table, words
from veraz.text.plain import flat, plain, spelt_out

MONTHS = {
    word: number
    for code in CODES
    for number, names in enumerate(table(code)["months"]["names"], 1)
    for word in names.split()
}
_SHORT = words("months", "short")
"""Also other words («20 out of 100», «5 set meals», «5 may be refused»)."""
_CAPITAL = frozenset(table("en")["months"]["short"].split())
_FIRST = "|".join(sorted(words("months", "first")))
_LONG_MONTHS = "|".join(sorted((w for w in MONTHS if len(w) > 2), key=len, reverse=True))
_DOT = r"(?P<dot>\.(?!\s*$))?\.?"
"""Of an abbreviation, not the end of a sentence."""
_YEAR = r"(?P<y>\d{4})"
_DAY = rf"(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|ro|ero|er|\.?[ºo])?|(?P<first>{_FIRST}))"
_DIGIT, _JOINED = re.compile(r"\d"), re.compile(r"\d[-/.]\d")
_FIRST_OF = re.compile(rf"\b(?:{_FIRST})\b", re.IGNORECASE)
_IN_DIGITS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?!\d)",
        r"\b(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4}|\d{2})(?![\d/.-]\d)",
    )
)
_WITH_MONTH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DAY}(?P<joint>[-/])(?P<month>{_LONG_MONTHS})\b\.?(?:[-/]{_YEAR}\b)?",
        rf"\b{_DAY}\s+(?P<joint>(?:de|of)\s+)?(?P<month>{_LONG_MONTHS})\b{_DOT}(?:\s*,?\s*(?:del?\s+)?(?:año\s+)?{_YEAR}\b)?",
        rf"\b(?P<month>{_LONG_MONTHS})\b\.?\s+{_DAY}\b(?!\s*(?:de|,?\s*[a-z]))(?:\s*,?\s*{_YEAR}\b)?",
        rf"\b(?P<month>{_LONG_MONTHS})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s*,\s*{_YEAR}\b",
        rf"\b(?P<month>{_LONG_MONTHS})\b\.?\s*,?\s*(?:de\s+|del\s+|of\s+)?(?:año\s+)?{_YEAR}\b",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A date or a part of one; unknown parts are None."""

    year: int | None
    month: int
    day: int | None
    start: int
    end: int
    numeric: bool = False
    """Written in digits alone, so that day and month may be either way round."""
    sure: bool = True
    """Whether it can be nothing else: «5 may» can."""

    def within(self, other: "Date") -> bool:
        """Whether the other date says at least as much, and the same."""
        return self._agrees(other, self.day, self.month) or self._agrees_swapped(other)

    def _agrees(self, other: "Date", day: int | None, month: int) -> bool:
        if month != other.month or (day is not None and day != other.day):
            return False
        return self.year is None or self.year == other.year

    def _agrees_swapped(self, other: "Date") -> bool:
        """«03/04/2024» may be March or April, on either side."""
        either = (self.numeric or other.numeric) and self.day is not None and self.day <= 12
        return either and self._agrees(other, self.month, self.day or 0)


@lru_cache(maxsize=8192)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of a text, none overlapping."""
    return tuple(date for date in possible_dates(text) if date.sure)


@lru_cache(maxsize=8192)
def possible_dates(text: str) -> tuple[Date, ...]:
    """The dates of a text, and what may be one."""
    if not _DIGIT.search(text) and not _FIRST_OF.search(text):
        return ()
    text = flat(text)
    possible = _IN_DIGITS if _JOINED.search(text) else ()
    if not MONTHS.keys().isdisjoint(spelt_out(text)):
        possible += _WITH_MONTH
    found: list[Date] = []
    taken: set[int] = set()
    for pattern in possible:
        for date in _matches(pattern, text):
            if taken.isdisjoint(range(date.start, date.end)):
                taken.update(range(date.start, date.end))
                found.append(date)
    return tuple(sorted(found, key=lambda date: date.start))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Date]:
    for match in pattern.finditer(text):
        parts = match.groupdict()
        month = MONTHS[plain(parts["month"])] if parts.get("month") else int(parts["m"])
        day = int(parts["d"]) if parts.get("d") else (1 if parts.get("first") else None)
        year = int(parts["y"]) if parts.get("y") else None
        if parts.get("first") and not parts.get("joint"):
            continue
        if month > 12 and day is not None and day <= 12:
            month, day = day, month
        if not 1 <= month <= 12 or not (day is None or 1 <= day <= 31):
            continue
        if year is not None and year < 100:
            year += 2000 if year < 70 else 1900
        yield Date(
            year=year,
            month=month,
            day=day,
            start=match.start(),
            end=match.end(),
            numeric=not parts.get("month") and not match[0][:4].isdigit(),
            sure=_sure(parts),
        )


def _sure(parts: Mapping[str, str | None]) -> bool:
    """A short name that is also a word needs a dot, a joint or a year; an English one may have a capital."""
    word = parts.get("month") or ""
    if word.lower() not in _SHORT or (word.istitle() and word.lower() in _CAPITAL):
        return True
    return any(parts.get(part) for part in ("y", "joint", "dot"))
