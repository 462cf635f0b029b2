"""Files on their way: read piece by piece, counted as they go."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

Source = str | os.PathLike[str] | BinaryIO | bytes
OnBytes = Callable[[int, int], None]
"""Told how many bytes have gone, of how many."""


class Counted:
    """A file that tells how much of it was read; httpx streams it without holding it in memory."""

    def __init__(self, file: BinaryIO, total: int, tell: OnBytes | None) -> None:
        self._file, self._total, self._tell = file, total, tell
        self._sent = 0

    def read(self, size: int = -1) -> bytes:
        """The next piece."""
        piece = self._file.read(size)
        self._sent += len(piece)
        if self._tell and piece:
            self._tell(self._sent, self._total)
        return piece

    def seek(self, offset: int, whence: int = 0) -> int:
        """httpx looks for the end to learn the length."""
        place = self._file.seek(offset, whence)
        self._sent = place if whence == 0 else self._sent
        return place

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()


@contextmanager
def opened(source: Source, name: str | None, tell: OnBytes | None) -> Iterator[tuple[str, Counted]]:
    """The name and the bytes of a path, of an open file, or of bytes in hand."""
    if isinstance(source, bytes):
        yield name or "file", Counted(io.BytesIO(source), len(source), tell)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        with path.open("rb") as file:
            yield name or path.name, Counted(file, path.stat().st_size, tell)
    else:
        place = source.tell()
        total = source.seek(0, os.SEEK_END)
        source.seek(place)
        yield name or Path(str(getattr(source, "name", "file"))).name, Counted(source, total, tell)
