"""One tenant's 5,000 files do not stop another's single one: `python -m tests.soak.fairness [--queued 5000]`.

All files of the first tenant are waiting and the worker is busy with them, with the local model, when another tenant
sends one file; then another tenant, and another. Printed: seconds until its job runs and until it can be searched.
"""

import argparse
import asyncio
import statistics
import sys
import time

from tests.support.load import Shelf, Text, Workers, fresh_home, made_up, new_shelf, opened, small_documents

from veraz.settings import Settings

LIMIT = 5.0


def main() -> None:
    """Measures, prints, and fails when somebody waited too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queued", type=int, default=5000)
    parser.add_argument("--newcomers", type=int, default=5)
    options = parser.parse_args()
    waits = asyncio.run(_measure(options.queued, options.newcomers))
    print(f"{'behind':>10}{'until it runs':>16}{'until searchable':>19}")
    for behind, running, done in waits:
        print(f"{behind:10,}{running:14.2f} s{done:17.2f} s")
    print(
        f"{'median':>10}{statistics.median(w[1] for w in waits):14.2f} s{statistics.median(w[2] for w in waits):17.2f} s"
    )
    sys.exit(max(running for _, running, _ in waits) > LIMIT)


async def _measure(queued: int, newcomers: int) -> list[tuple[int, float, float]]:
    with fresh_home("veraz-fair-") as home:
        async with opened(Settings(home=home, log_level="error", database_pool_size=8)) as veraz:
            crowd = await new_shelf(veraz, "multitud")
            await _send_all(crowd, small_documents(queued))
            with Workers(home, {"VERAZ_LOG_LEVEL": "error"}) as workers:
                workers.start()
                await crowd.completed(20)
                waits = [
                    await _newcomer(await new_shelf(veraz, f"nuevo-{n}"), crowd, n) for n in range(newcomers)
                ]
                workers.stop()
    return waits


async def _send_all(shelf: Shelf, texts: list[Text]) -> None:
    """In four streams, as a browser does."""
    await asyncio.gather(*(shelf.send(texts[start::4]) for start in range(4)))


async def _newcomer(shelf: Shelf, crowd: Shelf, number: int) -> tuple[int, float, float]:
    behind = (await crowd.counts()).get("pending", 0)
    text = Text("uno.md", made_up(10**6 + number, 3000))
    begun = time.monotonic()
    await shelf.send([text])
    while not (await shelf.counts()).keys() & {"processing", "completed"}:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    running = time.monotonic() - begun
    await shelf.completed(1, look_every=0.02)
    return behind, running, time.monotonic() - begun


if __name__ == "__main__":
    main()
