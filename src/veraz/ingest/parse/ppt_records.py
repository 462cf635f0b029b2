"""The records of an old PowerPoint file and which of them are current."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from veraz import errors

_HEADER = struct.Struct("<2HI")
_USER_EDIT, _DIRECTORY = 0x0FF5, 0x1772
_ENCRYPTED_TOKEN = 0xF3D1C4DF
_EDITS_MAX = 5_000
_DEPTH_MAX = 60


@dataclass(frozen=True, slots=True)
class Record:
    """A record's kind and where its content lies."""

    kind: int
    instance: int
    container: bool
    start: int
    end: int


def current_parts(stream: bytes, user: bytes) -> tuple[Record, dict[int, Record]]:
    """The document and, by number, the current version of each part."""
    token, edit = struct.unpack_from("<2I", user, 12)
    if token == _ENCRYPTED_TOKEN:
        raise errors.Protected()
    offsets: dict[int, int] = {}
    document: int | None = None
    for _ in range(_EDITS_MAX):
        atom = record_at(stream, edit)
        if atom is None or atom.kind != _USER_EDIT:
            break
        previous, directory, number = struct.unpack_from("<3I", stream, atom.start + 8)
        if document is None:
            document = number
            _refuse_encrypted(stream, atom)
        for key, offset in _directory(stream, directory):
            offsets.setdefault(key, offset)
        if previous == 0 or previous >= edit:
            break
        edit = previous
    parts = {key: found for key, offset in offsets.items() if (found := record_at(stream, offset))}
    if document is None or document not in parts:
        raise errors.Corrupt()
    return parts[document], parts


def record_at(stream: bytes, offset: int) -> Record | None:
    """The record that starts at an offset, cut to the end of the stream."""
    if offset + _HEADER.size > len(stream):
        return None
    head, kind, length = _HEADER.unpack_from(stream, offset)
    start = offset + _HEADER.size
    return Record(kind, head >> 4, head & 0xF == 0xF, start, min(start + length, len(stream)))


def inside(stream: bytes, parent: Record) -> Iterator[Record]:
    """The records directly inside another."""
    at = parent.start
    while at + _HEADER.size <= parent.end:
        record = record_at(stream, at)
        if record is None:
            return
        yield record
        at = max(record.end, at + _HEADER.size)


def within(stream: bytes, parent: Record, wanted: int) -> Iterator[Record]:
    """Records of one kind at any depth, in order."""
    waiting: list[tuple[Record, int]] = [(parent, 0)]
    while waiting:
        record, depth = waiting.pop()
        if record.kind == wanted:
            yield record
        elif record.container and depth < _DEPTH_MAX:
            waiting.extend((child, depth + 1) for child in reversed(list(inside(stream, record))))


def _refuse_encrypted(stream: bytes, edit: Record) -> None:
    """A last edit that names an encryption session needs a password."""
    if edit.end - edit.start >= 32 and struct.unpack_from("<I", stream, edit.start + 28)[0]:
        raise errors.Protected()


def _directory(stream: bytes, offset: int) -> Iterator[tuple[int, int]]:
    record = record_at(stream, offset)
    if record is None or record.kind != _DIRECTORY:
        return
    at = record.start
    while at + 4 <= record.end:
        (head,) = struct.unpack_from("<I", stream, at)
        first, count = head & 0xFFFFF, head >> 20
        at += 4
        for number in range(count):
            if at + 4 > record.end:
                return
            yield first + number, struct.unpack_from("<I", stream, at)[0]
            at += 4
