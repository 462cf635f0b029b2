"""A figure taken from the wrong half of a sentence: «el básico cuesta 10 € y el premium 20 €» → «el básico cuesta 20 €»."""

import re
from collections.abc import Sequence
from functools import lru_cache

from veraz.ask.check.numbers import Figure, figures
from veraz.ask.check.reading import Sentence
from veraz.text.words import lexemes

_JOINT = re.compile(
    r"[;:,]\s+(?:y|e|and|but|pero|mientras que|while|o|or)?\s*|\s+(?:y|e|and|but|pero|mientras que|while)\s+(?=\D)"
)

_Clause = tuple[frozenset[str], tuple[Figure, ...]]
"""Its lexemes and its figures."""


def crossed(claim: str, core: Sentence, language: str) -> str:
    """The words a figure of the claim really belongs to, when the claim gives it to others; empty when all is well."""
    for content, found in _clauses(claim, language):
        own = [figure for figure in found if figure.explicit]
        rivals = [f for f in core.figures if f.explicit and not any(f.same(o) or o.same(f) for o in own)]
        for figure in own if rivals else ():
            if wrong := _taken_from(content, figure, rivals, _clauses(core.text, language)):
                return wrong
    return ""


@lru_cache(maxsize=2048)
def _clauses(text: str, language: str) -> tuple[_Clause, ...]:
    cut = (clause for clause in _JOINT.split(text) if clause and clause.strip())
    return tuple((frozenset(lexemes(clause, language)), figures(clause)) for clause in cut)


def _taken_from(
    content: frozenset[str],
    figure: Figure,
    rivals: Sequence[Figure],
    clauses: Sequence[_Clause],
) -> str:
    home = [words for words, found in clauses if any(figure.same(f) for f in found)]
    away = [
        words
        for words, found in clauses
        if any(r.same(f) and r.unit == figure.unit for r in rivals for f in found)
        and not any(figure.same(f) for f in found)
    ]
    if len(home) != 1 or not away:
        return ""
    elsewhere = frozenset().union(*away) - home[0]
    only_home = _spoken(home[0] - frozenset().union(*away) - content)
    return " ".join(sorted(only_home)) if only_home and _spoken(content & elsewhere) else ""


def _spoken(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not any(sign.isdigit() for sign in word))
