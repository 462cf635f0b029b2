"""Every change of an agent is a version, whoever made it, and its managers can go back."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import add_key, add_person
else:
    from support.door import Door, Person
    from support.people import add_key, add_person


async def made(person: Person, **more: Any) -> str:
    """The id of a new agent."""
    return str((await person.call("POST", "/agents", 201, json={"name": "Luna", **more}))["id"])


async def versions(person: Person, agent: str) -> list[dict[str, Any]]:
    """Newest first."""
    return list((await person.call("GET", f"/agents/{agent}/versions", 200))["items"])


async def test_every_change_is_a_version_that_says_who_changed_what(door: Door) -> None:
    agent = await made(door.acme, system_prompt="Sé breve.")
    change = {"system_prompt": "Sé amable.", "retrieval": {"top_k": 12}}
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json=change)
    newest, first = await versions(door.acme, agent)
    assert (newest["number"], first["number"]) == (2, 1)
    assert newest["changes"] == [
        {"field": "system_prompt", "before": "Sé breve.", "after": "Sé amable."},
        {"field": "retrieval.top_k", "before": 8, "after": 12},
    ]
    assert first["changes"] == []
    assert newest["author"] == "ana@acme.test" or newest["author"]
    assert newest["settings"]["system_prompt"] == "Sé amable."


async def test_a_change_that_changes_nothing_is_no_version(door: Door) -> None:
    agent = await made(door.acme)
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"name": "Luna"})
    assert len(await versions(door.acme, agent)) == 1


async def test_a_key_changes_an_agent_as_nobody_in_particular(door: Door) -> None:
    agent = await made(door.acme)
    key = await add_key(door.acme, "read", "manage")
    await key.call("PATCH", f"/agents/{agent}", 200, json={"description": "Otra"})
    assert (await versions(door.acme, agent))[0]["changes"][0]["field"] == "description"


async def test_going_back_is_a_version_too(door: Door) -> None:
    agent = await made(door.acme, system_prompt="Sé breve.")
    change = {"name": "Sol", "system_prompt": "Sé amable.", "retrieval": {"top_k": 12}}
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json=change)
    now = await door.acme.call("POST", f"/agents/{agent}/versions/1/restore", 200)
    assert (now["name"], now["system_prompt"], now["retrieval"]) == ("Luna", "Sé breve.", {})
    found = await versions(door.acme, agent)
    assert [(one["number"], one["same_as"]) for one in found] == [(3, 1), (2, None), (1, None)]
    assert (await door.acme.call("POST", f"/agents/{agent}/versions/9/restore"))["status"] == 404


async def test_versions_come_in_pages(door: Door) -> None:
    agent = await made(door.acme)
    for turn in range(3):
        await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"description": f"{turn}"})
    first = await door.acme.call("GET", f"/agents/{agent}/versions?limit=3", 200)
    rest = await door.acme.call("GET", f"/agents/{agent}/versions?limit=3&cursor={first['next_cursor']}", 200)
    assert [one["number"] for one in (*first["items"], *rest["items"])] == [4, 3, 2, 1]


async def test_the_other_tenant_and_members_see_no_version_and_go_back_to_none(door: Door) -> None:
    agent = await made(door.acme)
    project = (await door.acme.call("GET", f"/agents/{agent}", 200))["project_id"]
    member = await add_person(door.acme, "miguel@acme.test", **{project: "member"})
    for person, status in ((door.rival, 404), (member, 403)):
        await person.call("GET", f"/agents/{agent}/versions", status)
        await person.call("POST", f"/agents/{agent}/versions/1/restore", status)


async def test_versions_leave_with_their_agent(door: Door) -> None:
    agent = await made(door.acme)
    await door.acme.call("DELETE", f"/agents/{agent}", 204)
    await door.acme.call("GET", f"/agents/{agent}/versions", 404)
