"""What the services have in common: one request through pydantic-ai's model, its faults in our words."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, EmbeddingSettings
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
)

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected
from veraz.providers.embedding.base import Embedded, Purpose, Space, unit_rows
from veraz.providers.embedding.catalogue import cost_usd
from veraz.text.tokens import count_tokens

_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEmbedder:
    """One request to a service, without retries."""

    space: Space
    model: EmbeddingModel
    max_batch: int
    ask_dimensions: bool
    """Whether the request names the dimensions; servers that cannot shorten refuse it."""

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
        """The vectors of at most `max_batch` texts."""
        # services refuse empty texts, but a caller's order must not depend on that
        inputs = [text if text.strip() else "-" for text in texts]
        settings = EmbeddingSettings(dimensions=self.space.dimensions) if self.ask_dimensions else None
        try:
            result = await self.model.embed(inputs, input_type=purpose, settings=settings)
            vectors = np.asarray(result.embeddings, dtype=np.float32)
        except (AgentRunError, ValueError, TypeError, AttributeError, KeyError) as error:
            raise self._fault(error) from error
        self._check(vectors, len(texts))
        tokens = _tokens(result, inputs)
        cost = cost_usd(self.space.provider, self.space.model, tokens)
        return Embedded(vectors=unit_rows(vectors), tokens=tokens, cost_usd=cost)

    @property
    def host(self) -> str:
        """Who answers, as people know it."""
        return urlsplit(self.model.base_url or "").hostname or self.space.provider

    def _fault(self, error: Exception) -> OutsideFault:
        """A fault by what can be done about it: wait, try again, or change something."""
        reason = _reason(error)
        if isinstance(error, ModelRateLimitError | ModelOverloadedError):
            return OutsideBusy(host=self.host, reason=reason, retry_after=error.retry_after)
        if isinstance(error, ModelQuotaExceededError | ModelRequestRejectedError):
            return OutsideRejected(host=self.host, reason=reason)
        if isinstance(error, ModelHTTPError) and error.status_code < 500:
            return OutsideRejected(host=self.host, reason=reason)
        return OutsideDown(host=self.host, reason=reason)

    def _check(self, vectors: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]", count: int) -> None:
        if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
            raise OutsideDown(host=self.host, reason=f"{count} vectors were asked for, {vectors.shape} came")
        if vectors.shape[1] != self.space.dimensions:
            wanted = self.space.dimensions
            raise OutsideRejected(
                host=self.host, reason=f"{wanted} dimensions were asked for, {vectors.shape[1]} came"
            )


def _tokens(result: EmbeddingResult, inputs: list[str]) -> int:
    """What the service counted; where it does not say, our own count stands in."""
    return result.usage.input_tokens or sum(map(count_tokens, inputs))


def _reason(error: Exception) -> str:
    if isinstance(error, ModelHTTPError):
        return f"{error.status_code} {_said(error.body)}"[:_LONGEST_REASON].strip()
    if isinstance(error, ModelAPIError):
        return error.message[:_LONGEST_REASON]
    return f"an answer that cannot be read ({type(error).__name__})"


def _said(body: object) -> str:
    """The sentence inside an error's body, wherever the service puts it."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    return str(body or "")
