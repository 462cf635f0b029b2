"""The marks in front of list items: bullets, numbers and letters, and which follows which."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_BULLET = re.compile(r"([•◦‣⁃▪▫●○■□◆◇❖➢➤►▶✓✔✗☐·∙])[ \t]*(?=\S)|([-–—*+])[ \t]+(?=\S)")
_ORDINAL = re.compile(
    r"(\(?)(\d{1,3}|[a-zñA-ZÑ]|[ivxIVX]{2,5}|\d{1,3}(?:\.\d{1,3}){1,3})"
    r"(\)|\.-|\.?[ºª°]\.?\)?|\.\)|\.|(?<=\d\.\d)|(?<=\d\.\d\d))[ \t]+(?=\S)"
)
_EMPHASIS = re.compile(r"(?:\*\*|__)(?=\S)")
_WEAK = frozenset("-–—*+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")


class Mark(NamedTuple):
    """What stands in front of a list item."""

    style: str
    """The same for all items of a list: «•», «1.», «a)», «i)»…"""
    length: int
    values: tuple[tuple[str, int], ...] = ()
    """What an ordinal counts; «i)» may be the ninth letter or the first Roman number. Empty for bullets."""

    @property
    def certain(self) -> bool:
        """Whether it is a mark wherever it stands; a dash or an asterisk may be something else."""
        return not self.values and self.style not in _WEAK

    @property
    def keys(self) -> tuple[str, ...]:
        """Which lists it may belong to."""
        return tuple(f"{family}{self.style[-1]}" for family, _ in self.values) or (self.style,)

    @property
    def first(self) -> bool:
        """Whether it may be the first of a list."""
        return any(value == 1 for _, value in self.values)

    def follows(self, other: "Mark") -> bool:
        """Whether it is the next one after another; any bullet follows its like."""
        if not self.values:
            return self.style == other.style
        return self.style[-1] == other.style[-1] and any(
            (family, value - 1) in other.values for family, value in self.values
        )


def mark_of(text: str) -> Mark | None:
    """The mark a text begins with; None when it begins with none."""
    first = text[:1]
    if first.isalpha() and text[1:2].isalpha() and first not in "ivxIVX":
        return None  # a word
    if not first.isalnum() and (found := _BULLET.match(text)):
        return Mark(found.group(1) or found.group(2), found.end())
    bold = _EMPHASIS.match(text) if first in "*_" else None
    found = _ORDINAL.match(text, bold.end() if bold else 0)
    if not found:
        return None
    opened, number, closed = found.groups()
    values = tuple(_values(number))
    return Mark(f"{opened}{values[0][0]}{closed[:1] or '.'}", found.end(), values) if values else None


def confirmed(marks: Sequence[Mark | None], introduced: Callable[[int], bool], reach: int) -> set[int]:
    """Which of the marks in front of successive texts are marks of items.

    Numbers, letters and dashes are when another continues them within reach, or when they begin right after an
    introduction.
    """
    found: set[int] = set()
    last: dict[str, int] = {}
    for at, mark in enumerate(marks):
        if mark is None:
            continue
        for key in mark.keys:
            before = last.get(key)
            other = None if before is None else marks[before]
            if before is not None and other and at - before <= reach and mark.follows(other):
                found |= {before, at}
            last[key] = at
        if mark.certain or ((mark.first or not mark.values) and at and introduced(at - 1)):
            found.add(at)
    return found


def _values(number: str) -> list[tuple[str, int]]:
    if number[0].isdigit():
        outer, _, last = number.rpartition(".")
        return [(f"1{outer and '.'}{outer}", int(last))]
    lower, case = number.lower(), "a" if number.islower() else "A"
    found = [(case, _LETTERS.index(lower) + 1)] if lower in _LETTERS else []
    if lower in _ROMANS:
        found.append((f"{case} roman", _ROMANS.index(lower) + 1))
    return found
