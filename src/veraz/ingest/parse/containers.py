"""What is inside a ZIP or OLE file, read in a bounded way: safe on any bytes, in any process."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

from veraz import errors

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_ENTRIES_MAX = 20_000
_DIRECTORY_BYTES_MAX = 8 * 1024 * 1024
_END_RECORD = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64_RECORD = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_OLE_SECTORS_MAX = 2048
_FREE = 0xFFFFFFFA
"""From here up, a sector number means «no more»."""


def zip_names(file: BinaryIO) -> list[str]:
    """Names in a ZIP's central directory; `Corrupt` when cut, `Bomb` when there are far too many."""
    count, size, offset = _end_of_directory(file)
    if count > _ENTRIES_MAX or size > _DIRECTORY_BYTES_MAX:
        raise errors.Bomb()
    file.seek(offset)
    return list(_entry_names(file.read(size)))


def ole_names(file: BinaryIO) -> set[str]:
    """Names directly under an OLE file's root, in lower case."""
    file.seek(0)
    header = file.read(512)
    if len(header) < 512:
        raise errors.Corrupt()
    shift = struct.unpack_from("<H", header, 30)[0]
    if shift not in (9, 12):
        raise errors.Corrupt()
    directory = _ole_chain(file, header, 1 << shift)
    return set(_root_children(directory))


def _end_of_directory(file: BinaryIO) -> tuple[int, int, int]:
    """Entry count, size and true offset of the central directory."""
    length = file.seek(0, 2)
    tail_at = max(0, length - 65_557 - 20)
    file.seek(tail_at)
    tail = file.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END_RECORD.size:
        raise errors.Corrupt()
    _, _, _, _, count, size, offset, _ = _END_RECORD.unpack_from(tail, found)
    end = tail_at + found
    if 0xFFFFFFFF in (size, offset) or count == 0xFFFF:
        count, size, offset, end = _end64(file, tail, found)
    # Bytes before the archive shift every offset; the directory always ends at the end record.
    return count, size, max(0, end - size) if end - size != offset else offset


def _end64(file: BinaryIO, tail: bytes, found: int) -> tuple[int, int, int, int]:
    if found < _END64_LOCATOR.size:
        raise errors.Corrupt()
    magic, _, at, _ = _END64_LOCATOR.unpack_from(tail, found - _END64_LOCATOR.size)
    if magic != b"PK\x06\x07":
        raise errors.Corrupt()
    file.seek(min(at, 1 << 40))
    record = file.read(_END64_RECORD.size)
    if len(record) < _END64_RECORD.size or record[:4] != b"PK\x06\x06":
        raise errors.Corrupt()
    *_, count, size, offset = _END64_RECORD.unpack(record)
    return count, size, offset, at


def _entry_names(directory: bytes) -> Iterator[str]:
    at = 0
    while at + _ENTRY.size <= len(directory) and directory[at : at + 4] == b"PK\x01\x02":
        fields = _ENTRY.unpack_from(directory, at)
        name, extra, comment = fields[10:13]
        at += _ENTRY.size
        yield directory[at : at + name].decode("utf-8", "replace").replace("\\", "/")
        at += name + extra + comment


def _ole_chain(file: BinaryIO, header: bytes, sector_size: int) -> bytes:
    """The bytes of the directory, following its chain of sectors."""
    fat_sectors = [s for s in struct.unpack_from("<109I", header, 76) if s < _FREE]
    sector = struct.unpack_from("<I", header, 48)[0]
    pieces: list[bytes] = []
    per_sector = sector_size // 4
    while sector < _FREE and len(pieces) < _OLE_SECTORS_MAX:
        file.seek((sector + 1) * sector_size)
        pieces.append(file.read(sector_size))
        index, within = divmod(sector, per_sector)
        if index >= len(fat_sectors):
            break  # the chain leaves the part of the table that the header lists: enough is known
        file.seek((fat_sectors[index] + 1) * sector_size + within * 4)
        raw = file.read(4)
        if len(raw) < 4:
            break
        sector = struct.unpack("<I", raw)[0]
    return b"".join(pieces)


def _root_children(directory: bytes) -> Iterator[str]:
    """Walk the tree of siblings below the root entry."""
    if len(directory) < 128:
        raise errors.Corrupt()
    seen: set[int] = set()
    waiting = [struct.unpack_from("<I", directory, 76)[0]]
    while waiting:
        number = waiting.pop()
        at = number * 128
        if number in seen or at + 128 > len(directory):
            continue
        seen.add(number)
        left, right = struct.unpack_from("<2I", directory, at + 68)
        waiting += (left, right)
        length = min(struct.unpack_from("<H", directory, at + 64)[0], 64)
        yield directory[at : at + max(0, length - 2)].decode("utf-16-le", "replace").lower()
