"""People examine an agent, fill its gaps, run the house; every page speaks one language; nobody else gets in."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Page, expect

from veraz.ui.spanish import SPANISH

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, addresses, settled
else:
    from support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, addresses, settled

ATTACK = '<img src=x onerror=window.hacked=1> {{ window.hacked=2 }} " :title="window.hacked=3" x="'
ONLY_ENGLISH = {text for text in SPANISH if "{" not in text} - set(SPANISH.values())
ONLY_SPANISH = {text for text in SPANISH.values() if "{" not in text} - SPANISH.keys()


async def test_a_manager_examines_an_agent(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{world.agent}?tab=exam"))
    await page.get_by_role("button", name="Importar").click()
    dialog = page.get_by_role("dialog")
    table = "pregunta;respuesta;no_responder\n¿Cuánto tarda un envío a Canarias?;5 a 8 días;\n¿Quién ganó el mundial de 1986?;;sí"
    await dialog.get_by_label("Preguntas", exact=True).fill(table)
    await dialog.get_by_role("button", name="Importar").click()
    await page.get_by_role("button", name="Nueva pregunta").click()
    await page.get_by_role("dialog").get_by_label("Pregunta").fill("¿Cuánto cuesta el envío?")
    await page.get_by_role("dialog").get_by_label("Texto de una respuesta correcta").fill("999 euros")
    await page.get_by_role("dialog").get_by_role("button", name="Agregar").click()
    await expect(page.get_by_role("cell", name="«999 euros»")).to_be_visible()
    await page.get_by_role("button", name="Aplicar el examen").click()
    await expect(page.get_by_text("Reprobado", exact=True)).to_be_visible()
    await expect(page.get_by_text("Falta el texto esperado")).to_be_visible()
    await page.get_by_role("button", name="Quitar ¿Cuánto cuesta el envío?").click()
    await page.get_by_role("dialog").get_by_role("button", name="Quitar").click()
    await expect(page.get_by_role("cell", name="«999 euros»")).to_have_count(0)
    await page.get_by_role("button", name="Aplicar el examen").click()
    await expect(page.get_by_text("Aprobado", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Ver")).to_have_count(2)


async def test_documents_propose_questions_and_a_person_keeps_some(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{world.agent}?tab=exam"))
    await page.get_by_role("button", name="Proponer de los documentos").click()
    boxes = page.get_by_role("dialog").get_by_role("checkbox")
    await expect(boxes.first).to_be_visible()
    for box in (await boxes.all())[1:]:
        await box.click()
    await page.get_by_role("dialog").get_by_role("button", name="Agregar").click()
    await expect(page.get_by_text("Preguntas agregadas: 1")).to_be_visible()
    await expect(page.get_by_role("cell", name="Propuesta", exact=True)).to_have_count(1)


async def test_a_gap_is_filled_by_hand(world: World, enter: "Enter") -> None:
    await world.admin.post(
        f"/api/v1/agents/{world.agent}/ask", json={"question": "¿Venden bicicletas eléctricas?"}
    )
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{world.agent}?tab=gaps"))
    card = page.locator(".card").filter(has_text="bicicletas eléctricas").first
    await card.get_by_role("button", name="Añadir la respuesta").click()
    await page.get_by_role("dialog").get_by_label("Respuesta").fill("No vendemos bicicletas eléctricas.")
    await page.get_by_role("dialog").get_by_role("button", name="Agregar").click()
    await expect(page.get_by_text("lo sabrá en un momento")).to_be_visible()
    await page.get_by_role("tab", name="Entradas manuales").click()
    await page.goto(world.at(f"/agents/{world.agent}?tab=manual"))
    await expect(page.get_by_role("link", name="bicicletas eléctricas")).to_be_visible()


async def test_a_new_key_and_a_new_webhook_show_their_secret_once(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/admin/keys"))
    await page.get_by_role("button", name="Nueva clave", exact=True).click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Caja")
    await page.get_by_role("button", name="Crear").click()
    await expect(page.locator(".secret")).to_contain_text("vzk_")
    await page.get_by_role("button", name="Listo").click()
    await page.goto(world.at("/admin/webhooks"))
    await page.get_by_role("button", name="Nuevo webhook").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Taquilla")
    await page.get_by_label("Dirección").fill("https://avisos.example/aqui")
    await page.get_by_role("button", name="Crear").click()
    await expect(page.locator(".secret")).to_contain_text("whsec_")
    await page.get_by_role("button", name="Listo").click()
    await page.get_by_role("link", name="Taquilla", exact=True).click()
    await page.get_by_role("button", name="Enviar una prueba").click()
    await expect(page.get_by_role("cell", name="Aviso de prueba").first).to_be_visible()


async def test_the_platform_gives_another_plan_and_credits(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/admin/tenants"))
    await page.get_by_role("button", name="Editar Rival").click()
    await page.get_by_role("dialog").get_by_label("Plan").click()
    await page.get_by_role("option", name="Negocio").click()
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("row").filter(has_text="Rival")).to_contain_text("Negocio")
    await page.get_by_role("button", name="Créditos Rival").click()
    await page.get_by_role("dialog").get_by_label("Motivo").fill("Regalo")
    await page.get_by_role("button", name="Otorgar").click()
    await expect(page.get_by_text("Créditos ahora")).to_be_visible()


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("email", [ADMIN, MANAGER, MEMBER])
async def test_every_page_speaks_one_language(
    world: World, enter: "Enter", email: str, language: str
) -> None:
    page = await enter(email, language)
    foreign = ONLY_ENGLISH if language == "es" else ONLY_SPANISH
    found: dict[str, set[str]] = {}
    for path in addresses(world).values():
        await page.goto(world.at(path, language))
        await expect(page.locator("h1")).to_be_visible()
        await settled(page)
        words = {line.strip() for line in (await page.locator("body").inner_text()).splitlines()}
        if wrong := words & foreign:
            found[path] = wrong
    assert found == {}


async def test_the_rival_finds_none_of_it(world: World, enter: "Enter") -> None:
    page = await enter(RIVAL)
    for path in (
        f"/agents/{world.agent}?tab=exam",
        f"/agents/{world.agent}?tab=gaps",
        f"/admin/webhooks/{world.webhook}",
        f"/ask/{world.conversation}",
        f"/conversations/{world.conversation}",
        f"/ask?agent={world.agent}",
        f"/chat/{world.agent}",
    ):
        answer = await page.goto(world.at(path))
        assert answer is not None
        assert answer.status == 404, path
    await page.goto(world.at("/admin/webhooks"))
    await expect(page.get_by_text("Todavía no hay webhooks")).to_be_visible()
    await expect(page.get_by_text("crm.example")).to_have_count(0)


async def test_hostile_words_are_only_words_on_these_pages_too(world: World, enter: "Enter") -> None:
    admin, agent = world.admin, await _hostile_agent(world)
    hook = {"name": ATTACK[:90], "url": "https://x.example/", "events": ["answer.refused"]}
    webhook = (await admin.post("/api/v1/webhooks", json=hook)).json()["id"]
    number = {"agent_id": agent, "phone_number_id": "7", "name": ATTACK, "access_token": "x" * 20}
    await admin.post("/api/v1/whatsapp-numbers", json=number | {"app_secret": "y" * 20})
    page = await enter(ADMIN)
    for path in (
        f"/agents/{agent}?tab=exam",
        f"/agents/{agent}?tab=gaps",
        "/admin/webhooks",
        f"/admin/webhooks/{webhook}",
        "/admin/whatsapp",
        "/admin/audit",
        "/ask",
        f"/ask?agent={agent}",
        "/console",
    ):
        await page.goto(world.at(path))
        await expect(page.locator("h1")).to_be_visible()
        await _open_everything(page)
        assert await page.evaluate("window.hacked") is None, path


async def _hostile_agent(world: World) -> str:
    admin = world.admin
    body = {"project_id": world.project, "name": ATTACK[:90], "description": ATTACK}
    agent = str((await admin.post("/api/v1/agents", json=body)).json()["id"])
    await admin.post(
        f"/api/v1/agents/{agent}/exam", json={"questions": [{"question": ATTACK, "must_refuse": True}]}
    )
    await admin.post(f"/api/v1/agents/{agent}/exam/runs")
    await admin.post(f"/api/v1/agents/{agent}/ask", json={"question": f"¿{ATTACK}?"})
    return agent


async def _open_everything(page: Page) -> None:
    runs = page.get_by_role("button", name=re.compile("^Ver "))
    if await runs.count():
        await runs.first.click()
        await expect(page.get_by_role("heading", name="Resultado del")).to_be_visible()
    for name in ("Añadir la respuesta", "Quitar", "Editar", "Eliminar"):
        button = page.get_by_role("button", name=name).first
        if await button.count():
            await button.click()
            await expect(page.get_by_role("dialog")).to_be_visible()
            await page.keyboard.press("Escape")
            await expect(page.get_by_role("dialog")).to_have_count(0)
