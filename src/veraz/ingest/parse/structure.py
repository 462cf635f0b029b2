"""What the words say about a document's structure, whatever its format: headings, articles, lists.

One pass over the finished blocks. The text does not change; a paragraph whose lines are several things becomes
several blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from veraz.ingest.model import Block
from veraz.ingest.parse.articles import Division, division_of, is_title
from veraz.ingest.parse.furniture import furniture_of
from veraz.ingest.parse.headings import (
    Candidate,
    candidate_of,
    confirmed,
    has_numbered_sections,
    numbered_below,
    numbered_rank,
    section_number,
)
from veraz.ingest.parse.lists import Nesting, Piece, find_items, introduce, split_items

_HEADER_CHARACTERS = 200
_HEADINGS_MAX = 4
"""Headings one after the other at the beginning of a paragraph."""


def structured(text: str, blocks: tuple[Block, ...], nesting: Nesting) -> tuple[Block, ...]:
    """The blocks with the headings, articles and lists their words make known.

    Headings are only looked for where the format has given none; articles everywhere, because their beginnings
    leave no doubt.
    """
    if not any(block.kind in ("paragraph", "list_item") for block in blocks):
        return blocks
    guess = not any(block.kind == "heading" for block in blocks)
    pieces = list(_split(text, blocks, nesting, guess=guess))
    pieces = list(_under_headings(text, pieces, guess=guess))
    return tuple(introduce(text, list(find_items(text, pieces))))


def _split(text: str, blocks: Sequence[Block], nesting: Nesting, *, guess: bool) -> Iterator[Piece]:
    """Headings and items that share a paragraph with other lines become blocks of their own."""
    furniture = furniture_of(text, blocks)
    sections = guess and has_numbered_sections(
        text[block.start : block.end] for block in blocks if block.kind == "paragraph"
    )
    for number, block in enumerate(blocks):
        rest: Block | None = block
        if block.kind == "paragraph" and (end := furniture.end_in(number, text[block.start : block.end])):
            yield Piece(replace(block.part_of(block.start, block.start + end), kind="note"))
            rest = _cut(text, block, block.start + end, block.end) if block.start + end < block.end else None
        if rest and (rest.kind != "paragraph" or "\n" not in text[rest.start : rest.end]):
            yield Piece(rest, nesting.depths.get(number, 0), number in nesting.starts)
            continue
        if rest and sections and section_number(text[rest.start : rest.end]):
            end = text.index("\n", rest.start)
            yield Piece(_cut(text, rest, rest.start, end), section=True)
            rest = _cut(text, rest, end, rest.end)
        for _ in range(_HEADINGS_MAX):
            end = _first_heading_end(text[rest.start : rest.end], block.headers, guess=guess) if rest else 0
            if not rest or not end:
                break
            yield Piece(_cut(text, rest, rest.start, rest.start + end))
            rest = _cut(text, rest, rest.start + end, rest.end) if rest.start + end < rest.end else None
        if rest:
            yield from map(Piece, split_items(text, rest))


def _first_heading_end(words: str, headers: Sequence[str], *, guess: bool) -> int:
    """Where the heading a paragraph begins with ends, if other lines follow it; 0 when it begins with none."""
    if "\n" not in words:
        return 0
    division = division_of(words)
    if division:
        return division.heading_end
    first, second, *_ = [*words.split("\n", 2), ""]
    if guess and (candidate_of(f"{first}\n{second}") is not None):
        return len(first) + 1 + len(second)
    candidate = candidate_of(first) if guess else None
    if (candidate and candidate.capitals) or (numbered_below(first, headers) and second[:1].isupper()):
        return len(first)
    return 0


def _cut(text: str, block: Block, start: int, end: int) -> Block:
    part = text[start:end]
    return block.part_of(start + len(part) - len(part.lstrip()), start + len(part.rstrip()))


@dataclass(slots=True)
class _Path:
    """The divisions and guessed headings a block stands under, below those its format gives."""

    steps: list[tuple[int, str]] = field(default_factory=list)
    place: tuple[str | None, tuple[str, ...]] = (None, ())
    above: tuple[str, ...] = ()
    """The headings of the format that the steps stand under."""
    untitled: bool = False
    """The last heading is a number alone: its title may be the next line."""
    lists: set[tuple[int, ...]] = field(default_factory=set)
    """Numbers below which the numbered lines are a list: one has nothing under it."""

    def enter(self, block: Block) -> None:
        """Another part, or another heading of the format, ends what the words began."""
        if block.kind == "heading" or self.place != (block.part, block.headers):
            self.steps, self.place, self.untitled = [], (block.part, block.headers), False

    def below(self, rank: int) -> None:
        """Leave everything that is not larger, headings of the format among it."""
        while self.steps and self.steps[-1][0] >= rank:
            self.steps.pop()
        if not self.steps:
            self.above = tuple(takewhile(lambda header: _rank(header) < rank, self.place[1]))

    def add(self, rank: int, name: str, *, untitled: bool = False) -> None:
        """Stand under one more."""
        self.steps.append((rank, name[:_HEADER_CHARACTERS]))
        self.untitled = untitled

    def entitle(self, title: str) -> None:
        """The last heading gets the title that stands below it."""
        rank, name = self.steps.pop()
        self.add(rank, f"{name}. {title.rstrip('.')}")

    def numbered(self, block: Block, words: str, after: str) -> Candidate | None:
        """The numbered title a block is below a heading of that number, with something other than its like after it."""
        headers = (*block.headers, *(name for _, name in self.steps))
        found = numbered_below(words, headers)
        if found is None or found.number[:-1] in self.lists:
            return None
        sibling = numbered_below(after, headers)
        if not sibling or len(sibling.number) != len(found.number):
            return found
        self.lists.add(found.number[:-1])
        return None

    def put(self, block: Block) -> Block:
        """The block with the headings it stands under."""
        return replace(block, headers=self._headers()) if self.steps else block

    def put_heading(self, block: Block) -> Block:
        """The block as a heading, with those it stands under."""
        return replace(block, kind="heading", headers=self._headers())

    def _headers(self) -> tuple[str, ...]:
        return (*self.above, *(name for _, name in self.steps))


def _under_headings(text: str, pieces: Sequence[Piece], *, guess: bool) -> Iterator[Piece]:
    words = [
        text[piece.block.start : piece.block.end] if piece.block.kind in ("paragraph", "list_item") else ""
        for piece in pieces
    ]
    divisions = [division_of(each) if each else None for each in words]
    headings = _guessed(pieces, words, divisions) if guess else [None] * len(pieces)
    path = _Path()
    following = [*words[1:], ""]
    for piece, own, division, heading, after in zip(
        pieces, words, divisions, headings, following, strict=True
    ):
        if piece.block.kind == "note":
            yield piece
            continue
        path.enter(piece.block)
        if not heading and own[:1].isdigit():
            heading = path.numbered(piece.block, own, after)
        block = _placed(path, piece.block, own, division, heading)
        yield piece if block is piece.block else Piece(block, piece.depth, piece.starts)


def _placed(
    path: _Path, block: Block, words: str, division: Division | None, heading: Candidate | None
) -> Block:
    if division and block.headers[-1:] == (division.name,):
        return block  # known already, from the file inside this one
    if division:
        path.below(division.rank)
        if division.heading_end < len(words):
            path.add(division.rank, division.name)
            return path.put(block)
        placed = path.put_heading(block)
        path.add(division.rank, division.name, untitled=division.untitled)
        return placed
    if path.untitled and block.kind == "paragraph" and _may_entitle(words):
        path.entitle(words)
        name = path.steps.pop()
        placed = path.put_heading(block)
        path.steps.append(name)
        return placed
    path.untitled = False
    if heading:
        path.below(heading.rank)
        placed = path.put_heading(block)
        path.add(heading.rank, heading.name)
        return placed
    return path.put(block)


def _rank(header: str) -> int:
    """How small what a heading of the format names is; 0 for what is no division and has no number."""
    division = division_of(header)
    return division.rank if division else numbered_rank(header) or 0


def _may_entitle(words: str) -> bool:
    return words[:1].isupper() and not words.endswith(".") and is_title(words)


def _guessed(
    pieces: Sequence[Piece], words: Sequence[str], divisions: Sequence[Division | None]
) -> list[Candidate | None]:
    candidates = [
        candidate_of(own) if own and not division and piece.block.kind == "paragraph" else None
        for piece, own, division in zip(pieces, words, divisions, strict=True)
    ]
    bodies = [
        piece.block.end - piece.block.start if candidate is None and piece.block.kind != "note" else 0
        for piece, candidate in zip(pieces, candidates, strict=True)
    ]
    headings = confirmed(candidates, bodies)
    return [
        candidate if piece.section else heading
        for piece, candidate, heading in zip(pieces, candidates, headings, strict=True)
    ]
