"""A manager makes an agent in the studio: settings are tried before they are saved, and every version can come back."""

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import Page, expect

from veraz.ids import new_id

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import MANAGER, World, settled
    from tests.support.chat_server import ChatServer
else:
    from support.browser import MANAGER, World, settled
    from support.chat_server import ChatServer

QUESTION = "¿Cuánto tarda un envío a Canarias?"
PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
async def agent(world: World, model: ChatServer) -> str:
    """An agent of its own that writes with the scripted model."""
    name = f"Vega {new_id()}"
    body = {"project_id": world.project, "name": name, "model": "openai:loopback"}
    made = str((await world.admin.post("/api/v1/agents", json=body)).json()["id"])
    await world.admin.put(
        f"/api/v1/agents/{made}/knowledge-bases/{world.kb}", json={"priority": 1, "search_weight": 1}
    )
    model.answer = "Un envío a Canarias tarda de 5 a 8 días laborables [Chunk 1]."
    return made


async def stored(world: World, agent: str) -> dict[str, Any]:
    """The agent as everybody gets it."""
    found: dict[str, Any] = (await world.admin.get(f"/api/v1/agents/{agent}")).json()
    return found


async def ask(page: Page, question: str = QUESTION) -> None:
    """Asks the chat of the studio and waits for the end of its answer."""
    await page.get_by_label("Su pregunta").fill(question)
    await page.get_by_label("Su pregunta").press("Enter")
    await expect(page.get_by_role("button", name="Preguntar", exact=True)).to_be_visible()
    await expect(page.locator(".studio-log .bubble.agent").last).to_contain_text(" s · ")


async def test_the_chat_uses_settings_before_they_are_saved(
    world: World, enter: "Enter", model: ChatServer, agent: str
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await page.get_by_label("Tono e instrucciones").fill("Habla como pirata.")
    await expect(page.get_by_text("Cambios sin guardar", exact=True)).to_be_visible()
    before = len(model.requests)
    await ask(page)
    asked = json.dumps([one["body"] for one in model.requests[before:]], ensure_ascii=False)
    assert "Habla como pirata." in asked
    await expect(page.get_by_text("Con cambios sin guardar")).to_be_visible()
    assert (await stored(world, agent))["system_prompt"] == ""
    talks = (await world.admin.get("/api/v1/conversations?limit=100")).json()["items"]
    assert agent not in {talk["agent_id"] for talk in talks}


async def test_a_saved_change_is_a_version_and_comes_back(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await page.get_by_label("Tono e instrucciones").fill("Sé breve.")
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_text("Guardado")).to_be_visible()
    await expect(page.get_by_text("Cambios sin guardar", exact=True)).to_be_hidden()
    assert (await stored(world, agent))["system_prompt"] == "Sé breve."
    await page.get_by_role("tab", name="Versiones").click()
    await expect(page.get_by_role("heading", name="Versión 2")).to_be_visible()
    await expect(page.get_by_text("Tono e instrucciones: Vacío → Sé breve.")).to_be_visible()
    await page.get_by_role("button", name="Restaurar esta versión").click()
    await page.get_by_role("dialog").get_by_role("button", name="Restaurar la versión 1").click()
    await expect(page.get_by_role("heading", name="Versión 3")).to_be_visible()
    await expect(page.get_by_text("Igual a la versión 1")).to_be_visible()
    assert (await stored(world, agent))["system_prompt"] == ""
    await page.get_by_role("tab", name="Configuración").click()
    await expect(page.get_by_label("Tono e instrucciones")).to_have_value("")


async def test_leaving_with_unsaved_changes_asks_first(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await page.get_by_label("Para qué sirve").fill("Vende barcos")
    await expect(page.get_by_text("Cambios sin guardar", exact=True)).to_be_visible()
    documents = page.get_by_role("navigation").get_by_role("link", name="Documentos")
    await documents.click()
    await page.get_by_role("dialog").get_by_role("button", name="Quedarse").click()
    await expect(page.get_by_label("Para qué sirve")).to_have_value("Vende barcos")
    await page.get_by_role("button", name="Descartar").click()
    await expect(page.get_by_label("Para qué sirve")).to_have_value("")
    await page.get_by_label("Para qué sirve").fill("Vende velas")
    await expect(page.get_by_text("Cambios sin guardar", exact=True)).to_be_visible()
    await documents.click()
    await page.get_by_role("dialog").get_by_role("button", name="Salir sin guardar").click()
    await page.wait_for_url("**/knowledge-bases")
    assert (await stored(world, agent))["description"] == ""


async def test_a_model_is_chosen_from_a_list_and_tried(
    world: World, enter: "Enter", model: ChatServer, agent: str
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await settled(page)
    attempt = page.get_by_role("button", name="Probar «Modelo que redacta»")
    await attempt.click()
    await expect(page.get_by_text("Funciona ·")).to_be_visible()
    model.misbehave("401")
    await attempt.click()
    await expect(page.get_by_text("El proveedor no acepta la clave")).to_be_visible()
    await page.get_by_role("combobox", name="Modelo que redacta").click()
    await page.get_by_role("option", name="Solo citas, sin modelo").click()
    await expect(page.get_by_text("Copia las frases de sus documentos")).to_be_visible()
    await expect(attempt).to_be_hidden()
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_text("Guardado")).to_be_visible()
    assert (await stored(world, agent))["model"] is None


async def test_an_empty_name_is_refused_beside_its_field(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await settled(page)
    await page.get_by_label("Nombre", exact=True).fill("")
    await page.get_by_role("button", name="Guardar", exact=True).click()
    await expect(page.get_by_text("Este dato es necesario.").first).to_be_visible()
    assert (await stored(world, agent))["name"].startswith("Vega")


async def test_a_phone_tries_in_a_tab_of_its_own(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER, **PHONE)
    await page.goto(world.at(f"/agents/{agent}"))
    await expect(page.get_by_label("Tono e instrucciones")).to_be_visible()
    await expect(page.get_by_label("Su pregunta")).to_be_hidden()
    await page.get_by_role("tab", name="Probar").click()
    await expect(page.get_by_label("Tono e instrucciones")).to_be_hidden()
    await ask(page)


async def test_a_question_without_an_answer_begins_a_manual_entry(
    world: World, enter: "Enter", agent: str
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}?tab=manual&question=¿Venden+anclas?"))
    await expect(page.get_by_label("Título o pregunta")).to_have_value("¿Venden anclas?")
    await page.get_by_role("button", name="Agregar", exact=True).click()
    await expect(page.get_by_text("Este dato es necesario.")).to_be_visible()
    await page.get_by_label("Respuesta o texto").fill("No vendemos anclas.")
    await page.get_by_role("button", name="Agregar", exact=True).click()
    await expect(page.get_by_role("link", name="¿Venden anclas?")).to_be_visible()


async def test_knowledge_is_added_and_taken_away(world: World, enter: "Enter") -> None:
    body = {"project_id": world.project, "name": "Nueva"}
    made = str((await world.admin.post("/api/v1/agents", json=body)).json()["id"])
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{made}"))
    await page.get_by_role("button", name="1. Dele conocimiento").click()
    await page.get_by_role("button", name="Agregar conocimiento").click()
    await page.get_by_role("dialog").get_by_role("checkbox", name="Atención al cliente").click()
    await page.get_by_role("dialog").get_by_role("button", name="Agregar").click()
    await expect(page.get_by_text(re.compile(r"Documentos: \d+ · fragmentos:"))).to_be_visible()
    await page.get_by_role("button", name="Quitarle «Atención al cliente»").click()
    await expect(page.get_by_text("Todavía no sabe nada")).to_be_visible()


async def test_a_question_of_the_exam_is_edited_where_it_stands(world: World, enter: "Enter") -> None:
    body = {"project_id": world.project, "name": "Citas"}
    made = str((await world.admin.post("/api/v1/agents", json=body)).json()["id"])
    await world.admin.put(f"/api/v1/agents/{made}/knowledge-bases/{world.kb}")
    asked = [{"question": QUESTION, "expected_text": "de 5 a 9 días"}]
    await world.admin.post(f"/api/v1/agents/{made}/exam", json={"questions": asked})
    await world.admin.post(f"/api/v1/agents/{made}/exam/runs")
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{made}?tab=exam"))
    await expect(page.get_by_text("Falta el texto esperado: «de 5 a 9 días»")).to_be_visible()
    compared = page.locator(".stat").filter(has_text="Empeoraron")
    await expect(compared).to_have_count(0)
    await page.get_by_role("button", name=f"Editar {QUESTION}").click()
    expected = page.get_by_role("dialog").get_by_label("Texto de una respuesta correcta")
    await expect(expected).to_have_value("de 5 a 9 días")
    await expected.fill("DE 5 A 8 DIAS")
    await page.get_by_role("dialog").get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("cell", name="«DE 5 A 8 DIAS»")).to_be_visible()
    await page.get_by_role("button", name="Aplicar el examen").click()
    await expect(page.get_by_text("Aprobado", exact=True)).to_be_visible()
    await expect(compared).to_have_count(1)


async def test_the_steps_are_ticked_as_they_are_taken(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER)
    await world.admin.delete(f"/api/v1/agents/{agent}/knowledge-bases/{world.kb}")
    await page.goto(world.at(f"/agents/{agent}?tab=knowledge"))
    await settled(page)
    await expect(page.locator(".step.done")).to_have_count(0)
    await page.get_by_role("button", name="Agregar conocimiento").click()
    await page.get_by_role("dialog").get_by_role("checkbox", name="Atención al cliente").click()
    await page.get_by_role("dialog").get_by_role("button", name="Agregar").click()
    await expect(page.locator(".step.done")).to_contain_text("1. Dele conocimiento")
    await ask(page)
    await expect(page.locator(".step.done")).to_have_count(2)
    await page.get_by_role("button", name="3. Publíquelo").click()
    shown = {"enabled": True, "origins": ["https://tienda.example"]}
    answer = await world.admin.patch(f"/api/v1/agents/{agent}/widget", json=shown)
    assert answer.status_code == 200, answer.text
    await expect(page.locator(".step")).to_have_count(0)


async def test_a_reload_comes_back_to_the_same_tab(world: World, enter: "Enter", agent: str) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}?tab=manual&question=¿Venden+anclas?"))
    await settled(page)
    await page.get_by_role("tab", name="Versiones").click()
    await page.wait_for_url(world.at(f"/agents/{agent}?tab=versions"))
    await expect(page.get_by_role("heading", name="Versión 1")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="Versión 1")).to_be_visible()
    await page.get_by_role("link", name="Agentes", exact=True).first.click()
    await page.wait_for_url(world.at("/agents"))
    await page.go_back()
    await expect(page.get_by_role("heading", name="Versión 1")).to_be_visible()


async def test_a_claim_of_the_trial_opens_its_source_beside_the_chat(
    world: World, enter: "Enter", agent: str
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/agents/{agent}"))
    await ask(page)
    await page.locator(".studio-log .claim").first.click()
    source = page.get_by_role("complementary", name="Fuente", exact=True)
    await expect(source.locator("mark").first).to_contain_text("Canarias")
    await expect(page.get_by_label("Tono e instrucciones")).to_be_hidden()
    await source.get_by_role("button", name="Cerrar la fuente").click()
    await expect(page.get_by_label("Tono e instrucciones")).to_be_visible()


async def test_a_knowledge_base_gets_an_agent_of_its_own(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/agents"))
    await settled(page)
    await page.get_by_role("button", name="Nuevo agente con esta base").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("Responderá con «Atención al cliente».")).to_be_visible()
    await dialog.get_by_label("Nombre", exact=True).fill("Estrella")
    await dialog.get_by_role("button", name="Crear").click()
    await expect(page.get_by_role("heading", name="Estrella")).to_be_visible()
    await page.get_by_role("tab", name="Conocimiento").click()
    await expect(page.get_by_role("link", name="Atención al cliente")).to_be_visible()
    await expect(page.get_by_role("combobox", name="Si hay empate")).to_have_value(
        "Prioridad 1 (la más alta)"
    )
