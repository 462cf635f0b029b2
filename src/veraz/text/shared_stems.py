"""Stems that begin alike enough to be forms of one word: «regulacion» and «regulador»."""

from collections.abc import Iterable, Mapping, Sequence

_PREFIX, _SHARE = 5, 0.6

Roots = Mapping[str, Sequence[str]]
"""Stems by how they begin, so that a word is compared only with those that may be its kin."""


def kin(a: str, b: str) -> bool:
    """Whether two stems begin alike enough to be forms of one word."""
    if len(a) < _PREFIX or len(b) < _PREFIX or a[:_PREFIX] != b[:_PREFIX]:
        return False
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return common >= _SHARE * max(len(a), len(b))


def roots_of(stems: Iterable[str]) -> Roots:
    """The stems that may have kin."""
    roots: dict[str, list[str]] = {}
    for stem in stems:
        if len(stem) >= _PREFIX:
            roots.setdefault(stem[:_PREFIX], []).append(stem)
    return roots


def kin_among(word: str, roots: Roots) -> bool:
    """Whether one of the stems is kin to the word."""
    near = roots.get(word[:_PREFIX])
    return near is not None and any(kin(word, other) for other in near)
