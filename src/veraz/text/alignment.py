"""How a corrected text lies over the one it was made of: which words are the same, and which stand in place of others."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from veraz.text.blocks import Span

_WORD = re.compile(r"\S+")
_MOST_PAIRS = 4_000_000
"""Words times words from which on what differs is one change: comparing them would take seconds."""

_Op = tuple[bool, int, int, int, int]
"""Whether words of both texts are the same; the first and last of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Characters of the original and those that stand there in the corrected text; between stretches are only blanks."""

    start: int
    end: int
    at: int
    until: int
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Both texts, stretch by stretch, in their order."""

    length: int
    """Of the original."""
    stretches: tuple[Stretch, ...]

    def original(self, start: int, end: int) -> Span:
        """What a stretch of the corrected text was made of: exact where it is the same, else all that was replaced."""
        parts = [
            (one.start + max(start - one.at, 0), one.end - max(one.until - end, 0))
            if one.same
            else (one.start, one.end)
            for one in self.stretches
            if one.at < end and one.until > start
        ]
        return _hull(parts) or _point(
            next((one.start for one in self.stretches if one.at >= start), self.length)
        )

    def corrected(self, start: int, end: int) -> Span:
        """What stands in place of a stretch of the original; all that replaces any of it."""
        return _hull([_carried(one, start, end) for one in self._near(start, end)]) or _point(
            next((one.at for one in self.stretches if one.start >= start), self.stretches[-1].until)
        )

    def changes(self, start: int, end: int) -> bool:
        """Whether any word of a stretch of the original was replaced, left out or parted by new ones."""
        return any(not one.same for one in self._near(start, end))

    def whole(self, start: int, end: int) -> Span:
        """A stretch of the original with all of the changes it touches."""
        edges = [(one.start, one.end) for one in self._near(start, end) if not one.same]
        return _hull([(start, end), *edges]) or (start, end)

    def carry(self, spans: Sequence[Span], *, last_choice: Collection[int] = ()) -> list[Span]:
        """Spans of the original, in their order, in the corrected text; each change belongs to one of them.

        To the first it touches; new words between two of them to the one before. Those numbered `last_choice` get it only if
        there is no other.
        """
        found: list[list[Span]] = [
            [_carried(one, *span) for one in self._near(*span) if one.same] for span in spans
        ]
        for one in self.stretches:
            if not one.same and (owner := _owner(one, spans, last_choice)) is not None:
                found[owner].append((one.at, one.until))
        return [
            _hull(parts) or _point(self.corrected(*span)[0]) for parts, span in zip(found, spans, strict=True)
        ]

    def _near(self, start: int, end: int) -> Iterator[Stretch]:
        return (one for one in self.stretches if one.start < end and one.end > start)


def align(original: str, corrected: str) -> Alignment:
    """Lays a corrected text over the one it was made of, word by word."""
    old, new = ([found.span() for found in _WORD.finditer(text)] for text in (original, corrected))
    if not old or not new:
        whole = Stretch(start=0, end=len(original), at=0, until=len(corrected), same=False)
        return Alignment(length=len(original), stretches=(whole,))
    ops = _placed(_compared([original[a:b] for a, b in old], [corrected[a:b] for a, b in new]), len(old))
    stretches: list[Stretch] = []
    for same, *op in ops:
        if same:
            stretches += _same(original, corrected, old[op[0] : op[1]], new[op[2] : op[3]])
        else:
            stretches += _without_marks(original, corrected, _changed(old, new, *op))
    return Alignment(length=len(original), stretches=tuple(stretches))


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[_Op]:
    """Which words are the same; most people change a few, so both ends are taken off before the rest is compared."""
    first, shortest = 0, min(len(old), len(new))
    while first < shortest and old[first] == new[first]:
        first += 1
    last = 0
    while last < shortest - first and old[-1 - last] == new[-1 - last]:
        last += 1
    i, j = len(old) - last, len(new) - last
    yield True, 0, first, 0, first
    if (i - first) * (j - first) > _MOST_PAIRS:
        yield False, first, i, first, j
    else:
        matcher = SequenceMatcher(None, old[first:i], new[first:j], autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag == "equal", first + i1, first + i2, first + j1, first + j2
    yield True, i, len(old), j, len(new)


def _placed(found: Iterator[_Op], length: int) -> list[_Op]:
    """The same, where new words at the very beginning or end take a neighbour with them, so that they have a place."""
    ops = [op for op in found if op[1] < op[2] or op[3] < op[4]]
    if (op := ops[0])[1:3] == (0, 0):
        _, _, i2, j1, j2 = ops[1]
        ops[:2] = [(False, 0, 1, op[3], op[4] + 1), (True, 1, i2, j1 + 1, j2)]
    if (op := ops[-1])[1:3] == (length, length):
        same, i1, _, j1, _ = ops[-2]
        ops[-2:] = [(same, i1, length - 1, j1, op[3] - 1), (False, length - 1, length, op[3] - 1, op[4])]
    return [op for op in ops if op[1] < op[2] or op[3] < op[4]]


def _same(original: str, corrected: str, old: Sequence[Span], new: Sequence[Span]) -> Iterator[Stretch]:
    """Runs of words that are the same with the blanks between them."""
    first = 0
    for number in range(1, len(old) + 1):
        if number < len(old) and (
            original[old[number - 1][1] : old[number][0]] == corrected[new[number - 1][1] : new[number][0]]
        ):
            continue
        yield Stretch(
            start=old[first][0],
            end=old[number - 1][1],
            at=new[first][0],
            until=new[number - 1][1],
            same=True,
        )
        first = number


def _changed(old: Sequence[Span], new: Sequence[Span], i1: int, i2: int, j1: int, j2: int) -> Stretch:
    """Words in place of others; new ones in place of the blanks they part, none where some were left out."""
    start, end = (old[i1][0], old[i2 - 1][1]) if i1 < i2 else (old[i1 - 1][1], old[i1][0])
    nothing = new[j1 - 1][1] if j1 else 0
    at, until = (new[j1][0], new[j2 - 1][1]) if j1 < j2 else (nothing, nothing)
    return Stretch(start=start, end=end, at=at, until=until, same=False)


def _without_marks(original: str, corrected: str, one: Stretch) -> Iterator[Stretch]:
    """A change without the brackets before it and the full stop, comma or bracket behind it that both texts have."""
    lead = _common_marks(original[one.start : one.end], corrected[one.at : one.until])
    behind = original[one.start + lead : one.end], corrected[one.at + lead : one.until]
    tail = _common_marks(behind[0][::-1], behind[1][::-1])
    start, at, end, until = one.start + lead, one.at + lead, one.end - tail, one.until - tail
    if lead:
        yield Stretch(start=one.start, end=start, at=one.at, until=at, same=True)
    yield Stretch(start=start, end=end, at=at, until=until, same=False)
    if tail:
        yield Stretch(start=end, end=one.end, at=until, until=one.until, same=True)


def _common_marks(old: str, new: str) -> int:
    """How many signs that are no letters both begin with; never all of the old, which is what has a place."""
    count = 0
    while count < min(len(old) - 1, len(new)) and old[count] == new[count] and not old[count].isalnum():
        count += 1
    return count


def _carried(one: Stretch, start: int, end: int) -> Span:
    if not one.same:
        return one.at, one.until
    return one.at + max(start - one.start, 0), one.until - max(one.end - end, 0)


def _owner(one: Stretch, spans: Sequence[Span], last_choice: Collection[int]) -> int | None:
    touched = [n for n, (start, end) in enumerate(spans) if start < one.end and end > one.start]
    if not touched:
        before = [n for n, (_, end) in enumerate(spans) if end <= one.start][-1:]
        after = [n for n, (start, _) in enumerate(spans) if start >= one.end][:1]
        touched = before + after
    return next((n for n in touched if n not in last_choice), touched[0] if touched else None)


def _hull(parts: Sequence[Span]) -> Span | None:
    return (min(start for start, _ in parts), max(end for _, end in parts)) if parts else None


def _point(place: int) -> Span:
    return place, place
