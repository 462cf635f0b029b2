"""The sheets of a workbook before they are read: how many cells each would take, and which rows and columns it hides."""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from veraz.ingest.parse.ooxml import Package

_CELL = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_HIDDEN_TAG = re.compile(rb'<(?:\w+:)?(row|col)\b([^>]*?\bhidden="(?:1|true)"[^>]*)>')
_NUMBER = re.compile(rb'\b(r|min|max)="(\d{1,7})"')
_OVERLAP = 400
"""Bytes of a piece that are looked at again with the next one, longer than any tag asked for."""
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SHEET, _BOF, _ROW, _COLUMNS = 0x0085, 0x0809, 0x0208, 0x007D
_ROW_HIDDEN, _COLUMNS_HIDDEN = 0x20, 0x01
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
    rest = b""
    for piece in package.stream(name):
        data = rest + piece
        for column, row in _CELL.findall(data):
            columns.add(column)
            rows.add(int(row))
        if b"hidden=" in data:
            hidden.update(_HIDDEN_TAG.findall(data))
        rest = data[-_OVERLAP:]
    if not rows:
        return SheetScan(0, _hidden(hidden))
    places = [_place(column) for column in columns]
    return SheetScan((max(rows) - min(rows) + 1) * (max(places) - min(places) + 1), _hidden(hidden))


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
    for sheet, kind, body in _sheet_records(stream):
        if kind == _ROW and len(body) >= 14 and body[12] & _ROW_HIDDEN:
            rows.setdefault(sheet, set()).add(struct.unpack_from("<H", body)[0] + 1)
        elif kind == _COLUMNS and len(body) >= 10 and body[8] & _COLUMNS_HIDDEN:
            columns.setdefault(sheet, []).append(struct.unpack_from("<2H", body))
    return {
        sheet: Hidden(frozenset(rows.get(sheet, ())), tuple(columns.get(sheet, ())))
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


def _sheet_records(stream: bytes) -> Iterator[tuple[str, int, bytes]]:
    """The rows and columns of each sheet, under its name."""
    names: dict[int, str] = {}
    sheet = ""
    for at, kind, body in records(stream, (_BOF, _SHEET, _ROW, _COLUMNS)):
        if kind == _SHEET and len(body) > 8:
            names[struct.unpack_from("<I", body)[0]] = sheet_name(body)
        elif kind == _BOF:
            sheet = names.get(at, sheet)
        else:
            yield sheet, kind, body


def _hidden(tags: Iterable[tuple[bytes, bytes]]) -> Hidden:
    rows, columns = set[int](), list[tuple[int, int]]()
    for tag, attributes in tags:
        numbers = {name: int(number) for name, number in _NUMBER.findall(attributes)}
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
