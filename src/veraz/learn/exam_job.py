"""The exam after a change: the handler of `run_exam` jobs.

Where the exam may block, the change is not there yet: the agent is asked as it would be, and only an exam without new
failures puts the change in force. What failed before as well blocks nothing, or a question nobody can pass would stop
every change. An exam that cannot be run holds the change back too.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.learn.exam import AgentChange, Exams, Result, keep_run, what_stays
from veraz.library.agents import Q as AGENTS
from veraz.library.agents import get_agent, profile_of
from veraz.queue.handler import JobControl
from veraz.queue.model import Job

Q = queries(__file__)

RUN_EXAM: Final = "run_exam"
_NAMED = 3


class RunExam:
    """Runs exams of changes and decides about those that wait."""

    def __init__(self, db: Database, exams: Exams) -> None:
        self.db = db
        self.exams = exams

    async def __call__(self, job: Job, control: JobControl) -> None:
        """Asks every question, then keeps the run and the decision in one commit with the job's end."""
        async with self.db.transaction(job.scope) as tx:
            change = await tx.one(AgentChange, Q.change, id=_change_id(job))
        if change is None or change.run_id is not None:
            return
        trial = change.changes if change.status == "waiting" else None
        asked = await self.exams.ask_all(job.tenant_id, change.agent_id, trial)
        async with self.db.transaction(job.scope) as tx:
            await control.finish(tx)
            results = await what_stays(tx, asked)
            run = await keep_run(tx, change.agent_id, asked.model, results, change.id)
            await _decide(tx, change, run.id, _worse(results))

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """Without an exam nothing that waits for one comes into force."""
        known = error if isinstance(error, errors.VerazError) else errors.VerazError()
        message = {
            "en": f"The exam could not be run: {known.message('en')}",
            "es": f"No se pudo aplicar el examen: {known.message('es')}",
        }
        await tx.run(Q.not_examined, id=_change_id(job), message=message)


async def _decide(tx: Transaction, change: AgentChange, run_id: UUID, worse: Sequence[Result]) -> None:
    status = change.status
    if status == "waiting":
        status = "held" if worse else "applied"
        if not worse:
            await _apply(tx, change.agent_id, change.changes)
    await tx.run(Q.decide, id=change.id, run_id=run_id, status=status, message=_message(status, worse))


async def _apply(tx: Transaction, agent_id: UUID, changes: dict[str, Any]) -> None:
    columns = profile_of(await get_agent(tx, agent_id)).columns() | changes
    await tx.run(AGENTS.change, id=agent_id, **columns)


def _worse(results: Sequence[Result]) -> list[Result]:
    """What fails now and did not fail before."""
    return [result for result in results if not result.passed and result.before is not False]


def _message(status: str, worse: Sequence[Result]) -> errors.Sentence | None:
    if not worse:
        return None
    named = ", ".join(f"«{result.question[:80]}»" for result in worse[:_NAMED])
    held, more, count = status == "held", len(worse) - _NAMED, len(worse)
    english = "The change was not made" if held else "The change is in force"
    spanish = "El cambio no se aplicó" if held else "El cambio está en vigor"
    return {
        "en": f"{english}: questions that did not fail before fail now ({count}): {named}"
        + (f" and {more} more." if more > 0 else "."),
        "es": f"{spanish}: ahora fallan preguntas que antes no fallaban ({count}): {named}"
        + (f" y {more} más." if more > 0 else "."),
    }


def _change_id(job: Job) -> UUID:
    return UUID(str(job.payload["change_id"]))
