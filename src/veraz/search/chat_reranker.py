"""A chat model as reranker: numbered passages in, one score for each out. Passages are data, never instructions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from veraz.errors import OutsideDown
from veraz.providers.chat.base import ChatModel, ChatRequest, Message, complete
from veraz.providers.rerank.base import Candidate, Reranked
from veraz.text.injection import fence_of, harmless
from veraz.text.json_reply import json_in
from veraz.text.languages import in_another_language
from veraz.text.templates import template

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
        fence = fence_of(question, *texts)
        request = ChatRequest(
            instructions=template("search", "rerank", language).format(fence=fence),
            messages=(Message(role="user", text=_prompt(question, texts, fence)),),
            max_tokens=_MAX_TOKENS,
        )
        done = await complete(self._model, request)
        try:
            scores = _scores(json_in(done.text, "{"), len(texts))
        except ValueError as error:
            raise OutsideDown(host=self.name, reason="scores that cannot be read") from error
        return Reranked(scores=scores, model=done.model, usage=done.usage)


def _prompt(question: str, texts: Sequence[str], fence: str) -> str:
    blocks = [
        f"<<<{fence} {number}>>>\n{harmless(text)}\n<<<{fence} {number} fin>>>"
        for number, text in enumerate(texts, start=1)
    ]
    return "\n\n".join([*blocks, question])


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
