"""Whether a text holds another one, however its figures, money, emphasis, case, accents and blanks are written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from veraz.text.citations import CITATION
from veraz.text.languages import phrases
from veraz.text.measures import MONEY, measures, same_unit
from veraz.text.numbers import figures
from veraz.text.plain import plain

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Around each value, so that 12390 does not hold 2390."""
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_EMPHASIS = re.compile(r"[*_`]+")
_AROUND_VALUES = re.compile(rf"\s*([{_OPEN}{_CLOSE}])\s*")


def holds(text: str, part: str) -> bool:
    """«Cuesta **2390** pesos» holds «$2,390»; «12 390» and «2,391» do not, nor does «2390 €»."""
    said, wanted = _read(text), _read(part)
    return any(
        all(map(_alike, said.units[first : first + len(wanted.units)], wanted.units))
        for first in _places(said.words, wanted.words)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A text with its figures as values between marks, and the unit of each."""

    words: str
    units: tuple[str, ...]


def _places(words: str, part: str) -> Iterator[int]:
    """How many values come before each place where the part stands."""
    place = words.find(part)
    while place >= 0:
        yield words.count(_OPEN, 0, place)
        place = words.find(part, place + 1)


def _alike(said: str, wanted: str) -> bool:
    """The currency may go without saying; what else a figure counts may not."""
    return not wanted or same_unit(said, wanted) or (not said and wanted in MONEY)


def _read(text: str) -> _Reading:
    text = _EMPHASIS.sub("", CITATION.sub("", _PRIVATE.sub("", text)))
    units = {measure.start: measure.unit for measure in reversed(measures(text))}
    words, found, end = "", [], 0
    for figure in figures(text):
        if figure.ordinal or not figure.explicit:
            continue
        unit = units.get(figure.start, figure.unit)
        words += f"{text[end : figure.start]}{_OPEN}{figure.value:f}{_CLOSE}"
        found.append(unit)
        end = _after_currency(text, figure.end) if unit in MONEY else figure.end
    return _Reading(words=_AROUND_VALUES.sub(r"\1", plain(words + text[end:])), units=tuple(found))


def _after_currency(text: str, end: int) -> int:
    named = _currency().match(text, end)
    return named.end() if named else end


@cache
def _currency() -> "re.Pattern[str]":
    listed = sorted(
        (phrase for phrase, unit in phrases("units").items() if unit in MONEY), key=len, reverse=True
    )
    return re.compile(rf"\s*(?:de\s+)?(?:{'|'.join(map(re.escape, listed))})\b", re.IGNORECASE)
