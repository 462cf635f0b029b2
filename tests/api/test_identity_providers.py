"""Setting up identity providers at the HTTP door: by administrators alone, with addresses of the public web."""

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door
    from tests.support.people import add_key, add_person
else:
    from support.door import PASSWORD, Door
    from support.people import add_key, add_person

NEW: dict[str, Any] = {
    "name": "Acme",
    "issuer": "https://login.acme.example/realms/acme",
    "client_id": "veraz",
    "client_secret": "a secret agreed with the issuer",
}
PATH = "/identity-providers"


async def test_an_admin_sets_one_up_and_the_secret_is_never_shown(door: Door) -> None:
    made = await door.acme.call("POST", PATH, 201, json=NEW)
    assert made["has_secret"] and made["scopes"] == ["openid", "email", "profile"]
    assert made["redirect_uri"].endswith(f"/auth/sso/{made['id']}/callback")
    assert not made["creates_users"] and not made["links_users"], "nobody comes in until an admin says who"
    for answer in (made, await door.acme.call("GET", f"{PATH}/{made['id']}", 200)):
        assert NEW["client_secret"] not in str(answer)
    changed = await door.acme.call("PATCH", f"{PATH}/{made['id']}", 200, json={"name": "Other"})
    assert changed["name"] == "Other" and changed["has_secret"]
    public = await door.acme.call("PATCH", f"{PATH}/{made['id']}", 200, json={"client_secret": ""})
    assert not public["has_secret"]
    await door.acme.call("DELETE", f"{PATH}/{made['id']}", 204)
    assert (await door.acme.call("GET", PATH, 200))["items"] == []


async def test_a_secret_is_sent_to_no_issuer_but_the_one_it_was_given_for(door: Door) -> None:
    made = await door.acme.call("POST", PATH, 201, json=NEW)
    path, elsewhere = f"{PATH}/{made['id']}", {"issuer": "https://other.example"}
    same = await door.acme.call("PATCH", path, 200, json={"issuer": made["issuer"]})
    assert same["has_secret"]
    moved = await door.acme.call("PATCH", path, 200, json=elsewhere)
    assert moved["issuer"] == elsewhere["issuer"] and not moved["has_secret"]
    back = {"issuer": made["issuer"], "client_secret": "another-secret"}
    assert (await door.acme.call("PATCH", path, 200, json=back))["has_secret"]


@pytest.mark.parametrize(
    "body",
    [
        {"creates_users": True},
        {"scopes": ["email"]},
        {"groups": [{"group": "x", "role": "manager"}]},
        {"domains": ["no domain"]},
        {"issuer": "ftp://acme.example"},
        {"issuer": "javascript:alert(1)"},
    ],
)
async def test_what_cannot_be_meant_is_refused(door: Door, body: dict[str, Any]) -> None:
    assert (await door.acme.send("POST", PATH, json=NEW | body)).status_code == 422


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.acme.example",
        "https://127.0.0.1",
        "https://169.254.169.254/latest",
        "https://[::1]",
        "https://10.0.0.1",
        "https://2130706433",
        "https://acme.example:22",
        "https://user:password@acme.example",
    ],
)
async def test_an_issuer_lives_on_the_public_web_and_speaks_tls(
    settings: Settings, db: Database, issuer: str
) -> None:
    veraz = assemble(settings.model_copy(update={"embedding_model": "fake:hash@8"}), db)
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    transport = httpx.ASGITransport(create_app(veraz))
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test/api/v1") as http:
        token = (await http.post("/auth/login", json={"email": "ana@acme.test", "password": PASSWORD})).json()
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        answer = await http.post(PATH, json=NEW | {"issuer": issuer}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "fetch_refused")


async def test_neither_a_member_nor_a_key_changes_how_people_sign_in(door: Door) -> None:
    """Whoever sets up an issuer can sign in as anybody."""
    made = await door.acme.call("POST", PATH, 201, json=NEW)
    eva = await add_person(door.acme, "eva@acme.test")
    for caller in (eva, await add_key(door.acme, "admin"), await add_key(eva, "admin", personal=True)):
        for method, path, body in (
            ("POST", PATH, NEW),
            ("GET", PATH, None),
            ("PATCH", f"{PATH}/{made['id']}", {"name": "Mine"}),
            ("DELETE", f"{PATH}/{made['id']}", None),
            ("POST", f"{PATH}/{made['id']}/test", None),
        ):
            assert (await caller.send(method, path, json=body)).status_code == 403


async def test_only_the_platform_shows_one_to_everybody(door: Door) -> None:
    """A button of another tenant on everybody's sign-in page would be bait."""
    assert (await door.rival.send("POST", PATH, json=NEW | {"listed": True})).status_code == 403
    hidden = await door.rival.call("POST", PATH, 201, json=NEW)
    answer = await door.rival.send("PATCH", f"{PATH}/{hidden['id']}", json={"listed": True})
    assert answer.status_code == 403
    shown = await door.acme.call("POST", PATH, 201, json=NEW | {"listed": True})
    assert [str(one.id) for one in await door.veraz.sso.listed()] == [shown["id"]]


async def test_the_other_tenant_cannot(door: Door) -> None:
    made = await door.acme.call("POST", PATH, 201, json=NEW)
    for method, body in (("GET", None), ("PATCH", {"issuer": "https://evil.example"}), ("DELETE", None)):
        assert (await door.rival.send(method, f"{PATH}/{made['id']}", json=body)).status_code == 404
    assert (await door.rival.send("POST", f"{PATH}/{made['id']}/test")).status_code == 404
    assert (await door.rival.call("GET", PATH, 200))["items"] == []
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    groups = [{"group": "x", "role": "manager", "project_id": project}]
    assert (await door.rival.send("POST", PATH, json=NEW | {"groups": groups})).status_code == 404
