"""A figure taken from the wrong half of a sentence: «el básico cuesta 10 € y el premium 20 €» → «el básico cuesta 20 €»."""

import re
from collections.abc import Sequence

from veraz.ask.check.numbers import Figure, figures
from veraz.ask.check.reading import Sentence
from veraz.text.words import lexemes

_JOINT = re.compile(
    r"[;:,]\s+(?:y|e|and|but|pero|mientras que|while|o|or)?\s*|\s+(?:y|e|and|but|pero|mientras que|while)\s+(?=\D)"
)


def crossed(claim: str, core: Sentence, language: str) -> str:
    """The words a figure of the claim really belongs to, when the claim gives it to others; empty when all is well."""
    clauses = [(frozenset(lexemes(text, language)), figures(text)) for text in _clauses(core.text)]
    for text in _clauses(claim):
        own = [figure for figure in figures(text) if figure.explicit]
        rivals = [f for f in core.figures if f.explicit and not any(f.same(o) or o.same(f) for o in own)]
        content = frozenset(lexemes(text, language))
        for figure in own:
            if rivals and (wrong := _taken_from(content, figure, rivals, clauses)):
                return wrong
    return ""


def _clauses(text: str) -> list[str]:
    return [clause for clause in _JOINT.split(text) if clause and clause.strip()]


def _taken_from(
    content: frozenset[str],
    figure: Figure,
    rivals: Sequence[Figure],
    clauses: Sequence[tuple[frozenset[str], list[Figure]]],
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
