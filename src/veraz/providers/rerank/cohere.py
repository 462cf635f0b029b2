"""Cohere's rerank service: one request, without retries, its faults in our words."""

import math
from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import urlsplit

import httpx
from cohere import AsyncClientV2
from cohere.core.api_error import ApiError
from cohere.v2.types.v2rerank_response import V2RerankResponse

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected
from veraz.providers.chat.base import Usage
from veraz.providers.rerank.base import Candidate, Reranked
from veraz.text.tokens import count_tokens

BASE_URL = "https://api.cohere.com"
_USD_PER_SEARCH = {
    "rerank-v3.5": Decimal("0.002"),
    "rerank-english-v3.0": Decimal("0.002"),
    "rerank-multilingual-v3.0": Decimal("0.002"),
}
"""Published prices; one search is a question with at most 100 passages. Another model's cost is unknown."""
_LONGEST_QUESTION = 4_000
"""Characters; the service reads 2,048 tokens of a question."""
_LONGEST_REASON = 300


class CohereReranker:
    """One of Cohere's models. Its scores order passages; what a score means differs from question to question."""

    def __init__(self, model: str, *, api_key: str, base_url: str | None, seconds: float) -> None:
        self.model = model
        self.host = urlsplit(base_url or BASE_URL).hostname or "cohere"
        self._client = AsyncClientV2(
            api_key=api_key,
            base_url=base_url or BASE_URL,
            timeout=seconds,
            max_retries=0,
            log_warning_experimental_features=False,
        )

    @property
    def name(self) -> str:
        """`cohere:model`."""
        return f"cohere:{self.model}"

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        """The service's order of the candidates."""
        query, texts = question[:_LONGEST_QUESTION], [candidate.text for candidate in candidates]
        try:
            answer = await self._client.rerank(model=self.model, query=query, documents=texts)
            scores = _scores(answer, len(texts))
        except (ApiError, httpx.HTTPError, ValueError, TypeError, AttributeError) as error:
            raise self._fault(error) from error
        tokens = sum(count_tokens(text) for text in (query, *texts))
        usage = Usage(input_tokens=tokens, cost_usd=self._cost(answer))
        return Reranked(scores=scores, model=self.name, absolute=False, usage=usage)

    def _cost(self, answer: V2RerankResponse) -> Decimal | None:
        units = answer.meta and answer.meta.billed_units and answer.meta.billed_units.search_units
        price = _USD_PER_SEARCH.get(self.model)
        return None if price is None else price * Decimal(str(units or 1))

    def _fault(self, error: Exception) -> OutsideFault:
        """A fault by what can be done about it: wait, try again, or change something."""
        if not isinstance(error, ApiError) or error.status_code is None or error.status_code < 400:
            return OutsideDown(
                host=self.host, reason=f"an answer that cannot be read ({type(error).__name__})"
            )
        reason = f"{error.status_code} {_said(error.body)}"[:_LONGEST_REASON].strip()
        if error.status_code == 429:
            return OutsideBusy(host=self.host, reason=reason, retry_after=_retry_after(error.headers))
        if error.status_code >= 500 or error.status_code == 408:
            return OutsideDown(host=self.host, reason=reason)
        return OutsideRejected(host=self.host, reason=reason)


def _scores(answer: V2RerankResponse, count: int) -> list[float]:
    """One finite score per passage, or `ValueError`."""
    found = {int(result.index): float(result.relevance_score) for result in answer.results}
    if set(found) != set(range(count)) or not all(math.isfinite(score) for score in found.values()):
        raise ValueError(f"{count} scores were asked for")
    return [min(max(found[index], 0.0), 1.0) for index in range(count)]


def _retry_after(headers: dict[str, str] | None) -> float | None:
    said = {name.lower(): value for name, value in (headers or {}).items()}.get("retry-after", "")
    try:
        return max(float(said), 0.0)
    except ValueError:
        return None


def _said(body: object) -> str:
    return str(body.get("message") or "") if isinstance(body, dict) else str(body or "")
