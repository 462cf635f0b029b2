"""Around a model: a limit for the whole answer, retries within it with full jitter, then the fallback model."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault
from veraz.providers.chat.base import ChatModel, ChatRequest, Finished, Piece, Restarted


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try before the fault is passed on."""

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 10.0
    """Also the longest `Retry-After` waited for; with a longer one the fallback's turn comes at once."""
    answer_seconds: float = 60.0
    """For one model, all its attempts together: who hangs once is not waited for again."""


class ResilientChat:
    """Another model, made dependable; with a fallback, also when that one stays silent."""

    def __init__(
        self, inner: ChatModel, fallback: ChatModel | None = None, patience: Patience | None = None
    ) -> None:
        self._models = [inner] if fallback is None else [inner, fallback]
        self._patience = patience or Patience()

    @property
    def name(self) -> str:
        """The first model's name; `Finished.model` says who answered."""
        return self._models[0].name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The answer, whoever writes it in the end."""
        fault: OutsideFault | None = None
        for model in self._models:
            deadline = asyncio.get_running_loop().time() + self._patience.answer_seconds
            for attempt in range(self._patience.attempts):
                if fault is not None:
                    yield Restarted(reason=fault.message("en"))
                try:
                    async with aclosing(self._limited(model, request, deadline)) as pieces:
                        async for piece in pieces:
                            yield piece
                    return
                except OutsideFault as error:
                    fault = error
                wait = self._wait(attempt, fault, deadline)
                if wait is None:
                    break
                await asyncio.sleep(wait)
        if fault is not None:
            raise fault

    async def _limited(
        self, model: ChatModel, request: ChatRequest, deadline: float
    ) -> AsyncGenerator[Piece, None]:
        """One attempt, within the time for a whole answer; it ends with `Finished` or a fault."""
        seconds = self._patience.answer_seconds
        async with aclosing(model.stream(request)) as pieces:
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        piece = await anext(pieces, None)
                except TimeoutError as error:
                    raise OutsideDown(host=model.name, reason=f"no answer within {seconds:g} s") from error
                if piece is None:
                    raise OutsideDown(host=model.name, reason="the answer was cut off")
                yield piece
                if isinstance(piece, Finished):
                    return

    def _wait(self, attempt: int, fault: OutsideFault, deadline: float) -> float | None:
        """Seconds until the next attempt with the same model; None when there is none."""
        wait = self._pause(attempt, fault)
        late = wait is not None and asyncio.get_running_loop().time() + wait >= deadline
        return None if late else wait

    def _pause(self, attempt: int, fault: OutsideFault) -> float | None:
        if attempt + 1 >= self._patience.attempts or not isinstance(fault, OutsideBusy | OutsideDown):
            return None
        jitter = random.uniform(0, min(self._patience.longest_wait, self._patience.first_wait * 2**attempt))
        if fault.retry_after is None:
            return jitter
        return (
            None if fault.retry_after > self._patience.longest_wait else fault.retry_after + min(jitter, 1.0)
        )
