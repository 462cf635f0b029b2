"""An answer may be under way while what it stands on is forgotten: then its words are not written down."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from veraz.answer.history import Q
from veraz.answer.model import Answer
from veraz.db.pool import Transaction
from veraz.search.model import SearchResult

_MARK: Final = "[olvidado]"


async def cut_at(tx: Transaction, conversation_id: UUID) -> datetime | None:
    """When what had been said in a conversation was last forgotten."""
    moment: datetime | None = await tx.value(Q.cut_at, id=conversation_id)
    return moment


async def is_forgotten(
    tx: Transaction, answer: Answer, conversation_id: UUID | None, cut_before: datetime | None
) -> bool:
    """Whether a document it read, or what was said before it, was forgotten since it began.

    Whoever forgets waits from here on until this transaction has ended, and then finds what it wrote.
    """
    read: Sequence[UUID] = sorted({hit.passage.document_id for hit in answer.evidence})
    if not await tx.value(Q.still_known, documents=read):
        return True
    return conversation_id is not None and await cut_at(tx, conversation_id) != cut_before


def blanked(answer: Answer) -> Answer:
    """The answer without anything that was said."""
    return replace(answer, text=_MARK, claims=(), evidence=(), held_back=())


def without_words(line: SearchResult) -> SearchResult:
    """The log's line without the question."""
    return replace(line, question=replace(line.question, text=_MARK), queries=())


async def blank(tx: Transaction, message_id: UUID) -> None:
    """Says in the message that its words were forgotten."""
    await tx.run(Q.blank, id=message_id)
