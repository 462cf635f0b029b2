"""The types from the evidence to the answer, and the events a question gives rise to on its way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from veraz.ask.model import Hit
from veraz.library.model import AnswerStyle
from veraz.providers.chat.base import NO_USAGE, Message, Usage

EXTRACTIVE = "extractive"
"""The name of the writer that quotes and needs no model."""

Refusal = Literal["no_evidence", "off_topic", "not_answered", "unsupported", "human"]
"""Why there is no answer: nothing found, nothing about it, the thing asked for is not there, no claim could be
proven, or a human has taken the conversation over."""


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
class Claim:
    """A sentence of the answer with the passages that prove it."""

    text: str
    chunk_ids: tuple[UUID, ...]
    support: float


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
    corrected: bool = False
    """Something the model wrote was put right or taken away."""
    removed: int = 0
    usage: Usage = NO_USAGE
    latency_ms: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    handoff: bool = False
    conversation_id: UUID | None = None
    message_id: UUID | None = None
    query_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """The evidence is being looked for."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The evidence, best first."""

    evidence: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """A piece of the draft; unchecked until `Checked`."""

    delta: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """What was written so far does not count; `text` replaces it."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Every claim was checked: the text that may be shown."""

    text: str
    claims: tuple[Claim, ...]
    removed: int
    repaired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The end of every question that did not fail."""

    answer: Answer


Event = Searching | Found | Wrote | Revised | Checked | Answered

History = tuple[Message, ...]
