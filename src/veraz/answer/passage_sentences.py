"""Which sentences of the evidence speak to the question, and how fully: what a quoting answer is made of.

A sentence is scored by the question's words it holds (each weighing how rare it is among the passages; words in the
sentences around it count less the farther they are), by holding the kind of thing asked for, and by what contradicts
the question: figures, dates and names of the question that the passage lacks, opposites, negations.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veraz.answer.question import ParsedQuestion
from veraz.answer.reading import Reading, Sentence, read
from veraz.text.names import names
from veraz.text.opposites import opposed
from veraz.text.shared_stems import kin_among
from veraz.verify.model import Source

_DECAY = 0.45
_KIN = 0.7
_ANYTHING = 0.75
_EXTREMES = frozenset(
    {
        "mayor",
        "menor",
        "mejor",
        "peor",
        "maximo",
        "maxima",
        "minimo",
        "minima",
        "unico",
        "unica",
        "largest",
        "biggest",
        "smallest",
        "highest",
        "lowest",
        "best",
        "worst",
        "oldest",
        "only",
        "most",
        "least",
    }
)
_REASONS = (
    "porque",
    "debido",
    "por lo tanto",
    "a causa",
    "ya que",
    "puesto que",
    "para ",
    "because",
    "due to",
    "since",
    "so that",
    "in order",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """One sentence of a passage beside the question."""

    number: int
    index: int
    sentence: Sentence
    coverage: float
    """Share of the question's words, weighed, in and around it."""
    own: float
    """Share of the question's words in the sentence itself."""
    kind: float
    """1 when it holds the kind of thing asked for, a half when a neighbour does, 0 when not; 0.75 when anything may answer."""
    missing: float
    """Share of the question's names, figures and dates the passage does not know."""
    lacking: float
    """The same for the sentence and its neighbours, superlatives included."""
    opposed: bool
    """Says the contrary of a word of the question."""


def picks(asked: ParsedQuestion, sources: Sequence[Source]) -> list[Pick]:
    """Every sentence of the sources beside the question, in order."""
    readings = [read(source) for source in sources]
    weights = _weights(asked, readings)
    return [pick for reading in readings for pick in _of(asked, reading, weights)]


def _weights(asked: ParsedQuestion, readings: Sequence[Reading]) -> dict[str, float]:
    known = [frozenset().union(*(s.lexemes for s in (*r.sentences, r.heading))) for r in readings]
    names = {part for name in asked.names for part in [name.word[:4]]}
    return {
        word: math.log(1 + (len(known) + 1) / (0.5 + sum(word in words for words in known)))
        * (1.25 if word[:4] in names else 1.0)
        for word in asked.words
    }


def _of(asked: ParsedQuestion, reading: Reading, weights: Mapping[str, float]) -> list[Pick]:
    presence = {word: [_holds(s, word) for s in reading.sentences] for word in weights}
    heading = {word: _holds(reading.heading, word) for word in weights}
    spread = {word: _spread(held) for word, held in presence.items()}
    whole = sum(weights.values()) or 1.0
    missing = _missing(asked, (reading.heading, *reading.sentences))
    kinds = [_kind(asked, s) for s in reading.sentences]
    return [
        Pick(
            number=reading.source.number,
            index=index,
            sentence=sentence,
            coverage=sum(w * max(spread[word][index], 0.6 * heading[word]) for word, w in weights.items())
            / whole,
            own=sum(w * presence[word][index] for word, w in weights.items()) / whole,
            kind=max(kinds[index], 0.5 * max(kinds[max(0, index - 1) : index + 2])),
            missing=missing,
            lacking=_missing(
                asked, (reading.heading, *reading.sentences[max(0, index - 1) : index + 2]), near=True
            ),
            opposed=_opposed(asked, sentence),
        )
        for index, sentence in enumerate(reading.sentences)
        if not sentence.instructs
    ]


def _holds(sentence: Sentence, word: str) -> float:
    if word in sentence.lexemes:
        return 1.0
    return _KIN if kin_among(word, sentence.roots) else 0.0


def _spread(held: list[float]) -> list[float]:
    spread = held[:]
    for index in range(1, len(spread)):
        spread[index] = max(spread[index], _DECAY * spread[index - 1])
    for index in range(len(spread) - 2, -1, -1):
        spread[index] = max(spread[index], _DECAY * spread[index + 1])
    return spread


def _missing(asked: ParsedQuestion, around: Sequence[Sentence], *, near: bool = False) -> float:
    """Share of the question's facts that none of the sentences knows; the first one is the heading, which holds names only."""
    named = [n.word for n in asked.names if not n.leading]
    wanted = [f for f in asked.figures if f.explicit]
    extremes = asked.plain & _EXTREMES if near else frozenset()
    total = len(named) + len(wanted) + len(asked.dates) + len(extremes)
    if not total:
        return 0.0
    figures = {f.value for s in around[1:] for f in s.figures}
    days = [d for s in around[1:] for d in s.dates]
    gone = sum(not any(_knows(s, name) for s in around) for name in named)
    gone += sum(all(_EXTREMES.isdisjoint(s.words) for s in around) for _ in extremes)
    gone_values = sum(f.value not in figures for f in wanted)
    gone_values += sum(not any(d.within(o) for o in days) for d in asked.dates)
    return (gone + 1.5 * gone_values) / total


def _knows(sentence: Sentence, name: str) -> bool:
    return name in sentence.words or name.rstrip("s") in sentence.words or kin_among(name, sentence.roots)


def _kind(asked: ParsedQuestion, sentence: Sentence) -> float:
    if asked.kind == "other":
        return _ANYTHING
    if asked.kind == "why":
        return float(any(mark in sentence.plain for mark in _REASONS))
    if asked.kind in ("when", "how_many"):
        return _valued(asked, sentence)
    return float(any(n.word not in asked.plain and not n.leading for n in names(sentence.text)))


def _valued(asked: ParsedQuestion, sentence: Sentence) -> float:
    known = {f.value for f in asked.figures}
    fresh = [f for f in sentence.figures if f.explicit and f.value not in known]
    if asked.kind == "how_many":
        return float(any(f.unit == "%" for f in fresh) if asked.percent else bool(fresh))
    timely = bool(sentence.dates) or any(1000 <= f.value <= 2100 or "siglo" in sentence.plain for f in fresh)
    spoken = any(
        word in sentence.plain
        for word in (
            "siglo",
            "century",
            "decada",
            "durante",
            "despues",
            "antes de",
            "after",
            "before",
            "during",
        )
    )
    return 1.0 if timely else 0.5 * spoken


def _opposed(asked: ParsedQuestion, sentence: Sentence) -> bool:
    if asked.denied and not asked.denied & sentence.denied and asked.denied & sentence.lexemes:
        return True
    own = [word for word in asked.plain - sentence.words if len(word) > 3]
    return any(opposed(own, sentence.words - asked.plain))
