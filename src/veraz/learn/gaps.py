"""Lagunas: what people asked an agent and it could not answer, or answered badly, put together by topic.

Questions belong together when they mean nearly the same to the model inside this machine, also in different words or
languages. Measured on XQuAD's 1,190 questions (`python -m benchmarks.gaps`): the same question in Spanish and English is
that near in 98 of 100 cases, questions about different articles in 1.4 of 10,000.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from veraz.answer.language import answer_language
from veraz.answer.question import read_question
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.library.agents import need_manageable
from veraz.providers.embedding.base import Embedder, Vectors
from veraz.tenancy.model import Actor

Q = queries(__file__)

ALIKE = 0.6
_EXAMPLES = 5
_TOPIC_WORDS = 4
_REMEMBERED = 10_000
_MOST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A question without a good answer."""

    agent_id: UUID
    question: str
    reason: str
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Questions about one thing the agent does not know enough about."""

    topic: str
    examples: tuple[str, ...]
    questions: tuple[str, ...]
    """Every wording, of which the examples are the newest."""
    count: int
    refused: int
    badly_rated: int
    last_asked: datetime


class Gaps:
    """What an agent's managers could teach it next."""

    def __init__(self, db: Database, embedder: Embedder) -> None:
        self.db = db
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    async def of_agent(self, actor: Actor, agent_id: UUID, *, days: int = 90, limit: int = 50) -> list[Gap]:
        """The gaps asked about most, first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            missed = await missed_by(tx, [agent_id], days=days, most=_MOST)
        return (await self.among(missed))[:limit]

    async def among(self, missed: Sequence[Missed]) -> list[Gap]:
        """What these questions of one agent have in common, asked about most first."""
        asked = [question for question, _ in Counter(one.question for one in missed).most_common()]
        return await asyncio.to_thread(_gaps, missed, asked, await self._meanings(asked))

    async def _meanings(self, questions: Sequence[str]) -> Vectors:
        if len(self._known) > _REMEMBERED:
            self._known = {}
        known = self._known
        if new := [question for question in questions if question not in known]:
            known |= zip(new, (await self._embedder.embed(new, purpose="document")).vectors, strict=True)
        return np.array([known[question] for question in questions])


async def missed_by(tx: Transaction, agent_ids: Sequence[UUID], *, days: int, most: int) -> list[Missed]:
    """What these agents could not answer lately, newest first."""
    return await tx.all(Missed, Q.missed, agent_ids=list(agent_ids), days=days, most=most)


def _gaps(missed: Sequence[Missed], asked: Sequence[str], meanings: Vectors) -> list[Gap]:
    groups = grouped(asked, meanings)
    place = {question: number for number, group in enumerate(groups) for question in group}
    members: list[list[Missed]] = [[] for _ in groups]
    for one in missed:
        members[place[one.question]].append(one)
    return sorted(map(_gap, members), key=lambda gap: (-gap.count, -gap.last_asked.timestamp()))


def grouped(questions: Sequence[str], meanings: Vectors) -> list[set[str]]:
    """Questions that mean nearly the same, together; each joins the group that is nearest on the whole."""
    groups: list[set[str]] = []
    sums = np.zeros_like(meanings)
    for question, meaning in zip(questions, meanings, strict=True):
        means = sums[: len(groups)]
        near = means @ meaning / np.maximum(np.linalg.norm(means, axis=1), 1e-9)
        if groups and near.max() >= ALIKE:
            place = int(near.argmax())
            groups[place].add(question)
        else:
            place = len(groups)
            groups.append({question})
        sums[place] += meaning
    return groups


def _gap(group: list[Missed]) -> Gap:
    newest = max(group, key=lambda one: one.asked_at)
    questions = tuple(dict.fromkeys(one.question for one in group))
    return Gap(
        topic=_topic(group),
        examples=questions[:_EXAMPLES],
        questions=questions,
        count=len(group),
        refused=sum(one.reason == "refused" for one in group),
        badly_rated=sum(one.reason == "rated" for one in group),
        last_asked=newest.asked_at,
    )


def _topic(group: list[Missed]) -> str:
    """What most of the questions are about, in the words and the order of a typical one."""
    counts = Counter(word for one in group for word in _words(one.question))
    telling = {word for word, _ in counts.most_common(_TOPIC_WORDS)}
    typical = max(group, key=lambda one: (len(telling & _words(one.question)), -len(one.question))).question
    language = answer_language(typical)
    spoken = [word.strip("¿?¡!.,;:«»\"'()") for word in typical.split()]
    topic = " ".join(dict.fromkeys(word for word in spoken if read_question(word, language).words & telling))
    return topic[:1].upper() + topic[1:] or typical


def _words(question: str) -> frozenset[str]:
    return read_question(question, answer_language(question)).words
