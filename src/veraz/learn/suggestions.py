"""Questions an agent can answer, offered where somebody does not know what to ask: no model is asked for them.

They stand in the documents themselves (a question as a heading, a sentence that gives a figure or a date) or in the agent's exam.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from uuid import UUID

from veraz.answer.conversations import StoredMessage
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.learn.exam_proposals import question_in
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.injection import speaks_to_machine
from veraz.text.plain import plain
from veraz.text.sentences import sentences

Q = queries(__file__)

_DOCUMENTS = 16
_CHUNKS = 12
_BEFORE, _AFTER = 2, 6
_FOLLOW_UPS = 3
_SHORTEST, _LONGEST = 12, 120
_ASKED = re.compile(r"^(?:\W*\d[\d.]*[.)\s-]+)?(?P<question>¿[^¿?\n]+\?)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    document_id: UUID
    document_name: str
    title: str | None
    ordinal: int
    headers: list[str]
    content: str


class Suggestions:
    """Finds questions worth asking."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def openers(self, actor: Actor, agent_id: UUID, language: str, limit: int = 4) -> list[str]:
        """Questions for an empty chat: of the exam that went right, then of the documents, each document once in turn."""
        need(actor, "ask")
        async with self.db.transaction(actor.scope()) as tx:
            passed = await tx.values(Q.passed, agent_id=agent_id, limit=limit)
            sample = await tx.all(_Sampled, Q.first, agent_id=agent_id, documents=_DOCUMENTS, chunks=_CHUNKS)
        by_document = [list(_questions(chunks)) for chunks in _documents(sample)]
        return _fresh([*passed, *_in_turn(by_document)], known=())[:limit]

    async def follow_ups(self, actor: Actor, agent_id: UUID, message: StoredMessage) -> list[str]:
        """At most three questions that stand beside what an answer quotes and were not asked in its conversation."""
        need(actor, "ask")
        cited = list({chunk for claim in message.claims for chunk in claim["chunk_ids"]})
        if not cited:
            return []
        async with self.db.transaction(actor.scope()) as tx:
            sample = await tx.all(
                _Sampled, Q.beside, agent_id=agent_id, chunk_ids=cited, before=_BEFORE, after=_AFTER
            )
            asked = await tx.values(Q.asked, conversation_id=message.conversation_id)
        by_document = [list(_questions(chunks)) for chunks in _documents(sample)]
        return _fresh(_in_turn(by_document), known=asked)[:_FOLLOW_UPS]


def _documents(sample: Sequence[_Sampled]) -> list[list[_Sampled]]:
    """The chunks of each document, in their order."""
    found: dict[UUID, list[_Sampled]] = {}
    for one in sample:
        found.setdefault(one.document_id, []).append(one)
    return [sorted(chunks, key=lambda one: one.ordinal) for chunks in found.values()]


def _questions(chunks: Iterable[_Sampled]) -> Iterator[str]:
    """What a document asks itself, then what its sentences answer."""
    chunks = list(chunks)
    for chunk in chunks:
        for line in (*chunk.headers, *chunk.content.splitlines()):
            if match := _ASKED.match(line.strip(" #*")):
                yield match["question"]
    for chunk in chunks:
        for sentence in sentences(chunk.content):
            if made := question_in(" ".join(sentence.split())):
                yield made[0]


def _in_turn(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of each, then the second of each, and so on."""
    return [one for row in zip_longest(*lists) for one in row if one is not None]


def _fresh(questions: Iterable[str], known: Iterable[str]) -> list[str]:
    """Each once, of a length people read, none that is known and none that speaks to a machine."""
    seen = {_key(one) for one in known}
    found: list[str] = []
    for question in questions:
        key = _key(question)
        if key not in seen and _SHORTEST <= len(question) <= _LONGEST and not speaks_to_machine(question):
            seen.add(key)
            found.append(question)
    return found


def _key(question: str) -> str:
    return plain(question).strip(" ¿?.!")
