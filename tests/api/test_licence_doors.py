"""A deleted licence closes its machine for good, and an unknown machine is let in or refused by the tenant's rule."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key, add_person
else:
    from support.door import Door, Person
    from support.people import acting, add_key, add_person

NOTE = "# Nota\n\nEl código del cajón es 4711.\n"


async def _licence(person: Person, machine: str) -> dict[str, Any]:
    found = (await person.call("GET", "/licences", 200))["items"]
    return next((one for one in found if one["machine_id"] == machine), {})


async def _status(person: Person, method: str, path: str, **more: Any) -> tuple[int, str]:
    answer = await person.send(method, path, **more)
    return answer.status_code, answer.json()["code"] if answer.status_code >= 400 else ""


async def test_a_deleted_licence_closes_its_machine_for_good(at_work: "Door") -> None:
    acme = at_work.acme
    licence = await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7", "user_name": "Ana"})
    await acme.call("PATCH", f"/licences/{licence['id']}", 200, json={"status": "revoked"})
    document = await acme.bring("a.md", b"# Hola")
    machine = acting(await add_key(acme, "ask", "read", "ingest"), machine="PC-7")
    assert await _status(machine, "GET", "/me") == (403, "licence_revoked")
    await acme.call("DELETE", f"/licences/{licence['id']}?memory=keep", 204)
    assert await _status(machine, "GET", "/me") == (403, "licence_revoked"), (
        "deleting let a revoked machine in"
    )
    kept = await _licence(acme, "PC-7")
    assert (kept["status"], kept["user_name"], kept["metadata"]) == ("closed", "", {})
    assert await _status(acme, "POST", "/licences", json={"machine_id": "PC-7"}) == (409, "name_taken")
    for change in ({"status": "active"}, {"user_name": "Otra"}):
        assert await _status(acme, "PATCH", f"/licences/{kept['id']}", json=change) == (409, "licence_closed")
    add = {"title": "n", "content": NOTE, "machine_id": "PC-7"}
    path = f"/knowledge-bases/{acme.kb}/documents"
    assert await _status(acme, "POST", f"{path}/text", json=add) == (403, "licence_revoked")
    body = {"query_embedding": [0.1] * 64, "filter_machine_id": "PC-7"}
    key = await add_key(acme, "read")
    assert (await key.send("POST", "//rest/v1/rpc/match_documents", json=body)).status_code == 403
    assert (await acme.send("GET", f"{path}/{document}")).status_code == 200
    assert await _status(at_work.rival, "DELETE", f"/licences/{kept['id']}?memory=forget") == (
        404,
        "not_found",
    )


@pytest.mark.parametrize("memory", ["keep", "forget"])
async def test_what_becomes_of_its_memory_is_asked(at_work: "Door", memory: str) -> None:
    acme = at_work.acme
    licence = await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7"})
    bound = await acme.bring("nota.md", NOTE.encode(), machine_id="PC-7")
    other = await acme.bring("otra.md", b"# Para todas")
    await acme.ended(bound, other)
    path = f"/licences/{licence['id']}"
    assert await _status(acme, "DELETE", path) == (422, "invalid")
    assert await _status(acme, "DELETE", f"{path}?memory=quizá") == (422, "invalid")
    assert (await _licence(acme, "PC-7"))["status"] == "active"
    await acme.call("DELETE", f"{path}?memory={memory}", 204)
    await acme.idle()
    documents = f"/knowledge-bases/{acme.kb}/documents"
    left = {one["id"] for one in (await acme.call("GET", documents, 200))["items"]}
    assert left == ({bound, other} if memory == "keep" else {other})


async def test_only_the_tenants_admins_close_machines(door: "Door") -> None:
    licence = await door.acme.call("POST", "/licences", 201, json={"machine_id": "PC-7"})
    member = await add_person(door.acme, "marta@acme.test")
    asking = acting(await add_key(door.acme, "ask"), machine="PC-7")
    for person in (member, asking, door.rival):
        status, _ = await _status(person, "DELETE", f"/licences/{licence['id']}?memory=forget")
        assert status in (403, 404)
    assert (await _licence(door.acme, "PC-7"))["status"] == "active"


async def test_an_unknown_machine_gets_a_licence_by_default(door: "Door") -> None:
    acme = door.acme
    machine = acting(await add_key(acme, "ask"), machine="PC-9")
    assert (await machine.call("GET", "/me", 200))["machine_id"] == "PC-9"
    assert (await _licence(acme, "PC-9"))["status"] == "active"
    await acme.bring("nota.md", NOTE.encode(), machine_id="PC-10")
    assert (await _licence(acme, "PC-10"))["status"] == "active"
    assert await _licence(acme, "global") == {}
    assert (await door.rival.call("GET", "/licences", 200))["items"] == []
    audited = (await acme.call("GET", "/audit", 200))["items"]
    assert any(one["thing"] == "licence" and one["action"] == "insert" for one in audited)


async def test_a_machine_that_lets_itself_in_is_told_to_the_admins(door: "Door") -> None:
    acme = door.acme
    key = await add_key(acme, "ask")
    for _ in range(2):
        await acting(key, machine="PC-9").call("GET", "/me", 200)
    await acme.bring("nota.md", NOTE.encode(), machine_id="PC-10")
    told = (await acme.call("GET", "/security-events?kind=licence_changed", 200))["items"]
    licences = [(await _licence(acme, name))["id"] for name in ("PC-10", "PC-9")]
    assert [(one["about"], one["details"]) for one in told] == [
        (one, {"action": "let in"}) for one in licences
    ]
    assert told[1]["key_id"] and told[0]["user_id"]
    assert (await door.rival.call("GET", "/security-events?kind=licence_changed", 200))["items"] == []


async def test_a_leaked_key_does_not_fill_the_register(door: "Door") -> None:
    acme = door.acme
    await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7"})
    key, rival = await add_key(acme, "ask"), await add_key(door.rival, "ask")
    many = [acting(key, machine=f"made up {n}").send("GET", "/me") for n in range(105)]
    statuses = [answer.status_code for answer in await asyncio.gather(*many)]
    assert (statuses.count(200), statuses.count(429)) == (100, 5)
    assert await _status(acting(key, machine="PC-7"), "GET", "/me") == (200, ""), "who is known comes in"
    add = {"title": "n", "content": NOTE, "machine_id": "PC-9"}
    path = f"/knowledge-bases/{acme.kb}/documents/text"
    assert await _status(acme, "POST", path, json=add) == (429, "rate_limited")
    await acme.call("POST", "/licences", 201, json={"machine_id": "PC-9"})
    assert await _status(acting(key, machine="PC-9"), "GET", "/me") == (200, ""), "an admin lets more in"
    assert await _status(acting(rival, machine="PC-8"), "GET", "/me") == (200, "")


async def test_an_unknown_machine_is_refused_at_every_door_where_the_tenant_says_so(door: "Door") -> None:
    acme = door.acme
    await acme.call("PATCH", "/tenant", 200, json={"unknown_machines": "refuse"})
    await acme.call("POST", "/licences", 201, json={"machine_id": "PC-7"})
    key = await add_key(acme, "ask", "read", "ingest")
    assert await _status(acting(key, machine="PC-7"), "GET", "/me") == (200, "")
    assert await _status(acting(key, machine="PC-9"), "GET", "/me") == (403, "licence_unknown")
    path = f"/knowledge-bases/{acme.kb}/documents"
    add = {"title": "n", "content": NOTE, "machine_id": "PC-9"}
    assert await _status(acme, "POST", f"{path}/text", json=add) == (403, "licence_unknown")
    assert (await acme.upload(("a.md", b"# a"), machine_id="PC-9")).status_code == 403
    page = {"url": "https://example.com", "machine_id": "PC-9"}
    crawl: dict[str, Any] = {"crawl": {}}
    for more in (dict[str, Any](), crawl):
        assert await _status(acme, "POST", f"{path}/url", json=page | more) == (403, "licence_unknown")
    body = {"query_embedding": [0.1] * 64, "filter_machine_id": "PC-9"}
    assert (await key.send("POST", "//rest/v1/rpc/match_documents", json=body)).status_code == 403
    assert await _licence(acme, "PC-9") == {}
    assert (await acme.upload(("a.md", b"# a"))).status_code == 202, "«global» is no machine"
    rival = acting(await add_key(door.rival, "ask"), machine="PC-9")
    assert await _status(rival, "GET", "/me") == (200, ""), "each tenant has its own rule"


async def test_only_admins_decide_about_unknown_machines(door: "Door") -> None:
    member = await add_person(door.acme, "marta@acme.test")
    key = replace(member, headers=(await add_key(door.acme, "manage")).headers)
    for person in (member, key):
        status, _ = await _status(person, "PATCH", "/tenant", json={"unknown_machines": "refuse"})
        assert status == 403
    assert (await _status(door.acme, "PATCH", "/tenant", json={"unknown_machines": "ask"}))[0] == 422
