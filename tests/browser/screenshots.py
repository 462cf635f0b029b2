"""Pictures of every page, light and dark, on a desktop and on a phone: `make screenshots`.

`ARGS=ask` takes only pages with that in their name, `ARGS="ask en"` and `ARGS="'' en"` take them in English.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Browser, Page

from veraz.ui.visit import say

if TYPE_CHECKING:
    from tests.support.browser import (
        ADMIN,
        World,
        addresses,
        chromium,
        furnish,
        populate,
        running_veraz,
        settled,
        sign_in,
    )
else:
    from support.browser import (
        ADMIN,
        World,
        addresses,
        chromium,
        furnish,
        populate,
        running_veraz,
        settled,
        sign_in,
    )

SIZES = {"desktop": {"width": 1280, "height": 860}, "phone": {"width": 390, "height": 844}}


async def main(folder: Path, only: str = "", language: str = "es") -> None:
    """Fills the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="veraz-pictures-") as home:
        Path(home).chmod(0o755)
        async with running_veraz(Path(home)) as url, chromium() as browser:
            world = await populate(url)
            await furnish(world, Path(home))
            for size in SIZES:
                for scheme in ("light", "dark"):
                    await _take(browser, world, folder, size, scheme, only, language)


async def _take(
    browser: Browser, world: World, folder: Path, size: str, scheme: str, only: str, language: str
) -> None:
    context = await browser.new_context(viewport=SIZES[size], color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    page = await sign_in(context, world.url, ADMIN, language)
    for name, path in addresses(world).items():
        if only not in name:
            continue
        await page.goto(world.at(path, language))
        await page.wait_for_selector("h1")
        await settled(page)
        await page.wait_for_timeout(300)  # charts draw themselves
        await _do_something(page, name, language)
        whole = not name.startswith("ask")  # a bar stays at the bottom
        await page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=whole)
    await context.close()


async def _do_something(page: Page, name: str, language: str) -> None:
    """Pages that show little before somebody asks."""

    def words(text: str) -> str:
        return say(language, text)

    if name == "knowledge-bases-one-kb-search":
        await page.get_by_label(words("Question")).fill("¿Cuánto cuesta el envío a Baleares?")
        await page.get_by_label(words("Similarity threshold")).click()
        await page.get_by_role("option", name=words("0.3 · very wide")).click()
        await page.get_by_role("button", name=words("Search"), exact=True).click()
        await page.locator(".evidence").first.wait_for()
    if name == "ask":
        await page.get_by_label(words("Your question")).fill("¿Qué significa el piloto rojo intermitente?")
        await page.get_by_role("button", name=words("Ask"), exact=True).click()
        inspector = page.get_by_text(words("Evidence inspector · passages: {n}").split(" · ")[0])
        await inspector.wait_for()
        await inspector.click()
        await settled(page)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:4]))
