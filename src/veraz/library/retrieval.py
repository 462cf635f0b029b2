"""How an agent retrieves: the knobs a manager may turn, with the values that measured best."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from veraz import errors
from veraz.providers.rerank.pick import check_reranker_name


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalConfig:
    """Retrieval settings of an agent, kept as JSON with it."""

    top_k: int = 8
    similarity_threshold: float = 0.7
    rerank: bool = True
    reranker: str | None = None
    """`local`, `cohere:model` or a chat model's `provider:model`; None is the installation's."""
    rewrite: bool = True
    """Misspelt words are put right from the words that are there."""
    sub_queries: bool = True
    """The agent's chat model, where it has one, says the question in other words, which are searched too."""
    boosts: bool = True
    mmr_lambda: float = 0.7
    source_cap: int = 2
    context_tokens: int = 2000
    """Of the evidence as text, for who asks for it."""
    reading_tokens: int = 8000
    """Of passages a chat model reads for one answer; small knowledge bases are handed over nearly whole."""

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value, kind = getattr(self, name), int if isinstance(low, int) else int | float
            if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
                raise errors.Invalid(field=f"retrieval.{name}", reason=errors.between(low, high))
        for name in ("rerank", "rewrite", "sub_queries", "boosts"):
            if not isinstance(getattr(self, name), bool):
                raise errors.Invalid(field=f"retrieval.{name}", reason="true, false")
        if self.reranker is not None:
            check_reranker_name(str(self.reranker))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Stored or sent settings → checked ones; what is missing keeps its default."""
        if unknown := set(data) - set(cls.__dataclass_fields__):
            raise errors.Invalid(field="retrieval", reason=", ".join(sorted(unknown)))
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Only what differs from the defaults, so that better defaults reach old agents."""
        return {name: value for name, value in asdict(self).items() if value != getattr(_DEFAULT, name)}


_LIMITS: Mapping[str, tuple[float, float]] = {
    "top_k": (1, 50),
    "similarity_threshold": (0.0, 1.0),
    "mmr_lambda": (0.0, 1.0),
    "source_cap": (1, 50),
    "context_tokens": (100, 32_000),
    "reading_tokens": (100, 100_000),
}

_DEFAULT = RetrievalConfig()
