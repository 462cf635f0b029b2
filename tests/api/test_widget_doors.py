"""The widget's doors: who may show it, who a visitor is, what they may read, and how much they may ask."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import pytest

from veraz.api.app import create_app
from veraz.channels.widget import tokens as visitor_tokens
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
    from tests.support.people import add_person
else:
    from ingest.parse import made_files as made
    from support.door import Door
    from support.people import add_person

SITE = "https://www.tienda.mx"
SENTENCE = "La cuota mensual del gimnasio es de 30 euros."
QUESTION = "¿Cuánto es la cuota mensual del gimnasio?"
MANUAL = made.pdf(
    "# Gimnasio municipal\nEl gimnasio abre a las nueve de la mañana.\nLos domingos está cerrado todo el día.",
    f"# Cuotas\n{SENTENCE}\nLos jubilados pagan la mitad de la cuota.",
)
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, kw_only=True)
class Guest:
    """Somebody on a page of the shop."""

    http: httpx.AsyncClient
    widget: str
    token: str = ""
    origin: str | None = SITE

    async def send(self, method: str, path: str = "", **more: Any) -> httpx.Response:
        """A request as the script sends it."""
        headers = {"Accept-Language": "es"} | ({"Origin": self.origin} if self.origin else {})
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= more.pop("headers", {})
        return await self.http.request(method, f"/widget/{self.widget}{path}", headers=headers, **more)

    async def entered(self) -> "Guest":
        """With a token."""
        answer = await self.send("POST", "/session", json={})
        assert answer.status_code == 200, answer.text
        return replace(self, token=answer.json()["token"])

    async def ask(self, question: str = QUESTION, **more: Any) -> dict[str, Any]:
        """The end of an answer's stream."""
        answer = await self.send("POST", "/ask", json={"question": question} | more)
        assert answer.status_code == 200, answer.text
        return dict(events_of(answer)[-1][1])

    async def talk(self) -> dict[str, Any]:
        """What the widget shows after a page load."""
        answer = await self.send("GET", "/messages")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


@dataclass(frozen=True, kw_only=True)
class Shop:
    """Acme's agent on its website."""

    door: Door
    agent: str
    widget: str

    @property
    def guest(self) -> Guest:
        """Somebody without a token."""
        return Guest(http=self.door.http, widget=self.widget)

    async def change(self, **changes: Any) -> None:
        """Other settings."""
        await self.door.acme.call("PATCH", f"/agents/{self.agent}/widget", 200, json=changes)


@pytest.fixture
async def shop(at_work: Door) -> AsyncIterator[Shop]:
    """An agent that reads a manual of two pages, on one website."""
    acme = at_work.acme
    await acme.ended(await acme.bring("manual.pdf", MANUAL))
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}, "allows_personal_corpus": True}
    agent = (await acme.call("POST", "/agents", 201, json=body))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    settings = {"enabled": True, "origins": [f"{SITE}/contacto"]}
    widget = await acme.call("PATCH", f"/agents/{agent}/widget", 200, json=settings)
    yield Shop(door=at_work, agent=agent, widget=widget["public_id"])


async def test_a_visitor_asks_and_opens_what_proves_the_answer(shop: Shop) -> None:
    guest = await shop.guest.entered()
    answer = await guest.send("POST", "/ask", json={"question": QUESTION})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["access-control-allow-origin"] == SITE
    assert "access-control-allow-credentials" not in answer.headers
    events = events_of(answer)
    assert events[0][0] == "searching" and events[-1][0] == "answered"
    message = events[-1][1]["message"]
    assert "30 euros" in message["text"] and "Chunk" not in message["text"]
    assert "\ue0001\ue001" in message["text"]
    source = message["sources"][0]
    assert (source["document_name"], source["page_number"]) == ("manual.pdf", 2)
    at = f"/passages/{message['id']}/{source['claim']}/{source['quote']}"
    seen = (await guest.send("GET", at)).json()
    assert "30 euros" in seen["text"] and seen["view"] == "page"
    picture = await guest.send("GET", f"{at}/page.png")
    assert picture.content.startswith(PNG) and picture.headers["access-control-allow-origin"] == SITE
    kept = await guest.talk()
    assert [(one["role"], one["text"]) for one in kept["messages"]] == [
        ("visitor", QUESTION),
        ("agent", message["text"]),
    ]
    assert kept["messages"][1]["sources"] == message["sources"]


async def test_a_person_of_the_team_answers_where_the_visitor_asked(shop: Shop) -> None:
    guest = await shop.guest.entered()
    called = await guest.send("POST", "/handoff", json={"person": True})
    assert called.json()["with_person"] and called.json()["messages"][-1]["role"] == "agent"
    (talk,) = (await shop.door.acme.call("GET", "/conversations", 200))["items"]
    assert (talk["channel"], talk["handoff_mode"]) == ("widget", "human")
    assert (await guest.ask("¿Hay alguien?")) == {"message": None, "with_person": True}
    await shop.door.acme.call(
        "POST", f"/conversations/{talk['id']}/messages", 201, json={"text": "Soy Marta."}
    )
    last = (await guest.talk())["messages"][-1]
    assert (last["role"], last["text"]) == ("person", "Soy Marta.")
    told = (await shop.door.acme.call("GET", "/events?kind=conversation.message", 200))["items"]
    assert told[0]["payload"]["channel"] == "widget"
    back = await guest.send("POST", "/handoff", json={"person": False})
    assert not back.json()["with_person"]
    assert "30 euros" in (await guest.ask())["message"]["text"]


async def test_what_nobody_answered_is_answered_by_the_agent_and_not_kept_twice(shop: Shop) -> None:
    guest, other = await shop.guest.entered(), await shop.guest.entered()
    await guest.send("POST", "/handoff", json={"person": True})
    await guest.ask("¿Hay alguien?")
    await guest.ask(QUESTION)
    back = (await guest.send("POST", "/handoff", json={"person": False})).json()
    assert (back["messages"][-1]["role"], back["messages"][-1]["text"]) == ("visitor", QUESTION)
    assert "30 euros" in (await other.ask(again=True))["message"]["text"]
    assert "30 euros" in (await guest.ask(again=True))["message"]["text"]
    said = [(one["role"], one["text"]) for one in (await guest.talk())["messages"]]
    assert said.count(("visitor", QUESTION)) == 1 and said[-2] == ("visitor", QUESTION)
    await guest.ask(again=True)  # it has its answer: another question
    said = [(one["role"], one["text"]) for one in (await guest.talk())["messages"]]
    assert said.count(("visitor", QUESTION)) == 2
    assert len((await other.talk())["messages"]) == 2


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://www.tienda.mx", "https://tienda.mx", "null", None]
)
async def test_a_page_that_was_not_named_gets_nothing(shop: Shop, origin: str | None) -> None:
    inside = await shop.guest.entered()
    outside = replace(inside, origin=origin)
    for method, path, body in (
        ("GET", "", None),
        ("POST", "/session", {}),
        ("POST", "/ask", {"question": QUESTION}),
        ("GET", "/messages", None),
        ("POST", "/handoff", {"person": True}),
        ("GET", f"/passages/{uuid4()}/0/0", None),
    ):
        answer = await outside.send(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed"), path
        assert "access-control-allow-origin" not in answer.headers
    asked = {"Access-Control-Request-Method": "POST"}
    if origin:
        refused = await outside.send("OPTIONS", "/ask", headers=asked)
        assert refused.status_code == 403
        assert not [name for name in refused.headers if name.startswith("access-control")]
    allowed = await shop.guest.send("OPTIONS", "/ask", headers=asked)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, SITE)
    assert allowed.headers["access-control-allow-headers"] == "Authorization, Content-Type"


async def test_the_installations_own_origins_do_not_count_for_widgets(
    shop: Shop, door_settings: Settings
) -> None:
    office = "https://oficina.acme.mx"
    settings = door_settings.model_copy(update={"cors_origins": (office,)})
    async with open_again(shop, settings) as http:
        asked = {"Origin": office, "Access-Control-Request-Method": "POST"}
        assert (await http.options("/api/v1/me", headers=asked)).status_code == 200
        refused = await http.options(f"/widget/{shop.widget}/ask", headers=asked)
        assert refused.status_code == 403 and "access-control-allow-origin" not in refused.headers
        allowed = await http.options(f"/widget/{shop.widget}/ask", headers=asked | {"Origin": SITE})
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, SITE)


async def test_a_token_is_good_for_its_widget_its_visitor_and_its_time(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = await shop.guest.entered()
    await guest.ask()
    forged = guest.token[:-2] + ("AA" if guest.token[-2:] != "AA" else "BB")
    for token in ("", "x", forged, shop.door.acme.headers["Authorization"].split()[1]):
        answer = await replace(guest, token=token).send("GET", "/messages")
        assert (answer.status_code, answer.json()["code"]) == (401, "session_expired")
    other = await shop.door.acme.call("POST", "/agents", 201, json={"name": "Sol"})
    settings = {"enabled": True, "origins": [SITE]}
    widget = await shop.door.acme.call("PATCH", f"/agents/{other['id']}/widget", 200, json=settings)
    elsewhere = replace(guest, widget=widget["public_id"])
    assert (await elsewhere.send("GET", "/messages")).status_code == 401
    monkeypatch.setattr(time, "time", later(visitor_tokens.VALID_SECONDS + 1))
    assert (await guest.send("GET", "/messages")).status_code == 401
    renewed = await guest.entered()
    assert len((await renewed.talk())["messages"]) == 2
    monkeypatch.setattr(time, "time", later(visitor_tokens.RENEWABLE_SECONDS + 1))
    assert (await (await guest.entered()).talk())["messages"] == []


async def test_a_visitor_sees_no_conversation_and_no_passage_of_another(shop: Shop) -> None:
    one, other = await shop.guest.entered(), await shop.guest.entered()
    message = (await one.ask())["message"]
    assert (await other.talk())["messages"] == []
    source = message["sources"][0]
    for path in ("", "/page.png"):
        at = f"/passages/{message['id']}/{source['claim']}/{source['quote']}{path}"
        assert (await one.send("GET", at)).status_code == 200
        assert (await other.send("GET", at)).status_code == 404
    beyond = f"/passages/{message['id']}/{source['claim']}/{source['quote'] + 40}"
    assert (await one.send("GET", beyond)).status_code == 404
    await shop.change(sources=False)
    assert (await one.send("GET", at)).status_code == 404
    hidden = (await one.talk())["messages"][1]
    assert hidden["sources"] == [] and "\ue000" not in hidden["text"] and "30 euros" in hidden["text"]


async def test_nothing_personal_and_nothing_of_a_machine_reaches_a_visitor(shop: Shop) -> None:
    acme = shop.door.acme
    secret = "La clave del gimnasio es 4711 y la cuota secreta es de 99 euros."
    mine = await acme.call("POST", "/knowledge-bases", 201, json={"name": "Mía", "kind": "personal"})
    personal = replace(acme, kb=mine["id"])
    await personal.ended(await personal.bring("secreto.md", secret.encode()))
    await acme.call("PUT", f"/agents/{shop.agent}/knowledge-bases/{mine['id']}", 200)
    await acme.call("POST", "/licences", 201, json={"machine_id": "PC-1", "user_name": "Laura"})
    form = {"files": ("caja.md", secret.encode())}
    await acme.send("POST", f"/knowledge-bases/{acme.kb}/documents", files=form, data={"machine_id": "PC-1"})
    await acme.idle()
    guest = await shop.guest.entered()
    for question in ("¿Cuál es la clave del gimnasio?", "¿De cuánto es la cuota secreta?"):
        said = json.dumps(await guest.ask(question))
        assert "4711" not in said and "99 euros" not in said
    assert "4711" in json.dumps(
        await acme.call("POST", f"/agents/{shop.agent}/ask", 200, json={"question": "¿Cuál es la clave?"})
    )


async def test_too_many_questions_are_refused_with_the_time_to_wait(shop: Shop) -> None:
    await shop.change(visitor_per_minute=1)
    guest = await shop.guest.entered()
    await guest.ask()
    slow = await guest.send("POST", "/ask", json={"question": QUESTION})
    assert (slow.status_code, slow.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(slow.headers["retry-after"]) <= 61 and "Espere" in slow.json()["detail"]
    assert slow.headers["access-control-allow-origin"] == SITE
    assert slow.headers["access-control-expose-headers"] == "Retry-After"
    await shop.change(per_day=2, visitor_per_minute=10)
    other = await shop.guest.entered()
    await other.ask()
    assert (await other.send("POST", "/ask", json={"question": QUESTION})).status_code == 429
    shown = await shop.door.acme.call("GET", f"/agents/{shop.agent}/widget", 200)
    assert shown["used_today"] == 2


async def test_who_writes_several_short_messages_in_a_row_is_not_too_fast(shop: Shop) -> None:
    guest = await shop.guest.entered()
    await guest.send("POST", "/handoff", json={"person": True})
    for number in range(12):
        assert (await guest.ask(f"Otra cosa, número {number}."))["with_person"]


async def test_what_is_too_long_is_refused(shop: Shop) -> None:
    guest = await shop.guest.entered()
    assert (await guest.send("POST", "/ask", json={"question": "x" * 20_000})).status_code == 422
    assert (await guest.send("POST", "/ask", json={"question": "x" * 40_000})).status_code == 413


async def test_a_widget_that_is_off_or_gone_is_silent(shop: Shop) -> None:
    guest = await shop.guest.entered()
    await shop.change(enabled=False)
    for method, path in (("GET", ""), ("GET", "/messages"), ("POST", "/session")):
        answer = await guest.send(method, path, json={} if method == "POST" else None)
        assert answer.status_code == 404 and "access-control-allow-origin" not in answer.headers
    await shop.change(enabled=True)
    await shop.door.acme.call("DELETE", f"/agents/{shop.agent}", 204)
    assert (await guest.send("GET")).status_code == 404
    assert (await replace(guest, widget="x" * 16).send("GET")).status_code == 404


async def test_only_managers_of_the_agent_configure_and_try_it(shop: Shop) -> None:
    acme, path = shop.door.acme, f"/agents/{shop.agent}/widget"
    project = (await acme.call("GET", f"/agents/{shop.agent}", 200))["project_id"]
    member = await add_person(acme, "miguel@acme.test", **{project: "member"})
    manager = await add_person(acme, "marta@acme.test", **{project: "manager"})
    for person, status in ((manager, 200), (member, 403), (shop.door.rival, 404)):
        assert (await person.send("GET", path)).status_code == status
        assert (await person.send("PATCH", path, json={"title": "Hola"})).status_code == status
        page = await person.send("GET", f"//widget/{shop.widget}/test")
        assert page.status_code == status
    stranger = await shop.door.http.get(f"/widget/{shop.widget}/test")
    assert stranger.status_code == 401
    wrong = await acme.call("PATCH", path, 422, json={"origins": ["*"]})
    assert "https://www.ejemplo.mx" in wrong["detail"]


async def test_the_test_page_shows_it_before_anybody_else_may(shop: Shop) -> None:
    await shop.change(enabled=False, origins=[])
    page = await shop.door.acme.send("GET", f"//widget/{shop.widget}/test")
    preview = page.text.split('data-preview="')[1].split('"')[0]
    ours = {"Sec-Fetch-Site": "same-origin"}
    guest = Guest(http=shop.door.http, widget=shop.widget, origin=None)
    assert (await guest.send("GET", f"?preview={preview}", headers=ours)).status_code == 200
    assert (await guest.send("GET", f"?preview={preview}")).status_code == 404
    made = await replace(guest, origin="http://veraz.test").send(
        "POST", "/session", json={"preview": preview}
    )
    trying = replace(guest, origin="http://veraz.test", token=made.json()["token"])
    assert "30 euros" in (await trying.ask())["message"]["text"]
    assert (await replace(trying, origin=SITE).send("GET", "/messages")).status_code == 404
    other = await shop.door.acme.call("POST", "/agents", 201, json={"name": "Sol"})
    widget = await shop.door.acme.call("PATCH", f"/agents/{other['id']}/widget", 200, json={})
    elsewhere = replace(guest, widget=widget["public_id"])
    assert (await elsewhere.send("GET", f"?preview={preview}", headers=ours)).status_code == 404


async def test_the_script_is_small_cached_and_usable_from_everywhere(door: Door) -> None:
    script = await door.http.get("/widget.js", headers={"Origin": SITE})
    assert script.status_code == 200 and len(script.content) <= 40 * 1024
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "max-age" in script.headers["cache-control"]
    again = await door.http.get("/widget.js", headers={"If-None-Match": script.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    elsewhere = await door.http.get("/api/v1/me", headers={"Origin": SITE})
    assert elsewhere.headers["cross-origin-resource-policy"] == "same-origin"
    assert "innerHTML" not in script.text and "document.cookie" not in script.text


def events_of(answer: httpx.Response) -> list[tuple[str, Any]]:
    """Names and data of a stream."""
    blocks = [block.split("\n") for block in answer.text.split("\n\n") if block.startswith("event")]
    return [(block[0][7:], json.loads(block[1][6:])) for block in blocks]


def later(seconds: int) -> Any:
    """A clock that is ahead."""
    now = time.time()
    return lambda: now + seconds


def open_again(shop: Shop, settings: Settings) -> Any:
    """The same installation with other settings."""
    transport = httpx.ASGITransport(create_app(assemble(settings, shop.door.veraz.db)))
    return httpx.AsyncClient(transport=transport, base_url="http://veraz.test")
