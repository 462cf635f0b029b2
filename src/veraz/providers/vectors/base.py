"""What an outside vector engine does for us: it keeps points and proposes the nearest. Rights never come from it.

Every proposal is read again in PostgreSQL, in the caller's reading set; an engine that answered with somebody
else's points would only waste time.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """A sparse vector: lexemes by their dimension, with BM25 weights in a chunk and idf in a question."""

    dimensions: Sequence[int]
    weights: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What the engine knows of a chunk besides its vectors."""

    id: UUID
    tenant_id: UUID
    kb_id: UUID
    edition_id: int
    document_id: UUID
    machine_id: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Point:
    """A chunk as the engine keeps it."""

    mark: Mark
    meaning: Floats | None
    words: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where to look: the same limits PostgreSQL will hold the answer to."""

    tenant_id: UUID
    edition_ids: Sequence[int]
    machine_ids: Sequence[str]
    document_ids: Sequence[UUID] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ask:
    """One search in one embedding space: by meaning (floats) or by words."""

    space_id: int
    reach: Reach
    query: Floats | Words
    limit: int
    exact: bool = False
    """Compare with every point in reach, for few of them; else through the index."""


class VectorEngine(Protocol):
    """A place that keeps the points of embedding spaces."""

    async def ensure(self, space_id: int, dimensions: int) -> None:
        """The space has a place, empty if it is new."""

    async def forget(self, space_id: int) -> None:
        """The space and all its points are gone."""

    async def put(self, space_id: int, points: Sequence[Point]) -> None:
        """These points are there, as they are now, once this returns."""

    async def remove(self, space_id: int, ids: Sequence[UUID]) -> None:
        """These points are not there once this returns."""

    async def find(self, asks: Sequence[Ask]) -> list[UUID]:
        """What the searches propose together, without order."""

    def marks(self, space_id: int) -> AsyncIterator[Mark]:
        """Every point of a space, without its vectors."""

    async def close(self) -> None:
        """Lets go of its connections."""
