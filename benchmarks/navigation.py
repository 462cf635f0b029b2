"""Moving between pages and opening sources in Chromium: `python -m benchmarks.navigation [--rounds 5] [--pdf FILE --question WORDS]`.

Each page of the navigation is opened in two ways, round by round: as a document of its own (how it was before pages shared a
frame), and by following its link inside the frame. It is usable when its heading is visible. Also the bytes of a first visit as
they go over the wire, and how long the server works on each page (a GET without a browser). With a PDF and a question it answers, how long
it takes from a click on a claim until its boxed sentence is visible, the page drawn or not yet. Not below other load.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Page, Request
from tests.support.browser import (
    ADMIN,
    World,
    bring,
    chromium,
    idle,
    populate,
    running_veraz,
    settled,
    sign_in,
)
from tests.support.load import fresh_home

from veraz.api.caller import COOKIE
from veraz.ui.navigation import GROUPS

PATHS = [place.path for group in GROUPS for place in group.places]
Times = dict[str, list[float]]
_USABLE = "path => location.pathname === '/es' + path && document.querySelector('h1')?.checkVisibility()"
_FOLLOW = """path => { document.querySelectorAll('h1').forEach(one => one.remove());
  document.querySelector(`nav a[href="/es${path}"]`).click() }"""


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pdf", type=Path)
    parser.add_argument("--question", default="")
    asyncio.run(_measure(parser.parse_args()))


async def _measure(options: argparse.Namespace) -> None:
    rounds = options.rounds
    with fresh_home("veraz-navigation-") as home:
        async with running_veraz(home) as url, chromium() as browser:
            world = await populate(url)
            context = await browser.new_context(viewport={"width": 1280, "height": 860})
            page = await sign_in(context, world.url, ADMIN)
            print(f"first visit: {await _first_visit(browser, page, world) / 1024:.0f} KB")
            documents: list[str] = []
            opened, followed = await _moves(page, world, rounds, documents)
            _print(opened, followed, await _server_times(page, world, rounds))
            print(f"documents requested while following links: {len(documents)}")
            if options.pdf:
                first, *others = await _source_times(page, world, options)
                print(
                    f"click on a claim → boxed sentence, ms: first {first:.0f}, then {statistics.median(others):.0f}"
                )


async def _moves(page: Page, world: World, rounds: int, documents: list[str]) -> tuple[Times, Times]:
    def seen(request: Request) -> None:
        if request.resource_type == "document":
            documents.append(request.url)

    opened: Times = {path: [] for path in PATHS}
    followed: Times = {path: [] for path in PATHS}
    for _ in range(rounds):
        for path in PATHS:
            opened[path].append(await _usable(page, path, page.goto(world.at(path))))
        await settled(page)
        page.on("request", seen)
        for path in PATHS:
            followed[path].append(await _usable(page, path, page.evaluate(_FOLLOW, path)))
        page.remove_listener("request", seen)
    return opened, followed


async def _usable(page: Page, path: str, move: Awaitable[Any]) -> float:
    begun = time.perf_counter()
    await move
    await page.wait_for_function(_USABLE, arg=path)
    return (time.perf_counter() - begun) * 1000


async def _first_visit(browser: Browser, page: Page, world: World) -> int:
    """The bytes of one page in a browser that has never seen any, compressed as they come."""
    context = await browser.new_context(storage_state=await page.context.storage_state())
    fresh = await context.new_page()
    session = await context.new_cdp_session(fresh)
    await session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    await fresh.goto(world.at("/ask"))
    await settled(fresh)
    await fresh.wait_for_timeout(1000)
    await context.close()
    return sum(sizes)


async def _server_times(page: Page, world: World, rounds: int) -> Times:
    cookies = {one["name"]: one["value"] for one in await page.context.cookies() if one["name"] == COOKIE}
    times: Times = {path: [] for path in PATHS}
    async with httpx.AsyncClient(cookies=cookies, timeout=60) as http:
        for _ in range(rounds):
            for path in PATHS:
                begun = time.perf_counter()
                answer = await http.get(world.at(path))
                times[path].append((time.perf_counter() - begun) * 1000)
                assert answer.status_code == 200, path
    return times


async def _source_times(page: Page, world: World, options: argparse.Namespace) -> list[float]:
    """An answer from the PDF, its first claim clicked again and again."""
    await bring(world.admin, world.kb, options.pdf)
    await idle(world.admin, world.kb)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await settled(page)
    await page.locator("[data-main-field] textarea").fill(options.question)
    await page.keyboard.press("Enter")
    await page.locator(".claim").first.wait_for()
    await page.wait_for_timeout(2000)
    times = []
    for _ in range(options.rounds + 1):
        begun = time.perf_counter()
        await page.locator(".claim").first.click()
        await page.locator(".source-box").first.wait_for()
        times.append((time.perf_counter() - begun) * 1000)
        await page.keyboard.press("Escape")
        await page.locator(".source-box").first.wait_for(state="hidden")
    return times


def _print(opened: Times, followed: Times, server: Times) -> None:
    print(f"{'page (medians, ms)':<24}{'document':>10}{'link':>8}{'server':>8}")
    for path in PATHS:
        print(
            f"{path:<24}{_median(opened, path):>10.0f}{_median(followed, path):>8.0f}{_median(server, path):>8.0f}"
        )
    print(f"{'all':<24}{_median(opened):>10.0f}{_median(followed):>8.0f}{_median(server):>8.0f}")


def _median(times: Times, path: str | None = None) -> float:
    return statistics.median(times[path] if path else [one for every in times.values() for one in every])


if __name__ == "__main__":
    main()
