"""Questions for an exam, proposed from what the agent reads: sentences that give a figure or a date, turned into questions.

Nothing is added by itself: a person keeps those that ask what people will ask.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.learn.exam import NewExamQuestion
from veraz.learn.question_forms import sentence_questions
from veraz.library.agents import need_manageable
from veraz.tenancy.model import Actor

Q = queries(__file__)

_SAMPLE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    content: str
    document_id: UUID


class ExamProposals:
    """Makes questions out of documents."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def propose(self, actor: Actor, agent_id: UUID, *, most: int = 20) -> list[NewExamQuestion]:
        """Questions with the text that answers them and the document it stands in; none that the exam has already."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            sample = await tx.all(_Sampled, Q.sample, agent_id=agent_id, limit=_SAMPLE)
            known = set(await tx.values(Q.known, agent_id=agent_id))
        return [question for question in _made(sample) if question.question not in known][:most]


def _made(sample: Sequence[_Sampled]) -> Iterator[NewExamQuestion]:
    asked: set[str] = set()
    for one in sample:
        for made in sentence_questions(one.content):
            if made.question not in asked:
                asked.add(made.question)
                yield NewExamQuestion(
                    question=made.question,
                    expected_text=made.fact,
                    expected_document_id=one.document_id,
                    origin="proposed",
                )
