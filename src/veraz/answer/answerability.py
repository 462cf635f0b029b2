"""Whether the evidence answers the question, where nobody reads it but the quoting writer.

Not the cosine alone: the calibrated similarity of the passage, how much of the question stands together in one of its
sentences, whether the kind of thing asked for is there (who → a name, when → a date, how much → a figure), and whether
the passage lacks a name, figure or date of the question or says the contrary. The weights in `answerability_weights.json` are
those of a logistic regression on questions made unanswerable (`benchmarks/answerability.py` writes them, decision 13 says how
well they do); nothing is fitted on the set that measures refusals.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from veraz.answer.model import Refusal
from veraz.answer.passage_sentences import Pick, picks
from veraz.answer.question import ParsedQuestion
from veraz.search.model import Hit
from veraz.verify.model import Source

EVEN = 0.5
"""Answerability from which on the question is answered."""
_WEIGHTS: Mapping[str, float] = json.loads(
    files("veraz.answer").joinpath("answerability_weights.json").read_text(encoding="utf-8")
)
_OFF_TOPIC = 0.25
_READ = 4
"""Passages that are read sentence by sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """How answerable the question is, and the sentences that speak to it, best first."""

    probability: float
    refusal: Refusal | None
    sentences: tuple[tuple[float, Pick], ...] = ()


def read_answerability(
    asked: ParsedQuestion, hits: Sequence[Hit], sources: Sequence[Source]
) -> Answerability:
    """Reads the best passages beside the question."""
    scored = rated(asked, hits, sources)
    if not scored:
        return Answerability(probability=0.0, refusal="no_evidence")
    best = scored[0][1]
    sure = probability(best, hits[best.number - 1])
    refusal: Refusal | None = None
    if sure < EVEN:
        refusal = "off_topic" if sure < _OFF_TOPIC else "not_answered"
    return Answerability(probability=round(sure, 4), refusal=refusal, sentences=tuple(scored))


def rated(asked: ParsedQuestion, hits: Sequence[Hit], sources: Sequence[Source]) -> list[tuple[float, Pick]]:
    """The sentences of the first passages by how well they answer."""
    found = [(worth(pick, hits[pick.number - 1].match), pick) for pick in picks(asked, sources[:_READ])]
    return sorted(found, key=lambda pair: (-pair[0], pair[1].number, pair[1].index))


def probability(pick: Pick, hit: Hit) -> float:
    """How surely the question is answered where this sentence stands, 0…1."""
    seen = features(pick, hit.similarity)
    return 1 / (1 + math.exp(-_WEIGHTS["bias"] - sum(_WEIGHTS[name] * value for name, value in seen.items())))


def features(pick: Pick, similarity: float) -> dict[str, float]:
    """What the weights are for."""
    near = min(max(similarity, 1e-4), 1 - 1e-4)
    return {
        "similarity": math.log(near / (1 - near)),
        "own": pick.own,
        "kind": pick.kind,
        "missing": pick.missing,
        "lacking": pick.lacking,
        "opposed": float(pick.opposed),
    }


def worth(pick: Pick, match: float) -> float:
    """Which sentence to quote; halving any weight costs less than two answers in a hundred."""
    return (
        pick.coverage
        + 0.5 * pick.own
        + 0.25 * pick.kind
        - 0.3 * pick.missing
        - 0.15 * pick.opposed
        + 0.8 * match
    )
