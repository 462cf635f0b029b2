"""What one turn has met so far, made anew with every event: for the log line that is written however it ends."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from veraz.answer.model import Answer, Answered, Event, Found, Spent, Wrote
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.search.model import Context, Evidence, Hit, Question, SearchResult
from veraz.text.tokens import count_tokens

_PROMPT_OVERHEAD = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A turn's stages, what models took, what was found and answered."""

    began: float
    result: SearchResult | None = None
    evidence: tuple[Hit, ...] = ()
    answer: Answer | None = None
    usage: Usage = NO_USAGE
    model: str = ""
    written: str = ""
    stages: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def begin(cls) -> Self:
        """Before anything has happened."""
        return cls(began=time.perf_counter())

    def after(self, event: Event) -> Self:
        """With one more event."""
        if isinstance(event, Spent):
            spent = round(self.stages.get(event.stage, 0.0) + event.milliseconds, 2)
            return replace(
                self,
                usage=self.usage.plus(event.usage),
                model=event.model or self.model,
                stages={**self.stages, event.stage: spent},
            )
        if isinstance(event, Found):
            stages = {**self.stages, **event.result.stages}
            return replace(self, result=event.result, evidence=event.evidence, stages=stages)
        if isinstance(event, Wrote):
            return replace(self, written=self.written + event.delta)
        return replace(self, answer=event.answer) if isinstance(event, Answered) else self

    @property
    def spent(self) -> Usage:
        """What models took; what a draft took that its reader cut off is estimated."""
        whole = self.answer is not None or "write" in self.stages
        if whole or self.result is None or not self.result.question.model:
            return self.usage
        prompt = sum(hit.passage.tokens for hit in self.result.evidence.hits) + _PROMPT_OVERHEAD
        cut_off = Usage(input_tokens=prompt, output_tokens=count_tokens(self.written), cost_usd=None)
        return self.usage.plus(cut_off)

    @property
    def milliseconds(self) -> float:
        """Since the turn began."""
        return round((time.perf_counter() - self.began) * 1000, 1)

    def logged(self, question: Question) -> SearchResult:
        """The line of the log as the search would write it, with the stages of the answer."""
        if self.result is not None:
            return replace(self.result, question=question, stages=self.stages)
        return SearchResult(
            question=question,
            queries=(),
            shelves=(),
            evidence=Evidence(hits=()),
            context=Context(text="", used=(), left_out=()),
            stages=self.stages,
        )
