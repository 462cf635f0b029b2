"""People walk through the pages: upload, look, search, mend, delete; others see nothing of it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Locator, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, bring, idle, settled, small_pdf
else:
    from support.browser import ADMIN, MANAGER, MEMBER, RIVAL, World, bring, idle, settled, small_pdf


async def test_a_wrong_password_is_told_in_words(world: World, enter: "Enter", browser: object) -> None:
    page = await enter(ADMIN)
    await page.context.clear_cookies()
    await page.goto(world.at("/knowledge-bases"))
    await page.get_by_label("Correo").fill(ADMIN)
    await page.get_by_label("Contraseña").fill("equivocada")
    await page.get_by_role("button", name="Entrar").click()
    await expect(page.get_by_role("alert")).to_contain_text("no son correctos")


async def test_a_pdf_goes_from_the_disk_to_its_chunks(world: World, enter: "Enter", tmp_path: Path) -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/knowledge-bases"))
    await page.get_by_role("button", name="Nueva base de conocimiento").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Carteles")
    await page.get_by_role("button", name="Crear").click()
    await expect(page.get_by_role("heading", name="Carteles")).to_be_visible()
    file = small_pdf(tmp_path, "Piensa diferente: los locos cambian el mundo.")
    await _drop(page, file)
    row = page.get_by_role("row").filter(has_text=file.name)
    await expect(row.get_by_text("Listo").filter(visible=True)).to_be_visible()
    await expect(page.locator(".stat").filter(has_text="Fragmentos")).to_contain_text("1")
    await row.get_by_role("link", name=file.name).click()
    await expect(page.get_by_text("Página 1").first).to_be_visible()


async def test_one_refused_file_does_not_stop_the_others(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    kb = (await world.admin.post("/api/v1/knowledge-bases", json={"name": "Mezcla"})).json()["id"]
    program, notes = tmp_path / "programa.exe", [tmp_path / f"nota-{number}.txt" for number in range(6)]
    program.write_bytes(b"MZ" + bytes(100))
    for note in notes:
        note.write_text(f"Contenido de {note.stem}. " * 20_000)
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await _drop(page, program, *notes)
    await expect(page.get_by_role("alert")).to_contain_text("programa.exe")
    for note in notes:
        await expect(page.get_by_role("link", name=note.name)).to_be_visible()
    await expect(page.get_by_role("alert")).to_have_count(1)


async def test_a_file_is_replaced_from_its_page_and_a_refusal_says_why(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    kb = (await world.admin.post("/api/v1/knowledge-bases", json={"name": "Reemplazos"})).json()["id"]
    old, new, program = (tmp_path / name for name in ("plazo.txt", "plazo-nuevo.txt", "programa.exe"))
    old.write_text("El plazo es de treinta días.")
    new.write_text("El plazo es de cuarenta días.")
    program.write_bytes(b"MZ" + bytes(100))
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await _drop(page, old)
    row = page.get_by_role("row").filter(has_text=old.name)
    await expect(row.get_by_text("Listo").filter(visible=True)).to_be_visible()
    await row.get_by_role("link", name=old.name).click()
    await page.get_by_role("button", name="Reemplazar archivo").click()
    box = page.get_by_role("dialog")
    await _choose(page, "Elegir un archivo", program)
    await expect(box.get_by_role("alert")).to_contain_text("programa.exe")
    await _choose(page, "Elegir un archivo", new)
    await page.get_by_role("button", name=re.compile("Versiones: 2")).click()
    await expect(page.get_by_text("Versión 2 · plazo-nuevo.txt")).to_be_visible()
    await expect(page.get_by_text("Versión 1 · plazo.txt")).to_be_visible()


async def test_a_broken_file_says_what_to_do(world: World, enter: "Enter", tmp_path: Path) -> None:
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}"))
    picture = tmp_path / "foto.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    await _add(page, picture)
    await expect(page.get_by_role("alert").filter(has_text="foto.png")).to_contain_text("no se puede leer")
    broken = tmp_path / "roto.pdf"
    broken.write_bytes(b"%PDF-1.7\n" + b"nothing that a reader could follow\n" * 20)
    await _add(page, broken)
    row = page.get_by_role("row").filter(has_text="roto.pdf")
    await expect(row.get_by_text("Con error").filter(visible=True)).to_be_visible()
    await expect(row).to_contain_text("guárdelo de nuevo")
    await row.get_by_role("checkbox").click()
    await page.get_by_role("button", name="Eliminar seleccionados").click()
    await page.get_by_role("dialog").get_by_role("button", name="Eliminar", exact=True).click()
    await expect(row).to_have_count(0)


async def test_the_test_search_marks_words_and_explains_absence(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/search"))
    await page.get_by_label("Consulta").fill("¿Cuánto tarda un envío a Canarias?")
    await page.get_by_role("button", name="Buscar", exact=True).click()
    results = page.get_by_role("region", name="Resultados")
    await expect(results.get_by_role("link", name="preguntas-de-clientes.md")).to_be_visible()
    await expect(results.locator("mark").filter(has_text="Canarias")).to_have_count(1)
    await page.get_by_role("button", name="¿Por qué no salió?").click()
    await page.get_by_role("dialog").get_by_label("Documento").click()
    await page.get_by_role("option", name="manual-cafetera-aurora.md").click()
    await expect(page.get_by_role("dialog")).to_contain_text("umbral")


async def test_a_chunk_is_corrected_and_a_source_is_made_gold(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/knowledge-bases/{world.kb}/documents/{world.documents[0]}"))
    await page.get_by_role("tab", name="Fragmentos").click()
    await page.get_by_role("button", name="Editar el fragmento 1").click()
    text = page.get_by_role("dialog").get_by_label("Texto")
    await text.fill((await text.input_value()) + "\nNota añadida a mano.")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Nota añadida a mano.")).to_be_visible()
    await page.get_by_role("button", name="Valor como fuente").click()
    await page.get_by_role("dialog").get_by_label("Nivel").click()
    await page.get_by_role("option", name="Oro").click()
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.locator(".tier", has_text="Oro")).to_be_visible()


async def test_an_answer_shows_the_passage_behind_every_claim(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await _ask(page, "¿Cuánto tarda un envío a Canarias?")
    answer = page.locator(".bubble.agent").last
    await expect(answer).to_contain_text("5 a 8 días")
    await expect(answer).to_contain_text("Citas textuales de sus documentos")
    await answer.locator(".claim").first.click()
    source = page.get_by_role("complementary", name="Fuente")
    await expect(source).to_contain_text("preguntas-de-clientes.md")
    await expect(source.locator("mark").first).to_be_visible()
    await answer.get_by_role("button", name="Buena respuesta").click()
    await expect(page.get_by_text("Gracias")).to_be_visible()


async def test_no_evidence_is_a_good_answer_with_next_steps(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/ask?agent={world.agent}"))
    await _ask(page, "¿Quién ganó el mundial de fútbol de 1986?")
    answer = page.locator(".bubble.agent").last
    await expect(answer).to_contain_text("no se inventa nada")
    await answer.get_by_role("link", name="Añadir la respuesta").click()
    await expect(page.get_by_role("heading", name="Nueva entrada")).to_be_visible()


async def test_a_person_takes_a_conversation_over(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at(f"/ask/{world.conversation}"))
    await page.get_by_role("switch", name="Aquí responde una persona").click()
    await expect(page.get_by_text("Guardado")).to_be_visible()
    await page.get_by_label("Responder como persona").fill("Le llamo yo esta tarde.")
    await page.get_by_role("button", name="Enviar").click()
    await expect(page.get_by_text("Le llamo yo esta tarde.").first).to_be_visible()
    await page.get_by_role("switch", name="Aquí responde una persona").click()


async def test_a_newcomer_has_a_cited_answer_within_two_minutes(world: World, enter: "Enter") -> None:
    page = await enter(RIVAL)
    await page.get_by_role("button", name="Probar con documentos de ejemplo").click()
    await page.wait_for_url(re.compile("/es/ask"))
    await _ask(page, "¿Cuál es el plazo para devolver productos electrónicos?")
    await expect(page.locator(".bubble.agent .claim").filter(has_text="15 días")).to_be_visible()


async def test_the_rival_sees_nothing_of_it(world: World, enter: "Enter") -> None:
    page = await enter(RIVAL)
    await page.goto(world.at("/knowledge-bases"))
    await expect(page.get_by_role("heading", name="Bases de conocimiento")).to_be_visible()
    answer = await page.goto(world.at(f"/knowledge-bases/{world.kb}"))
    assert answer is not None
    assert answer.status == 404
    await expect(page.get_by_text("Atención al cliente")).to_have_count(0)


async def test_a_member_has_knowledge_of_their_own_and_sees_who_takes_it(
    world: World, enter: "Enter"
) -> None:
    page = await enter(MEMBER)
    await page.goto(world.at("/personal"))
    await expect(page.get_by_text("No admite conocimiento personal").first).to_be_visible()
    await page.get_by_role("button", name="Nueva base de conocimiento").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Mis notas")
    await page.get_by_role("button", name="Crear").click()
    await expect(page.get_by_role("heading", name="Mis notas")).to_be_visible()
    await page.get_by_role("link", name="Agentes", exact=True).last.click()
    card = page.locator(".card").filter(has_text="Atlas")
    await expect(card.get_by_role("switch")).to_be_disabled()
    await page.locator(".card").filter(has_text="Luna").get_by_role("switch").click()
    await expect(page.get_by_text("Guardado")).to_be_visible()


async def test_language_and_darkness_are_remembered(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.get_by_role("button", name="Claro u oscuro").click()
    await expect(page.locator("body.body--dark")).to_be_visible()
    await page.get_by_role("button", name="Mi cuenta").click()
    await page.get_by_text("English").click()
    await page.wait_for_url(re.compile("/en/"))
    await expect(page.locator("body.body--dark")).to_be_visible()
    await expect(page.get_by_role("link", name="Documents")).to_be_visible()
    await page.goto(world.url)
    await expect(page).to_have_url(re.compile("/en/$"))


async def test_nothing_that_people_or_documents_say_becomes_code(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    page = await enter(ADMIN)
    strange: list[str] = []
    page.on(
        "request", lambda request: strange.append(request.url) if "127.0.0.1" not in request.url else None
    )
    attack = "<img src=http://evil.example/x onerror=window.hacked=1>"
    body = f"# {attack}\n\n<script>window.hacked=2</script> ![x](http://evil.example/y.png) {{{{ window.hacked=3 }}}} javascript:1"
    answer = await world.admin.post(
        f"/api/v1/knowledge-bases/{world.kb}/documents/text",
        json={"title": attack + "{{ 7*7 }}", "content": body},
    )
    document = answer.json()["document_id"]
    await idle(world.admin, world.kb)
    await world.admin.post(
        "/api/v1/agents", json={"project_id": world.project, "name": attack, "description": attack}
    )
    for path in ("", "/search", f"/documents/{document}", "/settings", "/agents"):
        await page.goto(world.at(f"/knowledge-bases/{world.kb}{path}"))
        await expect(page.locator("h1")).to_be_visible()
        if path == "/search":
            await page.get_by_label("Consulta").fill("img src evil example javascript")
            await page.get_by_label("Umbral").click()
            await page.get_by_role("option", name="mostrar todo").click()
            await page.get_by_role("button", name="Buscar", exact=True).click()
            await expect(page.locator(".evidence").first).to_be_visible()
    for path in ("/agents", "/", "/console"):
        await page.goto(world.at(path))
        await settled(page)
    assert await page.evaluate("window.hacked") is None
    assert [url for url in strange if not url.startswith(("data:", "blob:"))] == []
    await world.admin.delete(f"/api/v1/knowledge-bases/{world.kb}/documents/{document}")


async def test_a_revoked_session_can_do_nothing_more_from_an_open_page(world: World, enter: "Enter") -> None:
    page = await enter(MANAGER)
    await page.goto(world.at("/knowledge-bases"))
    cookies = {one["name"]: one["value"] for one in await page.context.cookies()}
    token = cookies["veraz_session"]
    await world.admin.post("/api/v1/auth/logout", headers={"Authorization": f"Bearer {token}"})
    await page.get_by_role("button", name="Nueva base de conocimiento").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("No debe existir")
    await page.get_by_role("button", name="Crear").click()
    await page.wait_for_url(re.compile("/es/login"))
    kbs = (await world.admin.get("/api/v1/knowledge-bases")).json()["items"]
    assert "No debe existir" not in [kb["name"] for kb in kbs]


@pytest.mark.parametrize("count", [60])
async def test_many_documents_are_shown_in_pages_sorted_by_the_server(
    world: World, enter: "Enter", tmp_path: Path, count: int
) -> None:
    kb = (await world.admin.post("/api/v1/knowledge-bases", json={"name": "Muchos"})).json()["id"]
    files = [tmp_path / f"nota-{number:03}.txt" for number in range(count)]
    for file in files:
        file.write_text(f"Nota número {file.stem}")
    await bring(world.admin, kb, *files)
    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}"))
    await expect(page.get_by_text(f"1-25 de {count}")).to_be_visible()
    await page.get_by_role("columnheader", name="Nombre").click()
    await expect(page.get_by_role("link", name="nota-000.txt")).to_be_visible()
    await page.get_by_label("Buscar por nombre").fill("nota-059")
    await expect(page.get_by_text("1-1 de 1")).to_be_visible()


async def _ask(page: Page, question: str) -> None:
    await page.get_by_label("Su pregunta").fill(question)
    await page.get_by_role("button", name="Preguntar", exact=True).click()


async def _add(page: Page, *files: Path) -> None:
    await page.get_by_role("button", name="Agregar documentos").click()
    await _choose(page.get_by_role("dialog"), "Elegir archivos", *files)


async def _drop(page: Page, *files: Path) -> None:
    await _choose(page, "Elegir archivos", *files)


async def _choose(where: Page | Locator, button: str, *files: Path) -> None:
    page = where.page if isinstance(where, Locator) else where
    async with page.expect_file_chooser() as chooser:
        await where.get_by_role("button", name=button).click()
    await (await chooser.value).set_files(files)
