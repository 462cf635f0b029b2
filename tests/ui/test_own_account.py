"""Choosing a password on the pages, and one's own account; as a browser without JavaScript sees them."""

import re
from typing import TYPE_CHECKING

import httpx

from veraz.tenancy.users import NewUser
from veraz.ui.own_account import device_words

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import PASSWORD, Pages
else:
    from support.door import welcome
    from ui.conftest import PASSWORD, Pages

NEW = "otra frase distinta"
OURS = {"Origin": "http://veraz.test"}


async def post(pages: Pages, path: str, **form: str) -> httpx.Response:
    """A form of ours."""
    return await pages.http.post(f"/es/{path}", data=form, headers=OURS)


async def test_an_invitation_becomes_a_password_and_the_password_a_sign_in(pages: Pages) -> None:
    link = await pages.veraz.password_links.invite(pages.admin, NewUser(email="eva@acme.test"))
    assert link.address("http://veraz.test") == f"http://veraz.test/es/password#{link.token}"
    page = (await pages.http.get("/es/password")).text
    assert "Elija su contraseña" in page and "history.replaceState" in page
    for password, words in (("contraseña1", "de las primeras que otros"), ("corta", "demasiado corta")):
        refused = await post(pages, "password", token=link.token, password=password)
        assert words in (await pages.http.get(refused.headers["location"])).text
        assert link.token not in refused.headers["location"]
    chosen = await post(pages, "password", token=link.token, password=NEW)
    assert chosen.headers["location"] == "/es/login?reason=chosen"
    form = (await pages.http.get("/es/login?reason=chosen")).text
    assert "Su contraseña está lista" in form and "eva@acme.test" in form
    await pages.sign_in("eva@acme.test", password=NEW)
    assert (await pages.http.get("/es/account")).status_code == 200
    again = await post(pages, "password", token=link.token, password=NEW)
    assert "ya se usó" in (await pages.http.get(again.headers["location"])).text


async def test_a_password_of_somebody_elses_leads_to_a_new_one_before_any_page(pages: Pages) -> None:
    await pages.veraz.users.add(
        pages.admin, NewUser(email="eva@acme.test", password=PASSWORD, must_change_password=True)
    )
    await pages.sign_in("eva@acme.test")
    led = await pages.http.get("/es/knowledge-bases")
    assert led.headers["location"] == "/es/password/own?next=%2Fes%2Fknowledge-bases"
    assert "Otra persona eligió" in (await pages.http.get(led.headers["location"])).text
    wrong = await post(pages, "password/own", current="no es", password=NEW, next="/es/knowledge-bases")
    assert "no es correcta" in (await pages.http.get(wrong.headers["location"])).text
    right = await post(pages, "password/own", current=PASSWORD, password=NEW, next="/es/knowledge-bases")
    assert right.headers["location"] == "/es/knowledge-bases"
    assert (await pages.http.get("/es/knowledge-bases")).status_code == 200


async def test_the_forms_take_nothing_from_other_sites(pages: Pages) -> None:
    for path in ("password", "password/own"):
        answer = await pages.http.post(
            f"/es/{path}", data={"password": NEW}, headers={"Origin": "http://evil.test"}
        )
        assert answer.status_code == 403


async def test_the_account_shows_the_sessions_of_its_owner_and_of_nobody_else(pages: Pages) -> None:
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    pages.http.headers["User-Agent"] = firefox
    await pages.sign_in()
    page = (await pages.http.get("/es/account")).text
    assert "Firefox · Linux" in page and "Esta sesión" in page and "Cambiar la contraseña" in page
    await pages.http.post("/es/logout", headers=OURS)
    pages.http.headers["User-Agent"] = "curl/8"
    await pages.sign_in("raul@rival.test")
    assert "Firefox" not in (await pages.http.get("/es/account")).text


def test_devices_are_named_shortly() -> None:
    edge = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/143.0 Safari/537.36 Edg/143.0"
    assert [device_words(one) for one in (edge, "curl/8.5.0", "")] == ["Edge · Windows", "curl/8.5.0", ""]


async def test_who_works_in_two_companies_chooses_one(pages: Pages) -> None:
    for admin in (pages.admin, pages.rival):
        await welcome(pages.veraz, admin, NewUser(email="eva@both.test"))
    asked = await pages.sign_in("eva@both.test")
    assert asked.headers["location"] == "/es/login?reason=company"
    form = (await pages.http.get(asked.headers["location"])).text
    assert "elija una y escriba" in form and "Rival" in form
    chosen = await post(
        pages, "login", email="eva@both.test", password=PASSWORD, tenant=str(pages.rival.tenant_id)
    )
    assert chosen.headers["location"] == "/es/"
    assert not re.search("Rival", (await post(pages, "login", email="eva@both.test", password="x")).text)


async def test_no_link_of_my_account_leads_nowhere(pages: Pages) -> None:
    await pages.sign_in()
    page = (await pages.http.get("/es/account")).text
    for path in set(re.findall(r"/es/account[/a-z-]*", page)):
        assert (await pages.http.get(path)).status_code == 200, path
