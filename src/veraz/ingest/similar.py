"""Nearly equal documents are named, not refused: a sketch of each text tells how much two of them share.

The sketch is a MinHash with one permutation: every run of three words falls into one of 128 bins, which keeps its
smallest hash. Two texts agree in about as many bins as they share runs of words. Hashed bands of bins tell quickly
which texts are worth comparing.
"""

import re
from binascii import crc32
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.text.plain import plain

Q = queries(__file__)

NEARLY_EQUAL = 0.9
_BINS, _BAND, _RUN = 128, 8, 3
_EMPTY, _UNFILLED = -1, 2**31
_FEWEST_WORDS = 8
"""Shorter texts say too little to be called nearly equal."""
_WORD = re.compile(r"\w+")
_PIECE = 200_000
_SIGNED = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDocument:
    """Another document of the knowledge base that says nearly the same."""

    document_id: UUID
    name: str
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    id: UUID
    name: str
    sketch: list[int]


def sketch(text: str) -> list[int]:
    """The smallest hash of each bin; nothing for texts of a few words."""
    bins = np.full(_BINS, _UNFILLED, dtype=np.int64)
    for runs in _runs(text):
        hashes = np.fromiter(map(crc32, map(str.encode, runs)), dtype=np.int64)
        np.minimum.at(bins, hashes % _BINS, hashes // _BINS)
    if (bins == _UNFILLED).all():
        return []
    found: list[int] = np.where(bins == _UNFILLED, _EMPTY, bins).tolist()
    return found


def bands(bins: Sequence[int]) -> list[int]:
    """Hashes of eight bins each; texts that share nine tenths share some of them all but certainly."""
    groups = ((place, bins[place : place + _BAND]) for place in range(0, len(bins), _BAND))
    return [
        crc32(repr((place, list(group))).encode()) - _SIGNED
        for place, group in groups
        if any(each != _EMPTY for each in group)
    ]


def similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """The share of bins two sketches agree in, among those either filled."""
    filled = [(a, b) for a, b in zip(one, other, strict=True) if (a, b) != (_EMPTY, _EMPTY)]
    return sum(a == b for a, b in filled) / len(filled) if filled else 0.0


async def similar_documents(tx: Transaction, kb_id: UUID, document_id: UUID) -> list[SimilarDocument]:
    """The documents of the same knowledge base that say nearly the same, the nearest first."""
    mine = await tx.one(_Candidate, Q.sketch, id=document_id, kb_id=kb_id)
    if mine is None:
        return []
    found = await tx.all(_Candidate, Q.candidates, id=document_id, kb_id=kb_id)
    near = (
        SimilarDocument(
            document_id=one.id, name=one.name, similarity=round(similarity(mine.sketch, one.sketch), 3)
        )
        for one in found
    )
    return sorted((one for one in near if one.similarity >= NEARLY_EQUAL), key=lambda one: -one.similarity)


def _runs(text: str) -> Iterator[list[str]]:
    """Every three words that follow each other, piece by piece, so that a huge text is never doubled in memory."""
    last: list[str] = []
    runs: list[str] = []
    total = 0
    for start in range(0, len(text), _PIECE):
        found = _WORD.findall(plain(text[start : start + _PIECE]))
        total += len(found)
        words = last + found
        runs += map(" ".join, zip(*(words[place:] for place in range(_RUN)), strict=False))
        last = words[-(_RUN - 1) :]
        if total >= _FEWEST_WORDS:
            yield runs
            runs = []
