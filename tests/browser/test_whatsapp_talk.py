"""A person answers a customer on WhatsApp from the page for asking, and sees who answers there."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import MANAGER, RIVAL, World
    from tests.support.graph_server import PHONE, SECRET, TOKEN, Graph, call, change, deliver, status, text
else:
    from support.browser import MANAGER, RIVAL, World
    from support.graph_server import PHONE, SECRET, TOKEN, Graph, call, change, deliver, status, text

QUESTION = "¿Cuánto tarda un envío a Canarias?"
CUSTOMER = "Kerry Fisher"
SWITCH = "Aquí responde una persona"


@pytest.fixture(scope="module")
async def talk(world: World, graph: Graph) -> str:
    """A customer asked on WhatsApp and the agent answered; the conversation."""
    number = {"agent_id": world.agent, "phone_number_id": PHONE, "name": "Tienda"}
    secrets = {"access_token": TOKEN, "app_secret": SECRET}
    made = await world.admin.post("/api/v1/whatsapp-numbers", json=number | secrets)
    assert made.status_code == 201, made.text
    await customer_writes(world, QUESTION)
    await until(lambda: _answered(graph))
    found = (await world.admin.get("/api/v1/conversations")).json()["items"]
    return str(next(one["id"] for one in found if one["channel"] == "whatsapp"))


async def test_a_person_takes_over_and_answers_on_whatsapp(
    world: World, enter: "Enter", graph: Graph, talk: str
) -> None:
    page, by_the_agent = await enter(MANAGER), len(graph.sent)
    await page.goto(world.at("/ask"))
    await page.get_by_role("link", name=CUSTOMER).click()
    log = page.get_by_role("log", name="Conversación")
    await expect(log).to_contain_text(QUESTION)
    await page.get_by_role("switch", name=SWITCH).click()
    await until(lambda: _mode_is(world, talk, "human"))
    await customer_writes(world, "Prefiero hablar con alguien.")
    await expect(log).to_contain_text("Prefiero hablar con alguien.")
    await answer(page, "Hola, soy Marta. Llega el jueves.")
    mine = log.locator(".bubble").filter(has_text="soy Marta")
    await expect(mine).to_contain_text("Una persona del equipo")
    await expect(mine).to_contain_text("enviado")
    sent = next(one for one in graph.sent if "soy Marta" in one["text"]["body"])
    assert (sent["to"], sent["token"]) == ("5215512345678", TOKEN)
    await deliver(world.admin, call(change(statuses=[status(sent["wamid"], "read")])))
    await expect(mine).to_contain_text("leído")
    assert graph.texts[by_the_agent:] == ["Hola, soy Marta. Llega el jueves."]  # the agent kept quiet


async def test_the_switch_follows_what_happens_elsewhere(world: World, enter: "Enter", talk: str) -> None:
    await hand_over(world, talk, "ai")
    page = await enter(MANAGER)
    await page.goto(world.at(f"/ask/{talk}"))
    switch = page.get_by_role("switch", name=SWITCH)
    await expect(switch).not_to_be_checked()
    for mode in ("human", "ai"):
        await hand_over(world, talk, mode)
        await expect(switch).to_be_checked(checked=mode == "human")
        assert await _mode_is(world, talk, mode)  # what is only shown changes nothing
    await switch.click()
    await until(lambda: _mode_is(world, talk, "human"))
    await expect(switch).to_be_checked()


async def test_the_rival_finds_nothing_of_the_talk(world: World, enter: "Enter", talk: str) -> None:
    page = await enter(RIVAL)
    await page.goto(world.at("/ask"))
    await expect(page.get_by_role("heading", name="Preguntar")).to_be_visible()
    await expect(page.get_by_text(CUSTOMER)).to_have_count(0)
    answer = await page.goto(world.at(f"/ask/{talk}"))
    assert answer is not None
    assert answer.status == 404
    for words in (CUSTOMER, "Canarias"):
        await expect(page.get_by_text(words)).to_have_count(0)


async def customer_writes(world: World, words: str) -> None:
    """Meta calls with what somebody wrote."""
    taken = await deliver(world.admin, call(change([text(words)])))
    assert taken.status_code == 200, taken.text


async def answer(page: Page, words: str) -> None:
    """Types into the bar and sends it."""
    await page.get_by_label("Responder como persona").fill(words)
    await page.get_by_role("button", name="Enviar", exact=True).click()


async def hand_over(world: World, talk: str, mode: str) -> None:
    """Somebody changes who answers, not on this page."""
    done = await world.admin.patch(f"/api/v1/conversations/{talk}", json={"handoff_mode": mode})
    assert done.status_code == 200, done.text


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = 120) -> None:
    """Waits for something that happens elsewhere."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _mode_is(world: World, talk: str, mode: str) -> bool:
    found: dict[str, Any] = (await world.admin.get(f"/api/v1/conversations/{talk}")).json()
    return bool(found["handoff_mode"] == mode)


async def _answered(graph: Graph) -> bool:
    return any("5 a 8 días" in one for one in graph.texts)
