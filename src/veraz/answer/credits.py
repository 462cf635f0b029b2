"""What answering costs, in credits: reserved before a model is asked, settled with what it really took."""

import math
from uuid import UUID

from veraz.answer.model import History
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.library.model import Agent
from veraz.library.retrieval import RetrievalConfig
from veraz.providers.chat.base import Usage
from veraz.text.tokens import count_tokens

Q = queries(__file__)

_TOKENS_PER_CREDIT = 1_000
_PROMPT_OVERHEAD = 1_500
_DRAFT = 1_500
_READINGS = {False: 4, True: 6}
"""To write, to judge (batch by batch where somebody waits for the first words), to correct and to judge again."""


def credits_for(tokens: int) -> int:
    """Whole credits for so many tokens."""
    return max(1, math.ceil(tokens / _TOKENS_PER_CREDIT)) if tokens else 0


def reserve(agent: Agent, history: History, *, eager: bool) -> int:
    """Tokens an answer may take at most, roughly: how often the passages are read."""
    read = RetrievalConfig.from_json(agent.retrieval).reading_tokens
    return _READINGS[eager] * read + _PROMPT_OVERHEAD + _DRAFT + sum(count_tokens(m.text) for m in history)


async def charge(
    tx: Transaction, about: UUID, credits: int, reason: str, model: str, usage: Usage | None = None
) -> None:
    """A line of the ledger; a later one about the same replaces it."""
    await tx.run(
        Q.settle,
        about=about,
        credits=credits,
        reason=reason,
        model=model,
        tokens=usage.tokens if usage else None,
        cost=usage.cost_usd if usage else None,
    )
