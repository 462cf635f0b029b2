"""Signing in and out, cookies, users who come and go; and what the other company cannot do."""

import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door, Person
    from tests.support.people import NOBODY, acting, add_key, add_person, my_id, sign_in
else:
    from support.door import PASSWORD, Door, Person
    from support.people import NOBODY, acting, add_key, add_person, my_id, sign_in

LOGIN = {"email": "ana@acme.test", "password": PASSWORD}


async def status(person: Person, method: str, path: str, **more: object) -> int:
    """Only the status of an answer."""
    return (await person.send(method, path, **more)).status_code


# cookies


async def test_the_cookie_is_not_for_scripts_and_not_for_other_sites(door: Door) -> None:
    answer = await door.acme.send("POST", "/auth/login", json=LOGIN, headers=NOBODY)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/" in cookie
    assert "Secure" not in cookie, "on plain http the browser would drop it"
    door.http.cookies.clear()


async def test_behind_https_the_cookie_stays_on_https(settings: Settings, db: Database) -> None:
    secure = settings.model_copy(
        update={"public_url": "https://veraz.example", "embedding_model": "fake:hash@8"}
    )
    veraz = assemble(secure, db)
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    transport = httpx.ASGITransport(create_app(veraz))
    async with httpx.AsyncClient(transport=transport, base_url="https://veraz.example") as http:
        answer = await http.post("/api/v1/auth/login", json=LOGIN)
    assert "Secure" in answer.headers["set-cookie"]


async def test_a_page_of_another_site_cannot_use_the_cookie(door: Door) -> None:
    signed_in = await door.acme.send("POST", "/auth/login", json=LOGIN, headers=NOBODY)
    door.http.cookies.clear()
    cookie = {"Cookie": f"veraz_session={signed_in.json()['access_token']}", "Authorization": ""}
    new = {"json": {"name": "Forged"}}
    assert await status(door.acme, "GET", "/me", headers=cookie) == 200
    for origin in ("https://evil.example", "http://veraz.test.evil.example", "null", "http://veraz.test:81"):
        assert await status(door.acme, "POST", "/projects", headers=cookie | {"Origin": origin}, **new) == 403
    assert await status(door.acme, "POST", "/projects", headers=cookie, **new) == 403, "a browser always says"
    ours = cookie | {"Origin": "http://veraz.test"}
    assert await status(door.acme, "POST", "/projects", headers=ours, **new) == 201


async def test_signing_out_ends_the_session_at_once(door: Door) -> None:
    ana = await sign_in(door.acme, "ana@acme.test")
    await ana.call("POST", "/auth/logout", 204)
    answer = await ana.send("GET", "/me")
    assert (answer.status_code, answer.json()["code"]) == (401, "session_expired")
    assert await status(door.acme, "GET", "/me") == 200, "other sessions of the same person go on"


# guessing


async def test_guessing_passwords_becomes_slow(settings: Settings, db: Database) -> None:
    strict = settings.model_copy(update={"login_attempts_per_minute": 3, "embedding_model": "fake:hash@8"})
    transport = httpx.ASGITransport(create_app(assemble(strict, db)))
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test/api/v1") as http:
        wrong = {"email": "ana@acme.test", "password": "wrong"}
        answers = [await http.post("/auth/login", json=wrong) for _ in range(4)]
    assert [a.status_code for a in answers] == [401, 401, 401, 429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_a_wrong_password_and_an_unknown_user_look_the_same(door: Door) -> None:
    bodies = []
    for email in ("ana@acme.test", "nobody@acme.test"):
        answer = await door.acme.send(
            "POST", "/auth/login", json={"email": email, "password": "wrong"}, headers=NOBODY
        )
        assert answer.status_code == 401
        bodies.append({k: v for k, v in answer.json().items() if k != "request_id"})
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Bearer vzs_unknown", "Bearer vzk_unknown", "Basic YTpi", "Bearer"]
)
async def test_a_secret_nobody_gave_out_is_nobody(door: Door, header: str) -> None:
    assert await status(door.acme, "GET", "/me", headers={"Authorization": header}) == 401


async def test_no_secret_reaches_the_database_in_the_clear(door: Door, owner: Connection[TupleRow]) -> None:
    key = await add_key(door.acme, "read")
    secrets = [p.headers["Authorization"].removeprefix("Bearer ") for p in (door.acme, key)]
    for table in ("session", "api_key", "app_user", "audit_entry"):
        rows = owner.execute(f"select t::text from veraz.{table} t".encode()).fetchall()
        text = "\n".join(str(row[0]) for row in rows)
        assert not [secret for secret in (*secrets, PASSWORD) if secret in text]


# people who come and go


async def test_a_disabled_user_is_out_at_once_and_can_come_back(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    key = await add_key(eva, "read")
    path = f"/users/{await my_id(eva)}"
    await door.acme.call("PATCH", path, 200, json={"disabled": True})
    assert await status(eva, "GET", "/me") == 401
    assert await status(key, "GET", "/me") == 401
    body = {"email": "eva@acme.test", "password": PASSWORD}
    assert await status(door.acme, "POST", "/auth/login", json=body, headers=NOBODY) == 401
    await door.acme.call("PATCH", path, 200, json={"disabled": False})
    assert await status(await sign_in(door.acme, "eva@acme.test"), "GET", "/me") == 200
    assert await status(eva, "GET", "/me") == 401, "the old session stays ended"


async def test_a_disabled_end_user_is_out_too(door: Door) -> None:
    ben = acting(await add_key(door.acme, "ask"), user="ben")
    path = f"/users/{await my_id(ben)}"
    await door.acme.call("PATCH", path, 200, json={"disabled": True})
    assert await status(ben, "GET", "/me") == 403


async def test_a_new_password_ends_every_other_session(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    other = await sign_in(door.acme, "eva@acme.test")
    new = {"current_password": PASSWORD, "new_password": "otra frase distinta"}
    await eva.call("POST", "/me/password", 204, json=new)
    assert await status(eva, "GET", "/me") == 200, "who changed it stays"
    assert await status(other, "GET", "/me") == 401
    old = {"email": "eva@acme.test", "password": PASSWORD}
    assert await status(door.acme, "POST", "/auth/login", json=old, headers=NOBODY) == 401
    await sign_in(door.acme, "eva@acme.test", "otra frase distinta")


async def test_a_short_password_is_refused(door: Door) -> None:
    body = {"email": "eva@acme.test", "password": "1234567"}
    answer = await door.acme.send("POST", "/users", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "weak_password")


async def test_members_change_themselves_but_not_their_role(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    path = f"/users/{await my_id(eva)}"
    await eva.call("PATCH", path, 200, json={"display_name": "Eva", "language": "en"})
    for change in ({"role": "admin"}, {"disabled": True}):
        assert await status(eva, "PATCH", path, json=change) == 403
    assert await status(eva, "DELETE", path) == 403
    assert await status(eva, "POST", "/users", json={"email": "x@y.z", "password": PASSWORD}) == 403


async def test_the_last_admin_stays(door: Door) -> None:
    path = f"/users/{await my_id(door.rival)}"
    for change in ({"role": "member"}, {"disabled": True}):
        answer = await door.rival.send("PATCH", path, json=change)
        assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")
    assert await status(door.rival, "DELETE", path) == 409
    await add_person(door.rival, "second@rival.test", role="admin")
    await door.rival.call("PATCH", path, 200, json={"role": "member"})


async def test_two_admins_who_leave_at_the_same_time_do_not_both_leave(door: Door) -> None:
    second = await add_person(door.rival, "second@rival.test", role="admin")
    ids = [await my_id(door.rival), await my_id(second)]
    answers = await asyncio.gather(
        door.rival.send("PATCH", f"/users/{ids[0]}", json={"role": "member"}),
        second.send("PATCH", f"/users/{ids[1]}", json={"role": "member"}),
    )
    assert sorted(a.status_code for a in answers) == [200, 409]


async def test_an_admin_of_the_tenant_does_not_reach_the_platforms_admin(door: Door) -> None:
    """Resetting that password would be taking the platform."""
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    path = f"/users/{await my_id(door.acme)}"
    assert (await deputy.call("GET", path, 200))["is_platform_admin"]
    for change in ({"disabled": True}, {"role": "member"}):
        assert await status(deputy, "PATCH", path, json=change) == 403
    assert await status(deputy, "POST", f"{path}/password-link") == 403
    assert await status(deputy, "DELETE", path) == 403
    assert await status(deputy, "GET", "/tenants") == 403


async def test_the_other_company_cannot(door: Door) -> None:
    eva = await my_id(await add_person(door.acme, "eva@acme.test"))
    for method, body in (
        ("GET", None),
        ("PATCH", {"disabled": True}),
        ("DELETE", None),
    ):
        assert await status(door.rival, method, f"/users/{eva}", json=body) == 404
    assert await status(door.rival, "POST", f"/users/{eva}/password-link") == 404
    users = await door.rival.call("GET", "/users", 200)
    assert [u["email"] for u in users["items"]] == ["raul@rival.test"]
    tenant = door.acme.tenant_id
    assert await status(door.rival, "PATCH", f"/tenants/{tenant}", json={"name": "Mine"}) == 404
    assert await status(door.rival, "POST", f"/tenants/{tenant}/credits", json={"credits": 5}) == 404
