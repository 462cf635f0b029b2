"""The sheets of a workbook before they are read: how many cells each would take, and which rows and columns it hides.

What a saved filter leaves out and what a collapsed group folds away is data as before: only what somebody hid is hidden.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from veraz import errors
from veraz.ingest.parse.ooxml import Package

_CELL = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_HIDDEN_TAG = re.compile(rb'<(?:\w+:)?(row|col)\b([^>]*?\bhidden="(?:1|true)"[^>]*)>')
_NUMBER = re.compile(rb'\b(r|min|max|outlineLevel)="(\d{1,7})"')
_FILTER_MODE = re.compile(rb'<(?:\w+:)?sheetPr\b[^>]*?\bfilterMode="(?:1|true)"')
_FILTER_TAG = re.compile(rb"<(?:\w+:)?autoFilter\b")
_AUTO_FILTER = re.compile(
    rb'<(?:\w+:)?autoFilter\b[^>]*?\bref="([^"]{1,40})"[^>]*(?<!/)>(.*?)(?:</(?:\w+:)?autoFilter>|$)',
    re.DOTALL,
)
_CRITERION = re.compile(rb"<(?:\w+:)?filterColumn\b[^>]*(?<!/)>")
"""A column that is filtered; an empty element only hides its button."""
_ROWS = re.compile(rb"\$?[A-Z]{1,3}\$?(\d{1,7}):\$?[A-Z]{1,3}\$?(\d{1,7})")
_SAVED_VIEWS = b"customSheetViews"
"""Where the filters of views begin that are not the one the workbook opens with."""
_FILTER_MAX = 4 * 1024 * 1024
"""Bytes from a sheet's filter on that are looked at."""
_OVERLAP = 400
"""Bytes of a piece that are looked at again with the next one, longer than any tag asked for."""
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SHEET, _BOF, _ROW, _COLUMNS, _FILTERED, _NAME = 0x0085, 0x0809, 0x0208, 0x007D, 0x009B, 0x0018
_ROW_HIDDEN, _COLUMNS_HIDDEN, _OUTLINE_LEVEL = 0x20, 0x01, 0x07
_BUILT_IN, _FILTER_RANGE, _AREA = 0x20, b"\x0d", (0x3B, 0x5B, 0x7B)
_ALL_ROWS = range(1, 1 << 24)
_OLD_HIDDEN = re.compile(
    rb"\x08\x02\x10\x00.{12}[\x20-\x3f\x60-\x7f\xa0-\xbf\xe0-\xff]|\x7d\x00[\x0a-\x0c]\x00.{8}[\x01\x03\x05\x07\x09\x0b]",
    re.DOTALL,
)
"""What such a record looks like: most workbooks hide nothing and need no closer look."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a sheet does not show."""

    rows: frozenset[int] = frozenset()
    """Counted from 1."""
    columns: tuple[tuple[int, int], ...] = ()
    """First and last of each stretch, counted from 0."""

    def hides_column(self, column: int) -> bool:
        """Whether nobody sees it."""
        return any(first <= column <= last for first, last in self.columns)

    def without_rows(self, filtered: Iterable[range]) -> "Hidden":
        """The same, but for the rows of filters."""
        stretches = list(filtered)
        kept = (number for number in self.rows if not any(number in rows for rows in stretches))
        return Hidden(frozenset(kept), self.columns)

    def rows_between(self, above: int, below: int) -> int:
        """How many rows between two others it hides."""
        return sum(number in self.rows for number in range(above + 1, below)) if self.rows else 0


@dataclass(frozen=True, slots=True)
class SheetScan:
    """What the markup of a sheet says before anything is read."""

    cells: int
    """Those of the smallest rectangle around everything, as the reader will allocate them."""
    hidden: Hidden


def scan_sheet(package: Package, name: str) -> SheetScan:
    """One pass over a sheet's markup."""
    rows, columns = set[int](), set[bytes]()
    hidden = set[tuple[bytes, bytes]]()
    rest, filters, filter_mode = b"", _FilterMarkup(), False
    for piece in package.stream(name):
        data = rest + piece
        for column, row in _CELL.findall(data):
            columns.add(column)
            rows.add(int(row))
        if b"hidden=" in data:
            hidden.update(_HIDDEN_TAG.findall(data))
        if b"filterMode=" in data:
            filter_mode |= bool(_FILTER_MODE.search(data))
        filters.take(data, piece)
        rest = data[-_OVERLAP:]
    found = _hidden(hidden)
    if found.rows:
        found = found.without_rows(_filtered_rows(package, name, filters.kept, filter_mode=filter_mode))
    if not rows:
        return SheetScan(0, found)
    places = [_place(column) for column in columns]
    return SheetScan((max(rows) - min(rows) + 1) * (max(places) - min(places) + 1), found)


def sheet_parts(package: Package) -> dict[str, str]:
    """The part of the package that each sheet is in, by the sheet's name."""
    main = package.main("xl/workbook.xml")
    targets = {relation.id: relation.target for relation in package.relations(main)}
    sheets = package.tree(main).iterfind("{*}sheets/{*}sheet")
    return {sheet.get("name", ""): targets.get(sheet.get(_RELATION_ID, ""), "") for sheet in sheets}


def parts_below(package: Package, parts: Iterable[str]) -> frozenset[str]:
    """Some parts and all those they lead to: drawings, charts, files."""
    found, waiting = set[str](), list(parts)
    while waiting:
        name = waiting.pop()
        if name and name.lower() not in found:
            found.add(name.lower())
            waiting += [relation.target for relation in package.relations(name)]
    return frozenset(found)


def hidden_in_xls(stream: bytes) -> dict[str, Hidden]:
    """What the sheets of an old workbook hide, by their names."""
    if not _OLD_HIDDEN.search(stream):
        return {}
    rows: dict[str, set[int]] = {}
    columns: dict[str, list[tuple[int, int]]] = {}
    filtered: dict[str, range] = {}
    for sheet, kind, body in _sheet_records(stream):
        if kind == _FILTERED:
            filtered[sheet] = _ALL_ROWS
        elif kind == _ROW and len(body) >= 14 and _is_hidden(body[12], body[12], _ROW_HIDDEN):
            rows.setdefault(sheet, set()).add(struct.unpack_from("<H", body)[0] + 1)
        elif kind == _COLUMNS and len(body) >= 10 and _is_hidden(body[8], body[9], _COLUMNS_HIDDEN):
            columns.setdefault(sheet, []).append(struct.unpack_from("<2H", body))
    if filtered and rows:
        filtered |= {sheet: area for sheet, area in _filter_ranges(stream) if sheet in filtered}
    return {
        sheet: Hidden(frozenset(rows.get(sheet, ())), tuple(columns.get(sheet, ()))).without_rows(
            [filtered[sheet]] if sheet in filtered else []
        )
        for sheet in rows.keys() | columns.keys()
    }


def sheet_name(body: bytes) -> str:
    """The name in the record of an old workbook that lists a sheet."""
    return letters_in(body[7:], body[6])


def letters_in(body: bytes, length: int) -> str:
    """Letters behind the flag that tells one byte each from two."""
    wide = bool(body and body[0] & 1)
    return body[1 : 1 + length * (2 if wide else 1)].decode("utf-16-le" if wide else "latin-1", "replace")


def records(stream: bytes, kinds: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
    """Where a record of an old workbook starts, its kind and its content; only those asked for: there are millions."""
    at = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<2H", stream, at)
        if kind in kinds:
            yield at, kind, stream[at + 4 : at + 4 + length]
        at += 4 + length


class _FilterMarkup:
    """The markup of a sheet from its filter on, which stands behind the cells."""

    def __init__(self) -> None:
        self.kept = b""
        self._over = False

    def take(self, data: bytes, piece: bytes) -> None:
        """The next piece; `data` is that piece behind the end of the one before."""
        if self.kept and not self._over:
            self.kept += piece
        elif not self._over and b"autoFilter" in data and (found := _FILTER_TAG.search(data)):
            self.kept = data[found.start() :] if _SAVED_VIEWS not in data[: found.start()] else b""
        self._over |= _SAVED_VIEWS in data or len(self.kept) > _FILTER_MAX
        self.kept = self.kept.split(_SAVED_VIEWS)[0]


def _filtered_rows(package: Package, name: str, markup: bytes, *, filter_mode: bool) -> list[range]:
    """The rows that active filters of a sheet or of its tables may fold away; all of them where none says which."""
    markups = [markup]
    for table in (relation.target for relation in package.relations(name) if relation.kind == "table"):
        with suppress(errors.Corrupt):  # a damaged table has no filter
            markups.append(package.read(table))
    found = [rows for markup in markups for rows in _filters_in(markup)]
    return found or ([_ALL_ROWS] if filter_mode else [])


def _filters_in(markup: bytes) -> Iterator[range]:
    """The rows below the header of each filter that has a criterion."""
    for area, inner in _AUTO_FILTER.findall(markup):
        rows = _ROWS.fullmatch(area)
        if rows and _CRITERION.search(inner):
            yield range(int(rows[1]) + 1, int(rows[2]) + 1)


def _is_hidden(flags: int, outline: int, mask: int) -> bool:
    """Whether a row or column of an old workbook is hidden, not only folded away with its group."""
    return bool(flags & mask) and not outline & _OUTLINE_LEVEL


def _sheet_records(stream: bytes) -> Iterator[tuple[str, int, bytes]]:
    """The rows, columns and filters of each sheet, under its name."""
    names: dict[int, str] = {}
    sheet = ""
    for at, kind, body in records(stream, (_BOF, _SHEET, _ROW, _COLUMNS, _FILTERED)):
        if kind == _SHEET and len(body) > 8:
            names[struct.unpack_from("<I", body)[0]] = sheet_name(body)
        elif kind == _BOF:
            sheet = names.get(at, sheet)
        else:
            yield sheet, kind, body


def _filter_ranges(stream: bytes) -> Iterator[tuple[str, range]]:
    """The rows below the header of what each sheet of an old workbook filters, by the name it has for it."""
    names = list[str]()
    for _, kind, body in records(stream, (_SHEET, _NAME)):
        if kind == _SHEET and len(body) > 8:
            names.append(sheet_name(body))
        elif len(body) >= 23 and body[0] & _BUILT_IN and body[3] == 1 and body[15:16] == _FILTER_RANGE:
            (sheet,) = struct.unpack_from("<H", body, 8)
            if body[16] in _AREA and 0 < sheet <= len(names):
                first, last = struct.unpack_from("<2H", body, 19)
                yield names[sheet - 1], range(first + 2, last + 2)


def _hidden(tags: Iterable[tuple[bytes, bytes]]) -> Hidden:
    rows, columns = set[int](), list[tuple[int, int]]()
    for tag, attributes in tags:
        numbers = {name: int(number) for name, number in _NUMBER.findall(attributes)}
        if numbers.get(b"outlineLevel"):
            continue
        if tag == b"row" and b"r" in numbers:
            rows.add(numbers[b"r"])
        elif b"min" in numbers:
            columns.append((numbers[b"min"] - 1, numbers.get(b"max", numbers[b"min"]) - 1))
    return Hidden(frozenset(rows), tuple(sorted(columns)))


def _place(column: bytes) -> int:
    number = 0
    for letter in column:
        number = number * 26 + letter - 64
    return number
