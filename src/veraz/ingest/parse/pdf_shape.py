"""What speaks for and against a table without lines, and how its words become cells."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, Self

from veraz.ingest.parse.pdf_rows import by_columns, figure_columns, group_lines, row_step
from veraz.ingest.parse.pdf_rules import Rule
from veraz.ingest.parse.pdf_table import Evidence, Table, Token, is_figure, share, text_of

_ROWS_MIN = 3
_LEADER_COLUMNS = 5
_PLAIN_WORDS = 4
_HEADER_LINES = 4
_CLOSER = 0.93
_ALIGNED = 2.0
_OFF_CENTRE, _OFF_CENTRE_MAX = 0.05, 4
"""How exactly the name of a group stands in the middle of its columns: in steps of this share of their width."""
_FLOWING, _FLOWING_WORDS = 0.4, 4
_FILLED = 0.5
"""The share of its cells a table fills at least."""
_DENSE, _DENSE_ROWS = 0.7, 5
_NAMED = 0.6
"""The share of its columns that have a name at least."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|_{4,}")
_MARKS = re.compile(r"[•▪◦‣●○■□–—*-]|\(?[a-zA-Z0-9]{1,3}[.)]")

Segment = list[Token]
Cells = dict[tuple[int, int], list[Token]]
Spans = dict[tuple[int, int], tuple[int, int]]


class VisualRow(NamedTuple):
    """A line across the page and the stretches of words in it."""

    tokens: list[Token]
    segments: list[Segment]
    bottom: float
    """Where its lowest word ends."""
    top: float
    """Where its highest word ends."""

    @classmethod
    def of(cls, segments: list[Segment]) -> Self:
        """The row of some stretches of words."""
        tokens = list(chain.from_iterable(segments))
        bottom, top = min([token.bottom for token in tokens]), max([token.top for token in tokens])
        return cls(tokens, segments, bottom, top)


def right_edge(words: Segment) -> float:
    """Where a stretch of words ends."""
    return max([token.right for token in words])


class Shape:
    """Rows and the borders of columns that may make a table."""

    def __init__(self, rows: Sequence[VisualRow], borders: list[float]) -> None:
        self._rows = rows
        self._borders = borders
        self._count = len(borders) + 1
        self._lines = [by_columns(row.tokens, borders) for row in rows]
        self._figures = figure_columns(self._lines[1:], self._count)

    def without_running_text(self) -> "Shape":
        """The same without a column of running text that stands beside it on the page."""
        rows, borders = self._rows, self._borders
        flowing = [column for column in range(self._count) if self._flows(column)]
        if self._count - 1 in flowing:
            rows, borders = _cut_off(rows, borders[-1], after=False), borders[:-1]
        if 0 in flowing and borders:
            rows, borders = _cut_off(rows, borders[0], after=True), borders[1:]
        return Shape(rows, borders) if len(borders) < len(self._borders) else self

    def _flows(self, column: int) -> bool:
        """Whether the lines of a column are those of running text: long, and many of them begin within a sentence."""
        lines = [line[column] for line in self._lines if column in line]
        if len(lines) < _ROWS_MIN or sum(map(len, lines)) < _FLOWING_WORDS * len(lines):
            return False
        return share([line[0].text[0].islower() for line in lines]) >= _FLOWING

    def first_row(self) -> int | None:
        """The line where the rows begin, below the names of the columns; None where that cannot be told."""
        if not self._lines:
            return None
        if not self._figures:
            return self._name_lines() if self._is_plain_table() else None
        for at in range(min(len(self._lines), _HEADER_LINES + 2)):
            if self._has_figure(at):
                return self._without_first_lines(at)
            named = self._named_above(at)
            if named is not None:
                return named + 1
        return None

    def _named_above(self, at: int) -> int | None:
        """The line that names the columns, where this one fills them too and is not the second line of the same names."""
        full = _DENSE * self._count
        above = [line for line in range(at) if len(self._lines[line]) >= full]
        if len(self._lines[at]) < full or not above:
            return None
        step = self._rows[above[-1]].tokens[0].middle - self._rows[at].tokens[0].middle
        return above[-1] if step >= _CLOSER * row_step(self._lines, self._figures) else None

    def _without_first_lines(self, begun: int) -> int:
        """Above the first figures there may stand lines of their own row, and the name of the rows that follow."""
        middles = [row.tokens[0].middle for row in self._rows]
        usual = row_step(self._lines, self._figures)
        while begun > 1 and usual and middles[begun - 1] - middles[begun] < _CLOSER * usual:
            begun -= 1
        title = begun > 1 and self._lines[begun - 1].keys() == {0} and len(self._lines[begun - 2]) > 1
        return begun - 1 if title and middles[begun - 2] - middles[begun - 1] > _CLOSER * usual else begun

    def _name_lines(self) -> int:
        """How many lines the names of the columns take where no figures tell."""
        first = group_lines(self._lines, self._count)[0]
        return len(first) if all(len(self._lines[at]) * 2 <= self._count for at in first[1:]) else 1

    def _has_figure(self, at: int) -> bool:
        """Whether a line has a figure where figures stand; a year may name a column of other figures."""
        line = self._lines[at]
        texts = [text_of(line[column]) for column in self._figures if column in line]
        below = [text_of(cell) for cell in self._lines[at + 1].values()] if at + 1 < len(self._lines) else []
        years = any(map(_YEAR.fullmatch, below))
        return any(is_figure(text) and (years or not _YEAR.fullmatch(text)) for text in texts)

    def evidence(self, begun: int) -> Evidence | None:
        """Whether it reads like a table: not a list of contents, not pairs of names and values, not running text."""
        body = self._grouped(begun)
        whole = share([len(row) > 1 for row in body])
        filled = sum(map(len, body)) / (self._count * len(body)) if body else 0.0
        fewest = 2 if self._figures else _ROWS_MIN
        if len(body) < fewest or whole < 0.5 or filled < _FILLED or self._is_text():
            return None
        if self._count == 2 and (len(body) < 3 or whole < 0.7):
            return None
        named = len(self._named(begun)) / self._count
        if self._count < _LEADER_COLUMNS and self._has_leaders():
            return None
        dense = len(body) > _DENSE_ROWS and len(self._figures - {0}) > 1 and filled >= _DENSE
        if named >= _NAMED or dense:
            return Evidence.SURE
        words = sum(len(row.tokens) for row in self._rows[begun:]) / (sum(map(len, body)) or 1)
        loose = not begun and bool(self._figures - {0}) and whole >= _DENSE and words <= _PLAIN_WORDS
        return Evidence.LOOSE if loose else None

    def _named(self, begun: int) -> set[int]:
        """The columns with a name of their own above them."""
        segments = [segment for row in self._rows[:begun] for segment in row.segments]
        return {self._column((segment[0].left + right_edge(segment)) / 2) for segment in segments}

    def _has_leaders(self) -> bool:
        """Dots that lead from the entries of a list of contents to their pages."""
        return share([bool(_LEADERS.search(text_of(row.tokens))) for row in self._rows]) > 0.2

    def table(self, begun: int, rules: Sequence[Rule]) -> Table:
        """The cells, header first."""
        cells, spans, headers = self._header(begun, rules)
        body = self._lines[begun:]
        for row, group in enumerate(group_lines(body, self._count, edges=self._edges(rules)), headers):
            for at in group:
                self._fill(cells, row, begun + at)
            if self._is_title([begun + at for at in group]):
                cells[row, 0] = [
                    token for column in range(self._count) for token in cells.pop((row, column), [])
                ]
                spans[row, 0] = (self._count, 1)
        return Table(cells, spans, headers)

    def _grouped(self, begun: int) -> list[set[int]]:
        """The columns each row has words in."""
        body = self._lines[begun:]
        return [set[int]().union(*(body[at] for at in group)) for group in group_lines(body, self._count)]

    def _is_title(self, group: list[int]) -> bool:
        """Whether a row only names those that follow: one stretch of words that begins in the first column."""
        columns = set[int]().union(*(self._lines[at] for at in group))
        if columns == {0}:
            return True
        return len(group) == 1 and len(self._rows[group[0]].segments) == 1 and 0 in columns

    def _fill(self, cells: Cells, row: int, at: int) -> None:
        for column, words in self._lines[at].items():
            cells.setdefault((row, column), []).extend(words)

    def _is_plain_table(self) -> bool:
        """Words only: at least three columns of short cells that begin below each other."""
        if self._count < 3 or share([len(row) * 2 > self._count for row in self._grouped(0)]) < 0.8:
            return False
        cells = [cell for line in self._lines for cell in line.values()]
        if sum(map(len, cells)) > _PLAIN_WORDS * len(cells):
            return False
        return all(self._is_aligned(column) for column in range(self._count))

    def _is_aligned(self, column: int) -> bool:
        cells = [line[column] for line in self._lines if column in line]
        lefts = [cell[0].left for cell in cells]
        middles = [(cell[0].left + cell[-1].right) / 2 for cell in cells]
        return max(most_alike(lefts), most_alike(middles)) >= 0.8

    def _is_list(self, column: int) -> bool:
        """Names followed by a colon before their values, or the marks of a list."""
        texts = [text_of(line[column]) for line in self._lines if column in line]
        return share([text.endswith(":") or bool(_MARKS.fullmatch(text)) for text in texts]) > 0.4

    def _is_text(self) -> bool:
        """Whether one of its columns holds running text or the marks of a list."""
        return any(self._flows(column) or self._is_list(column) for column in range(self._count))

    def _edges(self, rules: Sequence[Rule]) -> list[float]:
        """The heights of lines drawn across most of the table."""
        tokens = [token for row in self._rows for token in row.tokens]
        left, right = min(token.left for token in tokens), max(token.right for token in tokens)
        bottom, top = min(token.bottom for token in tokens), max(token.top for token in tokens)
        wide = 0.6 * (right - left)
        return [rule.at for rule in rules if bottom < rule.at < top and _overlap(rule, left, right) >= wide]

    def _header(self, begun: int, rules: Sequence[Rule]) -> tuple[Cells, Spans, int]:
        """Names of columns, and above them those of groups of columns."""
        groups: Cells = {}
        names: Cells = {}
        spans: Spans = {}
        for at in range(begun):
            for segment in self._rows[at].segments:
                first, last = self._covered(segment, at, begun, rules)
                if first < last:
                    groups.setdefault((0, first), []).extend(segment)
                    spans[0, first] = (last - first + 1, 1)
                else:
                    names.setdefault((0, first), []).extend(segment)
        if not groups:
            return names, {}, int(begun > 0)
        return groups | {(1, column): words for (_, column), words in names.items()}, spans, 2

    def _covered(self, segment: Segment, at: int, begun: int, rules: Sequence[Rule]) -> tuple[int, int]:
        """The columns a stretch of the header stands above."""
        left, right = segment[0].left, right_edge(segment)
        if at == begun - 1:
            middle = self._column((left + right) / 2)
            return middle, middle
        underline = self._underline(segment, at, rules)
        first, last = self._column(left), self._column(right)
        if underline:
            under = [column for column in range(self._count) if self._is_ruled_by(underline, column)]
            first, last = min([first, *under]), max([last, *under])
        if underline or self._goes_on_below(at):
            return first, last
        return self._centred(segment, at, first, last)

    def _is_ruled_by(self, rule: Rule, column: int) -> bool:
        """Whether a line is drawn over the middle of a column's words."""
        left, right = self._extent(column, column)
        return rule.start <= (left + right) / 2 <= rule.end

    def _goes_on_below(self, at: int) -> bool:
        """Whether a line of the header and the next one are lines of the same names."""
        step = self._rows[at].tokens[0].middle - self._rows[at + 1].tokens[0].middle
        return step < _CLOSER * row_step(self._lines, self._figures)

    def _underline(self, segment: Segment, at: int, rules: Sequence[Rule]) -> Rule | None:
        """The line drawn right below a stretch of words and below no other one of its row."""
        others = [other for other in self._rows[at].segments if other is not segment]
        bottom, height = min(token.bottom for token in segment), segment[0].height
        for rule in rules:
            near = bottom - height < rule.at < bottom + 0.4 * height
            if near and _spans(rule, segment) and not any(_spans(rule, other) for other in others):
                return rule
        return None

    def _centred(self, segment: Segment, at: int, first: int, last: int) -> tuple[int, int]:
        """The most columns in whose middle a name stands; other names of its line and the first column are not among them."""
        others = {
            self._column(word.left)
            for other in self._rows[at].segments
            if other is not segment
            for word in other
        }
        middle = (segment[0].left + right_edge(segment)) / 2
        best, nearest = (first, last), (_OFF_CENTRE_MAX, 0)
        for start in range(first, 0, -1):
            for end in range(last, self._count):
                left, right = self._extent(start, end)
                off = round(abs((left + right) / 2 - middle) / (right - left + 1) / _OFF_CENTRE)
                if (off, start - end) < nearest and not others & set(range(start, end + 1)):
                    best, nearest = (start, end), (off, start - end)
        return best

    def _extent(self, first: int, last: int) -> tuple[float, float]:
        """From where to where the words of some columns stand."""
        wide = [line for line in self._lines if len(line) > 1]
        words = [
            token for line in wide for column in range(first, last + 1) for token in line.get(column, ())
        ]
        return min((word.left for word in words), default=0.0), max(
            (word.right for word in words), default=0.0
        )

    def _column(self, x: float) -> int:
        return bisect_right(self._borders, x)


def _cut_off(rows: Sequence[VisualRow], border: float, *, after: bool) -> list[VisualRow]:
    """What stands after a border, or before it; rows of which nothing is left are left out."""
    kept = list[VisualRow]()
    for row in rows:
        segments = [
            words for words in row.segments if ((words[0].left + right_edge(words)) / 2 > border) == after
        ]
        if segments:
            kept.append(VisualRow.of(segments))
    return kept


def _spans(rule: Rule, words: Segment) -> bool:
    return rule.start <= words[0].left + 1 and right_edge(words) - 1 <= rule.end


def _overlap(rule: Rule, left: float, right: float) -> float:
    return min(rule.end, right) - max(rule.start, left)


def most_alike(places: list[float]) -> float:
    """The share of places that are nearly the same as one of them."""
    return max((share([abs(place - other) < _ALIGNED for other in places]) for place in places), default=1.0)
