"""The frame around the pages: moving without loading, the palette, shortcuts, and every group by keyboard alone."""

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, MEMBER, RIVAL, World, settled
else:
    from support.browser import ADMIN, MEMBER, RIVAL, World, settled

GROUPS = {
    "p": ("Preguntar", "/ask"),
    "d": ("Documentos", "/knowledge-bases"),
    "a": ("Agentes", "/agents"),
    "s": ("Supervisión", "/attention"),
    "m": ("Administración", "/admin/users"),
}


async def test_times_are_those_of_the_visitor_from_the_first_page_on(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN, timezone_id="Pacific/Kiritimati")
    document = (
        await world.admin.get(f"/api/v1/knowledge-bases/{world.kb}/documents/{world.documents[0]}")
    ).json()
    created = datetime.fromisoformat(document["created_at"]).astimezone(ZoneInfo("Pacific/Kiritimati"))
    await page.get_by_role("navigation").locator("[data-go=d]").click()
    await page.locator(f'a[href="/es/knowledge-bases/{world.kb}"]').click()
    row = page.get_by_role("row").filter(has_text=document["name"])
    await expect(row).to_contain_text(f"{created.day} nov" if created.month == 11 else str(created.day))
    await expect(row).to_contain_text(f"{created.hour}:{created:%M}")


async def test_what_starts_to_wait_is_counted_without_a_reload(world: World, enter: "Enter") -> None:
    page = await _opened(world, enter, "/personal")
    badge = page.get_by_role("navigation").locator(".badge")
    before = int(await badge.inner_text()) if await badge.count() else 0
    answer = await world.admin.post(
        f"/api/v1/agents/{world.agent}/ask", json={"question": "quiero hablar con una persona"}
    )
    assert answer.json()["handoff"]
    await expect(badge).to_have_text(str(before + 1), timeout=40_000)
    await world.admin.delete(f"/api/v1/conversations/{answer.json()['conversation_id']}")


async def test_moving_between_pages_loads_no_document(world: World, enter: "Enter") -> None:
    page = await _opened(world, enter, "/knowledge-bases")
    loads: list[str] = []
    page.on("request", lambda one: loads.append(one.url) if one.resource_type == "document" else None)
    for key, (name, path) in GROUPS.items():
        group = page.get_by_role("navigation").locator(f"[data-go={key}]")
        await expect(group).to_contain_text(name)
        await group.click()
        await page.wait_for_url(f"**/es{path}")
        await expect(page.locator("h1")).to_be_visible()
    await page.go_back()
    await page.wait_for_url("**/es/attention")
    await expect(page.locator("h1")).to_be_visible()
    assert loads == []


@pytest.mark.parametrize("key", GROUPS)
async def test_each_group_is_reached_and_walked_by_keyboard_alone(
    world: World, enter: "Enter", key: str
) -> None:
    page = await _opened(world, enter, "/personal")
    await page.keyboard.press("g")
    await page.keyboard.press(key)
    await page.wait_for_url(f"**/es{GROUPS[key][1]}")
    await expect(page.locator("h1")).to_be_visible()
    await page.evaluate("document.activeElement.blur()")
    seen = await _tabbed(page, 40)
    assert len(seen) > 5, "the focus moves through the page"
    assert "" not in seen, "everything that takes the focus has a name"


async def test_the_palette_leads_to_pages_agents_and_conversations(world: World, enter: "Enter") -> None:
    page = await _opened(world, enter, "/knowledge-bases")
    await page.keyboard.press("Control+k")
    await page.get_by_label("Página, agente, base de conocimiento, documento o conversación").fill("registro")
    await expect(page.locator(".palette-item")).to_have_count(1)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/es/admin/audit")
    await page.keyboard.press("Control+k")
    await page.get_by_label("Página, agente, base de conocimiento, documento o conversación").fill("luna")
    await page.locator(".palette-item").filter(has_text="Luna").first.click()
    await page.wait_for_url(f"**/es/ask?agent={world.agent}")


async def test_the_palette_finds_documents_and_enter_opens_the_first(world: World, enter: "Enter") -> None:
    shown = await world.admin.get(f"/api/v1/knowledge-bases/{world.kb}/documents/{world.documents[0]}")
    name = shown.json()["title"] or shown.json()["name"]
    page = await _opened(world, enter, "/knowledge-bases")
    await page.keyboard.press("Control+k")
    field = page.get_by_label("Página, agente, base de conocimiento, documento o conversación")
    await field.fill(name.upper())
    first = page.locator(".palette-item").first
    await expect(first).to_contain_text(name)
    await expect(first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    await field.press("Enter")
    await page.wait_for_url(f"**/es/knowledge-bases/{world.kb}/documents/{world.documents[0]}")
    for stranger in (MEMBER, RIVAL):
        page = await enter(stranger)
        await page.goto(world.at("/personal"))
        await settled(page)
        await page.keyboard.press("Control+k")
        await page.get_by_label("Página, agente, base de conocimiento, documento o conversación").fill(name)
        await expect(page.get_by_text("No se encontró nada")).to_be_visible()


async def test_the_palette_offers_a_member_only_what_is_theirs(world: World, enter: "Enter") -> None:
    page = await enter(MEMBER)
    await page.goto(world.at("/personal"))
    await settled(page)
    await page.keyboard.press("Control+k")
    await page.get_by_label("Página, agente, base de conocimiento, documento o conversación").fill("usuarios")
    await expect(page.get_by_text("No se encontró nada")).to_be_visible()


async def test_shortcuts_are_shown(world: World, enter: "Enter") -> None:
    page = await _opened(world, enter, "/knowledge-bases")
    await page.keyboard.press("?")
    await expect(page.get_by_role("heading", name="Atajos de teclado")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("heading", name="Atajos de teclado")).to_be_hidden()


async def test_an_error_stands_in_the_dialog_at_its_field(world: World, enter: "Enter") -> None:
    page = await _opened(world, enter, "/admin/users")
    await page.get_by_role("button", name="Nuevo usuario").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Crear").click()
    await expect(dialog.locator("[role=alert]").filter(has_text=" ").first).to_be_visible()
    await expect(page.locator(".q-notification")).to_have_count(0)


async def _opened(world: World, enter: "Enter", path: str) -> Page:
    page = await enter(ADMIN)
    await page.goto(world.at(path))
    await expect(page.locator("h1")).to_be_visible()
    await settled(page)
    return page


_FOCUSED = """() => { const one = document.activeElement;
  if (!one || one === document.body) return null;
  const label = one.labels && one.labels[0] ? one.labels[0].innerText : '';
  return (one.getAttribute('aria-label') || label || one.innerText || one.title || one.placeholder || '').trim() }"""


async def _tabbed(page: Page, times: int) -> list[str]:
    """The names of what takes the focus one after the other."""
    names = []
    for _ in range(times):
        await page.keyboard.press("Tab")
        if (name := await page.evaluate(_FOCUSED)) is not None:
            names.append(name)
    return names
