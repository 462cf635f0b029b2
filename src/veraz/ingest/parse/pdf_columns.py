"""Tables without lines: words that stand in the same columns, row after row."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from veraz.ingest.parse.pdf_rows import by_columns
from veraz.ingest.parse.pdf_rules import Rule
from veraz.ingest.parse.pdf_shape import Segment, Shape, VisualRow, right_edge
from veraz.ingest.parse.pdf_table import Evidence, Table, Token, visual_lines

_ROWS_MIN, _COLUMNS_MIN = 3, 3
_RIVER = 0.4
"""The narrowest white between two columns, in letter sizes."""
_CROSSING_MAX = 2
"""Rows one below the other that may cross it: names of groups of columns, titles."""
_TITLE_WORDS, _PROSE_WORDS = 8, 10
_FARTHEST = 2.2
"""Rows with more white between them than this many times their height are no longer the same table."""
_CELL_WORDS = 6
_ALONE_MAX = 7
"""Lines of a single stretch that may stand among the rows: names of groups, second lines of cells."""
_CLOSE = 0.5
_OVERLAPPING = 0.1
"""Lines that overlap by this share of their height are those of cells beside each other."""
_ALIGNED = 2.0
_ENDLESS = 1e9
_MARGIN_LINES = 4
"""Lines that may stand at the top of each page."""

White = tuple[float, float]
"""From the right edge of what stands before it to the left edge of what follows."""


def visual_rows(tokens: Sequence[Token], gap: float) -> list[VisualRow]:
    """Words on the same height, in stretches of those that follow each other nearer than `gap` letter sizes."""
    return [VisualRow.of(_segments(line, gap)) for line in visual_lines(tokens)]


def find_columns(page: Sequence[VisualRow], rules: Sequence[Rule]) -> list[Table]:
    """The tables of a page that only the places of their words show, from top to bottom."""
    rows = list(page)
    found = list[Table]()
    for first, last in list(_runs(rows)):
        rows[first : last + 1] = _split_at_columns(rows[first : last + 1])
        end = _last_dense(rows, first, last)
        while end > first:
            start, rivers = _upwards(rows, first, end)
            table = _table(rows, start, end, rivers, rules) if end - start + 1 >= _ROWS_MIN else None
            found += [table] if table else []
            end = _last_dense(rows, first, start - 1 if table or end - start > 1 else end - 1)
    return sorted(found, key=lambda table: -max(token.top for token in table.tokens()))


def _last_dense(rows: Sequence[VisualRow], first: int, last: int) -> int:
    """The last row with at least half as many segments as any other: what stands below is no part of its table."""
    most = max((len(row.segments) for row in rows[first : last + 1]), default=0)
    while last > first and len(rows[last].segments) < max(2, most / 2):
        last -= 1
    return last


def _segments(line: list[Token], gap: float) -> list[Segment]:
    """Words of a line that follow each other, nearer than `gap` letter sizes."""
    found = [[line[0]]]
    for before, token in pairwise(line):
        if token.left - before.right > gap * max(before.size, token.size):
            found.append([])
        found[-1].append(token)
    return found


def _runs(rows: Sequence[VisualRow]) -> Iterator[tuple[int, int]]:
    """Stretches of rows near each other, most of them in several segments; as first and last row."""
    first = last = -1
    for at, row in enumerate(rows):
        near = first >= 0 and _white(rows, at) < _FARTHEST * (row.top - row.bottom)
        if first >= 0 and (not near or at - last > _ALONE_MAX or _is_prose(row, rows[first])):
            yield first, last
            first = -1
        if len(row.segments) > 1 or (at and _white(rows, at) < -_OVERLAPPING * (row.top - row.bottom)):
            first, last = (at if first < 0 else first), at
    if first >= 0:
        yield first, last


def _split_at_columns(rows: Sequence[VisualRow]) -> list[VisualRow]:
    """The rows, those with cells so close that they look like one cut where the white of the fullest rows goes through."""
    most = max(len(row.segments) for row in rows)
    full = [row for row in rows if len(row.segments) == most]
    if len(full) < _ROWS_MIN or most < _COLUMNS_MIN:
        return list(rows)
    rivers = white_of(full[0].segments)
    for row in full[1:]:
        rivers = common_white(rivers, white_of(row.segments), row)
    if len(inner_white(rivers)) < most - 1:
        return list(rows)
    return [_split(row, rivers) if 1 < len(row.segments) < most else row for row in rows]


def _split(row: VisualRow, rivers: Sequence[White]) -> VisualRow:
    """A row cut in all rivers, where each of them goes between two words of it."""
    common = common_white(rivers, white_of([[token] for token in row.tokens]), row)
    if _held(rivers, common) < len(inner_white(rivers)):
        return row
    cuts = [(left + right) / 2 for left, right in inner_white(common)]
    columns = by_columns(row.tokens, cuts)
    return VisualRow.of([columns[column] for column in sorted(columns)])


def _is_prose(row: VisualRow, other: VisualRow) -> bool:
    """Whether a line is one of running text that begins before the columns."""
    return (
        len(row.segments) == 1
        and len(row.tokens) > _PROSE_WORDS
        and row.tokens[0].left < other.tokens[0].left + 1
    )


def _white(rows: Sequence[VisualRow], at: int) -> float:
    """The white above a row."""
    return rows[at - 1].bottom - rows[at].top


def _upwards(rows: Sequence[VisualRow], first: int, last: int) -> tuple[int, list[White]]:
    """How far up the white between the columns of the last row goes, and what of it goes all the way."""
    rivers = white_of(rows[last].segments)
    top = last
    crossing = 0
    for at in range(last - 1, first - 1, -1):
        common = common_white(rivers, white_of(rows[at].segments), rows[at])
        held = _held(rivers, common)
        if held == len(inner_white(rivers)):
            rivers, crossing, top = common, 0, at
        elif last - at < _ROWS_MIN and inner_white(common) and len(rows[at].segments) > 1:
            rivers, top = common, at
        else:
            crossing += 1
            alone = held == 0 or len(rows[at].segments) == 1
            if crossing > _CROSSING_MAX or (alone and len(rows[at].tokens) > _TITLE_WORDS):
                break
    return top, rivers


def white_of(segments: Sequence[Segment]) -> list[White]:
    """The white before, between and after the segments of a row."""
    edges = [
        -_ENDLESS,
        *(edge for words in segments for edge in (words[0].left, right_edge(words))),
        _ENDLESS,
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def common_white(rivers: Sequence[White], whites: Sequence[White], row: VisualRow) -> list[White]:
    """The white that both have; too narrow ones are left out."""
    narrowest = _RIVER * row.tokens[0].size
    found = list[White]()
    for left, right in rivers:
        for other_left, other_right in whites:
            if other_left >= right:
                break
            start = left if left > other_left else other_left
            end = right if right < other_right else other_right
            if end - start >= narrowest:
                found.append((start, end))
    return found


def inner_white(rivers: Sequence[White]) -> list[White]:
    """The white between columns, without that before the first and after the last."""
    return [(left, right) for left, right in rivers if left > -_ENDLESS and right < _ENDLESS]


def _held(rivers: Sequence[White], common: Sequence[White]) -> int:
    """How many of the rivers between columns still flow."""
    return sum(any(left <= a and b <= right for a, b in common) for left, right in inner_white(rivers))


def _table(
    rows: Sequence[VisualRow], first: int, last: int, rivers: list[White], rules: Sequence[Rule]
) -> Table | None:
    inner = [(left + right) / 2 for left, right in inner_white(rivers)]
    if not inner:
        return None
    while first < last and len(rows[first].segments) == 1 and rows[first].tokens[0].left < inner[0]:
        first += 1
    first = _group_row(rows, first, inner)
    last = _last_lines(rows, last, inner)
    shape = Shape(rows[first : last + 1], inner).without_running_text()
    begun = shape.first_row()
    evidence = None if begun is None else shape.evidence(begun)
    if begun is None or evidence is None or (evidence is Evidence.LOOSE and first > _MARGIN_LINES):
        return None
    return shape.table(begun, rules)._replace(evidence=evidence)


def _group_row(rows: Sequence[VisualRow], first: int, borders: list[float]) -> int:
    """The row above that only names groups of columns."""
    if first == 0:
        return first
    above = rows[first - 1]
    near = _white(rows, first) < max(0.8 * (above.top - above.bottom), 1.3 * _white(rows, first + 1))
    short = len(above.tokens) <= _CELL_WORDS * len(borders)
    beside = above.tokens[0].left > borders[0] or len(above.segments) > 1
    return first - 1 if near and short and beside else first


def _last_lines(rows: Sequence[VisualRow], last: int, borders: list[float]) -> int:
    """The lines below that go on with a cell of the last row."""
    while last + 1 < len(rows):
        above, below = rows[last], rows[last + 1]
        columns = by_columns(below.tokens, borders)
        near = above.bottom - below.top < _CLOSE * (below.top - below.bottom)
        if not near or len(columns) > 1 or 0 in columns or not _under(above, below):
            break
        last += 1
    return last


def _under(above: VisualRow, below: VisualRow) -> bool:
    left = below.tokens[0].left
    return any(
        abs(segment[0].left - left) < _ALIGNED or right_edge(segment) > left + 1
        for segment in above.segments[1:]
    )
