"""How near two sentences are in meaning, by the model inside this machine, so that the scale never changes.

Only used where claim and passage are in different languages. Measured on 1,099 sentences of XQuAD in Spanish and their
English originals against the other sentences of the same paragraph: 0.72 keeps 94 % of the former and 0.3 % of the latter.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from veraz.providers.embedding.base import Embedder

SAME_ABROAD = 0.72
"""Cosine above which a sentence in another language says the same, once its facts agree."""


class Meaning(Protocol):
    """Compares sentences."""

    async def closeness(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair."""


class EmbeddedMeaning:
    """Compares sentences by their vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def closeness(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair; every text is embedded once."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if not texts:
            return []
        embedded = await self._embedder.embed(texts, purpose="query")
        rows = dict(zip(texts, embedded.vectors, strict=True))
        return [float(np.dot(rows[a], rows[b])) for a, b in pairs]
