"""Asking: the source beside every claim, and nothing lost by reload, restart, sleep or a second tab."""

import asyncio
import re
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, Locator, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import (
        ADMIN,
        MANAGER,
        MEMBER,
        RIVAL,
        World,
        bring,
        idle,
        populate,
        running_veraz,
        settled,
        sign_in,
        small_pdf,
    )  # fmt: skip
else:
    from support.browser import (
        ADMIN,
        MANAGER,
        MEMBER,
        RIVAL,
        World,
        bring,
        idle,
        populate,
        running_veraz,
        settled,
        sign_in,
        small_pdf,
    )  # fmt: skip

QUESTION = "¿Cuánto tarda un envío a Canarias?"
SENTENCE = "La garantía de la bicicleta plegable dura cinco años."
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DRAFT = "¿Y cuánto cuesta enviar una"


@pytest.fixture(scope="module")
async def bicycles(world: World, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An agent that knows one PDF."""
    admin = world.admin
    kb = (
        await admin.post("/api/v1/knowledge-bases", json={"name": "Bicis", "project_id": world.project})
    ).json()
    await bring(admin, kb["id"], small_pdf(tmp_path_factory.mktemp("pdf"), SENTENCE))
    body = {"project_id": world.project, "name": "Bruno", "description": "Bicicletas"}
    agent = str((await admin.post("/api/v1/agents", json=body)).json()["id"])
    assigned = {"priority": 1, "search_weight": 1}
    await admin.put(f"/api/v1/agents/{agent}/knowledge-bases/{kb['id']}", json=assigned)
    await idle(admin, kb["id"])
    return agent


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("email", [MEMBER, MANAGER], ids=["member", "manager"])
async def test_a_click_on_a_claim_shows_the_boxed_sentence(
    world: World, enter: "Enter", bicycles: str, email: str, size: dict[str, Any]
) -> None:
    page = await enter(email, **size)
    await page.goto(world.at(f"/ask?agent={bicycles}"))
    await ask(page, "¿Cuánto dura la garantía de la bicicleta plegable?")
    await claims(page).first.click()
    await shows_the_sentence(page)
    await page.keyboard.press("Escape")
    await expect(source(page)).to_be_hidden()


async def test_an_old_conversation_looks_as_when_it_was_new(
    world: World, enter: "Enter", bicycles: str
) -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={bicycles}"))
    await ask(page, "¿Cuánto dura la garantía de la bicicleta plegable?")
    await page.get_by_role("button", name="Buena respuesta").click()
    await expect(page.get_by_text("Gracias")).to_be_visible()
    new = await page.locator(".bubble.agent").inner_text()
    await page.goto(page.url)
    await expect(page.get_by_role("button", name="Buena respuesta")).to_have_attribute("aria-pressed", "true")
    assert await page.locator(".bubble.agent").inner_text() == new
    await page.get_by_text("Inspector de evidencia").click()
    await expect(page.get_by_role("heading", name="Pasajes que se leyeron")).to_be_visible()
    await claims(page).first.locator("sup").click()
    await shows_the_sentence(page)


async def test_an_answer_whose_document_was_deleted_says_that_it_was_forgotten(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    kb = (await world.admin.post("/api/v1/knowledge-bases", json={"name": "Tarifas de prueba"})).json()["id"]
    note = tmp_path / "aviso.txt"
    note.write_text("La tienda de Murcia abre los domingos por la mañana.")
    (document,) = await bring(world.admin, kb, note)
    agent = (
        await world.admin.post("/api/v1/agents", json={"project_id": world.project, "name": "Avisa"})
    ).json()
    await world.admin.put(
        f"/api/v1/agents/{agent['id']}/knowledge-bases/{kb}", json={"priority": 1, "search_weight": 1}
    )
    await idle(world.admin, kb)
    page = await enter(ADMIN)
    await page.goto(world.at(f"/ask?agent={agent['id']}"))
    await ask(page, "¿Cuándo abre la tienda de Murcia?")
    await world.admin.delete(f"/api/v1/knowledge-bases/{kb}/documents/{document}")
    await page.reload()
    answer = page.locator(".bubble.agent")
    await expect(answer).to_contain_text("Olvidado el")
    await expect(answer).to_contain_text("se borró el documento del que salía")
    await expect(claims(page)).to_have_count(0)
    await expect(page.locator("body")).not_to_contain_text("abre los domingos")


async def test_the_address_names_the_conversation_and_a_reload_loses_nothing(
    world: World, enter: "Enter"
) -> None:
    page = await enter(MEMBER)
    documents: list[str] = []
    page.on("request", lambda one: documents.append(one.url) if one.resource_type == "document" else None)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await ask(page, QUESTION)
    await expect(page).to_have_url(re.compile(r"/es/ask/[0-9a-f-]{36}$"))
    assert len(documents) == 1
    await page.get_by_label("Su pregunta").fill(DRAFT)
    await page.reload()
    await expect(page.get_by_label("Su pregunta")).to_have_value(DRAFT)
    await expect(claims(page).first).to_contain_text("5 a 8 días")
    await page.get_by_role("link", name="Nueva conversación").click()
    await expect(page.get_by_role("heading", name="Preguntar")).to_be_visible()
    await expect(page.get_by_label("Su pregunta")).to_have_value("")
    await page.go_back()
    await expect(page.get_by_label("Su pregunta")).to_have_value(DRAFT)


async def test_a_second_tab_shows_what_is_said_in_the_first(world: World, enter: "Enter") -> None:
    first = await enter(MEMBER)
    await first.goto(world.at(f"/ask?agent={world.agent}"))
    await ask(first, QUESTION)
    second = await first.context.new_page()
    await second.goto(first.url)
    await expect(second.locator(".bubble.me")).to_have_count(1)
    await ask(first, "¿Puedo recoger el pedido en tienda?", answers=2)
    await expect(second.locator(".bubble.me")).to_have_count(2)
    await expect(second.locator(".bubble.agent")).to_have_count(2)


@pytest.mark.parametrize("seconds", [60])
async def test_a_tab_that_slept_goes_on_where_it_was(world: World, enter: "Enter", seconds: float) -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await ask(page, QUESTION)
    await page.get_by_label("Su pregunta").fill(DRAFT)
    with asleep():
        await asyncio.sleep(seconds)
    await expect(page.get_by_label("Su pregunta")).to_have_value(DRAFT)
    await expect(page.locator(".bubble.agent .seal")).to_be_visible()
    await ask(page, "¿Puedo recoger el pedido en tienda?", answers=2)


@pytest.mark.timeout(1200)  # Veraz starts twice
async def test_a_restart_of_the_server_loses_nothing(browser: Browser) -> None:
    with tempfile.TemporaryDirectory(prefix="veraz-restart-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o755)
        context = await browser.new_context(viewport={"width": 1280, "height": 860})
        context.set_default_timeout(120_000)
        async with running_veraz(home) as url:
            ours = await populate(url)
            page = await sign_in(context, url, MEMBER)
            await page.goto(ours.at(f"/ask?agent={ours.agent}"))
            await ask(page, QUESTION)
            address = page.url
            await page.get_by_label("Su pregunta").fill(DRAFT)
            await page.evaluate("window.before = true")
            await ours.admin.aclose()
        async with running_veraz(home, "veraz", int(url.rpartition(":")[2])):
            await page.wait_for_function("() => window.did_handshake && !window.before")
            await expect(page.get_by_label("Su pregunta")).to_have_value(DRAFT)
            assert page.url == address
            await expect(page.locator(".bubble.agent .seal")).to_be_visible()
            await ask(page, "¿Puedo recoger el pedido en tienda?", answers=2)
            await claims(page).last.click()
            await expect(source(page).locator("mark").first).to_be_visible()
        await context.close()


async def test_an_empty_chat_offers_questions_and_an_answer_offers_more(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await expect(page.get_by_role("heading", name="Luna")).to_be_visible()
    chips = page.get_by_role("group", name="Por ejemplo").get_by_role("button")
    await chips.first.click()
    await expect(page.locator(".bubble.agent .seal")).to_have_count(1)
    more = page.get_by_role("group", name="Para seguir").get_by_role("button")
    await more.first.click()
    await expect(page.locator(".bubble.me")).to_have_count(2)


async def test_a_refusal_shows_the_closest_passages(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await write(page, "¿Cuánto tarda un envío a Marte?")
    answer = page.locator(".bubble.agent").last
    await expect(answer).to_contain_text("no se inventa nada")
    await expect(answer.get_by_role("link", name="Añadir la respuesta")).to_have_count(0)
    await answer.locator("button.near").first.click()
    await expect(source(page)).to_be_visible()


async def test_the_keyboard_alone_asks_and_opens_a_source(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await page.locator("h1").wait_for()
    await page.get_by_label("Su pregunta").blur()
    await page.keyboard.press("/")
    await expect(page.get_by_label("Su pregunta")).to_be_focused()
    await page.keyboard.type("¿Cuánto tarda")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("un envío a Canarias?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".bubble.agent .seal")).to_be_visible()
    await claims(page).first.focus()
    await page.keyboard.press("Enter")
    await expect(source(page)).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(source(page)).to_be_hidden()


async def test_conversations_are_found_renamed_and_deleted(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await ask(page, "¿Cuánto cuesta el envío?")
    listed = page.get_by_role("navigation", name="Conversaciones")
    await page.get_by_role("button", name="Cambiar el nombre").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Gastos de paquetería")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("heading", name="Gastos de paquetería")).to_be_visible()
    await listed.get_by_label("Buscar conversaciones").fill("gastos paqueteria")
    await expect(listed.get_by_role("listitem")).to_have_count(1)
    await listed.get_by_role("button", name="Opciones de Gastos de paquetería").click()
    await page.get_by_text("Eliminar", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Eliminar").click()
    await expect(page.get_by_role("heading", name="Preguntar")).to_be_visible()
    await expect(listed.get_by_text("Gastos de paquetería")).to_have_count(0)


async def test_a_manager_finds_who_waits_for_a_person_and_answers(world: World, enter: "Enter") -> None:
    asker = await enter(MEMBER)
    await asker.goto(world.at(f"/ask?agent={world.agent}"))
    await ask(asker, "¿Cuánto cuesta el envío a Baleares?")
    talk = asker.url.rpartition("/")[2]
    await world.admin.patch(f"/api/v1/conversations/{talk}", json={"handoff_mode": "human"})
    await expect(asker.get_by_text("le responde una persona del equipo")).to_be_visible()
    await asker.get_by_label("Su mensaje").fill("¿Hay alguien ahí?")
    await asker.get_by_role("button", name="Enviar", exact=True).click()
    manager = await enter(MANAGER)
    await manager.goto(world.at("/ask"))
    listed = manager.get_by_role("navigation", name="Conversaciones")
    await listed.get_by_role("button", name="En espera").click()
    item = listed.get_by_role("listitem").filter(has_text="envío a Baleares")
    await expect(item.get_by_text("Sin leer")).to_have_count(1)
    await item.get_by_role("link").click()
    await expect(manager.get_by_role("log", name="Conversación")).to_contain_text("¿Hay alguien ahí?")
    await manager.get_by_label("Responder como persona").fill("Aquí estoy, dígame.")
    await manager.get_by_role("button", name="Enviar", exact=True).click()
    await expect(asker.get_by_text("Aquí estoy, dígame.")).to_be_visible()
    await manager.get_by_role("switch", name="Aquí responde una persona").click()
    await ask(asker, "¿Cuánto tarda un envío a Baleares?", answers=2)


async def test_the_addresses_before_lead_to_the_same_place(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at(f"/chat/{world.agent}"))
    await expect(page).to_have_url(world.at(f"/ask?agent={world.agent}"))
    await expect(page.get_by_role("heading", name="Luna")).to_be_visible()
    await page.goto(world.at(f"/conversations/{world.conversation}"))
    await expect(page).to_have_url(world.at(f"/ask/{world.conversation}"))
    await expect(page.locator(".bubble.me").first).to_contain_text(QUESTION)


async def test_the_rival_sees_no_conversation_of_others(world: World, enter: "Enter") -> None:
    page = await enter(RIVAL)
    answer = await page.goto(world.at(f"/ask/{world.conversation}"))
    assert answer is not None
    assert answer.status == 404
    await expect(page.get_by_text("Canarias")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_an_answer_with_its_source_has_no_barrier(
    world: World, enter: "Enter", scheme: str, size: dict[str, Any]
) -> None:
    page = await enter(ADMIN, color_scheme=scheme, **size)
    await page.goto(world.at(f"/ask/{world.conversation}"))
    await claims(page).first.click()
    await expect(source(page).locator("mark").first).to_be_visible()
    await settled(page)
    found = (await Axe().run(page)).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


async def ask(page: Page, question: str, *, answers: int = 1) -> None:
    """Asks, and waits for the sealed answer."""
    await write(page, question)
    await expect(page.locator(".bubble.agent .seal")).to_have_count(answers)


async def write(page: Page, words: str) -> None:
    """Types into the bar and sends it."""
    await page.get_by_label("Su pregunta").fill(words)
    await page.get_by_role("button", name="Preguntar", exact=True).click()


def claims(page: Page) -> Locator:
    """What can be opened in the answers."""
    return page.locator(".bubble.agent .claim")


def source(page: Page) -> Locator:
    """The panel beside the dialogue."""
    return page.get_by_role("complementary", name="Fuente")


async def shows_the_sentence(page: Page) -> None:
    """The page of the PDF with a box around what was quoted."""
    panel = source(page)
    await expect(panel).to_contain_text("cartel.pdf")
    await expect(panel.locator("img").first).to_be_visible()
    await expect(panel.locator(".source-box").first).to_be_in_viewport()
    await expect(panel).to_contain_text(SENTENCE)


@contextmanager
def asleep() -> Iterator[None]:
    """Every page of the browser stands still, as on a closed laptop."""
    every = psutil.Process().children(recursive=True)
    pages = [one for one in every if "--type=renderer" in one.cmdline()]
    assert pages
    for one in pages:
        one.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in pages:
            one.send_signal(signal.SIGCONT)
