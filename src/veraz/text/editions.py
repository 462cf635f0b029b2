"""Which edition of a document a file's name says it is: «Reglamento_v4_2024.pdf» and «Reglamento_v5_2026.pdf» are one
document twice; «Acta_2026-01.md» and «Acta_2026-02.md» are two.

A name has a stem, which editions share, and an order: year, month, day and version number as far as they stand there.
What comes in series (minutes, invoices, monthly reports) keeps its dates in the stem, so that none replaces another;
so does what is known by its number and year («Ley_39_2015»).
"""

import re
from collections.abc import Sequence

from veraz.text.dates import MONTHS
from veraz.text.languages import words
from veraz.text.plain import plain

Order = tuple[int, ...]

_ENDING = re.compile(r"\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,5}$")
_MARKS = "|".join(sorted(words("editions", "marks"), key=len, reverse=True))
_VERSION = re.compile(
    rf"(?<![a-z0-9])(?:(?:{_MARKS})[\s._-]*(?P<after>\d{{1,3}}(?:\.\d{{1,3}})*)(?![a-z0-9])"
    rf"|(?:revision|revisao|rev)[\s._-]+(?P<letter>[a-h])(?![a-z0-9])"
    rf"|(?P<before>\d{{1,2}})[\s.]*(?:a|o|st|nd|rd|th)?[\s._-]*(?:edicion|edition|edicao|revision|revisao)(?![a-z0-9]))"
)
_YEAR = r"(?P<year>(?:19[5-9]|20\d)\d)"
_MONTH, _DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_DATES = tuple(
    re.compile(rf"(?<![a-z0-9]){date}(?![a-z0-9])")
    for date in (
        rf"{_YEAR}[\s._-]?{_MONTH}[\s._-]?{_DAY}",
        rf"{_DAY}[\s._-]{_MONTH}[\s._-]{_YEAR}",
        rf"{_YEAR}[._-]?{_MONTH}",
        _YEAR,
    )
)
_ANY_DATE = re.compile("|".join(re.sub(r"\?P<\w+>", "?:", pattern.pattern) for pattern in _DATES))
_NO_DATE: Order = (0, 0, 0)
_WORD = re.compile(r"[a-z0-9]+")
_SERIES, _INSTRUMENTS = words("editions", "series"), words("editions", "instruments")
_JOINTS = words("editions", "joints")


def version_key(name: str) -> tuple[str, Order]:
    """What a name calls, and which edition of it: `(stem, (year, month, day, version…))`.

    Numbers that are not said are 0; a name that says none has the order `()`.
    """
    bare = _ENDING.sub("", plain(name))
    version, undated = _version(bare)
    date, rest = (_NO_DATE, undated) if _keeps_its_dates(undated) else _date(undated)
    order = (*date, *version)
    if not _stem(rest) or not any(order):
        return _stem(bare), ()
    return _stem(rest), order


def is_newer_edition(name: str, other: str) -> bool:
    """Whether a name says a later edition of the same document than the other one does."""
    stem, order = version_key(name)
    other_stem, other_order = version_key(other)
    if stem != other_stem or not order or not other_order:
        return False
    said_alike = bool(order[0]) == bool(other_order[0])
    return said_alike and order > other_order


def _version(name: str) -> tuple[Order, str]:
    """The version number, and the name without it."""
    found = _VERSION.search(name)
    if found is None:
        return (), name
    rest = f"{name[: found.start()]} {name[found.end() :]}"
    if letter := found["letter"]:
        return (ord(letter) - ord("a") + 1,), rest
    number = found["after"] or found["before"]
    return tuple(int(part) for part in number.split(".")), rest


def _keeps_its_dates(name: str) -> bool:
    """Whether its date tells it from its neighbours: a series, a law by its number, a span of months."""
    parts = _WORD.findall(name)
    if _SERIES.intersection(parts) or sum(part in MONTHS for part in parts) > 1:
        return True
    return parts[:1] != [] and parts[0] in _INSTRUMENTS and _is_number(parts[1:2])


def _date(name: str) -> tuple[Order, str]:
    """The last date a name says, and the name without dates, months and the act that enacted it."""
    found = next((list(pattern.finditer(name)) for pattern in _DATES if pattern.search(name)), [])
    if not found:
        return _NO_DATE, name
    said = max(found, key=lambda match: match["year"]).groupdict()
    parts = _WORD.findall(_ANY_DATE.sub(" ", name))
    month = said.get("month") or next((MONTHS[part] for part in parts if part in MONTHS), 0)
    rest = _without_enactment([part for part in parts if part not in MONTHS])
    return (int(said["year"]), int(month), int(said.get("day") or 0)), " ".join(rest)


def _without_enactment(parts: Sequence[str]) -> list[str]:
    """«reglamento credito acuerdo 009» without the act by which this edition was passed."""
    kept: list[str] = []
    for part in parts:
        if kept[1:] and kept[-1] in _INSTRUMENTS and part.isdigit():
            kept.pop()
            continue
        kept.append(part)
    return kept


def _stem(name: str) -> str:
    return " ".join(word for word in _WORD.findall(name) if word not in _JOINTS)


def _is_number(parts: Sequence[str]) -> bool:
    return any(part.isdigit() and not re.fullmatch(_YEAR, part) for part in parts)
