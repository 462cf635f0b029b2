"""People choose their own password by a link, and see in «Mi cuenta» where they are signed in."""

import re
from typing import TYPE_CHECKING

from playwright.async_api import Browser, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Enter
    from tests.support.browser import ADMIN, PASSWORD, World, barriers, choose_password, settled, sign_in
else:
    from support.browser import ADMIN, PASSWORD, World, barriers, choose_password, settled, sign_in

NEXT_PASSWORD = "farol mandarina puente"


async def test_who_is_invited_chooses_a_password_by_the_link(
    world: World, enter: "Enter", browser: Browser
) -> None:
    page = await enter(ADMIN)
    await page.goto(world.at("/admin/users"))
    await page.get_by_role("button", name="Nuevo usuario").click()
    await page.get_by_role("dialog").get_by_label("Nombre").fill("Inés Vidal")
    await page.get_by_role("dialog").get_by_label("Correo").fill("ines@acme.test")
    await page.get_by_role("button", name="Crear").click()
    await expect(page.get_by_role("dialog", name="Invitación para ines@acme.test")).to_be_visible()
    await settled(page)
    assert await barriers(page) == []
    link = await page.locator(".secret").inner_text()
    assert "/es/password#" in link
    assert link.startswith(world.url)

    guest = await (await browser.new_context()).new_page()
    asked: list[str] = []
    guest.on("request", lambda one: asked.append(one.url))
    await guest.goto(link)
    await expect(guest.locator("h1")).to_have_text("Elija su contraseña")
    assert guest.url == world.at("/password")
    await settled(guest)
    assert await barriers(guest) == []
    await _choose(guest, "1234567")
    await expect(guest.get_by_role("alert")).to_contain_text("demasiado corta")
    await _choose(guest, "password123")
    await expect(guest.get_by_role("alert")).to_contain_text("de las primeras que otros probarían")
    await _choose(guest, NEXT_PASSWORD)
    await expect(guest.get_by_role("alert")).to_contain_text("Su contraseña está lista")
    await expect(guest.get_by_label("Correo")).to_have_value("ines@acme.test")
    await guest.get_by_label("Contraseña").fill(NEXT_PASSWORD)
    await guest.get_by_role("button", name="Entrar").click()
    await expect(guest.locator("h1")).to_have_text("Preguntar")
    assert not [address for address in asked if link.partition("#")[2] in address]

    late = await (await browser.new_context()).new_page()
    await late.goto(link)
    await _choose(late, PASSWORD)
    await expect(late.get_by_role("alert")).to_contain_text("Este enlace ya se usó")
    await guest.context.close()
    await late.context.close()


async def test_the_password_that_another_chose_is_replaced_before_anything_else(
    world: World, browser: Browser
) -> None:
    given = {
        "email": "omar@acme.test",
        "display_name": "Omar",
        "password": PASSWORD,
        "must_change_password": True,
    }
    answer = await world.admin.post("/api/v1/users", json=given)
    assert answer.status_code == 201, answer.text
    page = await sign_in(await browser.new_context(), world.url, "omar@acme.test")
    await expect(page.locator("h1")).to_have_text("Elija su contraseña")
    await settled(page)
    assert await barriers(page) == []
    await page.get_by_label("Contraseña actual").fill(PASSWORD)
    await page.get_by_label("Contraseña nueva").fill(NEXT_PASSWORD)
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.locator("h1")).to_have_text("Preguntar")
    await page.context.close()


async def test_one_ends_a_session_and_changes_ones_own_password(world: World, browser: Browser) -> None:
    await _invited(world, "eva@acme.test")
    page = await sign_in(await browser.new_context(), world.url, "eva@acme.test")
    other = await sign_in(await browser.new_context(), world.url, "eva@acme.test")
    third = await sign_in(await browser.new_context(), world.url, "eva@acme.test")

    await page.goto(world.at("/account"))
    await expect(page.get_by_text("Esta sesión")).to_have_count(1)
    ends = page.get_by_role("button", name=re.compile("^Terminar"))
    await expect(ends).to_have_count(2 + 1)  # and «todas las demás»
    await settled(page)
    assert await barriers(page) == []
    await page.get_by_role("button", name="Terminar todas las demás").click()
    await page.get_by_role("dialog").get_by_role("button", name="Terminar", exact=True).click()
    await expect(ends).to_have_count(0)
    await other.goto(world.at("/personal"))
    await expect(other.get_by_role("button", name="Entrar")).to_be_visible()

    await third.goto(world.at("/login"))
    await _enter(third, PASSWORD)
    await page.get_by_label("Contraseña actual").fill("no es esta")
    await page.get_by_label("Contraseña nueva").fill(NEXT_PASSWORD)
    await page.get_by_role("button", name="Cambiar la contraseña").click()
    await expect(page.get_by_text("No es su contraseña")).to_be_visible()
    await page.get_by_label("Contraseña actual").fill(PASSWORD)
    await page.get_by_label("Contraseña nueva").fill("password123")
    await page.get_by_role("button", name="Cambiar la contraseña").click()
    await expect(page.get_by_text("de las primeras que otros probarían")).to_be_visible()
    await page.get_by_label("Contraseña nueva").fill(NEXT_PASSWORD)
    await page.get_by_role("button", name="Cambiar la contraseña").click()
    await expect(page.get_by_text("Su contraseña cambió")).to_be_visible()
    await page.reload()
    await expect(page.locator("h1")).to_have_text("Mi cuenta")
    await third.goto(world.at("/personal"))
    await _enter(third, NEXT_PASSWORD)
    await expect(third.locator("h1")).to_be_visible()
    for one in (page, other, third):
        await one.context.close()


async def _invited(world: World, email: str) -> None:
    """A user who chose their password."""
    user = (await world.admin.post("/api/v1/users", json={"email": email, "display_name": "Eva"})).json()
    await choose_password(world.url, user["invitation"]["url"])


async def _choose(page: Page, password: str) -> None:
    """Types into the form and sends it."""
    await page.get_by_label("Contraseña nueva").fill(password)
    async with page.expect_navigation():
        await page.get_by_role("button", name="Guardar").click()


async def _enter(page: Page, password: str) -> None:
    """Signs Eva in."""
    await page.get_by_label("Correo").fill("eva@acme.test")
    await page.get_by_label("Contraseña").fill(password)
    await page.get_by_role("button", name="Entrar").click()
    await page.wait_for_url(lambda there: "/login" not in there)
