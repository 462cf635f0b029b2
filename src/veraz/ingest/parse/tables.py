"""Tables as rows × columns: merged cells filled, the rows that name the columns told from the others."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.records import is_header

_GROUP = " › "
"""Between the name of a group of columns and the name of one of them: «Precio › Contado»."""
_ACROSS_MAX = 200
_DOWN_MAX = 5_000
_HEADER_ROWS_MAX = 4
_GROUP_CHARACTERS = 80
_BELOW_SAMPLE = 20
_YEAR = re.compile(r"(?:19|20)\d\d")
_LIKE_A_VALUE = re.compile(r"\d|[.:]$|^.{61,}")
"""What the first row of two columns has when it is «Teléfono | 555 12 34» and not «Plan | Precio»."""
_UNIT = re.compile(
    r"[(\[][^()\[\]]{1,20}[)\]]|[€$£%‰]|[kcm]?[gm][²³]?|[mc]?l|uds?\.?|h|min\.?|kwh?|eur|usd|mxn",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as its file has it: its text (None: the one above goes on) and how far it reaches."""

    text: str | None
    across: int = 1
    down: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row with a value for every column."""

    cells: tuple[str, ...]
    title: bool = False
    """One cell alone: a title above the table, or the name of the rows that follow."""
    header: bool = False
    """The file itself says that it names the columns."""
    number: int | None = None
    """Which row of its table it is, empty ones counted."""


@dataclass(slots=True)
class Grid:
    """Lays the cells of a table out: what a merged cell says stands in every row and column it covers."""

    rows: list[Row] = field(default_factory=list)
    _count: int = 0
    _reaching: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Text and remaining rows of the cells that reach down, by column."""

    def add(self, cells: Sequence[Cell], *, header: bool = False) -> None:
        """The next row, with the cells it has in the file."""
        self._count += 1
        above, self._reaching = self._reaching, {}
        alone = len(cells) == 1 and not above
        filled: list[str] = []
        for cell in cells:
            self._go_on(filled, above)
            text = self._above(len(filled)) if cell.text is None else one_line(cell.text)
            for _ in range(max(1, min(cell.across, _ACROSS_MAX))):
                self._reach(len(filled), text, min(cell.down, _DOWN_MAX) - 1)
                filled.append(text)
        while above:
            self._go_on(filled, above)
            if above:
                filled.append("")
        if any(filled):
            shown = tuple(filled[:1] if alone else filled)
            self.rows.append(Row(shown, title=alone, header=header, number=self._count))

    def _go_on(self, filled: list[str], above: dict[int, tuple[str, int]]) -> None:
        """Take the cells from above that stand at the next places."""
        while len(filled) in above:
            text, left = above.pop(len(filled))
            self._reach(len(filled), text, left - 1)
            filled.append(text)
        for passed in [column for column in above if column < len(filled)]:
            del above[passed]  # cells that overlap: the row's own wins

    def _reach(self, column: int, text: str, left: int) -> None:
        if left > 0:
            self._reaching[column] = (text, left)

    def _above(self, column: int) -> str:
        row = next((row for row in reversed(self.rows) if not row.title), None)
        return row.cells[column] if row and column < len(row.cells) else ""


def write_table(
    builder: Builder, rows: Sequence[Row], *, write_title: Callable[[int], None] | None = None
) -> None:
    """A table as «a | b | c» lines, each with the names of its columns and what stands above it alone in its row.

    `write_title` writes the row at that place of `rows` in another way than as a row of one cell.
    """
    body = [row for row in rows if not row.title]
    if body or (rows and not write_title):
        builder.table()
    count = count_header_rows(body)
    columns = column_names([row.cells for row in body[:count]])
    written, group = 0, ""
    for at, row in enumerate(rows):
        if not row.title:
            written += 1
            header = written <= count
            builder.row(row.cells, columns=columns, number=row.number, header=header, group=group)
            continue
        group = group_name(row.cells[0])
        if write_title:
            write_title(at)
        else:
            builder.row(row.cells, number=row.number)


def group_name(title: str) -> str:
    """What a title in a table calls the rows below it; empty when it rather says something about them."""
    name = title.strip().rstrip(":")
    return "" if len(name) > _GROUP_CHARACTERS or name.endswith(".") or not name[:1].isalnum() else name


def count_header_rows(rows: Sequence[Row]) -> int:
    """How many of the first rows name the columns: those the file marks, or those that must be."""
    marked = next((at for at, row in enumerate(rows) if not row.header), 0)
    count = marked or int(names_columns([row.cells for row in rows[: _BELOW_SAMPLE + 1]]))
    while 0 < count < min(len(rows) - 1, _HEADER_ROWS_MAX):
        if not continues_header(rows[count - 1].cells, rows[count].cells):
            break
        count += 1
    return min(count, _HEADER_ROWS_MAX)


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of these rows names the columns of the others."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    first, below = rows[0], rows[1:]
    names = ["year" if _is_year_name(first, below, at) else cell for at, cell in enumerate(first)]
    if not is_header(names) or any("@" in name for name in names):
        return False
    return len(first) > 2 or not any(_LIKE_A_VALUE.search(_YEAR.sub("", name)) for name in names)


def continues_header(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether the row below a header row names columns too: parts of its groups, or their units."""
    filled = [cell for cell in lower if cell]
    if filled and all(_UNIT.fullmatch(cell) for cell in filled):
        return True
    groups = [at for at in range(1, len(upper)) if upper[at] and upper[at] == upper[at - 1]]
    if not groups or len(lower) != len(upper) or not is_header(lower):
        return False
    return all(lower[at] and lower[at] != lower[at - 1] for at in groups)


def column_names(header: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One name per column from the rows of a header: «Precio › Contado», «Peso (kg)»."""
    names = [""] * max(map(len, header), default=0)
    for row in header:
        for at, cell in enumerate(row):
            if cell and cell != names[at].rpartition(_GROUP)[2]:
                apart = " " if _UNIT.fullmatch(cell) else _GROUP
                names[at] = f"{names[at]}{apart}{cell}" if names[at] else cell
    return tuple(names)


def _is_year_name(first: Sequence[str], below: Sequence[Sequence[str]], at: int) -> bool:
    """A year above figures that are no years: «Producto | 2023 | 2024»."""
    if not _YEAR.fullmatch(first[at]) or all(_YEAR.fullmatch(cell) for cell in first if cell):
        return False
    return not any(at < len(row) and _YEAR.fullmatch(row[at]) for row in below)
