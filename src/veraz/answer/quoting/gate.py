"""Whether the best quotation answers the question at all: by the thing asked about, by its kind, by how it stands out.

The weights in `gate_weights.json` are those of a logistic regression on questions of organisations other than those that
measure (`python -m benchmarks.quoting --write`): an answer is right when it says what it must.
"""

import json
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files

import numpy as np

from veraz.answer.quoting.choose import Quotation
from veraz.answer.quoting.rank import Asked, Rated, likeness, spoken_words
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import word_rarity
from veraz.text.dates import MONTHS
from veraz.text.languages import words
from veraz.text.plain import plain_words
from veraz.text.stop_words import STOP_WORDS

EVEN = 0.5
"""Probability from which on the question is answered."""
_NOT_THERE = 0.3
"""The most that a question gets about something that is not there."""
_WEIGHTS: Mapping[str, float] = json.loads(
    files("veraz.answer.quoting").joinpath("gate_weights.json").read_text(encoding="utf-8")
)
_UNLIKE = 0.4
"""Cosine under which a unit is about something else than the best one."""
_OTHERS, _NEXT = 3, 10
_NO_NAMES = frozenset().union(*STOP_WORDS.values()) | words("weekdays") | words("titles") | MONTHS.keys()
"""What is written with a capital and names nobody."""


def probability(
    asked: Asked, rated: Sequence[Rated], chosen: Sequence[Quotation], vectors: Mapping[str, Vectors]
) -> float:
    """How surely what was chosen answers, 0…1."""
    if not chosen:
        return 0.0
    seen = features(asked, rated, chosen, vectors)
    odds = _WEIGHTS["bias"] + sum(_WEIGHTS[name] * value for name, value in seen.items())
    sure = 1 / (1 + math.exp(-odds))
    return min(sure, _NOT_THERE) if asks_for_what_is_not_there(asked, rated) else sure


def asks_for_what_is_not_there(asked: Asked, rated: Sequence[Rated]) -> bool:
    """Whether all names of the question stand nowhere, or it names a section or row that is not there."""
    return asked.naming.names_another or _unknown(asked, " ".join(each.unit.meaning for each in rated)) == 1.0


def features(
    asked: Asked, rated: Sequence[Rated], chosen: Sequence[Quotation], vectors: Mapping[str, Vectors]
) -> dict[str, float]:
    """What the weights are for; of the first quotation."""
    best = chosen[0].rated
    text = " ".join(unit.meaning for unit in chosen[0].units)
    return {
        "meaning": best.meaning,
        "kind": best.kind,
        "lacks": best.lacks,
        "nowhere": _missing(asked, [each.unit.meaning for each in rated], vectors),
        "unknown": _unknown(asked, text),
        "lead": _lead(rated, vectors),
        "apart": best.meaning
        - float(np.mean(sorted((each.meaning for each in rated), reverse=True)[:_NEXT])),
    }


def _unknown(asked: Asked, text: str) -> float:
    """Share of the question's names that a text does not have."""
    named = [name.word for name in asked.parsed.names if not name.leading and name.word not in _NO_NAMES]
    spoken = set(plain_words(text))
    gone = sum(name not in spoken and name.rstrip("s") not in spoken for name in named)
    return gone / len(named) if named else 0.0


def _missing(asked: Asked, texts: Sequence[str], vectors: Mapping[str, Vectors]) -> float:
    """How rare the word of the question is, and how unlike everything in the texts, of which that is most."""
    words_ = list(dict.fromkeys(word for text in texts for word in spoken_words(text)))
    near = likeness(asked.spoken, words_, vectors)
    rare = [word_rarity(word) for word in asked.spoken]
    return max((rarity * (1 - share) for rarity, share in zip(rare, near, strict=True)), default=0.0)


def _lead(rated: Sequence[Rated], vectors: Mapping[str, Vectors]) -> float:
    """How much better the best unit is than those about other things; where all is about one thing, its whole score."""
    own = vectors[rated[0].unit.meaning]
    others = sorted(
        (each.score for each in rated if float(vectors[each.unit.meaning] @ own) < _UNLIKE), reverse=True
    )
    return rated[0].score - (float(np.mean(others[:_OTHERS])) if len(others) >= _OTHERS else 0.0)
