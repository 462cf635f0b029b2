"""The blocks of the passages, each with its place: what can be quoted."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from veraz.answer.evidence import place_of
from veraz.search.model import Hit, Passage
from veraz.text.blocks import Block, BlockKind
from veraz.text.injection import marked_sentences, visible, without_orders
from veraz.text.sentences import sentence_spans
from veraz.verify.model import Source

_QUOTABLE: frozenset[BlockKind] = frozenset({"paragraph", "list_item", "table_row", "note", "code"})
_MARK = re.compile(r"^\s*(?:[-*•·–|>#]+\s+|\|\s*)")
_INLINE = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)|\*\*|__|`")
_LONG = 200
"""Characters from which on a piece may have been cut."""
_SENTENCE_ENDS = '.!?…:;»”")'
_MOST = 300
"""Units that are read; the passages come best first."""
_Place = tuple[UUID, int]
"""A document, and where a block begins in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A paragraph, list item or table row of a passage, and where it stands."""

    number: int
    """Of its source, `[Chunk n]`."""
    document_id: UUID
    document_name: str
    start: int
    end: int
    """In the source's text."""
    at: int
    """Where it begins in its document: two overlapping passages hold the same unit."""
    text: str
    kind: BlockKind
    titles: tuple[str, ...]
    """What its document is called."""
    path: tuple[str, ...] = ()
    """Sheet and headings above it."""
    introduction: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    table: int | None = None
    row: int | None = None
    page: int | None = None
    partial: bool = False
    """Whether its table may have rows that no passage holds."""

    @property
    def place(self) -> tuple[str, ...]:
        """Everything it is found by besides its own text, outermost first."""
        return tuple(
            dict.fromkeys(filter(None, (*self.titles, *self.path, self.introduction, *self.columns)))
        )

    @property
    def meaning(self) -> str:
        """What is embedded: place and text."""
        return f"{' › '.join(self.place)}\n{self.text}"


def units_of(hits: Sequence[Hit], sources: Sequence[Source]) -> list[Unit]:
    """Every quotable piece of the passages, each once, as whole as any of them holds it; best passage first."""
    found: dict[_Place, Unit] = {}
    for hit, source in zip(hits, sources, strict=True):
        pieces = _from_blocks if hit.passage.blocks else _from_sentences
        for unit in pieces(hit.passage, source):
            key = (unit.document_id, unit.at)
            known = found.get(key)
            if known is None or len(known.text) < len(unit.text):
                found[key] = unit
    return _with_partial_tables(list(found.values()), _joined(hits))


def _joined(hits: Sequence[Hit]) -> tuple[set[_Place], set[_Place]]:
    """Where blocks begin that have another one before them in a passage, and those that have one behind them."""
    before: set[_Place] = set()
    behind: set[_Place] = set()
    for passage in (hit.passage for hit in hits):
        places = [
            (passage.document_id, passage.in_document(block.start, block.end)[0]) for block in passage.blocks
        ]
        before |= set(places[1:])
        behind |= set(places[:-1])
    return before, behind


def _with_partial_tables(units: list[Unit], joined: tuple[set[_Place], set[_Place]]) -> list[Unit]:
    """The units that are read, with the rows of tables marked of which some may be missing."""
    tables: dict[tuple[UUID, int], list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.table is not None:
            tables[unit.document_id, unit.table].append(unit)
    left_out = {id(unit) for unit in units[_MOST:]}
    partial = {
        id(row)
        for rows in tables.values()
        if not left_out.isdisjoint(map(id, rows)) or not _is_whole(rows, *joined)
        for row in rows
    }
    return [replace(unit, partial=True) if id(unit) in partial else unit for unit in units[:_MOST]]


def _is_whole(rows: Sequence[Unit], before: set[_Place], behind: set[_Place]) -> bool:
    """Whether something stands before the first row and behind the last, and nothing is missing between."""
    ordered = sorted(rows, key=lambda row: row.at)
    first, last = ((row.document_id, row.at) for row in (ordered[0], ordered[-1]))
    return (
        (first in before or ordered[0].row in (1, 2))
        and last in behind
        and all(_follows(one, other, before, behind) for one, other in pairwise(ordered))
    )


def _follows(one: Unit, other: Unit, before: set[_Place], behind: set[_Place]) -> bool:
    if one.row is not None and other.row == one.row + 1:
        return True
    return (one.document_id, one.at) in behind and (other.document_id, other.at) in before


def _from_blocks(passage: Passage, source: Source) -> Iterator[Unit]:
    titles = _titles(passage)
    shown = len(passage.content) == len(source.text)

    def at(place: int) -> int:
        """A place of the passage in what is shown of it: hidden signs are not."""
        return place if shown else len(visible(passage.content[:place]))

    for block in passage.blocks:
        if block.kind in _QUOTABLE:
            start, end = _whole_sentences(source.text, at(block.start), at(block.end))
            text = quotable(source.text[start:end])
            if text:
                cells = tuple(quotable(source.text[at(first) : at(last)]) for first, last in block.cells)
                yield _unit(passage, source, block, (start, end), text, cells, titles)


def _whole_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch without the halves of sentences that a window cut off at the edges of its passage."""
    spans = (
        sentence_spans(text, start, end) if end - start > _LONG and (start == 0 or end == len(text)) else []
    )
    if len(spans) > 1 and start == 0 and text[spans[0][0]].islower():
        start, spans = spans[1][0], spans[1:]
    if len(spans) > 1 and end == len(text) and text[end - 1] not in _SENTENCE_ENDS:
        end = spans[-2][1]
    return start, end


def _unit(
    passage: Passage,
    source: Source,
    block: Block,
    span: tuple[int, int],
    text: str,
    cells: tuple[str, ...],
    titles: tuple[str, ...],
) -> Unit:
    return Unit(
        number=source.number,
        document_id=passage.document_id,
        document_name=passage.document_name,
        start=span[0],
        end=span[1],
        at=passage.in_document(block.start, block.end)[0],
        text=text,
        kind=block.kind,
        titles=titles,
        path=tuple(dict.fromkeys(filter(None, map(_shown, (_sheet(block), *block.headers))))),
        introduction=_shown(block.introduction or ""),
        columns=tuple(map(_shown, block.columns)),
        cells=cells,
        table=block.table,
        row=block.row,
        page=block.page_at(span[0]),
    )


def _shown(text: str) -> str:
    """What stands around a unit, without what nobody sees and what orders a machine about."""
    return " ".join(without_orders(visible(text)).split())


def _sheet(block: Block) -> str:
    """A sheet's name; the number of a record says nothing."""
    return block.part if block.part and not block.part.startswith("row ") else ""


def _titles(passage: Passage) -> tuple[str, ...]:
    """Title and name without what only places the passage inside its document."""
    inside = {passage.part, *passage.headers}
    found = (part for part in place_of(passage) if part not in inside or part == passage.title)
    return tuple(filter(None, map(_shown, found)))


def _from_sentences(passage: Passage, source: Source) -> Iterator[Unit]:
    """Where a passage's blocks are not known, its sentences and the lines of tables and lists."""
    for start, end in _stretches(source.text):
        text = quotable(source.text[start:end])
        if text and not source.text[start:end].lstrip().startswith("#"):
            yield Unit(
                number=source.number,
                document_id=passage.document_id,
                document_name=passage.document_name,
                start=start,
                end=end,
                at=passage.offset + start,
                text=text,
                kind="paragraph",
                titles=_titles(passage),
                path=tuple(filter(None, map(_shown, passage.headers))),
            )


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    for start, end, order in marked_sentences(text):
        lines = text[start:end].split("\n")
        if order:
            continue
        if sum("|" in line or ";" in line for line in lines) * 2 <= len(lines):
            yield start, end
            continue
        for line in lines:
            yield start, start + len(line)
            start += len(line) + 1


def quotable(text: str) -> str:
    """A piece as it is quoted: one line, without the marks of its format before it."""
    return _INLINE.sub(lambda mark: mark[1] or "", _MARK.sub("", " ".join(text.split()))).strip()
