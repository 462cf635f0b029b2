"""A loopback server that speaks the embedding protocols of OpenAI, Gemini and Cohere, and misbehaves on demand."""

import asyncio
import base64
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

if TYPE_CHECKING or __package__ == "tests.support":
    from tests.support.loopback import served_apart
else:
    from support.loopback import served_apart


@dataclass
class EmbeddingServer:
    """What it was asked, and how it behaves next: each request takes one word from `script`.

    `429`, `429 <seconds>`, `500`, `401`, `quota`, `hang`, `garbage`, `text`, `short` (too few dimensions),
    `few` (too few vectors); an empty script answers properly.
    """

    url: str = ""
    script: deque[str] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)
    watch: Callable[[list[str]], None] | None = None
    """Told the texts of every request in OpenAI's protocol; the requests themselves are then not kept."""

    def misbehave(self, *words: str) -> None:
        """The next requests meet these faults, in order."""
        self.script.extend(words)


def vector(text: str, dimensions: int) -> list[float]:
    """A text's vector, always the same and not of length 1."""
    random = np.random.default_rng(zlib.crc32(text.encode()))
    return [float(value) for value in (3 * random.standard_normal(dimensions)).astype(np.float32)]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """The running server."""
    state = EmbeddingServer()
    with served_apart(_app(state)) as state.url:
        yield state


def _app(state: EmbeddingServer) -> FastAPI:
    app = FastAPI()

    @app.post("/v1/embeddings")
    async def openai(request: Request) -> Response:
        body = await request.json()
        if state.watch is not None:
            await asyncio.to_thread(state.watch, body["input"])
            return _openai(state, body, int(body["model"].rpartition("-")[2]))
        size = await _note(state, request, body, body.get("dimensions", 1536))
        return size if isinstance(size, Response) else _openai(state, body, size)

    @app.post("/{version}/models/{call}")
    async def gemini(request: Request, version: str, call: str) -> Response:
        body = await request.json()
        size = await _note(state, request, body, body["requests"][0].get("outputDimensionality", 3072))
        return size if isinstance(size, Response) else _gemini(state, body, size)

    @app.post("/v2/embed")
    async def cohere(request: Request) -> Response:
        body = await request.json()
        size = await _note(state, request, body, body.get("output_dimension") or 1536)
        return size if isinstance(size, Response) else _cohere(state, body, size)

    return app


def _openai(state: EmbeddingServer, body: Any, size: int) -> Response:
    data = []
    for index, text in enumerate(_answered(state, body["input"])):
        row: Any = vector(text, size)
        if body.get("encoding_format") == "base64":
            row = base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode()
        data.append({"object": "embedding", "index": index, "embedding": row})
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    return JSONResponse({"object": "list", "model": body["model"], "data": data, "usage": usage})


def _gemini(state: EmbeddingServer, body: Any, size: int) -> Response:
    texts = [part["content"]["parts"][0]["text"] for part in body["requests"]]
    return JSONResponse({"embeddings": [{"values": vector(text, size)} for text in _answered(state, texts)]})


def _cohere(state: EmbeddingServer, body: Any, size: int) -> Response:
    rows = [vector(text, size) for text in _answered(state, body["texts"])]
    meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 7}}
    return JSONResponse({"id": "x", "embeddings": {"float": rows}, "texts": body["texts"], "meta": meta})


async def _note(state: EmbeddingServer, request: Request, body: Any, size: int) -> Response | int:
    state.requests.append({"path": request.url.path, "headers": dict(request.headers), "body": body})
    word = state.script.popleft() if state.script else ""
    if word == "short":
        return size - 1
    if word == "few":
        state.script.appendleft("drop one")
    if word == "hang":
        await asyncio.sleep(1.0)
    return _fault(word) or size


def _answered(state: EmbeddingServer, texts: list[str]) -> list[str]:
    if state.script and state.script[0] == "drop one":
        state.script.popleft()
        return texts[:-1]
    return texts


def _fault(word: str) -> Response | None:
    message = {"error": {"message": "no", "code": 500, "status": "X"}, "message": "no"}
    status, _, seconds = word.partition(" ")
    if status.isdigit():
        headers = {"retry-after": seconds} if seconds else {}
        return JSONResponse(message, status_code=int(status), headers=headers)
    if word == "quota":
        body = {"error": {"message": "no money", "code": "insufficient_quota", "type": "insufficient_quota"}}
        return JSONResponse(body, status_code=429)
    if word == "garbage":
        return Response('{"data": [', media_type="application/json")
    if word == "text":
        return PlainTextResponse("<html>bad gateway</html>")
    return None
