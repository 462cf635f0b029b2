"""Meta on loopback: a Graph that takes messages and misbehaves on demand, and webhook calls as Meta makes them."""

import hashlib
import hmac
import itertools
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

if TYPE_CHECKING:
    from tests.support.loopback import served
else:
    from support.loopback import served

WABA = "102290129340398"
SECRET = "app-secret-of-the-meta-app"
TOKEN = "EAAG-access-token"
PHONE = "106540352242922"

_numbers = itertools.count(1)
_FAULTS: dict[str, tuple[int, int, str]] = {
    "429": (429, 130429, "Rate limit hit"),
    "500": (500, 131000, "Something went wrong"),
    "131047": (400, 131047, "Re-engagement message"),
    "190": (401, 190, "Error validating access token: Session has expired"),
    "131030": (400, 131030, "Recipient phone number not in allowed list"),
    "131056": (400, 131056, "(Business Account, Consumer Account) pair rate limit hit"),
}


@dataclass
class Graph:
    """What was sent, and how it behaves next: each request takes one word from `script`.

    A fault's code, `429 <seconds>` (Retry-After), `lost` (taken, but the answer never arrives); an empty script
    takes the message.
    """

    url: str = ""
    script: deque[str] = field(default_factory=deque)
    sent: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the messages that were taken, with `phone_number_id`, `token` and `wamid`."""
    refused: list[str] = field(default_factory=list)

    def misbehave(self, *words: str) -> None:
        """The next requests meet these faults, in order."""
        self.script.extend(words)

    @property
    def texts(self) -> list[str]:
        """What people read on their phones."""
        return [message["text"]["body"] for message in self.sent]


@asynccontextmanager
async def graph_server() -> AsyncIterator[Graph]:
    """The running Graph."""
    graph = Graph()
    async with served(_app(graph)) as url:
        graph.url = f"{url}/v26.0"
        yield graph


def _app(graph: Graph) -> FastAPI:
    app = FastAPI()

    @app.post("/v26.0/{phone_number_id}/messages")
    async def messages(phone_number_id: str, request: Request) -> Response:
        body = await request.json()
        word, _, seconds = (graph.script.popleft() if graph.script else "").partition(" ")
        if word in _FAULTS:
            graph.refused.append(word)
            return _fault(word, seconds)
        wamid = f"wamid.sent{next(_numbers)}"
        token = request.headers["authorization"].removeprefix("Bearer ")
        graph.sent.append(body | {"phone_number_id": phone_number_id, "token": token, "wamid": wamid})
        if word == "lost":
            return Response("<html>gateway</html>", 200)
        to = _taken(body)
        return JSONResponse({"messaging_product": "whatsapp", "contacts": [to], "messages": [{"id": wamid}]})

    return app


def _taken(body: dict[str, Any]) -> dict[str, str]:
    """Whom Meta understood."""
    if "to" in body:
        return {"input": body["to"], "wa_id": body["to"]}
    return {"input": body["recipient"], "user_id": body["recipient"]}


def _fault(word: str, seconds: str) -> Response:
    status, code, message = _FAULTS[word]
    error = {
        "message": f"(#{code}) {message}",
        "type": "OAuthException",
        "code": code,
        "error_data": {"messaging_product": "whatsapp", "details": message},
        "fbtrace_id": "AbCdEf",
    }
    return JSONResponse({"error": error}, status, headers={"Retry-After": seconds} if seconds else None)


# what Meta calls with


def text(
    body: str, *, phone: str | None = "5215512345678", wamid: str | None = None, **more: Any
) -> dict[str, Any]:
    """A text message somebody wrote."""
    return message("text", {"body": body}, phone=phone, wamid=wamid, **more)


def message(
    kind: str,
    content: dict[str, Any],
    *,
    phone: str | None = "5215512345678",
    bsuid: str | None = None,
    wamid: str | None = None,
    at: float | None = None,
) -> dict[str, Any]:
    """A message of any kind; people without a phone number have only Meta's own id."""
    sender = {"from": phone} if phone else {}
    return {
        **sender,
        "from_user_id": bsuid or f"MX.{phone}",
        "id": wamid or f"wamid.in{next(_numbers)}",
        "timestamp": str(int(at or time.time())),
        "type": kind,
        kind: content,
    }


def status(wamid: str, word: str, *, ours: str | None = None, error: int | None = None) -> dict[str, Any]:
    """A report of delivery."""
    report: dict[str, Any] = {
        "id": wamid,
        "status": word,
        "timestamp": str(int(time.time())),
        "recipient_id": "5215512345678",
        "recipient_user_id": "MX.5215512345678",
    }
    if ours:
        report["biz_opaque_callback_data"] = ours
    if error:
        details = {"details": "Message failed to send"}
        report["errors"] = [{"code": error, "title": "Error", "message": "Error", "error_data": details}]
    return report


def change(
    messages: Sequence[dict[str, Any]] = (),
    statuses: Sequence[dict[str, Any]] = (),
    *,
    phone_number_id: str = PHONE,
) -> dict[str, Any]:
    """One change of one number, with the contacts of its messages."""
    value: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": phone_number_id},
    }
    if messages:
        value["contacts"] = [_contact(one) for one in messages]
        value["messages"] = list(messages)
    if statuses:
        value["contacts"] = [
            {"wa_id": one["recipient_id"], "user_id": one["recipient_user_id"]} for one in statuses
        ]
        value["statuses"] = list(statuses)
    return {"field": "messages", "value": value}


def call(*changes: dict[str, Any], entries: int = 1) -> dict[str, Any]:
    """A whole call; its changes may be spread over several entries."""
    spread = [list(changes[i::entries]) for i in range(entries)]
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": WABA, "changes": part} for part in spread if part],
    }


def _contact(one: dict[str, Any]) -> dict[str, Any]:
    phone = {"wa_id": one["from"]} if "from" in one else {}
    return {"profile": {"name": "Kerry Fisher"}, **phone, "user_id": one["from_user_id"]}


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    """The headers of a call."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={digest}"}


async def deliver(
    http: httpx.AsyncClient, payload: dict[str, Any], *, secret: str = SECRET, escaped: bool = False
) -> httpx.Response:
    """Meta calls our webhook."""
    body = json.dumps(payload, ensure_ascii=escaped).encode()
    return await http.post("/api/webhooks/whatsapp", content=body, headers=signed(body, secret))
