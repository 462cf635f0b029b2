"""Around a service: a limit for the whole look, and bounded retries with full jitter.

A search waits for this, so patience is short; whoever calls has the local reranker's view to fall back on.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from veraz.errors import OutsideBusy, OutsideDown
from veraz.providers.rerank.base import Candidate, Reranked, Reranker


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try before the fault is passed on."""

    attempts: int = 3
    first_wait: float = 0.2
    seconds: float = 8.0
    """For all attempts and the waits between them; a `Retry-After` that does not fit is not waited for."""


class ResilientReranker:
    """Another reranker, made dependable."""

    def __init__(self, inner: Reranker, patience: Patience | None = None) -> None:
        self._inner = inner
        self._patience = patience or Patience()

    @property
    def name(self) -> str:
        """The inner reranker's name."""
        return self._inner.name

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        """The inner reranker's view, within the time there is."""
        seconds = self._patience.seconds
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(deadline):
                return await self._tried(question, candidates, deadline)
        except TimeoutError as error:
            raise OutsideDown(host=self.name, reason=f"no answer within {seconds:g} s") from error

    async def _tried(self, question: str, candidates: Sequence[Candidate], deadline: float) -> Reranked:
        for attempt in range(self._patience.attempts - 1):
            try:
                return await self._inner.rerank(question, candidates)
            except (OutsideBusy, OutsideDown) as fault:
                wait = (fault.retry_after or 0.0) + random.uniform(0, self._patience.first_wait * 2**attempt)
                if asyncio.get_running_loop().time() + wait >= deadline:
                    raise
            await asyncio.sleep(wait)
        return await self._inner.rerank(question, candidates)
