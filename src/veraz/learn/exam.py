"""The exam of an agent: questions with what is expected, run on demand and after changes, compared with the run before."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.answer.credits import charge, credits_for
from veraz.answer.model import Answer
from veraz.answer.service import Answers, Ask
from veraz.db.forgettings import known_documents, newest_forgetting
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent, need_manageable
from veraz.library.model import Agent
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor, nobody_of
from veraz.text.holding import holds
from veraz.verify.model import Source

Q = queries(__file__)

Origin = Literal["manual", "imported", "proposed"]
Watch = Callable[[int, int], None]
_MOST = 500
_WRITTEN = ("id", "agent_id", "question", "expected_text", "expected_document_id", "must_refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExamQuestion:
    """A question and what a right answer holds, cites, or that there must be none."""

    question: str
    expected_text: str | None = None
    expected_document_id: UUID | None = None
    must_refuse: bool = False
    origin: Origin = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamQuestion:
    """One question of an agent's exam."""

    id: UUID
    agent_id: UUID
    question: str
    expected_text: str | None
    expected_document_id: UUID | None
    expected_document_name: str | None
    """None as well when the document is gone or not the caller's to see."""
    must_refuse: bool
    origin: Origin
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one question went."""

    question_id: str
    question: str
    passed: bool
    why: str
    answer: str
    expected_text: str | None
    """What the answer had to hold when it was asked."""
    before: bool | None
    """Whether it passed in the run before; None when it was not asked then."""
    documents: list[str]
    """The documents its answer quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRun:
    """One run, with what changed since the one before."""

    id: UUID
    agent_id: UUID
    model: str
    passed: int
    failed: int
    results: list[dict[str, Any]]
    change_id: UUID | None
    """The change that made it run."""
    created_at: datetime

    @property
    def newly_failed(self) -> list[dict[str, Any]]:
        """What went right before and no longer does."""
        return [result for result in self.results if result["before"] and not result["passed"]]

    @property
    def compared(self) -> bool:
        """Whether anything in it was asked in a run before."""
        return any(result["before"] is not None for result in self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChange:
    """A change of what an agent answers with, and what its exam said."""

    id: UUID
    agent_id: UUID
    changes: dict[str, Any]
    status: Literal["waiting", "applied", "held"]
    message: errors.Sentence | None
    run_id: UUID | None
    created_at: datetime
    decided_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How the questions of an exam went, before that is written down."""

    results: list[Result]
    model: str
    newest: UUID | None
    """The newest forgetting when it began."""


class Exams:
    """Golden questions of agents."""

    def __init__(self, db: Database, answers: Answers) -> None:
        self.db = db
        self.answers = answers

    async def questions(
        self, actor: Actor, agent_id: UUID, page: PageRequest = FIRST_PAGE
    ) -> Page[ExamQuestion]:
        """The agent's exam, oldest first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            rows = await tx.all(
                ExamQuestion, Q.questions, agent_id=agent_id, after=page.after_id, limit=page.fetch
            )
            return page.page(rows)

    async def add(self, actor: Actor, agent_id: UUID, new: Sequence[NewExamQuestion]) -> int:
        """Adds questions, made by hand or brought along; how many."""
        for one in new:
            _need_expectation(one, field="questions")
        ids = sorted(new_id() for _ in new)  # made within one millisecond they would come in any order
        rows = [asdict(one) | {"id": id_, "agent_id": agent_id} for one, id_ in zip(new, ids, strict=True)]
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            await tx.many(Q.add, rows)
        return len(new)

    async def change(
        self, actor: Actor, agent_id: UUID, question_id: UUID, changes: Mapping[str, Any]
    ) -> ExamQuestion:
        """Changes the fields named: the question, or what is expected of its answer."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            changed = replace(await _question(tx, agent_id, question_id), **changes)
            _need_expectation(changed, field="expected_text")
            await tx.run(Q.change, **{name: getattr(changed, name) for name in _WRITTEN})
            return await _question(tx, agent_id, question_id)

    async def remove(self, actor: Actor, agent_id: UUID, question_id: UUID) -> None:
        """Takes a question out."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            await tx.run(Q.remove, id=question_id, agent_id=agent_id)

    async def run(self, actor: Actor, agent_id: UUID, watch: Watch | None = None) -> ExamRun:
        """Asks every question as the agent is now, and keeps the result; `watch` hears how many of how many are asked."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
        asked = await self.ask_all(actor.tenant_id, agent_id, watch=watch)
        async with self.db.transaction(actor.scope()) as tx:
            return await keep_run(tx, agent_id, asked.model, await what_stays(tx, asked))

    async def ask_all(
        self,
        tenant_id: UUID,
        agent_id: UUID,
        trial: Mapping[str, Any] | None = None,
        watch: Watch | None = None,
    ) -> "Asked":
        """How every question goes, with `trial` as the agent would be after a change; and who answered.

        All who manage the agent read the answers, so nobody in particular asks, whoever runs the exam.
        """
        nobody = nobody_of(tenant_id)
        async with self.db.transaction(nobody.scope()) as tx:
            newest = await newest_forgetting(tx)
            agent = replace(await get_agent(tx, agent_id), **(trial or {}))
            asked = await tx.all(ExamQuestion, Q.questions, agent_id=agent_id, after=None, limit=_MOST)
            last = await tx.one(ExamRun, Q.last_live, agent_id=agent_id)
        before = {result["question_id"]: result["passed"] for result in last.results} if last else {}
        results: list[Result] = []
        model = ""
        for question in asked:
            ask = Ask(question=question.question, remember=False, channel="exam", trial=trial)
            answer = await self.answers.answer(nobody, agent_id, ask)
            model = answer.model
            if answer.degraded:  # what was answered without the model says nothing about it
                lasting = answer.degraded in ("model_rejected", "model_missing", "no_judge")
                fault = errors.OutsideRejected if lasting else errors.OutsideDown
                raise fault(host=agent.model or model, reason=answer.degraded)
            why = _shortcoming(question, answer)
            if why == "text" and await self._says(nobody, agent, question, answer):
                why = _shortcoming(replace(question, expected_text=None), answer)
            results.append(_result(question, answer, why, before.get(str(question.id))))
            if watch:
                watch(len(results), len(asked))
        return Asked(results=results, model=model, newest=newest)

    async def _says(self, actor: Actor, agent: Agent, question: ExamQuestion, answer: Answer) -> bool:
        """Whether an answer says what is expected in other words: the agent's own judge decides, and is paid."""
        judge = self.answers.judge_of(agent, answer.language)
        if judge is None or not question.expected_text:
            return False
        said = Source(number=1, chunk_id=question.id, text=answer.text)
        try:
            found = await judge.judge(question.question, [said], [question.expected_text])
        except errors.OutsideFault:
            return False
        if found.usage.tokens:
            async with self.db.transaction(actor.scope()) as tx:
                spent = credits_for(found.usage.tokens)
                await charge(tx, new_id(), spent, "answer", found.model, found.usage)
        return found.judgements[0].verdict == "supported"

    async def changes(
        self, actor: Actor, agent_id: UUID, page: PageRequest = FIRST_PAGE
    ) -> Page[AgentChange]:
        """Changes that were or will be examined, newest first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            rows = await tx.all(
                AgentChange, Q.changes, agent_id=agent_id, after=page.after_id, limit=page.fetch
            )
            return page.page(rows)

    async def runs(self, actor: Actor, agent_id: UUID, page: PageRequest = FIRST_PAGE) -> Page[ExamRun]:
        """Runs, newest first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            rows = await tx.all(ExamRun, Q.runs, agent_id=agent_id, after=page.after_id, limit=page.fetch)
            return page.page(rows)


async def what_stays(tx: Transaction, asked: Asked) -> list[Result]:
    """The results without those that nobody may keep: what they stand on, or their question, was forgotten meanwhile."""
    if await newest_forgetting(tx) == asked.newest:
        return asked.results
    quoted = {UUID(one) for result in asked.results for one in result.documents}
    known = {str(one) for one in await known_documents(tx, sorted(quoted))}
    there = set(await tx.values(Q.still_asked, ids=[result.question_id for result in asked.results]))
    return [one for one in asked.results if one.question_id in there and known.issuperset(one.documents)]


async def keep_run(
    tx: Transaction, agent_id: UUID, model: str, results: Sequence[Result], change_id: UUID | None = None
) -> ExamRun:
    """Writes a run down."""
    passed = sum(result.passed for result in results)
    return await tx.get(
        ExamRun,
        Q.keep,
        thing="row",
        id=new_id(),
        agent_id=agent_id,
        model=model,
        passed=passed,
        failed=len(results) - passed,
        results=json.dumps([asdict(result) for result in results]),
        change_id=change_id,
    )


async def _question(tx: Transaction, agent_id: UUID, question_id: UUID) -> ExamQuestion:
    return await tx.get(ExamQuestion, Q.question, thing="question", agent_id=agent_id, id=question_id)


def _need_expectation(one: NewExamQuestion | ExamQuestion, *, field: str) -> None:
    if not (one.must_refuse or one.expected_text or one.expected_document_id):
        raise errors.Invalid(field=field, reason="expected_text | expected_document_id | must_refuse")


def _result(question: ExamQuestion, answer: Answer, why: str, before: bool | None) -> Result:
    return Result(
        question_id=str(question.id),
        question=question.question,
        passed=not why,
        why=why,
        answer=answer.text,
        expected_text=question.expected_text,
        before=before,
        documents=sorted(map(str, _quoted(answer))),
    )


def _shortcoming(question: ExamQuestion, answer: Answer) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if question.must_refuse:
        return "" if answer.refused else "answered"
    if answer.refused:
        return "refused"
    if question.expected_text and not holds(answer.text, question.expected_text):
        return "text"
    if question.expected_document_id and question.expected_document_id not in _quoted(answer):
        return "document"
    return ""


def _quoted(answer: Answer) -> set[UUID]:
    cited = {chunk for claim in answer.claims for chunk in claim.chunk_ids}
    return {hit.passage.document_id for hit in answer.evidence if hit.passage.chunk_id in cited}
