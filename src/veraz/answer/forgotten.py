"""An answer may be under way while something is forgotten: then words of it are not written down.

Whoever forgets waits until what is written here is there, and finds it; or it is written after the forgetting, and this looks
at what the forgetting did.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from veraz.answer.history import Q
from veraz.answer.model import Answer
from veraz.answer.trace import Trace
from veraz.db.forgettings import newest_forgetting
from veraz.db.pool import Transaction
from veraz.search.model import SearchResult

_MARK: Final = "[olvidado]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """How things stood when an answer began."""

    newest: UUID | None
    """The newest forgetting."""
    cut_at: datetime | None = None
    """When what had been said in the conversation was last forgotten."""
    question_id: UUID | None = None
    """The question as it was written down; None where no conversation is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """What was forgotten since an answer began."""

    answer: bool = False
    """What the answer stands on, what was said before it, or the question: nothing of it is written down."""
    words: bool = False
    """Something, and nobody knows whether it was in the question: the log keeps no words."""
    found: bool = False
    """Something that was found for it: its story is not kept."""


async def cut_at(tx: Transaction, conversation_id: UUID) -> datetime | None:
    """When what had been said in a conversation was last forgotten."""
    moment: datetime | None = await tx.value(Q.cut_at, id=conversation_id)
    return moment


async def forgotten_meanwhile(
    tx: Transaction, answer: Answer, trace: Trace, conversation_id: UUID | None, before: Before
) -> Meanwhile:
    """What was forgotten since it began; until this transaction ends nothing more is."""
    if await newest_forgetting(tx) == before.newest:
        return Meanwhile()
    read = sorted({hit.passage.document_id for hit in answer.evidence})
    gone = not await _known(tx, read)
    if conversation_id is not None and not gone:
        gone = await cut_at(tx, conversation_id) != before.cut_at
    if before.question_id is not None and not gone:
        gone = not await tx.value(Q.stands, id=before.question_id)
    # A question that was written down is looked through before the log is: where it still stands, the log's line may too.
    unsure = gone or conversation_id is None or before.question_id is None
    return Meanwhile(answer=gone, words=unsure, found=unsure or not await _known(tx, _found(trace)))


def blanked(answer: Answer) -> Answer:
    """The answer without anything that was said."""
    return replace(answer, text=_MARK, claims=(), evidence=(), held_back=())


def without_words(line: SearchResult) -> SearchResult:
    """The log's line without the question."""
    return replace(line, question=replace(line.question, text=_MARK), queries=())


async def blank(tx: Transaction, message_id: UUID) -> None:
    """Says in the message that its words were forgotten."""
    await tx.run(Q.blank, id=message_id)


async def _known(tx: Transaction, documents: Sequence[UUID]) -> bool:
    return bool(await tx.value(Q.still_known, documents=documents))


def _found(trace: Trace) -> list[UUID]:
    if trace.result is None:
        return []
    evidence = trace.result.evidence
    hits = (*evidence.hits, *(one.hit for one in evidence.dropped))
    return sorted({hit.passage.document_id for hit in hits})
