"""Vectors of texts are made once and remembered."""

from collections.abc import Sequence

import numpy as np

from veraz.answer.quoting.meanings import Meanings
from veraz.providers.embedding.base import Embedded, Purpose
from veraz.providers.embedding.fake import FakeEmbedder


class Counting(FakeEmbedder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The same vectors."""
        self.asked += texts
        return await super().embed(texts, purpose=purpose)


async def test_the_same_text_is_embedded_once() -> None:
    embedder = Counting()
    meanings = Meanings(embedder)
    first = await meanings.of(["cuota", "baja", "cuota"])
    second = await meanings.of(["baja", "piscina"])
    assert embedder.asked == ["cuota", "baja", "piscina"]
    assert np.array_equal(first["baja"], second["baja"])


async def test_vectors_have_length_one() -> None:
    found = await Meanings(FakeEmbedder(64)).of(["la cuota del gimnasio"])
    assert np.isclose(np.linalg.norm(found["la cuota del gimnasio"]), 1.0, atol=1e-3)
