"""Asking an agent: the whole answer as JSON, or its events as they happen."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from veraz import errors
from veraz.api.caller import Caller, Services
from veraz.api.hang_up import unless_hung_up
from veraz.api.problems import language_of, problem_of
from veraz.api.schemas import Body, Text, View
from veraz.api.search import ResultView, result_views
from veraz.ask.answers import Ask
from veraz.ask.outcome import Answer, Answered, Checked, Claim, Event, Found, Revised, Searching, Wrote
from veraz.ask.service import LONGEST_QUERY

router = APIRouter(prefix="/agents", tags=["answers"])

QuestionText = Annotated[Text, Field(min_length=1, max_length=LONGEST_QUERY)]


class AskBody(Body):
    """A question; with a conversation it may lean on what was said before."""

    question: QuestionText
    conversation_id: UUID | None = None
    stream: bool = False
    language: Literal["es", "en"] | None = None

    def ask(self) -> Ask:
        """As the service takes it."""
        return Ask(question=self.question, conversation_id=self.conversation_id, language=self.language)


class ClaimView(View):
    """A sentence of the answer and the chunks that prove it."""

    text: str
    chunk_ids: list[UUID]
    support: float


class AnswerView(View):
    """An answer with its proof, or a refusal."""

    answer: str
    answerable: bool
    refused: bool
    refusal: str | None
    claims: list[ClaimView]
    evidence: list[ResultView]
    conversation_id: UUID | None
    message_id: UUID | None
    query_id: UUID | None
    latency_ms: float
    stages: dict[str, float]
    model: str
    corrected: bool
    removed: int
    answerability: float
    language: str
    handoff: bool
    usage: dict[str, Any]


@router.post(
    "/{agent_id}/ask",
    response_model=AnswerView,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def ask(agent_id: UUID, body: AskBody, actor: Caller, veraz: Services, request: Request) -> Any:
    """Answers only from what the agent may read for you. With `stream` the events searching, found, delta, checked,
    revised, answered and error; text is unchecked until `checked`."""
    if not body.stream:
        return answer_view(await unless_hung_up(request, veraz.answers.answer(actor, agent_id, body.ask())))
    events = veraz.answers.ask(actor, agent_id, body.ask())
    first = await anext(events)  # what is refused at once is a problem, not a stream
    lines = _lines(first, events, language_of(request.headers))
    return StreamingResponse(lines, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _lines(first: Event, events: AsyncGenerator[Event, None], language: str) -> AsyncIterator[str]:
    async with aclosing(events):
        try:
            yield sse(first)
            async for event in events:
                yield sse(event)
        except errors.VerazError as error:
            yield f"event: error\ndata: {bytes(problem_of(error, language).body).decode()}\n\n"


def sse(event: Event) -> str:
    """One event as a server-sent one."""
    name, data = _named(event)
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _named(event: Event) -> tuple[str, dict[str, Any]]:
    match event:
        case Searching():
            return "searching", {"question": event.question}
        case Found():
            return "found", {"evidence": [v.model_dump(mode="json") for v in result_views(event.evidence)]}
        case Wrote():
            return "delta", {"text": event.delta}
        case Revised():
            return "revised", {"text": event.text, "reason": event.reason}
        case Checked():
            claims = [_claim_view(claim).model_dump(mode="json") for claim in event.claims]
            return "checked", {
                "text": event.text,
                "claims": claims,
                "removed": event.removed,
                "repaired": event.repaired,
            }
        case Answered():
            return "answered", answer_view(event.answer).model_dump(mode="json")


def answer_view(answer: Answer) -> AnswerView:
    """What every door that answers with JSON shows."""
    same = (
        "answerable", "refused", "refusal", "conversation_id", "message_id", "query_id", "latency_ms", "model", "corrected",
        "removed", "answerability", "language", "handoff",
    )  # fmt: skip
    given: dict[str, Any] = {name: getattr(answer, name) for name in same}
    cost = answer.usage.cost_usd
    return AnswerView(
        **given,
        answer=answer.text,
        claims=[_claim_view(claim) for claim in answer.claims],
        evidence=result_views(answer.evidence),
        stages=dict(answer.stages),
        usage={
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost_usd": None if cost is None else float(cost),
        },
    )


def _claim_view(claim: Claim) -> ClaimView:
    return ClaimView(text=claim.text, chunk_ids=list(claim.chunk_ids), support=claim.support)
