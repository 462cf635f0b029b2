"""What an entailment model is: pairs of texts in, how surely the second follows from the first out."""

from collections.abc import Sequence
from typing import Protocol


class Entailment(Protocol):
    """Reads pairs of premise and hypothesis."""

    @property
    def name(self) -> str:
        """`entail:<model>`."""

    async def entailed(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each pair how surely the hypothesis follows from the premise, 0…1; raises an `OutsideFault` when it cannot."""
