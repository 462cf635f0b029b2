"""What a manager supervises: documents on their way in, and what waits for a person."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import FilePayload, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.ingest.parse.made_files import pdf
    from tests.support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, barriers, idle, settled
else:
    from ingest.parse.made_files import pdf
    from support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, barriers, idle, settled


def broken(number: int) -> tuple[str, tuple[str, bytes]]:
    """A file that nobody can read."""
    content = b"%PDF-1.7\n" + f"nothing that a reader could follow {number}\n".encode() * 20
    return ("files", (f"roto-{number}.pdf", content))


@pytest.fixture
async def kb(world: World) -> AsyncIterator[str]:
    """A knowledge base of this test's own."""
    body = {"name": "Archivo de prueba", "project_id": world.project}
    made = await world.admin.post("/api/v1/knowledge-bases", json=body)
    kb_id = str(made.json()["id"])
    yield kb_id
    await world.admin.delete(f"/api/v1/knowledge-bases/{kb_id}")


async def test_a_console_that_was_opened_while_idle_moves_by_itself(
    world: World, enter: "Enter", kb: str
) -> None:
    await idle(world.admin, world.kb)
    page = await enter(MANAGER)
    await page.goto(world.at(f"/console?kb={kb}"))
    await expect(page.get_by_text("No hay nada aquí.")).to_be_visible()
    good = ("files", ("tarifas.md", b"# Tarifas\n\nEl servicio cuesta 30 pesos."))
    await world.admin.post(f"/api/v1/knowledge-bases/{kb}/documents", files=[good, broken(1)])
    row = page.get_by_role("row").filter(has_text="tarifas.md")
    await expect(row.get_by_text("Listo")).to_be_visible()
    await expect(row.locator(".strip li.done")).to_have_count(5)
    failed = page.get_by_role("row").filter(has_text="roto-1.pdf")
    await expect(failed.get_by_text("El archivo está dañado o incompleto.")).to_be_visible()
    await expect(failed.locator(".strip li.bad")).to_contain_text("Leído")
    await page.get_by_role("button", name="Con error 1").click()
    await expect(row).to_have_count(0)
    await failed.get_by_role("button", name="Detalles").click()
    await expect(page.get_by_role("dialog").get_by_text("Intentos: 1/5")).to_be_visible()
    await page.get_by_role("dialog").get_by_role("link", name="Ir al documento").click()
    await expect(page.get_by_role("heading", name="roto-1.pdf")).to_be_visible()


async def test_a_failed_document_is_found_and_mended_from_attention(
    world: World, enter: "Enter", kb: str
) -> None:
    page = await enter(MANAGER)
    await page.goto(world.at("/attention"))
    await expect(page.get_by_role("heading", name="Atención")).to_be_visible()
    await world.admin.post(f"/api/v1/knowledge-bases/{kb}/documents", files=[broken(1), broken(2), broken(3)])
    await idle(world.admin, kb)
    row = page.locator(".attention").filter(has_text="Archivo de prueba")
    await expect(row).to_contain_text("3 documentos no se pudieron leer")
    await expect(row.get_by_role("button", name="Reintentar")).to_have_count(0)
    await row.get_by_role("button", name="Ver los 3").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("link", name="roto-2.pdf")).to_be_visible()
    await dialog.get_by_role("button", name="Reemplazar archivo: roto-2.pdf").click()
    whole = FilePayload(name="roto-2.pdf", mimeType="application/pdf", buffer=pdf("Ahora se lee."))
    await page.get_by_role("dialog").last.locator("input[type=file]").set_input_files(whole)
    await expect(row).to_contain_text("2 documentos no se pudieron leer", timeout=30_000)
    await row.get_by_role("button", name="Ver los 2").click()
    await page.get_by_role("dialog").get_by_role("button", name="Eliminarlos").click()
    await page.get_by_role("dialog").get_by_role("button", name="Eliminar", exact=True).click()
    await expect(row).to_have_count(0)


async def test_finished_jobs_are_archived_and_stay_readable(world: World, enter: "Enter", kb: str) -> None:
    good = ("files", ("tarifas.md", b"# Tarifas\n\nEl servicio cuesta 30 pesos."))
    await world.admin.post(f"/api/v1/knowledge-bases/{kb}/documents", files=[good])
    await idle(world.admin, kb)
    page = await enter(MANAGER)
    await page.goto(world.at(f"/console?kb={kb}"))
    row = page.get_by_role("row").filter(has_text="tarifas.md")
    await expect(row).to_be_visible()
    await page.get_by_role("button", name="Archivar los terminados").click()
    await page.get_by_role("dialog").get_by_role("button", name="Archivar", exact=True).click()
    await expect(page.get_by_text("Archivados: 1")).to_be_visible()
    await expect(row).to_have_count(0)
    await page.get_by_role("switch", name="Archivados").click()
    await expect(row).to_be_visible()


async def test_who_waits_and_what_was_not_answered_lead_to_what_mends_it(
    world: World, enter: "Enter"
) -> None:
    question = {"question": "¿Alquilan esquís de fondo?"}
    asked = await world.admin.post(f"/api/v1/agents/{world.agent}/ask", json=question)
    talk = asked.json()["conversation_id"]
    await world.admin.patch(f"/api/v1/conversations/{talk}", json={"handoff_mode": "human"})
    page = await enter(MANAGER)
    await page.goto(world.at("/attention?kind=waiting"))
    row = page.locator(".attention").filter(has_text="esquís")
    link = row.get_by_role("link", name="Abrir la conversación")
    await expect(link).to_have_attribute("href", f"/es/ask/{talk}")
    await page.get_by_role("button", name="Preguntas sin respuesta").click()
    link = (
        page.locator(".attention").filter(has_text="esquís").get_by_role("link", name="Añadir la respuesta")
    )
    await expect(link).to_have_attribute(
        "href", f"/es/agents/{world.agent}?tab=manual&question=%C2%BFAlquilan+esqu%C3%ADs+de+fondo%3F"
    )
    await world.admin.patch(f"/api/v1/conversations/{talk}", json={"handoff_mode": "ai"})


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_full_lists_have_no_barrier(world: World, enter: "Enter", kb: str, dark: bool) -> None:
    await world.admin.post(f"/api/v1/knowledge-bases/{kb}/documents", files=[broken(1), broken(2)])
    await idle(world.admin, kb)
    page = await enter(ADMIN, color_scheme="dark" if dark else "light")
    for path in ("/attention", "/console", "/"):
        await page.goto(world.at(path))
        await expect(page.get_by_text("El archivo está dañado").first).to_be_visible()
        await settled(page)
        assert await barriers(page) == [], path


async def test_the_rival_and_members_see_nothing_of_it(world: World, enter: "Enter", kb: str) -> None:
    await world.admin.post(f"/api/v1/knowledge-bases/{kb}/documents", files=[broken(1)])
    await idle(world.admin, kb)
    page = await enter(RIVAL)
    for path in ("/attention", f"/console?kb={kb}"):
        await page.goto(world.at(path))
        await expect(page.locator("h1")).to_be_visible()
        await settled(page)
        await expect(page.get_by_text("roto-1.pdf")).to_have_count(0)
    page = await enter(MEMBER)
    await page.wait_for_url("**/es/ask")
    answer = await page.goto(world.at("/attention"))
    assert answer is not None
    assert answer.status == 403
