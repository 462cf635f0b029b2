"""Questions an agent can answer, offered where somebody does not know what to ask: no model is asked for them.

They are the questions of its exam that went right, and those that its documents ask themselves or answer word for word; always
only of what the agent reads for the caller.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from uuid import UUID

from veraz.answer.conversations import StoredMessage
from veraz.answer.language import answer_language
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.learn.question_forms import (
    AnsweredQuestion,
    own_questions,
    row_questions,
    sentence_questions,
)
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.injection import speaks_to_machine
from veraz.text.plain import plain, plain_words
from veraz.text.stop_words import STOP_WORDS

Q = queries(__file__)

_DOCUMENTS, _CHUNKS = 24, 12
_REACH = 4
_FOLLOW_UPS = 3
_LONGEST = 120
_FORMS: tuple[Callable[[str], Iterator[AnsweredQuestion]], ...] = (
    own_questions,
    sentence_questions,
    row_questions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    document_id: UUID
    place: int
    """Its number in its document, or how far it is from what was quoted."""
    content: str


class Suggestions:
    """Finds questions worth asking."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def openers(self, actor: Actor, agent_id: UUID, language: str, limit: int = 4) -> list[str]:
        """Questions for an empty chat: of the exam, then of the newest documents in turn; those in the language first."""
        need(actor, "ask")
        async with self.db.transaction(actor.scope()) as tx:
            passed = await tx.values(Q.passed, agent_id=agent_id, limit=limit)
            chunks = await tx.all(_Chunk, Q.first, agent_id=agent_id, documents=_DOCUMENTS, chunks=_CHUNKS)

        def found(*, own_language: bool) -> Iterator[str]:
            made = (one.question for one in _in_turn(_by_document(chunks)))
            return (
                one
                for one in chain(passed, made)
                if (answer_language(one) == language[:2]) is own_language and _worth_asking(one)
            )

        return list(islice(_each_once(chain(found(own_language=True), found(own_language=False))), limit))

    async def follow_ups(self, actor: Actor, agent_id: UUID, message: StoredMessage) -> list[str]:
        """At most three questions that stand beside what an answer quotes and were not asked in its conversation."""
        need(actor, "ask")
        quotes = [quote for claim in message.claims for quote in claim["quotes"]]
        if not quotes:
            return []
        cited = list({quote["chunk_id"] for quote in quotes})
        async with self.db.transaction(actor.scope()) as tx:
            chunks = await tx.all(_Chunk, Q.beside, agent_id=agent_id, chunk_ids=cited, reach=_REACH)
            asked = await tx.values(Q.asked, conversation_id=message.conversation_id)
        said = plain(" ".join(quote["text"] for quote in quotes))
        headings = (heading for quote in quotes for heading in quote["place"])
        new = (
            one.question
            for one in _in_turn(_by_document(chunks))
            if not (one.source and plain(one.source) in said) and _worth_asking(one.question)
        )
        return list(islice(_each_once(new, known=chain(asked, headings)), _FOLLOW_UPS))


def _by_document(chunks: Iterable[_Chunk]) -> list[list[_Chunk]]:
    """The chunks of each document, the first or nearest ones first."""
    found: dict[UUID, list[_Chunk]] = {}
    for one in chunks:
        found.setdefault(one.document_id, []).append(one)
    return [sorted(own, key=lambda one: one.place) for own in found.values()]


def _in_turn(documents: Sequence[Sequence[_Chunk]]) -> Iterator[AnsweredQuestion]:
    """The first question of each document, then the second of each; no text is read before it is needed."""
    waiting = [_questions(own) for own in documents]
    while waiting:
        going_on = []
        for questions in waiting:
            if (one := next(questions, None)) is not None:
                yield one
                going_on.append(questions)
        waiting = going_on


def _questions(chunks: Sequence[_Chunk]) -> Iterator[AnsweredQuestion]:
    return chain.from_iterable(form(one.content) for form in _FORMS for one in chunks)


def _each_once(questions: Iterable[str], known: Iterable[str] = ()) -> Iterator[str]:
    seen = {_key(one) for one in known}
    for question in questions:
        if (key := _key(question)) not in seen:
            seen.add(key)
            yield question


def _worth_asking(question: str) -> bool:
    """Whether it says what it asks about («¿Cuál es el recargo?» does not), and is short enough to be read at a glance."""
    words = set(plain_words(question)) - STOP_WORDS["es"] - STOP_WORDS["en"] - STOP_WORDS["pt"]
    return len(words) >= 2 and len(question) <= _LONGEST and not speaks_to_machine(question)


def _key(question: str) -> str:
    return plain(question).strip(" ¿?.!")
