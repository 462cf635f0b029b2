"""WhatsApp from Meta's call to the text on somebody's phone."""

import asyncio
import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.channels.whatsapp.words import as_whatsapp_writes, pieces

if TYPE_CHECKING:
    from tests.channels.conftest import Desk
    from tests.support import graph_server as meta
else:
    from support import graph_server as meta

Owner = Connection[TupleRow]

QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
ONLY_TEXT = "Por ahora solo puedo leer mensajes de texto. ¿Me lo puede escribir?"


async def test_a_question_on_whatsapp_is_answered_there_and_the_next_one_leans_on_it(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    (text,) = await desk.sent(1)
    assert "30 euros" in text
    assert "[" not in text
    sent = desk.graph.sent[0]
    assert (sent["to"], sent["phone_number_id"], sent["token"]) == ("5215512345678", meta.PHONE, meta.TOKEN)
    await desk.write(meta.text("¿Y quién lo dirige?"), escaped=True)
    assert "Ana García" in (await desk.sent(2))[1]
    assert [role for role, _ in await desk.said()] == ["user", "assistant"] * 2
    talk = await desk.talk()
    assert (talk["channel"], talk["title"], talk["handoff_mode"]) == ("whatsapp", "Kerry Fisher", "ai")


async def test_a_call_that_is_not_metas_is_refused_and_leaves_nothing(desk: "Desk") -> None:
    http = desk.door.http
    payload = meta.call(meta.change([meta.text(QUESTION)]))
    body = json.dumps(payload).encode()
    right = meta.signed(body)["X-Hub-Signature-256"]
    for headers in ({}, {"X-Hub-Signature-256": "sha256=" + "0" * 64}, {"X-Hub-Signature-256": right[:-1]}):
        answer = await http.post("/api/webhooks/whatsapp", content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "wrong_signature")
    changed = body.replace(b"gimnasio", b"gimnasiO")
    answer = await http.post(
        "/api/webhooks/whatsapp", content=changed, headers={"X-Hub-Signature-256": right}
    )
    assert answer.status_code == 403
    for nonsense in (b"", b"[]", b"{", b'{"entry": 3}', b"[" * 5_000):
        assert (
            await http.post("/api/webhooks/whatsapp", content=nonsense, headers=meta.signed(nonsense))
        ).status_code == 403
    for unsigned in (b"[" * 5_000, b"[" + b"0," * 20_000 + b"0]", body * 5_000):
        answer = await http.post("/api/webhooks/whatsapp", content=unsigned)
        assert (answer.status_code, answer.json()["code"]) == (403, "wrong_signature"), "before it is judged"
    unknown = meta.call(meta.change([meta.text(QUESTION)], phone_number_id="999"))
    assert (await meta.deliver(http, unknown)).status_code == 403
    assert (await desk.acme.call("GET", "/conversations", 200))["items"] == []


async def test_who_knows_one_tenants_secret_cannot_speak_to_anothers_number(desk: "Desk") -> None:
    """A rival signs with its own secret a call that names acme's number too: only its own part counts."""
    mine = meta.change([meta.text("hola", phone="34600000001")], phone_number_id="209990000000001")
    theirs = meta.change([meta.text(QUESTION)])
    answer = await meta.deliver(desk.door.http, meta.call(mine, theirs), secret="app-secret-of-the-rival")
    assert answer.status_code == 200
    await desk.door.rival.idle()
    assert (await desk.acme.call("GET", "/conversations", 200))["items"] == []
    assert len((await desk.door.rival.call("GET", "/conversations", 200))["items"]) == 1
    assert {message["phone_number_id"] for message in desk.graph.sent} == {"209990000000001"}


async def test_a_number_claimed_by_two_tenants_goes_to_the_one_whose_secret_signed(desk: "Desk") -> None:
    rival = desk.door.rival
    agent = (await rival.call("GET", "/agents", 200))["items"][0]["id"]
    body = {
        "agent_id": agent,
        "phone_number_id": meta.PHONE,
        "access_token": "whatever-token",
        "app_secret": "a-guess-at-the-secret",
    }
    await rival.call("POST", "/whatsapp-numbers", 201, json=body)
    await desk.write(meta.text(QUESTION))
    assert "30 euros" in (await desk.sent(1))[0]
    assert (await rival.call("GET", "/conversations", 200))["items"] == []


async def test_meta_repeats_itself_and_is_answered_once(desk: "Desk") -> None:
    message = meta.text(QUESTION)
    for _ in range(3):
        await desk.write(message)
    await asyncio.gather(*(desk.write(message) for _ in range(5)))
    assert len(await desk.sent(1)) == 1
    assert len(await desk.said()) == 2


async def test_pictures_and_voices_get_one_polite_answer(desk: "Desk") -> None:
    picture = {"id": "1", "mime_type": "image/jpeg", "sha256": "x"}
    await desk.write(meta.message("image", picture), meta.message("image", picture))
    assert await desk.sent(1) == [ONLY_TEXT]
    assert await desk.said() == [("user", "[imagen]"), ("assistant", ONLY_TEXT), ("user", "[imagen]")]
    await desk.write(
        meta.message("reaction", {"message_id": "wamid.x", "emoji": "👍"}),
        meta.message("unheard_of", {}),
        meta.text("\u200b"),
        meta.message("interactive", {"type": "button_reply", "button_reply": {"id": "1", "title": QUESTION}}),
    )
    assert "30 euros" in (await desk.sent(2))[1]
    assert [text for _, text in await desk.said()][3] == QUESTION


async def test_reports_of_delivery_only_lead_further(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    wamid = desk.graph.sent[0]["wamid"]
    for word in ("read", "delivered", "sent"):
        await desk.report(meta.status(wamid, word))
    _, out = await desk.deliveries()
    assert out["state"] == "read"
    assert out["sent_at"]
    assert out["delivered_at"]
    assert out["read_at"]
    await desk.report(meta.status("wamid.of-somebody-else", "read"))
    await desk.write(meta.text(QUESTION))
    await desk.sent(2)
    await desk.report(meta.status(desk.graph.sent[1]["wamid"], "failed", error=131026))
    *_, out = await desk.deliveries()
    assert (out["state"], out["error_code"]) == ("failed", 131026)
    assert [event["error_code"] for event in await desk.events("whatsapp.failed")] == [131026]


async def test_one_call_with_many_entries_changes_and_numbers(desk: "Desk") -> None:
    second = await desk.acme.call(
        "POST", "/agents", 201, json={"name": "Sol", "fallback_message": "Ni idea."}
    )
    body = {
        "agent_id": second["id"],
        "phone_number_id": "5551",
        "access_token": "token-of-sol",
        "app_secret": meta.SECRET,
    }
    await desk.acme.call("POST", "/whatsapp-numbers", 201, json=body)
    payload = meta.call(
        meta.change([meta.text(QUESTION, phone="1"), meta.text(QUESTION, phone="2")]),
        meta.change([meta.text(QUESTION, phone="1")], phone_number_id="5551"),
        {"field": "account_update", "value": {"event": "x"}},
        meta.change(statuses=[meta.status("wamid.unknown", "sent")]),
        entries=2,
    )
    assert (await meta.deliver(desk.door.http, payload)).status_code == 200
    await desk.sent(3)
    by_number = {(m["phone_number_id"], m["to"]): m["text"]["body"] for m in desk.graph.sent}
    assert "30 euros" in by_number[meta.PHONE, "1"]
    assert "30 euros" in by_number[meta.PHONE, "2"]
    assert by_number["5551", "1"] == "Ni idea."


async def test_people_without_a_phone_number_are_answered_by_metas_id(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION, phone=None, bsuid="MX.1349"))
    await desk.sent(1)
    assert desk.graph.sent[0]["recipient"] == "MX.1349"
    assert "to" not in desk.graph.sent[0]
    await desk.write(meta.text("¿Y quién lo dirige?", phone="5215599", bsuid="MX.1349"))
    assert "Ana García" in (await desk.sent(2))[1]
    assert len((await desk.acme.call("GET", "/conversations", 200))["items"]) == 1
    await desk.write(meta.text("¿Y quién lo dirige?", phone="5215599", bsuid="MX.2000"))
    await desk.sent(3)
    talks = (await desk.acme.call("GET", "/conversations", 200))["items"]
    assert len(talks) == 2, "a phone that went to somebody else does not bring the conversation along"


async def test_somebody_known_by_phone_and_somebody_known_by_id_turn_out_to_be_one(desk: "Desk") -> None:
    """Before Meta gave ids, with a hidden phone, then with both: nothing is lost, and both ways reach them."""
    change = meta.change([meta.text(QUESTION)])
    del change["value"]["messages"][0]["from_user_id"], change["value"]["contacts"][0]["user_id"]
    assert (await meta.deliver(desk.door.http, meta.call(change))).status_code == 200
    await desk.sent(1)
    await desk.write(meta.text(QUESTION, phone=None, bsuid="MX.1"))
    await desk.sent(2)
    for number in (3, 4):
        await desk.write(meta.text(QUESTION, bsuid="MX.1"))
        await desk.sent(number)
    assert [message.get("recipient") for message in desk.graph.sent] == [None, "MX.1", "MX.1", "MX.1"]
    sending = {"projectId": desk.project, "leadId": "5215512345678", "message": "Hola"}
    await desk.acme.call("POST", "//api/whatsapp/send", 202, json=sending)
    await desk.sent(5)
    assert desk.graph.sent[4]["to"] == "5215512345678"


async def test_what_nobody_here_knows_is_thanked_for_when_it_is_signed(desk: "Desk") -> None:
    """A refusal would make Meta repeat it for days, and switch the webhook off in the end."""
    news = [
        meta.change(statuses=[meta.status("wamid.x", "played")]),
        meta.change() | {"field": "calls"},
        meta.change([meta.text("hola") | {"group_id": "g"}]),
        meta.change([meta.text("hola") | {"id": 5}]),
        meta.change(),
    ]
    for change in news:
        assert (await meta.deliver(desk.door.http, meta.call(change))).status_code == 200
        assert (await meta.deliver(desk.door.http, meta.call(change), secret="wrong")).status_code == 403
    assert (await desk.acme.call("GET", "/conversations", 200))["items"] == []


async def test_one_odd_message_does_not_hold_up_the_others_of_its_call(desk: "Desk") -> None:
    odd: list[Any] = [
        {"type": 5, "timestamp": "9" * 5_000},
        {"text": {"body": "\ud800\x00"}, "timestamp": None},
        {"text": None, "timestamp": ["1"]},
        {"id": "", "from": {"a": 1}},
        {"from": None, "from_user_id": None},
    ]
    messages = [meta.text("hola", phone=f"5210{place}") | one for place, one in enumerate(odd)]
    body = json.dumps(meta.call(meta.change([*messages, meta.text(QUESTION)]))).encode()
    answer = await desk.door.http.post("/api/webhooks/whatsapp", content=body, headers=meta.signed(body))
    assert answer.status_code == 200
    assert "30 euros" in (await desk.sent(1))[-1]


async def test_the_words_under_a_picture_are_a_question(desk: "Desk") -> None:
    await desk.write(meta.message("image", {"id": "1", "caption": QUESTION}))
    assert "30 euros" in (await desk.sent(1))[0]


async def test_a_number_that_moved_to_another_tenant_is_answered_there(desk: "Desk") -> None:
    """The same company, the same secret: who was told to be silent does not swallow the message."""
    await desk.acme.call("PATCH", f"/whatsapp-numbers/{desk.number['id']}", 200, json={"active": False})
    rival = desk.door.rival
    agent = (await rival.call("GET", "/agents", 200))["items"][0]["id"]
    moved = {"phone_number_id": meta.PHONE, "access_token": meta.TOKEN, "app_secret": meta.SECRET}
    await rival.call("POST", "/whatsapp-numbers", 201, json=moved | {"agent_id": agent})
    await desk.write(meta.text(QUESTION))
    await rival.idle()
    assert len(desk.graph.sent) == 1
    assert len((await rival.call("GET", "/conversations", 200))["items"]) == 1
    assert (await desk.acme.call("GET", "/conversations", 200))["items"] == []


async def test_a_token_that_no_header_can_carry_is_refused_when_it_is_given(desk: "Desk") -> None:
    path = f"/whatsapp-numbers/{desk.number['id']}"
    for token in ("EAAG-one\nX-Other: two", "EAAG-…-cut", "EAAG one two"):
        refused = await desk.acme.call("PATCH", path, 422, json={"access_token": token})
        assert "access_token" in refused["detail"]
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    assert desk.graph.sent[0]["token"] == meta.TOKEN


async def test_a_person_takes_over_answers_and_gives_back(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    talk = f"/conversations/{(await desk.talk())['id']}"
    await desk.acme.call("PATCH", talk, 200, json={"handoff_mode": "human"})
    await desk.write(meta.text("Quiero hablar con alguien"), meta.message("audio", {"id": "1"}))
    await desk.quiet()
    assert len(desk.graph.sent) == 1
    told = await desk.events("conversation.message")
    assert [event["kind"] for event in told] == ["text", "audio"]
    assert "message" not in told[0]
    await desk.acme.call("POST", f"{talk}/messages", 201, json={"text": "Soy Ana, ¿en qué le ayudo?"})
    assert (await desk.sent(2))[1] == "Soy Ana, ¿en qué le ayudo?"
    await desk.acme.call("PATCH", talk, 200, json={"handoff_mode": "ai"})
    await desk.write(meta.text(QUESTION))
    assert "30 euros" in (await desk.sent(3))[2]
    roles = [role for role, _ in await desk.said()]
    assert roles == ["user", "assistant", "user", "user", "human", "user", "assistant"]
    await desk.door.rival.call("POST", f"{talk}/messages", 404, json={"text": "hola"})
    await desk.door.rival.call("GET", f"{talk}/deliveries", 404)


async def test_an_agent_that_does_not_know_hands_over_as_it_was_told(desk: "Desk") -> None:
    change = {"handoff_on_refusal": True, "fallback_message": "Eso no lo sé."}
    await desk.acme.call("PATCH", f"/agents/{desk.agent}", 200, json=change)
    await desk.write(meta.text("¿Cuál es la capital de Mongolia?"))
    (text,) = await desk.sent(1)
    assert text.startswith("Eso no lo sé.")
    assert (await desk.talk())["handoff_mode"] == "human"
    await desk.write(meta.text(QUESTION))
    await desk.quiet()
    assert len(desk.graph.sent) == 1


async def test_after_24_hours_nobody_writes_first(desk: "Desk", owner: Owner) -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    owner.execute("update veraz.whatsapp_contact set last_in_at = now() - interval '25 hours'")
    talk = f"/conversations/{(await desk.talk())['id']}"
    refused = await desk.acme.call("POST", f"{talk}/messages", 409, json={"text": "¿Sigue ahí?"})
    assert "24 horas" in refused["detail"]
    assert len(await desk.said()) == 2
    await desk.write(meta.text("hola"))
    await desk.sent(2)
    await desk.acme.call("POST", f"{talk}/messages", 201, json={"text": "¿Sigue ahí?"})
    await desk.sent(3)


async def test_an_answer_too_long_for_one_message_comes_in_pieces(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    talk = f"/conversations/{(await desk.talk())['id']}"
    text = "\n\n".join(f"Párrafo {n}. " + "palabra " * 120 for n in range(8))
    await desk.acme.call("POST", f"{talk}/messages", 201, json={"text": text})
    parts = (await desk.sent(3))[1:]
    assert [len(part) <= 4096 for part in parts] == [True, True]
    assert parts[1].startswith("Párrafo")
    assert "".join("".join(parts).split()) == "".join(text.split())


async def test_meta_verifies_the_address_with_the_number_s_word(desk: "Desk") -> None:
    def asked(token: str, mode: str = "subscribe") -> dict[str, str]:
        return {"hub.mode": mode, "hub.verify_token": token, "hub.challenge": "1158201444"}

    http, path = desk.door.http, "/api/webhooks/whatsapp"
    answer = await http.get(path, params=asked("palabra-acordada"))
    assert (answer.status_code, answer.text) == (200, "1158201444")
    assert answer.headers["content-type"].startswith("text/plain")
    long = "p" * 2_000
    await desk.acme.call("PATCH", f"/whatsapp-numbers/{desk.number['id']}", 200, json={"verify_token": long})
    assert (await http.get(path, params=asked(long))).text == "1158201444"
    for params in (asked("otra palabra"), asked("palabra-acordada", "unsubscribe"), asked(""), {}):
        assert (await http.get(path, params=params)).status_code == 403


async def test_a_number_s_secrets_are_sealed_and_never_shown_again(desk: "Desk", owner: Owner) -> None:
    acme, path = desk.acme, f"/whatsapp-numbers/{desk.number['id']}"
    assert desk.number["verify_token"] == "palabra-acordada"
    change = {"access_token": "EAAG-another-token", "name": "Recepción"}
    shown = [
        await acme.call("GET", path, 200),
        await acme.call("PATCH", path, 200, json=change),
        await acme.call("GET", "/whatsapp-numbers", 200),
        await acme.call("GET", "/audit", 200),
    ]
    stored = str(owner.execute("select * from veraz.whatsapp_number").fetchall())
    for secret in (meta.TOKEN, meta.SECRET, "palabra-acordada", "EAAG-another-token", "sealed", "hash"):
        assert secret not in json.dumps(shown), secret
        assert secret not in stored
    changed = [e for e in shown[3]["items"] if e["thing"] == "whatsapp_number" and e["action"] == "update"]
    assert set(changed[0]["changes"]) == {"name", "secrets_changed_at"}
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    assert desk.graph.sent[0]["token"] == "EAAG-another-token"


async def test_numbers_are_managed_by_who_manages_the_project(desk: "Desk") -> None:
    acme, path = desk.acme, f"/whatsapp-numbers/{desk.number['id']}"
    for method, body in (("GET", None), ("PATCH", {"active": False}), ("DELETE", None)):
        await desk.door.rival.call(method, path, 404, json=body)
    assert meta.PHONE not in json.dumps(await desk.door.rival.call("GET", "/whatsapp-numbers", 200))
    new = {"phone_number_id": "77", "access_token": "x" * 20, "app_secret": "y" * 20}
    await desk.door.rival.call("POST", "/whatsapp-numbers", 404, json=new | {"agent_id": desk.agent})
    key = await acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["ask"]})
    asker = {"Authorization": f"Bearer {key['key']}"}
    assert (await acme.send("GET", "/whatsapp-numbers", headers=asker)).status_code == 403
    again = new | {"agent_id": desk.agent, "phone_number_id": meta.PHONE}
    assert (await acme.call("POST", "/whatsapp-numbers", 409, json=again))["code"] == "name_taken"
    wrong = new | {"agent_id": desk.agent, "phone_number_id": "+34 600"}
    await acme.call("POST", "/whatsapp-numbers", 422, json=wrong)
    await acme.call("PATCH", path, 404, json={"agent_id": str(uuid4())})
    await acme.call("PATCH", path, 200, json={"active": False})
    await desk.write(meta.text(QUESTION))
    assert (await acme.call("GET", "/conversations", 200))["items"] == []
    await acme.call("DELETE", path, 204)
    await acme.call("GET", path, 404)


async def test_another_agent_at_the_number_starts_another_conversation(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    other = await desk.acme.call("POST", "/agents", 201, json={"name": "Sol", "fallback_message": "Ni idea."})
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"agent_id": other["id"]})
    await desk.write(meta.text(QUESTION))
    assert (await desk.sent(2))[1] == "Ni idea."
    talks = (await desk.acme.call("GET", "/conversations", 200))["items"]
    assert {talk["agent_id"] for talk in talks} == {desk.agent, other["id"]}


async def test_a_forgotten_conversation_takes_its_messages_along(desk: "Desk", owner: Owner) -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    await desk.acme.call("DELETE", f"/conversations/{(await desk.talk())['id']}", 204)
    assert owner.execute("select count(*) from veraz.whatsapp_message").fetchone() == (0,)
    await desk.write(meta.text(QUESTION))
    assert len(await desk.sent(2)) == 2


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("Cuesta 30 euros [Chunk 1].", "Cuesta 30 euros."),
        ("**Ojo**: __nada__ [1].", "*Ojo*: *nada*."),
        ("## QUÉ HACER\nPagar [Chunk 2][Chunk 3].", "*QUÉ HACER*\nPagar."),
        ("Vea [la web](https://x.y) y el art. [3](https://x.y)", "Vea [la web](https://x.y) y el art. [3](https://x.y)"),
    ],
)  # fmt: skip
def test_an_answer_is_written_as_whatsapp_shows_it(answer: str, written: str) -> None:
    assert as_whatsapp_writes(answer) == written


def test_pieces_lose_nothing() -> None:
    for text in ("a" * 50, "uno dos tres " * 20, "uno.\n\ndos. tres\ncuatro " * 9, " ", ""):
        parts: list[Any] = list(pieces(text, 20))
        assert all(0 < len(part) <= 20 for part in parts)
        assert "".join("".join(parts).split()) == "".join(text.split())
