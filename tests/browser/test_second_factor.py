"""Somebody sets up a second step in a browser, keeps the recovery codes, and signs in with a code."""

import re
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Browser, Page, expect
from pyotp.totp import TOTP

if TYPE_CHECKING:
    from tests.support.browser import (
        ADMIN,
        PASSWORD,
        barriers,
        choose_password,
        running_veraz,
        settled,
        sign_in,
        signed_in,
    )
else:
    from support.browser import (
        ADMIN,
        PASSWORD,
        barriers,
        choose_password,
        running_veraz,
        settled,
        sign_in,
        signed_in,
    )

OTHER = "olga@acme.test"


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A Veraz of this test's own: afterwards its administrator needs a code."""
    with tempfile.TemporaryDirectory(prefix="veraz-factor-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        async with running_veraz(Path(home)) as running:
            yield running


async def test_a_second_step_is_set_up_and_asked_for(url: str, browser: Browser) -> None:
    await _invite(url, OTHER)
    page = await sign_in(await browser.new_context(), url, ADMIN)
    secret, recovery = await set_up(page, url)
    await page.goto(f"{url}/es/admin/sign-in")
    await page.get_by_label("Segundo paso para").click()
    await page.get_by_role("option", name="Administradores y gestores").click()
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.locator(".q-notification")).to_contain_text("Guardado")
    assert await barriers(page) == []

    fresh = await (await browser.new_context()).new_page()
    await first_step(fresh, url)
    await expect(fresh.locator("h1")).to_have_text("Un paso más")
    assert await barriers(fresh) == []
    await fresh.get_by_label("Código").fill("000000")
    await fresh.get_by_role("button", name="Continuar").click()
    await expect(fresh.get_by_role("alert")).to_contain_text("El código no es correcto")
    await fresh.get_by_label("Código").fill(recovery)
    await fresh.get_by_role("button", name="Continuar").click()
    await expect(fresh.locator("h1")).to_contain_text("Veraz")
    assert TOTP(secret).now()

    other = await (await browser.new_context()).new_page()
    await first_step(other, url, OTHER)
    await enrol(other)
    await other.goto(f"{url}/es/account")
    await expect(other.get_by_text("Códigos de recuperación disponibles: 10")).to_be_visible()


async def set_up(page: Page, url: str) -> tuple[str, str]:
    """The secret and one recovery code."""
    await page.goto(f"{url}/es/account")
    await page.get_by_role("button", name="Configurar una aplicación de autenticación").click()
    await page.get_by_role("dialog").get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Continuar").click()
    await expect(page.get_by_role("img", name="Código QR")).to_be_visible()
    await settled(page)
    assert await barriers(page) == []
    secret = (await page.locator(".secret").inner_text()).replace(" ", "")
    await page.get_by_label("Código que muestra ahora la aplicación").fill(TOTP(secret).at(int(time.time())))
    await page.get_by_role("button", name="Confirmar").click()
    codes = page.locator(".secret").last
    await expect(codes).to_have_text(re.compile(r"(?:[a-z2-7]{6}-){3}[a-z2-7]{6}"))
    code = (await codes.inner_text()).split()[0]
    await page.get_by_role("button", name="Ya los guardé").click()
    await expect(page.get_by_text("Códigos de recuperación disponibles: 10")).to_be_visible()
    return secret, code


async def enrol(page: Page) -> None:
    """Sets up, before anything else, the second step that the organization asks for."""
    await expect(page.locator("h1")).to_have_text("Proteja su cuenta")
    await settled(page)
    assert await barriers(page) == []
    secret = (await page.locator(".secret").inner_text()).replace(" ", "")
    await page.get_by_role("textbox", name="Código").fill(TOTP(secret).at(int(time.time())))
    await page.get_by_role("button", name="Continuar").click()
    await expect(page.locator("h1")).to_have_text("Guarde sus códigos de recuperación")
    await settled(page)
    assert await barriers(page) == []
    await page.get_by_role("button", name="Ya los guardé").click()
    await expect(page.locator("h1")).to_contain_text("Veraz")


async def _invite(url: str, email: str) -> None:
    """Another administrator, who chose a password."""
    admin = await signed_in(url, ADMIN)
    user = (await admin.post("/api/v1/users", json={"email": email, "role": "admin"})).json()
    await choose_password(url, user["invitation"]["url"])
    await admin.aclose()


async def first_step(page: Page, url: str, email: str = ADMIN) -> None:
    """E-mail and password."""
    await page.goto(f"{url}/es/login")
    await page.get_by_label("Correo").fill(email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar").click()
