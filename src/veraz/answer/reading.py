"""A passage read once: its sentences, each with its words, facts and negations."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from veraz.text.dates import Date, dates
from veraz.text.injection import marked_sentences, speaks_to_machine, visible
from veraz.text.numbers import Figure, figures
from veraz.text.opposites import NEGATIONS
from veraz.text.plain import plain, words_in
from veraz.text.shared_stems import Roots, roots_of
from veraz.text.words import lexemes
from veraz.verify.model import Source

_BLANKS = re.compile(" {2,}+")
_LONGEST_SCOPE = 4
_THAT = frozenset({"que", "that"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a source."""

    text: str
    plain: str
    words: frozenset[str]
    """Without accents, in lower case, also the parts of joined ones."""
    lexemes: frozenset[str]
    denied: frozenset[str]
    """Lexemes right after a negation."""
    instructs: bool
    """Speaks to a machine; never evidence for anything."""
    roots: Roots = field(compare=False)
    """Its lexemes by how they begin."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Looked for when they are needed: most sentences are told apart by their words."""
        return figures(self.text)

    @property
    def dates(self) -> tuple[Date, ...]:
        """The same for dates."""
        return dates(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A source with its sentences."""

    source: Source
    sentences: tuple[Sentence, ...]
    heading: Sentence


@lru_cache(maxsize=512)
def read(source: Source) -> Reading:
    """Cuts and reads a source."""
    text = visible(source.text)
    pieces = [(line, order) for a, b, order in marked_sentences(text) for line in _lines(text[a:b])]
    return Reading(
        source=source,
        sentences=tuple(read_sentence(piece, source.language, order) for piece, order in pieces),
        heading=read_sentence(visible(source.heading), source.language),
    )


def _lines(piece: str) -> list[str]:
    """Rows of a table are sentences of their own; wrapped lines are not."""
    lines = [_BLANKS.sub(" ", line.strip()) for line in piece.split("\n") if line.strip()]
    table = sum("|" in line or "\t" in line or ";" in line for line in lines) > len(lines) / 2
    return lines if table else [" ".join(lines)]


@lru_cache(maxsize=8192)
def read_sentence(text: str, language: str, order: bool | None = None) -> Sentence:
    """One sentence with everything that is compared; `order` when it is known whether it belongs to one."""
    simple = plain(text)
    words = words_in(simple)
    found = frozenset(lexemes(text, language))
    return Sentence(
        text=text,
        plain=simple,
        words=frozenset(part for word in words for part in _parts(word)),
        lexemes=found,
        denied=_denied(words, language),
        instructs=speaks_to_machine(text) if order is None else order,
        roots=roots_of(found),
    )


def _parts(word: str) -> list[str]:
    pieces = [word]
    if word.isalnum():
        return pieces
    for joint in "-/._’'&+@":
        pieces += [part for piece in pieces for part in piece.split(joint) if joint in piece]
    return pieces


def _denied(words: list[str], language: str) -> frozenset[str]:
    if NEGATIONS.isdisjoint(words):
        return frozenset()
    found: set[str] = set()
    for index, word in enumerate(words):
        if word in NEGATIONS:
            following = _scope(words, index + 1)
            if following[:1] not in (["solo"], ["obstante"], ["only"]):
                found.update(lexemes(" ".join(following), language))
    return frozenset(found)


def _scope(words: list[str], start: int) -> list[str]:
    """What a negation denies: «no es cierto que…» also what follows."""
    end = start + _LONGEST_SCOPE
    inner = next((place for place in range(start, min(end, len(words))) if words[place] in _THAT), None)
    return words[start : inner + 1 + _LONGEST_SCOPE if inner is not None else end]
