"""Projects and members, plans and credits, the audit log; and what the other company cannot do."""

from typing import TYPE_CHECKING, Any

import pytest

from veraz import errors
from veraz.tenancy.model import Actor, system

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door, Person
    from tests.support.people import add_key, add_person, choose_password, my_id
else:
    from support.door import PASSWORD, Door, Person
    from support.people import add_key, add_person, choose_password, my_id


async def status(person: Person, method: str, path: str, **more: object) -> int:
    """Only the status of an answer."""
    return (await person.send(method, path, **more)).status_code


async def audited(person: Person, thing: str) -> list[dict[str, Any]]:
    """The log about one kind of thing, newest first."""
    return list((await person.call("GET", f"/audit?thing={thing}", 200))["items"])


# projects


async def test_a_projects_admin_runs_it_without_being_an_admin_of_the_tenant(door: Door) -> None:
    project = (await door.acme.call("POST", "/projects", 201, json={"name": "Sales"}))["id"]
    eva = await add_person(door.acme, "eva@acme.test", **{project: "admin"})
    await door.acme.call("POST", "/users", 201, json={"email": "leo@acme.test"})
    await eva.call("PATCH", f"/projects/{project}", 200, json={"name": "Ventas"})
    body = {"email": "leo@acme.test", "role": "manager"}
    leo = await eva.call("POST", f"/projects/{project}/members", 201, json=body)
    await eva.call("DELETE", f"/projects/{project}/members/{leo['user_id']}", 204)
    assert await status(eva, "DELETE", f"/projects/{project}") == 403
    assert await status(eva, "POST", "/projects", json={"name": "x"}) == 403
    assert await status(eva, "GET", "/audit") == 403


async def test_a_removed_member_is_out_at_once(door: Door) -> None:
    project = (await door.acme.call("POST", "/projects", 201, json={"name": "Sales"}))["id"]
    eva = await add_person(door.acme, "eva@acme.test", **{project: "manager"})
    agent = (await eva.call("POST", "/agents", 201, json={"name": "a"}))["id"]
    await door.acme.call("DELETE", f"/projects/{project}/members/{await my_id(eva)}", 204)
    assert await status(eva, "GET", f"/agents/{agent}") == 404
    assert (await eva.call("GET", "/projects", 200))["items"] == []
    assert await status(eva, "POST", "/agents", json={"name": "b", "project_id": project}) == 404


async def test_deleting_a_project_takes_its_agents_knowledge_and_keys_along(door: Door) -> None:
    project = (await door.acme.call("POST", "/projects", 201, json={"name": "Sales"}))["id"]
    agent = (await door.acme.call("POST", "/agents", 201, json={"name": "a", "project_id": project}))["id"]
    kb = (await door.acme.call("POST", "/knowledge-bases", 201, json={"name": "k", "project_id": project}))[
        "id"
    ]
    await door.acme.call("PUT", f"/agents/{agent}/knowledge-bases/{kb}", 200)
    key = await add_key(door.acme, "admin", project_id=project)
    await door.acme.call("DELETE", f"/projects/{project}", 204)
    for path in (f"/projects/{project}", f"/agents/{agent}", f"/knowledge-bases/{kb}"):
        assert await status(door.acme, "GET", path) == 404
    assert await status(key, "GET", "/me") == 401
    assert await status(door.acme, "GET", f"/knowledge-bases/{door.acme.kb}") == 200


async def test_deleting_a_user_takes_what_was_theirs_alone(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    kb = (await eva.call("POST", "/knowledge-bases", 201, json={"name": "Mine", "kind": "personal"}))["id"]
    key = await add_key(eva, "admin")
    before = (await door.acme.call("GET", "/tenant", 200))["usage"]["knowledge_bases"]
    await door.acme.call("DELETE", f"/users/{await my_id(eva)}", 204)
    assert await status(eva, "GET", "/me") == 401
    assert await status(key, "GET", f"/knowledge-bases/{kb}") == 401
    assert (await door.acme.call("GET", "/tenant", 200))["usage"]["knowledge_bases"] == before - 1


# plans and credits


async def test_a_plan_limits_the_knowledge_bases(door: Door) -> None:
    plan = {"name": "Tiny", "max_knowledge_bases": 2}
    await door.acme.call("PUT", "/plans/tiny", 200, json=plan)
    await door.acme.call("PATCH", f"/tenants/{door.rival.tenant_id}", 200, json={"plan": "tiny"})
    await door.rival.call("POST", "/knowledge-bases", 201, json={"name": "second"})
    for kind in ("global", "personal"):
        answer = await door.rival.send("POST", "/knowledge-bases", json={"name": "third", "kind": kind})
        assert (answer.status_code, answer.json()["code"]) == (402, "quota_exceeded")
        assert "bases de conocimiento" in answer.json()["detail"]
    await door.rival.call("DELETE", f"/knowledge-bases/{door.rival.kb}", 204)
    await door.rival.call("POST", "/knowledge-bases", 201, json={"name": "third"})


async def test_a_tenant_without_the_feature_makes_no_agents(door: Door) -> None:
    off = {"features": {"ai_agents_enabled": False}}
    await door.acme.call("PATCH", f"/tenants/{door.rival.tenant_id}", 200, json=off)
    for path, body in (("/agents", {"name": "a"}), ("/knowledge-bases", {"name": "k"})):
        answer = await door.rival.send("POST", path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "feature_disabled")


async def test_only_the_platform_changes_plans_features_and_credits(door: Door) -> None:
    mine = f"/tenants/{door.rival.tenant_id}"
    assert await status(door.rival, "PATCH", mine, json={"plan": "unlimited"}) == 403
    assert (
        await status(door.rival, "PATCH", mine, json={"features": {"ai_agents_enabled": True, "x": 1}}) == 403
    )
    assert await status(door.rival, "POST", f"{mine}/credits", json={"credits": 5}) == 403
    assert await status(door.rival, "PUT", "/plans/free", json={"name": "Free"}) == 403
    assert await status(door.rival, "POST", "/tenants", json=NEW_TENANT) == 403
    assert await status(door.rival, "PATCH", mine, json={"name": "Rival & Co"}) == 200
    key = await add_key(door.acme, "admin")
    assert await status(key, "GET", "/tenants") == 403, "a service key is nobody's platform admin"


NEW_TENANT = {"name": "Third", "admin_email": "third@third.test"}


async def test_a_new_tenant_starts_with_its_plan_its_credits_and_a_project(door: Door) -> None:
    made = await door.acme.call("POST", "/tenants", 201, json=NEW_TENANT | {"plan": "free"})
    assert made["plan"] == "free"
    await choose_password(door.acme, made["invitation"]["url"])
    login = {"email": "third@third.test", "password": PASSWORD}
    token = (await door.acme.call("POST", "/auth/login", 200, json=login))["access_token"]
    door.http.cookies.clear()
    headers = {"Authorization": f"Bearer {token}"}
    tenant = await door.acme.call("GET", "/tenant", 200, headers=headers)
    assert (tenant["id"], tenant["credits"], tenant["usage"]["users"]) == (made["id"], 1000, 1)
    assert len((await door.acme.call("GET", "/projects", 200, headers=headers))["items"]) == 1


async def test_what_a_tenant_holds_and_has_left_is_told_to_who_sees_all_of_it(door: Door) -> None:
    acme = door.acme
    project = (await acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(acme, "mia@acme.test", **{project: "manager"})
    ask, read = await add_key(acme, "ask"), await add_key(acme, "read")
    bound = await add_key(acme, "manage", project_id=project)
    for person, told in ((acme, True), (read, True), (ask, False), (bound, False), (member, False)):
        tenant = await person.call("GET", "/tenant", 200)
        assert (tenant["usage"] is not None, tenant["credits"] is not None) == (told, told)
        assert tenant["limits"]["code"] == tenant["plan"], "what the plan allows is no secret"


async def test_a_plan_made_for_one_customer_is_not_told_to_others(door: Door) -> None:
    plan = {
        "name": "Solo para Tercera SA",
        "max_knowledge_bases": 3,
        "max_documents_per_kb": 5,
        "max_bytes_per_kb": 9,
        "credits": 7,
    }
    await door.acme.call("PUT", "/plans/tercera", 200, json=plan)
    assert "tercera" in [one["code"] for one in (await door.acme.call("GET", "/plans", 200))["items"]]
    for person in (door.rival, await add_key(door.rival, "ask"), await add_key(door.acme, "ask")):
        own = (await person.call("GET", "/tenant", 200))["plan"]
        assert [one["code"] for one in (await person.call("GET", "/plans", 200))["items"]] == [own]


async def test_credits_move_once_per_key_and_never_below_zero(door: Door) -> None:
    path = f"/tenants/{door.rival.tenant_id}/credits"
    before = await door.rival.credits()
    granted = await door.acme.call("POST", path, 200, json={"credits": 50, "reason": "gift"})
    assert granted["credits"] == before + 50
    rival = Actor(tenant_id=(await door.veraz.tenants.operator("Rival")).tenant_id)
    ours = system(rival.tenant_id)
    async with door.veraz.db.transaction(ours) as tx:
        first = await door.veraz.plans.move(tx, -20, reason="use", key="job:1")
        again = await door.veraz.plans.move(tx, -20, reason="use", key="job:1")
    assert first == again == before + 30
    with pytest.raises(errors.CreditsExhausted):
        async with door.veraz.db.transaction(ours) as tx:
            await door.veraz.plans.move(tx, -(before + 31), reason="use")
    with pytest.raises(errors.Forbidden):
        async with door.veraz.db.transaction(rival.scope()) as tx:
            await door.veraz.plans.move(tx, 1, reason="a present to myself")
    with pytest.raises(errors.Forbidden):
        async with door.veraz.db.transaction(rival.scope()) as tx:
            await door.veraz.plans.move(tx, -1, reason="out of spite")
    assert await door.rival.credits() == before + 30
    ledger = (await door.rival.call("GET", "/credits", 200))["items"]
    assert [(e["credits"], e["reason"]) for e in ledger[:2]] == [(-20, "use"), (50, "gift")]
    assert ledger[0]["balance"] == before + 30
    taken = await door.acme.send("POST", path, json={"credits": -(before + 31)})
    assert (taken.status_code, taken.json()["code"]) == (402, "credits_exhausted")


# the log


async def test_every_change_is_in_the_log_with_who_and_where(door: Door) -> None:
    answer = await door.acme.send(
        "POST", "/projects", json={"name": "Sales"}, headers={"X-Request-ID": "req-7"}
    )
    project = answer.json()["id"]
    await door.acme.call("PATCH", f"/projects/{project}", 200, json={"name": "Ventas"})
    key = await add_key(door.acme, "admin")
    key_id = (await door.acme.call("GET", "/api-keys", 200))["items"][0]["id"]
    await key.call("DELETE", f"/projects/{project}", 204)
    entries = [e for e in await audited(door.acme, "project") if e["thing_id"] == project]
    assert [e["action"] for e in entries] == ["delete", "update", "insert"]
    gone, renamed, made = entries
    assert made["request_id"] == "req-7" and made["user_id"] == await my_id(door.acme)
    assert renamed["changes"] == {"name": ["Sales", "Ventas"]}
    assert gone["key_id"] == key_id and gone["user_id"] is None


@pytest.mark.parametrize(
    ("thing", "method", "path", "body"),
    [
        ("app_user", "POST", "/users", {"email": "x@acme.test", "password": PASSWORD}),
        ("api_key", "POST", "/api-keys", {"name": "k"}),
        ("licence", "POST", "/licences", {"machine_id": "m1"}),
        ("agent", "POST", "/agents", {"name": "a"}),
        ("knowledge_base", "POST", "/knowledge-bases", {"name": "k"}),
        ("plan", "PUT", "/plans/tiny", {"name": "Tiny"}),
    ],
)
async def test_everything_people_make_leaves_a_trace(
    door: Door, thing: str, method: str, path: str, body: dict[str, Any]
) -> None:
    assert await status(door.acme, method, path, json=body) in (200, 201)
    newest = next(e for e in await audited(door.acme, thing) if e["action"] == "insert")
    assert newest["user_id"] == await my_id(door.acme)


async def test_granted_credits_leave_a_trace_with_the_tenant_that_got_them(door: Door) -> None:
    await door.acme.call("POST", f"/tenants/{door.rival.tenant_id}/credits", 200, json={"credits": 7})
    entry = (await audited(door.rival, "credit_entry"))[0]
    assert entry["changes"]["credits"] == [None, 7]
    assert entry["user_id"] == await my_id(door.acme)


async def test_no_secret_is_in_the_log(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    new = {"current_password": PASSWORD, "new_password": "otra frase distinta"}
    await eva.call("POST", "/me/password", 204, json=new)
    log = (await door.acme.send("GET", "/audit?limit=500")).text
    assert "app_user" in log
    for secret in ("otra frase distinta", PASSWORD, "argon2", "password_hash", "token_hash", "key_hash"):
        assert secret not in log


async def test_what_is_personal_is_not_in_the_log_for_admins(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    body = {"name": "My illness", "description": "My secret", "kind": "personal"}
    kb = (await eva.call("POST", "/knowledge-bases", 201, json=body))["id"]
    note = {"title": "Diagnosis", "content": "…"}
    await eva.call("POST", f"/knowledge-bases/{kb}/documents/text", 202, json=note)
    await eva.call("PATCH", f"/knowledge-bases/{kb}", 200, json={"name": "My other illness"})
    await eva.call("DELETE", f"/knowledge-bases/{kb}", 204)
    log = (await door.acme.send("GET", "/audit?limit=500")).text
    assert kb in log, "that something happened is no secret"
    assert not [word for word in ("illness", "secret", "Diagnosis") if word in log]


async def test_the_other_company_cannot(door: Door) -> None:
    project = (await door.acme.call("POST", "/projects", 201, json={"name": "Sales"}))["id"]
    path = f"/projects/{project}"
    eva = await my_id(await add_person(door.acme, "eva@acme.test", **{project: "member"}))
    me = await my_id(door.rival)
    for method, where, body in (
        ("GET", path, None),
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, None),
        ("GET", f"{path}/members", None),
        ("POST", f"{path}/members", {"user_id": me, "role": "admin"}),
        ("DELETE", f"{path}/members/{eva}", None),
    ):
        assert await status(door.rival, method, where, json=body) == 404, (method, where)
    mine = (await door.rival.call("GET", "/projects", 200))["items"][0]["id"]
    for body in ({"user_id": eva}, {"email": "eva@acme.test"}):
        assert await status(door.rival, "POST", f"/projects/{mine}/members", json=body) == 404
    log = (await door.rival.send("GET", "/audit?limit=500")).text
    assert project not in log and eva not in log
    assert (await door.rival.call("GET", f"/audit?thing_id={project}", 200))["items"] == []
