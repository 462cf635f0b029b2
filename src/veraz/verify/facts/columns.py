"""Figures of a claim that stand in another column of the row it quotes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from veraz.text.measures import Measure, measures
from veraz.text.plain import plain_words
from veraz.verify.facts.figures import outside_dates
from veraz.verify.facts.ground import Ground, cut
from veraz.verify.facts.names import forms

_BARE = re.compile(r"[\s$€£]*\d[\d.,:/\s$€£%–-]*(?:[^\W\d_]{1,6}\.?)?\s*")
_CELL = re.compile(r"(?:^|[;|\n])\s*(?P<label>[^:;|\n]{1,60}?)\s*:\s+(?P<value>[^;|\n]+)")


def other_column(claim: str, ground: Ground) -> str | None:
    """A row says «Norte: 30; Sur: 40»: who speaks of the north, and says 40 instead of 30, took the wrong column."""
    own = list(outside_dates(claim))
    spoken = _spoken(claim)
    for row in _rows(cut(ground.quotes)) if own else ():
        for figure in own:
            held = [cell for cell in row if _is_figure(cell.value) and _holds(cell.value, figure)]
            if not held or any(_speaks_of(spoken, cell.label) for cell in held):
                continue
            if any(_is_missed(cell, held[0], own, spoken) and not _is_key(cell, row, claim) for cell in row):
                return f"column: {figure.text} ({held[0].label})"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    label: str
    value: str


def _is_missed(cell: _Cell, held: _Cell, own: Sequence[Measure], spoken: frozenset[str]) -> bool:
    """The claim speaks of this cell, whose figure is of the same kind, and does not say it."""
    if (
        not _speaks_of(spoken, cell.label)
        or not _is_figure(cell.value)
        or any(_holds(cell.value, m) for m in own)
    ):
        return False
    return {m.unit for m in measures(cell.value)} == {m.unit for m in measures(held.value)}


def _is_key(cell: _Cell, row: Sequence[_Cell], claim: str) -> bool:
    """«Piso: 3; Renta: 500»: whoever speaks of the flat speaks of the row, unless it is named as it stands («Norte»)."""
    named = any(word[0].isupper() and word in claim for word in cell.label.split())
    return cell is row[0] and not named and not any(m.unit for m in measures(cell.value))


def _holds(value: str, figure: Measure) -> bool:
    return any(figure.same_value(m) for m in measures(value))


def _rows(quotes: Iterable[str]) -> Iterator[list[_Cell]]:
    for quote in quotes:
        for line in quote.split("\n"):
            cells = [_Cell(label=m["label"], value=m["value"]) for m in _CELL.finditer(line)]
            if len(cells) > 1:
                yield cells


_LABEL_WORD = re.compile(r"[^\W_]+(?:[-/._’'&+@][^\W_]+)*")


def _spoken(claim: str) -> frozenset[str]:
    """The words of a claim, in singular and plural; short ones as they are written, but for the one it begins with."""
    short = [m[0] for m in _LABEL_WORD.finditer(claim) if len(m[0]) < 3 and (m.start() or claim[1:2] != " ")]
    return frozenset(short).union(*map(forms, plain_words(claim)))


def _speaks_of(spoken: frozenset[str], label: str) -> bool:
    """All words of a label; of the short ones those that tell («Plan A»)."""
    found = _LABEL_WORD.findall(re.sub(r"\(.*?\)", "", label))
    short = [word for word in found if len(word) < 3 and (word.isupper() or word.isdigit())]
    long = [word for word in plain_words(" ".join(found)) if len(word) > 2]
    return bool(short or long) and all(word in spoken for word in (*short, *long))


def _is_figure(value: str) -> bool:
    return _BARE.fullmatch(value) is not None
