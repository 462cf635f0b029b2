"""A loopback server that speaks Cohere's rerank protocol, and misbehaves on demand."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

if TYPE_CHECKING or __package__ == "tests.support":
    from tests.support.loopback import served_apart
else:
    from support.loopback import served_apart


@dataclass
class RerankServer:
    """What it was asked, and how it behaves next: each request takes one word from `script`.

    `429`, `429 <seconds>`, `500`, `401`, `hang`, `garbage`, `text`, `few` (not every passage), `strange` (a passage that was
    not sent), `nan`; an empty script scores each passage by the share of the question's words in it.
    """

    url: str = ""
    script: deque[str] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def misbehave(self, *words: str) -> None:
        """The next requests meet these faults, in order."""
        self.script.extend(words)


@contextmanager
def rerank_server() -> Iterator[RerankServer]:
    """The running server."""
    state = RerankServer()
    with served_apart(_app(state)) as state.url:
        yield state


def _app(state: RerankServer) -> FastAPI:
    app = FastAPI()

    @app.post("/v2/rerank")
    async def rerank(request: Request) -> Response:
        body = await request.json()
        state.requests.append({"headers": dict(request.headers), "body": body})
        word = state.script.popleft() if state.script else ""
        if word == "hang":
            await asyncio.sleep(3)
        return _fault(word) or _answer(body, word)

    return app


def _fault(word: str) -> Response | None:
    if word.startswith("429"):
        _, _, seconds = word.partition(" ")
        headers = {"Retry-After": seconds} if seconds else None
        return JSONResponse({"message": "You are past the per minute request limit"}, 429, headers=headers)
    if word in ("401", "500"):
        return JSONResponse({"id": "r1", "message": f"scripted {word}"}, int(word))
    if word == "garbage":
        return JSONResponse({"results": [{"index": "first", "relevance_score": "high"}]})
    if word == "text":
        return PlainTextResponse("<html>maintenance</html>")
    return None


def _answer(body: dict[str, Any], word: str) -> Response:
    asked = set(body["query"].lower().split())
    scores = [len(asked & set(text.lower().split())) / len(asked) for text in body["documents"]]
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    results.sort(key=lambda result: -result["relevance_score"])
    if word == "few":
        results.pop()
    if word == "strange":
        results[0]["index"] = 99
    if word == "nan":
        results[0]["relevance_score"] = "NaN"  # type: ignore[assignment]
    meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
    return JSONResponse({"id": "r1", "results": results, "meta": meta})
