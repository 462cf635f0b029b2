"""What happens to security is told, kept, and shown to those it concerns."""

import asyncio
import csv
import io
import json
import logging
import threading
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from pyotp.totp import TOTP

from veraz import errors, security
from veraz.db.pool import Database
from veraz.db.scope import Scope, Signer
from veraz.providers.web_rules import checked_url
from veraz.security import KINDS, record
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.security_events import SecurityEvents, Wanted
from veraz.upkeep import forget_old

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.access import ACCESS
    from tests.support.door import PASSWORD, Door, Person, open_door
else:
    from support.access import ACCESS
    from support.door import PASSWORD, Door, Person, open_door

Owner = Connection[TupleRow]


@pytest.fixture
async def events(db: Database) -> SecurityEvents:
    """Kept in this test's database."""
    kept = SecurityEvents(db)
    security.kept_by(kept.accept, salt="a test's")
    return kept


@pytest.fixture
async def door(settings: Settings, db: Database) -> AsyncIterator[Door]:
    """Two companies."""
    changed = settings.model_copy(
        update={"embedding_model": "fake:hash@64", "login_attempts_per_minute": 10_000}
    )
    async with open_door(changed, db) as opened:
        yield opened


async def told(person: Person, **where: Any) -> list[dict[str, Any]]:
    """The person's security events, newest first."""
    return list((await person.call("GET", "/security-events", 200, params=where))["items"])


async def test_a_sign_in_is_told_with_account_address_and_request(door: Door) -> None:
    me = await door.acme.call("GET", "/me", 200)
    first = (await told(door.acme, kind="signed_in"))[0]
    assert first["user_id"] == me["user"]["id"]
    assert first["address"] == "127.0.0.1"
    assert first["request_id"]
    assert first["outcome"] == "done"


async def test_a_wrong_password_is_told_to_the_tenant_of_the_account_and_to_nobody_else(door: Door) -> None:
    await door.http.post("/api/v1/auth/login", json={"email": "ana@acme.test", "password": "no es esta"})
    me = await door.acme.call("GET", "/me", 200)
    (failed,) = await told(door.acme, kind="sign_in_failed")
    assert (failed["about"], failed["outcome"]) == (me["user"]["id"], "refused")
    assert not await told(door.rival, kind="sign_in_failed")


async def test_an_unknown_account_is_told_to_the_platform_without_its_name(door: Door) -> None:
    secret_in_the_wrong_field = "Mi contraseña larga 123"
    for _ in range(2):
        body = {"email": secret_in_the_wrong_field, "password": "x"}
        await door.http.post("/api/v1/auth/login", json=body)
    of_installation = await told(door.acme, kind="sign_in_failed", installation=True)
    assert len({one["details"]["account"] for one in of_installation}) == 1
    assert "contraseña" not in json.dumps(of_installation, ensure_ascii=False).lower()


async def test_only_the_platform_sees_events_of_the_installation(door: Door) -> None:
    assert (await door.rival.send("GET", "/security-events?installation=true")).status_code == 403


async def test_members_and_keys_for_asking_see_no_event(door: Door) -> None:
    key = await door.acme.call(
        "POST", "/api-keys", 201, json={"name": "k", "scopes": ["ask"], "personal": False}
    )
    answer = await door.http.get("/api/v1/security-events", headers={"apikey": key["key"]})
    assert answer.status_code == 403
    refused = (await told(door.acme, kind="access_refused"))[0]
    assert refused["key_id"] == key["id"]


async def test_what_comes_late_of_a_deleted_tenant_is_not_kept(door: Door, owner: Owner) -> None:
    rival = door.rival.tenant_id
    await door.acme.call("DELETE", f"/tenants/{rival}?name=Rival", 202)
    record("signed_out", Scope(tenant_id=UUID(rival), role="member"))
    assert [one["about"] for one in await told(door.acme, kind="tenant_deleted", installation=True)] == [
        rival
    ]
    assert not owner.execute("select from veraz.security_event where tenant_id = %s", (rival,)).fetchall()


async def test_the_life_of_a_licence_is_told(door: Door) -> None:
    made = await door.acme.call("POST", "/licences", 201, json={"machine_id": "PC-7", "user_name": "Ana"})
    path = f"/licences/{made['id']}"
    await door.acme.call("PATCH", path, 200, json={"user_name": "Eva"})
    await door.acme.call("PATCH", path, 200, json={"status": "revoked"})
    await door.acme.call("DELETE", f"{path}?memory=keep", 204)
    events = list(reversed(await told(door.acme, kind="licence_changed")))
    assert [one["details"] for one in events] == [
        {"action": "registered"},
        {"before": "active", "after": "revoked"},
        {"before": "revoked", "after": "closed", "action": "keep"},
    ]
    assert {one["about"] for one in events} == {made["id"]} and all(one["user_id"] for one in events)
    assert "PC-7" not in json.dumps(events) and not await told(door.rival, kind="licence_changed")


async def test_the_life_of_an_end_user_key_is_told_without_its_secret(door: Door) -> None:
    made = await door.acme.call("POST", "/end-user-keys", 201, json={"name": "portal"})
    turned = await door.acme.call("POST", f"/end-user-keys/{made['id']}/rotate", 201, json={})
    await door.acme.call("DELETE", f"/end-user-keys/{turned['id']}", 204)
    events = list(reversed(await told(door.acme, kind="signing_key_changed")))
    assert [(one["about"], one["details"]["action"]) for one in events] == [
        (made["id"], "made"),
        (turned["id"], "made"),
        (made["id"], "ended"),
        (turned["id"], "ended"),
    ]
    assert made["secret"] not in json.dumps(events)
    assert not await told(door.rival, kind="signing_key_changed")


async def test_the_life_of_a_key_is_told_and_an_address_only_once(door: Door) -> None:
    key = await door.acme.call(
        "POST", "/api-keys", 201, json={"name": "k", "scopes": ["read"], "personal": False}
    )
    for _ in range(3):
        await door.http.get("/api/v1/me", headers={"apikey": key["key"]})
    again = SecurityEvents(door.veraz.db)  # another process, which remembers nothing
    security.kept_by(again.accept, salt="x")
    await door.http.get("/api/v1/me", headers={"apikey": key["key"]})
    await again.settle()
    security.kept_by(door.veraz.security_events.accept, salt="x")
    await door.acme.call("DELETE", f"/api-keys/{key['id']}", 204)
    kinds = [one["kind"] for one in await told(door.acme, key_id=key["id"])]
    assert sorted(kinds) == ["key_made", "key_revoked", "key_used_from_new_address"]
    assert not await told(door.rival, key_id=key["id"])


async def test_rights_passwords_and_disabling_are_told(door: Door) -> None:
    body = {"email": "luis@acme.test", "password": "otra frase muy larga", "role": "member"}
    user = (await door.acme.call("POST", "/users", 201, json=body))["id"]
    await door.acme.call("PATCH", f"/users/{user}", 200, json={"role": "admin"})
    await door.acme.call("PATCH", f"/users/{user}", 200, json={"disabled": True})
    await door.acme.call("DELETE", f"/users/{user}", 204)
    kinds = [one["kind"] for one in await told(door.acme, user_id=user)]
    assert kinds == ["user_deleted", "user_disabled", "rights_changed", "user_added"]


async def test_what_is_shown_for_a_second_factor_is_told(door: Door) -> None:
    wrong = await door.acme.send("POST", "/me/second-factor", json={"password": "no es esta"})
    assert wrong.status_code == 422
    (failed,) = await told(door.acme, kind="factor_failed")
    me = (await door.acme.call("GET", "/me", 200))["user"]["id"]
    assert (failed["about"], failed["outcome"], failed["details"]) == (me, "refused", {"method": "password"})
    made = await door.acme.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    now, totp = int(time.time()), TOTP(made["secret"])
    await door.acme.call("POST", "/me/second-factor/confirm", 200, json={"code": totp.at(now - 30)})
    await door.acme.call("POST", "/me/second-factor/recovery-codes", 200, json={"code": totp.at(now)})
    (renewed,) = await told(door.acme, kind="recovery_codes_made")
    assert (renewed["user_id"], renewed["outcome"]) == (me, "done")
    assert not await told(door.rival, kind="recovery_codes_made")


async def test_a_scope_that_postgresql_does_not_believe_is_told(
    db: Database, events: SecurityEvents, owner: Owner
) -> None:
    forged = Signer(b"guessed", "veraz_app").sign(Scope(tenant_id=uuid4(), role="admin"))
    with pytest.raises(errors.DatabaseUnavailable):
        async with db.transaction() as tx:
            await tx.run("select set_config('veraz.scope', %(it)s, true)", it=forged)
            await tx.run("select * from veraz.document")
    await events.settle()
    assert kinds_kept(owner) == ["scope_forged"]


async def test_a_refused_address_is_told_by_its_host_alone(events: SecurityEvents, owner: Owner) -> None:
    with pytest.raises(errors.FetchRefused):
        checked_url("http://169.254.169.254/latest/meta-data?token=secret")
    await events.settle()
    ((details,),) = owner.execute("select details from veraz.security_event").fetchall()
    assert details["host"] == "169.254.169.254"
    assert "secret" not in json.dumps(details)


async def test_nothing_but_the_words_that_are_foreseen_stands_beside_an_event(
    events: SecurityEvents, owner: Owner
) -> None:
    token = "vzk_" + "a" * 40
    record("limit_reached", password="hunter2", reason=f"with {token} {'x' * 500}")
    await events.settle()
    ((details,),) = owner.execute("select details from veraz.security_event").fetchall()
    assert set(details) == {"reason"}
    assert token not in details["reason"]
    assert len(details["reason"]) <= 120


async def test_what_is_told_of_does_not_wait_and_does_not_fail_when_nothing_can_be_kept(
    app_url: str, owner: Owner, caplog: pytest.LogCaptureFixture
) -> None:
    closed = SecurityEvents(Database(app_url, ACCESS))  # never opened
    security.kept_by(closed.accept, salt="x")
    with caplog.at_level(logging.INFO, "veraz.security"):
        record("key_made", Scope(tenant_id=uuid4()))
        await asyncio.wait_for(closed.settle(), 10)
    assert not kinds_kept(owner)
    assert json.loads(caplog.messages[0])["kind"] == "key_made"


async def test_a_keeper_that_fails_is_nobodys_concern(events: SecurityEvents) -> None:
    def broken(_: security.SecurityEvent) -> None:
        raise RuntimeError("full")

    security.kept_by(broken, salt="x")
    record("signed_in")


async def test_threads_tell_too(events: SecurityEvents, owner: Owner) -> None:
    thread = threading.Thread(target=record, args=("signed_in",))
    thread.start()
    thread.join()
    await events.settle()
    assert kinds_kept(owner) == ["signed_in"]


async def test_a_flood_of_refusals_is_told_often_enough_and_no_more(
    events: SecurityEvents, owner: Owner, make_tenant: "MakeTenant"
) -> None:
    tenant = make_tenant().id
    for _ in range(1_000):
        record("access_refused", outcome="refused", tenant_id=tenant)
    await events.settle()
    assert 0 < len(kinds_kept(owner)) <= 240  # a minute may begin in between


async def test_no_role_of_the_application_changes_an_event(
    db: Database, worker_db: Database, events: SecurityEvents, make_tenant: "MakeTenant"
) -> None:
    tenant = make_tenant()
    record("signed_in", tenant.admin)
    await events.settle()
    for pool in (db, db.platform, worker_db):
        for statement in (
            "update veraz.security_event set kind = 'x'",
            "delete from veraz.security_event",
            "insert into veraz.security_event (tenant_id, at, kind, outcome) values (gen_random_uuid(), now(), 'x', 'done')",
            "truncate veraz.security_event",
            "select veraz.forget_security_events(1)",
        ):
            with pytest.raises(errors.Forbidden):
                async with pool.transaction(tenant.admin) as tx:
                    await tx.run(statement)


async def test_the_other_tenant_cannot_read_or_forge_events(
    db: Database, events: SecurityEvents, make_tenant: "MakeTenant", owner: Owner
) -> None:
    ours, theirs = make_tenant("Ours"), make_tenant("Theirs")
    record("signed_in", ours.admin)
    await events.settle()
    actor = Actor(tenant_id=theirs.id, user_id=theirs.admin_id, user_role="admin")
    assert not (await events.all(actor)).items
    async with db.transaction(theirs.admin) as tx:
        forged = [{"at": "2026-01-01", "kind": "x", "outcome": "done", "tenant_id": str(ours.id)}]
        await tx.run("select veraz.record_security_events(%(e)s::jsonb)", e=json.dumps(forged))
    ((tenant,),) = owner.execute("select tenant_id from veraz.security_event where kind = 'x'").fetchall()
    assert tenant == theirs.id
    with pytest.raises(errors.Forbidden):
        await events.all(actor, wanted=Wanted(of_installation=True))


async def test_events_are_taken_away_as_a_file_that_no_spreadsheet_calculates(door: Door) -> None:
    for _ in range(3):
        record("limit_reached", Scope(tenant_id=UUID(door.acme.tenant_id)), reason="=1+1")
    security.address.set("=cmd()")
    record("limit_reached", Scope(tenant_id=UUID(door.acme.tenant_id)))
    as_csv = (await door.acme.send("GET", "/security-events/export?format=csv")).text
    rows = list(csv.DictReader(io.StringIO(as_csv.removeprefix("\ufeff"))))
    assert [row["kind"] for row in rows].count("limit_reached") == 4
    assert not [row for row in rows if row["address"].startswith("=")]
    lines = (await door.acme.send("GET", "/security-events/export?kind=exported")).text.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["exported", "exported"]
    assert "limit_reached" not in (await door.rival.send("GET", "/security-events/export")).text


async def test_events_come_in_pages_that_miss_none(door: Door) -> None:
    for number in range(12):
        record("forgotten", Scope(tenant_id=UUID(door.acme.tenant_id)), count=number)
    seen: list[int] = []
    cursor: str | None = None
    while True:
        query = {"kind": "forgotten", "limit": 5} | ({"cursor": cursor} if cursor else {})
        page = await door.acme.call("GET", "/security-events", 200, params=query)
        seen += [one["details"]["count"] for one in page["items"]]
        if not (cursor := page["next_cursor"]):
            break
    assert seen == [*range(11, -1, -1)]


async def test_old_events_are_forgotten(
    worker_db: Database, settings: Settings, events: SecurityEvents, owner: Owner
) -> None:
    owner.execute(
        "insert into veraz.security_event (tenant_id, at, kind, outcome) "
        "select gen_random_uuid(), now() - make_interval(days => d), 'd' || d, 'done' from unnest('{364, 366}'::int[]) d"
    )
    await forget_old(settings, worker_db)
    assert kinds_kept(owner) == ["d364"]


def test_every_kind_fits_the_table() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert all(len(kind) <= 60 for kind in KINDS)


def kinds_kept(owner: Owner) -> list[str]:
    """Kinds in the order in which they came."""
    return [row[0] for row in owner.execute("select kind from veraz.security_event order by id").fetchall()]


async def test_what_is_refused_is_told_at_every_door(door: Door) -> None:
    key = await door.acme.call(
        "POST", "/api-keys", 201, json={"name": "k", "scopes": ["read"], "personal": False}
    )
    headers = {"apikey": key["key"], "Authorization": f"Bearer {key['key']}"}
    agent = (await door.acme.call("POST", "/agents", 201, json={"name": "Luna"}))["id"]
    chat = {"model": agent, "messages": [{"role": "user", "content": "hola"}]}
    doors: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("POST", f"/api/v1/knowledge-bases/{door.acme.kb}/reprocess", {}),
        ("POST", "/v1/chat/completions", chat),
        ("POST", "/rest/v1/rpc/purge_completed_jobs", {"target_rag_id": door.acme.kb}),
    )
    for number, (method, path, body) in enumerate(doors, 1):
        answer = await door.http.request(method, path, json=body, headers=headers)
        assert answer.status_code in (401, 403), answer.text
        refused = [e for e in await told(door.acme, key_id=key["id"]) if e["outcome"] == "refused"]
        assert len(refused) == number, path
    unknown = {"apikey": "vzk_" + "x" * 43}
    for _, path, body in doors:
        await door.http.post(path, json=body, headers=unknown)
    assert len(await told(door.acme, kind="key_refused", installation=True)) == len(doors)


async def test_forgetting_is_told_without_a_name(door: Door) -> None:
    await door.acme.call("POST", "/licences", 201, json={"machine_id": "máquina de Ana"})
    actor = Actor(tenant_id=UUID(door.acme.tenant_id), user_role="admin")
    await door.veraz.forgettings.forget_machine(actor, "máquina de Ana")
    events = await told(door.acme, kind="forgotten")
    assert events
    assert "Ana" not in json.dumps(events, ensure_ascii=False)
    assert not await told(door.rival, kind="forgotten")
