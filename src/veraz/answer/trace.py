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
class Span:
    """When a stage began, counted from the beginning of the turn, and how long it took."""

    stage: str
    start_ms: float
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A turn's stages, what models took, what was found and answered."""

    began: float
    after_personal: bool = False
    """Whether something before it in the same talk is personal."""
    result: SearchResult | None = None
    evidence: tuple[Hit, ...] = ()
    answer: Answer | None = None
    usage: Usage = NO_USAGE
    model: str = ""
    written: str = ""
    stages: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    """The stages in the order they ended, each with when it began."""

    @classmethod
    def begin(cls) -> Self:
        """Before anything has happened."""
        return cls(began=time.perf_counter())

    def read(self, *, after_personal: bool) -> Self:
        """After the message was read and everything was looked up; no stage of the answer."""
        return replace(
            self,
            after_personal=after_personal,
            spans=(Span(stage="turn", start_ms=0.0, ms=self.milliseconds),),
        )

    def after(self, event: Event) -> Self:
        """With one more event."""
        if isinstance(event, Spent):
            spent = round(self.stages.get(event.stage, 0.0) + event.milliseconds, 2)
            return replace(
                self,
                usage=self.usage.plus(event.usage),
                model=event.model or self.model,
                stages={**self.stages, event.stage: spent},
                spans=self._with({event.stage: event.milliseconds}),
            )
        if isinstance(event, Found):
            taken = {} if self.result else event.result.stages  # searching again is a stage of its own
            return replace(
                self,
                result=event.result,
                evidence=event.evidence,
                stages={**self.stages, **taken},
                spans=self._with(taken),
            )
        if isinstance(event, Wrote):
            return replace(self, written=self.written + event.delta)
        return replace(self, answer=event.answer) if isinstance(event, Answered) else self

    def _with(self, ended: Mapping[str, float]) -> tuple[Span, ...]:
        """Stages that followed each other and ended now."""
        start = self.milliseconds - sum(ended.values())
        spans = list(self.spans)
        for stage, taken in ended.items():
            spans.append(Span(stage=stage, start_ms=round(max(start, 0.0), 1), ms=round(taken, 1)))
            start += taken
        return tuple(spans)

    @property
    def personal(self) -> bool:
        """Whether the turn may hold words of somebody's own documents: read to write it, or repeated from before in the same talk.

        The one rule for its message, its line in the log, its trace, and for who may follow it: they are only for who asked.
        """
        return self.after_personal or any(hit.passage.kind == "personal" for hit in self.evidence)

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
