"""What a reranker is: a question and passages in, a relevance for each out, then what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from veraz.providers.chat.base import NO_USAGE, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage as a reranker sees it."""

    text: str
    language: str
    """How its knowledge base cuts words to stems."""
    closeness: float | None
    """How near in meaning: 0 like an unrelated text, 1 like a sentence of the passage itself; None is unknown."""
    words: float
    """BM25 as a share of what the question's words could weigh together."""
    idf: Mapping[str, float]
    """The question's words in this language, with their idf in the reading set."""
    foreign: bool = False
    """The question is in another language than the passage, so that words can hardly agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """What a reranker thinks of each candidate, in the candidates' order."""

    scores: list[float]
    """0…1 each."""
    model: str
    """Who looked, as `provider:model`."""
    absolute: bool = True
    """Whether 0.7 means relevant. Where a service's numbers have no fixed meaning only their order counts."""
    usage: Usage = NO_USAGE


class Reranker(Protocol):
    """Looks at each passage beside the question."""

    @property
    def name(self) -> str:
        """`provider:model`, or `local`."""

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        """How relevant each candidate is; raises an `OutsideFault` when it cannot say."""
