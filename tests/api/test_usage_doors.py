"""Usage and traces over HTTP."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

GYM = b"# Gimnasio\n\nLa cuota mensual del gimnasio municipal es de 30 euros.\n"
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"


@pytest.fixture
async def asked(at_work: Door) -> tuple[Door, str, str]:
    """An agent that was asked once: its id and the question's."""
    acme = at_work.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM))
    agent = (await acme.call("POST", "/agents", 201, json={"name": "Luna"}))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    answer = await acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    return at_work, agent, answer["query_id"]


async def test_the_trace_of_a_question_is_told_to_its_company_only(asked: tuple[Door, str, str]) -> None:
    door, agent, query = asked
    told = await door.acme.call("GET", f"/queries/{query}/trace", 200)
    assert (told["agent_id"], told["question"], told["has_trace"]) == (agent, QUESTION, True)
    best = told["trace"]["passages"][0]
    assert "30 euros" in told["texts"][best["chunk_id"]]
    await door.rival.call("GET", f"/queries/{query}/trace", 404)


async def test_usage_counts_questions_and_tells_searches_apart(asked: tuple[Door, str, str]) -> None:
    door, agent, query = asked
    await door.acme.call("POST", f"/agents/{agent}/search", 200, json={"query": "cuota"})
    found = await door.acme.call("GET", f"/usage?days=7&zone=America/Mexico_City&agent={agent}", 200)
    assert (found["totals"]["questions"], found["totals"]["answered"]) == (1, 1)
    assert [(one["origin"], one["questions"]) for one in found["apart"]] == [("program", 1)]
    listed = await door.acme.call("GET", "/usage/questions?words=CUOTA&outcome=answered", 200)
    assert [one["id"] for one in listed["items"]] == [query]
    assert (await door.rival.call("GET", "/usage", 200))["totals"]["questions"] == 0
    assert (await door.rival.call("GET", "/usage/questions", 200))["items"] == []
    await door.acme.call("GET", "/usage?zone=Luna/Mar", 422)
    lines = (await door.acme.call("GET", "/queries", 200))["items"]
    assert [(one["origin"], one["outcome"]) for one in lines] == [("program", None), ("person", "answered")]
