"""Search and answers of this state against those of another, side by side in one run: `python -m benchmarks.side_by_side COMMIT`.

The other state fills a home with tenants of 100 to 100,000 chunks of Spanish laws; this state serves a copy of it, which it migrates.
Each question goes to one server and then to the other, the first one changing from question to question, so that what else
the machine does falls on both. Answers are quotations: no model takes part. Libraries that only the other state needs are found
where `PYTHONPATH` leads.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import httpx
import numpy as np
from benchmarks.corpus import CACHE, Corpus, corpus
from benchmarks.filled import Shop
from benchmarks.retrieval import SIDE_BY_SIDE, questions_about, served, shop_client

HERE = Path(__file__).parent.parent
_FILL = f"""
import asyncio, sys
from pathlib import Path
from benchmarks.corpus import corpus
from benchmarks.filled import filled
asyncio.run(filled(Path(sys.argv[1]), corpus(110_000), {SIDE_BY_SIDE}))
"""

Ask = Callable[[httpx.AsyncClient, Shop, str], Awaitable[httpx.Response]]


def main() -> None:
    """Measures both and prints the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    laws = corpus(110_000)
    tree = _checked_out(options.commit)
    old = CACHE / f"home-{tree.name}"
    _fill(tree, old)
    new = CACHE / f"home-{tree.name}-now"
    shutil.rmtree(new, ignore_errors=True)
    subprocess.run(
        ["cp", "-a", str(old), str(new)], check=True
    )  # with their owner, who is the database's own user
    asyncio.run(_compare(laws, tree, old, new, options))


def _checked_out(commit: str) -> Path:
    name = subprocess.check_output(["git", "rev-parse", "--short", commit], cwd=HERE, text=True).strip()
    tree = CACHE / name
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], cwd=HERE, check=True)
        (tree / "benchmarks/.cache").symlink_to(CACHE)
    return tree


def _fill(tree: Path, home: Path) -> None:
    if not (home / "shops.json").exists():
        command = [sys.executable, "-c", _FILL, str(home)]
        subprocess.run(command, cwd=tree, env=_sources(tree), check=True)


def _sources(tree: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{tree / 'src'}:{tree}:{os.environ.get('PYTHONPATH', '')}"}


async def _compare(laws: Corpus, tree: Path, old: Path, new: Path, options: argparse.Namespace) -> None:
    shop = [Shop(**each) for each in json.loads((old / "shops.json").read_text())][-1]
    warm, *rounds = _parts(questions_about(laws, shop, (options.rounds + 1) * options.questions), options)
    async with (
        served(old, env=_sources(tree)) as before_url,
        served(new, env=_sources(HERE)) as now_url,
        shop_client(before_url, shop) as before,
        shop_client(now_url, shop) as now,
    ):
        for what, ask in (("search", _search), ("ask", _answer)):
            await _times(before, now, shop, warm, ask)
            for number, questions in enumerate(rounds, 1):
                _print(what, shop, number, await _times(before, now, shop, questions, ask))


def _parts(questions: Sequence[str], options: argparse.Namespace) -> list[Sequence[str]]:
    return [questions[at : at + options.questions] for at in range(0, len(questions), options.questions)]


async def _times(
    before: httpx.AsyncClient, now: httpx.AsyncClient, shop: Shop, questions: Sequence[str], ask: Ask
) -> tuple[list[float], list[float]]:
    times: dict[httpx.AsyncClient, list[float]] = {before: [], now: []}
    for number, question in enumerate(questions):
        for client in (before, now) if number % 2 else (now, before):
            begun = time.perf_counter()
            (await ask(client, shop, question)).raise_for_status()
            times[client].append((time.perf_counter() - begun) * 1000)
    return times[before], times[now]


async def _search(client: httpx.AsyncClient, shop: Shop, question: str) -> httpx.Response:
    return await client.post(f"/agents/{shop.agent_id}/search", json={"query": question, "top_k": 8})


async def _answer(client: httpx.AsyncClient, shop: Shop, question: str) -> httpx.Response:
    return await client.post(f"/agents/{shop.agent_id}/ask", json={"question": question})


def _print(what: str, shop: Shop, number: int, times: tuple[list[float], list[float]]) -> None:
    (half, most), (half_now, most_now) = (np.percentile(each, [50, 95]) for each in times)
    print(
        f"{what} at {shop.size:,} chunks, round {number}: before p50 {half:.1f} p95 {most:.1f} ms, "
        f"now p50 {half_now:.1f} p95 {most_now:.1f} ms, now/before {half_now / half:.3f} and {most_now / most:.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
