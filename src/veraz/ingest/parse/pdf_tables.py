"""The lines of a PDF page in the order they are read: tables cell by cell, text in columns one column after the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count, groupby, pairwise, repeat
from operator import itemgetter, sub

from veraz.ingest.parse.pdf_columns import find_columns, visual_rows
from veraz.ingest.parse.pdf_grids import find_grids
from veraz.ingest.parse.pdf_layout import Cell, Line
from veraz.ingest.parse.pdf_rules import Box, Rule, Rules
from veraz.ingest.parse.pdf_shape import VisualRow
from veraz.ingest.parse.pdf_table import Evidence, Table, Token, visual_lines
from veraz.ingest.parse.pdf_text_columns import Column, find_text_columns
from veraz.ingest.parse.pdf_words import WordLine

_TOKENS_MAX = 6_000
"""Words of a page beyond which it is not searched for tables."""
_SAME_PLACE, _NEIGHBOURS = 2.0, 60.0
"""Points up to which lines stand on the same height, or follow each other in a table."""
_WIDE_GAP, _WIDEST_GAP = 0.5, 1.2
"""Words at least this many letter sizes apart may not follow each other, farther apart they never do."""
_WIDER, _WIDER_THAN_MOST = 1.75, 1.4
"""Times the usual gap; less than that where nearly all gaps are alike, as those of a typewriter."""
_USUAL_SIZE = 10.0
_LEADING = 1.17
"""A letter's box is about this many times as high as its size."""
_TOKEN = partial(tuple.__new__, Token)
"""A token from its fields: there are thousands on a page."""


def _no_rules() -> Rules:
    return Rules([], [])


def _no_font(_letter: int) -> str:
    return ""


def arrange(
    lines: Sequence[WordLine],
    rules: Callable[[], Rules] = _no_rules,
    font: Callable[[int], str] = _no_font,
    rotation: int = 0,
) -> Iterator[Line]:
    """The lines of a page in their order, those of each table together and with their cells.

    `rules` and the `font` of a letter are asked for only where words stand like a table's; `rotation` is by how many
    quarters a page is turned when it is shown.
    """
    gap = _wide_gap(lines)
    if not _stands_apart(lines, gap, rotation):
        return (line.line() for line in lines)
    tokens = [token for number, line in enumerate(lines) for token in _tokens(number, line, rotation)]
    found, rest, rows = _tables(lines, tokens, gap, rules, rotation)
    tables = [_weighed(table, lines, font) for table in found]
    across = _goes_across([lines[number] for number in sorted({token.line for token in rest})], gap, rotation)
    columns = find_text_columns(rows or visual_rows(rest, gap)) if across else []
    if not tables and not columns:
        return (line.line() for line in lines)
    return _in_order(lines, tables, columns)


def _wide_gap(lines: Sequence[WordLine]) -> float:
    """How many letter sizes apart words no longer follow each other: clearly more than is usual on the page."""
    gaps = sorted(
        gap / line.size
        for line in lines
        if line.size
        for gap in map(sub, line.lefts[1:], line.rights)
        if gap > 0
    )
    usual, median = (gaps[len(gaps) // 4], gaps[len(gaps) // 2]) if gaps else (0.0, 0.0)
    return min(_WIDEST_GAP, max(_WIDE_GAP, min(_WIDER * usual, _WIDER_THAN_MOST * median)))


def _stands_apart(lines: Sequence[WordLine], gap: float, rotation: int) -> bool:
    """Whether in neighbouring lines words stand far from each other on the same height."""
    if sum(len(line.texts) for line in lines) > _TOKENS_MAX:
        return False
    ends = [line.lefts if rotation % 2 else line.bottoms for line in lines]
    places = sorted(each[0] for each in ends)
    apart = [a for a, b in pairwise(places) if b - a < _SAME_PLACE]
    apart += [each[0] for each, line in zip(ends, lines, strict=True) if _has_gap(line, gap)]
    apart.sort()
    return any(_SAME_PLACE <= b - a < _NEIGHBOURS for a, b in pairwise(apart))


def _goes_across(lines: Sequence[WordLine], gap: float, rotation: int) -> bool:
    """Whether a page has lines that follow each other on the same height, or words far apart in one: twice at least."""
    places = [(line.lefts if rotation % 2 else line.bottoms)[0] for line in lines]
    beside = sum(abs(a - b) < _SAME_PLACE for a, b in pairwise(places))
    return beside > 1 or sum(_has_gap(line, gap) for line in lines) + beside > 1


def _has_gap(line: WordLine, gap: float) -> bool:
    lefts = line.lefts
    return len(lefts) > 1 and max(map(sub, lefts[1:], line.rights)) > gap * (line.size or _USUAL_SIZE)


def _tables(
    lines: Sequence[WordLine],
    tokens: Sequence[Token],
    gap: float,
    rules: Callable[[], Rules],
    rotation: int,
) -> tuple[list[Table], list[Token], list[VisualRow]]:
    """The tables of a page, the words outside of them, and the rows of those where they are known."""
    drawn = _turned_rules(rules(), rotation)
    grids = find_grids(tokens, drawn)
    rest = _without(tokens, grids)
    outside = {token.line for token in rest}
    if grids and not _stands_apart([lines[number] for number in sorted(outside)], gap, rotation):
        return grids, rest, []
    rows = visual_rows(rest, gap)
    if tables := find_columns(rows, drawn.across):
        return grids + tables, _without(rest, tables), []
    return grids, rest, rows


def _without(tokens: Sequence[Token], tables: Sequence[Table]) -> list[Token]:
    """The words that stand in none of the tables."""
    if not tables:
        return list(tokens)
    used = {(token.line, token.at) for table in tables for token in table.tokens()}
    return [token for token in tokens if (token.line, token.at) not in used]


def _weighed(table: Table, lines: Sequence[WordLine], font: Callable[[int], str]) -> Table:
    """A header in the same font as the rows may be a row itself."""
    if not table.headers or table.evidence is Evidence.LOOSE:
        return table
    row, column = min(table.cells)
    below = [tokens for (other, at), tokens in table.cells.items() if at == column and other >= table.headers]
    fonts = [font(lines[tokens[0].line].letter) for tokens in (table.cells[row, column], *below[:1])]
    return table._replace(evidence=Evidence.SURE if len(set(fonts)) > 1 else Evidence.GUESSED)


def _tokens(number: int, line: WordLine, rotation: int) -> Iterator[Token]:
    boxes: Iterable[Sequence[float]] = (line.lefts, line.bottoms, line.rights, line.tops)
    if rotation:
        boxes = zip(*(_turned(box, rotation) for box in zip(*boxes, strict=True)), strict=True)
    size = line.size or (line.tops[0] - line.bottoms[0]) / _LEADING
    return map(_TOKEN, zip(line.texts, *boxes, repeat(number), count(), repeat(size), strict=False))


def _turned(box: Box, rotation: int) -> Box:
    """A box as it is seen on a page shown turned by so many quarters."""
    left, bottom, right, top = box
    if rotation == 1:
        return bottom, -right, top, -left
    if rotation == 2:
        return -right, -top, -left, -bottom
    if rotation == 3:
        return -top, left, -bottom, right
    return box


def _turned_rules(rules: Rules, rotation: int) -> Rules:
    if not rotation:
        return rules
    across = [_turned((rule.start, rule.at, rule.end, rule.at), rotation) for rule in rules.across]
    down = [_turned((rule.at, rule.start, rule.at, rule.end), rotation) for rule in rules.down]
    if rotation % 2:
        across, down = down, across
    return Rules(
        sorted(Rule(bottom, left, right) for left, bottom, right, _ in across),
        sorted(Rule(left, bottom, top) for left, bottom, _, top in down),
    )


def _in_order(
    lines: Sequence[WordLine], tables: Sequence[Table], texts: Sequence[Sequence[Column]]
) -> Iterator[Line]:
    """Running text where it was, each table and each text in columns where its first word was."""
    owners = _owners([*map(Table.tokens, tables), *map(_column_tokens, texts)])
    rewritten = {number: _table_lines(lines, number, table) for number, table in enumerate(tables, 1)}
    rewritten |= {at: _column_lines(lines, text) for at, text in enumerate(texts, len(tables) + 1)}
    for number, line in enumerate(lines):
        if number not in owners:
            yield line.line()
            continue
        for owner, run in _owned(owners[number], len(line.texts)):
            if owner:
                yield from rewritten.pop(owner, ())
            else:
                yield line.part(run[0], run[-1] + 1).line()


def _owners(groups: Sequence[Iterable[Token]]) -> dict[int, dict[int, int]]:
    """Which group the words of each line belong to, counted from 1."""
    found: dict[int, dict[int, int]] = {}
    for number, tokens in enumerate(groups, 1):
        for token in tokens:
            found.setdefault(token.line, {})[token.at] = number
    return found


def _column_tokens(columns: Sequence[Column]) -> Iterator[Token]:
    return (token for column in columns for line in column for token in line)


def _column_lines(lines: Sequence[WordLine], columns: Sequence[Column]) -> Iterator[Line]:
    """The lines of each column to its end."""
    for tokens in chain.from_iterable(columns):
        for line, first, last in _runs(tokens):
            yield lines[line].part(first, last + 1).line()


def _owned(tables: dict[int, int], words: int) -> Iterator[tuple[int, list[int]]]:
    """Words of a line that follow each other in the same table, or in none."""
    for table, run in groupby(range(words), key=lambda at: tables.get(at, 0)):
        yield table, list(run)


def _table_lines(lines: Sequence[WordLine], number: int, table: Table) -> Iterator[Line]:
    """Cell by cell; as they were where it may turn out to be running text."""
    runs = [(place, run) for place, tokens in sorted(table.cells.items()) for run in _runs(tokens)]
    if table.evidence is Evidence.LOOSE:
        runs.sort(key=itemgetter(1))
    for (row, column), (line, first, last) in runs:
        across, down = table.spans.get((row, column), (1, 1))
        cell = Cell(number, row, column, across, down, row < table.headers, table.evidence)
        yield lines[line].part(first, last + 1).line()._replace(cell=cell)


def _runs(tokens: Iterable[Token]) -> Iterator[tuple[int, int, int]]:
    """Words of a cell that follow each other in the same line, from top to bottom."""
    line = first = last = -1
    for token in chain.from_iterable(visual_lines(tokens)):
        if token.line == line and token.at == last + 1:
            last = token.at
            continue
        if line >= 0:
            yield line, first, last
        line, first, last = token.line, token.at, token.at
    if line >= 0:
        yield line, first, last
