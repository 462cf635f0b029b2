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
from veraz.answer.model import (
    Answer,
    Answered,
    Checked,
    Claim,
    Drafted,
    Event,
    Found,
    Searching,
    Spent,
    Wrote,
)
from veraz.answer.service import Ask
from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.hang_up import unless_hung_up
from veraz.api.passages import MarkedPageView
from veraz.api.problems import language_of, problem_of
from veraz.api.schemas import Body, Text, View
from veraz.api.search import ResultView, result_views
from veraz.search.service import LONGEST_QUERY

router = APIRouter(prefix="/agents", tags=["answers"])

QuestionText = Annotated[Text, Field(min_length=1, max_length=LONGEST_QUERY)]


class AskBody(Body):
    """A question; with a conversation it may lean on what was said before."""

    question: QuestionText
    conversation_id: UUID | None = None
    stream: bool = False
    unchecked: bool = False
    """With `stream`, for those who manage the agent: also the draft as it is written, before anything of it is proven."""
    language: Literal["es", "en", "pt"] | None = None

    def ask(self) -> Ask:
        """As the service takes it."""
        return Ask(
            question=self.question,
            conversation_id=self.conversation_id,
            language=self.language,
            eager=self.stream,
            unchecked=self.stream and self.unchecked,
        )


class QuoteView(View):
    """The words a claim stands on, and where they stand."""

    chunk_id: UUID
    document_id: UUID
    document_name: str
    place: list[str]
    """Title, sheet and the headings above these very words."""
    page_number: int | None
    sheet: str | None
    row: int | None
    """In its sheet or table, from 1, the rows that name the columns counted."""
    columns: list[str]
    """The names of that row's columns, empty where one has none."""
    start_char: int
    end_char: int
    """In the characters of the document's text."""
    rectangles: list[list[float]]
    """Left, bottom, right, top of each line on the page they begin on, in PDF points from its lower left corner."""
    pages: list[MarkedPageView]
    """Every page they stand on, the first one first: a sentence may go on over the page."""
    text: str
    corrected: bool
    """Whether a person corrected these words; the document's file still has the ones before."""
    url: str | None
    """A permanent link that shows the quotation in its document."""


class ClaimView(View):
    """A sentence of the answer and what proves it."""

    text: str
    verdict: Literal["supported", "quoted"]
    chunk_ids: list[UUID]
    quotes: list[QuoteView]
    support: float


class HeldBackView(View):
    """A sentence the model wrote that nobody could prove."""

    text: str
    reason: str


class AnswerView(View):
    """An answer with its proof, or a refusal."""

    answer: str
    answerable: bool
    refused: bool
    refusal: str | None
    turn: Literal["conversation", "handoff", "question"]
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
    degraded: str | None
    """Why the answer is poorer than the agent's settings promise; for those who manage it."""
    held_back: list[HeldBackView]
    """What the model wrote and could not be proven; for those who manage the agent."""
    answerability: float
    language: str
    handoff: bool
    usage: dict[str, Any]


_EVENT = {
    "type": "object",
    "properties": {
        "event": {"enum": ["searching", "found", "draft", "delta", "checked", "answered", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}


@router.post(
    "/{agent_id}/ask",
    response_model=AnswerView,
    responses={200: {"content": {"text/event-stream": {"schema": _EVENT}}}},
)
@takes(QUESTION)
async def ask(agent_id: UUID, body: AskBody, actor: Caller, veraz: Services, request: Request) -> Any:
    """Answers only from what the agent may read for you. With `stream` the events searching, found, delta, checked,
    answered and error: every `delta` is proven and final. With `unchecked`, which is for those who
    manage the agent, also `draft`, which is neither."""
    if not body.stream:
        answer = await unless_hung_up(request, veraz.answers.answer(actor, agent_id, body.ask()))
        return answer_view(answer, manages=await veraz.answers.manages(actor, agent_id))
    events = veraz.answers.ask(actor, agent_id, body.ask())
    first = await anext(events)  # what is refused at once is a problem, not a stream
    manages = await veraz.answers.manages(actor, agent_id)
    lines = _lines(first, events, language_of(request.headers), manages=manages)
    return StreamingResponse(lines, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _lines(
    first: Event, events: AsyncGenerator[Event, None], language: str, *, manages: bool
) -> AsyncIterator[str]:
    async with aclosing(events):
        try:
            yield sse(first, manages=manages)
            async for event in events:
                yield sse(event, manages=manages)
        except errors.VerazError as error:
            yield f"event: error\ndata: {bytes(problem_of(error, language).body).decode()}\n\n"


def sse(event: Event, *, manages: bool = False) -> str:
    """One event as a server-sent one."""
    name, data = _named(event, manages=manages)
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _named(event: Event, *, manages: bool) -> tuple[str, dict[str, Any]]:
    match event:
        case Searching():
            return "searching", {"question": event.question}
        case Found():
            return "found", {"evidence": [v.model_dump(mode="json") for v in result_views(event.evidence)]}
        case Wrote():
            return "delta", {"text": event.delta}
        case Drafted():
            return "draft", {"text": event.delta}
        case Checked():
            claims = [_claim_view(claim).model_dump(mode="json") for claim in event.claims]
            return "checked", {"text": event.text, "claims": claims, "removed": event.removed}
        case Answered():
            return "answered", answer_view(event.answer, manages=manages).model_dump(mode="json")
        case Spent():
            return "spent", {"stage": event.stage, "milliseconds": event.milliseconds}


def answer_view(answer: Answer, *, manages: bool = False) -> AnswerView:
    """What every door that answers with JSON shows; what was held back only to those who manage the agent."""
    same = (
        "answerable", "refused", "refusal", "turn", "conversation_id", "message_id", "query_id", "latency_ms", "model", "corrected",
        "removed", "answerability", "language", "handoff",
    )  # fmt: skip
    given: dict[str, Any] = {name: getattr(answer, name) for name in same}
    cost = answer.usage.cost_usd
    return AnswerView(
        **given,
        answer=answer.text,
        claims=[_claim_view(claim) for claim in answer.claims],
        evidence=result_views(answer.evidence),
        degraded=answer.degraded if manages else None,
        held_back=[HeldBackView(text=one.text, reason=one.reason) for one in answer.held_back if manages],
        stages=dict(answer.stages),
        usage={
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost_usd": None if cost is None else float(cost),
        },
    )


def _claim_view(claim: Claim) -> ClaimView:
    quotes = [QuoteView(**quote.to_json()) for quote in claim.quotes]
    return ClaimView(
        text=claim.text,
        verdict=claim.verdict,
        chunk_ids=list(claim.chunk_ids),
        quotes=quotes,
        support=claim.support,
    )
