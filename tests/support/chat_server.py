"""A loopback server that speaks the chat protocols of OpenAI, Anthropic and Gemini, and misbehaves on demand."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

if TYPE_CHECKING or __package__ == "tests.support":
    from tests.support.loopback import served_apart
else:
    from support.loopback import served_apart


@dataclass
class ChatServer:
    """What it was asked, and how it behaves next: each request takes one word from `script`.

    `429`, `429 <seconds>`, `500`, `401`, `hang`, `slow` (a pause in the middle), `stall` (a very long one), `garbage`, `empty`,
    `cut` (the stream ends in the middle); an empty script answers `answer` properly.
    """

    url: str = ""
    answer: str = "El plan A cuesta 10 € [Chunk 1]."
    script: deque[str] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)
    hung_up: int = 0
    form: dict[str, Any] = field(default_factory=dict)
    """What it answers at once: through a tool where the request brings one, else as JSON."""

    @property
    def whole(self) -> str:
        """The text of an answer that is not streamed."""
        return json.dumps(self.form) if self.form else self.answer

    def misbehave(self, *words: str) -> None:
        """The next requests meet these faults, in order."""
        self.script.extend(words)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """The running server."""
    state = ChatServer()
    with served_apart(_app(state)) as state.url:
        yield state


def _app(state: ChatServer) -> FastAPI:
    app = FastAPI()

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": "loopback"}, {"id": "text-embedding-3-small"}]}

    @app.post("/v1/chat/completions")
    async def openai(request: Request) -> Response:
        return await _answer(state, request, _openai_lines)

    @app.post("/v1/messages")
    async def anthropic(request: Request) -> Response:
        return await _answer(state, request, _anthropic_lines)

    @app.post("/{version}/models/{call}")
    async def gemini(request: Request, version: str, call: str) -> Response:
        return await _answer(state, request, _gemini_lines)

    return app


async def _answer(state: ChatServer, request: Request, lines: Any) -> Response:
    body = await request.json()
    state.requests.append({"path": request.url.path, "headers": dict(request.headers), "body": body})
    word = state.script.popleft() if state.script else ""
    if fault := _fault(word):
        return fault
    if word == "hang":
        await asyncio.sleep(3)
    if not (body.get("stream") or "stream" in request.url.path):
        return JSONResponse(_whole(state, body, request.url.path))
    return StreamingResponse(_stream(state, request, word, lines), media_type="text/event-stream")


def _whole(state: ChatServer, body: dict[str, Any], path: str) -> dict[str, Any]:
    """An answer at once; a filled-in form where the request brings tools."""
    if path.endswith("/chat/completions"):
        return _openai_whole(state, body)
    return _anthropic_whole(state, body) if path.endswith("/messages") else _gemini_whole(state, body)


def _openai_whole(state: ChatServer, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": state.whole}
    if tools := body.get("tools"):
        called = {"name": tools[0]["function"]["name"], "arguments": json.dumps(state.form)}
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": "t1", "type": "function", "function": called}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "loopback", "choices": [choice], "usage": usage,
    }  # fmt: skip


def _anthropic_whole(state: ChatServer, body: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"type": "text", "text": state.whole}
    if tools := body.get("tools"):
        content = {"type": "tool_use", "id": "t1", "name": tools[0]["name"], "input": state.form}
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": "loopback", "content": [content],
        "stop_reason": "tool_use" if tools else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }  # fmt: skip


def _gemini_whole(state: ChatServer, body: dict[str, Any]) -> dict[str, Any]:
    part: dict[str, Any] = {"text": state.whole}
    if tools := body.get("tools"):
        part = {"functionCall": {"name": tools[0]["functionDeclarations"][0]["name"], "args": state.form}}
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "loopback"}


async def _stream(state: ChatServer, request: Request, word: str, lines: Any) -> AsyncIterator[str]:
    text = "" if word == "empty" else state.answer
    pieces = [text[i : i + 7] for i in range(0, len(text), 7)]
    every = list(lines(pieces, request))
    try:
        for index, line in enumerate(every):
            if word == "cut" and index == len(every) // 2:
                return
            if word in ("slow", "stall") and index == len(every) // 2:
                await asyncio.sleep(3 if word == "slow" else 600)
            yield line
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        state.hung_up += 1
        raise


def _fault(word: str) -> Response | None:
    error = {"error": {"message": f"scripted {word}", "type": "scripted", "code": None}}
    if word.startswith("429"):
        _, _, seconds = word.partition(" ")
        return JSONResponse(error, 429, headers={"Retry-After": seconds} if seconds else None)
    if word in ("500", "401", "404", "503"):
        return JSONResponse(error, int(word))
    if word == "garbage":
        return PlainTextResponse("data: {not json\n\n", media_type="text/event-stream")
    return None


def _openai_lines(pieces: list[str], request: Request) -> Iterator[str]:
    del request

    def chunk(**more: Any) -> str:
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "loopback"}
        return f"data: {json.dumps(base | more)}\n\n"

    yield chunk(choices=[{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}])
    for piece in pieces:
        yield chunk(choices=[{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
    yield chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
    yield chunk(choices=[], usage={"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})
    yield "data: [DONE]\n\n"


def _anthropic_lines(pieces: list[str], request: Request) -> Iterator[str]:
    del request

    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind} | more)}\n\n"

    message: dict[str, Any] = {
        "id": "m1", "type": "message", "role": "assistant", "model": "loopback", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 1},
    }  # fmt: skip
    yield event("message_start", message=message)
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    yield event("ping")
    for piece in pieces:
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=0)
    yield event(
        "message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 20}
    )
    yield event("message_stop")


def _gemini_lines(pieces: list[str], request: Request) -> Iterator[str]:
    del request
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    for index, piece in enumerate(pieces or [""]):
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}
        if index == len(pieces or [""]) - 1:
            candidate["finishReason"] = "STOP"
        body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "loopback"}
        yield f"data: {json.dumps(body)}\n\n"
