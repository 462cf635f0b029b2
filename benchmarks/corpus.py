"""Chunks of real Spanish laws with the local model's vectors; embedded once, then kept in benchmarks/.cache.

`python -m benchmarks.corpus [--chunks 110000]` makes them ahead (some ten minutes on two cores).
"""

import argparse
import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.support.load import whole_laws

from veraz.ingest.chunk import Chunk, chunk
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.markdown import read
from veraz.library.configs import ChunkingConfig
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import LocalEmbedder

CACHE = Path(__file__).parent / ".cache"
_STEP = 4_096


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunk i stands in document `documents[i]` and has vector i."""

    documents: list[str]
    chunks: list[Chunk]
    vectors: Vectors


def corpus(count: int) -> Corpus:
    """That many chunks, in the order of the laws."""
    named = [pair for pair, _ in zip(_chunks(), range(count), strict=False)]
    assert len(named) == count, f"the laws have only {len(named)} chunks"
    chunks = [piece for _, piece in named]
    return Corpus([name for name, _ in named], chunks, _vectors([piece.embedded for piece in chunks]))


def _chunks() -> Iterator[tuple[str, Chunk]]:
    for law in whole_laws(100_000, smallest=2_000, largest=10_000_000):
        source = Source(data=law.content.encode(), filename=law.name)
        for piece in chunk(read(source), ChunkingConfig()):
            yield law.name, piece


def _vectors(texts: list[str]) -> Vectors:
    CACHE.mkdir(exist_ok=True)
    model = LocalEmbedder(2)
    parts = []
    begun = time.perf_counter()
    for at in range(0, len(texts), _STEP):
        path = CACHE / f"laws-{at:07}-{min(len(texts) - at, _STEP)}.npy"
        if not path.exists():
            np.save(path, asyncio.run(model.embed(texts[at : at + _STEP], purpose="document")).vectors)
            print(f"embedded {at + _STEP} of {len(texts)}, {time.perf_counter() - begun:.0f} s", flush=True)
        parts.append(np.load(path))
    return np.concatenate(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=110_000)
    print(corpus(parser.parse_args().chunks).vectors.shape)
