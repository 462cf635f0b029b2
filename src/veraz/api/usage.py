"""How agents are used, and how single questions were answered; for those who manage them."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Annotated
from uuid import UUID
from zoneinfo import available_timezones

from fastapi import APIRouter, Query

from veraz import errors
from veraz.api.caller import Caller, Services
from veraz.api.schemas import PageView, Paging, StoredJson, Text, View, page_of
from veraz.learn.traces import QuestionFilter
from veraz.learn.usage import (
    AgentUse,
    Apart,
    BaseUse,
    ChannelUse,
    Day,
    Hour,
    ModelUse,
    Period,
    QuotedDocument,
    Totals,
)
from veraz.search.log import Origin, Outcome

router = APIRouter(tags=["usage"])


class UsageView(View):
    """What people asked over the days asked for. Exams, test searches and trials are counted in `apart` only."""

    totals: Totals
    days: list[Day]
    hours: list[Hour]
    channels: list[ChannelUse]
    agents: list[AgentUse]
    models: list[ModelUse]
    apart: list[Apart]
    bases: list[BaseUse]
    quoted: list[QuotedDocument]
    never_quoted: list[QuotedDocument]


class AskedView(View):
    """One question to an agent and how it ended."""

    id: UUID
    question: str
    agent_id: UUID
    agent: str
    outcome: Outcome | None
    origin: Origin
    channel: str
    turn: str
    latency_ms: float
    model: str | None
    created_at: datetime
    has_trace: bool


class TraceView(AskedView):
    """How one question was answered."""

    trace: StoredJson | None
    """Wordings, passages with their scores and why they were left out, what models were sent and said, verdicts, times. None
    where it is no longer kept, or stands on somebody else's personal knowledge."""
    conversation_id: UUID | None
    texts: dict[str, str]
    """By chunk, how the passages begin today."""


@router.get("/usage")
async def usage(
    actor: Caller,
    veraz: Services,
    days: Annotated[int, Query(ge=1, le=366)] = 30,
    zone: Annotated[str, Query(max_length=60)] = "UTC",
    project: UUID | None = None,
    agent: UUID | None = None,
    kb: UUID | None = None,
) -> UsageView:
    """How the agents you manage were used: outcomes by day, times, cost, by agent, channel, model and knowledge base."""
    until = datetime.now(UTC)
    period = Period(
        since=until - timedelta(days=days),
        until=until,
        zone=_zone(zone),
        project_id=project,
        agent_id=agent,
        kb_id=kb,
    )
    return UsageView.model_validate(await veraz.usage.report(actor, period))


@router.get("/usage/questions")
async def questions(
    actor: Caller,
    veraz: Services,
    page: Paging,
    agent: UUID | None = None,
    outcome: Outcome | None = None,
    origin: Origin = "person",
    words: Annotated[Text | None, Query(max_length=200)] = None,
    slower_ms: Annotated[float | None, Query(ge=0, le=3_600_000)] = None,
) -> PageView[AskedView]:
    """Questions to the agents you manage, newest first."""
    wanted = QuestionFilter(
        agent_id=agent, outcome=outcome, origins=(origin,), words=words, slower_ms=slower_ms
    )
    return page_of(AskedView, await veraz.traces.questions(actor, wanted, page))


@router.get("/queries/{query_id}/trace")
async def trace(query_id: UUID, actor: Caller, veraz: Services) -> TraceView:
    """How one question was answered, for those who manage the agent."""
    return TraceView.model_validate(await veraz.traces.of_question(actor, query_id))


def _zone(name: str) -> str:
    if name not in _zones():
        raise errors.Invalid(field="zone", reason="IANA")
    return name


@cache
def _zones() -> frozenset[str]:
    """Read once: they are files."""
    return frozenset(available_timezones())
