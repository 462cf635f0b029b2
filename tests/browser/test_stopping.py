"""The Stop button ends the call to the model; an answer whose tab was closed goes on and is there when somebody comes back."""

import asyncio
import re
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import MEMBER, World
    from tests.support.chat_server import ChatServer
else:
    from support.browser import MEMBER, World
    from support.chat_server import ChatServer

QUESTION = "¿Cuánto tarda un envío a Canarias?"


@pytest.fixture
async def slow(world: World, model: ChatServer) -> str:
    """An agent whose model stops in the middle of its answer, for longer than anybody waits."""
    name, retrieval = f"Lenta {len(model.requests)}", {"rewrite": False}
    body = {"project_id": world.project, "name": name, "model": "openai:loopback", "retrieval": retrieval}
    agent = (await world.admin.post("/api/v1/agents", json=body)).json()["id"]
    await world.admin.put(
        f"/api/v1/agents/{agent}/knowledge-bases/{world.kb}", json={"priority": 1, "search_weight": 1}
    )
    model.answer = "Un envío a Canarias tarda de 5 a 8 días laborables, según la empresa [Chunk 1]."
    model.misbehave("stall")
    return str(agent)


async def test_the_stop_button_ends_the_call_to_the_model(
    world: World, enter: "Enter", model: ChatServer, slow: str
) -> None:
    page, before = await enter(MEMBER), model.hung_up
    await _ask(page, world, slow, model)
    await page.get_by_role("button", name="Detener").click()
    await expect(page.get_by_text("La respuesta se interrumpió.")).to_be_visible()
    await expect(page.get_by_role("button", name="Preguntar", exact=True)).to_be_visible()
    await _hung_up(model, before)


async def test_what_was_stopped_can_be_asked_again(
    world: World, enter: "Enter", model: ChatServer, slow: str
) -> None:
    page, before = await enter(MEMBER), model.hung_up
    await _ask(page, world, slow, model)
    await page.get_by_role("button", name="Detener").click()
    await _hung_up(model, before)
    await page.get_by_role("button", name="Preguntar de nuevo").click()
    await expect(page.locator(".bubble.agent .seal")).to_be_visible()
    await expect(page.locator(".bubble.me")).to_have_count(1)
    await page.reload()
    await expect(page.locator(".bubble.agent .seal")).to_be_visible()
    await expect(page.locator(".bubble")).to_have_count(2)


async def test_an_answer_goes_on_when_its_tab_is_closed_and_is_there_for_who_comes_back(
    world: World, enter: "Enter", model: ChatServer, slow: str
) -> None:
    page, before = await enter(MEMBER), model.hung_up
    await _ask(page, world, slow, model)
    await page.wait_for_url(re.compile("/es/ask/"))
    address, context = page.url, page.context
    await page.close()
    back = await context.new_page()
    await back.goto(address)
    await expect(back.locator(".bubble.me")).to_contain_text(QUESTION)
    await expect(back.get_by_role("button", name="Detener")).to_be_visible()
    assert model.hung_up == before
    await back.get_by_role("button", name="Detener").click()
    await _hung_up(model, before)


async def _ask(page: Page, world: World, agent: str, model: ChatServer) -> None:
    """Asks, and waits until the model has begun to write: what it writes is not shown before it is proven."""
    asked = len(model.requests)
    await page.goto(world.at(f"/ask?agent={agent}"))
    await page.get_by_label("Su pregunta").fill(QUESTION)
    await page.get_by_role("button", name="Preguntar", exact=True).click()
    async with asyncio.timeout(120):
        while len(model.requests) == asked:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await expect(page.get_by_role("button", name="Detener")).to_be_visible()


async def _hung_up(model: ChatServer, before: int) -> None:
    async with asyncio.timeout(120):
        while model.hung_up == before:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
