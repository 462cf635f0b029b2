"""Search against its bars and against peers: `python -m benchmarks.retrieval [speed crowd answer recall peers] [--million]`.

Tenants of 100, 1,000, 10,000 and 100,000 chunks of Spanish laws stand side by side in one table, with the local model's
vectors (`--million` adds a database of 10,000, 100,000 and 1,000,000: the same text again and again, vectors a little
beside the first ones). The first run fills them; later ones take them from benchmarks/.cache.
    speed    hybrid `POST /agents/{id}/search` over HTTP, one after the other
    crowd    the same with 50 at a time
    answer   `POST /agents/{id}/ask` over HTTP with a model that says at once what the first passage says, and judges it
    recall   dense search alone against an exact one
    peers    hybrid search of LlamaIndex, LangChain and Haystack on the 100,000, called in-process; with `speed` a chart
             of both in docs/images/search-speed.svg
"""

import argparse
import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx
import numpy as np
import psycopg
from benchmarks.chart import bars
from benchmarks.corpus import CACHE, Corpus, corpus
from benchmarks.filled import Shop, filled
from benchmarks.ingest import HERE, NAMES, PEERS, make_environment
from tests.support.load import opened
from tests.support.loopback import served as served_here
from tests.support.reader import Passages, Reader

from veraz.answer.service import Answers
from veraz.api.app import create_app
from veraz.db import embedded
from veraz.db.scope import Scope, Signer
from veraz.db.types import vector
from veraz.observe import configure
from veraz.providers.chat.base import ChatRequest
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import LocalEmbedder
from veraz.settings import Settings
from veraz.text.sentences import sentences
from veraz.wiring import access_of, installation_secret

SIDE_BY_SIDE = [100, 1_000, 10_000, 100_000]
MILLION = [10_000, 100_000, 1_000_000]
PARTS = ("speed", "crowd", "answer", "recall", "peers")
CHART = HERE.parent / "docs/images/search-speed.svg"
DEPTH = 20
"""As many as the hybrid search asks of the dense one."""


def main() -> None:
    """Measures what was asked for and prints it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=PARTS)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--million", action="store_true")
    options = parser.parse_args()
    laws = corpus(110_000)
    asyncio.run(_measure(laws, options))


async def _measure(laws: Corpus, options: argparse.Namespace) -> None:
    home = CACHE / ("home-million" if options.million else "home")
    shops = await filled(home, laws, MILLION if options.million else SIDE_BY_SIDE)
    largest = shops[-1]
    measured: dict[str, tuple[float, float]] = {}
    if {"speed", "crowd"} & set(options.parts):
        measured["Veraz, over HTTP"] = await _speeds(home, shops, laws, options)
    if "answer" in options.parts:
        before, questions = _halves(questions_about(laws, largest, 2 * options.questions))
        await _answers(home, largest, questions, after=before)
    if "recall" in options.parts:
        for shop in shops:
            asked = await LocalEmbedder(2).embed(
                questions_about(laws, shop, options.questions), purpose="query"
            )
            await asyncio.to_thread(_recall, home, shop, asked.vectors)
    if "peers" in options.parts:
        asking = questions_about(laws, largest, options.questions)
        measured |= await asyncio.to_thread(_peers, home, largest, laws, asking)
    if len(measured) > len(NAMES):
        bars(CHART, "Hybrid search of 100,000 chunks, milliseconds", measured)


async def _speeds(
    home: Path, shops: Sequence[Shop], laws: Corpus, options: argparse.Namespace
) -> tuple[float, float]:
    """p50 and p95 of the largest."""
    last = (0.0, 0.0)
    async with served(home) as url:
        for shop in shops:
            before, questions = _halves(questions_about(laws, shop, 2 * options.questions))
            last = await _speed(url, shop, questions, after=before)
            if "crowd" in options.parts and shop.size >= 100_000:
                await _crowd(url, shop, questions)
    return last


def questions_about(laws: Corpus, shop: Shop, count: int) -> list[str]:
    """What people might ask of these laws: some words of a passage in a row, or a few of it, in a question or bare."""
    pick = random.Random(shop.size)
    asked: list[str] = []
    while len(asked) < count:
        words = re.findall(r"[^\W\d_]+", pick.choice(laws.chunks).content)
        long = [word for word in words if len(word) > 5]
        if len(words) < 40 or len(long) < 3:
            continue
        at = pick.randrange(len(words) - 12)
        row = " ".join(words[at : at + pick.randint(5, 11)])
        few = " ".join(pick.sample(long, 3))
        asked.append(pick.choice((f"¿Qué se establece sobre {row}?", row, few, f"¿Cómo se regula {few}?")))
    return asked


def _halves(questions: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    middle = len(questions) // 2
    return questions[:middle], questions[middle:]


@asynccontextmanager
async def served(home: Path, *, env: Mapping[str, str] = os.environ) -> AsyncIterator[str]:
    """A server of its own process on this home."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "veraz", "serve", "--api-only", "--home", str(home), "--port", str(port)),
        env={**env, "VERAZ_LOG_LEVEL": "error"},
        stdout=subprocess.DEVNULL,
    )
    try:
        async with httpx.AsyncClient() as client, asyncio.timeout(60):
            while True:
                try:
                    (await client.get(f"http://127.0.0.1:{port}/healthz")).raise_for_status()
                    break
                except httpx.HTTPError:
                    await asyncio.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        await server.wait()


async def _speed(
    url: str, shop: Shop, questions: Sequence[str], *, after: Sequence[str]
) -> tuple[float, float]:
    """A server in use: it has answered as many other questions `after` it was started."""
    async with shop_client(url, shop) as client:
        for question in after:
            await _ask(client, shop, question)
        times = [await _ask(client, shop, question) for question in questions]
    print(f"{shop.size:>9,} chunks, one at a time: {_summary(times)}", flush=True)
    return _half_and_most(times)


async def _crowd(url: str, shop: Shop, questions: Sequence[str], at_once: int = 50) -> None:
    line = iter([question + " ?" for question in questions] * 4)
    times: list[float] = []
    async with shop_client(url, shop) as client:

        async def person() -> None:
            times.extend([await _ask(client, shop, question) for question in line])

        begun = time.perf_counter()
        await asyncio.gather(*(person() for _ in range(at_once)))
        rate = len(times) / (time.perf_counter() - begun)
    print(
        f"{shop.size:>9,} chunks, {at_once} at a time: {_summary(times)}, {rate:.0f} searches/s", flush=True
    )


async def _answers(home: Path, shop: Shop, questions: Sequence[str], *, after: Sequence[str]) -> None:
    """Everything but the model: server and client share this process, so this is more than the server's own time."""
    settings = Settings(home=home, log_level="error", chat_model="openai:instant")
    configure(settings)
    async with opened(settings) as veraz:
        quick = Reader(_first_sentence, judge=_as_it_stands, name="openai:instant")
        answers = Answers(veraz.db, veraz.search, settings, chats=lambda name, fallback: quick)
        await veraz.search.warm()
        async with (
            served_here(create_app(replace(veraz, answers=answers))) as url,
            shop_client(url, shop) as client,
        ):
            for question in after:
                await _answer(client, shop, question)
            asked = [await _answer(client, shop, question) for question in questions]
    times = [took for took, _ in asked]
    refused = sum(refused for _, refused in asked)
    print(
        f"{shop.size:>9,} chunks, answers: {_summary(times)}, {refused} of {len(asked)} refused", flush=True
    )


def _first_sentence(request: ChatRequest) -> str:
    """What the first passage begins with, cited."""
    passage = request.messages[0].text.partition(">>>\n")[2].partition("<<<")[0]
    return f"{sentences(passage)[0].rstrip('. ')} [Chunk 1]."


def _as_it_stands(claim: str, passages: Passages) -> str | None:
    """A judge who needs no time: the claim is a quotation."""
    quote = claim.rstrip(". ")
    return quote if any(quote in text for text in passages.values()) else None


async def _answer(client: httpx.AsyncClient, shop: Shop, question: str) -> tuple[float, bool]:
    begun = time.perf_counter()
    answer = await client.post(f"/agents/{shop.agent_id}/ask", json={"question": question})
    took = (time.perf_counter() - begun) * 1000
    assert answer.status_code == 200, answer.text
    return took, bool(answer.json()["refused"])


def shop_client(url: str, shop: Shop) -> httpx.AsyncClient:
    """A client with the shop's key."""
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    headers = {"Authorization": f"Bearer {shop.key}"}
    return httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=60, limits=limits)


async def _ask(client: httpx.AsyncClient, shop: Shop, question: str) -> float:
    begun = time.perf_counter()
    answer = await client.post(f"/agents/{shop.agent_id}/search", json={"query": question, "top_k": 8})
    took = (time.perf_counter() - begun) * 1000
    assert answer.status_code == 200, answer.text
    return took


def _half_and_most(times: Sequence[float]) -> tuple[float, float]:
    half, most = np.percentile(times, [50, 95])
    return float(half), float(most)


def _summary(times: Sequence[float]) -> str:
    half, most = _half_and_most(times)
    return f"p50 {half:.1f} ms, p95 {most:.1f} ms"


def _recall(home: Path, shop: Shop, asked: Vectors) -> None:
    """Of the ten truly nearest, how many the search has among its own first ten."""
    same, times = [], []
    with embedded.running(home) as address, psycopg.connect(address.url, autocommit=True) as connection:
        key = access_of(installation_secret(Settings(home=home))).scope_key
        scope = Signer(key, connection.info.user).sign(Scope(tenant_id=UUID(str(shop.tenant_id))))
        connection.execute("select set_config('veraz.scope', %s, false)", (scope,))
        connection.execute("set max_parallel_workers_per_gather = 0")
        for each in asked:
            values = (vector(each).to_text(), [shop.edition_id], shop.size)
            begun = time.perf_counter()
            found = connection.execute(
                f"select veraz.nearest_chunks({shop.space_id}, %s::vector, %s, null, %s, {DEPTH}, null)",
                values,
            ).fetchone()
            times.append((time.perf_counter() - begun) * 1000)
            assert found
            best = "select id from veraz.chunk where {} order by embedding <=> %s::vector limit 10"
            first = connection.execute(best.format("id = any (%s)"), (found[0], values[0])).fetchall()
            truly = connection.execute(
                best.format("edition_id = any (%s) and space_id is not null"), (values[1], values[0])
            ).fetchall()
            same.append(len(set(first) & set(truly)) / len(truly))
    print(f"{shop.size:>9,} chunks, dense recall@10 {np.mean(same):.4f}, {_summary(times)}", flush=True)


def _peers(home: Path, shop: Shop, laws: Corpus, questions: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Each framework gets the same chunks and vectors, and an index where it has one to offer."""
    make_environment()
    at = sum(SIDE_BY_SIDE[:-1])
    places = [(at + number) % len(laws.chunks) for number in range(shop.size)]
    given = CACHE / "given"
    given.mkdir(exist_ok=True)
    np.save(given / "vectors.npy", laws.vectors[places])
    (given / "texts.json").write_text(json.dumps([laws.chunks[place].content for place in places]))
    (given / "questions.json").write_text(json.dumps(list(questions)))
    with embedded.running(home) as address:
        with psycopg.connect(address.url, autocommit=True) as connection:
            if not connection.execute("select 1 from pg_database where datname = 'peers'").fetchone():
                connection.execute("create database peers")
        url = address.url.replace("/veraz?", "/peers?")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("create extension if not exists vector")
        return {name: _peer(name, given, url) for name in NAMES}


def _peer(name: str, given: Path, url: str) -> tuple[float, float]:
    command = [str(PEERS / "bin/python"), str(HERE / "retrieval_peers.py"), name, str(given), url]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    print(said, flush=True)
    half, most = re.findall(r"p\d\d ([\d.]+) ms", said)[-2:]
    return float(half), float(most)


if __name__ == "__main__":
    main()
