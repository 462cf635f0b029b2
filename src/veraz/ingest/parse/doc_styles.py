"""How the paragraphs of an old Word file look: heading levels, list items, table cells."""

import struct
from bisect import bisect_right
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass

_PAGE = 512
_PAGES_MAX = 50_000
_IN_TABLE, _ROW_END, _OUTLINE, _LIST = 0x2416, 0x2417, 0x2640, 0x460B
HIDDEN, DELETED = 0x083C, 0x0800
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_TITLE_STYLE = 62
_LIST_STYLES = range(47, 57)


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph is."""

    heading: int | None = None
    listed: bool = False
    in_table: bool = False
    row_end: bool = False
    known: bool = False


class ParagraphLooks:
    """Look up a paragraph's look by where its end mark lies in the file."""

    def __init__(self, stream: bytes, table: bytes, pages: tuple[int, int], styles: tuple[int, int]) -> None:
        self._stream = stream
        self._styles = _styles(table[styles[0] : styles[0] + styles[1]])
        self._starts: list[int] = []
        self._looks: list[Look] = []
        with suppress(struct.error, IndexError):  # damaged formatting costs headings, not text
            self._read(table[pages[0] : pages[0] + pages[1]])

    def at(self, offset: int) -> Look:
        """The look of the paragraph that holds this byte."""
        number = bisect_right(self._starts, offset) - 1
        return self._looks[number] if number >= 0 else Look()

    def _read(self, plc: bytes) -> None:
        count = min((len(plc) - 4) // 8, _PAGES_MAX)
        found: list[tuple[int, Look]] = []
        for number in range(count):
            (page,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 4 * number)
            found += self._page(self._stream[(page & 0x3FFFFF) * _PAGE :][:_PAGE])
        found.sort(key=lambda pair: pair[0])
        self._starts = [start for start, _ in found]
        self._looks = [look for _, look in found]

    def _page(self, page: bytes) -> list[tuple[int, Look]]:
        if len(page) < _PAGE:
            return []
        count = min(page[511], 29)
        starts = struct.unpack_from(f"<{count}I", page, 0)
        return [
            (start, self._look(page, page[4 * (count + 1) + 13 * number] * 2))
            for number, start in enumerate(starts)
        ]

    def _look(self, page: bytes, at: int) -> Look:
        if at == 0:
            return Look(known=True)
        words = page[at]
        start, length = (at + 1, 2 * words - 1) if words else (at + 2, 2 * page[at + 1])
        properties = page[start : start + length]
        if len(properties) < 2:
            return Look(known=True)
        (style,) = struct.unpack_from("<H", properties, 0)
        return self._meaning(style, dict(_changes(properties[2:])))

    def _meaning(self, style: int, changes: dict[int, int]) -> Look:
        kind = self._styles.get(style, 0)
        heading = kind if 1 <= kind <= 9 else 0 if kind == _TITLE_STYLE else None
        if _OUTLINE in changes:
            heading = changes[_OUTLINE] + 1 if changes[_OUTLINE] < 9 else heading
        return Look(
            heading=heading,
            listed=bool(changes.get(_LIST, 0)) or kind in _LIST_STYLES,
            in_table=bool(changes.get(_IN_TABLE, 0)),
            row_end=bool(changes.get(_ROW_END, 0)),
            known=True,
        )


def unseen(
    stream: bytes, table: bytes, pages: tuple[int, int], marks: Set[int] = frozenset({HIDDEN, DELETED})
) -> list[tuple[int, int]]:
    """Stretches of the file (start, end) whose letters are marked as hidden or as deleted, in order."""
    plc = table[pages[0] : pages[0] + pages[1]]
    count = min((len(plc) - 4) // 8, _PAGES_MAX)
    found: list[tuple[int, int]] = []
    with suppress(struct.error, IndexError):  # damaged formatting hides nothing
        for number in range(count):
            (page,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 4 * number)
            found += _unseen_on(stream[(page & 0x3FFFFF) * _PAGE :][:_PAGE], marks)
    return sorted(found)


def _unseen_on(page: bytes, marks: Set[int]) -> list[tuple[int, int]]:
    if len(page) < _PAGE:
        return []
    count = min(page[511], 101)
    edges = struct.unpack_from(f"<{count + 1}I", page, 0)
    found: list[tuple[int, int]] = []
    for number in range(count):
        at = page[4 * (count + 1) + number] * 2
        changes = dict(_changes(page[at + 1 : at + 1 + page[at]])) if at else {}
        if any(changes.get(mark) == 1 for mark in marks):
            found.append((edges[number], edges[number + 1]))
    return found


def _changes(properties: bytes) -> list[tuple[int, int]]:
    """Property and value pairs; the property's upper bits say how long its value is."""
    found: list[tuple[int, int]] = []
    at = 0
    while at + 2 <= len(properties):
        (code,) = struct.unpack_from("<H", properties, at)
        size = _OPERAND_BYTES[code >> 13]
        if size == 0:
            size = 1 + (properties[at + 2] if at + 2 < len(properties) else 0)
            size += 1 if code == 0xD608 else 0
        found.append((code, int.from_bytes(properties[at + 2 : at + 2 + min(size, 4)], "little")))
        at += 2 + size
    return found


def _styles(sheet: bytes) -> dict[int, int]:
    """Built-in kind of each style (1…9 are the headings), through the style it is based on."""
    kinds: dict[int, int] = {}
    bases: dict[int, int] = {}
    with suppress(struct.error):
        (header,) = struct.unpack_from("<H", sheet, 0)
        (count,) = struct.unpack_from("<H", sheet, 2)
        at = 2 + header
        for number in range(min(count, 4096)):
            (length,) = struct.unpack_from("<H", sheet, at)
            if length >= 4:
                first, second = struct.unpack_from("<2H", sheet, at + 2)
                kinds[number], bases[number] = first & 0x0FFF, second >> 4
            at += 2 + length + (length & 1)
    return {style: _through_base(style, kinds, bases) for style in kinds}


def _through_base(style: int, kinds: dict[int, int], bases: dict[int, int]) -> int:
    for _ in range(8):
        kind = kinds.get(style, 0)
        if 1 <= kind <= 9 or kind == _TITLE_STYLE or style not in bases:
            return kind
        style = bases[style]
    return 0
