"""Vectors of words and units by the model of this machine, remembered: the same documents are asked about again and again."""

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np

from veraz.providers.embedding.base import Embedder, Vectors, unit_rows

_REMEMBERED = 40_000
"""Vectors kept, about 1 kB each."""


class Meanings:
    """Unit vectors of texts; the least recently used are forgotten."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    async def of(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """The vector of every text."""
        wanted = list(dict.fromkeys(texts))
        missing = [text for text in wanted if text not in self._known]
        if missing:
            answer = await self._embedder.embed(missing, purpose="query")
            rows = unit_rows(answer.vectors).astype(np.float16)
            self._known.update(zip(missing, rows, strict=True))
        found = {text: self._known[text].astype(np.float32) for text in wanted}
        for text in wanted:
            self._known.move_to_end(text)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found
