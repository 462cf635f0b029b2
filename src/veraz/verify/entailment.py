"""A local entailment model as a judge: each claim against the sentences around each other in the passages."""

from collections.abc import Iterator, Sequence

from veraz.errors import Invalid, OutsideDown
from veraz.providers.entail.base import Entailment
from veraz.text.sentences import sentence_spans
from veraz.verify.model import NOT_SAID, Judged, Judgement, Source

_SURE = 0.9
_TOGETHER = 3
"""Sentences that are read as one premise: what a claim joins usually stands that near."""
_MOST = 200


class EntailmentJudge:
    """Supported is what follows surely from a few neighbouring sentences, with the place they stand under."""

    def __init__(self, model: Entailment) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def judge(
        self, question: str, sources: Sequence[Source], claims: Sequence[str], before: str = ""
    ) -> Judged:
        """The best premise of each claim decides; the model says nothing about contradictions here."""
        premises = [premise for source in sources for premise in _premises(source)][:_MOST]
        pairs = [(f"{place}: {text}", claim) for claim in claims for _, place, text in premises]
        try:
            sure = await self._model.entailed(pairs)
        except Invalid as error:
            raise OutsideDown(host=self.name, reason=error.message("en")) from error
        size = len(premises)
        rows = [sure[index * size : (index + 1) * size] for index in range(len(claims))]
        return Judged(judgements=tuple(_judgement(row, premises) for row in rows), model=self.name)


def _judgement(sure: Sequence[float], premises: Sequence[tuple[int, str, str]]) -> Judgement:
    best = max(range(len(sure)), key=sure.__getitem__, default=None)
    if best is None or sure[best] < _SURE:
        return NOT_SAID
    number, _, text = premises[best]
    return Judgement(verdict="supported", quotes=((number, text),))


def _premises(source: Source) -> Iterator[tuple[int, str, str]]:
    spans = sentence_spans(source.text)
    for index in range(len(spans)):
        for size in range(1, min(_TOGETHER, len(spans) - index) + 1):
            text = source.text[spans[index][0] : spans[index + size - 1][1]]
            yield source.number, " › ".join(source.place), text
