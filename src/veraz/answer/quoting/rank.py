"""How well each unit answers a question: by meaning, by words, by the kind of thing, by the section it stands in.

A word of the question counts where it stands, where a form of it does, and where a word of like meaning does: the local
model's vectors of single words («cuarto» and «habitación», «pausar» and «suspende», «abren» and «open») are the thesaurus.
The weights are those of a softmax over the units of a question, fitted once on the organisations in `benchmarks/data/natural`;
`python -m benchmarks.quoting` says how well they do.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from veraz.answer.question import ParsedQuestion
from veraz.answer.quoting.kinds import Kind, asked_kinds, asking_words, has_figure, holds, wants_summary
from veraz.answer.quoting.sections import Naming
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors
from veraz.text.plain import plain_word
from veraz.text.shared_stems import Roots, kin_among, roots_of
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

WEIGHTS: Mapping[str, float] = {
    "meaning": 1.0,
    "words": 0.25,
    "near": 0.75,
    "kind": 0.07,
    "said": 0.05,
    "named": 0.16,
}
_IN_PLACE, _FORM, _FORM_IN_PLACE = 0.7, 0.6, 0.4
"""What a word of the question counts where it stands in the place, or only a form of it stands there."""
_NEAR_IN_PLACE = 0.8
_FAR = 0.55
"""Cosine of two words up to which they have nothing in common."""
_HAS = 0.5
"""Likeness from which on a unit is said to have a word."""
LIGHT = 0.15
"""Weight of a word that says little of the subject."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTION = frozenset().union(*(STOP_WORDS[code] for code in ("es", "en", "pt")))


@dataclass(frozen=True, slots=True)
class Rated:
    """A unit beside the question; all figures 0…1 but the cosine."""

    unit: Unit
    meaning: float
    """Cosine of the question and the unit with its place."""
    words: float
    """Share of the question's words, by how rare they are, in the unit and its place."""
    near: float
    """The same with words of like meaning."""
    own: float
    """Share of the question's words, or words like them, in the unit's text alone."""
    kind: float
    """1 when it holds the kind of thing asked for, 0 when not; a half when any thing may answer."""
    said: float
    """Whether it uses the words that documents say such a thing with."""
    named: float
    """How far the question names its section, row or document."""
    other: float
    """How much farther the question names a sibling of those."""
    lacks: float
    """How much the word counts that stands farthest from everything here."""
    covered: frozenset[str]
    """The question's words that it has, or has words like."""

    @property
    def score(self) -> float:
        """How well it answers."""
        return sum(weight * float(getattr(self, name)) for name, weight in WEIGHTS.items())


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's words with what each counts, and its vectors."""

    parsed: ParsedQuestion
    kinds: tuple[Kind, ...]
    spoken: tuple[str, ...]
    """Its words as they are typed."""
    weights: NDArray[np.float64]
    """What each of them counts."""
    asking: NDArray[np.bool_]
    """Which of them only say what kind of thing is asked for."""
    stems: Mapping[str, float]
    naming: Naming
    """The sections, rows and documents it names."""


@dataclass(frozen=True, slots=True)
class _Stems:
    """The stems of a unit and of its place."""

    text: frozenset[str]
    place: frozenset[str]
    text_roots: Roots
    place_roots: Roots


def spoken_words(text: str) -> tuple[str, ...]:
    """The words of a text that mean something by themselves, each once."""
    found = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return tuple(word for word in found if plain_word(word) not in _FUNCTION)


def needed_words(question: str, units: Sequence[Unit]) -> list[str]:
    """Every word whose vector is needed to rate the units."""
    texts = (question, *(unit.meaning for unit in units))
    return list(dict.fromkeys(word for text in texts for word in _spoken(text)))


def rate(
    parsed: ParsedQuestion, units: Sequence[Unit], vectors: Mapping[str, Vectors]
) -> tuple[Asked, list[Rated]]:
    """Every unit that the question may be about beside it, best first. `vectors` holds the question, the units' meanings and
    all needed words."""
    naming = Naming(parsed, units, vectors)
    own = units if wants_summary(parsed.text) else naming.own()
    stems = [_stems_of(unit.text, " ".join(unit.place), parsed.language) for unit in own]
    asked = _asked(parsed, stems, naming)
    if not own:
        return asked, []
    cosines = np.stack([vectors[unit.meaning] for unit in own]) @ vectors[parsed.text]
    rated = [
        _rated(asked, unit, held, float(cosine), naming.of(unit), vectors)
        for unit, held, cosine in zip(own, stems, cosines, strict=True)
    ]
    return asked, sorted(rated, key=lambda each: -each.score)


def _rated(
    asked: Asked,
    unit: Unit,
    held: _Stems,
    cosine: float,
    name: tuple[float, float],
    vectors: Mapping[str, Vectors],
) -> Rated:
    exact = {word: _presence(word, held) for word in asked.stems}
    whole = sum(asked.stems.values()) or 1.0
    own = likeness(asked.spoken, _spoken(unit.text), vectors)
    near = np.maximum(own, _NEAR_IN_PLACE * likeness(asked.spoken, _spoken(" ".join(unit.place)), vectors))
    kind = _kind(unit, asked.kinds)
    if kind == 1.0:  # «cuesta» is said by a price
        own, near = np.where(asked.asking, 1.0, own), np.where(asked.asking, 1.0, near)
    total = float(asked.weights.sum()) or 1.0
    return Rated(
        unit=unit,
        meaning=cosine,
        words=sum(asked.stems[word] * share for word, share in exact.items()) / whole,
        near=(float(asked.weights @ near) / total + float(near.mean())) / 2 if len(near) else 0.0,
        own=float(asked.weights @ own) / total,
        kind=kind,
        said=_said(held, asked.kinds),
        named=name[0],
        other=name[1],
        lacks=float((asked.weights * (1 - near)).max()) / total if len(near) else 1.0,
        covered=frozenset(word for word, share in zip(asked.spoken, near, strict=True) if share >= _HAS),
    )


def _asked(parsed: ParsedQuestion, stems: Sequence[_Stems], naming: Naming) -> Asked:
    """The rarer a word is among the units, the more it counts."""
    held = Counter(word for each in stems for word in each.text | each.place)
    rarity = {word: math.log(1 + len(stems) / (1 + held[word])) for word in parsed.words}
    spoken = _spoken(parsed.text)
    weights = [
        min((rarity[stem] for stem in lexemes(word, parsed.language) if stem in rarity), default=LIGHT)
        for word in spoken
    ]
    asking = [plain_word(word) in asking_words(parsed.text) for word in spoken]
    return Asked(
        parsed=parsed,
        kinds=asked_kinds(parsed.text),
        spoken=spoken,
        weights=np.array(weights, dtype=np.float64),
        asking=np.array(asking, dtype=np.bool_),
        stems=rarity,
        naming=naming,
    )


def likeness(
    asked: Sequence[str], words: Sequence[str], vectors: Mapping[str, Vectors]
) -> NDArray[np.float64]:
    """For each word of the question how like the likest word is, 0…1."""
    if not asked or not words:
        return np.zeros(len(asked))
    cosines = np.stack([vectors[word] for word in asked]) @ np.stack([vectors[word] for word in words]).T
    likest: NDArray[np.float64] = cosines.max(axis=1).astype(np.float64)
    return np.clip(likest - _FAR, 0.0, None) / (1 - _FAR)


def _presence(word: str, held: _Stems) -> float:
    if word in held.text:
        return 1.0
    if word in held.place:
        return _IN_PLACE
    if kin_among(word, held.text_roots):
        return _FORM
    return _FORM_IN_PLACE if kin_among(word, held.place_roots) else 0.0


def _kind(unit: Unit, wanted: Sequence[Kind]) -> float:
    """Whether it holds the thing asked for, by the first kind that says what that is."""
    kind = next((kind for kind in wanted if kind.value), None)
    if kind is None:
        return 0.5
    if holds(unit.text, kind.value):
        return 1.0
    columns = frozenset(lexemes(" ".join(unit.columns)))
    return 1.0 if kind.says & columns and has_figure(unit.text) else 0.0


def _said(held: _Stems, wanted: Sequence[Kind]) -> float:
    says = frozenset().union(*(kind.says for kind in wanted[:1]))
    return min(1.0, len(says & (held.text | held.place)) / 2)


@lru_cache(maxsize=16_384)
def _stems_of(text: str, place: str, language: str) -> _Stems:
    own, around = frozenset(lexemes(text, language)), frozenset(lexemes(place, language))
    return _Stems(own, around, roots_of(own), roots_of(around))


@lru_cache(maxsize=16_384)
def _spoken(text: str) -> tuple[str, ...]:
    return spoken_words(text)
