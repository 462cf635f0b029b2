"""Writes an OLE file from streams, so that a document kept in a folder of another can be read on its own."""

import struct
from collections.abc import Mapping

from veraz import errors

_SECTOR = 4096
_PER_SECTOR = _SECTOR // 4
_END, _FAT, _FREE, _NONE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF, 0xFFFFFFFF
_FAT_SECTORS_MAX = 109
_NAME_CHARACTERS = 31
_ENTRY = struct.Struct("<64sHBB3I16sIQQIQ")


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """An OLE file with these streams under its root; streams shorter than a sector are filled up with zeros."""
    bodies = {name: _filled(body) for name, body in streams.items() if len(name) <= _NAME_CHARACTERS}
    chains: list[int] = []
    starts = {name: _chain(chains, len(body) // _SECTOR) for name, body in bodies.items()}
    directory = _filled(_directory(bodies, starts))
    directory_start = _chain(chains, len(directory) // _SECTOR)
    fat_sectors = -(-(len(chains) + _FAT_SECTORS_MAX) // _PER_SECTOR)
    if fat_sectors > _FAT_SECTORS_MAX:
        raise errors.Corrupt()
    fat_start = len(chains)
    chains += [_FAT] * fat_sectors
    chains += [_FREE] * (fat_sectors * _PER_SECTOR - len(chains))
    header = _header(directory_start, len(directory) // _SECTOR, fat_start, fat_sectors)
    return b"".join((header, *bodies.values(), directory, struct.pack(f"<{len(chains)}I", *chains)))


def _filled(body: bytes) -> bytes:
    return body.ljust(max(1, -(-len(body) // _SECTOR)) * _SECTOR, b"\x00")


def _chain(chains: list[int], count: int) -> int:
    """Append a chain of sectors; where it starts."""
    start = len(chains)
    chains += [*range(start + 1, start + count), _END]
    return start


def _directory(bodies: Mapping[str, bytes], starts: Mapping[str, int]) -> bytes:
    entries = [_entry("Root Entry", kind=5, start=_END, child=1 if bodies else _NONE)]
    for number, (name, body) in enumerate(bodies.items(), 1):
        following = number + 1 if number < len(bodies) else _NONE
        entries.append(_entry(name, kind=2, start=starts[name], size=len(body), right=following))
    return b"".join(entries)


def _entry(
    name: str, *, kind: int, start: int, size: int = 0, right: int = _NONE, child: int = _NONE
) -> bytes:
    raw = name.encode("utf-16-le") + b"\x00\x00"
    return _ENTRY.pack(raw, len(raw), kind, 1, _NONE, right, child, b"", 0, 0, 0, start, size)


def _header(directory: int, directory_sectors: int, fat: int, fat_sectors: int) -> bytes:
    head = struct.pack("<8s16s5H6x", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 4, 0xFFFE, 12, 6)
    head += struct.pack("<9I", directory_sectors, fat_sectors, directory, 0, _SECTOR, _END, 0, _END, 0)
    places = [*range(fat, fat + fat_sectors)]
    head += struct.pack("<109I", *places, *[_FREE] * (_FAT_SECTORS_MAX - len(places)))
    return head.ljust(_SECTOR, b"\x00")
