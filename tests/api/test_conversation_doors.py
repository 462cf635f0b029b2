"""Conversations at the HTTP door: found by words, renamed, told apart; and nothing of it for another company."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import add_person
else:
    from support.door import Door, Person
    from support.people import add_person

PRICES = b"El plan premium cuesta 20 euros al mes."
QUESTION = "¿Cuánto cuesta el plan premium?"
PERSON = "quiero hablar con una persona"


@pytest.fixture
async def ready(at_work: Door) -> AsyncIterator[tuple[Door, str]]:
    """An agent of acme that reads prices."""
    acme = at_work.acme
    await acme.ended(await acme.bring("precios.md", PRICES))
    agent = str((await acme.call("POST", "/agents", 201, json={"name": "Luna"}))["id"])
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    yield at_work, agent


async def test_conversations_are_found_by_words_and_told_apart(ready: tuple[Door, str]) -> None:
    door, agent = ready
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(door.acme, "miguel@acme.test", **{project: "member"})
    mine, theirs = await ask(door.acme, agent, QUESTION), await ask(member, agent, PERSON)
    assert await found(door.acme) == [theirs, mine]
    assert await found(door.acme, words="PRÉMIUM cuesta") == [mine]
    assert await found(door.acme, waiting=True) == [theirs]
    assert await found(door.acme, mine=True) == [mine]
    assert await found(member) == [theirs]
    assert await found(door.rival, words="premium") == []
    listed = (await door.acme.call("GET", "/conversations", 200))["items"]
    assert [one["unread"] for one in listed] == [True, False]
    page = await door.acme.call("GET", "/conversations", 200, params={"limit": 1})
    rest = await door.acme.call("GET", "/conversations", 200, params={"cursor": page["next_cursor"]})
    assert [one["id"] for one in rest["items"]] == [mine]
    await door.acme.call("GET", "/conversations", 422, params={"cursor": mine})


async def test_a_conversation_is_renamed_and_handed_over_in_one_call(ready: tuple[Door, str]) -> None:
    door, agent = ready
    talk = await ask(door.acme, agent, QUESTION)
    path = f"/conversations/{talk}"
    assert (await door.acme.call("PATCH", path, 200, json={"title": " Planes "}))["title"] == "Planes"
    both = await door.acme.call("PATCH", path, 200, json={"title": "Precios", "handoff_mode": "human"})
    assert (both["title"], both["handoff_mode"]) == ("Precios", "human")
    back = await door.acme.call("PATCH", path, 200, json={"handoff_mode": "ai"})
    assert (back["title"], back["handoff_mode"]) == ("Precios", "ai")
    for body in ({}, {"title": ""}, {"title": "   "}, {"title": "x" * 121}, {"title": None}):
        await door.acme.call("PATCH", path, 422, json=body)


async def test_another_company_and_another_member_cannot_rename_a_conversation(
    ready: tuple[Door, str],
) -> None:
    door, agent = ready
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(door.acme, "miguel@acme.test", **{project: "member"})
    talk = await ask(door.acme, agent, QUESTION)
    for stranger in (door.rival, member):
        await stranger.call("PATCH", f"/conversations/{talk}", 404, json={"title": "Mío"})
    assert (await door.acme.call("GET", f"/conversations/{talk}", 200))["title"] == QUESTION


async def ask(person: Person, agent: str, question: str) -> str:
    """The conversation in which this was asked."""
    answer = await person.call("POST", f"/agents/{agent}/ask", 200, json={"question": question})
    return str(answer["conversation_id"])


async def found(person: Person, **wanted: Any) -> list[str]:
    """The ids that are listed."""
    return [one["id"] for one in (await person.call("GET", "/conversations", 200, params=wanted))["items"]]
