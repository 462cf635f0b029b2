"""pywa, the WhatsApp library of others, as the judge: what we take is what it takes, what we send is what it sends."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
from pywa.client import WhatsApp
from pywa.handlers import MessageHandler, MessageStatusHandler
from pywa.types.message import Message
from pywa.types.message_status import MessageStatus
from pywa.types.sent_update import SentMessage

from veraz.channels.whatsapp.payload import read
from veraz.channels.whatsapp.signature import sign

if TYPE_CHECKING:
    from tests.channels.conftest import Desk
    from tests.support import graph_server as meta
else:
    from support import graph_server as meta

QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal? 🏋️"


def other(session: httpx.Client | None = None) -> WhatsApp:
    """Another program that answers at the same number."""
    return WhatsApp(
        meta.PHONE,
        meta.TOKEN,
        session=session,
        server=None,
        app_secret=meta.SECRET,
        verify_token="palabra-acordada",
    )


def test_both_read_the_same_from_metas_calls() -> None:
    receiver = other()
    heard: list[tuple[Any, ...]] = []

    def message(_: WhatsApp, one: Message) -> None:
        heard.append((one.id, one.from_user.wa_id, one.from_user.bsuid, one.type.value, one.text))

    def status(_: WhatsApp, one: MessageStatus[Any]) -> None:
        code = one.error.code if one.error else None
        heard.append((one.id, one.status.value, code))

    receiver.add_handlers(MessageHandler(message), MessageStatusHandler(status))

    failed = meta.status("wamid.2", "failed", error=131047)
    picture = {"id": "1", "mime_type": "image/jpeg", "sha256": "x", "url": "https://x.y"}
    parts: list[dict[str, Any]] = [
        meta.change([meta.text(QUESTION)]),
        meta.change([meta.text("hola", phone=None, bsuid="MX.1349")]),
        meta.change([meta.message("image", picture)]),
        meta.change(statuses=[meta.status("wamid.1", "delivered")]),
        meta.change(statuses=[failed]),
    ]
    ours: list[Any] = []
    for part in parts:
        for escaped in (True, False):
            body = json.dumps(meta.call(part), ensure_ascii=escaped).encode()
            assert sign(body, meta.SECRET) == meta.signed(body)["X-Hub-Signature-256"]
            assert receiver.webhook_update_validator(body, sign(body, meta.SECRET)) is None
            assert receiver.webhook_update_validator(body, sign(body, "another secret")) is not None
            assert receiver.webhook_update_handler(body) == ("ok", 200)
            payload = read(body)
            ours += [(m.wamid, m.phone, m.bsuid, m.kind, m.text) for m in payload.messages]
            ours += [(r.wamid, r.status, r.error_code) for r in payload.reports]
    assert set(ours) == set(heard)
    assert len(set(ours)) == len(parts)


async def test_both_send_the_same_and_are_understood_by_the_same_graph(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.write(meta.text(QUESTION, phone=None, bsuid="MX.1349"))
    await desk.sent(2)
    for ours in [*desk.graph.sent]:
        to = ours.get("to") or ours["recipient"]
        theirs = await asyncio.to_thread(_sent_by_pywa, desk.graph, to, ours)
        assert theirs.id == desk.graph.sent[-1]["wamid"]
        assert _comparable(ours) == _comparable(desk.graph.sent[-1])


async def test_pywa_s_address_check_is_ours(desk: "Desk") -> None:
    for token in ("palabra-acordada", "otra"):
        asked = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "42"}
        answer = await desk.door.http.get("/api/webhooks/whatsapp", params=asked)
        theirs, status = other().webhook_challenge_handler(vt=token, ch="42")
        assert answer.status_code == status
        assert status != 200 or answer.text == theirs


def _sent_by_pywa(graph: meta.Graph, to: str, ours: dict[str, Any]) -> SentMessage:
    with httpx.Client() as session:
        sender = other(session)
        session.base_url = graph.url
        return sender.send_message(to=to, text=ours["text"]["body"], tracker=ours["biz_opaque_callback_data"])


def _comparable(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "wamid"}
