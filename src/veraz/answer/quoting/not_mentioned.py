"""What is asked and not said: by the section that a question names while its look-alikes do, or by anything at all.

«¿El plan Oro incluye estacionamiento?» is not answered where only the plan Plata speaks of parking. A word is spoken of where it,
a form of it or a word of like meaning stands in a text or its place; a price or a time that is asked for, where one stands.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from veraz.answer.question import ParsedQuestion
from veraz.answer.quoting.kinds import asked_kinds, every_asking_word, holds
from veraz.answer.quoting.labels import Spoken
from veraz.answer.quoting.superlatives import superlative
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import word_rarity
from veraz.text.languages import CODES, words
from veraz.text.plain import plain_word
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

_LIKE = 0.775
"""Cosine from which on two words mean much the same."""
_RARE = 0.6
"""How rare a word is that says by itself what it is about: «piscina», not «tengo»."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTION = frozenset().union(*(STOP_WORDS[code] for code in CODES))


def only_others_speak(
    parsed: ParsedQuestion,
    named: frozenset[str],
    own: Sequence[Unit],
    others: Sequence[Unit],
    vectors: Mapping[str, Vectors],
) -> bool:
    """Whether of what a question asks, beside the stems it names a section with, nothing stands in its own units and
    something in the others."""
    kind = next((kind for kind in asked_kinds(parsed.text) if kind.value), None)
    if not others or (kind and any(holds(unit.text, kind.value) for unit in own)):
        return False
    asked = list(_asked_for(parsed, Spoken(named)))
    there = _stems((unit.text for unit in others), parsed.language)
    if not any(_stands(stems, there) for _, stems in asked):
        return False
    here = _stems((unit.meaning for unit in own), parsed.language)
    return not any(_stands(stems, here) or _is_like(word, own, vectors) for word, stems in asked)


def stands_nowhere(parsed: ParsedQuestion, units: Sequence[Unit], vectors: Mapping[str, Vectors]) -> bool:
    """Whether a question asks about something that has a word of its own, and no unit speaks of any of it."""
    asked = list(_asked_for(parsed, Spoken()))
    here = _stems((unit.meaning for unit in units), parsed.language)
    return any(word_rarity(word) >= _RARE for word, _ in asked) and not any(
        _stands(stems, here) or _is_like(word, units, vectors) for word, stems in asked
    )


def all_stands(parsed: ParsedQuestion, units: Sequence[Unit], vectors: Mapping[str, Vectors]) -> bool:
    """Whether a question asks about something, and the units speak of all of it."""
    asked = list(_asked_for(parsed, Spoken()))
    here = _stems((unit.meaning for unit in units), parsed.language)
    return bool(asked) and all(
        _stands(stems, here) or _is_like(word, units, vectors) for word, stems in asked
    )


def _asked_for(parsed: ParsedQuestion, named: Spoken) -> Iterator[tuple[str, frozenset[str]]]:
    """The words that say what is asked, with their stems; not those by which one asks for a kind of thing, for the most of
    it, for all of it, or whether there is one."""
    light = every_asking_word(parsed.text) | words("having") | words("series", "all") | _FUNCTION
    end = superlative(parsed.text, parsed.language)
    light |= {end.adjective, *end.marks} if end else set()
    for word in dict.fromkeys(each.lower() for each in _WORD.findall(parsed.text)):
        stems = frozenset(lexemes(word, parsed.language)) & parsed.words
        if stems and plain_word(word) not in light and not any(map(named.says, stems)):
            yield word, stems


def _stems(texts: Iterable[str], language: str) -> Spoken:
    return Spoken(stem for text in texts for stem in lexemes(text, language))


def _stands(stems: frozenset[str], there: Spoken) -> bool:
    return any(map(there.says, stems))


def _is_like(word: str, units: Sequence[Unit], vectors: Mapping[str, Vectors]) -> bool:
    """Whether a word of the units means much the same."""
    there = {each.lower() for unit in units for each in _WORD.findall(unit.meaning)}
    known = [vectors[each] for each in there if each in vectors]
    return word in vectors and bool(known) and float((np.stack(known) @ vectors[word]).max()) >= _LIKE
