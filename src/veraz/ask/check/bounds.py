"""What stands around a figure and changes what it says: «más de 10», «de 9 a 14», «3 meses»."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from veraz.ask.check.numbers import Figure, figures
from veraz.ask.check.plain import plain
from veraz.text.words import lexemes

Bound = Literal["more", "less", "about", "until", ""]

_BEFORE = 24
_BOUND = re.compile(
    r"(?:(?P<more>[>≥]|\b(?:mas (?:de|que)|more than|over|above|al menos|at least|superior a|mayor(?:es)? (?:de|que)|como minimo))"
    r"|(?P<less>[<≤]|\b(?:menos (?:de|que)|less than|under|below|at most|inferior a|menor(?:es)? (?:de|que)|como maximo))"
    r"|(?P<about>[±~≈])|(?P<until>\b(?:hasta|up to|until)))(?: (?:el|la|los|las|the|unos|unas))? ?[€$£]?$"
)
_ENDS = re.compile(r"(?:\b(?:a|al|y|to|and|till)|[-–—])(?: (?:las?|los|el|the))? ?[€$£]?$")
_RANGE = re.compile(
    r"\s*(?:[-–—]|(?:a|al|hasta|to|until|till)\b)\s*(?:las?\s|los\s|el\s|the\s)?\s*[€$£]?", re.IGNORECASE
)
_LISTED = re.compile(
    r"\s*(?:[-–—,/]|(?:a|al|hasta|o|u|y|e|to|or|and)\b)\s*(?:las?\s|los\s)?\s*", re.IGNORECASE
)
_NOUN = re.compile(r"\s?([^\W\d_]+)")


def misplaced(claim: str, core: str, language: str) -> Iterator[str]:
    """The figures of the claim that the core knows, though bounded, ordered or counting otherwise."""
    own, known = figures(claim), figures(core)
    for figure in own:
        alike = [other for other in known if figure.same(other)]
        if figure.explicit and alike and not any(_bounded_alike(claim, figure, core, o) for o in alike):
            yield f"bound of {claim[figure.start : figure.end]}"
    theirs = _ranges(core)
    for low, high in _ranges(claim):
        if any(low == b and high == a for a, b in theirs) and (low, high) not in theirs and low != high:
            yield f"order of {low} and {high}"
    counted = _counted(core, language)
    for noun, value in _counted(claim, language):
        values = {other for known_noun, other in counted if known_noun == noun}
        if values and value not in values:
            yield f"{value} of what there are others: {noun}"


def _bounded_alike(claim: str, own: Figure, core: str, other: Figure) -> bool:
    mine, theirs = _bound(claim, own.start), _bound(core, other.start)
    if mine == "until":
        return theirs in ("until", "less") or bool(_ENDS.search(_before(core, other.start)))
    return mine == theirs or (not mine and theirs == "until")


def _bound(text: str, start: int) -> Bound:
    found = _BOUND.search(_before(text, start))
    return found.lastgroup or "" if found else ""  # type: ignore[return-value]


def _before(text: str, start: int) -> str:
    return plain(text[max(0, start - _BEFORE) : start])


@lru_cache(maxsize=4096)
def _ranges(text: str) -> tuple[tuple[object, object], ...]:
    """Figures that follow each other as beginning and end."""
    found = figures(text)
    return tuple(
        (a.value, b.value)
        for a, b in pairwise(found)
        if a.end <= b.start and _RANGE.fullmatch(text, a.end, b.start)
    )


@lru_cache(maxsize=4096)
def _counted(text: str, language: str) -> tuple[tuple[str, object], ...]:
    """What each figure counts, by the word right behind it; «de 10 a 20 kg» counts kilos twice."""
    found = figures(text)
    nouns: list[tuple[str, object]] = []
    noun = ""
    for index in range(len(found) - 1, -1, -1):
        figure, following = found[index], found[index + 1] if index + 1 < len(found) else None
        listed = (
            following
            and figure.end <= following.start
            and _LISTED.fullmatch(text, figure.end, following.start)
        )
        if not listed:
            behind = _NOUN.match(text, figure.end) if not figure.unit else None
            noun = next(iter(lexemes(behind[1], language)), "") if behind else figure.unit
        if noun:
            nouns.append((noun, figure.value))
    return tuple(nouns)
