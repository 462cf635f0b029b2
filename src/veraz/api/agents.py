"""Agents and what they read."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.bodies import SETTINGS, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, Name, PageView, Paging, StoredJson, Text, View, page_of
from veraz.library.agents import AgentProfile
from veraz.library.retrieval import RetrievalConfig

router = APIRouter(prefix="/agents", tags=["agents"])

Style = Literal["strict", "evidence", "chat"]
Long = Annotated[Text, Field(max_length=50_000)]
Model = Annotated[Text, Field(min_length=1, max_length=200)]
Language = Literal["auto", "es", "en"]


class AgentBody(Body):
    """A new agent; without a project it goes into the only one you manage."""

    project_id: UUID | None = None
    name: Name
    company_name: Annotated[Text, Field(max_length=200)] = ""
    description: Long = ""
    system_prompt: Long = ""
    answer_style: Style = "strict"
    model: Model | None = None
    fallback_model: Model | None = None
    allows_personal_corpus: bool = False
    language: Language = "auto"
    fallback_message: Long | None = None
    handoff_on_refusal: bool = False
    retrieval: JsonObject = Field(default_factory=dict)
    exam_blocks: bool = False
    judge_model: Model | None = None


class AgentPatch(Body):
    """What changes about an agent; the project never does."""

    name: Name = ""
    company_name: Annotated[Text, Field(max_length=200)] = ""
    description: Long = ""
    system_prompt: Long = ""
    answer_style: Style = "strict"
    model: Model | None = None
    fallback_model: Model | None = None
    allows_personal_corpus: bool = False
    language: Language = "auto"
    fallback_message: Long | None = None
    handoff_on_refusal: bool = False
    retrieval: JsonObject = Field(default_factory=dict)
    exam_blocks: bool = False
    judge_model: Model | None = None


class AgentView(View):
    """An agent."""

    id: UUID
    project_id: UUID
    name: str
    company_name: str
    description: str
    system_prompt: str
    answer_style: Style
    model: str | None
    fallback_model: str | None
    allows_personal_corpus: bool
    language: str
    fallback_message: str | None
    handoff_on_refusal: bool
    retrieval: StoredJson
    exam_blocks: bool
    judge_model: str | None
    waiting_changes: int
    created_at: datetime
    updated_at: datetime


class AssignmentBody(Body):
    """How much a knowledge base counts for this agent."""

    priority: Annotated[int, Field(ge=1, le=1000)] = 1
    search_weight: Annotated[float, Field(ge=0.01, le=9.99)] = 1.0


class AssignmentView(View):
    """A knowledge base the agent reads."""

    kb_id: UUID
    kb_name: str
    kb_kind: Literal["global", "personal"]
    description: str
    total_documents: int
    priority: int
    search_weight: float
    created_at: datetime


@router.post("", status_code=201)
@takes(SETTINGS)
async def create(body: AgentBody, actor: Caller, veraz: Services) -> AgentView:
    """A new agent."""
    profile = AgentProfile(**_fields(body.model_dump(exclude={"project_id"})))
    return AgentView.model_validate(await veraz.agents.create(actor, body.project_id, profile))


@router.get("")
async def agents(
    actor: Caller, veraz: Services, page: Paging, project_id: UUID | None = None
) -> PageView[AgentView]:
    """The agents of your projects."""
    return page_of(AgentView, await veraz.agents.all(actor, page, project_id=project_id))


@router.get("/{agent_id}")
async def agent(agent_id: UUID, actor: Caller, veraz: Services) -> AgentView:
    """One agent."""
    return AgentView.model_validate(await veraz.agents.get(actor, agent_id))


@router.patch("/{agent_id}")
@takes(SETTINGS)
async def change(agent_id: UUID, body: AgentPatch, actor: Caller, veraz: Services) -> AgentView:
    """Changes the fields you send; with `exam_blocks` a new model, prompt or threshold waits for the exam."""
    changes = _fields(body.model_dump(exclude_unset=True))
    return AgentView.model_validate(await veraz.agents.change(actor, agent_id, changes))


@router.delete("/{agent_id}", status_code=204)
async def delete(agent_id: UUID, actor: Caller, veraz: Services) -> None:
    """Deletes the agent, its assignments and its own knowledge."""
    await veraz.agents.delete(actor, agent_id)


@router.get("/{agent_id}/knowledge-bases")
async def knowledge_bases(agent_id: UUID, actor: Caller, veraz: Services) -> PageView[AssignmentView]:
    """What the agent reads, by priority."""
    found = await veraz.assignments.of_agent(actor, agent_id)
    return PageView(items=[AssignmentView.model_validate(a) for a in found], next_cursor=None)


@router.put("/{agent_id}/knowledge-bases/{kb_id}")
async def assign(
    agent_id: UUID, kb_id: UUID, actor: Caller, veraz: Services, body: AssignmentBody | None = None
) -> PageView[AssignmentView]:
    """The agent reads this knowledge base from now on."""
    wanted = body or AssignmentBody()
    weight = Decimal(str(wanted.search_weight))
    await veraz.assignments.put(actor, kb_id, [agent_id], priority=wanted.priority, search_weight=weight)
    return await knowledge_bases(agent_id, actor, veraz)


@router.delete("/{agent_id}/knowledge-bases/{kb_id}", status_code=204)
async def unassign(agent_id: UUID, kb_id: UUID, actor: Caller, veraz: Services) -> None:
    """The agent no longer reads it."""
    await veraz.assignments.remove(actor, kb_id, agent_id)


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    if "retrieval" in given:
        given["retrieval"] = RetrievalConfig.from_json(given["retrieval"])
    return given
