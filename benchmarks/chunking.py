"""How fast text becomes chunks and lexemes: `python benchmarks/chunking.py FOLDER_OR_TAR [megabytes]`.

Reads Markdown files, then prints megabytes of UTF-8 per second of one core, best of three, for each strategy
and for the lexemes with their BM25 weights.
"""

import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from veraz.ingest.chunk import chunk
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.markdown import read
from veraz.library.configs import ChunkingConfig
from veraz.text.tokens import count_tokens
from veraz.text.words import lexemes, term_weights

CONFIGS = {
    "fixed 1000/200 characters": ChunkingConfig(),
    "fixed 800/100 tokens": ChunkingConfig(unit="tokens"),
    "paragraph 1000 characters": ChunkingConfig(strategy="paragraph"),
    "paragraph 800 tokens": ChunkingConfig(strategy="paragraph", unit="tokens"),
    "semantic 1000 characters, by words": ChunkingConfig(strategy="semantic"),
}


def main(source: Path, megabytes: float) -> None:
    """Measures everything once and prints it."""
    documents = list(_documents(source, megabytes))
    size = sum(len(parsed.text.encode()) for parsed in documents) / 1e6
    print(f"{len(documents)} documents, {size:.1f} MB of text")
    count_tokens("the vocabulary is loaded before the clock runs")
    for name, config in CONFIGS.items():
        _report(name, size, partial(_chunks, documents, config))
    contents = [
        item.content for parsed in documents for item in chunk(parsed, ChunkingConfig(strategy="paragraph"))
    ]
    _report("lexemes", size, lambda: sum(len(lexemes(content)) for content in contents))
    _report("lexemes and weights", size, lambda: sum(len(term_weights(lexemes(c), 90)) for c in contents))


def _chunks(documents: list[Parsed], config: ChunkingConfig) -> int:
    return sum(len(chunk(parsed, config)) for parsed in documents)


def _report(name: str, size: float, run: Callable[[], int]) -> None:
    best, made = float("inf"), 0
    for _ in range(3):
        begun = time.process_time()
        made = run()
        best = min(best, time.process_time() - begun)
    print(f"{name:36} {size / best:6.2f} MB/s   {made:9,} made")


def _documents(source: Path, megabytes: float) -> Iterator[Parsed]:
    total = 0
    for name, data in _files(source):
        total += len(data)
        yield read(Source(data=data, filename=name))
        if total > megabytes * 1e6:
            return


def _files(source: Path) -> Iterator[tuple[str, bytes]]:
    if source.is_dir():
        for path in sorted(source.rglob("*.md")):
            yield path.name, path.read_bytes()
        return
    with tarfile.open(source) as archive:
        for member in archive:
            handle = archive.extractfile(member) if member.name.endswith(".md") else None
            if handle is not None:
                yield member.name, handle.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3)
