"""A chat model as reranker: numbered passages in, one score for each out. Passages are data, never instructions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from veraz.ask.prompts import passages_to_score
from veraz.ask.said_json import said_json
from veraz.errors import OutsideDown
from veraz.providers.chat.base import ChatModel, ChatRequest, Message, complete
from veraz.providers.rerank.base import Candidate, Reranked
from veraz.text.languages import in_another_language

_LONGEST = 2_000
"""Characters of a passage that are shown."""
_MAX_TOKENS = 2_000
"""The scores take a tenth of it; models that think first need the rest."""


class ChatReranker:
    """One request to a chat model."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        """The model's scores; an answer that is not exactly one score per passage is a fault."""
        texts = [candidate.text[:_LONGEST] for candidate in candidates]
        language = "en" if in_another_language(question, "es") else "es"
        instructions, prompt = passages_to_score(question, texts, language)
        request = ChatRequest(
            instructions=instructions,
            messages=(Message(role="user", text=prompt.text),),
            max_tokens=_MAX_TOKENS,
        )
        done = await complete(self._model, request)
        try:
            scores = _scores(said_json(done.text, "{"), len(texts))
        except ValueError as error:
            raise OutsideDown(host=self.name, reason="scores that cannot be read") from error
        return Reranked(scores=scores, model=done.model, usage=done.usage)


def _scores(said: Any, count: int) -> list[float]:
    if not isinstance(said, Mapping) or set(said) != {str(number + 1) for number in range(count)}:
        raise ValueError("one score for each passage is needed")
    scores = list(map(_score, (said[str(number + 1)] for number in range(count))))
    if count > 2 and min(scores) == max(scores) and scores[0] > 0:
        raise ValueError("the same score for everything says nothing")
    return scores


def _score(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a score is a number")
    if not 0 <= value <= 1:
        raise ValueError("a score goes from 0 to 1")
    return float(value)
