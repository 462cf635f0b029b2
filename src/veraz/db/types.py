"""Types of PostgreSQL that psycopg does not write by itself."""

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import SparseVector, Vector
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format


def vector(values: NDArray[np.float32]) -> Vector:
    """Floats as PostgreSQL's `vector`, also inside lists."""
    return Vector(values)


def floats(stored: Vector | None) -> NDArray[np.float32] | None:
    """A stored `vector` as floats."""
    return None if stored is None else stored.to_numpy().astype(np.float32, copy=False)


def entries(stored: SparseVector) -> tuple[list[int], list[float]]:
    """A stored `sparsevec` as the dimensions that are not zero, counted from 0, and their values."""
    return stored.indices(), stored.values()


class TsVector:
    """The words of a text as PostgreSQL's `tsvector`, without positions."""

    __slots__ = ("words",)

    def __init__(self, words: Iterable[str]) -> None:
        self.words = sorted({word.replace("\0", "").encode()[:2046] for word in words if word})


class _TsVectorDumper(Dumper):
    """The binary form `tsvectorrecv` reads: a count, then each lexeme with zero positions."""

    format = Format.BINARY
    oid = psycopg.adapters.types["tsvector"].oid

    def dump(self, obj: Any) -> Buffer | None:
        words: list[bytes] = obj.words
        return struct.pack(">I", len(words)) + b"".join(word + b"\0\0\0" for word in words)


def register() -> None:
    """Makes the types known to every connection of this process."""
    psycopg.adapters.register_dumper(TsVector, _TsVectorDumper)
