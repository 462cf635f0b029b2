"""From a number to the story of one question, in a browser."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import MANAGER, MEMBER, World, barriers, settled
else:
    from support.browser import MANAGER, MEMBER, World, barriers, settled


async def test_a_manager_goes_from_the_numbers_to_how_one_question_was_answered(
    world: World, enter: "Enter"
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at("/insight"))
    await expect(page.get_by_role("heading", name="Uso", exact=True)).to_be_visible()
    await expect(page.get_by_role("heading", name="Preguntas por día")).to_be_visible()
    await page.get_by_role("button", name="7 días").click()
    await page.wait_for_url(re.compile(r"/es/usage\?days=7"))
    await page.get_by_text("Ver como tabla").first.click()
    await expect(page.get_by_role("columnheader", name="Respondidas").first).to_be_visible()
    await page.get_by_role("link", name="Ver las preguntas").click()
    await page.get_by_label("Palabras de la pregunta").fill("canarias")
    await page.wait_for_url(re.compile("words=canarias"))
    await page.locator(f'a[href$="{world.query}"]').click()
    await expect(page.get_by_role("heading", name="Cómo se respondió")).to_be_visible()
    for part in (
        "La pregunta",
        "Qué se encontró",
        "Comprobación frase por frase",
        "Qué se mostró",
        "Tiempo y costo",
    ):
        await expect(page.get_by_role("heading", name=part, exact=True)).to_be_visible()
    await expect(page.get_by_text("Citado", exact=True).first).to_be_visible()


async def test_the_numbers_can_be_taken_along(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at("/usage"))
    await settled(page)
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Exportar CSV").click()
    download = await waiting.value
    assert re.fullmatch(r"uso-\d{4}-\d\d-\d\d\.csv", download.suggested_filename)
    assert "Luna" in (await download.path()).read_text(encoding="utf-8-sig")


async def test_a_member_sees_neither_numbers_nor_traces(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    for path in ("/usage", "/usage/questions", f"/usage/questions/{world.query}"):
        await page.goto(world.at(path))
        await expect(
            page.get_by_role("heading", name="Esta página no se puede mostrar").first
        ).to_be_visible()
        await expect(page.get_by_text("Canarias")).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_what_is_folded_away_has_no_barrier_either(world: World, enter: "Enter", dark: bool) -> None:
    page = await enter(MANAGER, color_scheme="dark" if dark else "light")
    for path in ("/usage", f"/usage/questions/{world.query}"):
        await page.goto(world.at(path))
        await settled(page)
        for fold in await page.locator(
            ".q-expansion-item .q-item[role=button], .q-expansion-item .q-item--clickable"
        ).all():
            await fold.click()
        await settled(page)
        assert await barriers(page) == []
