"""Asking over HTTP: the answer as JSON, as events, through OpenAI's own client; conversations and their walls."""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest

from veraz import errors
from veraz.providers.chat.fake import ScriptedChat

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

GYM = """# Gimnasio

La cuota mensual del gimnasio municipal es de 30 euros. Ana García dirige el gimnasio municipal desde 2015.
"""
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"


@pytest.fixture
async def ready(at_work: Door) -> AsyncIterator[tuple[Door, str]]:
    """An agent «Luna» of acme that reads about the gym."""
    acme = at_work.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
    agent = (await acme.call("POST", "/agents", 201, json=body))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    yield at_work, agent


def events_of(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_an_answer_comes_with_its_proof(ready: tuple[Door, str]) -> None:
    door, agent = ready
    answer = await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    assert "\n- Gimnasio: «La cuota mensual del gimnasio municipal es de 30 euros." in answer["answer"]
    assert answer["answer"].endswith("» [Chunk 1]")
    assert answer["answerable"]
    assert not answer["refused"]
    assert answer["claims"][0]["chunk_ids"] == [answer["evidence"][0]["chunk_id"]]
    assert answer["claims"][0]["support"] > 0.8
    assert answer["model"] == "extractive"
    assert answer["latency_ms"] > 0
    assert {"search", "gate"} <= set(answer["stages"])
    log = await door.acme.call("GET", f"/queries?agent={agent}", 200)
    assert [(e["question"], e["kind"]) for e in log["items"]] == [(QUESTION, "ask")]


async def test_the_events_tell_the_way_of_an_answer(ready: tuple[Door, str]) -> None:
    door, agent = ready
    sent = await door.acme.send("POST", f"/agents/{agent}/ask", json={"question": QUESTION, "stream": True})
    assert sent.headers["content-type"].startswith("text/event-stream")
    events = events_of(sent.text)
    assert [name for name, _ in events] == ["searching", "found", "delta", "checked", "answered"]
    assert events[-1][1]["answer"] == events[-2][1]["text"]
    assert events[1][1]["evidence"][0]["document_name"] == "gimnasio.md"


async def test_a_failing_model_turns_the_answer_into_quotations(
    ready: tuple[Door, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, agent = ready
    model = ScriptedChat(errors.OutsideDown(host="api.openai.com", reason="500"), name="openai:gpt")
    monkeypatch.setattr(door.veraz.answers, "_chats", lambda name, fallback: model)
    await door.acme.call("PATCH", f"/agents/{agent}", 200, json={"model": "openai:gpt"})
    sent = await door.acme.send("POST", f"/agents/{agent}/ask", json={"question": QUESTION, "stream": True})
    name, last = events_of(sent.text)[-1]
    whole = await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    for answer in (last, whole):
        assert "30 euros" in answer["answer"]
        assert answer["degraded"] == "model_down"
        assert {claim["verdict"] for claim in answer["claims"]} == {"quoted"}
    assert name == "answered"
    log = await door.acme.call("GET", f"/queries?agent={agent}", 200)
    assert len(log["items"]) == 2


async def test_another_company_cannot_ask_or_read_along(ready: tuple[Door, str]) -> None:
    door, agent = ready
    answer = await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    for stream in (False, True):
        body = {"question": QUESTION, "stream": stream}
        await door.rival.call("POST", f"/agents/{agent}/ask", 404, json=body)
    talk = f"/conversations/{answer['conversation_id']}"
    for method, path in (("GET", talk), ("GET", f"{talk}/messages"), ("DELETE", talk)):
        await door.rival.call(method, path, 404)
    await door.rival.call("PATCH", talk, 404, json={"handoff_mode": "human"})
    await door.rival.call("POST", f"{talk}/messages", 404, json={"text": "hola"})
    await door.rival.call("POST", f"/messages/{answer['message_id']}/feedback", 404, json={"rating": "up"})
    assert (await door.rival.call("GET", "/conversations", 200))["items"] == []
    assert (await door.rival.call("GET", "//v1/models", 200))["data"] == []
    await door.rival.call("GET", "//v1/models/Luna", 404)


async def test_a_keys_own_conversation_is_not_its_end_users(ready: tuple[Door, str]) -> None:
    door, agent = ready
    made = await door.acme.call("POST", "/api-keys", 201, json={"name": "chat", "scopes": ["ask"]})
    key = {"apikey": made["key"]}

    async def status(method: str, path: str, user: str | None = None) -> int:
        headers = key | ({"X-Veraz-User": user} if user else {})
        return (await door.http.request(method, f"/api/v1{path}", headers=headers)).status_code

    asked = await door.http.post(f"/api/v1/agents/{agent}/ask", headers=key, json={"question": QUESTION})
    talk = f"/conversations/{asked.json()['conversation_id']}"
    assert await status("GET", talk) == 200
    for method in ("GET", "DELETE"):
        assert await status(method, talk, "u1") == 404
    assert await status("GET", talk) == 200


async def test_a_conversation_is_kept_handed_over_and_rated(ready: tuple[Door, str]) -> None:
    door, agent = ready
    acme = door.acme
    answer = await acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    talk = f"/conversations/{answer['conversation_id']}"
    assert [c["id"] for c in (await acme.call("GET", f"/conversations?agent={agent}", 200))["items"]] == [
        answer["conversation_id"]
    ]
    said = (await acme.call("GET", f"{talk}/messages", 200))["items"]
    assert [m["role"] for m in said] == ["user", "assistant"]
    kept, told = said[1]["claims"][0], answer["claims"][0]
    assert (kept["text"], kept["verdict"]) == (told["text"], told["verdict"])
    assert kept["quotes"][0].items() <= told["quotes"][0].items()
    rated = await acme.call(
        "POST", f"/messages/{said[1]['id']}/feedback", 200, json={"rating": "down", "reason": "corto"}
    )
    assert rated["rating"] == -1
    assert (await acme.call("PATCH", talk, 200, json={"handoff_mode": "human"}))["handoff_mode"] == "human"
    waiting = {"question": "¿Hola?", "conversation_id": answer["conversation_id"]}
    assert (await acme.call("POST", f"/agents/{agent}/ask", 200, json=waiting))["refusal"] == "human"
    await acme.call("POST", f"{talk}/messages", 201, json={"text": "Soy Marta, del equipo."})
    assert [m["role"] for m in (await acme.call("GET", f"{talk}/messages", 200))["items"]] == [
        "user", "assistant", "user", "human",
    ]  # fmt: skip
    await acme.call("DELETE", talk, 204)
    await acme.call("GET", talk, 404)


def sdk(door: Door) -> openai.AsyncOpenAI:
    """OpenAI's own client on the application."""
    http = httpx.AsyncClient(transport=door.http._transport)
    key = door.acme.headers["Authorization"].removeprefix("Bearer ")
    return openai.AsyncOpenAI(
        api_key=key,
        base_url="http://veraz.test/v1",
        http_client=http,  # type: ignore[arg-type]  # either httpx will do
        max_retries=0,
    )


async def test_openais_client_chats_streams_and_lists_agents(ready: tuple[Door, str]) -> None:
    door, agent = ready
    client = sdk(door)
    assert [model.id async for model in await client.models.list()] == ["Luna"]
    assert (await client.models.retrieve("Luna")).id == "Luna"
    messages: Any = [{"role": "system", "content": "x"}, {"role": "user", "content": QUESTION}]
    for name in ("Luna", agent):
        done = await client.chat.completions.create(model=name, messages=messages)
        assert "30 euros" in (done.choices[0].message.content or "")
        assert done.choices[0].finish_reason == "stop"
        assert done.citations[0]["document_name"] == "gimnasio.md"  # type: ignore[attr-defined]
    stream = await client.chat.completions.create(
        model="Luna", messages=messages, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == done.choices[0].message.content
    assert chunks[-1].usage is not None
    assert not chunks[-1].choices


async def test_openais_client_embeds(ready: tuple[Door, str]) -> None:
    client = sdk(ready[0])
    done = await client.embeddings.create(model="default", input=["hola", "adiós"])
    plain = await client.embeddings.create(model="default", input=["hola"], encoding_format="float")
    assert [row.index for row in done.data] == [0, 1]
    assert done.data[0].embedding == pytest.approx(plain.data[0].embedding, abs=1e-6)
    assert len(plain.data[0].embedding) == 64


async def test_what_is_too_much_or_of_another_size_is_not_embedded(ready: tuple[Door, str]) -> None:
    client = sdk(ready[0])
    with pytest.raises(openai.UnprocessableEntityError):
        await client.embeddings.create(model="default", input="x" * 30_001)
    with pytest.raises(openai.APIStatusError) as too_much:
        await client.embeddings.create(model="default", input=["x" * 30_000] * 17)
    assert too_much.value.status_code == 413
    with pytest.raises(openai.UnprocessableEntityError, match="dimensions"):
        await client.embeddings.create(model="default", input="hola", dimensions=65)
    same = await client.embeddings.create(model="default", input="hola", dimensions=64)
    assert len(same.data[0].embedding) == 64


async def test_openais_client_understands_our_errors(ready: tuple[Door, str]) -> None:
    client = sdk(ready[0])
    with pytest.raises(openai.NotFoundError):
        await client.chat.completions.create(model="Nadie", messages=[{"role": "user", "content": "hola"}])
    with pytest.raises(openai.UnprocessableEntityError):
        await client.chat.completions.create(
            model="Luna", messages=[{"role": "assistant", "content": "hola"}]
        )
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="x").models.list()


async def test_what_could_not_be_answered_becomes_gaps(ready: tuple[Door, str]) -> None:
    door, agent = ready
    asked = (
        "¿Qué horario tiene la biblioteca central?",
        "A qué hora abre la biblioteca del centro?",
        "¿Venden entradas de cine?",
    )
    for question in asked:
        assert (await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": question}))[
            "refused"
        ]
    good = await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": QUESTION})
    await door.acme.call("POST", f"/messages/{good['message_id']}/feedback", 200, json={"rating": "down"})
    gaps = (await door.acme.call("GET", f"/agents/{agent}/gaps", 200))["items"]
    assert [gap["count"] for gap in gaps] == [2, 1, 1]
    assert gaps[0]["topic"] in {"Horario biblioteca central", "Hora abre biblioteca centro"}
    assert {gap["topic"] for gap in gaps} >= {"Venden entradas cine"}
    assert set(gaps[0]["examples"]) == set(asked[:2])
    assert sum(gap["badly_rated"] for gap in gaps) == 1
    await door.rival.call("GET", f"/agents/{agent}/gaps", 404)


async def test_an_exam_is_run_and_compared_with_the_run_before(ready: tuple[Door, str]) -> None:
    door, agent = ready
    questions = [
        {"question": QUESTION, "expected_text": "30 euros"},
        {"question": "¿Quién dirige el gimnasio municipal?", "expected_text": "Boris Karloff"},
        {"question": "¿Qué volcanes hay en Islandia?", "must_refuse": True},
    ]
    path = f"/agents/{agent}/exam"
    assert (await door.acme.call("POST", path, 201, json={"questions": questions}))["added"] == 3
    await door.acme.call("POST", path, 422, json={"questions": [{"question": "¿?"}]})
    first = await door.acme.call("POST", f"{path}/runs", 201)
    assert (first["passed"], first["failed"]) == (2, 1)
    assert [r["why"] for r in first["results"]] == ["", "text", ""]
    assert "volcanes" not in str(await door.acme.call("GET", f"/agents/{agent}/gaps", 200))
    await door.acme.call("DELETE", f"/agents/{agent}/knowledge-bases/{door.acme.kb}", 204)
    second = await door.acme.call("POST", f"{path}/runs", 201)
    assert [r["question"] for r in second["newly_failed"]] == [QUESTION]
    assert len((await door.acme.call("GET", f"{path}/runs", 200))["items"]) == 2
    one = (await door.acme.call("GET", path, 200))["items"][0]["id"]
    await door.acme.call("DELETE", f"{path}/{one}", 204)
    for method, where in (("GET", path), ("POST", f"{path}/runs"), ("GET", f"{path}/runs")):
        await door.rival.call(method, where, 404)


async def test_a_knowledge_base_says_what_it_is_about(ready: tuple[Door, str]) -> None:
    door, _ = ready
    path = f"/knowledge-bases/{door.acme.kb}/domain-intelligence"
    await door.acme.call("GET", path, 404)
    found = await door.acme.call("POST", path, 201, json={})
    assert found["subdomains"][0] == "Gimnasio"
    assert found["validation_queries"][0] == "¿Qué dicen los documentos sobre Gimnasio?"
    assert not found["user_confirmed"]
    assert (await door.acme.call("POST", f"{path}/confirm", 200))["user_confirmed"]
    kb = await door.acme.call("GET", f"/knowledge-bases/{door.acme.kb}", 200)
    assert kb["description"] == found["interpreted_intent"]
    for method, where in (("GET", path), ("POST", path), ("POST", f"{path}/confirm")):
        await door.rival.call(method, where, 404)
