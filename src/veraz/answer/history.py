"""What was said before in a conversation, for who writes the next answer; and the question that has no answer yet."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.answer.model import History
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.providers.chat.base import Message
from veraz.text.citations import CITATION
from veraz.text.tokens import count_tokens

Q = queries(__file__)

_HISTORY_TOKENS: Final = 1_200
_HISTORY_MESSAGES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredQuestion:
    """A question that has no answer: its message and its words."""

    id: UUID
    text: str


async def history_of(tx: Transaction, conversation_id: UUID, *, before: UUID | None = None) -> History:
    """The last questions and answers (before a message) within a budget of tokens, oldest first, without citations and small talk."""
    rows = await tx.rows(Q.history, id=conversation_id, before=before, limit=_HISTORY_MESSAGES)
    kept: list[Message] = []
    left = _HISTORY_TOKENS
    small_talk = False
    for row in rows:
        if row["role"] != "user":
            small_talk = row["role"] == "assistant" and row["turn"] != "question"
        if small_talk:
            continue
        text = CITATION.sub("", row["text"])
        left -= count_tokens(text)
        if left < 0:
            break
        kept.append(Message(role="user" if row["role"] == "user" else "assistant", text=text))
    return tuple(reversed(kept))


async def holds_personal(tx: Transaction, conversation_id: UUID) -> bool:
    """Whether something that was said in the conversation may hold words of the asker's own documents."""
    return bool(await tx.value(Q.holds_personal, id=conversation_id))


async def take_up_again(tx: Transaction, conversation_id: UUID) -> UUID:
    """The message whose question is to be answered again; what failed to answer it is forgotten."""
    question = await last_unanswered(tx, conversation_id)
    await tx.run(Q.forget_failed, id=conversation_id, after=question.id)
    return question.id


async def is_unanswered(tx: Transaction, conversation_id: UUID, text: str) -> bool:
    """Whether these words are the last question, and nobody has answered it or answering it failed."""
    question = await tx.one(UnansweredQuestion, Q.unanswered, id=conversation_id)
    return question is not None and question.text == text


async def last_unanswered(tx: Transaction, conversation_id: UUID) -> UnansweredQuestion:
    """The last question, where nobody has answered it or answering it failed."""
    question = await tx.one(UnansweredQuestion, Q.unanswered, id=conversation_id)
    if question is None:
        raise errors.NothingToAnswer()
    return question
