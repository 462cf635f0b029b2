"""[Passage] → Evidence: one relevance for every passage, then the few that say different things.

score      meaning, words and the local reranker → `match`; with boosts and weights → `relevance`
closer     another reranker's view of the best, where there is one (`closer_look`)
threshold  what is less similar than the caller asked for goes
diversity  near copies and a third passage of the same document make room (MMR, source cap)

Boosts and weights are log-odds: seed numbers as they are (+0.15 for gold …), so that all of them together
(0.40) move a passage from 0.60 to 0.69, re-order near ties, and never lift an irrelevant passage (0.5) over
a relevant one (0.7). A knowledge base's search_weight multiplies the odds; its priority decides near ties.
"""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID

from veraz.providers.rerank.base import Candidate, Reranker
from veraz.providers.rerank.local import fused
from veraz.search.diversity import diverse
from veraz.search.model import Cut, Dropped, Evidence, Hit, Passage, Question, Retrieved, Shelf
from veraz.text.languages import in_another_language

Closer = Callable[[Question, Sequence[Hit]], Awaitable[list[float]]]
"""The best hits → the match of each, by somebody who looks more closely."""

RRF_K = 60
RERANKED = 12
"""How many passages get the closer look; with more nothing changed in what was measured."""
BOOSTS: Mapping[str, float] = {
    "tier1_gold": 0.15,
    "tier2_silver": 0.05,
    "meta_analysis": 0.10,
    "rct": 0.10,
    "peer_reviewed": 0.05,
    "quality": 0.05,
}
_GOOD_QUALITY = 85
_SURE = 0.999
"""Between two passages that both match for sure, the standing of their sources decides."""


async def rank(
    question: Question,
    found: Sequence[Retrieved],
    shelves: Sequence[Shelf],
    reranker: Reranker,
    closer: Closer | None = None,
) -> Evidence:
    """The evidence for a question from what was found for each of its wordings; `closer` looks once more."""
    by_edition = {shelf.edition_id: shelf for shelf in shelves}
    hits: dict[UUID, Hit] = {}
    for retrieved in found:
        for hit in await _score(question, retrieved, by_edition, reranker):
            known = hits.get(hit.passage.chunk_id)
            if known is None or hit.relevance > known.relevance:
                hits[hit.passage.chunk_id] = hit
    scored = list(hits.values())
    if closer is not None and scored:
        scored = await _looked_at(question, scored, by_edition, closer)
    ordered = sorted(scored, key=lambda hit: _place(hit, by_edition))
    kept, dropped = _select(question, ordered, by_edition)
    return Evidence(
        hits=tuple(kept),
        dropped=tuple(dropped),
        searched=max((retrieved.searched for retrieved in found), default=0),
        reranked=sum(hit.reranked for hit in ordered),
    )


async def _score(
    question: Question, retrieved: Retrieved, shelves: Mapping[int, Shelf], reranker: Reranker
) -> list[Hit]:
    passages = [p for p in retrieved.passages if p.edition_id in shelves]
    candidates = [_candidate(retrieved, p, shelves[p.edition_id]) for p in passages]
    matches = [fused(candidate) for candidate in candidates]
    chosen: set[int] = set()
    if question.config.rerank and candidates:
        best = sorted(range(len(candidates)), key=lambda i: -matches[i])[:RERANKED]
        closer = await reranker.rerank(retrieved.query.text, [candidates[i] for i in best])
        chosen = set(best)
        for index, match in zip(best, closer.scores, strict=True):
            matches[index] = match
    rrf = _rrf(passages, candidates)
    return [
        _hit(question, p, shelves[p.edition_id], matches[i], rrf[i], reranked=i in chosen)
        for i, p in enumerate(passages)
    ]


async def _looked_at(
    question: Question, hits: Sequence[Hit], shelves: Mapping[int, Shelf], closer: Closer
) -> list[Hit]:
    """The same hits with the closer look's match for the best of them."""
    best = sorted(hits, key=lambda hit: -hit.match)[:RERANKED]
    matches = await closer(question, best)
    seen = {hit.passage.chunk_id: match for hit, match in zip(best, matches, strict=True)}
    return [
        _hit(
            question,
            hit.passage,
            shelves[hit.passage.edition_id],
            seen.get(hit.passage.chunk_id, hit.match),
            hit.rrf_score,
            reranked=hit.reranked or hit.passage.chunk_id in seen,
        )
        for hit in hits
    ]


def _candidate(retrieved: Retrieved, passage: Passage, shelf: Shelf) -> Candidate:
    idf = retrieved.idf.get(passage.language, {})
    return Candidate(
        text=passage.content,
        language=passage.language,
        closeness=None if passage.cosine is None else shelf.curve.closeness(passage.cosine),
        words=passage.bm25 / whole if (whole := sum(idf.values())) else 0.0,
        idf=idf,
        foreign=in_another_language(retrieved.query.text, passage.document_language or passage.language),
    )


def _rrf(passages: Sequence[Passage], candidates: Sequence[Candidate]) -> list[float]:
    """Reciprocal rank fusion as everybody computes it: 1/(60 + rank) summed over the lists a passage is in."""
    scores = [0.0] * len(passages)
    near = [i for i, c in enumerate(candidates) if c.closeness is not None]
    worded = [i for i, p in enumerate(passages) if p.bm25 > 0]
    near.sort(key=lambda i: -(candidates[i].closeness or 0.0))
    worded.sort(key=lambda i: -passages[i].bm25)
    for order in (near, worded):
        for rank_, index in enumerate(order, start=1):
            scores[index] += 1 / (RRF_K + rank_)
    return scores


def _hit(
    question: Question, passage: Passage, shelf: Shelf, match: float, rrf: float, *, reranked: bool
) -> Hit:
    boost = boost_of(passage) if question.config.boosts else 0.0
    return Hit(
        passage=passage,
        similarity=0.0 if passage.cosine is None else shelf.curve.similarity(passage.cosine),
        rrf_score=rrf,
        match=match,
        boost=boost,
        relevance=_from_odds(_odds(min(match, _SURE)) + boost + math.log(shelf.search_weight)),
        reranked=reranked,
    )


def boost_of(passage: Passage) -> float:
    """What a source's authority adds, in log-odds."""
    return (
        BOOSTS.get(passage.source_tier or "", 0.0)
        + BOOSTS.get(passage.evidence_level or "", 0.0)
        + (BOOSTS["peer_reviewed"] if passage.peer_reviewed else 0.0)
        + (BOOSTS["quality"] if (passage.quality or 0) >= _GOOD_QUALITY else 0.0)
    )


def _odds(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))


def _from_odds(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _place(hit: Hit, shelves: Mapping[int, Shelf]) -> tuple[float, int, float, float, int]:
    """Best first; within a tenth of the log-odds the knowledge base with the smaller priority number."""
    odds = _odds(hit.relevance)
    priority = shelves[hit.passage.edition_id].priority
    return (-round(odds, 1), priority, -odds, -hit.match, hit.passage.ordinal)


def _select(
    question: Question, ordered: Sequence[Hit], shelves: Mapping[int, Shelf]
) -> tuple[list[Hit], list[Dropped]]:
    config = question.config
    relevant = [hit for hit in ordered if _held(hit) >= config.similarity_threshold]
    cuts: dict[UUID, Cut] = {
        hit.passage.chunk_id: "below_threshold" for hit in ordered if _held(hit) < config.similarity_threshold
    }
    chosen = diverse(
        relevant,
        limit=config.top_k,
        mmr_lambda=config.mmr_lambda,
        source_cap=_cap(config.source_cap, config.top_k, ordered),
        unrelated={edition: shelf.curve.unrelated for edition, shelf in shelves.items()},
        cuts=cuts,
    )
    kept = [hit for hit in relevant if hit.passage.chunk_id in chosen]
    left = [hit for hit in ordered if hit.passage.chunk_id not in chosen]
    return kept, [Dropped(hit=hit, cut=cuts.get(hit.passage.chunk_id, "top_k")) for hit in left]


def _held(hit: Hit) -> float:
    """What the threshold is held against: the similarity or, where no vector could be had, how well the words match."""
    return hit.match if hit.passage.cosine is None else hit.similarity


def _cap(cap: int, top_k: int, ordered: Sequence[Hit]) -> int:
    """A few documents share the places evenly, so that a knowledge base of one document still fills them."""
    documents = len(Counter(hit.passage.document_id for hit in ordered))
    return max(cap, -(-top_k // documents) if documents else cap)
