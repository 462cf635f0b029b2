"""An agent's gaps and its exam."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field

from veraz.api.bodies import QUESTION, TALK, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, PageView, Paging, Said, StoredJson, Text, View, page_of
from veraz.learn.exam import ExamRun, NewExamQuestion

router = APIRouter(prefix="/agents/{agent_id}", tags=["answers"])


class GapView(View):
    """Questions about one thing the agent does not know enough about."""

    topic: str
    examples: list[str]
    count: int
    refused: int
    badly_rated: int
    last_asked: datetime


class ExamQuestionBody(Body):
    """A question and what a right answer holds, cites, or that there must be none."""

    question: Annotated[Text, Field(min_length=1, max_length=10_000)]
    expected_text: Annotated[Text, Field(max_length=10_000)] | None = None
    expected_document_id: UUID | None = None
    must_refuse: bool = False
    origin: Literal["manual", "imported", "proposed"] = "manual"


class ExamBody(Body):
    """Questions to add."""

    questions: Annotated[list[ExamQuestionBody], Field(min_length=1, max_length=500)]


class ExamQuestionPatch(Body):
    """What to change of a question; null for a text or document that is expected no more."""

    question: Annotated[Text, Field(min_length=1, max_length=10_000)] = ""
    expected_text: Annotated[Text, Field(max_length=10_000)] | None = None
    expected_document_id: UUID | None = None
    must_refuse: bool = False


class ExamQuestionView(View):
    """One question of the exam."""

    id: UUID
    question: str
    expected_text: str | None
    expected_document_id: UUID | None
    expected_document_name: str | None
    must_refuse: bool
    origin: str
    created_at: datetime


class ExamRunView(View):
    """One run, with what changed since the one before."""

    id: UUID
    model: str
    passed: int
    failed: int
    results: list[JsonObject]
    newly_failed: list[JsonObject]
    change_id: UUID | None
    created_at: datetime


class ProposalView(View):
    """A question nobody has added yet, as it can be added."""

    question: str
    expected_text: str | None
    expected_document_id: UUID | None
    must_refuse: bool
    origin: str


class ChangeView(View):
    """A change of what the agent answers with: waiting for its exam, applied, or held back by it."""

    id: UUID
    changes: StoredJson
    status: Literal["waiting", "applied", "held"]
    message: Annotated[Said, AfterValidator(lambda said: said or "")]
    run_id: UUID | None
    created_at: datetime
    decided_at: datetime | None


class AddedView(View):
    """How many were added."""

    added: int


@router.get("/gaps")
async def gaps(
    agent_id: UUID, actor: Caller, veraz: Services, days: Annotated[int, Query(ge=1, le=3_650)] = 90
) -> PageView[GapView]:
    """What people asked and the agent could not answer, or answered badly, by topic; most asked first."""
    found = await veraz.gaps.of_agent(actor, agent_id, days=days)
    return PageView(items=[GapView.model_validate(gap) for gap in found], next_cursor=None)


@router.get("/exam")
async def questions(
    agent_id: UUID, actor: Caller, veraz: Services, page: Paging
) -> PageView[ExamQuestionView]:
    """The agent's exam."""
    return page_of(ExamQuestionView, await veraz.exams.questions(actor, agent_id, page))


@router.post("/exam", status_code=201)
@takes(TALK)
async def add(agent_id: UUID, body: ExamBody, actor: Caller, veraz: Services) -> AddedView:
    """Adds questions, made by hand or brought along."""
    new = [NewExamQuestion(**question.model_dump()) for question in body.questions]
    return AddedView(added=await veraz.exams.add(actor, agent_id, new))


@router.patch("/exam/{question_id}")
@takes(QUESTION)
async def change(
    agent_id: UUID, question_id: UUID, body: ExamQuestionPatch, actor: Caller, veraz: Services
) -> ExamQuestionView:
    """Changes what is named of a question."""
    changes = body.model_dump(exclude_unset=True)
    return ExamQuestionView.model_validate(await veraz.exams.change(actor, agent_id, question_id, changes))


@router.delete("/exam/{question_id}", status_code=204)
async def remove(agent_id: UUID, question_id: UUID, actor: Caller, veraz: Services) -> None:
    """Takes a question out."""
    await veraz.exams.remove(actor, agent_id, question_id)


@router.get("/exam/proposals")
async def proposals(
    agent_id: UUID, actor: Caller, veraz: Services, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> PageView[ProposalView]:
    """Questions made from the documents; add those that are worth it."""
    found = await veraz.exam_proposals.propose(actor, agent_id, most=limit)
    return PageView(items=[ProposalView.model_validate(one) for one in found], next_cursor=None)


@router.get("/changes")
async def changes(agent_id: UUID, actor: Caller, veraz: Services, page: Paging) -> PageView[ChangeView]:
    """Changes of model, prompt or thresholds with what the exam said, newest first."""
    return page_of(ChangeView, await veraz.exams.changes(actor, agent_id, page))


@router.post("/exam/runs", status_code=201)
async def run(agent_id: UUID, actor: Caller, veraz: Services) -> ExamRunView:
    """Asks every question as the agent is now."""
    return _view(await veraz.exams.run(actor, agent_id))


@router.get("/exam/runs")
async def runs(agent_id: UUID, actor: Caller, veraz: Services, page: Paging) -> PageView[ExamRunView]:
    """Runs, newest first."""
    found = await veraz.exams.runs(actor, agent_id, page)
    return PageView(items=[_view(one) for one in found.items], next_cursor=found.next_cursor)


def _view(run: ExamRun) -> ExamRunView:
    return ExamRunView.model_validate(run)
