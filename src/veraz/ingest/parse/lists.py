"""Lists: paragraphs that are items by their mark, and the introduction that governs each item."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from veraz.ingest.model import Block
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.marks import Mark, confirmed, mark_of

_MARKED_LINE = re.compile(r"(?:^|\n)[ \t]*(?:[^\w\s]|\w{1,7}[.)ºª°]|\d)")
"""A line that may begin with a mark: most paragraphs have none."""
_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑ¿¡«(])")
_EMPHASIS = re.compile(r"\*\*|__|`|^#+[ \t]+")
_COLON = re.compile(r":[\s*_`»\"”)]*$")
_INTRODUCTION_CHARACTERS = 300
_PARENT_CHARACTERS = 120
_REACH = 60
"""How many blocks may stand between two items of one numbered list."""
_MARK_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Nesting:
    """What a format says about its lists, by the number of the block."""

    depths: Mapping[int, int] = field(default_factory=dict)
    """How deep nested items are."""
    starts: Set[int] = frozenset()
    """Where a new list begins."""


class Piece(NamedTuple):
    """A block on its way, with what its format says about its list."""

    block: Block
    depth: int = 0
    starts: bool = False
    item: bool = False
    """It is a list item, by its format or by its mark."""
    section: bool = False
    """It is the title of a numbered section."""


def split_items(text: str, block: Block) -> Iterator[Block]:
    """The blocks of a paragraph whose lines are items: «Incluye:\\n- uno\\n- dos»."""
    if not _MARKED_LINE.search(text, block.start, block.end):
        yield block
        return
    lines = list(_LINE.finditer(text, block.start, block.end))
    marks = [mark_of(line.group().lstrip()) for line in lines]
    items = confirmed(marks, lambda at: introduces(lines[at].group()), len(lines))
    starts = [lines[at].start() for at in sorted(items | {0})]
    for start, end in zip(starts, [*starts[1:], block.end], strict=True):
        part = text[start:end]
        first = start + len(part) - len(part.lstrip())
        yield block.part_of(first, start + len(part.rstrip()))


def find_items(text: str, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Paragraphs that begin with a bullet, or with a number or letter that others continue, are items."""
    marks = [
        mark_of(text[piece.block.start : min(piece.block.end, piece.block.start + _MARK_CHARACTERS)])
        if piece.block.kind == "paragraph"
        else None
        for piece in pieces
    ]
    items = confirmed(marks, lambda at: introduces(_of(text, pieces[at].block)), _REACH)
    for at, piece in enumerate(pieces):
        item = at in items or piece.block.kind == "list_item"
        yield Piece(piece.block, piece.depth, piece.starts, item) if item else piece


def introduce(text: str, pieces: Iterable[Piece]) -> Iterator[Block]:
    """Give each list item the introduction that governs it."""
    lists = _Lists()
    for piece in pieces:
        if piece.item:
            yield _item(piece.block, lists.item(piece, _of(text, piece.block)))
        else:
            lists.other(piece.block, text)
            yield piece.block


def introduces(words: str) -> bool:
    """Whether a text ends as an introduction does: with a colon."""
    return bool(_COLON.search(words[-20:]))


@dataclass(slots=True)
class _Level:
    depth: int
    introduction: str | None
    mark: Mark | None


@dataclass(slots=True)
class _Lists:
    """The open lists, outermost first, while the blocks go by."""

    levels: list[_Level] = field(default_factory=list)
    place: object = None
    interrupted: bool = False
    """Something stood after the last item: only the next number goes on with the list."""
    waiting: str | None = None
    """An introduction that nothing has followed yet."""
    parent: str = ""
    """The last item."""

    def item(self, piece: Piece, words: str) -> str | None:
        """Take the next item; what governs it."""
        mark = mark_of(words[:_MARK_CHARACTERS])
        self._enter(piece.block)
        if piece.starts or not self._goes_on(mark):
            self.levels = [_Level(piece.depth, self.waiting, mark)]
        elif self.levels[-1].depth != piece.depth or not _same_list(mark, self.levels[-1].mark):
            self._find_level(mark, piece.depth)
        self.levels[-1].mark = mark
        self.waiting, self.interrupted = None, False
        self.parent = words[mark.length :] if mark else words
        return self.levels[-1].introduction

    def other(self, block: Block, text: str) -> None:
        """Anything between items; notes stand beside the text and change nothing."""
        if block.kind == "note":
            return
        self._enter(block)
        words = _of(text, block)
        if block.kind == "paragraph" and self.levels and not self.interrupted and words[:1].islower():
            return  # the item goes on, after a page break for instance
        self.interrupted = True
        if block.kind not in ("paragraph", "note"):
            self.levels = []
        self.waiting = _introduction(words) if block.kind in ("paragraph", "heading") else None

    def _enter(self, block: Block) -> None:
        if self.place != block.part:
            self.levels, self.waiting, self.place = [], None, block.part

    def _goes_on(self, mark: Mark | None) -> bool:
        if not self.levels or not self.interrupted:
            return bool(self.levels)
        if self.waiting or not mark or not mark.values:
            return False
        return any(level.mark and mark.follows(level.mark) for level in self.levels)

    def _find_level(self, mark: Mark | None, depth: int) -> None:
        """Go out to the level the item belongs to, or one further in."""
        outer = [level for level in self.levels if level.depth <= depth]
        for at in reversed(range(len(outer))):
            if outer[at].depth == depth and _same_list(mark, outer[at].mark):
                self.levels = outer[: at + 1]
                return
        nested = depth > self.levels[-1].depth
        self.levels = outer or self.levels[:1]
        above = self.levels[-1].introduction
        inner = _introduction(self.parent) or (self.parent if nested else "")
        self.levels.append(_Level(depth, _joined(above, inner), mark))


def _item(block: Block, introduction: str | None) -> Block:
    """The block as the item of a list; written out because `replace` takes four times as long."""
    if block.introduction or (block.kind == "list_item" and not introduction):
        return block
    return Block(
        kind="list_item",
        start=block.start,
        end=block.end,
        page=block.page,
        part=block.part,
        row=block.row,
        headers=block.headers,
        introduction=introduction,
        page_breaks=block.page_breaks,
    )


def _same_list(mark: Mark | None, other: Mark | None) -> bool:
    if mark is None or other is None:
        return mark is other
    if mark.style == other.style:
        return True
    return bool(set(mark.keys) & set(other.keys)) or mark.follows(other)


def _joined(above: str | None, inner: str) -> str | None:
    inner = one_line(_EMPHASIS.sub("", inner))
    if not inner or (len(inner) > _PARENT_CHARACTERS and not introduces(inner)):
        return above
    return _end_of(f"{above} {inner}") if above else inner


def _introduction(words: str) -> str | None:
    """The last sentence of a text that ends with a colon."""
    if not introduces(words):
        return None
    line = one_line(_EMPHASIS.sub("", words))
    return _end_of(_SENTENCE_END.split(line)[-1])


def _end_of(line: str) -> str:
    """The last words of a long introduction: the ones next to the list."""
    if len(line) <= _INTRODUCTION_CHARACTERS:
        return line
    return "… " + line[-_INTRODUCTION_CHARACTERS:].partition(" ")[2]


def _of(text: str, block: Block) -> str:
    return text[block.start : block.end]
