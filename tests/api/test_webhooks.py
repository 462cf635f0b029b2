"""Webhooks: events reach who asked for them, signed, in the end; and nobody else."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from standardwebhooks import Webhook, WebhookVerificationError  # type: ignore[import-untyped,unused-ignore]

from veraz.channels.deliver import LOST_IN_A_ROW, seconds_asked
from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.door import Door, Person, open_door, working
    from tests.support.people import add_key, add_person
    from tests.support.receiver import Receiver, receiving
else:
    from support.door import Door, Person, open_door, working
    from support.people import add_key, add_person
    from support.receiver import Receiver, receiving

COMPLETED = ["document.completed"]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


async def add(person: Person, url: str, events: list[str] = COMPLETED, **more: Any) -> dict[str, Any]:
    body = {"name": "CRM", "url": url, "events": events, **more}
    made: dict[str, Any] = await person.call("POST", "/webhooks", 201, json=body)
    return made


async def log_of(person: Person, hook: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await person.call("GET", f"/webhooks/{hook['id']}/deliveries", 200))[
        "items"
    ]
    return items


async def settled(person: Person, hook: dict[str, Any], *, attempts: int = 1) -> dict[str, Any]:
    """The newest delivery once it has been tried so often."""
    async with asyncio.timeout(30):
        while True:
            newest = (await log_of(person, hook))[0]
            if newest["attempts"] >= attempts and (newest["status"] != "pending" or newest["error"]):
                return newest
            await asyncio.sleep(0.05)


async def at_once(owner: Connection[TupleRow]) -> None:
    """The job that waits, or is about to wait, for its next attempt waits no longer."""
    soon = "update veraz.job set run_after = now() where status = 'PENDING'"
    async with asyncio.timeout(30):
        while not owner.execute(soon).rowcount:  # noqa: ASYNC110 - the database tells in no other way
            await asyncio.sleep(0.05)
    owner.execute("select pg_notify('veraz_job', '')")


async def test_a_completed_document_is_told_with_a_signature_that_verifies(
    at_work: Door, receiver: Receiver
) -> None:
    acme = at_work.acme
    hook = await add(acme, receiver.url)
    document = await acme.bring("a.md", b"# Horario\n\nAbrimos a las nueve.")
    ((headers, body),) = await receiver.wait()
    told = Webhook(hook["secret"]).verify(body, headers)
    assert told["type"] == "document.completed"
    assert told["data"] == {"kb_id": acme.kb, "document_id": document, "chunks": 1}
    delivery = await settled(acme, hook)
    assert (delivery["status"], delivery["attempts"], delivery["response_status"]) == ("delivered", 1, 200)
    assert delivery["response_ms"] > 0
    assert headers["webhook-id"] == f"msg_{delivery['id'].replace('-', '')}"


async def test_another_secret_does_not_verify_and_a_changed_body_neither(
    at_work: Door, receiver: Receiver
) -> None:
    hook = await add(at_work.acme, receiver.url)
    other = await add(at_work.acme, receiver.url)
    await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    ((headers, body),) = await receiver.wait()
    for secret, content in ((other["secret"], body), (hook["secret"], body + b" ")):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(content, headers)


async def test_the_other_tenant_sees_and_receives_nothing(at_work: Door, receiver: Receiver) -> None:
    acme, rival = at_work.acme, at_work.rival
    mine, theirs = await add(acme, receiver.url), await add(rival, receiver.url)
    await acme.bring("a.md", b"De la empresa Acme.")
    await receiver.wait()
    assert len(await log_of(acme, mine)) == 1
    assert not await log_of(rival, theirs)
    delivery = (await log_of(acme, mine))[0]["id"]
    path = f"/webhooks/{mine['id']}"
    assert [w["id"] for w in (await rival.call("GET", "/webhooks", 200))["items"]] == [theirs["id"]]
    await rival.call("GET", path, 404)
    await rival.call("PATCH", path, 404, json={"url": "http://127.0.0.1/mine"})
    await rival.call("DELETE", path, 404)
    await rival.call("POST", f"{path}/secret", 404)
    await rival.call("POST", f"{path}/test", 404)
    await rival.call("GET", f"{path}/deliveries", 404)
    await rival.call("POST", f"{path}/deliveries/{delivery}/resend", 404)
    await rival.call("POST", f"/webhooks/{theirs['id']}/deliveries/{delivery}/resend", 404)
    assert len(receiver.received) == 1


async def test_what_happens_in_a_personal_knowledge_base_is_told_to_nobody(
    at_work: Door, receiver: Receiver
) -> None:
    acme = at_work.acme
    hook = await add(acme, receiver.url)
    own = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Mía", "kind": "personal"})
    text = {"title": "Diario", "content": "Solo para mí."}
    await acme.call("POST", f"/knowledge-bases/{own['id']}/documents/text", 202, json=text)
    await acme.idle()
    assert await log_of(acme, hook) == []


async def test_a_projects_webhook_hears_of_its_project_only_and_its_managers_manage_it(
    at_work: Door, receiver: Receiver
) -> None:
    acme = at_work.acme
    first, second = [
        (await acme.call("POST", "/projects", 201, json={"name": name}))["id"] for name in ("Uno", "Dos")
    ]
    manager = await add_person(acme, "m@acme.test", **{first: "manager"})
    member = await add_person(acme, "x@acme.test", **{first: "member"})
    hook = await add(manager, receiver.url, project_id=first)
    elsewhere = await add(acme, receiver.url, project_id=second)
    kb = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Del uno", "project_id": first})
    await acme.upload(("a.md", b"Del proyecto uno."), kb=kb["id"])
    await receiver.wait()
    await acme.idle()
    assert [d["data"]["kb_id"] for d in await log_of(manager, hook)] == [kb["id"]]
    assert not await log_of(acme, elsewhere)
    await manager.call("GET", f"/webhooks/{elsewhere['id']}", 404)
    await member.call("GET", f"/webhooks/{hook['id']}", 404)
    await member.call("POST", "/webhooks", 403, json=_body(receiver, project_id=first))
    await manager.call("POST", "/webhooks", 403, json=_body(receiver))
    await manager.call("POST", f"/webhooks/{hook['id']}/test", 202)
    await receiver.wait(2)


def _body(receiver: Receiver, **more: Any) -> dict[str, Any]:
    return {"name": "x", "url": receiver.url, "events": COMPLETED, **more}


async def test_a_key_needs_the_scope_to_manage(door: Door) -> None:
    for scope, status in (("read", 403), ("ingest", 403), ("ask", 403), ("admin", 200)):
        key = await add_key(door.acme, scope)
        await key.call("GET", "/webhooks", status)


async def test_a_failed_attempt_is_tried_again_with_the_same_id(
    at_work: Door, receiver: Receiver, owner: Connection[TupleRow]
) -> None:
    receiver.statuses = [500, 302, 200]
    hook = await add(at_work.acme, receiver.url)
    await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    first = await settled(at_work.acme, hook)
    assert (first["status"], first["response_status"]) == ("pending", 500)
    assert "500" in first["error"]
    await at_once(owner)
    await settled(at_work.acme, hook, attempts=2)  # a redirect is not followed, and no success
    await at_once(owner)
    await receiver.wait(3)
    last = await settled(at_work.acme, hook, attempts=3)
    assert (last["status"], last["response_status"], last["error"]) == ("delivered", 200, None)
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1


async def test_a_busy_receiver_is_left_alone_as_long_as_it_asks_and_no_longer_than_a_day(
    at_work: Door, receiver: Receiver, owner: Connection[TupleRow]
) -> None:
    waits = """select extract(epoch from j.run_after - d.attempted_at)::float8 from veraz.job j
        join veraz.webhook_delivery d on d.id::text = j.payload ->> 'delivery_id' where j.status = 'PENDING'"""
    asked = [("3000", 3_000), ("Fri, 31 Dec 2199 23:59:59 GMT", 86_400), ("999999999", 86_400)]
    hook = await add(at_work.acme, receiver.url)
    for status, (retry_after, seconds) in zip((429, 503, 429), asked, strict=True):
        receiver.statuses, receiver.retry_after = [status], retry_after
        await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
        assert str(status) in (await settled(at_work.acme, hook))["error"]
        async with asyncio.timeout(30):
            while not (row := owner.execute(waits).fetchone()):  # noqa: ASYNC110 - nobody else tells
                await asyncio.sleep(0.05)
        assert seconds - 1 <= row[0] < seconds + 600
        owner.execute("update veraz.job set status = 'DONE', finished_at = now() where status = 'PENDING'")


def test_what_a_receiver_asks_for_is_read_as_seconds_or_a_date() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    said = {
        "120": 120.0,
        "Sun, 01 Mar 2026 12:05:00 GMT": 300.0,
        "Sun, 01 Mar 2026 12:05:00 -0000": 300.0,
        "Sun, 01 Mar 2026 11:00:00 GMT": 0.0,
        "": None,
        "soon": None,
        "-5": None,
        "1e9": None,
        "٣": None,
    }
    assert {header: seconds_asked(header, now) for header in said} == said


async def test_a_webhook_that_never_answers_is_given_up_and_switched_off_with_a_note(
    door: Door, door_settings: Settings, worker_db: Database, receiver: Receiver, owner: Connection[TupleRow]
) -> None:
    receiver.statuses = [500]
    acme = door.acme
    hook = await add(acme, receiver.url)
    path = f"/webhooks/{hook['id']}"
    await acme.call("POST", f"{path}/test", 202)
    owner.execute("update veraz.webhook set failures = %s", (LOST_IN_A_ROW - 1,))
    owner.execute("update veraz.job set max_attempts = 1 where kind = 'deliver_webhook'")
    async with working(door_settings, worker_db):
        await acme.idle()
        delivery = (await log_of(acme, hook))[0]
        assert delivery["status"] == "failed"
        shown = await acme.call("GET", path, 200)
        assert (shown["enabled"], shown["failures"]) == (False, LOST_IN_A_ROW)
        assert "500" in shown["note"]
        assert "de nuevo" not in shown["note"], "it is not tried again"
        await acme.bring("a.md", b"Nadie se entera.")
        await acme.idle()
        assert len(await log_of(acme, hook)) == 1
        receiver.statuses = [200]
        again = await acme.call("PATCH", path, 200, json={"enabled": True})
        assert (again["enabled"], again["failures"], again["note"]) == (True, 0, None)
        await acme.call("POST", f"{path}/deliveries/{delivery['id']}/resend", 202)
        assert (await settled(acme, hook, attempts=2))["status"] == "delivered"


async def test_why_a_delivery_failed_is_read_in_the_readers_language(
    at_work: Door, receiver: Receiver
) -> None:
    receiver.statuses = [410]
    hook = await add(at_work.acme, receiver.url)
    path = f"/webhooks/{hook['id']}"
    await at_work.acme.call("POST", f"{path}/test", 202)
    await settled(at_work.acme, hook)
    await at_work.acme.idle()
    for language, words in (
        ("es", "dice que ya no existe (410)"),
        ("en", "it says that it is gone for good"),
    ):
        headers = {"Accept-Language": language}
        sent = (await at_work.acme.call("GET", f"{path}/deliveries", 200, headers=headers))["items"]
        assert words in sent[0]["error"]
        assert words in (await at_work.acme.call("GET", path, 200, headers=headers))["note"]
        await at_work.rival.call("GET", path, 404, headers=headers)


async def test_an_address_that_is_gone_is_switched_off_at_once(at_work: Door, receiver: Receiver) -> None:
    receiver.statuses = [410]
    hook = await add(at_work.acme, receiver.url)
    await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    assert (await settled(at_work.acme, hook))["status"] in ("pending", "failed")
    await at_work.acme.idle()
    shown = await at_work.acme.call("GET", f"/webhooks/{hook['id']}", 200)
    assert not shown["enabled"]
    assert "410" in shown["note"]


async def test_a_delivery_can_be_sent_again_with_the_same_id(at_work: Door, receiver: Receiver) -> None:
    hook = await add(at_work.acme, receiver.url)
    await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    await receiver.wait()
    delivery = await settled(at_work.acme, hook)
    path = f"/webhooks/{hook['id']}/deliveries/{delivery['id']}/resend"
    assert (await at_work.acme.call("POST", path, 202))["status"] == "pending"
    await receiver.wait(2)
    (one, two) = receiver.received
    assert one[0]["webhook-id"] == two[0]["webhook-id"]
    assert one[1] == two[1]


async def test_a_changed_secret_and_the_old_one_both_verify_for_a_day(
    at_work: Door, receiver: Receiver, owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    hook = await add(acme, receiver.url)
    fresh = await acme.call("POST", f"/webhooks/{hook['id']}/secret", 200)
    await acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    headers, body = (await receiver.wait())[0]
    for secret in (hook["secret"], fresh["secret"]):
        Webhook(secret).verify(body, headers)
    owner.execute("update veraz.webhook set previous_until = %s", (datetime.now(UTC) - timedelta(seconds=1),))
    await acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    headers, body = (await receiver.wait(2))[1]
    Webhook(fresh["secret"]).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook["secret"]).verify(body, headers)


async def test_secrets_are_shown_once_stored_sealed_and_not_audited(
    door: Door, owner: Connection[TupleRow]
) -> None:
    hook = await add(door.acme, "https://example.com/x")
    await door.acme.call("PATCH", f"/webhooks/{hook['id']}", 200, json={"name": "Otro"})
    shown = json.dumps(await door.acme.call("GET", f"/webhooks/{hook['id']}", 200))
    stored = owner.execute("select secret_sealed from veraz.webhook").fetchone()
    assert "secret" not in json.loads(shown)
    assert stored is not None
    assert hook["secret"].encode() not in stored[0]
    entries = (await door.acme.call("GET", "/audit?thing=webhook", 200))["items"]
    assert [entry["action"] for entry in entries] == ["update", "insert"]
    assert entries[0]["changes"] == {"name": ["CRM", "Otro"]}
    assert "sealed" not in json.dumps(entries)


async def test_private_addresses_are_refused_when_added_and_when_delivered(
    door_settings: Settings, db: Database, worker_db: Database, owner: Connection[TupleRow]
) -> None:
    closed = door_settings.model_copy(update={"fetch_allow_private": False})
    async with open_door(closed, db) as door, receiving() as receiver, working(closed, worker_db):
        for url in (
            receiver.url,
            "http://169.254.169.254/latest",
            "ftp://example.com",
            "https://u:p@example.com",
        ):
            answer = await door.acme.call("POST", "/webhooks", 422, json=_body(receiver, url=url))
            assert answer["code"] == "invalid"
        hook = await add(door.acme, "https://example.com/hook")
        owner.execute("update veraz.webhook set url = %s", (receiver.url.replace("127.0.0.1", "localhost"),))
        await door.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
        await settled(door.acme, hook)
        await door.acme.idle()
        assert (await log_of(door.acme, hook))[0]["status"] == "failed"
        assert not receiver.received


async def test_a_name_nobody_has_just_now_is_tried_again(at_work: Door) -> None:
    hook = await add(at_work.acme, "https://nobody.invalid/hook")
    await at_work.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    delivery = await settled(at_work.acme, hook)
    assert (delivery["status"], delivery["response_status"]) == ("pending", None)
    assert "nobody.invalid" in delivery["error"]


async def test_a_name_that_cannot_be_read_is_refused(door: Door, receiver: Receiver) -> None:
    await door.acme.call("POST", "/webhooks", 422, json=_body(receiver, url="http://xn--/hook"))


async def test_a_receiver_that_never_answers_is_not_waited_for_forever(
    door: Door, door_settings: Settings, worker_db: Database
) -> None:
    silent = await asyncio.start_server(lambda *_: asyncio.sleep(0), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    hook = await add(door.acme, f"http://127.0.0.1:{port}/hook")
    await door.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    async with silent, working(door_settings.model_copy(update={"webhook_seconds": 1}), worker_db):
        delivery = await settled(door.acme, hook)
    assert (delivery["status"], delivery["response_status"]) == ("pending", None)
    assert "tardó demasiado" in delivery["error"]


async def test_handing_over_and_refusing_are_told(at_work: Door, receiver: Receiver) -> None:
    acme = at_work.acme
    await add(acme, receiver.url, ["conversation.handoff", "answer.refused"])
    agent = await acme.call("POST", "/agents", 201, json={"name": "Ana"})
    asked = {"question": "¿Cuál es la capital de Mongolia?"}
    answer = await acme.call("POST", f"/agents/{agent['id']}/ask", 200, json=asked)
    assert answer["refused"]
    talk = f"/conversations/{answer['conversation_id']}"
    await acme.call("PATCH", talk, 200, json={"handoff_mode": "human"})
    told = {json.loads(body)["type"]: json.loads(body)["data"] for _, body in await receiver.wait(2)}
    assert told["answer.refused"]["agent_id"] == agent["id"]
    assert told["conversation.handoff"] == {
        "agent_id": agent["id"],
        "conversation_id": answer["conversation_id"],
    }


async def test_old_deliveries_are_forgotten(
    door: Door, owner: Connection[TupleRow], worker_db: Database
) -> None:
    hook = await add(door.acme, "https://example.com/x")
    await door.acme.call("POST", f"/webhooks/{hook['id']}/test", 202)
    owner.execute("update veraz.webhook_delivery set created_at = now() - interval '31 days'")
    async with worker_db.queue.transaction() as tx:
        await tx.value("select veraz.forget_old(90, 14, 7, 30, 30)")
    assert await log_of(door.acme, hook) == []
