"""Dates of a claim that stand in no text it may take them from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Self

from veraz.text.dates import MONTHS, Date, dates, possible_dates
from veraz.text.languages import values, words
from veraz.text.measures import measures
from veraz.text.plain import flat, plain_words
from veraz.verify.facts.ground import REMEMBERED, Ground, cut


def unknown_date(claim: str, ground: Ground) -> str | None:
    own = dates(claim)
    if not own:
        return None
    known = [date for text in ground.texts for date in possible_dates(text)]
    parts = _DateParts.of(ground)
    for date in own:
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
    @lru_cache(maxsize=REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Everything in the texts that is a part of a date."""
        texts = ground.texts
        whole = [date for text in texts for date in possible_dates(text)]
        plainly = [flat(text).lower() for text in texts]
        weekdays = {int(day) for text in plainly for day in _weekdays().findall(text)}
        figures = {int(m.value) for text in texts for m in measures(text) if 1900 <= m.value <= 2100}
        return cls(
            days=frozenset(
                chain(weekdays, *map(_listed_days, plainly), (date.day for date in whole if date.day))
            ),
            without_month=frozenset(weekdays),
            months=_months(texts),
            years=frozenset(figures | {date.year for date in whole if date.year}),
            months_around=_months(cut(ground.passages)),
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


_REACH = 80
"""How far before a month its days may begin."""
_SPOKEN_DAYS = {word: value for word, value in values("numbers", "words").items() if 0 < value <= 31}
_DAY = re.compile(rf"\d{{1,2}}|\b(?:{'|'.join(sorted(_SPOKEN_DAYS, key=len, reverse=True))})\b")


def _listed_days(text: str) -> Iterator[int]:
    """«del 15 al 20 de marzo», «los días 15 y 16 de marzo», «el quince de marzo»."""
    for month in _month_names().finditer(text):
        found = _days_before().search(text, max(0, month.start() - _REACH), month.start())
        for day in _DAY.findall(found[0]) if found else ():
            yield int(_SPOKEN_DAYS.get(day, day))


@cache
def _days_before() -> "re.Pattern[str]":
    joint = r"\s*(?:,|al?|y|e|o|to|and|-|–)\s*"
    return re.compile(rf"\b(?:(?:{_DAY.pattern}){joint}){{0,20}}(?:{_DAY.pattern})\s+(?:de\s+|of\s+)?\Z")


@cache
def _month_names() -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(sorted(MONTHS))})\b")


@cache
def _weekdays() -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(sorted(words('weekdays')))})\s+(\d{{1,2}})\b")
