"""An embedder for tests: words hashed into vectors, so texts that share words are near each other."""

import zlib
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from veraz.providers.embedding.base import Embedded, Purpose, Space, unit_rows
from veraz.text.words import lexemes

MODEL = "words"


class FakeEmbedder:
    """Always the same vector for the same text, on every machine, at once."""

    max_batch = 256

    def __init__(self, dimensions: int = 64) -> None:
        self.space = Space(provider="fake", model=MODEL, dimensions=dimensions)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The hashed words of each text."""
        rows = np.zeros((len(texts), self.space.dimensions), dtype=np.float32)
        tokens = 0
        for row, text in zip(rows, texts, strict=True):
            words = lexemes(text) or [text]
            tokens += len(words)
            for word in words:
                digest = zlib.crc32(word.encode("utf-8", "replace"))
                row[digest % len(row)] += 1.0 if digest & 0x8000_0000 else -1.0
            if not row.any():  # words that cancelled each other
                row[0] = 1.0
        return Embedded(vectors=unit_rows(rows), tokens=tokens, cost_usd=Decimal(0))
