"""One person in several companies, what a refusal tells, and what an injected statement reaches."""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.access import LOGIN_ROLES
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.settings import Settings
from veraz.tenancy import tokens
from veraz.tenancy.model import Device

if TYPE_CHECKING:
    from tests.support.access import ACCESS, act_as
    from tests.support.door import PASSWORD, Door, open_door
    from tests.support.people import NOBODY, add_person, choose_password, my_id, sign_in
else:
    from support.access import ACCESS, act_as
    from support.door import PASSWORD, Door, open_door
    from support.people import NOBODY, add_person, choose_password, my_id, sign_in

OTHER_PASSWORD = "otra frase distinta"


def body(password: str = PASSWORD, **more: str) -> dict[str, str]:
    """A sign-in of Eva."""
    return {"email": "eva@both.test", "password": password, **more}


# one person, several companies


@pytest.fixture
async def strict(door_settings: Settings, db: Database) -> AsyncIterator[Door]:
    """An application where strange devices may guess three times an hour."""
    async with open_door(door_settings.model_copy(update={"login_failures_per_hour": 3}), db) as opened:
        yield opened


async def test_who_is_known_in_one_company_guesses_as_a_stranger_at_the_others(strict: Door) -> None:
    """An admin may add anybody's e-mail, with a password of their own: that makes their device known to no other company."""
    owner = await add_person(strict.acme, "eva@both.test")
    await add_person(strict.rival, "eva@both.test", password=OTHER_PASSWORD)
    strict.http.cookies.clear()
    mine = await strict.rival.send("POST", "/auth/login", json=body(OTHER_PASSWORD), headers=NOBODY)
    assert mine.status_code == 200 and strict.http.cookies.get("veraz_device")
    guesses = [await status(strict, body(f"guess {number}")) for number in range(5)]
    assert guesses == [401, 401, 401, 429, 429]
    assert await status(strict, body()) == 429, "the right one tells no more"
    assert await status(strict, body(OTHER_PASSWORD)) == 200, "where the device is known it goes on"
    assert (await owner.send("GET", "/me")).status_code == 200


async def status(door: Door, sent: dict[str, str]) -> int:
    """What a sign-in answers, with the device's cookie."""
    return (await door.acme.send("POST", "/auth/login", json=sent, headers=NOBODY)).status_code


async def test_a_device_is_known_by_the_password_there_is_and_not_by_the_one_before(strict: Door) -> None:
    eva = await add_person(strict.acme, "eva@both.test")
    await strict.acme.send("POST", "/auth/login", json=body(), headers=NOBODY)
    mark = {"Cookie": f"veraz_device={strict.http.cookies['veraz_device']}"}
    strict.http.cookies.clear()
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    await eva.call("POST", "/me/password", 204, json=change)
    assert [await status(strict, body(f"guess {number}")) for number in range(4)] == [401, 401, 401, 429]
    old = await strict.acme.send("POST", "/auth/login", json=body("guess"), headers=NOBODY | mark)
    assert old.status_code == 429, "whoever has the old mark guesses as a stranger"


async def test_who_guesses_from_one_network_keeps_the_owner_out_nowhere_else(strict: Door) -> None:
    await add_person(strict.acme, "eva@both.test")
    sign_in = strict.veraz.sign_in
    for place in range(3):
        with pytest.raises(errors.WrongCredentials):
            await sign_in.login("eva@both.test", "wrong", device=Device(address=f"198.51.100.{place}"))
    with pytest.raises(errors.RateLimited):
        await sign_in.login("eva@both.test", PASSWORD, device=Device(address="198.51.100.9"))
    for _ in range(5):
        assert await sign_in.login("eva@both.test", PASSWORD, device=Device(address="203.0.113.9"))


async def test_the_same_person_works_in_two_companies_with_a_password_for_each(door: Door) -> None:
    await add_person(door.acme, "eva@both.test")
    await add_person(door.rival, "eva@both.test", password=OTHER_PASSWORD)
    here, there = await sign_in(door.acme, "eva@both.test"), None
    assert (await here.call("GET", "/me", 200))["tenant_id"] == door.acme.tenant_id
    there = await sign_in(door.rival, "eva@both.test", OTHER_PASSWORD)
    assert (await there.call("GET", "/me", 200))["tenant_id"] == door.rival.tenant_id


async def test_whose_password_fits_in_two_companies_is_asked_which(door: Door) -> None:
    await add_person(door.acme, "eva@both.test")
    await add_person(door.rival, "eva@both.test")
    asked = await door.acme.send("POST", "/auth/login", json=body(), headers=NOBODY)
    assert (asked.status_code, asked.json()["code"]) == (409, "tenant_needed")
    listed = {one["name"]: one["id"] for one in asked.json()["tenants"]}
    assert listed == {"Veraz": door.acme.tenant_id, "Rival": door.rival.tenant_id}
    chosen = await door.acme.send("POST", "/auth/login", json=body(tenant=listed["Rival"]), headers=NOBODY)
    me = {"Authorization": f"Bearer {chosen.json()['access_token']}"}
    assert (await door.rival.call("GET", "/me", 200, headers=me))["tenant_id"] == door.rival.tenant_id


async def test_refusals_tell_nothing_of_other_companies(door: Door) -> None:
    """Neither when somebody is added whom another company knows, nor when the password is that of the other company."""
    await add_person(door.acme, "eva@both.test")
    known = await door.rival.call("POST", "/users", 201, json={"email": "eva@both.test"})
    unknown = await door.rival.call("POST", "/users", 201, json={"email": "new@both.test"})
    assert known.keys() == unknown.keys()
    await choose_password(door.rival, known["invitation"]["url"], OTHER_PASSWORD)
    again = await door.rival.send("POST", "/users", json={"email": "eva@both.test"})
    assert (again.status_code, again.json()["code"]) == (409, "name_taken"), "its own it may know"
    answers = [
        await door.acme.send("POST", "/auth/login", json=one, headers=NOBODY)
        for one in (
            body("wrong"),
            body("wrong") | {"email": "nobody@both.test"},
            body(tenant=door.rival.tenant_id),
            body(OTHER_PASSWORD, tenant=door.acme.tenant_id),
        )
    ]
    assert {one.status_code for one in answers} == {401}
    assert len({one.json()["detail"] for one in answers}) == 1


async def test_a_refusal_costs_one_hash_for_nobody_one_account_or_many(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_person(door.acme, "eva@both.test")
    await add_person(door.rival, "eva@both.test", password=OTHER_PASSWORD)
    await add_person(door.acme, "one@acme.test")
    hashed: list[str] = []
    make = tokens._hashed

    def counting(password: str, like: str) -> str:
        hashed.append(like)
        return make(password, like)

    monkeypatch.setattr(tokens, "_hashed", counting)
    for email in ("nobody@both.test", "one@acme.test", "eva@both.test"):
        hashed.clear()
        with pytest.raises(errors.WrongCredentials):
            await door.veraz.sign_in.login(email, "wrong")
        assert len(hashed) == 1, email


async def test_who_is_disabled_in_one_company_still_works_in_the_other(door: Door) -> None:
    eva = await add_person(door.acme, "eva@both.test")
    await add_person(door.rival, "eva@both.test")
    await door.acme.call("PATCH", f"/users/{await my_id(eva)}", 200, json={"disabled": True})
    there = await sign_in(door.rival, "eva@both.test")
    assert (await there.call("GET", "/me", 200))["tenant_id"] == door.rival.tenant_id


async def test_the_keys_of_a_disabled_user_end_for_good(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    key = await eva.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["read"]})
    path = f"/users/{await my_id(eva)}"
    for disabled in (True, False):
        await door.acme.call("PATCH", path, 200, json={"disabled": disabled})
    headers = {"Authorization": f"Bearer {key['key']}"}
    assert (await door.acme.send("GET", "/me", headers=headers)).status_code == 401


# what an injected statement reaches

INJECTED = (
    "select password_hash from veraz.app_user",
    "select is_platform_admin from veraz.app_user",
    "select u::text from veraz.app_user u",
    "select to_jsonb(u) from veraz.app_user u",
    "select count(*) from veraz.app_user where password_hash like '$argon2%'",
    "select token_hash from veraz.session",
    "select key_hash from veraz.api_key",
    "select token_hash from veraz.password_link",
    "select * from veraz.users_for_login('ana@acme.test')",
    "select * from veraz.session_by_hash('x', '1 hour')",
    "select * from veraz.key_by_hash('x')",
    "select veraz.own_password()",
    "insert into veraz.session (id, user_id, token_hash, expires_at) values (gen_random_uuid(), {me}, 'x', '2100-01-01')",
    "insert into veraz.api_key (id, name, prefix, key_hash, scopes) values (gen_random_uuid(), 'x', 'x', 'x', '{{admin}}')",
    "insert into veraz.app_user (id, email, role, is_platform_admin) values (gen_random_uuid(), 'x@y.z', 'admin', true)",
    "select veraz.open_session(gen_random_uuid(), 'x', '2100-01-01', '', '')",
    "select veraz.add_key(gen_random_uuid(), 'x', 'x', 'x', '{{admin}}', null, true, null, false)",
    "select veraz.add_person(gen_random_uuid(), 'x@y.z', '', 'admin', 'es', 'x', false, true)",
    "select veraz.change_person({me}, null, 'admin', null, null)",
    "select veraz.set_password({me}, 'x', false, null)",
    "select veraz.add_password_link(gen_random_uuid(), {me}, 'x', '2100-01-01')",
    "select veraz.end_user(gen_random_uuid(), 'x')",
    "update veraz.app_user set role = 'admin' where id = {me}",
    "update veraz.app_user set is_platform_admin = true where id = {me}",
    "update veraz.app_user set password_hash = 'x'",
    "update veraz.app_user set email = 'x@y.z' where id = {me}",
    "update veraz.session set expires_at = '2100-01-01'",
    "update veraz.api_key set revoked_at = null, scopes = '{{admin}}'",
    "delete from veraz.app_user where id = {me}",
    "set role veraz_keeper",
    "set session authorization veraz_signin",
)


@pytest.fixture
def injected(app_url: str) -> Iterator[Connection[TupleRow]]:
    """A statement that runs where requests run."""
    with psycopg.connect(app_url) as connection:
        yield connection


@pytest.mark.parametrize("role", ["member", "admin", "service"])
async def test_a_statement_injected_into_a_request_reads_no_secret_and_makes_no_way_in(
    door: Door, injected: Connection[TupleRow], role: str
) -> None:
    eva = await add_person(door.acme, "eva@acme.test", role="admin" if role == "admin" else "member")
    me = await my_id(eva)
    scope = Scope(tenant_id=UUID(eva.tenant_id), user_id=None if role == "service" else UUID(me), role=role)  # type: ignore[arg-type]
    for statement in INJECTED:
        act_as(injected, scope)
        with pytest.raises(psycopg.DatabaseError) as refused:
            injected.execute(statement.format(me=f"'{me}'").encode())
        assert refused.value.sqlstate in ("42501", "VZ004"), statement
        injected.rollback()
    act_as(injected, scope)
    assert injected.execute("select id from veraz.app_user").fetchall() or role == "service"


@pytest.mark.parametrize("role", [role for role in LOGIN_ROLES if role != "veraz_app"])
def test_no_other_role_reads_a_secret_either(database_url: str, role: str) -> None:
    with psycopg.connect(ACCESS.address(database_url, role)) as connection:
        for table in ("app_user", "session", "api_key", "password_link"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(sql.SQL("select * from veraz.{}").format(sql.Identifier(table)))
            connection.rollback()
