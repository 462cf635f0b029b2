"""The pages about signing in: one's own second step, the tenant's rules, the button of the sign-in page."""

import json
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import uuid4

import pytest

from veraz import errors
from veraz.sso.model import ProviderChange
from veraz.tenancy.users import NewUser

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import PASSWORD, Pages
else:
    from support.door import welcome
    from ui.conftest import PASSWORD, Pages

NEW = ProviderChange(name="Acme SSO", issuer="https://login.acme.example", client_id="veraz")


async def test_everybody_finds_their_second_step(pages: Pages) -> None:
    await pages.sign_in()
    assert "Usted entra solo con su contraseña." in (await pages.http.get("/es/account")).text


async def test_an_admin_finds_rule_and_providers(pages: Pages) -> None:
    await pages.veraz.identity_providers.create(pages.admin, NEW)
    await pages.sign_in()
    page = (await pages.http.get("/es/admin/sign-in")).text
    assert "Segundo paso para" in page and "https://login.acme.example" in page


async def test_a_member_finds_no_rules(pages: Pages) -> None:
    await welcome(pages.veraz, pages.admin, NewUser(email="eva@acme.test"))
    await pages.sign_in("eva@acme.test")
    assert "Segundo paso para" not in (await pages.http.get("/es/admin/sign-in")).text
    eva = (await pages.veraz.sign_in.login("eva@acme.test", PASSWORD)).actor
    with pytest.raises(errors.Forbidden):
        await pages.veraz.identity_providers.all(eva)


async def test_the_sign_in_page_shows_only_providers_that_are_listed(pages: Pages) -> None:
    made = await pages.veraz.identity_providers.create(pages.admin, NEW)
    assert "Acme SSO" not in (await pages.http.get("/es/login")).text
    await pages.veraz.identity_providers.change(pages.admin, made.id, ProviderChange(listed=True))
    page = (await pages.http.get("/es/login?next=/es/agents")).text
    assert "Entrar con Acme SSO" in page
    assert f"/auth/sso/{made.id}?language=es" in page


async def test_the_page_after_signing_out_offers_the_way_out_of_the_provider(pages: Pages) -> None:
    made = await pages.veraz.identity_providers.create(pages.admin, NEW)
    page = (await pages.http.get(f"/es/login?reason=out&provider={made.id}")).text
    assert "Salir también de Acme SSO" in page


@pytest.mark.parametrize(
    ("told", "most"),
    [("[" * 3_000, 0), (json.dumps({str(uuid4()): "x" * 10 for _ in range(80)}), 12), ('{"a": 1}', 0)],
)
async def test_the_cookie_of_companies_makes_no_long_list(pages: Pages, told: str, most: int) -> None:
    page = await pages.http.get("/es/login", headers={"Cookie": f"veraz_companies={quote(told, safe='[')}"})
    assert page.status_code == 200
    assert page.text.count('"tag":"option"') == most
