"""XLSX and XLS: each sheet a part, each row with the names of its columns."""

import io
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.containers import OLE_MAGIC
from veraz.ingest.parse.drawing import graphic_texts
from veraz.ingest.parse.embedded import in_package, in_storages, write_embedded
from veraz.ingest.parse.finish import About
from veraz.ingest.parse.ole import OleFile
from veraz.ingest.parse.ooxml import Package
from veraz.ingest.parse.size import too_large
from veraz.ingest.parse.tables import column_names, continues_header, group_name, names_columns
from veraz.ingest.parse.xls_boxes import text_boxes
from veraz.ingest.parse.xlsx_sheets import Hidden, hidden_in_xls, parts_below, scan_sheet, sheet_parts

Cell = int | float | str | bool | time | date | datetime | timedelta
Row = tuple[int, list[Cell]]

_DENSE_CELLS_MAX = 25_000_000
_MERGED_MAX = 20_000
_MERGED_ACROSS_MAX = 200
_MERGED_DOWN_MAX = 5_000
_SAMPLE_ROWS = 6
_GRAPHICS = ("xl/drawings/drawing", "xl/charts/chart", "xl/diagrams/data")
_FILEPASS = 0x002F
_END_OF_GLOBALS = 0x000A


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """What is known of a workbook before it is read."""

    about: About
    boxes: dict[str, list[str]] = field(default_factory=dict)
    """The text boxes over its sheets."""
    hidden: dict[str, Hidden] = field(default_factory=dict)
    """The rows and columns its sheets do not show."""


def read(source: Source) -> Parsed:
    """Every sheet that is shown, row by row."""
    builder = Builder(source, unit="sheet")
    package = None if source.data.startswith(OLE_MAGIC) else Package(source.data)
    checked = _check_xls(source) if package is None else _check_xlsx(source, package)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.data))
        for name in _shown_sheets(workbook):
            builder.enter(part=name)
            _write_sheet(builder, _sheet(workbook, name), checked.hidden.get(name, Hidden()))
            for text in checked.boxes.get(name, ()):
                builder.add("note", text)
        unseen = set(workbook.sheet_names).difference(_shown_sheets(workbook))
        builder.leave_out("sheets", len(unseen))
    except PasswordError as error:
        raise errors.Protected() from error
    except (CalamineError, OSError) as error:
        raise errors.Corrupt() from error
    if package is not None:
        _write_parts(source, package, builder, unseen)
    else:
        builder.enter()
        with OleFile(source.data) as ole:
            write_embedded(source, builder, in_storages(ole))
    return builder.finish(checked.about)


def _shown_sheets(workbook: CalamineWorkbook) -> list[str]:
    return [sheet.name for sheet in workbook.sheets_metadata if sheet.visible is SheetVisibleEnum.Visible]


def shown(value: Cell | None) -> str:
    """A cell as people read it: whole numbers without «.0», dates as year-month-day."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e18 else f"{value:.15g}"
    if isinstance(value, datetime):
        whole_day = value.time() == time()
        return value.date().isoformat() if whole_day else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _sheet(workbook: CalamineWorkbook, name: str) -> CalamineSheet | None:
    """A sheet's cells; None for chart sheets, which have none."""
    try:
        return workbook.get_sheet_by_name(name)
    except CalamineError as error:
        if "WorksheetNotFound" in str(error) or "not found" in str(error).lower():
            return None
        raise


def _write_sheet(builder: Builder, sheet: CalamineSheet | None, hidden: Hidden) -> None:
    if sheet is not None:
        rows = _seen_rows(sheet, hidden, builder)
        _SheetRows(builder, rows, _merged_rows(sheet), hidden).write()


class _SheetRows:
    """Writes the rows of a sheet, with the columns and the title of the table they are in."""

    def __init__(self, builder: Builder, rows: list[Row], merged: set[int], hidden: Hidden) -> None:
        self._builder = builder
        self._rows = rows
        self._merged = merged
        self._hidden = hidden
        self._columns: tuple[str, ...] = ()
        self._header_end = 0
        self._group, self._group_at = "", -1

    def write(self) -> None:
        self._builder.table()
        for at, (number, cells) in enumerate(self._rows):
            if at >= self._header_end and self._may_name_columns(at):
                self._begin_table(at)
            texts = _shown(cells)
            several = sum(map(bool, texts)) > 1
            if at < self._header_end:
                self._builder.row(texts, columns=self._columns, number=number, header=True, group=self._group)
            elif several:
                self._builder.row(texts, columns=self._columns, number=number, named=True, group=self._group)
            else:
                self._builder.row(texts, number=number, named=True)
                self._take_title(at, texts[-1] if texts else "")

    def _begin_table(self, at: int) -> None:
        end = _header_end(self._rows, at)
        if end == at:
            return
        if self._columns:
            self._builder.table()
        if self._group_at != at - 1:
            self._group = ""
        self._columns = column_names([_shown(cells) for _, cells in self._rows[at:end]])
        self._header_end = end

    def _take_title(self, at: int, text: str) -> None:
        """A cell alone names the rows below when it is merged across them or stands right above a header."""
        following = at + 1
        above_header = (
            following < len(self._rows)
            and self._may_name_columns(following)
            and _header_end(self._rows, following) > following
        )
        if above_header or self._rows[at][0] in self._merged:
            self._group, self._group_at = group_name(text), at

    def _may_name_columns(self, at: int) -> bool:
        """The first rows of a sheet, or rows after a gap, may name the columns of what follows."""
        return not self._columns or at == 0 or self._is_gap(self._rows[at - 1][0], self._rows[at][0])

    def _is_gap(self, above: int, below: int) -> bool:
        """Whether an empty row stands between two others, hidden ones not counted."""
        return below - above - self._hidden.rows_between(above, below) > 1


def _merged_rows(sheet: CalamineSheet) -> set[int]:
    """The rows in which cells are merged from left to right."""
    ranges = (sheet.merged_cell_ranges or [])[:_MERGED_MAX]
    return {top + 1 for (top, left), (bottom, right) in ranges if top == bottom and right > left}


def _shown(cells: list[Cell]) -> list[str]:
    """The cells of a row as people read them, up to the last one that is filled."""
    end = len(cells)
    while end and cells[end - 1] == "":
        end -= 1
    return [cell if isinstance(cell, str) else shown(cell) for cell in cells[:end]]


def _seen_rows(sheet: CalamineSheet, hidden: Hidden, builder: Builder) -> list[Row]:
    """The rows with something in them that people see, without the columns they do not see."""
    filled = _filled_rows(sheet)
    rows = [(number, cells) for number, cells in filled if number not in hidden.rows]
    builder.leave_out("rows", len(filled) - len(rows))
    if not hidden.columns or sheet.start is None:
        return rows
    first, width = sheet.start[1], max((len(cells) for _, cells in rows), default=0)
    kept = [at for at in range(width) if not hidden.hides_column(first + at)]
    unseen = set(range(width)).difference(kept)
    builder.leave_out(
        "columns", sum(any(cells[at : at + 1] not in ([], [""]) for _, cells in rows) for at in unseen)
    )
    seen = [(number, [cells[at] for at in kept if at < len(cells)]) for number, cells in rows]
    return [(number, cells) for number, cells in seen if cells.count("") < len(cells)]


def _filled_rows(sheet: CalamineSheet) -> list[Row]:
    """The rows with something in them, merged cells filled."""
    if sheet.start is None:
        return []
    rows = {
        number: cells for number, cells in enumerate(sheet.iter_rows(), 1) if cells.count("") < len(cells)
    }
    for (top, left), (bottom, right) in (sheet.merged_cell_ranges or [])[:_MERGED_MAX]:
        _fill(rows, (top + 1, bottom + 1), left - sheet.start[1], right - sheet.start[1])
    return list(rows.items())


def _fill(rows: dict[int, list[Cell]], between: tuple[int, int], left: int, right: int) -> None:
    """Write what a merged cell says into every cell it covers; a title across the sheet is said once."""
    first = rows.get(between[0], [])
    value = first[left] if 0 <= left < len(first) else ""
    end = left if _is_title(first, left, right) else right
    if value == "" or end - left > _MERGED_ACROSS_MAX:
        return
    for number in range(between[0], min(between[1], between[0] + _MERGED_DOWN_MAX) + 1):
        if number in rows:
            for column in range(left, min(end, len(rows[number]) - 1) + 1):
                rows[number][column] = value


def _is_title(cells: list[Cell], left: int, right: int) -> bool:
    return left == 0 and all(cell == "" for cell in cells[right + 1 :])


def _header_end(rows: list[Row], at: int) -> int:
    """Where the rows that name columns end, from a row on; the row itself when it names none."""
    filled = [place for place, cell in enumerate(rows[at][1]) if cell != ""]
    if len(filled) < 2 or not all(_may_be_name(rows[at][1][place]) for place in filled):
        return at
    sample = [[shown(cell) for cell in row] for _, row in rows[at : at + _SAMPLE_ROWS]]
    if len(sample) < 2 or sum(map(bool, sample[1])) < 2:
        return at
    if not names_columns([[texts[place] for place in filled] for texts in sample]):
        return at
    end = 1
    while end < len(sample) - 1 and rows[at + end][0] == rows[at][0] + end:
        if not continues_header(sample[end - 1], sample[end]):
            break
        end += 1
    return at + end


def _may_be_name(cell: Cell) -> bool:
    """Columns are called by words or by years."""
    return isinstance(cell, str) or (isinstance(cell, float) and cell.is_integer() and 1900 <= cell < 2100)


def _check_xlsx(source: Source, package: Package) -> _Checked:
    """One cell in the far corner makes a sheet of seventeen thousand million: look before reading."""
    hidden: dict[str, Hidden] = {}
    for part in package.names("xl/worksheets/"):
        scan = scan_sheet(package, part)
        if scan.cells > _DENSE_CELLS_MAX:
            raise too_large(source, _DENSE_CELLS_MAX, "cells in a sheet", es="celdas en una hoja")
        hidden[part.lower()] = scan.hidden
    by_name = {name: hidden.get(part.lower(), Hidden()) for name, part in sheet_parts(package).items()}
    return _Checked(about=package.about(), hidden=by_name)


def _check_xls(source: Source) -> _Checked:
    """What an old workbook says about itself; its first records say whether it is protected."""
    with OleFile(source.data) as ole:
        stream = ole.read("Workbook") or ole.read("Book")
        if stream is None:
            raise errors.Corrupt()
        if _has_record(stream, _FILEPASS):
            raise errors.Protected()
        return _Checked(about=ole.about(), boxes=text_boxes(stream), hidden=hidden_in_xls(stream))


def _has_record(stream: bytes, wanted: int) -> bool:
    at = 0
    while at + 4 <= len(stream):
        kind = int.from_bytes(stream[at : at + 2], "little")
        if kind == wanted:
            return True
        if kind == _END_OF_GLOBALS:
            return False
        at += 4 + int.from_bytes(stream[at + 2 : at + 4], "little")
    return False


def _write_parts(source: Source, package: Package, builder: Builder, unseen: set[str]) -> None:
    """Text boxes, charts, diagrams and files lie over the sheets, not in their cells; those of hidden sheets are hidden."""
    parts = sheet_parts(package)
    hidden = parts_below(package, [parts.get(name, "") for name in unseen])
    builder.enter()
    for name in (name for folder in _GRAPHICS for name in package.names(folder) if name not in hidden):
        builder.add("note", "\n".join(graphic_texts(package, name)))
    for name in package.names("xl/worksheets/sheet"):
        if name not in hidden:
            write_embedded(source, builder, in_package(package, name))
