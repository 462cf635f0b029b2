"""A first look at what arrives, before anything is stored: its name, its size, its type by content, its hash."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from veraz import errors
from veraz.ingest.parse.base import FileType
from veraz.ingest.parse.pick import declared_type, detect_in, refuse_size
from veraz.providers.files.base import READ_BYTES

LONGEST_NAME: Final = 255
_TITLE_LENGTH: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a look at the bytes told."""

    kind: FileType
    size: int
    digest: bytes


def clean_name(filename: str) -> str:
    """The last part of whatever path a browser or program sent, without control characters."""
    last = filename.replace("\\", "/").rsplit("/", 1)[-1]
    plain = _printable(last)
    if not plain or plain in (".", ".."):
        raise errors.Invalid(field="filename", reason="a name is needed")
    if len(plain) <= LONGEST_NAME:
        return plain
    stem, dot, extension = plain.rpartition(".")
    keep = LONGEST_NAME - len(extension) - 1
    return f"{stem[:keep]}.{extension}" if dot and len(extension) < 10 else plain[:LONGEST_NAME]


def title_of(content: str) -> str:
    """A title for a text without one: the beginning of its first line that says something."""
    lines = (line.strip("# \t\r") for line in content.split("\n"))
    return next(filter(None, lines), "")[:_TITLE_LENGTH]


def clean_title(title: str) -> str:
    """A title people typed; unlike a file's name it may hold slashes."""
    plain = _printable(title)
    if not plain:
        raise errors.Invalid(field="title", reason="a name is needed")
    return plain[:LONGEST_NAME]


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip()


def look(file: BinaryIO, name: str) -> Looked:
    """Size, type by content and hash, before anything is stored."""
    size = file.seek(0, 2)
    refuse_size(size, declared_type(name), name)
    kind = detect_in(file, name)
    refuse_size(size, kind, name)
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(READ_BYTES):
        digest.update(piece)
    return Looked(kind=kind, size=size, digest=digest.digest())


async def pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """The whole file from its beginning, a piece at a time."""
    await asyncio.to_thread(file.seek, 0)
    while piece := await asyncio.to_thread(file.read, READ_BYTES):
        yield piece
