"""Who does what to whom: «Ana contrató a Luis» does not say «Luis contrató a Ana», nor anything of «Ana Pérez»."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from veraz.ask.check.facts import names
from veraz.text.words import lexemes

_NEAR = 3
"""Telling words on each side of a verb that may be who does it or whom it is done to."""
_BY = frozenset({"por", "by"})
_OBJECT_FIRST, _TAKEN_UP = frozenset({"a", "al"}), frozenset({"la", "lo", "le", "las", "los", "les"})
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "lo", "the", "an"})
_JOINING = frozenset({"de", "del", "la", "las", "los", "of", "van", "von", "da", "do", "di"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deed:
    """A word with those before and behind it, as who does it and to whom."""

    doers: frozenset[str]
    others: frozenset[str]
    link: tuple[str, ...]
    """The small words right behind it, without articles."""
    turned: bool
    """«A Luis lo contrató Ana», «Luis fue contratado por Ana»."""


def turned_round(claim: Sequence[str], core: Sequence[str], language: str) -> str:
    """The word of the claim whose two sides are exchanged in the core; empty when all is well."""
    theirs = _deeds(tuple(core), language)
    for word, own in _deeds(tuple(claim), language).items():
        other = theirs.get(word)
        if other and _comparable(own, other) and _exchanged(own, other):
            return word
    return ""


def _comparable(own: _Deed, other: _Deed) -> bool:
    return own.link == other.link or own.turned != other.turned


def _exchanged(own: _Deed, other: _Deed) -> bool:
    doers = (own.doers & other.others) - other.doers - own.others
    return bool(doers and (own.others & other.doers) - other.others - own.doers)


@lru_cache(maxsize=4096)
def _deeds(words: tuple[str, ...], language: str) -> dict[str, _Deed]:
    """Of each telling word that stands there once."""
    stems = [next(iter(lexemes(word, language)), "") if word.isalpha() else "" for word in words]
    telling = [place for place, stem in enumerate(stems) if stem]
    found: dict[str, _Deed] = {}
    for index, place in enumerate(telling[1:-1], 1):
        if stems.count(stems[place]) == 1:
            before = frozenset(stems[p] for p in telling[max(0, index - _NEAR) : index])
            behind = frozenset(stems[p] for p in telling[index + 1 : index + 1 + _NEAR])
            link = tuple(w for w in words[place + 1 : telling[index + 1]] if w not in _ARTICLES)
            object_first = words[0] in _OBJECT_FIRST and words[place - 1] in _TAKEN_UP
            turned = object_first or not _BY.isdisjoint(link)
            doers, others = (behind, before) if turned else (before, behind)
            found[stems[place]] = _Deed(doers=doers, others=others, link=link, turned=turned)
    return found


def mixed_names(claim: str, core: str) -> Iterator[str]:
    """Two words of one name in the claim that belong to different names in the core."""
    theirs = _whole_names(core)
    for own in _whole_names(claim):
        for one, other in pairwise(own):
            homes = [whole for whole in theirs if one in whole or other in whole]
            apart = any(one in w for w in homes) and any(other in w for w in homes)
            if apart and not any(one in w and other in w for w in homes) and any(len(w) > 1 for w in homes):
                yield f"{one} {other}"


@lru_cache(maxsize=4096)
def _whole_names(text: str) -> tuple[tuple[str, ...], ...]:
    """Names whose words follow each other: «Ana García», «Juan de la Cruz»."""
    found: list[list[str]] = []
    end = 0
    for name in names(text):
        if found and _JOINING.issuperset(text[end : name.start].split()):
            found[-1].append(name.word)
        else:
            found.append([name.word])
        end = name.start + len(name.word)
    return tuple(tuple(words) for words in found)
