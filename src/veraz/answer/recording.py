"""What chat models were sent and said while one question was answered, for its managers to read later."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from veraz.providers.chat.base import ChatModel, ChatRequest, Delta, Finished, Piece, Restarted, Usage

Purpose = Literal["follow_up", "write", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a model and its reply, as far as it came."""

    purpose: Purpose
    model: str
    request: ChatRequest
    reply: str
    usage: Usage
    milliseconds: float
    whole: bool
    """Whether the model came to its end: it did not fail, and nobody stopped it."""


class Recorder:
    """Notes every request of one question; one that is off notes nothing and costs nothing."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self.calls: list[ModelCall] = []

    def of(self, model: ChatModel, purpose: Purpose) -> ChatModel:
        """The same model, listened to."""
        return _Recorded(model, purpose, self.calls) if self.on else model


class _Recorded:
    """A chat model whose requests are noted however they end."""

    def __init__(self, model: ChatModel, purpose: Purpose, calls: list[ModelCall]) -> None:
        self._model, self._purpose, self._calls = model, purpose, calls

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The model's own pieces."""
        began, text, end = time.perf_counter(), "", None
        try:
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Finished):
                        end = piece
                    elif isinstance(piece, Delta):
                        text += piece.text
                    elif isinstance(piece, Restarted):
                        text = ""
                    yield piece
        finally:
            self._calls.append(
                ModelCall(
                    purpose=self._purpose,
                    model=end.model if end else self._model.name,
                    request=request,
                    reply=end.text if end else text,
                    usage=end.usage if end else Usage(),
                    milliseconds=round((time.perf_counter() - began) * 1000, 1),
                    whole=end is not None,
                )
            )
