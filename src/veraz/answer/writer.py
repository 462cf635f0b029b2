"""What a writer is given: evidence in, a draft piece by piece out."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from veraz.answer.model import History, Persona
from veraz.providers.chat.base import Finished, Piece
from veraz.search.model import Hit
from veraz.verify.model import HeldBack, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything a writer may use."""

    question: str
    """As it was asked."""
    meant: str
    """As it stands alone."""
    persona: Persona
    hits: tuple[Hit, ...]
    sources: tuple[Source, ...]
    history: History = ()
    may_search: bool = True
    """Whether the writer is told that it may ask for another search: not twice, nor where everything is before it."""


class Writer(Protocol):
    """Writes drafts, which are proven before anybody sees them."""

    @property
    def name(self) -> str:
        """What the answer says it was written by."""

    def write(self, task: Task) -> AsyncGenerator[Piece, None]:
        """The draft piece by piece, then the whole; raises an `OutsideFault` when it cannot."""

    async def revise(self, task: Task, draft: str, wrong: Sequence[HeldBack]) -> Finished:
        """Sentences in place of those that could not be proven."""
