"""Choosing and changing a password: links, what is refused, what ends with the old one, and what keys cannot."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy.guessable import is_guessable
from veraz.tenancy.tenants import NewTenant
from veraz.tenancy.users import NewUser
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door, Person, welcome
    from tests.support.people import NOBODY, add_key, add_person, choose_password, my_id, sign_in
else:
    from support.door import PASSWORD, Door, Person, welcome
    from support.people import NOBODY, add_key, add_person, choose_password, my_id, sign_in

NEW = "otra frase distinta"
CHANGE = {"current_password": PASSWORD, "new_password": NEW}


async def refused(person: Person, method: str, path: str, **more: Any) -> str:
    """The code of a refusal."""
    answer = await person.send(method, path, **more)
    assert answer.status_code >= 400, answer.text
    return str(answer.json()["code"])


async def login(door: Door, email: str, password: str) -> int:
    """The status of a sign-in."""
    body = {"email": email, "password": password}
    answer = await door.acme.send("POST", "/auth/login", json=body, headers=NOBODY)
    door.http.cookies.clear()
    return answer.status_code


# one's own


async def test_a_new_password_takes_the_old_one(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    wrong = CHANGE | {"current_password": "no es esta"}
    assert await refused(eva, "POST", "/me/password", json=wrong) == "invalid"
    assert await refused(eva, "POST", "/me/password", json=CHANGE | {"new_password": PASSWORD}) == "invalid"
    await eva.call("POST", "/me/password", 204, json=CHANGE)
    assert await login(door, "eva@acme.test", PASSWORD) == 401
    assert await login(door, "eva@acme.test", NEW) == 200


async def test_guessing_the_password_of_a_session_is_slow_whichever_door_asks(
    door_settings: Settings, db: Database
) -> None:
    """The services themselves count: pages, API and whatever comes later call nothing else."""
    strict = door_settings.model_copy(update={"login_attempts_per_minute": 3})
    veraz = assemble(strict, db)
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    ana = (await veraz.sign_in.login("ana@acme.test", PASSWORD)).actor
    other = await welcome(veraz, ana, NewUser(email="eva@acme.test"))
    guesses: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: veraz.passwords.change(ana, "no es", NEW),
        lambda: veraz.second_factor.begin(ana, account="ana", password="no es"),
        lambda: veraz.second_factor.remove(ana, password="no es"),
    )
    for guess in guesses:
        with pytest.raises(errors.Invalid):
            await guess()
    more: tuple[Callable[[], Awaitable[object]], ...] = (
        *guesses,
        lambda: veraz.passwords.change(ana, PASSWORD, NEW),
        lambda: veraz.second_factor.remove(ana, code="000000"),
        lambda: veraz.second_factor.confirm(ana, "000000", session_token=""),
        lambda: veraz.second_factor.new_recovery_codes(ana, code="000000"),
    )
    for guess in more:
        with pytest.raises(errors.RateLimited):
            await guess()
    eva = (await veraz.sign_in.login("eva@acme.test", PASSWORD)).actor
    assert eva.user_id == other.id
    await veraz.passwords.change(eva, PASSWORD, NEW)


async def test_it_ends_the_other_sessions_and_the_keys_that_asked_for_it(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    elsewhere = await sign_in(door.acme, "eva@acme.test")
    lasting = await add_key(eva, "read")
    ending = await add_key(eva, "read", ends_with_password=True)
    await eva.call("POST", "/me/password", 204, json=CHANGE)
    answers = [(await one.send("GET", "/me")).status_code for one in (eva, elsewhere, lasting, ending)]
    assert answers == [200, 401, 200, 401]


async def test_keys_neither_set_passwords_nor_make_links(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test", role="admin")
    key = await add_key(eva, "admin", personal=True)
    service = await add_key(door.acme, "admin", personal=False)
    user = f"/users/{await my_id(eva)}"
    first = {"email": "x@acme.test", "password": NEW}
    for one in (key, service):
        assert await refused(one, "POST", "/me/password", json=CHANGE) == "forbidden"
        assert await refused(one, "POST", f"{user}/password-link") == "forbidden"
        assert await refused(one, "PATCH", user, json={"password": NEW}) == "invalid"
        assert await refused(one, "POST", "/users", json=first) == "forbidden"
    added = await service.call("POST", "/users", 201, json={"email": "y@acme.test"})
    assert added["invitation"] is None
    assert await login(door, "eva@acme.test", PASSWORD) == 200


async def test_a_program_founds_a_company_and_goes_on_as_its_administrator(door: Door) -> None:
    new = {"name": "Third", "admin_email": "t@third.test", "admin_password": PASSWORD}
    await door.acme.call("POST", "/tenants", 201, json=new)
    third = await sign_in(door.acme, "t@third.test")
    assert not (await third.call("GET", "/me", 200))["user"]["must_change_password"]
    await third.call("POST", "/knowledge-bases", 201, json={"name": "Manual"})


async def test_a_founder_who_must_change_their_password_gets_no_further(door: Door) -> None:
    new = {"name": "Third", "admin_email": "t@third.test", "admin_password": PASSWORD}
    await door.acme.call("POST", "/tenants", 201, json=new | {"admin_must_change_password": True})
    third = await sign_in(door.acme, "t@third.test")
    assert await refused(third, "GET", "/knowledge-bases") == "password_change_needed"


async def test_a_first_password_that_must_be_changed_lets_in_to_change_it_and_to_nothing_else(
    door: Door,
) -> None:
    first = {"email": "eva@acme.test", "password": PASSWORD, "must_change_password": True}
    assert (await door.acme.call("POST", "/users", 201, json=first))["must_change_password"]
    eva = await sign_in(door.acme, "eva@acme.test")
    assert await refused(eva, "GET", "/knowledge-bases") == "password_change_needed"
    assert await refused(eva, "POST", "/api-keys", json={"name": "k"}) == "password_change_needed"
    await eva.call("POST", "/me/password", 204, json=CHANGE)
    assert not (await eva.call("GET", "/me", 200))["user"]["must_change_password"]


# what is refused


@pytest.mark.parametrize(
    "password",
    [
        "password", "Password1!", "P@ssw0rd", "12345678", "1234567890", "qwertyuiop", "aaaaaaaa", "abcdefgh", "asdfghjkl",
        "contraseña", "Contraseña2024", "barcelona1", "veraz2026", "ana@acme.test", "acme-acme", "LaboratoriosNorte1",
        "........", "abababab",
    ],
)  # fmt: skip
def test_what_others_would_try_first_is_refused(password: str) -> None:
    assert is_guessable(password, ("ana@acme.test", "veraz", "Laboratorios Norte"))


@pytest.mark.parametrize(
    "password",
    [PASSWORD, NEW, "tres gatos azules", "kX9#mv2!pQ", "acme es mi gran empresa", "a-long-password-1"],
)
def test_what_only_its_owner_would_put_together_is_taken(password: str) -> None:
    assert not is_guessable(password, ("ana@acme.test", "veraz", "Laboratorios Norte"))


async def test_every_door_that_takes_a_password_refuses_common_ones(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    weak = "contraseña1"
    change = CHANGE | {"new_password": weak}
    assert await refused(eva, "POST", "/me/password", json=change) == "common_password"
    first = {"email": "x@acme.test", "password": weak}
    assert await refused(door.acme, "POST", "/users", json=first) == "common_password"
    link = await door.acme.call("POST", f"/users/{await my_id(eva)}/password-link", 201)
    body = {"token": link["url"].partition("#")[2], "password": weak}
    assert await refused(eva, "POST", "/auth/password", json=body, headers=NOBODY) == "common_password"
    await choose_password(door.acme, link["url"], NEW)  # the link is still good
    tenant = {"name": "Third", "admin_email": "t@third.test", "admin_password": weak}
    assert await refused(door.acme, "POST", "/tenants", json=tenant) == "common_password"


async def test_whoever_installs_may_choose_a_common_password_and_is_told(
    door_settings: Settings, db: Database
) -> None:
    tenants = assemble(door_settings, db).tenants
    first = await tenants.first_start(email="ana@acme.test", password="contraseña1")
    assert first and first.password_is_common
    assert await tenants.first_start(email="ana@acme.test", password=PASSWORD) is None


# links


async def test_a_link_works_once(door: Door) -> None:
    added = await door.acme.call("POST", "/users", 201, json={"email": "eva@acme.test"})
    assert not added["has_password"]
    await choose_password(door.acme, added["invitation"]["url"])
    body = {"token": added["invitation"]["url"].partition("#")[2], "password": NEW}
    assert await refused(door.acme, "POST", "/auth/password", json=body, headers=NOBODY) == "link_used"
    assert await login(door, "eva@acme.test", PASSWORD) == 200


async def test_a_reset_ends_every_session_and_only_when_it_is_used(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    link = await door.acme.call("POST", f"/users/{await my_id(eva)}/password-link", 201)
    assert (await eva.send("GET", "/me")).status_code == 200
    await choose_password(door.acme, link["url"], NEW)
    assert (await eva.send("GET", "/me")).status_code == 401
    assert await login(door, "eva@acme.test", NEW) == 200


async def test_only_the_newest_link_counts_and_none_after_its_time(
    door: Door, owner: Connection[TupleRow]
) -> None:
    added = await door.acme.call("POST", "/users", 201, json={"email": "eva@acme.test"})
    newer = await door.acme.call("POST", f"/users/{added['id']}/password-link", 201)
    for url, code in ((added["invitation"]["url"], "link_used"), (newer["url"], "link_used")):
        if url == newer["url"]:
            owner.execute("update veraz.password_link set expires_at = now()")
        body = {"token": url.partition("#")[2], "password": PASSWORD}
        assert await refused(door.acme, "POST", "/auth/password", json=body, headers=NOBODY) == code


async def test_the_link_keeps_its_secret_behind_the_sharp_and_nothing_else_tells_it(
    door: Door, owner: Connection[TupleRow]
) -> None:
    added = await door.acme.call("POST", "/users", 201, json={"email": "eva@acme.test"})
    before, sharp, token = added["invitation"]["url"].partition("#")
    assert sharp and token.startswith("vzl_") and before.endswith("/es/password")
    for table in ("password_link", "audit_entry", "security_event"):
        rows = owner.execute(f"select t::text from veraz.{table} t".encode()).fetchall()
        assert not [row for row in rows if token in str(row[0])]


async def test_members_make_no_links_and_the_other_tenant_cannot(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    ana = await my_id(door.acme)
    assert await refused(eva, "POST", f"/users/{ana}/password-link") == "forbidden"
    assert await refused(door.rival, "POST", f"/users/{ana}/password-link") == "not_found"
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    path = f"/users/{ana}/password-link"
    assert await refused(deputy, "POST", path) == "forbidden", "the platform's admin is not theirs"


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": "member"}, None])
async def test_a_link_ends_with_the_rights_of_who_made_it(door: Door, change: dict[str, Any] | None) -> None:
    """An administrator who is leaving keeps no way into the accounts of others."""
    eva, luis = [await my_id(await add_person(door.acme, f"{name}@acme.test")) for name in ("eva", "luis")]
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    made = await deputy.call("POST", f"/users/{eva}/password-link", 201)
    kept = await door.acme.call("POST", f"/users/{luis}/password-link", 201)
    path = f"/users/{await my_id(deputy)}"
    await door.acme.send("PATCH", path, json=change) if change else await door.acme.send("DELETE", path)
    body = {"token": made["url"].partition("#")[2], "password": NEW}
    assert await refused(door.acme, "POST", "/auth/password", json=body, headers=NOBODY) == "link_used"
    await choose_password(door.acme, kept["url"], NEW)
    if change:
        await door.acme.call("PATCH", path, 200, json={"disabled": False, "role": "admin"})
        assert await refused(door.acme, "POST", "/auth/password", json=body, headers=NOBODY) == "link_used"


async def test_a_link_counts_only_while_its_maker_may_make_it(
    door: Door, owner: Connection[TupleRow]
) -> None:
    """Whatever way the maker lost the right: the link itself is looked at."""
    eva = await add_person(door.acme, "eva@acme.test")
    link = await door.acme.call("POST", f"/users/{await my_id(eva)}/password-link", 201)
    body = {"token": link["url"].partition("#")[2], "password": NEW}
    for maker in (await my_id(eva), await my_id(door.rival), str(uuid4())):
        owner.execute("update veraz.password_link set created_by = %s", (maker,))
        assert await refused(eva, "POST", "/auth/password", json=body, headers=NOBODY) == "link_used"
    owner.execute("update veraz.password_link set created_by = null")
    await choose_password(door.acme, link["url"], NEW)


async def test_a_link_of_the_platform_goes_on(door: Door) -> None:
    operator = await door.veraz.tenants.operator()
    new = NewTenant(name="Third", admin_email="t@third.test")
    _, link = await door.veraz.password_links.found(operator, new)
    await door.veraz.password_links.accept(link.token, NEW)
    assert await login(door, "t@third.test", NEW) == 200


async def test_a_disabled_user_gets_in_by_no_link(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    path = f"/users/{await my_id(eva)}"
    link = await door.acme.call("POST", f"{path}/password-link", 201)
    await door.acme.call("PATCH", path, 200, json={"disabled": True})
    body = {"token": link["url"].partition("#")[2], "password": NEW}
    assert await refused(door.acme, "POST", "/auth/password", json=body, headers=NOBODY) == "link_used"
    assert await refused(door.acme, "POST", f"{path}/password-link") == "forbidden"
