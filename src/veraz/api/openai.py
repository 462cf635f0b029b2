"""OpenAI's protocol at the root: an agent is a model. Only checked text is ever sent, also when streaming."""

import base64
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from veraz import errors
from veraz.answer.evidence import place_of
from veraz.answer.model import Answer, Answered, Event, QuotedPassage, Wrote
from veraz.answer.service import Ask
from veraz.answer.stored import stored_claim
from veraz.api.bodies import TALK, WORDS, BodyRefused, takes
from veraz.api.caller import Caller, Services
from veraz.api.hang_up import unless_hung_up
from veraz.api.problems import language_of, status_of
from veraz.api.schemas import Text
from veraz.api.validation import findings
from veraz.ids import new_id
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.providers.chat.base import Message
from veraz.security import tell_refusal

_MARK = re.compile(r"\[Chunk (\d+)\]")
_TYPES = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    404: "not_found_error",
}


class OpenAIRoute(APIRoute):
    """Errors the way OpenAI's clients read them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with our errors rendered their way."""
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await inner(request)
            except errors.VerazError as error:
                return _refused(error, language_of(request.headers))
            except BodyRefused as error:
                return _refused(error.error, language_of(request.headers))
            except RequestValidationError as error:
                language = language_of(request.headers)
                first = findings(error, language)[0]
                return _refused(errors.Invalid(field=first["field"], reason=first["reason"]), language)

        return handler


router = APIRouter(
    prefix="/v1",
    tags=["openai"],
    route_class=OpenAIRoute,
    responses={
        status: {"description": "Refused"} for status in (400, 401, 402, 403, 404, 409, 422, 429, 502, 503)
    },
)


class _Loose(BaseModel):
    """Clients send many settings that mean nothing here."""

    model_config = ConfigDict(extra="ignore")


class Part(_Loose):
    """One part of a message; only text is read."""

    type: str = "text"
    text: Text = ""


class ChatMessage(_Loose):
    """One turn."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[Text, Field(max_length=100_000)] | list[Part] | None = None

    def words(self) -> str:
        """Its text."""
        if isinstance(self.content, str) or self.content is None:
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.type == "text")


class StreamOptions(_Loose):
    """What a stream ends with."""

    include_usage: bool = False


class ChatBody(_Loose):
    """A chat completion; `model` is an agent's name or id. System messages are left to the agent."""

    model: Annotated[Text, Field(min_length=1, max_length=200)]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=500)]
    stream: bool = False
    stream_options: StreamOptions | None = None

    def ask(self) -> Ask:
        """The last question, with the turns before it."""
        turns = [
            message for message in self.messages if message.role in ("user", "assistant") and message.words()
        ]
        if not turns or turns[-1].role != "user":
            said = errors.Phrase("the last one must be from the user", es="el último debe ser del usuario")
            raise errors.Invalid(field="messages", reason=said)
        before = tuple(
            Message(role="user" if turn.role == "user" else "assistant", text=turn.words())
            for turn in turns[:-1]
        )
        return Ask(question=turns[-1].words(), history=before[-12:], remember=False, channel="openai")


_MOST_CHARACTERS = 500_000
Input = Annotated[Text, Field(max_length=30_000)]
"""As long as OpenAI's own models take; longer ones would keep the processor from everybody else for minutes."""


class EmbeddingBody(_Loose):
    """Texts to embed."""

    model: Annotated[Text, Field(max_length=200)] = "default"
    input: Input | Annotated[list[Input], Field(min_length=1, max_length=512)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None

    def texts(self) -> list[str]:
        """What is to be embedded, as much as one call may take."""
        texts = [self.input] if isinstance(self.input, str) else self.input
        if sum(map(len, texts)) > _MOST_CHARACTERS:
            raise errors.TooLarge(what=errors.Phrase("input", es="input"), limit=_MOST_CHARACTERS)
        return texts


@router.get("/models")
async def models(actor: Caller, veraz: Services) -> dict[str, Any]:
    """The agents you may ask."""
    page = await veraz.agents.all(actor, PageRequest(limit=500))
    return {"object": "list", "data": [_model(agent) for agent in page.items]}


@router.get("/models/{name:path}")
async def model(name: str, actor: Caller, veraz: Services) -> dict[str, Any]:
    """One of them, by its name."""
    return _model(await veraz.agents.by_name(actor, name))


@router.post("/chat/completions")
@takes(TALK)
async def chat(body: ChatBody, actor: Caller, veraz: Services, request: Request) -> Response:
    """An agent's answer, with its citations in an extra field."""
    agent = await veraz.agents.by_name(actor, body.model)
    if body.stream:
        usage = bool(body.stream_options and body.stream_options.include_usage)
        events = veraz.answers.ask(actor, agent.id, replace(body.ask(), eager=True))
        first = await anext(events)  # what is refused at once is an error, not a stream
        chunks = _chunks(first, events, body.model, usage=usage, language=language_of(request.headers))
        return StreamingResponse(chunks, media_type="text/event-stream")
    answer = await unless_hung_up(request, veraz.answers.answer(actor, agent.id, body.ask()))
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": _annotations(answer),
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = _head(str(answer.query_id), body.model, "chat.completion")
    return JSONResponse(head | {"choices": [choice], "usage": _usage(answer)} | _extra(answer))


@router.post("/embeddings")
@takes(WORDS)
async def embeddings(body: EmbeddingBody, actor: Caller, veraz: Services, request: Request) -> dict[str, Any]:
    """Vectors of texts by this installation's models."""
    work = veraz.embeddings.embed(actor, body.texts(), body.model, dimensions=body.dimensions)
    name, embedded = await unless_hung_up(request, work)
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(row, body.encoding_format)}
        for index, row in enumerate(embedded.vectors)
    ]
    usage = {"prompt_tokens": embedded.tokens, "total_tokens": embedded.tokens}
    return {"object": "list", "model": name, "data": data, "usage": usage}


def _model(agent: Agent) -> dict[str, Any]:
    created = int(agent.created_at.timestamp())
    return {"id": agent.name, "object": "model", "created": created, "owned_by": "veraz"}


async def _chunks(
    first: Event, events: AsyncGenerator[Event, None], model: str, *, usage: bool, language: str
) -> AsyncIterator[str]:
    """Proven sentences as they come; comments keep the connection alive while nothing is proven yet."""
    head = _head(str(new_id()), model, "chat.completion.chunk")
    sent = ""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _data(head | {"choices": [choice]} | more)

    yield chunk({"role": "assistant", "content": ""})
    async with aclosing(events):
        try:
            event: Event | None = first
            while event is not None:
                if isinstance(event, Wrote):
                    sent += event.delta
                    yield chunk({"content": event.delta})
                elif isinstance(event, Answered):
                    rest = event.answer.text.removeprefix(sent.strip())
                    if rest:
                        yield chunk({"content": rest if sent else event.answer.text})
                    noted = _annotations(event.answer)
                    yield chunk({"annotations": noted} if noted else {}, "stop", **_extra(event.answer))
                    if usage:
                        yield _data(head | {"choices": [], "usage": _usage(event.answer)})
                else:
                    yield ": working\n\n"
                event = await anext(events, None)
        except errors.VerazError as error:
            yield _data({"error": _problem(error, language)})
    yield "data: [DONE]\n\n"


def _head(name: str, model: str, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{name}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": None,
    }


def _extra(answer: Answer) -> dict[str, Any]:
    """What OpenAI's protocol has no word for: the passages, and which claim stands on which."""
    citations = [
        {
            "number": number,
            "chunk_id": str(hit.passage.chunk_id),
            "document_id": str(hit.passage.document_id),
            "document_name": hit.passage.document_name,
            "page_number": hit.passage.page_number,
            "start_char": hit.passage.start_char,
            "end_char": hit.passage.end_char,
            "place": place_of(hit.passage),
            "source_url": hit.passage.source_url,
            "content": hit.passage.content,
            "relevance": round(hit.relevance, 4),
        }
        for number, hit in enumerate(answer.evidence, start=1)
    ]
    claims = [
        {
            "text": claim.text,
            "verdict": claim.verdict,
            "chunk_ids": [str(chunk) for chunk in claim.chunk_ids],
            "support": claim.support,
            "quotes": stored_claim(claim)["quotes"],
        }
        for claim in answer.claims
    ]
    return {"citations": citations, "claims": claims, "refused": answer.refused}


def _annotations(answer: Answer) -> list[dict[str, Any]]:
    """Each `[Chunk n]` of the text as a link to the words it stands for, as OpenAI's clients show sources."""
    linked: dict[int, list[QuotedPassage]] = {}
    numbers = {hit.passage.chunk_id: number for number, hit in enumerate(answer.evidence, start=1)}
    for quote in (quote for claim in answer.claims for quote in claim.quotes if quote.url):
        linked.setdefault(numbers[quote.chunk_id], []).append(quote)
    found: list[dict[str, Any]] = []
    for mark in _MARK.finditer(answer.text):
        if quotes := linked.get(int(mark[1])):
            quote = quotes.pop(0) if len(quotes) > 1 else quotes[0]
            place = {"start_index": mark.start(), "end_index": mark.end(), "title": " › ".join(quote.place)}
            found.append({"type": "url_citation", "url_citation": place | {"url": quote.url}})
    return found


def _usage(answer: Answer) -> dict[str, int]:
    used = answer.usage
    return {
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.tokens,
    }


def _encoded(row: "np.ndarray[Any, np.dtype[np.float32]]", form: str) -> str | list[float]:
    if form == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode()
    return [float(value) for value in row]


def _data(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


def _refused(error: errors.VerazError, language: str) -> JSONResponse:
    return JSONResponse({"error": _problem(error, language)}, status_of(error))


def _problem(error: errors.VerazError, language: str) -> dict[str, Any]:
    tell_refusal(error)
    status = status_of(error)
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"message": error.message(language), "type": kind, "param": None, "code": error.code}
