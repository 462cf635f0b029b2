"""A model whose SDK is loaded with its first question, in a thread: loading takes a second or two, and nobody else waits for it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from veraz.providers.chat.base import ChatModel, ChatRequest, Piece


class LateChat:
    """The name of a model, and how it is made once somebody asks."""

    def __init__(self, name: str, make: Callable[[], ChatModel]) -> None:
        self.name = name
        self._make = make
        self._model: ChatModel | None = None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The answer of the model."""
        if self._model is None:
            self._model = await asyncio.to_thread(self._make)
        async with aclosing(self._model.stream(request)) as pieces:
            async for piece in pieces:
                yield piece
