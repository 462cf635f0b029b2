"""Two at the same moment: what may happen once happens once, what must remain remains, and nobody gets a crash."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.attacks.world import UNHURRIED
    from tests.support.door import PASSWORD, Door, Person, open_door
    from tests.support.isolation_world import Owner
    from tests.support.people import acting, add_key, add_person, my_id
else:
    from support.attacks.world import UNHURRIED
    from support.door import PASSWORD, Door, Person, open_door
    from support.isolation_world import Owner
    from support.people import acting, add_key, add_person, my_id

CROWD = 8


@pytest.fixture
async def door(settings: Settings, db: Database, quiet: None) -> AsyncIterator[Door]:
    """The application with two companies; nobody works on the queue."""
    config = settings.model_copy(update=UNHURRIED | {"embedding_model": "fake:hash@64"})
    async with open_door(config, db) as opened:
        yield opened


async def at_once(*requests: Awaitable[httpx.Response]) -> Counter[int]:
    """The statuses of requests that go out together; none of them is a crash."""
    answers = await asyncio.gather(*requests)
    statuses = Counter(answer.status_code for answer in answers)
    assert not [status for status in statuses if status >= 500], [answer.text[:300] for answer in answers]
    return statuses


async def limited(door: Door, **limits: int) -> None:
    """The second company gets a plan with these limits."""
    await door.acme.call("PUT", "/plans/tight", 200, json={"name": "Tight", **limits})
    await door.acme.call("PATCH", f"/tenants/{door.rival.tenant_id}", 200, json={"plan": "tight"})


def admins(owner: Owner, tenant_id: str) -> int:
    """How many can still look after the company."""
    row = owner.execute(
        "select count(*) from veraz.app_user where tenant_id = %s and role = 'admin' and disabled_at is null",
        (tenant_id,),
    ).fetchone()
    return int(row[0]) if row else 0


# somebody must remain


@pytest.mark.parametrize("way", ["demote", "disable", "delete"])
async def test_admins_who_shut_each_other_out_at_once_leave_one(door: Door, owner: Owner, way: str) -> None:
    raul = door.rival
    crowd = [raul, *[await add_person(raul, f"eva{n}@rival.test", role="admin") for n in range(3)]]
    ids = [await my_id(one) for one in crowd]
    bodies: dict[str, Any] = {"demote": {"role": "member"}, "disable": {"disabled": True}, "delete": None}

    def shut_out(one: Person, victim: str) -> Awaitable[httpx.Response]:
        more = {"json": bodies[way]} if bodies[way] else {}
        return one.send("PATCH" if more else "DELETE", f"/users/{victim}", **more)

    next_one = [*ids[1:], ids[0]]
    statuses = await at_once(*(shut_out(one, victim) for one, victim in zip(crowd, next_one, strict=True)))
    assert admins(owner, raul.tenant_id) >= 1, statuses


async def test_what_many_delete_at_once_is_deleted(door: Door) -> None:
    acme = door.acme
    text = {"title": "T", "content": "Abrimos a las nueve."}
    path = f"/knowledge-bases/{acme.kb}/documents"
    made = await acme.call("POST", f"{path}/text", 202, json=text)
    once = [f"{path}/{made['document_id']}"]
    once += [f"/api-keys/{(await acme.call('POST', '/api-keys', 201, json={'name': 'k'}))['id']}"]
    once += [f"/projects/{(await acme.call('POST', '/projects', 201, json={'name': 'p'}))['id']}"]
    once += [
        f"/knowledge-bases/{(await acme.call('POST', '/knowledge-bases', 201, json={'name': 'x'}))['id']}"
    ]
    for address in once:
        statuses = await at_once(*(acme.send("DELETE", address) for _ in range(CROWD)))
        assert statuses.keys() <= {200, 202, 204, 403, 404}, (address, statuses)
        assert statuses.total() > statuses[404], (address, statuses)
        if "api-keys" not in address:  # a revoked key stays in the list
            assert (await acme.send("GET", address)).status_code == 404


# once means once


async def test_the_same_file_sent_by_many_at_once_is_one_document(door: Door) -> None:
    acme = door.acme
    statuses = await at_once(*(acme.upload(("a.md", b"Abrimos a las nueve.")) for _ in range(CROWD)))
    listed = await acme.call("GET", f"/knowledge-bases/{acme.kb}/documents", 200)
    assert len(listed["items"]) == 1, statuses
    assert statuses[202] == 1, statuses


async def test_a_first_file_of_many_at_once_makes_one_default_memory(door: Door) -> None:
    acme = door.acme
    files = [{"file": (f"{n}.md", f"Texto {n}".encode())} for n in range(CROWD)]
    statuses = await at_once(*(acme.send("POST", "//functions/v1/ingest-file", files=one) for one in files))
    shelves = (await acme.call("GET", "/knowledge-bases", 200))["items"]
    assert [shelf["name"] for shelf in shelves].count("Portality Brain") == 1, statuses


async def test_a_new_end_user_who_comes_many_times_at_once_is_one_person(door: Door, owner: Owner) -> None:
    key = acting(await add_key(door.acme, "admin"), user="ana-77", machine="m-77")
    await at_once(*(key.send("GET", "/me") for _ in range(CROWD)))
    row = owner.execute("select count(*) from veraz.app_user where external_id = 'ana-77'").fetchone()
    assert row and row[0] <= 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/licences", {"machine_id": "m1"}),
        ("/users", {"email": "eva@acme.test", "password": PASSWORD}),
        ("/projects", {"name": "Uno"}),
    ],
)
async def test_one_name_given_to_many_at_once_is_taken_once(
    door: Door, path: str, body: dict[str, str]
) -> None:
    statuses = await at_once(*(door.acme.send("POST", path, json=body) for _ in range(CROWD)))
    assert (statuses[201], statuses[409]) == (1, CROWD - 1), statuses


async def test_an_assignment_made_and_taken_back_at_once_crashes_nobody(door: Door) -> None:
    acme = door.acme
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Ana"}))["id"]
    path = f"/agents/{agent}/knowledge-bases/{acme.kb}"
    await at_once(*(acme.send(("PUT", "DELETE")[n % 2], path) for n in range(CROWD)))
    read = (await acme.call("GET", f"/agents/{agent}/knowledge-bases", 200))["items"]
    assert len(read) <= 1


# limits hold


async def test_many_uploads_at_once_do_not_pass_the_plans_limit(door: Door) -> None:
    rival = door.rival
    await limited(door, max_documents_per_kb=2)
    statuses = await at_once(*(rival.upload((f"{n}.md", f"Texto {n}".encode())) for n in range(CROWD)))
    listed = await rival.call("GET", f"/knowledge-bases/{rival.kb}/documents", 200)
    assert len(listed["items"]) == 2, statuses


async def test_many_knowledge_bases_at_once_do_not_pass_the_plans_limit(door: Door) -> None:
    rival = door.rival
    await limited(door, max_knowledge_bases=3)
    made = (rival.send("POST", "/knowledge-bases", json={"name": f"B{n}"}) for n in range(CROWD))
    statuses = await at_once(*made)
    assert len((await rival.call("GET", "/knowledge-bases", 200))["items"]) == 3, statuses


async def test_credits_are_never_spent_twice(door: Door) -> None:
    rival = door.rival
    grant = {"credits": 3 - await rival.credits(), "reason": "test"}
    await door.acme.call("POST", f"/tenants/{rival.tenant_id}/credits", 200, json=grant)
    statuses = await at_once(*(rival.upload((f"{n}.md", f"Texto {n}".encode())) for n in range(CROWD)))
    assert await rival.credits() >= 0, statuses


# what is taken away is gone


async def test_a_key_revoked_while_it_works_opens_nothing_afterwards(door: Door) -> None:
    key = await add_key(door.acme, "read")
    keys = (await door.acme.call("GET", "/api-keys", 200))["items"]
    revoke = door.acme.send("DELETE", f"/api-keys/{keys[0]['id']}")
    await at_once(*(key.send("GET", "/knowledge-bases") for _ in range(CROWD)), revoke)
    assert (await key.send("GET", "/knowledge-bases")).status_code == 401


async def test_a_session_ended_while_it_works_opens_nothing_afterwards(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test", role="admin")
    out = eva.send("POST", "/auth/logout")
    await at_once(*(eva.send("GET", "/users") for _ in range(CROWD)), out)
    assert (await eva.send("GET", "/users")).status_code == 401


async def test_a_person_removed_from_a_project_while_they_write_writes_no_more(door: Door) -> None:
    acme = door.acme
    project = (await acme.call("POST", "/projects", 201, json={"name": "P"}))["id"]
    eva = await add_person(acme, "eva@acme.test", **{project: "manager"})
    gone = acme.send("DELETE", f"/projects/{project}/members/{await my_id(eva)}")
    made = [eva.send("POST", "/agents", json={"name": f"A{n}", "project_id": project}) for n in range(CROWD)]
    await at_once(*made, gone)
    late = await eva.send("POST", "/agents", json={"name": "Tarde", "project_id": project})
    assert late.status_code in (403, 404)
