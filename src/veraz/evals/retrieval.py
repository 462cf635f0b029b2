"""How often the right paragraph is found, and how soon, through the normal ingest and the normal search."""

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from veraz.evals.datasets import Dataset
from veraz.ingest.documents import Documents
from veraz.ingest.receive import Labels, Reception
from veraz.search.model import Hit, SearchResult
from veraz.search.service import Search, Wish
from veraz.tenancy.model import Actor

_PLACES = 10
_EVERYTHING = Wish(top_k=_PLACES, similarity_threshold=0.0)
"""Ranking is measured, not the threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalReport:
    """Shares of questions, and milliseconds."""

    documents: int
    questions: int
    hit_at_1: float
    hit_at_5: float
    hit_at_10: float
    mrr: float
    ndcg_at_10: float
    p50_ms: float
    p95_ms: float
    alone: Mapping[str, float]
    """MRR of what each single score would have given on the same chunks."""


async def ingest(
    reception: Reception, documents: Documents, actor: Actor, kb_id: UUID, dataset: Dataset
) -> dict[UUID, int]:
    """Each paragraph becomes a document; which document is which paragraph, once all are searchable."""
    known: dict[UUID, int] = {}
    for index, paragraph in enumerate(dataset.paragraphs):
        received = await reception.text(actor, kb_id, f"{index + 1:05}", paragraph, Labels(origin="text"))
        known[received.document_id] = index
    for document_id in known:
        await processed(documents, actor, kb_id, document_id)
    return known


async def processed(documents: Documents, actor: Actor, kb_id: UUID, document_id: UUID) -> None:
    """Until the document is searchable or has failed."""
    while True:
        document = await documents.get(actor, kb_id, document_id)
        if document.status in ("completed", "failed"):
            return
        await asyncio.sleep(0.05)


async def measure(
    search: Search,
    actor: Actor,
    kb_id: UUID,
    dataset: Dataset,
    known: Mapping[UUID, int],
    *,
    spelling: bool = True,
) -> RetrievalReport:
    """Asks every question once, with or without putting its spelling right."""
    wish = replace(_EVERYTHING, rewrite=spelling)
    await search.search_kb(actor, kb_id, dataset.items[0].question, wish=wish, origin="eval")
    await search.settle()
    places: dict[str, list[int]] = {name: [] for name in ("ours", *_ALONE)}
    milliseconds: list[float] = []
    for item in dataset.items:
        start = time.perf_counter()
        result = await search.search_kb(actor, kb_id, item.question, wish=wish, origin="eval")
        milliseconds.append((time.perf_counter() - start) * 1000)
        places["ours"].append(_place(result.evidence.hits, known, item.paragraph))
        for name, score in _ALONE.items():
            ordered = sorted(_every_hit(result), key=score, reverse=True)
            places[name].append(_place(ordered, known, item.paragraph))
    return _report(dataset, places, milliseconds)


_ALONE: dict[str, Callable[[Hit], float]] = {
    "dense": lambda hit: hit.passage.cosine or 0.0,
    "bm25": lambda hit: hit.passage.bm25,
    "rrf": lambda hit: hit.rrf_score,
}


def _every_hit(result: SearchResult) -> list[Hit]:
    return [*result.evidence.hits, *(dropped.hit for dropped in result.evidence.dropped)]


def _place(hits: Iterable[Hit], known: Mapping[UUID, int], paragraph: int) -> int:
    """The right document's place among the documents found, from 1; 0 when it is not among the first ten."""
    order = dict.fromkeys(known[hit.passage.document_id] for hit in hits)
    found = list(order)[:_PLACES]
    return found.index(paragraph) + 1 if paragraph in found else 0


def _report(
    dataset: Dataset, places: Mapping[str, Sequence[int]], milliseconds: list[float]
) -> RetrievalReport:
    ours = places["ours"]
    return RetrievalReport(
        documents=len(dataset.paragraphs),
        questions=len(ours),
        hit_at_1=_share(ours, 1),
        hit_at_5=_share(ours, 5),
        hit_at_10=_share(ours, 10),
        mrr=_mrr(ours),
        ndcg_at_10=_mean(1 / math.log2(place + 1) if place else 0.0 for place in ours),
        p50_ms=_quantile(milliseconds, 0.5),
        p95_ms=_quantile(milliseconds, 0.95),
        alone={name: _mrr(places[name]) for name in _ALONE},
    )


def _share(places: Sequence[int], within: int) -> float:
    return _mean(float(0 < place <= within) for place in places)


def _mrr(places: Sequence[int]) -> float:
    return _mean(1 / place if place else 0.0 for place in places)


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return round(sum(every) / len(every), 4) if every else 0.0


def _quantile(values: list[float], share: float) -> float:
    return round(sorted(values)[min(int(share * len(values)), len(values) - 1)], 2)
