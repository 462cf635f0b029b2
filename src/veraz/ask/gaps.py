"""Lagunas: what people asked an agent and it could not answer, or answered badly, put together by topic."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from veraz.ask.asked import read_question
from veraz.ask.language import answer_language
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.library.agents import need_manageable
from veraz.tenancy.model import Actor

Q = queries(__file__)

_ALIKE = 0.4
_EXAMPLES = 5
_TOPIC_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A question without a good answer."""

    question: str
    reason: str
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Questions about one thing the agent does not know enough about."""

    topic: str
    examples: tuple[str, ...]
    count: int
    refused: int
    badly_rated: int
    last_asked: datetime


class Gaps:
    """What an agent's managers could teach it next."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def of_agent(self, actor: Actor, agent_id: UUID, *, days: int = 90, limit: int = 50) -> list[Gap]:
        """The gaps asked about most, first."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            missed = await tx.all(Missed, Q.missed, agent_id=agent_id, days=days)
        gaps = [_gap(group) for group in grouped(missed)]
        return sorted(gaps, key=lambda gap: (-gap.count, -gap.last_asked.timestamp()))[:limit]


def grouped(missed: list[Missed]) -> list[list[Missed]]:
    """Questions that share most of what they are about, together."""
    groups: list[tuple[frozenset[str], list[Missed]]] = []
    for one in missed:
        words = _words(one.question)
        near = max(groups, key=lambda group: _likeness(words, group[0]), default=None)
        if near is not None and _likeness(words, near[0]) >= _ALIKE:
            near[1].append(one)
        else:
            groups.append((words, [one]))
    return [members for _, members in groups]


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a and b else float(a == b)


def _words(question: str) -> frozenset[str]:
    return read_question(question, answer_language(question)).words


def _gap(group: list[Missed]) -> Gap:
    newest = max(group, key=lambda one: one.asked_at)
    return Gap(
        topic=_topic(group),
        examples=tuple(dict.fromkeys(one.question for one in group))[:_EXAMPLES],
        count=len(group),
        refused=sum(one.reason == "refused" for one in group),
        badly_rated=sum(one.reason == "rated" for one in group),
        last_asked=newest.asked_at,
    )


def _topic(group: list[Missed]) -> str:
    """The words most of the questions hold, as people wrote them."""
    spoken: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for one in group:
        for word in one.question.split():
            for lexeme in _words(word):
                spoken.setdefault(lexeme, word.strip("¿?¡!.,;:«»\"'()"))
        counts.update(_words(one.question))
    return " ".join(spoken[word] for word, _ in counts.most_common(_TOPIC_WORDS) if word in spoken)
