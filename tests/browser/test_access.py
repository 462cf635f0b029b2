"""Every page can be used with a keyboard and a screen reader, in the light and in the dark."""

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, World, addresses, barriers, settled
else:
    from support.browser import ADMIN, World, addresses, barriers, settled

OPENERS = [
    ("/admin/users", "Nuevo usuario"),
    ("/admin/keys", "Nueva clave"),
    ("/admin/projects", "Nuevo proyecto"),
    ("/admin/webhooks", "Nuevo webhook"),
    ("/admin/tenants", "Nueva organización"),
    ("/knowledge-bases", "Mi cuenta"),
    ("/knowledge-bases", "Buscar o ir a…"),
]
"""Pages with a button that opens a dialog or a menu."""
_WIDE = """() => [document.documentElement, ...document.querySelectorAll(".q-table__middle")]
  .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => `${one.className}: ${one.scrollWidth}`)"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_no_page_has_a_barrier(world: World, enter: "Enter", dark: bool) -> None:
    page = await enter(ADMIN, color_scheme="dark" if dark else "light")
    found = {}
    for path in addresses(world).values():
        await page.goto(world.at(path))
        await expect(page.locator("h1")).to_be_visible()
        await settled(page)
        if barred := await barriers(page):
            found[path] = barred
    assert found == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_no_dialog_menu_or_toast_has_a_barrier(world: World, enter: "Enter", dark: bool) -> None:
    page = await enter(ADMIN, color_scheme="dark" if dark else "light")
    found = {}
    for path, button in OPENERS:
        await page.goto(world.at(path))
        await expect(page.locator("h1")).to_be_visible()
        await settled(page)
        await page.get_by_role("button", name=button, exact=True).first.click()
        await expect(page.locator(".q-dialog, .q-menu").first).to_be_visible()
        await settled(page)
        if barred := await barriers(page):
            found[f"{path} {button}"] = barred
    await page.goto(world.at("/admin/users"))
    await page.get_by_role("button", name="Editar").first.click()
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.locator(".q-notification")).to_be_visible()
    await settled(page)
    if barred := await barriers(page):
        found["toast"] = barred
    assert found == {}


async def test_no_page_is_wider_than_a_phone(world: World, enter: "Enter") -> None:
    licence = {"machine_id": "PC-RECEPCION-01", "user_name": "Laura"}
    await world.admin.post("/api/v1/licences", json=licence)
    note = {"file": ("horario.txt", b"La recepcion abre a las 8:30.")}
    await world.admin.post("/functions/v1/ingest-file", files=note)
    page = await enter(ADMIN, viewport={"width": 390, "height": 844})
    found = {}
    for path in addresses(world).values():
        await page.goto(world.at(path))
        await expect(page.locator("h1")).to_be_visible()
        await settled(page)
        if wide := await page.evaluate(_WIDE):
            found[path] = wide
    assert found == {}


async def test_the_keyboard_alone_signs_in(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/knowledge-bases"))
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Saltar al contenido")).to_be_focused()


async def test_the_sign_in_page_has_no_barrier(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.context.clear_cookies()
    await page.goto(world.at("/login?reason=wrong"))
    await expect(page.locator("h1")).to_be_visible()
    await settled(page)
    assert await barriers(page) == []


async def test_an_icon_the_font_does_not_know_is_noticed(world: World, enter: "Enter") -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/agents"))
    await settled(page)
    await page.locator(".q-icon.material-icons").first.evaluate("icon => icon.textContent = 'no_such_icon'")
    assert await barriers(page) == ["no icon, but letters: no_such_icon"]
