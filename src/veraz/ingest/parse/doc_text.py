"""The text of an old Word file, put together from its pieces."""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from veraz import errors

_COMPRESSED = 0x40000000
_PIECES_MAX = 200_000
_FIELD = re.compile("\x13[^\x13\x14\x15]*(?:\x14([^\x13\x14\x15]*))?\x15")
_MARKS = str.maketrans({"\x1e": "-", "\x0b": "\n", "\x0c": "\n", "\r": "", "\x1f": "", "\x0e": "\n"})
_PARAGRAPH_END = re.compile("[\r\x07\x0c]")
_LETTERS = re.compile("[^\r\x07\x0c]")
_OBJECTS = re.compile("[\x01-\x06\x08\x13-\x15]")


class Encoding(Protocol):
    """What the pieces need to know about the file."""

    @property
    def modern(self) -> bool: ...
    @property
    def complex(self) -> bool: ...
    @property
    def wide(self) -> bool: ...
    @property
    def code_page(self) -> str: ...
    @property
    def pieces(self) -> tuple[int, int]: ...
    @property
    def text_at(self) -> int: ...
    @property
    def text_end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Pieces:
    """The whole text, and for each stretch of it where in the file it lies."""

    text: str
    starts: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    """File offset and bytes per character of each stretch."""

    @property
    def length(self) -> int:
        return len(self.text)

    @classmethod
    def of(cls, stream: bytes, table: bytes, file: Encoding, hidden: list[tuple[int, int]]) -> "Pieces":
        """Read the piece table; a file saved in one go without one is a single stretch."""
        at, length = file.pieces
        listed = list(_piece_table(table[at : at + length])) if file.modern or file.complex else []
        if not listed:
            count = (file.text_end - file.text_at) // (2 if file.wide else 1)
            text, offset, width = _piece(stream, count, file.text_at, file)
            return cls(text, (0,), ((offset, width),))
        texts: list[str] = []
        starts: list[int] = []
        offsets: list[tuple[int, int]] = []
        at = 0
        for count, position in listed:
            text, offset, width = _piece(stream, count, position, file)
            texts.append(_masked(text, offset, width, hidden))
            starts.append(at)
            offsets.append((offset, width))
            at += len(text)
        return cls("".join(texts), tuple(starts), tuple(offsets))

    def paragraphs(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Place and raw text (with its end mark) of each paragraph between two places."""
        at = start
        while at < end:
            found = _PARAGRAPH_END.search(self.text, at, end)
            stop = found.end() if found else end
            yield at, self.text[at:stop]
            at = stop

    def offset_of(self, place: int) -> int:
        """Where in the file the character at a place lies."""
        number = max(0, bisect_right(self.starts, place) - 1)
        offset, width = self.offsets[number]
        return offset + (place - self.starts[number]) * width


def visible(raw: str) -> str:
    """A paragraph as printed: results of fields instead of their codes, no object marks."""
    text = raw
    while "\x13" in text:
        shorter = _FIELD.sub(lambda field: field.group(1) or "", text)
        if shorter == text:
            break
        text = shorter
    cell = text.endswith("\x07")
    text = _OBJECTS.sub("", text.replace("\x07", "")).translate(_MARKS).strip("\n")
    return text + "\x07" if cell else text


def _piece(stream: bytes, count: int, position: int, file: Encoding) -> tuple[str, int, int]:
    if not file.modern and not file.wide:
        return stream[position : position + count].decode(file.code_page, "replace"), position, 1
    if file.modern and position & _COMPRESSED:
        offset = (position & ~_COMPRESSED) // 2
        return stream[offset : offset + count].decode("cp1252", "replace"), offset, 1
    raw = stream[position : position + 2 * count]
    # Half of a surrogate pair counts as a character: keep one character per unit so that spans hold.
    units = struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2])
    return "".join(map(chr, units)), position, 2


def _masked(text: str, offset: int, width: int, hidden: list[tuple[int, int]]) -> str:
    """Blank the letters that lie in hidden stretches; the marks that end paragraphs stay."""
    number = max(0, bisect_right(hidden, (offset, 0)) - 1)
    for start, end in hidden[number:]:
        if start >= offset + len(text) * width:
            break
        first, last = max(0, (start - offset) // width), max(0, (end - offset) // width)
        text = text[:first] + _LETTERS.sub("\x00", text[first:last]) + text[last:]
    return text


def _piece_table(clx: bytes) -> Iterator[tuple[int, int]]:
    """Length and place of each piece, after the formatting that stands before the table."""
    at = 0
    while at + 3 <= len(clx) and clx[at] == 1:
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if at + 5 > len(clx) or clx[at] != 2:
        return
    size = struct.unpack_from("<I", clx, at + 1)[0]
    plc = clx[at + 5 : at + 5 + size]
    count = (len(plc) - 4) // 12
    if count > _PIECES_MAX:
        raise errors.Corrupt()
    places = struct.unpack_from(f"<{count + 1}I", plc, 0)
    for number in range(count):
        (position,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * number + 2)
        if places[number + 1] > places[number]:
            yield places[number + 1] - places[number], position
