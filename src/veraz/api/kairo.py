"""KAIRO's handler at the root, with the body its n8n workflow gets."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BeforeValidator, ConfigDict, Field

from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.hang_up import unless_hung_up
from veraz.api.schemas import Body, Text, View
from veraz.channels.kairo import LeadAnswer, LeadMessage
from veraz.search.service import LONGEST_QUERY

router = APIRouter(prefix="/webhook", tags=["ecosystem"])

Reference = Annotated[Text, Field(min_length=1, max_length=200)]


def _unless_empty(given: Any) -> Any:
    """n8n writes an empty text where it has nothing."""
    return None if isinstance(given, str) and not given.strip() else given


class LeadBody(Body):
    """What a lead said; what else KAIRO sends along means nothing here. Ids of its own may be numbers."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, coerce_numbers_to_str=True)

    leadId: Reference
    agentId: UUID
    projectId: UUID
    message: Annotated[Text, Field(min_length=1, max_length=LONGEST_QUERY)]
    conversationId: Annotated[Reference | None, BeforeValidator(_unless_empty)] = None


class SourceView(View):
    """A passage the answer stands on."""

    title: str
    content: str
    similarity: float


class LeadAnswerView(View):
    """The answer; empty when a person has taken over (`handoffMode` is human)."""

    leadId: str
    agentId: UUID
    projectId: UUID
    conversationId: UUID
    message: str
    response: str
    hasContext: bool
    answerable: bool
    refused: bool
    handoffMode: Literal["ai", "human"]
    sent: bool
    sources: list[SourceView]


@router.post("/kairo-ai-handler")
@takes(QUESTION)
async def handle(body: LeadBody, actor: Caller, veraz: Services, request: Request) -> LeadAnswerView:
    """Answers a lead from the agent's knowledge; a lead of one of our WhatsApp numbers gets the answer there too."""
    message = LeadMessage(
        lead=body.leadId,
        agent_id=body.agentId,
        project_id=body.projectId,
        text=body.message,
        conversation=body.conversationId,
    )
    return _view(body, await unless_hung_up(request, veraz.kairo.handle(actor, message)))


def _view(body: LeadBody, done: LeadAnswer) -> LeadAnswerView:
    cited = {chunk_id for claim in done.answer.claims for chunk_id in claim.chunk_ids}
    hits = [hit for hit in done.answer.evidence if hit.passage.chunk_id in cited]
    return LeadAnswerView(
        leadId=body.leadId,
        agentId=body.agentId,
        projectId=body.projectId,
        conversationId=done.conversation.id,
        message=body.message,
        response=done.text,
        hasContext=bool(done.answer.evidence),
        answerable=done.answer.answerable,
        refused=done.answer.refused,
        handoffMode=done.conversation.handoff_mode,
        sent=done.queued,
        sources=[
            SourceView(title=h.passage.document_name, content=h.passage.content, similarity=h.relevance)
            for h in hits
        ],
    )
