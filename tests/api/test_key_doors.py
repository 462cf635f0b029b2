"""Keys: shown once, limited to their scopes and project, dead at once when revoked; and never a way to more."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from structlog.testing import capture_logs

from veraz import errors
from veraz.db.scope import Scope

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door, Person
    from tests.support.people import acting, add_key, add_person, my_id
else:
    from support.door import PASSWORD, Door, Person
    from support.people import acting, add_key, add_person, my_id


async def status(person: Person, method: str, path: str, **more: object) -> int:
    """Only the status of an answer."""
    return (await person.send(method, path, **more)).status_code


async def first_project(person: Person) -> str:
    """The project a company starts with."""
    return str((await person.call("GET", "/projects", 200))["items"][0]["id"])


async def test_the_secret_is_shown_once_and_nowhere_else(door: Door) -> None:
    with capture_logs() as lines:
        made = await door.acme.call("POST", "/api-keys", 201, json={"name": "n8n", "scopes": ["ask"]})
        listed = await door.acme.send("GET", "/api-keys")
        audit = await door.acme.send("GET", "/audit?thing=api_key")
        await door.acme.send("GET", "/me", headers={"Authorization": f"Bearer {made['key']}"})
    secret = made["key"]
    assert secret.startswith(made["prefix"]) and len(secret) > 40
    assert secret not in listed.text and secret not in audit.text and secret not in str(lines)
    assert "key_hash" not in audit.text
    assert listed.json()["items"][0]["prefix"] == made["prefix"]


async def test_a_revoked_key_is_dead_at_once(door: Door) -> None:
    made = await door.acme.call("POST", "/api-keys", 201, json={"name": "k"})
    key = {"Authorization": f"Bearer {made['key']}"}
    assert await status(door.acme, "GET", "/me", headers=key) == 200
    await door.acme.call("DELETE", f"/api-keys/{made['id']}", 204)
    answer = await door.acme.send("GET", "/me", headers=key)
    assert (answer.status_code, answer.json()["code"]) == (401, "key_revoked")
    assert await status(door.acme, "DELETE", f"/api-keys/{made['id']}") == 404, "it cannot be revoked twice"


async def test_a_key_dies_when_its_time_is_over(door: Door, owner: Connection[TupleRow]) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    key = await add_key(door.acme, "admin", expires_at=tomorrow)
    assert await status(key, "GET", "/me") == 200
    owner.execute("update veraz.api_key set expires_at = now()")
    assert await status(key, "GET", "/me") == 401


async def test_a_key_works_in_the_apikey_header_too(door: Door) -> None:
    key = await add_key(door.acme, "read")
    secret = key.headers["Authorization"].removeprefix("Bearer ")
    assert await status(door.acme, "GET", "/me", headers={"Authorization": "", "apikey": secret}) == 200


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("ask", set()),
        ("read", {"read"}),
        ("ingest", {"read", "ingest"}),
        ("manage", {"read", "ingest", "manage"}),
        ("admin", {"read", "ingest", "manage", "admin"}),
    ],
)
async def test_a_key_does_what_its_scopes_say(door: Door, scope: str, allowed: set[str]) -> None:
    key = acting(await add_key(door.acme, scope), user="ana")
    tries = {
        "read": ("GET", f"/knowledge-bases/{door.acme.kb}", None),
        "ingest": ("POST", "/knowledge-bases", {"name": "Mine", "kind": "personal"}),
        "manage": ("PATCH", f"/knowledge-bases/{door.acme.kb}", {"description": "x"}),
        "admin": ("POST", "/projects", {"name": "New"}),
    }
    for wanted, (method, path, body) in tries.items():
        answer = await key.send(method, path, json=body)
        if wanted in allowed:
            assert answer.is_success, (wanted, answer.text)
        else:
            # what the key may not even see is not found
            assert answer.json()["code"] in ("scope_missing", "not_found"), wanted


@pytest.mark.parametrize("scope", ["ask", "read", "ingest", "manage"])
async def test_a_small_key_cannot_grow(door: Door, scope: str) -> None:
    """Neither by making a bigger key nor by giving its owner a new password."""
    eva = await add_person(door.acme, "eva@acme.test", role="admin")
    small = await add_key(eva, scope, personal=True)
    me = f"/users/{await my_id(eva)}"
    assert await status(small, "POST", "/api-keys", json={"name": "k", "scopes": ["admin"]}) == 403
    assert await status(small, "POST", "/api-keys", json={"name": "k", "scopes": [scope]}) == 403
    assert await status(small, "POST", f"{me}/password-link") == 403
    new = {"current_password": PASSWORD, "new_password": "mine from now on"}
    assert await status(small, "POST", "/me/password", json=new) == 403
    assert await status(eva, "GET", "/me") == 200


async def test_a_key_of_one_project_cannot_leave_it(door: Door) -> None:
    other = (await door.acme.call("POST", "/projects", 201, json={"name": "Other"}))["id"]
    first = next(
        p["id"] for p in (await door.acme.call("GET", "/projects", 200))["items"] if p["id"] != other
    )
    for personal in (True, False):
        bound = await add_key(door.acme, "admin", project_id=first, personal=personal)
        seen = {p["id"] for p in (await bound.call("GET", "/projects", 200))["items"]}
        assert seen == {first}
        assert await status(bound, "GET", f"/projects/{other}") == 404
        assert await status(bound, "POST", "/agents", json={"name": "a", "project_id": other}) == 404
        assert await status(bound, "POST", "/projects", json={"name": "x"}) == 403
        assert await status(bound, "POST", "/api-keys", json={"name": "k", "scopes": ["admin"]}) == 403
        assert (
            await status(bound, "PATCH", f"/users/{await my_id(door.acme)}", json={"display_name": "x"})
            == 403
        )
        assert await status(bound, "GET", "/audit") == 403


async def test_a_members_key_bound_to_one_project_does_not_see_their_others(door: Door) -> None:
    other = (await door.acme.call("POST", "/projects", 201, json={"name": "Other"}))["id"]
    first = next(
        p["id"] for p in (await door.acme.call("GET", "/projects", 200))["items"] if p["id"] != other
    )
    eva = await add_person(door.acme, "eva@acme.test", **{first: "admin", other: "admin"})
    bound = await add_key(eva, "admin", project_id=first)
    assert {p["id"] for p in (await bound.call("GET", "/projects", 200))["items"]} == {first}
    assert await status(bound, "PATCH", f"/projects/{other}", json={"name": "x"}) == 404
    assert await status(eva, "PATCH", f"/projects/{other}", json={"name": "x"}) == 200


@pytest.mark.parametrize("level", ["manager", "admin"])
async def test_a_managers_key_that_may_only_ask_sees_what_a_member_sees(at_work: Door, level: str) -> None:
    project = await first_project(at_work.acme)
    eva = await add_person(at_work.acme, "eva@acme.test", **{project: level})
    luis = await add_person(at_work.acme, "luis@acme.test", **{project: "member"})
    agent = (await eva.call("POST", "/agents", 201, json={"name": "a", "system_prompt": "Hable poco."}))["id"]
    talk = (await luis.call("POST", f"/agents/{agent}/ask", 200, json={"question": "hola"}))[
        "conversation_id"
    ]
    text = {"title": "Borrador", "content": "El despido colectivo se anunciará el 9 de octubre."}
    kb = (
        await eva.call("POST", "/knowledge-bases", 201, json={"name": "Unassigned", "project_id": project})
    )["id"]
    document = (await eva.call("POST", f"/knowledge-bases/{kb}/documents/text", 202, json=text))[
        "document_id"
    ]
    await eva.idle()
    key = await add_key(eva, "ask")
    assert (await key.call("GET", "/conversations", 200))["items"] == []
    for path in (f"/conversations/{talk}", f"/conversations/{talk}/messages", f"/documents/{document}/text"):
        assert await status(key, "GET", path) == 404, path
        assert await status(eva, "GET", path) == 200, path
    assert await status(key, "DELETE", f"/conversations/{talk}") == 404
    assert (await key.call("GET", f"/agents/{agent}", 200))["system_prompt"] == ""
    assert (await eva.call("GET", f"/agents/{agent}", 200))["system_prompt"] == "Hable poco."
    asked = {"query_text": "despido colectivo", "query_embedding": None, "target_rag_id": kb}
    assert await key.call("POST", "//rest/v1/rpc/search_rag_hybrid", 200, json=asked) == []


async def test_what_an_agent_was_told_and_its_drafts_are_for_who_manages_it(door: Door) -> None:
    project = await first_project(door.acme)
    eva = await add_person(door.acme, "eva@acme.test", **{project: "manager"})
    luis = await add_person(door.acme, "luis@acme.test", **{project: "member"})
    agent = (await eva.call("POST", "/agents", 201, json={"name": "a", "system_prompt": "Secreto."}))["id"]
    managing = [eva, await add_key(eva, "read"), await add_key(door.acme, "read"), door.acme]
    scopes = ("ask", "read", "manage", "admin")
    talking = [luis, *[await add_key(luis, scope) for scope in scopes], await add_key(eva, "ask")]
    talking += [await add_key(door.acme, "ask", personal=personal) for personal in (True, False)]
    for person in (*managing, *talking):
        told = "Secreto." if person in managing else ""
        assert (await person.call("GET", f"/agents/{agent}", 200))["system_prompt"] == told
        assert [one["system_prompt"] for one in (await person.call("GET", "/agents", 200))["items"]] == [told]
        for drafts in ("changes", "versions", "exam", "exam/runs"):
            allowed = 200 if person in managing else 403
            assert await status(person, "GET", f"/agents/{agent}/{drafts}") == allowed, drafts
    assert await status(door.rival, "GET", f"/agents/{agent}") == 404


async def test_a_key_of_a_projects_admin_manages_no_more_than_its_scopes_say(door: Door) -> None:
    project = await first_project(door.acme)
    eva = await add_person(door.acme, "eva@acme.test", **{project: "admin"})
    await add_person(door.acme, "luis@acme.test")
    body = {"email": "luis@acme.test", "role": "member"}
    key = await add_key(eva, "manage")
    assert await status(key, "POST", "/agents", json={"name": "a"}) == 201
    assert await status(key, "POST", f"/projects/{project}/members", json=body) == 403
    assert await status(await add_key(eva, "admin"), "POST", f"/projects/{project}/members", json=body) == 201


async def test_members_make_keys_for_themselves_only(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    assert await status(eva, "POST", "/api-keys", json={"name": "k", "personal": False}) == 403
    key = await add_key(eva, "admin")
    me = await key.call("GET", "/me", 200)
    assert me["user"]["email"] == "eva@acme.test" and not me["is_tenant_admin"]
    mine = await eva.call("GET", "/api-keys", 200)
    assert {k["user_id"] for k in mine["items"]} == {me["user"]["id"]}


async def test_acting_for_an_end_user_is_for_service_keys(door: Door) -> None:
    service = await add_key(door.acme, "ask", "ingest")
    ana, luis = acting(service, user="ana"), acting(service, user="luis")
    assert await my_id(ana) != await my_id(luis)
    assert await my_id(ana) == await my_id(acting(service, user="ana"))
    await ana.call("POST", "/knowledge-bases", 201, json={"name": "Mine", "kind": "personal"})
    assert len((await ana.call("GET", "/knowledge-bases?kind=personal", 200))["items"]) == 1
    assert (await luis.call("GET", "/knowledge-bases?kind=personal", 200))["items"] == []
    personal = acting(await add_key(door.acme, "admin", personal=True), user="ana")
    assert await my_id(personal) == await my_id(door.acme), "a personal key is its owner, whoever it names"


async def test_a_revoked_licence_shuts_the_machine_out(door: Door) -> None:
    licence = await door.acme.call("POST", "/licences", 201, json={"machine_id": "m1", "user_name": "Ana"})
    machine = acting(await add_key(door.acme, "ask"), machine="m1")
    seen = await machine.call("GET", "/licences", 200)
    assert [x["user_name"] for x in seen["items"]] == ["Ana"], "the machine knows whom to greet"
    await door.acme.call("PATCH", f"/licences/{licence['id']}", 200, json={"status": "revoked"})
    answer = await machine.send("GET", "/licences")
    assert (answer.status_code, answer.json()["code"]) == (403, "licence_revoked")
    rival = acting(await add_key(door.rival, "ask"), machine="m1")
    assert await status(rival, "GET", "/me") == 200, "the other company's machine of the same name goes on"


async def test_the_other_company_cannot(door: Door) -> None:
    made = await door.acme.call("POST", "/api-keys", 201, json={"name": "k"})
    assert await status(door.rival, "DELETE", f"/api-keys/{made['id']}") == 404
    assert (await door.rival.call("GET", "/api-keys", 200))["items"] == []
    bound = {"name": "k", "project_id": await first_project(door.acme)}
    assert await status(door.rival, "POST", "/api-keys", json=bound) == 404
    licence = await door.acme.call("POST", "/licences", 201, json={"machine_id": "m1"})
    for method, body in (("GET", None), ("PATCH", {"status": "revoked"}), ("DELETE", None)):
        assert await status(door.rival, method, f"/licences/{licence['id']}", json=body) == 404


# what goes on after who made it


async def test_who_is_disabled_leaves_the_tenants_keys_in_sight_and_they_are_revoked_on_wish(
    door: Door,
) -> None:
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    service, own = (
        await add_key(deputy, "admin", personal=False),
        await add_key(deputy, "admin", personal=True),
    )
    anas = await add_key(door.acme, "read", personal=False)
    me = await my_id(deputy)
    path = f"/users/{me}"
    listed = await door.acme.call("GET", "/api-keys", 200)
    assert sorted(k["created_by"] == me for k in listed["items"]) == [False, True, True]
    disabled = await door.acme.call("PATCH", path, 200, json={"disabled": True})
    assert [k["created_by"] for k in disabled["service_keys"]] == [me], "the personal one has ended"
    assert [await status(key, "GET", "/me") for key in (service, own, anas)] == [200, 401, 200]
    revoked = await door.acme.call("PATCH", path, 200, json={"revoke_keys": True})
    assert revoked["service_keys"] == []
    assert [await status(key, "GET", "/me") for key in (service, anas)] == [401, 200]
    told = (await door.acme.call("GET", "/security-events?kind=key_revoked", 200))["items"]
    assert [one["about"] for one in told] == [disabled["service_keys"][0]["id"]]


async def test_who_is_deleted_takes_the_tenants_keys_along_on_wish(door: Door) -> None:
    for wish, left in (("", 200), ("?revoke_keys=true", 401)):
        deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
        service = await add_key(deputy, "read", personal=False)
        await door.acme.call("DELETE", f"/users/{await my_id(deputy)}{wish}", 204)
        assert await status(service, "GET", "/me") == left


async def test_nobody_but_the_tenants_admins_revokes_what_somebody_made(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    service = await add_key(door.acme, "read", personal=False)
    ana = await my_id(door.acme)
    assert await status(eva, "PATCH", f"/users/{await my_id(eva)}", json={"revoke_keys": True}) == 403
    assert await status(eva, "PATCH", f"/users/{ana}", json={"revoke_keys": True}) in (403, 404)
    assert await status(door.rival, "PATCH", f"/users/{ana}", json={"revoke_keys": True}) == 404
    assert await status(service, "GET", "/me") == 200


async def test_keys_make_no_administrators(door: Door) -> None:
    """A key that was found would leave one behind when it is revoked."""
    eva = await add_person(door.acme, "eva@acme.test")
    path = f"/users/{await my_id(eva)}"
    for personal in (True, False):
        key = await add_key(door.acme, "admin", personal=personal)
        assert await status(key, "PATCH", path, json={"role": "admin"}) == 403
        assert await status(key, "POST", "/users", json={"email": "x@acme.test", "role": "admin"}) == 403
        await key.call("PATCH", path, 200, json={"role": "member", "display_name": "Eva"})
        await key.call("POST", "/users", 201, json={"email": f"{personal}@acme.test"})
    await door.acme.call("PATCH", path, 200, json={"role": "admin"})
    key = await add_key(door.acme, "admin", personal=False)
    assert await status(key, "PATCH", path, json={"role": "member"}) == 403


@pytest.mark.parametrize(
    "statement",
    [
        "select id from veraz.change_person('{eva}', null, 'admin', null, null)",
        "select id from veraz.add_person('{new}', 'x@acme.test', '', 'admin', 'es', null, false, false)",
    ],
)
async def test_the_database_itself_lets_no_key_make_an_administrator(door: Door, statement: str) -> None:
    eva = await my_id(await add_person(door.acme, "eva@acme.test"))
    scope = Scope(tenant_id=UUID(door.acme.tenant_id), role="admin", key_id=uuid4())
    with pytest.raises(errors.Forbidden):
        async with door.veraz.db.sign_in.transaction(scope) as tx:
            await tx.values(statement.format(eva=eva, new=uuid4()))
