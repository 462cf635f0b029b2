"""What leaves the chunker, and the bare spans its strategies hand to the last step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

EmbedSentences = Callable[[Sequence[str]], NDArray[np.float32]]
"""Vectors of sentences, one row each; any embedder will do, they only tell where the subject changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of the document's text chosen to be a chunk."""

    start: int
    end: int
    table_header: str = ""
    """Header line to repeat before it, because it starts inside a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One searchable piece of a document and where it stands in it."""

    ordinal: int
    """Its place among the document's chunks, from 0."""
    content: str
    """What people read: `text[start:end]`, after its table's header line when it starts inside a table."""
    start: int
    end: int
    page: int | None
    """Page or slide where it starts."""
    part: str | None
    row: int | None
    headers: tuple[str, ...]
    """The headings above the place where it starts, outermost first."""
    context: str
    """Title and heading path on one line, to be embedded before the content; may be empty."""
    tokens: int
    """Of the content, as OpenAI's models count."""
    content_hash: bytes
    """SHA-256 of what is embedded, so that equal hashes may share one vector."""
    quality: int
    """0 … 100, see `quality.py`."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """What it says over what is said about its document."""

    @property
    def embedded(self) -> str:
        """What the embedding model reads."""
        return f"{self.context}\n{self.content}" if self.context else self.content
