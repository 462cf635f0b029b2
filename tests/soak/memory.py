"""Memory of a worker: `python -m tests.soak.memory [--pdf-mb 49] [--documents 5000] [--model fake:words@512]`.

Resident memory of the worker process and everything it starts, sampled ten times a second: the peak on one huge PDF
of nothing but text, then over thousands of small documents, where it must stay flat.
"""

import argparse
import asyncio
import io
import random
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import psutil
from tests.ingest.parse.made_files import pdf
from tests.support.load import WORDS, Shelf, Workers, fresh_home, new_shelf, opened, small_documents

from veraz.ingest.receive import Labels
from veraz.settings import Settings

LIMIT_MB = 700
LINE, LINES = 48, 46
CHARACTERS = 29_000_000
"""Just under the most that a document may hold."""


def main() -> None:
    """Measures both, prints, and fails over the limit or when memory grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pdf-mb", type=float, default=49)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--model", default="fake:words@512")
    options = parser.parse_args()
    sys.exit(asyncio.run(_measure(options)))


async def _measure(options: argparse.Namespace) -> bool:
    with fresh_home("veraz-memory-") as home:
        settings = Settings(home=home, log_level="error", embedding_model=options.model)
        async with opened(settings) as veraz:
            environment = {
                "VERAZ_LOG_LEVEL": "error",
                "VERAZ_PARSE_SECONDS": "1800",
                "VERAZ_EMBEDDING_MODEL": options.model,
            }
            with Workers(home, environment) as workers:
                workers.start()
                shelf = await new_shelf(veraz, "memoria")
                too_much = options.pdf_mb > 0 and await _huge_pdf(shelf, workers, options.pdf_mb)
                grows = options.documents > 0 and await _many(shelf, workers, options.documents)
                workers.stop()
    return too_much or grows


async def _huge_pdf(shelf: Shelf, workers: Workers, megabytes: float) -> bool:
    data = pdf(*_pages(megabytes))
    async with sampled(workers) as memory:
        begun = time.monotonic()
        await shelf.veraz.reception.file(shelf.actor, shelf.kb_id, "enorme.pdf", io.BytesIO(data), Labels())
        size = len(data) / 2**20
        del data
        await shelf.completed(1, look_every=0.5)
    seconds = time.monotonic() - begun
    async with shelf.veraz.db.transaction(shelf.actor.scope()) as tx:
        chunks = await tx.value("select count(*) from veraz.chunk where kb_id = %(kb)s", kb=shelf.kb_id)
    print(f"PDF of {size:.1f} MB, {chunks:,} chunks, {seconds:.0f} s: peak {memory.peak:.0f} MB", flush=True)
    return memory.peak > LIMIT_MB


def _pages(megabytes: float) -> Iterator[str]:
    """Pages full of different text."""
    made = characters = number = 0
    pick = random.Random(1)
    while made < megabytes * 2**20 and characters < CHARACTERS:
        text = f"{number} {' '.join(pick.choices(WORDS, k=LINE * LINES // 4))}"
        lines = [text[at : at + LINE] for at in range(0, LINE * LINES, LINE)]
        made += sum(len(line) + 27 for line in lines) + 250
        characters += LINE * LINES
        number += 1
        yield "\n".join(lines)


async def _many(shelf: Shelf, workers: Workers, documents: int) -> bool:
    texts = small_documents(documents, characters=2000)
    tenth = max(1, documents // 10)
    levels: list[float] = []
    before = (await shelf.counts()).get("completed", 0)
    for start in range(0, documents, tenth):
        async with sampled(workers) as memory:
            await shelf.send(texts[start : start + tenth])
            await shelf.completed(before + min(start + tenth, documents), look_every=0.5)
        levels.append(memory.usual)
        print(
            f"{min(start + tenth, documents):6,} documents: usually {memory.usual:.0f}, peak {memory.peak:.0f} MB",
            flush=True,
        )
    growth = levels[-1] - levels[len(levels) // 5]
    print(f"growth after the first fifth: {growth:+.0f} MB")
    return growth > 30


@dataclass
class Memory:
    """What was seen, in megabytes."""

    samples: list[float] = field(default_factory=list)

    @property
    def peak(self) -> float:
        return max(self.samples)

    @property
    def usual(self) -> float:
        return sorted(self.samples)[len(self.samples) // 2]


@asynccontextmanager
async def sampled(workers: Workers) -> AsyncIterator[Memory]:
    """Samples while the block lasts."""
    memory = Memory()

    async def look() -> None:
        while True:
            memory.samples.append(await asyncio.to_thread(_resident, workers))
            await asyncio.sleep(0.1)

    looking = asyncio.create_task(look())
    try:
        yield memory
    finally:
        looking.cancel()


def _resident(workers: Workers) -> float:
    """Proportional where the system tells it: pages shared by forks count once."""
    total = 0
    for worker in workers.processes:
        process = psutil.Process(worker.pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                total += one.memory_full_info().pss if psutil.LINUX else one.memory_info().rss
    return total / 2**20


if __name__ == "__main__":
    main()
