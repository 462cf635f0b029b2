"""The exam of an agent runs after changes, may hold them back, and proposes its own questions."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

from veraz import errors

if TYPE_CHECKING:
    from tests.support.door import Door
    from tests.support.reader import Reader
else:
    from support.door import Door
    from support.reader import Reader

GYM = """# Gimnasio

La cuota mensual del gimnasio municipal es de 30 euros. Ana García dirige el gimnasio municipal desde 2015. La piscina cubierta mide 25 metros.
"""
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
RIGHT = "La cuota mensual del gimnasio municipal es de 30 euros [Chunk 1]."
WRONG = "La piscina cubierta mide 25 metros [Chunk 1]."


@pytest.fixture
async def ready(at_work: Door) -> AsyncIterator[tuple[Door, str]]:
    acme = at_work.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
    agent = (await acme.call("POST", "/agents", 201, json=body))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    questions = [{"question": QUESTION, "expected_text": "30 euros"}]
    await acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": questions})
    await acme.call("POST", f"/agents/{agent}/exam/runs", 201)
    yield at_work, agent


def answered_by(monkeypatch: pytest.MonkeyPatch, line: Any) -> None:
    """Every chat model, also the worker's, says this."""
    monkeypatch.setattr(
        "veraz.answer.service.pick_chat", lambda name, settings, fallback=None: Reader(line, name=name)
    )


async def change(door: Door, agent: str, **changes: Any) -> dict[str, Any]:
    """Changes the agent and waits for the exam; what became of the change."""
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json=changes)
    await door.acme.idle()
    found: list[dict[str, Any]] = (await door.acme.call("GET", f"/agents/{agent}/changes", 200))["items"]
    return found[0]


async def test_a_changed_prompt_is_examined_by_itself(ready: tuple[Door, str]) -> None:
    door, agent = ready
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"description": "Otra"})
    assert not (await door.acme.call("GET", f"/agents/{agent}/changes", 200))["items"]
    done = await change(door, agent, system_prompt="Sé breve.")
    assert (done["status"], done["changes"], done["message"]) == (
        "applied",
        {"system_prompt": "Sé breve."},
        "",
    )
    runs = (await door.acme.call("GET", f"/agents/{agent}/exam/runs", 200))["items"]
    assert [run["change_id"] for run in runs] == [done["id"], None]
    assert runs[0]["id"] == done["run_id"]
    await door.rival.call("GET", f"/agents/{agent}/changes", 404)


async def test_a_change_that_makes_the_exam_fail_says_so(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    answered_by(monkeypatch, WRONG)
    done = await change(door, agent, model="ollama:tiny")
    assert done["status"] == "applied"
    assert QUESTION in done["message"]
    assert (await door.acme.call("GET", f"/agents/{agent}", 200))["model"] == "ollama:tiny"


async def test_a_failing_exam_holds_the_change_back(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    answered_by(monkeypatch, WRONG)
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"exam_blocks": True})
    done = await change(door, agent, model="ollama:tiny", description="Sí cambia")
    assert done["status"] == "held"
    assert "El cambio no se aplicó" in done["message"]
    now = await door.acme.call("GET", f"/agents/{agent}", 200)
    assert (now["model"], now["description"], now["waiting_changes"]) == (None, "Sí cambia", 0)
    again = await door.acme.call("POST", f"/agents/{agent}/exam/runs", 201)
    assert again["results"][0]["before"] is True


async def test_a_passed_exam_puts_the_change_in_force(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    answered_by(monkeypatch, RIGHT)
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"exam_blocks": True})
    done = await change(door, agent, model="ollama:good", retrieval={"similarity_threshold": 0.1})
    assert (done["status"], done["message"]) == ("applied", "")
    now = await door.acme.call("GET", f"/agents/{agent}", 200)
    assert (now["model"], now["retrieval"]) == ("ollama:good", {"similarity_threshold": 0.1})


async def test_an_exam_that_cannot_be_run_holds_the_change_back(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    answered_by(monkeypatch, errors.OutsideRejected(host="api.test", reason="401"))
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"exam_blocks": True})
    done = await change(door, agent, model="ollama:locked")
    assert done["status"] == "held"
    assert "No se pudo aplicar el examen" in done["message"]
    assert (await door.acme.call("GET", f"/agents/{agent}", 200))["model"] is None


async def test_questions_are_proposed_from_the_documents(ready: tuple[Door, str]) -> None:
    door, agent = ready
    path = f"/agents/{agent}/exam/proposals"
    found = (await door.acme.call("GET", path, 200))["items"]
    assert {(one["question"], one["expected_text"]) for one in found} == {
        ("¿Cuál es la cuota mensual del gimnasio municipal?", "30 euros"),
        ("¿Cuánto mide la piscina cubierta?", "25 metros"),
    }
    assert all(one["origin"] == "proposed" for one in found)
    await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": found})
    assert not (await door.acme.call("GET", path, 200))["items"]
    run = await door.acme.call("POST", f"/agents/{agent}/exam/runs", 201)
    assert run["failed"] == 0
    await door.rival.call("GET", path, 404)


async def test_what_an_exam_said_is_read_in_the_readers_language(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    answered_by(monkeypatch, WRONG)
    await change(door, agent, model="ollama:tiny")
    for language, words in (("es", "El cambio está en vigor"), ("en", "The change is in force")):
        path, headers = f"/agents/{agent}/changes", {"Accept-Language": language}
        found = (await door.acme.call("GET", path, 200, headers=headers))["items"]
        assert found[0]["message"].startswith(words)
        assert QUESTION in found[0]["message"]
        await door.rival.call("GET", path, 404, headers=headers)


async def test_a_question_names_the_document_it_expects(ready: tuple[Door, str]) -> None:
    door, agent = ready
    document = await door.acme.bring("piscina.md", b"La piscina abre a las 9.")
    asked = [{"question": "¿Cuándo abre la piscina?", "expected_document_id": document}]
    await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": asked})

    async def named() -> list[str | None]:
        found = (await door.acme.call("GET", f"/agents/{agent}/exam", 200))["items"]
        return [one["expected_document_name"] for one in found]

    assert await named() == [None, "piscina.md"]
    await door.acme.idle()
    await door.acme.call("DELETE", f"/knowledge-bases/{door.acme.kb}/documents/{document}", 204)
    assert await named() == [None, None]


async def test_a_question_never_names_another_tenants_document(ready: tuple[Door, str]) -> None:
    door, agent = ready
    theirs = await door.rival.bring("secreto.md", b"Nadie lo sabe.")
    asked = [{"question": "¿Qué dice?", "expected_document_id": theirs}]
    await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": asked})
    found = (await door.acme.call("GET", f"/agents/{agent}/exam", 200))["items"]
    assert found[-1]["expected_document_name"] is None


async def test_an_expected_figure_is_found_however_it_is_written(ready: tuple[Door, str]) -> None:
    door, agent = ready
    for expected, passes in (("$30", False), ("30.00 €", True), ("31 euros", False)):
        question = {"question": QUESTION, "expected_text": expected}
        await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": [question]})
        run = await door.acme.call("POST", f"/agents/{agent}/exam/runs", 201)
        assert run["results"][-1]["passed"] is passes, expected


async def test_a_failure_says_which_text_is_missing(ready: tuple[Door, str]) -> None:
    door, agent = ready
    asked = [{"question": QUESTION, "expected_text": "31 euros"}]
    await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": asked})
    run = await door.acme.call("POST", f"/agents/{agent}/exam/runs", 201)
    assert [(one["why"], one["expected_text"]) for one in run["results"]] == [
        ("", "30 euros"),
        ("text", "31 euros"),
    ]


async def test_text_and_document_must_both_be_right(ready: tuple[Door, str]) -> None:
    door, agent = ready
    other = await door.acme.bring("otro.md", b"Nada de eso.")
    both = {"question": QUESTION, "expected_text": "30 euros", "expected_document_id": other}
    await door.acme.call("POST", f"/agents/{agent}/exam", 201, json={"questions": [both]})
    run = await door.acme.call("POST", f"/agents/{agent}/exam/runs", 201)
    assert [one["why"] for one in run["results"]] == ["", "document"]


async def test_a_question_is_changed_in_its_place(ready: tuple[Door, str]) -> None:
    door, agent = ready
    path = f"/agents/{agent}/exam"
    await door.acme.call("POST", path, 201, json={"questions": [{"question": "¿Otra?", "must_refuse": True}]})
    first = (await door.acme.call("GET", path, 200))["items"][0]
    changed = await door.acme.call("PATCH", f"{path}/{first['id']}", 200, json={"expected_text": "31 euros"})
    assert changed == first | {"expected_text": "31 euros"}
    assert (await door.acme.call("GET", path, 200))["items"][0] == changed
    run = await door.acme.call("POST", f"{path}/runs", 201)
    assert run["newly_failed"][0]["question"] == QUESTION
    await door.acme.call("PATCH", f"{path}/{first['id']}", 422, json={"expected_text": None})
    await door.acme.call("PATCH", f"{path}/{first['id']}", 422, json={"question": ""})


async def test_the_other_tenant_changes_no_question(ready: tuple[Door, str]) -> None:
    door, agent = ready
    path = f"/agents/{agent}/exam"
    question = (await door.acme.call("GET", path, 200))["items"][0]
    theirs = (await door.rival.call("POST", "/agents", 201, json={"name": "Atlas"}))["id"]
    for place in (agent, theirs):
        await door.rival.call("PATCH", f"/agents/{place}/exam/{question['id']}", 404, json={"question": "x"})
    assert (await door.acme.call("GET", path, 200))["items"][0] == question
