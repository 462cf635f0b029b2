"""XLSX and XLS: each sheet a part, each row with the names of its columns."""

import io
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import About, Builder, too_large
from veraz.ingest.parse.containers import OLE_MAGIC
from veraz.ingest.parse.drawing import graphic_texts
from veraz.ingest.parse.ole import OleFile
from veraz.ingest.parse.ooxml import Package
from veraz.ingest.parse.records import is_header, record

Cell = int | float | str | bool | time | date | datetime | timedelta
Row = tuple[int, list[Cell]]

_CELL = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_DENSE_CELLS_MAX = 25_000_000
_FILEPASS = 0x002F
_END_OF_GLOBALS = 0x000A


def read(source: Source) -> Parsed:
    """Every sheet, row by row."""
    builder = Builder(source, unit="sheet")
    package = None if source.data.startswith(OLE_MAGIC) else Package(source.data)
    about = _check_xls(source) if package is None else _check_xlsx(source, package)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.data))
        for name in workbook.sheet_names:
            builder.enter(part=name)
            _write_sheet(builder, _sheet(workbook, name))
    except PasswordError as error:
        raise errors.Protected() from error
    except (CalamineError, OSError) as error:
        raise errors.Corrupt() from error
    if package is not None:
        _write_graphics(package, builder)
    return builder.finish(about)


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


def _write_sheet(builder: Builder, sheet: CalamineSheet | None) -> None:
    rows = [] if sheet is None else list(_filled_rows(sheet))
    header: list[str] | None = None
    for at, (number, cells) in enumerate(rows):
        texts = [shown(cell) for cell in cells]
        if _begins_table(rows, at, header) and _names_columns(rows, at):
            header = texts
            builder.add("table_row", record(None, texts), row=number)
            continue
        filled = sum(bool(text.strip()) for text in texts)
        builder.add("table_row", record(header if filled > 1 else None, texts), row=number)


def _filled_rows(sheet: CalamineSheet) -> Iterator[Row]:
    start = sheet.start
    if start is None:
        return
    for number, cells in enumerate(sheet.iter_rows(), 1):
        if cells.count("") < len(cells):
            yield number, cells


def _begins_table(rows: list[Row], at: int, header: list[str] | None) -> bool:
    """The first rows of a sheet, or rows after a gap, may name the columns of what follows."""
    gap = at == 0 or rows[at][0] - rows[at - 1][0] > 1
    return header is None or gap


def _names_columns(rows: list[Row], at: int) -> bool:
    cells = rows[at][1]
    texts = [shown(cell) for cell in cells]
    filled = [cell for cell in cells if cell != ""]
    below = rows[at + 1][1] if at + 1 < len(rows) else []
    if len(filled) < 2 or not all(isinstance(cell, str) for cell in filled):
        return False
    trimmed = texts[: 1 + max(place for place, text in enumerate(texts) if text.strip())]
    return is_header([text for text in trimmed if text.strip()]) and sum(cell != "" for cell in below) > 1


def _check_xlsx(source: Source, package: Package) -> About:
    """One cell in the far corner makes a sheet of seventeen thousand million: look before reading."""
    for name in package.names("xl/worksheets/"):
        if _dense_cells(package, name) > _DENSE_CELLS_MAX:
            raise too_large(source, _DENSE_CELLS_MAX, "cells in a sheet", es="celdas en una hoja")
    return package.about()


def _dense_cells(package: Package, name: str) -> int:
    """Cells of the smallest rectangle around everything, as the reader will allocate them."""
    rows: set[int] = set()
    columns: set[bytes] = set()
    rest = b""
    for piece in package.stream(name):
        data = rest + piece
        for column, row in _CELL.findall(data):
            columns.add(column)
            rows.add(int(row))
        rest = data[-400:]
    if not rows:
        return 0
    places = [_place(column) for column in columns]
    return (max(rows) - min(rows) + 1) * (max(places) - min(places) + 1)


def _place(column: bytes) -> int:
    number = 0
    for letter in column:
        number = number * 26 + letter - 64
    return number


def _check_xls(source: Source) -> About:
    """Old workbooks say in their first records that they are protected."""
    with OleFile(source.data) as ole:
        stream = ole.read("Workbook") or ole.read("Book")
        if stream is None:
            raise errors.Corrupt()
        if _has_record(stream, _FILEPASS):
            raise errors.Protected()
        return ole.about()


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


def _write_graphics(package: Package, builder: Builder) -> None:
    """Text boxes and charts lie over the sheets, not in their cells."""
    builder.enter()
    for name in (*package.names("xl/drawings/drawing"), *package.names("xl/charts/chart")):
        builder.add("note", "\n".join(graphic_texts(package, name)))
