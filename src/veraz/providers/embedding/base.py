"""What an embedding provider is: texts in, unit vectors of one space out."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Purpose = Literal["document", "query"]
"""Several models embed what is searched and what is asked differently."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """One model at one number of dimensions; vectors of different spaces are never compared."""

    provider: str
    model: str
    dimensions: int

    @property
    def name(self) -> str:
        """`provider:model@dimensions`."""
        return f"{self.provider}:{self.model}@{self.dimensions}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embedded:
    """The vectors of one request and what it cost."""

    vectors: Vectors
    """One row per text, in the texts' order, each of length 1."""
    tokens: int
    cost_usd: Decimal | None
    """None where the price is unknown; zero where nothing is charged."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def space(self) -> Space:
        """The space its vectors live in."""

    @property
    def max_batch(self) -> int:
        """How many texts one request may carry."""

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The vectors of at most `max_batch` texts; raises an `OutsideFault` when the provider fails."""


def unit_rows(rows: "Sequence[Sequence[float]] | NDArray[np.floating]") -> Vectors:
    """The rows as float32 of length 1; a row of zeros stays zeros."""
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return units
