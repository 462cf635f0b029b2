"""An agent on somebody else's page: one script tag on another origin, asked, opened, handed over, and still there after a reload."""

import json
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import MANAGER, World, barriers, settled
    from tests.support.web_site import WebSite, reply, web_site
else:
    from support.browser import MANAGER, World, barriers, settled
    from support.web_site import WebSite, reply, web_site

PATIENCE = 120_000
QUESTION = "¿Cuánto tarda un envío a Canarias?"
PROOF = "a Canarias de 5 a 8 días"
SENT = "Enviado; lo leerá una persona del equipo."
HOSTILE = "*{color:red!important;font-size:40px}button,textarea{display:none!important}div{position:static!important}"
"""What a page's own style may say; it must not reach the widget."""


@pytest.fixture(scope="module")
async def shop(world: World) -> AsyncIterator[WebSite]:
    """A shop on another port of loopback, which is another origin, with the one script tag."""
    async with web_site() as site:
        settings = {"enabled": True, "origins": [site.url()], "greeting": "Hola, soy **Luna**."}
        settings |= {"visitor_per_minute": 1000, "per_minute": 1000}
        made = await world.admin.patch(f"/api/v1/agents/{world.agent}/widget", json=settings)
        assert made.status_code == 200, made.text
        tag = f'<script src="{world.url}/widget.js" data-agent="{made.json()["public_id"]}" async></script>'
        site.pages["/"] = page_of(tag)
        policy = f"default-src 'none'; script-src {world.url}; connect-src {world.url}"
        site.pages["/strict"] = page_of(tag, Content_Security_Policy=policy)
        yield site


@pytest.fixture
async def visit(browser: Browser, shop: WebSite) -> AsyncIterator[Page]:
    """A visitor's browser at the shop."""
    context = await browser.new_context(viewport={"width": 1100, "height": 800}, locale="es-MX")
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto(shop.url())
    yield page
    await context.close()


async def test_a_visitor_asks_sees_the_proof_and_talks_to_a_person(world: World, visit: Page) -> None:
    dialog = await opened(visit)
    await expect(dialog.locator("strong")).to_have_text("Luna")
    await ask(visit, QUESTION)
    answer = dialog.locator(".agent").last
    await expect(answer).to_contain_text(PROOF)
    await answer.get_by_role("button", name=re.compile("^Fuente 1")).click()
    await expect(dialog.locator("mark")).to_contain_text(PROOF)
    await visit.keyboard.press("Escape")
    await expect(answer).to_be_visible()
    await dialog.get_by_role("button", name="Hablar con una persona").click()
    await expect(dialog.get_by_role("status")).to_contain_text("Una persona del equipo responderá")
    await ask(visit, "¿Me pueden llamar?")
    await expect(dialog.locator(".visitor").last.locator("+ .sent")).to_have_text(SENT)
    await ask(visit, "Es urgente.")
    await expect(dialog.locator(".visitor").last).to_have_text("Es urgente.")
    await expect(dialog.locator(".visitor").last.locator("+ .sent")).to_have_text(SENT)
    await expect(dialog.get_by_text(SENT)).to_have_count(1)
    talk = await the_talk(world)
    answered = await world.admin.post(f"/api/v1/conversations/{talk}/messages", json={"text": "Soy Marta."})
    assert answered.status_code == 201, answered.text
    await expect(dialog.locator(".person")).to_contain_text("Soy Marta.")
    await expect(dialog.get_by_role("status")).to_have_text("Le atiende una persona del equipo.")
    await expect(dialog.get_by_text(SENT)).to_have_count(0)
    await expect(dialog.locator(".visitor")).to_have_count(4)
    await visit.reload()
    dialog = visit.get_by_role("dialog", name="Luna")
    await expect(dialog.locator(".person")).to_contain_text("Soy Marta.")
    await expect(dialog.locator(".visitor").first).to_have_text(QUESTION)
    await dialog.get_by_role("button", name="Volver con el asistente").click()
    await expect(dialog.get_by_role("button", name="Hablar con una persona")).to_be_visible()
    await dialog.get_by_role("button", name="Nueva conversación").click()
    await expect(dialog.locator(".visitor")).to_have_count(0)
    assert await visit.evaluate("document.cookie") == ""


async def test_a_table_is_shown_once_and_scrolls_in_its_own_box_on_a_phone(visit: Page) -> None:
    await visit.set_viewport_size({"width": 390, "height": 844})
    columns = [f"Una columna ancha {number}" for number in range(9)]
    row = {"number": 2, "cells": ["Hogar", *["12 meses"] * 8], "marked": True, "marked_cells": []}
    await _show(visit, text="Hogar | 12 meses", grid={"columns": columns, "rows": [row]})
    source = visit.get_by_role("dialog").locator(".source")
    await expect(source.get_by_role("row")).to_have_count(2)
    assert "|" not in await source.inner_text()
    wide = "one => one.scrollWidth > one.clientWidth"
    assert await source.locator(".grid").evaluate(wide) and not await source.evaluate(wide)


async def test_what_stands_around_a_quotation_is_cut_between_words_and_its_place_said_once(
    visit: Page,
) -> None:
    around = "Los equipos llevan identificación. " * 20
    await _show(visit, text="Tarda 36 horas.", before=around, after=f" {around}")
    source = visit.get_by_role("dialog").locator(".source")
    await expect(source.locator(".place")).to_have_text("Reparación › Averías › página 3")
    quote = await source.locator(".quote").inner_text()
    assert quote.startswith("… ") and quote.endswith(" …")
    words = {*around.split(), "Tarda", "36", "horas.", "…"}
    assert set(quote.split()) <= words


async def test_an_answer_is_there_after_going_on_to_another_page(visit: Page) -> None:
    dialog = await opened(visit)
    await ask(visit, QUESTION)
    await expect(dialog.locator(".visitor")).to_have_text(QUESTION)
    async with visit.expect_response(re.compile("/ask$")):
        pass
    await visit.reload()
    await expect(visit.get_by_role("dialog").locator(".agent").last).to_contain_text(PROOF)


async def test_the_keyboard_stays_in_the_dialog_and_escape_leaves_it(visit: Page) -> None:
    dialog = await opened(visit)
    await expect(dialog.get_by_role("textbox")).to_be_focused()
    for key in ("Tab", "Shift+Tab"):
        for _ in range(12):
            await visit.keyboard.press(key)
            assert await visit.evaluate("document.activeElement.localName") == "veraz-widget"
    await visit.keyboard.press("Escape")
    await expect(visit.get_by_role("button", name="Abrir el asistente")).to_be_focused()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_nothing_of_it_is_a_barrier(visit: Page, dark: bool) -> None:
    await visit.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    assert await barriers(visit, "veraz-widget") == []
    dialog = await opened(visit)
    await ask(visit, QUESTION)
    await expect(dialog.locator(".agent").last).to_contain_text(PROOF)
    assert await barriers(visit, "veraz-widget") == []
    await dialog.locator(".cite").first.click()
    await expect(dialog.locator("mark")).to_be_visible()
    assert await barriers(visit, "veraz-widget") == []


async def test_a_strict_policy_of_the_page_and_its_style_leave_it_as_it_is(
    visit: Page, shop: WebSite
) -> None:
    await visit.goto(shop.url("/strict"))
    dialog = await opened(visit)
    await ask(visit, QUESTION)
    await expect(dialog.locator(".agent").last).to_contain_text(PROOF)
    size = (
        "getComputedStyle(document.querySelector('veraz-widget').shadowRoot.querySelector('.agent')).fontSize"
    )
    assert await visit.evaluate(size) == "15px"


async def test_on_a_phone_it_fills_the_screen(visit: Page) -> None:
    await visit.set_viewport_size({"width": 390, "height": 844})
    dialog = await opened(visit)
    await dialog.evaluate("one => Promise.all(one.getAnimations().map(each => each.finished))")
    box = await dialog.bounding_box()
    assert box is not None and (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)


async def test_what_a_model_writes_is_only_text(visit: Page) -> None:
    dialog = await opened(visit)
    evil = "<img src=x onerror=alert(1)> **<b>negrita</b>** [aquí](javascript:alert(1)) https://a.mx/x."
    body = {"id": "0" * 32, "role": "agent", "text": evil, "sources": [], "refused": False, "created_at": ""}
    await visit.route("**/ask", lambda route: route.fulfill(body=_stream(body), content_type="text/event-stream",
                      headers={"Access-Control-Allow-Origin": "*"}))  # fmt: skip
    await ask(visit, "¿Hola?")
    answer = dialog.locator(".agent").last
    await expect(answer).to_contain_text(
        "<img src=x onerror=alert(1)> <b>negrita</b> [aquí](javascript:alert(1))"
    )
    await expect(answer.locator("img, b")).to_have_count(0)
    await expect(answer.get_by_role("link")).to_have_attribute("rel", "noopener noreferrer nofollow")


async def test_a_failed_question_can_be_asked_again(visit: Page) -> None:
    dialog = await opened(visit)
    await visit.route("**/ask", lambda route: route.abort())
    await ask(visit, QUESTION)
    await expect(dialog.get_by_role("alert")).to_contain_text("No hay conexión")
    await visit.unroute("**/ask")
    await dialog.get_by_role("button", name="Reintentar").click()
    await expect(dialog.locator(".agent").last).to_contain_text(PROOF)
    await expect(dialog.locator(".visitor")).to_have_count(1)


async def test_an_answer_stands_under_its_question_also_when_that_was_asked_again(visit: Page) -> None:
    dialog = await opened(visit)
    await visit.route("**/ask", lambda route: route.abort(), times=1)
    await ask(visit, QUESTION)
    await expect(dialog.get_by_role("alert")).to_contain_text("No hay conexión")
    await ask(visit, "Hola")
    await expect(dialog.locator(".agent:not(.busy)")).to_have_count(2)
    await dialog.get_by_role("button", name="Reintentar").click()
    await expect(dialog.locator(".visitor").last.locator("+ .agent")).to_contain_text(PROOF)
    await expect(dialog.locator(".visitor")).to_have_text(["Hola", QUESTION])


async def test_who_is_too_fast_is_told_so_and_the_message_is_sent_when_its_time_comes(visit: Page) -> None:
    dialog = await opened(visit)
    allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}
    await visit.route("**/ask", lambda route: route.fulfill(status=429, headers=allowed | {"Retry-After": "3"}), times=1)  # fmt: skip
    await ask(visit, QUESTION)
    await expect(dialog.get_by_text("Va muy rápido; su mensaje se enviará en unos segundos.")).to_be_visible()
    await expect(dialog.locator(".visitor").last.locator("+ .agent")).to_contain_text(PROOF)
    await expect(dialog.get_by_text("Va muy rápido")).to_have_count(0)
    await expect(dialog.locator(".visitor")).to_have_count(1)


async def test_who_comes_when_the_day_is_used_up_is_told_to_come_back(visit: Page) -> None:
    dialog = await opened(visit)
    allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}
    await visit.route("**/ask", lambda route: route.fulfill(status=429, headers=allowed | {"Retry-After": "40000"}))  # fmt: skip
    await ask(visit, QUESTION)
    await expect(dialog.get_by_role("alert")).to_contain_text("Vuelva mañana")


async def test_going_back_to_the_assistant_is_no_error_and_it_answers_what_was_left(visit: Page) -> None:
    dialog = await opened(visit)
    await dialog.get_by_role("button", name="Hablar con una persona").click()
    await expect(dialog.get_by_role("status")).to_contain_text("Una persona del equipo responderá")
    await ask(visit, QUESTION)
    await expect(dialog.get_by_text(SENT)).to_be_visible()
    await dialog.get_by_role("button", name="Volver con el asistente").click()
    await expect(dialog.get_by_text("Este mensaje quedó sin respuesta.")).to_be_visible()
    await expect(dialog.get_by_role("alert")).to_have_count(0)
    await visit.reload()
    dialog = visit.get_by_role("dialog")
    await dialog.get_by_role("button", name="Preguntarle al asistente").click()
    await expect(dialog.locator(".visitor").last.locator("+ .agent")).to_contain_text(PROOF)
    await expect(dialog.get_by_text("Este mensaje quedó sin respuesta.")).to_have_count(0)
    await expect(dialog.locator(".visitor", has_text=QUESTION)).to_have_count(1)


async def test_a_page_that_was_not_named_shows_nothing(visit: Page, shop: WebSite) -> None:
    async with visit.expect_console_message(lambda said: "Veraz" in said.text):
        await visit.goto(shop.url(host="localhost"))
    await expect(visit.locator("veraz-widget")).to_have_count(0)


async def test_managers_prepare_it_copy_the_code_and_try_it(world: World, enter: "Enter") -> None:
    agent = (await world.admin.post("/api/v1/agents", json={"name": "Sol"})).json()["id"]
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}?tab=publish"))
    await page.get_by_role("button", name="Preparar el widget").click()
    await expect(page.get_by_text("Todavía nadie puede verlo")).to_be_visible()
    await page.get_by_label("Direcciones de sus sitios web").fill("*.mx")
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_role("alert").first).to_contain_text("después de *. escriba un dominio suyo")
    await page.get_by_label("Direcciones de sus sitios web").fill("www.tienda.mx/inicio")
    await expect(page.get_by_text("Se entiende como: https://www.tienda.mx")).to_be_visible()
    await page.get_by_role("switch", name="Mostrarlo a los visitantes").click()
    await page.get_by_label("Saludo").fill("Bienvenida")
    await expect(page.locator(".widget-agent")).to_have_text("Bienvenida")
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_text("En su sitio web.")).to_be_visible()
    await expect(page.get_by_label("Direcciones de sus sitios web")).to_have_value("https://www.tienda.mx")
    await page.mouse.move(0, 0)  # a button under the pointer is tinted
    await page.get_by_label("Saludo").focus()
    await settled(page)
    assert await barriers(page) == []
    async with page.expect_popup() as popup:
        await page.get_by_role("link", name="Probar en una página").click()
    test = await popup.value
    await test.get_by_role("button", name="Abrir el asistente").click()
    await expect(test.get_by_role("dialog", name="Sol")).to_contain_text("Bienvenida")


async def test_leaving_with_unsaved_changes_of_the_widget_asks_first(world: World, enter: "Enter") -> None:
    agent = (await world.admin.post("/api/v1/agents", json={"name": "Brisa"})).json()["id"]
    await world.admin.patch(f"/api/v1/agents/{agent}/widget", json={"greeting": "Hola"})
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}?tab=publish"))
    greeting, unsaved = page.get_by_label("Saludo"), page.get_by_text("Cambios sin guardar", exact=True)
    await greeting.fill("Bienvenida")
    await expect(unsaved).to_be_visible()
    await page.get_by_role("button", name="Descartar").click()
    await expect(greeting).to_have_value("Hola")
    await expect(unsaved).to_be_hidden()
    await greeting.fill("Buenos días")
    await page.get_by_label("Direcciones de sus sitios web").fill("localhost:3000")
    await expect(page.get_by_text("Se entiende como: http://localhost:3000")).to_be_visible()
    await page.get_by_role("navigation").get_by_role("link", name="Documentos").click()
    dialog = page.get_by_role("dialog", name="¿Salir sin guardar?")
    await dialog.get_by_role("button", name="Guardar y salir").click()
    await page.wait_for_url("**/knowledge-bases")
    kept = (await world.admin.get(f"/api/v1/agents/{agent}/widget")).json()
    assert (kept["greeting"], kept["origins"]) == ("Buenos días", ["http://localhost:3000"])


async def opened(page: Page) -> Locator:
    """The widget's dialog."""
    await page.get_by_role("button", name="Abrir el asistente").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    return dialog


async def ask(page: Page, question: str) -> None:
    """Writes and sends."""
    await page.get_by_role("dialog").get_by_role("textbox").fill(question)
    await page.keyboard.press("Enter")


async def the_talk(world: World) -> str:
    """The newest conversation of a visitor."""
    found = (await world.admin.get("/api/v1/conversations")).json()["items"]
    return str(next(one["id"] for one in found if one["channel"] == "widget"))


def page_of(tag: str, **headers: str) -> bytes:
    """A page of the shop."""
    head = f'<meta charset="utf-8"><title>Tienda</title><meta name="viewport" content="width=device-width, initial-scale=1"><style>{HOSTILE}</style>'
    body = f"<main><h1>Tienda</h1><p>Bienvenido.</p></main>{tag}"
    return reply(
        f'<!doctype html><html lang="es"><head>{head}</head><body>{body}</body></html>'.encode(), **headers
    )


async def _show(page: Page, **seen: Any) -> None:
    """The source of an answer, as it is told to the script."""
    dialog = await opened(page)
    source = {"number": 1, "claim": 0, "quote": 0, "document_name": "tarifas-de-luz.md", "page_number": 3, "sheet": None, "row": None}  # fmt: skip
    said = {"id": "0" * 32, "role": "agent", "text": "Así es.\ue0001\ue001", "sources": [source], "refused": False, "created_at": ""}  # fmt: skip
    place = ["Tarifas de luz", "Reparación", "Reparación", "Averías"]
    view = {"view": "text", "before": "", "after": "", "place": place, "page_number": 3, "sheet": None, "row": None, "grid": None, "pages": []}  # fmt: skip
    open_to_all = {"Access-Control-Allow-Origin": "*"}
    await page.route("**/ask", lambda route: route.fulfill(body=_stream(said), headers=open_to_all))
    await page.route("**/passages/**", lambda route: route.fulfill(json=view | seen, headers=open_to_all))
    await ask(page, QUESTION)
    await dialog.locator(".cite").click()
    await expect(dialog.locator("mark, tr.on").first).to_be_visible()


def _stream(message: dict[str, Any]) -> str:
    return f"event: answered\ndata: {json.dumps({'message': message, 'with_person': False})}\n\n"
