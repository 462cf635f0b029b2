"""A document's text as people corrected it: what they changed in its chunks, laid over what is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from veraz.search.places import Segment, text_between
from veraz.text.alignment import Alignment, align
from veraz.text.blocks import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedChunk:
    """A chunk that a person corrected: what it says, and what it said before."""

    id: UUID
    content: str
    original: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patch:
    start: int
    end: int
    offset: int
    """What to add to a place in the original for the place in the document."""
    content: str
    alignment: Alignment

    def cut(self, start: int, end: int) -> Span:
        """The part of a stretch that lies in it, counted in its original."""
        return max(start, self.start) - self.offset, min(end, self.end) - self.offset


class Reading:
    """Some segments of a document, read with the corrections of some of its chunks; counted in the document's characters."""

    def __init__(self, segments: Sequence[Segment], chunks: Iterable[CorrectedChunk] = ()) -> None:
        self.segments = segments
        self.holds: set[UUID] = set()
        """The chunks whose corrections are read here: of chunks that overlap the first one."""
        self._patches: list[_Patch] = []
        for chunk in chunks:
            patch = _patch(segments, chunk)
            if patch and all(one.end <= patch.start or patch.end <= one.start for one in self._patches):
                self._patches.append(patch)
                self.holds.add(chunk.id)
        self._patches.sort(key=lambda one: one.start)

    def text(self, start: int, end: int) -> str:
        """What is read from one character to another."""
        said, at = "", start
        for patch in self._touched(start, end):
            first, last = max(start, patch.start), min(end, patch.end)
            said += text_between(self.segments, at, first) + self._corrected(patch, first, last)
            at = last
        return said + text_between(self.segments, at, end)

    def is_corrected(self, start: int, end: int) -> bool:
        """Whether a person changed any word there."""
        return any(one.alignment.changes(*one.cut(start, end)) for one in self._touched(start, end))

    def whole(self, start: int, end: int) -> Span:
        """The stretch with all of the corrections it touches."""
        for patch in self._touched(start, end):
            first, last = patch.alignment.whole(*patch.cut(start, end))
            start, end = min(start, first + patch.offset), max(end, last + patch.offset)
        return start, end

    def _touched(self, start: int, end: int) -> list[_Patch]:
        return [one for one in self._patches if one.start < end and one.end > start]

    def _corrected(self, patch: _Patch, start: int, end: int) -> str:
        """Its words there, between the blanks of the document."""
        plain, cut = text_between(self.segments, start, end), patch.cut(start, end)
        if not patch.alignment.changes(*cut):
            return plain
        lead, tail = plain[: len(plain) - len(plain.lstrip())], plain[len(plain.rstrip()) :]
        said = patch.content[slice(*patch.alignment.corrected(*cut))].strip()
        return f"{lead}{said}{tail}" if plain.strip() else f" {said} "


def _patch(segments: Sequence[Segment], chunk: CorrectedChunk) -> _Patch | None:
    """The chunk's corrections; None where the document no longer says what was corrected."""
    own = text_between(segments, chunk.start_char, chunk.end_char)
    if len(own) != chunk.end_char - chunk.start_char or not chunk.original.endswith(own):
        return None
    return _Patch(
        start=chunk.start_char,
        end=chunk.end_char,
        offset=chunk.end_char - len(chunk.original),
        content=chunk.content,
        alignment=align(chunk.original, chunk.content),
    )
