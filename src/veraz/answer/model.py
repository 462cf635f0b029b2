"""The types from a turn to its answer, and the events a question gives rise to on its way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from veraz.library.model import AnswerStyle
from veraz.providers.chat.base import NO_USAGE, Message, Usage
from veraz.search.model import Hit, SearchResult
from veraz.search.outside import QUOTES as QUOTES
from veraz.text.rectangles import MarkedPage, Rectangle
from veraz.verify.model import HeldBack, Verdict

TurnKind = Literal["conversation", "handoff", "question"]

Refusal = Literal["no_evidence", "off_topic", "not_answered", "unsupported", "human"]
"""Why there is no answer: nothing found, nothing about it, the thing asked for is not there, no claim could be
proven, or a human has taken the conversation over."""

Degraded = Literal[
    "model_down", "model_rejected", "model_missing", "judge_down", "judge_unreliable", "no_judge"
]
"""Why an answer is poorer than the agent's settings promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """Who answers, whom, and how."""

    agent: str
    company: str = ""
    system_prompt: str = ""
    style: AnswerStyle = "strict"
    language: str = "es"
    fallback_message: str | None = None
    user_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPassage:
    """The words a claim stands on, where they stand."""

    chunk_id: UUID
    document_id: UUID
    document_name: str
    place: tuple[str, ...]
    """Title, sheet and the headings above these very words."""
    page_number: int | None
    start_char: int
    end_char: int
    """In the document's text."""
    text: str
    sheet: str | None = None
    row: int | None = None
    """In its sheet or table, from 1, the rows that name the columns counted."""
    columns: tuple[str, ...] = ()
    """The names of that row's columns."""
    rectangles: tuple[Rectangle, ...] = ()
    """Where they are drawn on the page they begin on, one per line."""
    pages: tuple[MarkedPage, ...] = ()
    """Every page they stand on, the first one first: a sentence may go on over the page."""
    corrected: bool = False
    """Whether a person corrected them: the document's file has others."""
    url: str | None = None
    """A permanent link to them."""
    linked_text: str = field(default="", repr=False)
    """What stands from `start_char` to `end_char`, which the link vouches for; not told."""

    def to_json(self) -> dict[str, Any]:
        """As every door tells it."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "linked_text"}
        return told | {
            "chunk_id": str(self.chunk_id),
            "document_id": str(self.document_id),
            "place": list(self.place),
            "columns": list(self.columns),
            "rectangles": list(map(list, self.rectangles)),
            "pages": [
                {"page_number": page.page_number, "rectangles": list(map(list, page.rectangles))}
                for page in self.pages
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of the answer with the passages that prove it."""

    text: str
    verdict: Verdict
    chunk_ids: tuple[UUID, ...]
    quotes: tuple[QuotedPassage, ...] = ()

    @property
    def support(self) -> float:
        """1: what is shown is proven."""
        return 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the asker gets."""

    text: str
    answerable: bool
    refused: bool
    refusal: Refusal | None
    claims: tuple[Claim, ...]
    evidence: tuple[Hit, ...]
    language: str
    model: str
    answerability: float
    """How surely the evidence answers the question, 0…1, before anything was written."""
    turn: TurnKind = "question"
    degraded: Degraded | None = None
    held_back: tuple[HeldBack, ...] = ()
    """What the model wrote and nobody may see, for those who manage the agent."""
    usage: Usage = NO_USAGE
    latency_ms: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    handoff: bool = False
    conversation_id: UUID | None = None
    message_id: UUID | None = None
    query_id: UUID | None = None

    @property
    def corrected(self) -> bool:
        """Whether something the model wrote was held back."""
        return bool(self.held_back)

    @property
    def removed(self) -> int:
        """How many sentences were held back."""
        return len(self.held_back)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """The evidence is being looked for."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The evidence, best first."""

    evidence: tuple[Hit, ...]
    result: SearchResult
    personal: bool = False
    """Whether this and what follows is only for who asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A piece of the draft before it was checked; only for who asked for it."""

    delta: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """The next words of the answer, proven and final."""

    delta: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Every claim was checked: the whole text and what it stands on."""

    text: str
    claims: tuple[Claim, ...]
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A stage is over: how long it took, and what a model took for it. For the log, not for readers."""

    stage: str
    milliseconds: float
    usage: Usage = NO_USAGE
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The end of every question that did not fail."""

    answer: Answer


Event = Searching | Found | Drafted | Wrote | Checked | Spent | Answered

History = tuple[Message, ...]
