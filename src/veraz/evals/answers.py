"""How often the answer is right, how often a refusal is, and whether every citation proves its claim."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from veraz.answer.model import Answer, Claim
from veraz.answer.service import Answers, Ask
from veraz.evals.datasets import Dataset, Item
from veraz.tenancy.model import Actor
from veraz.text.plain import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersReport:
    """Counts of questions and shares of citations. Right: the gold text stands in a claim that cites the gold passage."""

    questions: int
    answerable: int
    unanswerable: int
    answered_right: int
    answered_wrong: int
    refused_right: int
    refused_wrong: int
    auc: float
    citations: int
    citation_precision: float
    unsupported_claims: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OfftopicReport:
    """Questions whose articles are not in the knowledge base, and those that are."""

    questions: int
    refused: int
    refusal_rate: float
    answered_in_topic: float
    auc: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    item: Item
    answer: Answer
    milliseconds: float


async def measure_answers(
    answers: Answers, actor: Actor, agent_id: UUID, dataset: Dataset, known: Mapping[UUID, int]
) -> AnswersReport:
    """Asks every question once; `known` says which document is which paragraph."""
    asked = await _ask_all(answers, actor, agent_id, dataset.items)
    answerable = [one for one in asked if one.item.answerable]
    unanswerable = [one for one in asked if not one.item.answerable]
    answered = [one for one in answerable if not one.answer.refused]
    right = sum(_right(one, known) for one in answered)
    cited = [proven for one in asked for claim in one.answer.claims for proven in _proofs(one.answer, claim)]
    times = sorted(one.milliseconds for one in asked)
    return AnswersReport(
        questions=len(asked),
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        answered_right=right,
        answered_wrong=len(answered) - right + sum(not one.answer.refused for one in unanswerable),
        refused_right=sum(one.answer.refused for one in unanswerable),
        refused_wrong=len(answerable) - len(answered),
        auc=auc(
            [one.answer.answerability for one in answerable], [o.answer.answerability for o in unanswerable]
        ),
        citations=len(cited),
        citation_precision=round(sum(cited) / len(cited), 4) if cited else 1.0,
        unsupported_claims=sum(
            not any(_proofs(one.answer, claim)) for one in asked for claim in one.answer.claims
        ),
        p50_ms=_quantile(times, 0.5),
        p95_ms=_quantile(times, 0.95),
    )


async def measure_offtopic(
    answers: Answers, actor: Actor, agent_id: UUID, dataset: Dataset
) -> OfftopicReport:
    """The knowledge base holds the even articles; questions of the odd ones must be refused."""
    away = [item for item in dataset.items if item.article % 2]
    here = [item for item in dataset.items if not item.article % 2 and item.answerable]
    strange = await _ask_all(answers, actor, agent_id, away)
    familiar = await _ask_all(answers, actor, agent_id, here)
    refused = sum(one.answer.refused for one in strange)
    return OfftopicReport(
        questions=len(strange),
        refused=refused,
        refusal_rate=round(refused / max(len(strange), 1), 4),
        answered_in_topic=round(sum(not o.answer.refused for o in familiar) / max(len(familiar), 1), 4),
        auc=auc([o.answer.answerability for o in familiar], [o.answer.answerability for o in strange]),
    )


def half_of(dataset: Dataset) -> Dataset:
    """The paragraphs of the even articles; every question stays."""
    kept = [index for index, article in enumerate(dataset.articles) if not article % 2]
    return replace(
        dataset,
        paragraphs=tuple(dataset.paragraphs[index] for index in kept),
        articles=tuple(dataset.articles[index] for index in kept),
    )


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative; ties count half."""
    if not positive or not negative:
        return 0.0
    ordered = sorted(negative)
    wins = sum((bisect_left(ordered, p) + bisect_right(ordered, p)) / 2 for p in positive)
    return round(wins / (len(positive) * len(ordered)), 4)


async def _ask_all(answers: Answers, actor: Actor, agent_id: UUID, items: Sequence[Item]) -> list[_Asked]:
    asked = []
    for item in items:
        start = time.perf_counter()
        answer = await answers.answer(
            actor, agent_id, Ask(question=item.question, remember=False, channel="eval")
        )
        asked.append(_Asked(item=item, answer=answer, milliseconds=(time.perf_counter() - start) * 1000))
    return asked


def _right(one: _Asked, known: Mapping[UUID, int]) -> bool:
    gold = [wanted for text in one.item.answers if (wanted := plain(text).strip(" .,;"))]
    documents = {hit.passage.chunk_id: hit.passage.document_id for hit in one.answer.evidence}
    for claim in one.answer.claims:
        paragraphs = {known.get(documents[chunk]) for chunk in claim.chunk_ids}
        if one.item.paragraph in paragraphs and (not gold or any(text in plain(claim.text) for text in gold)):
            return True
    return False


def _proofs(answer: Answer, claim: Claim) -> list[bool]:
    """For each citation of a claim whether a quote of it stands word for word in that passage."""
    passages = {hit.passage.chunk_id: plain(hit.passage.content) for hit in answer.evidence}
    return [
        any(quote.chunk_id == chunk and plain(quote.text) in passages[chunk] for quote in claim.quotes)
        for chunk in claim.chunk_ids
    ]


def _quantile(ordered: Sequence[float], share: float) -> float:
    return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 2) if ordered else 0.0
