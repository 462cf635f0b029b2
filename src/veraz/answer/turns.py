"""What kind of turn a message is: conversation, a person please, or a question. Told by meaning, before anything is searched.

A linear classifier on the vector of the local embedding model and on single words and pairs of words, trained on messages of
many kinds of organisations in Spanish of all regions, English and Portuguese (`python -m benchmarks.turns` trains it and says
how well it does on messages it never saw).
Whatever is in doubt is a question: a question taken for small talk would be lost.
"""

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from veraz.answer.model import TurnKind
from veraz.providers.embedding.base import Embedder, Vectors
from veraz.text.plain import plain, plain_words
from veraz.text.sentences import sentences

Topic = Literal["greeting", "thanks", "farewell", "identity", "abilities"]
LABELS = (*get_args(Topic), "person", "question")
_PERSON = 0.5
"""Likelihood from which on a person is called."""
_CONTENT, _PART_CONTENT = 0.4, 0.6
"""Likelihood of content from which on a message, or a sentence in it, is a question."""
_WORD_SLOTS, _WORD_WEIGHT = 4_096, 0.8
_LONGEST = 600
"""Characters from which on a message tells a story, which no greeting does."""
_SAYS = re.compile(r"[^\W_]")
_PLEASED = re.compile("[👍👌🙏❤♥😊🙂😀😃😄😁👏💪✅🎉🤝💯]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What kind of turn, and for conversation what about."""

    kind: TurnKind
    topic: Topic = "greeting"


QUESTION = Turn(kind="question")


class TurnReader:
    """Reads turns with the embedding model of this machine."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def read(self, text: str) -> Turn:
        """What kind of turn a message is."""
        if not _SAYS.search(text):
            return Turn(kind="conversation", topic="thanks" if _PLEASED.search(text) else "greeting")
        if len(text) > _LONGEST:
            return QUESTION
        parts = parts_of(text)
        embedded = await self._embedder.embed([spoken(part) for part in parts], purpose="query")
        return decide(probabilities(features(embedded.vectors, parts)))


def parts_of(text: str) -> list[str]:
    """The whole message and, where it has several sentences, each of them."""
    cut = [part for line in text.split("\n") for part in sentences(line) if _SAYS.search(part)]
    return [" ".join(text.split()), *(cut if len(cut) > 1 else [])]


def spoken(text: str) -> str:
    """A message as the classifier reads it: case and accents say nothing about its kind."""
    return plain(text)


def features(vectors: Vectors, texts: Sequence[str]) -> Vectors:
    """What the classifier weighs: the meaning, and which words and pairs of words stand there."""
    counted = np.zeros((len(texts), _WORD_SLOTS), dtype=np.float32)
    for row, text in zip(counted, texts, strict=True):
        found = plain_words(text)
        for gram in (*found, *(" ".join(pair) for pair in pairwise(("^", *found, "$")))):
            row[zlib.crc32(gram.encode()) % _WORD_SLOTS] += 1
        row /= max(float(np.linalg.norm(row)), 1e-9) / _WORD_WEIGHT
    return np.hstack([vectors, counted])


def probabilities(given: Vectors) -> Vectors:
    """How likely each label is, for every message."""
    weights, bias = _weights()
    odds = given @ weights + bias
    odds -= odds.max(axis=1, keepdims=True)
    powers = np.exp(odds)
    found: Vectors = powers / powers.sum(axis=1, keepdims=True)
    return found


def decide(found: Vectors) -> Turn:
    """The whole message decides; a part that clearly asks for a person, or asks something, outweighs it."""
    person, asks = LABELS.index("person"), LABELS.index("question")
    if max(found[:, person]) >= _PERSON:
        return Turn(kind="handoff")
    if found[0, asks] + found[0, person] >= _CONTENT or _part_asks(found[1:, asks]):
        return QUESTION
    topic = LABELS[int(np.argmax(found[0, :person]))]
    return Turn(kind="conversation", topic=topic)


def _part_asks(asking: Sequence[float] | Vectors) -> bool:
    return any(float(one) >= _PART_CONTENT for one in asking)


@cache
def _weights() -> tuple[Vectors, Vectors]:
    stored = json.loads(files("veraz.answer").joinpath("turn_weights.json").read_text(encoding="utf-8"))
    assert tuple(stored["labels"]) == LABELS
    return np.array(stored["weights"], dtype=np.float32), np.array(stored["bias"], dtype=np.float32)
