"""Around a service: batches it can take, a limit of requests at once, and patience with full jitter."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from veraz.errors import OutsideBusy, OutsideDown
from veraz.providers.embedding.base import Embedded, Embedder, Purpose, Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try before the fault is passed on."""

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 20.0
    """Also the longest `Retry-After` waited for here; a longer one is left to the queue."""
    request_seconds: float = 60.0
    concurrent_requests: int = 4


class ResilientEmbedder:
    """Another embedder, made dependable."""

    def __init__(self, inner: Embedder, patience: Patience | None = None) -> None:
        self._inner = inner
        self._patience = patience or Patience()
        self._turns = asyncio.Semaphore(self._patience.concurrent_requests)

    @property
    def space(self) -> Space:
        """The inner embedder's space."""
        return self._inner.space

    @property
    def max_batch(self) -> int:
        """What one request carries; more texts become several requests."""
        return self._inner.max_batch

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The vectors of any number of texts, in order."""
        size = self.max_batch
        batches = [texts[index : index + size] for index in range(0, len(texts), size)]
        tasks = [asyncio.create_task(self._one(batch, purpose)) for batch in batches]
        try:
            return self._joined(await asyncio.gather(*tasks))
        finally:
            for task in tasks:  # one batch failed: the others would only be paid for nothing
                task.cancel()

    async def _one(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        for attempt in range(self._patience.attempts - 1):
            try:
                return await self._request(texts, purpose)
            except (OutsideBusy, OutsideDown) as fault:
                wait = self._wait(attempt, fault.retry_after)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
        return await self._request(texts, purpose)

    async def _request(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        try:
            async with self._turns, asyncio.timeout(self._patience.request_seconds):
                return await self._inner.embed(texts, purpose=purpose)
        except TimeoutError as error:
            reason = f"no answer within {self._patience.request_seconds:g} s"
            raise OutsideDown(host=self.space.provider, reason=reason) from error

    def _wait(self, attempt: int, retry_after: float | None) -> float | None:
        """Seconds until the next attempt; None when it is not worth waiting for here."""
        limit = min(self._patience.longest_wait, self._patience.first_wait * 2**attempt)
        jitter = random.uniform(0, limit)
        if retry_after is None:
            return jitter
        if retry_after > self._patience.longest_wait:
            return None
        return retry_after + min(jitter, 1.0)

    def _joined(self, answers: list[Embedded]) -> Embedded:
        empty = np.zeros((0, self.space.dimensions), dtype=np.float32)
        costs = [answer.cost_usd for answer in answers]
        known = [cost for cost in costs if cost is not None]
        return Embedded(
            vectors=np.concatenate([empty, *(answer.vectors for answer in answers)]),
            tokens=sum(answer.tokens for answer in answers),
            cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
        )
