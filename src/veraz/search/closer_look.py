"""An outside reranker's look at the best passages. Whatever goes wrong there, the local reranker's view stands."""

from collections.abc import Sequence

from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.rerank.base import Candidate, Reranker
from veraz.search.model import Help, Hit, Question


class CloserLook:
    """One look, and what it took."""

    def __init__(self, reranker: Reranker) -> None:
        self.reranker = reranker
        self.help: Help | None = None

    async def __call__(self, question: Question, hits: Sequence[Hit]) -> list[float]:
        """The match of each hit after the look."""
        local = [hit.match for hit in hits]
        try:
            said = await self.reranker.rerank(question.text, [_candidate(hit) for hit in hits])
        except OutsideFault as fault:
            log.warning("reranked_locally", model=self.reranker.name, reason=fault.code)
            self.help = Help(stage="rerank", model=self.reranker.name, fault=fault.code)
            return local
        self.help = Help(stage="rerank", model=said.model, usage=said.usage)
        return said.scores if said.absolute else dealt(local, said.scores)


def dealt(local: Sequence[float], scores: Sequence[float]) -> list[float]:
    """The local matches, dealt out in the order of somebody else's scores: their order, our scale."""
    values = sorted(local, reverse=True)
    order = sorted(range(len(scores)), key=lambda index: (-scores[index], -local[index]))
    matches = [0.0] * len(scores)
    for value, index in zip(values, order, strict=True):
        matches[index] = value
    return matches


def _candidate(hit: Hit) -> Candidate:
    passage = hit.passage
    heading = " › ".join(passage.headers)
    text = f"{heading}\n{passage.content}" if heading else passage.content
    return Candidate(text=text, language=passage.language, closeness=None, words=0.0, idf={})
