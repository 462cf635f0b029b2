"""What every place for files promises: a file is there whole or not at all, under a key we made.

Keys look like `tenant_id/knowledge_base_id/document_id`; people's file names never become keys.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from veraz.errors import Invalid, NotFound, Phrase, TooLarge

READ_BYTES = 256 * 1024
KEY_BYTES_MAX = 900
SEGMENT_BYTES_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What was written, measured while it passed by."""

    key: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One file in a listing; its age lets a sweep spare what is still being registered."""

    key: str
    size: int
    modified_at: datetime


class FileStore(Protocol):
    """A place for files."""

    async def put(self, key: str, chunks: AsyncIterator[bytes], *, max_bytes: int) -> Stored:
        """Write a stream; until it has ended well nothing is visible under the key."""
        ...

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The file piece by piece; a missing one is `NotFound` before the first piece."""
        ...

    def local_copy(self, key: str) -> AbstractAsyncContextManager[Path]:
        """The file as a path to read, never to write, valid inside the `async with`."""
        ...

    async def delete(self, key: str) -> None:
        """Forget the file; forgetting what is not there is fine."""
        ...

    async def exists(self, key: str) -> bool:
        """Whether a whole file is there."""
        ...

    def list(self, prefix: str) -> AsyncIterator[FileEntry]:
        """Every file below the folder `prefix`, never of a neighbour whose name starts alike; `""` is all."""
        ...


class Measure:
    """Counts and hashes a stream on its way, and stops it at the limit."""

    def __init__(self, key: str, *, max_bytes: int) -> None:
        self._key, self._max_bytes, self._size, self._hash = key, max_bytes, 0, hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        """Take note of a piece before it is written."""
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise TooLarge(what=self._key, limit=f"{self._max_bytes / 1_048_576:g} MB")
        self._hash.update(chunk)

    def result(self) -> Stored:
        """What has passed so far."""
        return Stored(key=self._key, size=self._size, sha256=self._hash.hexdigest())


def checked_key(key: str) -> str:
    """The key itself, or `Invalid` when it could leave its folder or mean different files in different stores."""
    segments = key.split("/")
    sane = all(_plain_segment(segment) for segment in segments) and len(key.encode()) <= KEY_BYTES_MAX
    if not sane:
        raise Invalid(
            field="key",
            reason=Phrase("it is not a plain path of names", es="no es una ruta de nombres simples"),
        )
    return key


def checked_prefix(prefix: str) -> str:
    """A folder to list: empty for everything, otherwise under the same rules as a key."""
    return checked_key(prefix.rstrip("/")) if prefix else ""


def missing(key: str) -> NotFound:
    """The error for a key without a file."""
    return NotFound(thing=Phrase("file", es="archivo"), id=key)


def _plain_segment(segment: str) -> bool:
    """Letters of any alphabet, digits and `. _ - =`, not hidden, not empty, short enough for any disk."""
    plain = all(letter.isalnum() or letter in "._-=" for letter in segment)
    return bool(segment) and plain and segment[0] != "." and len(segment.encode()) <= SEGMENT_BYTES_MAX
