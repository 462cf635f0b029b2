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
from veraz.answer.quoting.rank import LIGHT, Asked, Rated, likeness, spoken_words
from veraz.providers.embedding.base import Vectors
from veraz.text.dates import MONTHS
from veraz.text.languages import language_of, words
from veraz.text.plain import plain_words
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

EVEN = 0.5
"""Probability from which on the question is answered."""
_WEIGHTS: Mapping[str, float] = json.loads(
    files("veraz.answer.quoting").joinpath("gate_weights.json").read_text(encoding="utf-8")
)
_UNLIKE = 0.4
"""Cosine under which a unit is about something else than the best one."""
_OTHERS, _NEXT = 3, 10
_EVEN_WORDS = 0.5
"""How unlike words count that are in different languages."""
_NO_NAMES = frozenset().union(*STOP_WORDS.values()) | words("weekdays") | MONTHS.keys()
"""What English writes with a capital all the same."""


def probability(
    asked: Asked, rated: Sequence[Rated], chosen: Sequence[Quotation], vectors: Mapping[str, Vectors]
) -> float:
    """How surely what was chosen answers, 0…1."""
    if not chosen:
        return 0.0
    seen = features(asked, rated, chosen, vectors)
    return 1 / (1 + math.exp(-_WEIGHTS["bias"] - sum(_WEIGHTS[name] * value for name, value in seen.items())))


def features(
    asked: Asked, rated: Sequence[Rated], chosen: Sequence[Quotation], vectors: Mapping[str, Vectors]
) -> dict[str, float]:
    """What the weights are for; of the first quotation."""
    best = chosen[0].rated
    text = " ".join(unit.meaning for unit in chosen[0].units)
    return {
        "meaning": best.meaning,
        "kind": best.kind,
        "kindless": float(best.kind == 0),
        "named": best.named,
        "other": best.other,
        "lacks": best.lacks,
        "unknown": _unknown(asked, text),
        "strange": _unknown(asked, " ".join(each.unit.meaning for each in rated)),
        "unlike": _unlike(asked, text, vectors),
        "foreign": float(_foreign(asked, text)),
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


def _unlike(asked: Asked, text: str, vectors: Mapping[str, Vectors]) -> float:
    """How far the words that carry the question are from any word of the quotation; not told in another language."""
    if _foreign(asked, text):
        return _EVEN_WORDS
    carrying = [word for word, weight in zip(asked.spoken, asked.weights, strict=True) if weight > LIGHT]
    stems = frozenset(lexemes(text, asked.parsed.language))
    like = likeness(carrying, spoken_words(text), vectors)
    return float(
        np.mean(
            [
                0.0 if stems.issuperset(lexemes(word, asked.parsed.language)) else 1 - near
                for word, near in zip(carrying, like, strict=True)
            ]
            or [0.0]
        )
    )


def _foreign(asked: Asked, text: str) -> bool:
    """Whether the quotation is in another language than the question, so that no words can agree."""
    own = language_of(asked.parsed.text)
    return own is not None and own != (language_of(text) or asked.parsed.language[:2])


def _lead(rated: Sequence[Rated], vectors: Mapping[str, Vectors]) -> float:
    """How much better the best unit is than those about other things; where all is about one thing, its whole score."""
    own = vectors[rated[0].unit.meaning]
    others = sorted(
        (each.score for each in rated if float(vectors[each.unit.meaning] @ own) < _UNLIKE), reverse=True
    )
    return rated[0].score - (float(np.mean(others[:_OTHERS])) if len(others) >= _OTHERS else 0.0)
