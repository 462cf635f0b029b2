"""Agents, knowledge bases and assignments at the door; and what the other company cannot do."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key, add_person
else:
    from support.door import Door, Person
    from support.people import acting, add_key, add_person


async def status(person: Person, method: str, path: str, **more: object) -> int:
    """Only the status of an answer."""
    return (await person.send(method, path, **more)).status_code


async def project_of(person: Person) -> str:
    """The project a company starts with."""
    return str((await person.call("GET", "/projects", 200))["items"][-1]["id"])


async def agent_of(person: Person, name: str, **more: Any) -> str:
    """A new agent."""
    return str((await person.call("POST", "/agents", 201, json={"name": name, **more}))["id"])


async def kb_of(person: Person, name: str, **more: Any) -> str:
    """A new knowledge base."""
    return str((await person.call("POST", "/knowledge-bases", 201, json={"name": name, **more}))["id"])


async def read_by(person: Person, agent: str) -> set[str]:
    """What the agent reads, as far as the caller may see it."""
    listed = await person.call("GET", f"/agents/{agent}/knowledge-bases", 200)
    return {item["kb_id"] for item in listed["items"]}


async def test_a_personal_kb_goes_to_all_agents_named_or_to_none(door: Door) -> None:
    project = await project_of(door.acme)
    eva = await add_person(door.acme, "eva@acme.test", **{project: "member"})
    open_one = await agent_of(door.acme, "Open", allows_personal_corpus=True)
    closed = [await agent_of(door.acme, name) for name in ("Closed", "Shut")]
    kb = await kb_of(eva, "Mine", kind="personal")
    both = {"agent_ids": [open_one, *closed]}
    answer = await eva.send("POST", f"/knowledge-bases/{kb}/agents", json=both)
    assert (answer.status_code, answer.json()["code"]) == (422, "personal_corpus_not_allowed")
    assert "Closed" in answer.json()["detail"] and "Shut" in answer.json()["detail"]
    assert "Open" not in answer.json()["detail"]
    assert await read_by(eva, open_one) == set(), "none of them"
    await eva.call("POST", f"/knowledge-bases/{kb}/agents", 201, json={"agent_ids": [open_one]})
    assert await read_by(eva, open_one) == {kb}
    assert await read_by(door.acme, open_one) == set(), "not even an admin sees what is personal"


async def test_an_admin_does_not_see_a_colleagues_personal_kb(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    kb = await kb_of(eva, "Mine", kind="personal")
    for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
        assert await status(door.acme, method, f"/knowledge-bases/{kb}", json=body) == 404
    assert kb not in {k["id"] for k in (await door.acme.call("GET", "/knowledge-bases", 200))["items"]}


async def test_a_member_makes_no_global_kb_and_no_agent(door: Door) -> None:
    project = await project_of(door.acme)
    eva = await add_person(door.acme, "eva@acme.test", **{project: "member"})
    for body in ({"name": "k"}, {"name": "k", "project_id": project}):
        assert await status(eva, "POST", "/knowledge-bases", json=body) == 403
        assert await status(eva, "POST", "/agents", json=body) == 403
    agent = await agent_of(door.acme, "Helper")
    assert await status(eva, "GET", f"/agents/{agent}") == 200
    assert await status(eva, "PATCH", f"/agents/{agent}", json={"name": "x"}) == 403
    assert await status(eva, "DELETE", f"/agents/{agent}") == 403
    assert await status(eva, "PUT", f"/agents/{agent}/knowledge-bases/{door.acme.kb}") == 404


async def test_an_agent_belongs_to_its_project_for_ever(door: Door) -> None:
    agent = await agent_of(door.acme, "Helper")
    other = (await door.acme.call("POST", "/projects", 201, json={"name": "Other"}))["id"]
    assert await status(door.acme, "PATCH", f"/agents/{agent}", json={"project_id": other}) == 422
    kb = await kb_of(door.acme, "Elsewhere", project_id=other)
    answer = await door.acme.send("PUT", f"/agents/{agent}/knowledge-bases/{kb}")
    assert (answer.status_code, answer.json()["code"]) == (422, "project_mismatch")
    assert await read_by(door.acme, agent) == set()


async def test_a_manager_of_one_project_does_not_reach_into_another(door: Door) -> None:
    first = await project_of(door.acme)
    other = (await door.acme.call("POST", "/projects", 201, json={"name": "Other"}))["id"]
    eva = await add_person(door.acme, "eva@acme.test", **{first: "manager"})
    theirs = await agent_of(door.acme, "Theirs", project_id=other)
    kb = await kb_of(door.acme, "Theirs", project_id=other)
    for method, path in (
        ("GET", f"/agents/{theirs}"),
        ("DELETE", f"/agents/{theirs}"),
        ("GET", f"/knowledge-bases/{kb}"),
        ("DELETE", f"/knowledge-bases/{kb}"),
        ("PUT", f"/agents/{theirs}/knowledge-bases/{door.acme.kb}"),
    ):
        assert await status(eva, method, path) == 404, (method, path)
    assert await status(eva, "PATCH", f"/knowledge-bases/{door.acme.kb}", json={"name": "x"}) == 403, (
        "what serves the whole tenant is seen by managers and changed by admins"
    )


async def test_assigning_again_changes_priority_and_weight(door: Door) -> None:
    agent = await agent_of(door.acme, "Helper")
    path = f"/agents/{agent}/knowledge-bases/{door.acme.kb}"
    await door.acme.call("PUT", path, 200)
    listed = await door.acme.call("PUT", path, 200, json={"priority": 5, "search_weight": 0.5})
    assert [(i["priority"], i["search_weight"]) for i in listed["items"]] == [(5, 0.5)]
    await door.acme.call("DELETE", path, 204)
    assert await status(door.acme, "DELETE", path) == 404


@pytest.mark.parametrize(
    "body", [{"priority": 0}, {"priority": 1001}, {"search_weight": 0}, {"search_weight": 10}]
)
async def test_priority_and_weight_have_limits(door: Door, body: dict[str, float]) -> None:
    agent = await agent_of(door.acme, "Helper")
    assert await status(door.acme, "PUT", f"/agents/{agent}/knowledge-bases/{door.acme.kb}", json=body) == 422


@pytest.mark.parametrize(
    "retrieval",
    [{"top_k": 0}, {"top_k": 1.5}, {"top_k": True}, {"rerank": "yes"}, {"mmr_lambda": 2}, {"unknown": 1}],
)
async def test_retrieval_settings_are_checked(door: Door, retrieval: dict[str, Any]) -> None:
    answer = await door.acme.send("POST", "/agents", json={"name": "a", "retrieval": retrieval})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert "retrieval" in answer.json()["detail"]


async def test_deleting_an_agent_leaves_what_it_read(door: Door) -> None:
    agent = await agent_of(door.acme, "Helper")
    await door.acme.call("PUT", f"/agents/{agent}/knowledge-bases/{door.acme.kb}", 200)
    entry = {"title": "Horario", "content": "Abrimos a las nueve."}
    await door.acme.call("POST", f"/agents/{agent}/knowledge", 201, json=entry)
    own = await read_by(door.acme, agent) - {door.acme.kb}
    assert len(own) == 1
    await door.acme.call("DELETE", f"/agents/{agent}", 204)
    assert await status(door.acme, "GET", f"/knowledge-bases/{door.acme.kb}") == 200
    assert await status(door.acme, "GET", f"/knowledge-bases/{own.pop()}") == 404
    assert (await door.acme.call("GET", f"/knowledge-bases/{door.acme.kb}/agents", 200))["items"] == []


async def test_names_are_taken_only_where_one_can_see_them(door: Door) -> None:
    answer = await door.acme.send("POST", "/knowledge-bases", json={"name": "base"})
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    assert "base de conocimiento" in answer.json()["detail"]
    await kb_of(door.rival, "Only acme has this name")
    await kb_of(door.acme, "Only acme has this name")
    eva = await add_person(door.acme, "eva@acme.test")
    await kb_of(eva, "Base", kind="personal")


async def test_end_users_keep_their_kbs_apart(door: Door) -> None:
    service = await add_key(door.acme, "ask", "ingest")
    ana, luis = acting(service, user="ana"), acting(service, user="luis")
    kb = await kb_of(ana, "Mine", kind="personal")
    agent = await agent_of(door.acme, "Open", allows_personal_corpus=True)
    await ana.call("PUT", f"/agents/{agent}/knowledge-bases/{kb}", 200)
    for method, path in (
        ("GET", f"/knowledge-bases/{kb}"),
        ("DELETE", f"/knowledge-bases/{kb}"),
        ("DELETE", f"/agents/{agent}/knowledge-bases/{kb}"),
        ("PUT", f"/agents/{agent}/knowledge-bases/{kb}"),
    ):
        for other in (luis, service, door.acme):
            assert await status(other, method, path) == 404, (method, path)
    assert await read_by(luis, agent) == set()
    assert await status(service, "POST", "/knowledge-bases", json={"name": "x", "kind": "personal"}) == 422


async def test_the_other_company_cannot(door: Door) -> None:
    agent = await agent_of(door.acme, "Helper", allows_personal_corpus=True)
    theirs = await agent_of(door.rival, "Spy", allows_personal_corpus=True)
    kb = door.acme.kb
    project = await project_of(door.acme)
    mine = await kb_of(door.rival, "Mine", kind="personal")
    for method, path, body in (
        ("GET", f"/agents/{agent}", None),
        ("PATCH", f"/agents/{agent}", {"name": "x"}),
        ("DELETE", f"/agents/{agent}", None),
        ("GET", f"/agents/{agent}/knowledge-bases", None),
        ("PUT", f"/agents/{agent}/knowledge-bases/{door.rival.kb}", None),
        ("PUT", f"/agents/{agent}/knowledge-bases/{mine}", None),
        ("PUT", f"/agents/{theirs}/knowledge-bases/{kb}", None),
        ("DELETE", f"/agents/{theirs}/knowledge-bases/{kb}", None),
        ("GET", f"/knowledge-bases/{kb}", None),
        ("PATCH", f"/knowledge-bases/{kb}", {"status": "archived"}),
        ("DELETE", f"/knowledge-bases/{kb}", None),
        ("GET", f"/knowledge-bases/{kb}/agents", None),
        ("POST", f"/knowledge-bases/{kb}/agents", {"agent_ids": [theirs]}),
        ("POST", f"/knowledge-bases/{mine}/agents", {"agent_ids": [theirs, agent]}),
        ("POST", f"/knowledge-bases/{kb}/search", {"query": "x"}),
        ("POST", f"/agents/{agent}/search", {"query": "x"}),
        ("POST", "/agents", {"name": "a", "project_id": project}),
        ("POST", "/knowledge-bases", {"name": "k", "project_id": project}),
    ):
        assert await status(door.rival, method, path, json=body) == 404, (method, path)
    assert await read_by(door.rival, theirs) == set()


async def test_a_member_sees_by_name_which_global_bases_their_agents_read(door: Door) -> None:
    acme, rival = door.acme, door.rival
    project = await project_of(acme)
    member = await add_person(acme, "mia@acme.test", **{project: "member"})
    agent = await acme.call("POST", "/agents", 201, json={"project_id": project, "name": "Luna"})
    body = {"name": "Manual de estilo", "description": "Cómo escribimos."}
    read = await acme.call("POST", "/knowledge-bases", 201, json=body)
    await acme.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{read['id']}", 200)
    (shown,) = (await member.call("GET", "/knowledge-bases", 200))["items"]
    assert (shown["id"], shown["name"]) == (read["id"], "Manual de estilo")
    assert (shown["description"], shown["total_documents"]) == ("Cómo escribimos.", 0)
    assert (shown["administered"], shown["chunking_config"]) == (False, {})
    (told,) = (await member.call("GET", f"/agents/{agent['id']}/knowledge-bases", 200))["items"]
    assert (told["kb_name"], told["description"]) == ("Manual de estilo", "Cómo escribimos.")
    path = f"/knowledge-bases/{read['id']}"
    for method, where, more in (
        ("GET", path, {}),
        ("PATCH", path, {"json": {"name": "x"}}),
        ("DELETE", path, {}),
        ("GET", f"{path}/documents", {}),
        ("POST", f"{path}/documents/text", {"json": {"title": "x", "content": "x"}}),
        ("POST", f"{path}/search", {"json": {"query": "x"}}),
    ):
        assert (await member.send(method, where, **more)).status_code == 404, (method, where)
    outsider = await add_person(acme, "olga@acme.test")
    for stranger in (outsider, rival):
        listed = (await stranger.call("GET", "/knowledge-bases", 200))["items"]
        assert read["id"] not in [one["id"] for one in listed]
        assert (await stranger.send("GET", f"/agents/{agent['id']}/knowledge-bases")).status_code == 404


async def test_names_have_up_to_two_hundred_characters(door: Door) -> None:
    acme = door.acme
    for path in ("/knowledge-bases", "/agents"):
        body = {"name": "n" * 200}
        if path == "/agents":
            body["project_id"] = await project_of(acme)
        made = await acme.call("POST", path, 201, json=body)
        assert len(made["name"]) == 200
        assert (await acme.send("POST", path, json=body | {"name": "n" * 201})).status_code == 422


async def test_a_member_lists_the_titles_of_what_their_agents_read_and_nothing_else(door: Door) -> None:
    acme, rival = door.acme, door.rival
    project = await project_of(acme)
    member = await add_person(acme, "mia@acme.test", **{project: "member"})
    agent = (await acme.call("POST", "/agents", 201, json={"project_id": project, "name": "Luna"}))["id"]
    first, second = [await acme.bring(name, name.encode()) for name in ("estilo.md", "marca.md")]
    bound = await acme.bring("taller.md", b"# Taller", machine_id="PC-7")
    old = await acme.bring("marca_2020.md", b"# Marca antigua")
    await acme.call(
        "PATCH", f"/knowledge-bases/{acme.kb}/documents/{old}", 200, json={"superseded_by": second}
    )
    await acme.call(
        "PATCH", f"/knowledge-bases/{acme.kb}/documents/{first}", 200, json={"title": "Manual de estilo"}
    )
    path = f"/knowledge-bases/{acme.kb}/contents"
    assert (await member.send("GET", path)).status_code == 404, "no agent reads it yet"
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    listed = (await member.call("GET", path, 200))["items"]
    assert [one["id"] for one in listed] == [second, first]
    assert set(listed[1]) == {
        "id", "name", "title", "file_type", "version", "status", "created_date", "created_at", "indexed_at",
    }  # fmt: skip
    assert (listed[1]["title"], listed[1]["file_type"], listed[1]["version"]) == ("Manual de estilo", "md", 1)
    page = await member.call("GET", f"{path}?limit=1", 200)
    rest = await member.call("GET", f"{path}?limit=1&cursor={page['next_cursor']}", 200)
    assert [one["id"] for one in (*page["items"], *rest["items"])] == [second, first]
    for closed in ("", "/documents", f"/documents/{first}", f"/documents/{first}/file", "/documents/export"):
        assert (await member.send("GET", f"/knowledge-bases/{acme.kb}{closed}")).status_code == 404, closed
    outsider = await add_person(acme, "olga@acme.test")
    for stranger in (outsider, rival):
        assert (await stranger.send("GET", path)).status_code == 404
    key = await add_key(acme, "read")
    assert (await key.send("GET", path)).status_code == 200
    here = (await acting(key, machine="PC-7").call("GET", path, 200))["items"]
    assert bound in [one["id"] for one in here]
    own = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Mía", "kind": "personal"})
    for anybody in (acme, member):
        assert (await anybody.send("GET", f"/knowledge-bases/{own['id']}/contents")).status_code == 404
    await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json={"status": "archived"})
    assert (await member.send("GET", path)).status_code == 404
