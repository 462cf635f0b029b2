"""Somebody throws a passage away in a browser, and the conversations that quoted it say so."""

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, MEMBER, World, barriers, bring, idle, settled
else:
    from support.browser import ADMIN, MEMBER, World, barriers, bring, idle, settled

SECRET = "El portero de Lugo se llama Anselmo Quiroga."
_OVERFLOWING = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText)"
QUESTION = "¿Cómo se llama el portero de Lugo?"


async def test_a_chunk_goes_in_the_bin_and_the_conversation_says_that_it_was_forgotten(
    world: World, enter: "Enter", tmp_path: Path
) -> None:
    admin = world.admin
    kb = (
        await admin.post("/api/v1/knowledge-bases", json={"name": "Porteros", "project_id": world.project})
    ).json()["id"]
    note = tmp_path / "porteros.txt"
    note.write_text(SECRET)
    (document,) = await bring(admin, kb, note)
    agent = (
        await admin.post("/api/v1/agents", json={"project_id": world.project, "name": "Portera"})
    ).json()["id"]
    await admin.put(f"/api/v1/agents/{agent}/knowledge-bases/{kb}", json={"priority": 1, "search_weight": 1})
    await idle(admin, kb)
    member = await enter(MEMBER, viewport={"width": 390, "height": 844})
    await member.goto(world.at(f"/ask?agent={agent}"))
    await member.get_by_label("Su pregunta").fill(QUESTION)
    await member.get_by_role("button", name="Preguntar", exact=True).click()
    await expect(member.locator(".bubble.agent .seal")).to_have_count(1)
    await expect(member.locator(".bubble.agent")).to_contain_text("Anselmo")

    page = await enter(ADMIN)
    await page.goto(world.at(f"/knowledge-bases/{kb}/documents/{document}?tab=chunks"))
    await page.get_by_role("button", name="Olvidar el fragmento 1").click()
    box = page.get_by_role("dialog", name="¿Olvidar el fragmento 1?")
    await expect(box).to_contain_text("para siempre")
    await settled(page)
    assert await barriers(page) == []
    await box.get_by_role("button", name="Olvidar", exact=True).click()
    await expect(page.get_by_text("Olvidado", exact=True)).to_be_visible()
    await expect(page.get_by_text("Todavía no hay fragmentos.")).to_be_visible()
    await expect(page.locator(".chunk").filter(has_text="Anselmo")).to_have_count(0)
    await idle(admin)

    await member.reload()
    forgotten = member.locator(".bubble.agent")
    await expect(forgotten).to_contain_text("Olvidado el")
    await expect(forgotten).to_contain_text("se borró el fragmento del que salía")
    await expect(member.locator("body")).not_to_contain_text("Anselmo")
    await settled(member)
    assert await member.locator(".bubble").evaluate_all(_OVERFLOWING) == []
    assert await barriers(member) == []
