"""What a cosine means: a curve through two points every embedding model has, found without labels.

Unrelated texts have some cosine (0 on our scale), a sentence and the passage it stands in have a higher
one (1). Questions lie between; halfway is where a passage is relevant more often than not, in every
model measured, so halfway reads as 0.7.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

_HALFWAY = math.log(0.7 / 0.3)
_UNRELATED = math.log(0.05 / 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Where unrelated texts lie in a space, and where a passage's own sentences do."""

    unrelated: float
    own: float
    chunks: int = 0
    """How many chunks the edition had when this was measured."""
    samples: int = 0
    measured_at: str | None = None
    """When, as an ISO time; None where the figures are those usual for the model."""

    @classmethod
    def of(cls, space: str, stored: Mapping[str, Any] | None) -> Self:
        """What was measured, or what is usual for the model."""
        if stored:
            return cls(**{name: stored[name] for name in cls.__dataclass_fields__ if name in stored})
        unrelated, own = _USUAL.get(space.split("@")[0], _USUAL_ANYWHERE)
        return cls(unrelated=unrelated, own=own)

    def closeness(self, cosine: float) -> float:
        """0 like an unrelated text, 1 like a sentence of the passage itself; may lie outside both."""
        span = max(self.own - self.unrelated, 0.05)
        return min(max((cosine - self.unrelated) / span, -0.5), 1.5)

    def similarity(self, cosine: float) -> float:
        """The closeness as a number people set thresholds on: unrelated 0.05, halfway 0.7."""
        return 1 / (1 + math.exp(-(_UNRELATED + (_HALFWAY - _UNRELATED) * 2 * self.closeness(cosine))))

    def cosine_at(self, similarity: float) -> float:
        """The raw cosine that reads as this similarity: what a threshold means under this model."""
        odds = math.log(similarity / (1 - similarity))
        closeness = (odds - _UNRELATED) / (2 * (_HALFWAY - _UNRELATED))
        return self.unrelated + closeness * max(self.own - self.unrelated, 0.05)


_USUAL: Mapping[str, tuple[float, float]] = {
    "local:use-multilingual-v3": (0.07, 0.59),
    "openai:text-embedding-3-small": (0.12, 0.65),
    "openai:text-embedding-3-large": (0.10, 0.65),
    "openai:text-embedding-ada-002": (0.71, 0.89),
    "gemini:text-embedding-004": (0.40, 0.78),
    "gemini:gemini-embedding-001": (0.52, 0.82),
}
_USUAL_ANYWHERE = (0.15, 0.65)
