"""Maximal marginal relevance with a cap per source: of what is relevant, what says something new."""

from collections import Counter
from collections.abc import Mapping, MutableMapping, Sequence
from uuid import UUID

import numpy as np

from veraz.search.model import Cut, Hit

POOL = 15
"""MMR looks at so many of the best passages, or half as many again as are wanted."""


def diverse(
    hits: Sequence[Hit],
    *,
    limit: int,
    mmr_lambda: float,
    source_cap: int,
    unrelated: Mapping[int, float],
    cuts: MutableMapping[UUID, Cut],
) -> set[UUID]:
    """Ids of at most `limit` hits (given best first); says in `cuts` why a better one had to make room."""
    pool = _capped(hits, max(POOL, limit * 3 // 2), source_cap, cuts)
    if len(pool) <= limit:
        return {hit.passage.chunk_id for hit in pool}
    alike = _alike(pool, unrelated)
    gain = np.array([hit.relevance for hit in pool])
    nearest = np.zeros(len(pool))
    chosen: list[int] = []
    for _ in range(limit):
        worth = mmr_lambda * gain - (1 - mmr_lambda) * nearest
        worth[chosen] = -np.inf
        best = int(np.argmax(worth))
        chosen.append(best)
        nearest = np.maximum(nearest, alike[best])
    last = max(chosen)
    for index, hit in enumerate(pool):
        if index not in chosen:
            cuts[hit.passage.chunk_id] = "similar_to_better" if index < last else "top_k"
    return {pool[index].passage.chunk_id for index in chosen}


def _capped(hits: Sequence[Hit], size: int, cap: int, cuts: MutableMapping[UUID, Cut]) -> list[Hit]:
    """The best `size` hits with at most `cap` of one document."""
    seen: Counter[UUID] = Counter()
    pool: list[Hit] = []
    for hit in hits:
        if len(pool) == size:
            break
        seen[hit.passage.document_id] += 1
        if seen[hit.passage.document_id] > cap:
            cuts[hit.passage.chunk_id] = "source_cap"
        else:
            pool.append(hit)
    return pool


def _alike(
    pool: Sequence[Hit], unrelated: Mapping[int, float]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """How alike two passages are: 0 as unrelated texts, 1 the same; across embedding spaces nobody knows."""
    alike = np.zeros((len(pool), len(pool)))
    for space in {hit.passage.space_id for hit in pool}:
        places = [
            i for i, h in enumerate(pool) if h.passage.space_id == space and h.passage.embedding is not None
        ]
        if not places:
            continue
        rows = np.stack([_unit(pool[i].passage.embedding) for i in places])
        base = float(np.mean([unrelated[pool[i].passage.edition_id] for i in places]))
        alike[np.ix_(places, places)] = np.clip((rows @ rows.T - base) / (1 - base), 0, 1)
    return alike


def _unit(
    vector: np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None,
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    assert vector is not None
    return vector / max(float(np.linalg.norm(vector)), 1e-12)
