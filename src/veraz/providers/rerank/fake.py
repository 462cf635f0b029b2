"""A reranker for tests: it says what it was told to say, or fails as it was told to fail."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from veraz.errors import OutsideFault
from veraz.providers.chat.base import Usage
from veraz.providers.rerank.base import Candidate, Reranked

Line = OutsideFault | Callable[[str, Sequence[Candidate]], list[float]]


class ScriptedReranker:
    """Answers with the next line of its script, the last one for ever; remembers what it was asked."""

    def __init__(self, *script: Line, name: str = "fake:scripted", absolute: bool = True) -> None:
        self.name = name
        self.script = list(script)
        self.absolute = absolute
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        """The next line."""
        self.asked.append((question, tuple(candidate.text for candidate in candidates)))
        line = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(line, OutsideFault):
            raise line
        usage = Usage(input_tokens=1_500, cost_usd=Decimal("0.002"))
        scores = line(question, candidates)
        return Reranked(scores=scores, model=self.name, absolute=self.absolute, usage=usage)
