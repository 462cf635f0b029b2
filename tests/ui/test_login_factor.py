"""The pages of the second step: a code, setting up an app, recovery codes once; as a browser without JavaScript sees them."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest
from pyotp.totp import TOTP

from veraz.tenancy import totp

if TYPE_CHECKING:
    from tests.ui.conftest import PASSWORD, Pages
else:
    from ui.conftest import PASSWORD, Pages

NOW = 1_900_000_000.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totp, "time", lambda: NOW)


async def with_factor(pages: Pages) -> tuple[str, list[str]]:
    """The admin has a second factor."""
    session = await pages.veraz.sign_in.login("ana@acme.test", PASSWORD)
    made = await pages.veraz.second_factor.begin(session.actor, account="ana", password=PASSWORD)
    code = TOTP(made.secret).at(int(NOW - 30))
    return made.secret, await pages.veraz.second_factor.confirm(
        session.actor, code, session_token=session.token
    )


async def post(pages: Pages, page: str, **form: str) -> httpx.Response:
    return await pages.http.post(f"/es/login/{page}", data=form, headers={"Origin": "http://veraz.test"})


async def test_the_password_leads_to_the_code_and_the_code_to_the_page_that_was_wanted(pages: Pages) -> None:
    secret, _ = await with_factor(pages)
    first = await pages.sign_in(next="/es/knowledge-bases")
    assert first.headers["location"] == "/es/login/code?next=%2Fes%2Fknowledge-bases"
    assert "veraz_session" not in pages.http.cookies
    assert "Un paso más" in (await pages.http.get(first.headers["location"])).text
    wrong = await post(pages, "code", code="000000", next="/es/knowledge-bases")
    assert wrong.headers["location"] == "/es/login/code?reason=code&next=%2Fes%2Fknowledge-bases"
    assert "El código no es correcto" in (await pages.http.get(wrong.headers["location"])).text
    right = await post(pages, "code", code=TOTP(secret).at(int(NOW)), next="/es/knowledge-bases")
    assert right.headers["location"] == "/es/knowledge-bases"
    assert "veraz_session" in pages.http.cookies and "veraz_challenge" not in pages.http.cookies


async def test_half_a_sign_in_sees_no_page(pages: Pages) -> None:
    await with_factor(pages)
    await pages.sign_in()
    assert (await pages.http.get("/es/knowledge-bases")).headers["location"].startswith("/es/login?next=")


async def test_nobody_is_led_to_another_site_after_the_second_step(pages: Pages) -> None:
    secret, _ = await with_factor(pages)
    await pages.sign_in()
    answer = await post(pages, "code", code=TOTP(secret).at(int(NOW)), next="//evil.example/")
    assert answer.headers["location"] == "/es/"


async def test_a_form_of_another_site_is_refused(pages: Pages) -> None:
    await with_factor(pages)
    await pages.sign_in()
    answer = await pages.http.post(
        "/es/login/code", data={"code": "000000"}, headers={"Origin": "http://evil.example"}
    )
    assert answer.status_code == 403


async def test_without_a_sign_in_there_is_no_second_step(pages: Pages) -> None:
    assert (await post(pages, "code", code="000000")).headers["location"] == "/es/login?reason=late"
    assert (await pages.http.get("/es/login/enrolment")).headers["location"] == "/es/login?reason=late"
    assert (await pages.http.get("/es/login/recovery")).headers["location"] == "/es/"


async def test_who_must_sets_an_app_up_and_sees_the_recovery_codes(pages: Pages) -> None:
    operator = await pages.veraz.tenants.operator()
    await pages.veraz.second_factor.set_rule(operator, "rights")
    first = await pages.sign_in()
    assert first.headers["location"] == "/es/login/enrolment"
    page = (await pages.http.get("/es/login/enrolment")).text
    assert "svg" in page and "Código QR" in page
    found = re.search(r"((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})", page)
    assert found
    assert found[1] in (await pages.http.get("/es/login/enrolment")).text, "the same one after a wrong code"
    code = TOTP(found[1].replace(" ", "")).at(int(NOW))
    answer = await post(pages, "enrolment", code=code)
    assert answer.headers["location"] == "/es/login/recovery"
    shown = (await pages.http.get("/es/login/recovery")).text
    codes = set(re.findall(r"[a-z2-7]{6}(?:-[a-z2-7]{6}){3}", shown))
    assert len(codes) == 10
    assert (await pages.http.get("/es/knowledge-bases")).status_code == 200
    cookie = next(c for c in pages.http.cookies.jar if c.name == "veraz_recovery")
    assert not [code for code in codes if code in (cookie.value or "")], "sealed on its way"
