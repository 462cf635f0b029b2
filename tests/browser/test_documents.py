"""Documents in the browser: added in every way, refused with a reason, searched, and why one was not found."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, RIVAL, World, barriers, bring, idle, settled
else:
    from support.browser import ADMIN, RIVAL, World, barriers, bring, idle, settled

_DROP = """([name, text, where]) => {
  const data = new DataTransfer(); data.items.add(new File([text], name));
  const target = document.querySelector(where);
  for (const type of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
}"""


async def new_kb(world: World, name: str) -> str:
    """An empty knowledge base; its id."""
    return str((await world.admin.post("/api/v1/knowledge-bases", json={"name": name})).json()["id"])


async def add(page: Page, *files: Path) -> None:
    """Chooses files in the dialog of the main button."""
    await page.get_by_role("button", name="Agregar documentos").click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("dialog").get_by_role("button", name="Elegir archivos").click()
    await (await chooser.value).set_files(files)


async def test_an_empty_knowledge_base_teaches_and_thirty_files_come_at_once(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    kb = await new_kb(world, "Treinta")
    files = [tmp_path / f"nota-{number:02}.txt" for number in range(30)]
    for file in files:
        file.write_text(f"Contenido de {file.stem}.")
    empty = tmp_path / "vacío.txt"
    empty.write_bytes(b"")
    long_name = tmp_path / ("nombre-" * 28 + ".md")
    long_name.write_text("# Un nombre largo")
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await expect(page.get_by_text("Agregue los primeros documentos")).to_be_visible()
    await add(page, *files, empty, long_name)
    await expect(page.get_by_role("alert").filter(has_text="vacío.txt")).to_be_visible()
    await expect(page.locator(".stat").filter(has_text="Documentos")).to_contain_text("31")
    await idle(world.admin, kb)
    await expect(page.locator(".stat").filter(has_text="Fragmentos")).to_contain_text("31")
    await expect(page.get_by_text("Agregue los primeros documentos")).to_be_hidden()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_files_dropped_anywhere_on_the_page_are_added(world: World, enter: "Enter") -> None:
    kb = await new_kb(world, "Soltar")
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await settled(page)
    await page.evaluate(_DROP, ["soltado.md", "# Hola", "h1"])
    await expect(page.get_by_role("link", name="soltado.md")).to_be_visible()
    await page.get_by_role("button", name="Agregar documentos").click()
    await expect(page.get_by_role("dialog").get_by_role("button", name="Elegir archivos")).to_be_visible()
    await page.evaluate(_DROP, ["otro.md", "# Otro", ".q-dialog .drop .q-btn"])
    await expect(page.get_by_role("link", name="otro.md")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_text_and_an_address_are_added_in_the_same_dialog_with_errors_beside_the_field(
    world: World, enter: "Enter"
) -> None:
    kb = await new_kb(world, "Tres maneras")
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await page.get_by_role("button", name="Escribir texto").click()
    box = page.get_by_role("dialog")
    await box.get_by_role("button", name="Agregar").click()
    await expect(box.get_by_text("Complete este campo")).to_have_count(2)
    await box.get_by_label("Título").fill("Horario")
    await box.get_by_label("Contenido").fill("Abrimos a las 9.")
    await box.get_by_role("button", name="Agregar").click()
    await expect(page.get_by_role("link", name="Horario")).to_be_visible()
    await page.get_by_role("button", name="Agregar documentos").click()
    await box.get_by_role("tab", name="Página web").click()
    await box.get_by_label("Dirección").fill("ftp://ejemplo")
    await box.get_by_role("button", name="Agregar").last.click()
    await expect(box.get_by_role("alert")).to_be_visible()
    await expect(page.locator(".q-notification.bg-negative")).to_have_count(0)


async def test_failed_documents_are_named_with_their_cause_and_filtered(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    kb = await new_kb(world, "Con fallas")
    broken, good = tmp_path / "roto.pdf", tmp_path / "bueno.txt"
    broken.write_bytes(b"%PDF-1.7\n" + b"nothing that a reader could follow\n" * 20)
    good.write_text("Todo bien.")
    await bring(world.admin, kb, broken, good)
    await idle(world.admin, kb)
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await expect(page.get_by_text("Documentos que no se pudieron leer: 1")).to_be_visible()
    await page.get_by_role("button", name="Ver cuáles y por qué").click()
    await expect(page.get_by_role("link", name="bueno.txt")).to_have_count(0)
    await expect(page.get_by_role("row").filter(has_text="roto.pdf")).to_contain_text("guárdelo de nuevo")


async def test_a_switch_for_one_licence_without_a_licence_takes_no_files(
    world: World, enter: "Enter"
) -> None:
    await world.admin.post("/api/v1/licences", json={"machine_id": "PC-CAJA", "user_name": "Caja"})
    note = {"file": ("todos.txt", b"Para todas.")}
    await world.admin.post("/functions/v1/ingest-file", files=note)
    page = await enter(ADMIN)
    await page.goto(world.at("/memory"))
    await settled(page)
    await page.get_by_role("switch", name="Solo para una licencia").click()
    await expect(page.get_by_text("Elija primero la licencia")).to_be_visible()
    await expect(page.get_by_role("button", name="Agregar documentos")).to_be_disabled()
    await page.evaluate(_DROP, ["secreto.txt", "Solo para una caja.", "h1"])
    await page.get_by_label("Licencia", exact=True).click()
    await page.get_by_role("option", name="Caja").click()
    await expect(page.get_by_role("button", name="Agregar documentos")).to_be_enabled()
    await page.evaluate(_DROP, ["caja.txt", "El corte de caja es a las 8.", "h1"])
    row = page.get_by_role("row").filter(has_text="caja.txt")
    await expect(row).to_contain_text("Solo para PC-CAJA")
    await expect(page.get_by_role("link", name="secreto.txt")).to_have_count(0)


async def test_files_dropped_before_the_server_heard_of_the_switch_are_not_for_everybody(
    world: World, enter: "Enter"
) -> None:
    await world.admin.post("/api/v1/licences", json={"machine_id": "PC-CAJA", "user_name": "Caja"})
    await world.admin.post("/functions/v1/ingest-file", files={"file": ("todos.txt", b"Para todas.")})
    page = await enter(ADMIN)
    await page.goto(world.at("/memory"))
    await settled(page)
    await page.evaluate("window.socket.io.engine.transport.ws.send = () => {}")  # nothing arrives any more
    await page.get_by_role("switch", name="Solo para una licencia").click()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    await page.evaluate(_DROP, ["secreto.txt", "Solo para una caja.", "h1"])
    await page.wait_for_timeout(1000)
    assert sent == []


async def test_a_search_shows_one_score_leads_to_the_passage_and_tells_why_another_is_missing(
    world: World, enter: "Enter"
) -> None:
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/search"))
    await page.get_by_label("Consulta").fill("¿Cuánto tarda un envío a Canarias?")
    await page.get_by_role("button", name="Buscar", exact=True).click()
    found = page.get_by_role("region", name="Resultados")
    await expect(found.locator(".fits").first).to_contain_text("Muy relevante")
    await expect(found.get_by_text("Coseno")).to_be_hidden()
    await found.get_by_text("Todas las puntuaciones").first.click()
    await expect(found.get_by_text("Coseno").first).to_be_visible()
    link = found.get_by_role("link", name="preguntas-de-clientes.md")
    assert "?start=" in (await link.get_attribute("href") or "")
    await page.get_by_role("button", name="¿Por qué no salió?").click()
    box = page.get_by_role("dialog")
    await box.get_by_label("O una frase que debía salir").fill("los marcianos no compran aquí")
    await box.get_by_role("button", name="Averiguar").click()
    await expect(box.get_by_role("alert")).to_contain_text("Ningún pasaje dice")
    await box.get_by_label("Documento", exact=True).click()
    await page.get_by_role("option", name="manual-cafetera-aurora.md").click()
    await expect(box).to_contain_text("por debajo del umbral")
    await expect(box.locator(".ladder li").filter(has_text="aquí se quedó fuera")).to_contain_text("Umbral")
    assert await barriers(page) == []


async def test_nothing_found_says_why_and_offers_a_wider_search(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/search?q=volcanes%20islandeses"))
    await expect(page.get_by_text("Nada lo bastante parecido")).to_be_visible()
    await expect(page.get_by_text("Escriba la pregunta completa")).to_be_visible()
    await page.get_by_role("button", name="Buscar con umbral").click()
    await expect(page.get_by_role("region", name="Resultados").locator(".fits").first).to_be_visible()
    await expect(page.get_by_text("Nada lo bastante parecido")).to_be_hidden()


async def test_settings_say_what_saving_would_do(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/settings"))
    save = page.get_by_role("button", name="Guardar y volver a leer los documentos")
    await expect(page.get_by_text("Nada: son los ajustes que ya se usan.")).to_be_visible()
    await expect(save).to_be_disabled()
    await page.get_by_label("Tamaño de cada fragmento").fill("300")
    await expect(page.get_by_text("Se vuelven a leer los documentos")).to_be_visible()
    await expect(save).to_be_enabled()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_dialogs_and_banners_have_no_barrier(
    world: World, enter: "Enter", tmp_path: Path, dark: bool
) -> None:
    kb = await new_kb(world, f"Accesible {dark}")
    broken = tmp_path / "roto.pdf"
    broken.write_bytes(b"%PDF-1.7\n" + b"nothing that a reader could follow\n" * 20)
    await bring(world.admin, kb, broken)
    await idle(world.admin, kb)
    page = await enter(ADMIN, color_scheme="dark" if dark else "light")
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await expect(page.get_by_text("Documentos que no se pudieron leer")).to_be_visible()
    await settled(page)
    assert await barriers(page) == []
    for tab in ("Archivos", "Texto", "Página web"):
        await page.get_by_role("button", name="Agregar documentos").click()
        await page.get_by_role("tab", name=tab).click()
        await settled(page)
        assert await barriers(page) == []
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_the_rival_cannot_search_or_open_any_of_it(world: World, enter: "Enter") -> None:
    page = await enter(RIVAL)
    for path in ("", "/search?q=devoluciones", "/settings", "/agents"):
        answer = await page.goto(world.at(f"/knowledge-bases/{world.kb}{path}"))
        assert answer is not None
        assert answer.status == 404
