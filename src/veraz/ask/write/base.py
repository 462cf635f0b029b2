"""What a writer is: evidence in, a draft piece by piece out."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from veraz.ask.asked import Asked
from veraz.ask.check.reading import Source
from veraz.ask.gate import Opening
from veraz.ask.model import Hit
from veraz.ask.outcome import History, Persona
from veraz.providers.chat.base import Finished, Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything a writer may use."""

    asked: Asked
    persona: Persona
    hits: tuple[Hit, ...]
    sources: tuple[Source, ...]
    opening: Opening
    history: History = ()


class Writer(Protocol):
    """Writes drafts."""

    @property
    def name(self) -> str:
        """What the answer says it was written by."""

    def write(self, task: Task) -> AsyncGenerator[Piece, None]:
        """The draft piece by piece, then the whole; raises an `OutsideFault` when it cannot."""

    async def revise(self, task: Task, draft: str, wrong: Sequence[tuple[str, str]]) -> Finished | None:
        """A second draft without these sentences (each with what is wrong); None when trying again changes nothing."""
