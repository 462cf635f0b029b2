"""Text boxes of old workbooks: they lie over the sheets, in records of their own."""

import struct

from veraz.ingest.parse.xlsx_sheets import letters_in, records, sheet_name

_BOF, _SHEET, _OBJECT, _TEXT, _CONTINUE = 0x0809, 0x0085, 0x005D, 0x01B6, 0x003C
_COMMENT = 0x0019
"""The kind of object that holds a comment: it is not shown on the sheet."""

Record = tuple[int, int, bytes]
"""Where a record starts, its kind and its content."""


def text_boxes(stream: bytes) -> dict[str, list[str]]:
    """The texts over each sheet, by its name; damaged records end the search, not the reading."""
    if _TEXT.to_bytes(2, "little") not in stream:
        return {}
    sheets: dict[int, str] = {}
    found: dict[str, list[str]] = {}
    sheet, comment = "", False
    boxes = list(records(stream, (_BOF, _SHEET, _OBJECT, _TEXT, _CONTINUE)))
    for number, (at, kind, body) in enumerate(boxes):
        if kind == _SHEET and len(body) > 8:
            sheets[struct.unpack_from("<I", body)[0]] = sheet_name(body)
        elif kind == _BOF:
            sheet = sheets.get(at, sheet)
        elif kind == _OBJECT and len(body) >= 6:
            comment = struct.unpack_from("<H", body, 4)[0] == _COMMENT
        elif kind == _TEXT and len(body) >= 12 and not comment:
            length = struct.unpack_from("<H", body, 10)[0]
            found.setdefault(sheet, []).append(_text(boxes, number + 1, length))
    return found


def _text(found: list[Record], number: int, length: int) -> str:
    """The letters that follow a text record, in as many continuations as they need."""
    text = ""
    while len(text) < length and number < len(found) and found[number][1] == _CONTINUE:
        text += letters_in(found[number][2], length - len(text))
        number += 1
    return text.replace("\r", "\n")
