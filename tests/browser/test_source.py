"""The source beside an answer: the box stands where the words are, for a member, on a phone, from a link."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pytest
from playwright.async_api import Locator, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.ingest.parse import made_files as made
    from tests.support.browser import ADMIN, MEMBER, RIVAL, World, barriers, idle, settled
else:
    from ingest.parse import made_files as made
    from support.browser import ADMIN, MEMBER, RIVAL, World, barriers, idle, settled

FEE = "La cuota mensual del gimnasio es de 30 euros."
PAGES = (
    "# Gimnasio municipal\nEl gimnasio abre a las nueve de la mañana.",
    f"# Cuotas\n{FEE}\nLos jubilados pagan la mitad de la cuota.",
)
MANUAL = made.pdf(*PAGES)
LINES: list[list[object]] = [["Pieza", "Precio"], *([f"Bisagra {n}", n * 10] for n in range(1, 30))]
QUESTIONS = {
    "gimnasio.pdf": "¿Cuánto es la cuota mensual del gimnasio?",
    "bisagras.xlsx": "¿Qué precio tiene la bisagra 17?",
    "preguntas-de-clientes.md": "¿Cuánto tarda un envío a Canarias?",
}


@pytest.fixture(scope="module")
async def proofs(world: World) -> dict[str, dict[str, Any]]:
    """A quotation of a PDF, one of a sheet, one of a text, by the names of their documents."""
    files = (("gimnasio.pdf", MANUAL), ("bisagras.xlsx", made.xlsx(Tarifa=LINES)))
    parts = [("files", file) for file in files]
    await world.admin.post(f"/api/v1/knowledge-bases/{world.kb}/documents", files=parts)
    await idle(world.admin, world.kb)
    found: dict[str, dict[str, Any]] = {}
    for name, question in QUESTIONS.items():
        answer = await world.admin.post(f"/api/v1/agents/{world.agent}/ask", json={"question": question})
        quotes = [quote for claim in answer.json()["claims"] for quote in claim["quotes"]]
        found[name] = next(quote for quote in quotes if quote["document_name"] == name)
    return found


async def test_a_member_sees_the_sentence_boxed_on_its_page_and_steps_through_the_proofs(
    world: World, enter: "Enter", proofs: dict[str, dict[str, Any]]
) -> None:
    page = await enter(MEMBER)
    panel = await opened(world, page, proofs)
    await expect(panel.get_by_role("heading", name="gimnasio.pdf")).to_be_visible()
    await expect(panel).to_contain_text("Cuotas › página 2")
    assert "cuotamensualdelgimnasioesde30euros" in plain(await under_boxes(panel, MANUAL))
    await expect(panel.locator(".source-box").first).to_be_in_viewport()
    await page.keyboard.press("ArrowRight")
    await expect(panel).to_contain_text("Cita 2 de 3")
    row = panel.locator("tr.marked")
    await expect(row).to_contain_text("Bisagra 17")
    await expect(row).to_contain_text("170")
    await page.keyboard.press("ArrowRight")
    await expect(panel.locator("mark")).to_contain_text("Canarias")
    await page.keyboard.press("Escape")
    await expect(panel).to_be_hidden()
    await expect(page.get_by_role("button", name="Open 0")).to_be_focused()


async def test_the_rival_is_told_only_that_there_is_nothing_for_them(
    world: World, enter: "Enter", proofs: dict[str, dict[str, Any]]
) -> None:
    page = await enter(RIVAL)
    panel = await opened(world, page, proofs, look_for=".source-note")
    await expect(panel).to_contain_text("Esta fuente ya no está disponible para usted.")
    await expect(panel.locator("img, mark")).to_have_count(0)


async def test_the_whole_document_opens_at_the_quotation(
    world: World, enter: "Enter", proofs: dict[str, dict[str, Any]]
) -> None:
    page = await enter(MEMBER, viewport={"width": 390, "height": 844})
    panel = await opened(world, page, proofs)
    await panel.get_by_role("link", name="Abrir el documento").click()
    await expect(page.locator("h1")).to_have_text("gimnasio.pdf")
    await expect(page.locator("figure img")).to_have_count(2)
    await expect(page.locator(".source-box").first).to_be_in_viewport()
    assert "cuotamensualdelgimnasioesde30euros" in plain(
        await under_boxes(page.locator("figure[data-page='2']"), MANUAL)
    )


async def test_an_old_quotation_opens_the_version_it_was_taken_from(world: World, enter: "Enter") -> None:
    path = f"/api/v1/knowledge-bases/{world.kb}/documents"
    first = ("files", ("buzos.txt", b"El curso de buceo profundo dura ocho semanas."))
    document = (await world.admin.post(path, files=[first])).json()[0]["document_id"]
    await idle(world.admin, world.kb)
    ask = {"question": "¿Cuánto dura el curso de buceo profundo?"}
    answer = (await world.admin.post(f"/api/v1/agents/{world.agent}/ask", json=ask)).json()
    quotes = [quote for claim in answer["claims"] for quote in claim["quotes"]]
    quote = next(one for one in quotes if one["document_id"] == document)
    second = {"file": ("buzos.txt", b"Cambios de este mes. El curso de buceo profundo dura doce semanas.")}
    await world.admin.put(f"{path}/{document}", files=second)
    await idle(world.admin, world.kb)
    span = f"start={quote['start_char']}&end={quote['end_char']}&version=1"
    manager = await enter(ADMIN)
    await manager.goto(world.at(f"/documents/{document}?{span}"))
    await expect(manager.locator("mark")).to_contain_text("ocho semanas")
    await expect(
        manager.get_by_text("Esta es la versión 1, que ya no se usa para responder.")
    ).to_be_visible()
    member = await enter(MEMBER)
    await member.goto(world.at(f"/documents/{document}?{span}"))
    await expect(member.get_by_text("Esto es lo que dice ahora.")).to_be_visible()
    await expect(member.get_by_text("doce semanas")).to_be_visible()
    await expect(member.locator("mark")).to_have_count(0)
    rival = await enter(RIVAL)
    answered = await rival.goto(world.at(f"/documents/{document}?{span}"))
    assert answered is not None
    assert answered.status == 404
    await world.admin.delete(f"{path}/{document}")


async def test_a_shared_link_shows_the_same_box_on_a_phone(
    world: World, enter: "Enter", proofs: dict[str, dict[str, Any]]
) -> None:
    page = await enter(MEMBER, viewport={"width": 390, "height": 844})
    await page.goto(f"{world.url}/s/{token(proofs['gimnasio.pdf'])}")
    await expect(page.locator("#quote")).to_contain_text("30 euros")
    assert "cuotamensualdelgimnasioesde30euros" in plain(await under_boxes(page.locator("main"), MANUAL))
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_panel_document_and_link_have_no_barrier(
    world: World, enter: "Enter", proofs: dict[str, dict[str, Any]], scheme: str
) -> None:
    page = await enter(MEMBER, color_scheme=scheme)
    panel = await opened(world, page, proofs)
    found = await barriers(page)
    for index in (1, 2):
        await page.get_by_role("button", name=f"Open {index}").click()
        await expect(panel).to_contain_text(f"Cita {index + 1} de 3")
        await expect(panel.locator("mark, tr.marked").first).to_be_visible()
        found += await barriers(page)
    for quote in proofs.values():
        span = f"start={quote['start_char']}&end={quote['end_char']}"
        await page.goto(world.at(f"/documents/{quote['document_id']}?{span}"))
        await expect(page.locator(".source-box, mark, tr.marked").first).to_be_visible()
        await settled(page)
        found += await barriers(page)
    await page.goto(f"{world.url}/s/{token(proofs['gimnasio.pdf'])}")
    assert found + await barriers(page) == []


async def opened(
    world: World, page: Page, proofs: dict[str, dict[str, Any]], look_for: str = ".source-box"
) -> Locator:
    """The panel with the first proof shown."""
    links = ",".join(map(token, proofs.values()))
    numbers = ",".join(str(quote["page_number"] or 0) for quote in proofs.values())
    await page.goto(world.at(f"/stage?links={links}&pages={numbers}"))
    await settled(page)
    await page.get_by_role("button", name="Open 0").click()
    panel = page.get_by_role("complementary", name="Fuente")
    await expect(panel.locator(look_for).first).to_be_visible()
    return panel


async def under_boxes(place: Locator, file: bytes) -> str:
    """What PDFium reads on the second page where the browser shows the boxes."""
    shown = place.page.locator("figure:has(.source-box) img").first
    await expect(shown).to_be_visible()
    await expect(shown).to_have_js_property("complete", True)
    picture = await shown.bounding_box()
    assert picture is not None
    page = pdfium.PdfDocument(BytesIO(file))[1]
    width, height = page.get_size()
    text, read = page.get_textpage(), ""
    for box in await place.locator(".source-box").all():
        at = await box.bounding_box()
        assert at is not None
        left = (at["x"] - picture["x"]) / picture["width"] * width
        top = height - (at["y"] - picture["y"]) / picture["height"] * height
        right = left + at["width"] / picture["width"] * width
        read += text.get_text_bounded(left, top - at["height"] / picture["height"] * height, right, top)
    return read


def token(quote: dict[str, Any]) -> str:
    return str(quote["url"]).rpartition("/s/")[2]


def plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
