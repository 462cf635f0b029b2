"""Which of several look-alike sections, rows, documents or editions a question is about.

Siblings are headings under one heading, all headings of one depth in a document, paragraphs by the few words they begin with («Masaje relajante. 50 minutos…»),
rows of one table by their cells, and documents with like titles. What tells one from the others are the words only it has. A
question names a sibling as far as it holds those words. Two siblings are look-alikes when their names begin or end alike («Plan
Básico», «Plan Medio») or what stands under them means much the same; of look-alikes only what is named is read. A code
(«A200») is never answered from what has another.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from uuid import UUID

import numpy as np

from veraz.answer.question import ParsedQuestion
from veraz.answer.quoting.labels import (
    LEAD,
    NAMED,
    NUMBERING,
    Group,
    Label,
    Spoken,
    labels_of,
    lies_inside,
    shares_of,
    stems_of,
)
from veraz.answer.quoting.not_mentioned import only_others_speak
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import word_rarity
from veraz.text.editions import version_key
from veraz.text.measures import measures
from veraz.text.plain import plain_words
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

_TOKEN = re.compile(r"[\w.-]*\w")
_CODE = re.compile(r"\b[A-Za-z]{1,5}-?\d{1,5}[A-Za-z]?\b")
_HINTED = 0.3
"""Share of a label's own words from which on a question may mean it, where the sections are look-alikes and the question says more of no other: «el compacto» of «Categoría B · Compacto»."""
_ALIKE = 0.5
"""Mean cosine from which on what stands in sections is much the same."""
_APART = 3
"""How many words farther a name may stand after the word for what it names: «sucursal de la Condesa»."""
_RARE = 0.5
"""How rare the last word of a question is that may be a name."""
_FUNCTION = frozenset().union(*STOP_WORDS.values())


def current(units: Sequence[Unit], question: str) -> list[Unit]:
    """Without the units of older editions, unless the question says which edition it means."""
    newest: dict[str, tuple[int, ...]] = {}
    keys = {unit.document_name: version_key(unit.document_name) for unit in units}
    said = set(plain_words(question))
    named = {
        name for name, (_, order) in keys.items() if any(str(part) in said for part in order if part > 99)
    }
    for stem, order in keys.values():
        newest[stem] = max(newest.get(stem, ()), order)
    stems = {keys[name][0] for name in named}
    return [
        unit
        for unit in units
        if unit.document_name in named
        or (
            keys[unit.document_name][0] not in stems
            and keys[unit.document_name][1] == newest[keys[unit.document_name][0]]
        )
    ]


class Naming:
    """What a question names among the sections, rows and documents of the units."""

    def __init__(self, parsed: ParsedQuestion, units: Sequence[Unit], vectors: Mapping[str, Vectors]) -> None:
        self._parsed, self._units, self._vectors = parsed, units, vectors
        self._labels = {id(unit): tuple(labels_of(unit)) for unit in units}
        self._under: dict[Label, list[Unit]] = defaultdict(list)
        for unit in units:
            for label in self._labels[id(unit)]:
                self._under[label].append(unit)
        self._names: dict[Group, list[str]] = defaultdict(list)
        for group, name in self._under:
            self._names[group].append(name)
        self._means: dict[Label, Vectors] = {}
        self._asked = measures(parsed.text)
        self._spoken = Spoken(parsed.words | frozenset(stems_of(parsed.text, parsed.language)))
        self._nowhere: dict[str, bool] = {}
        self._shares = shares_of(self._names, parsed.language, self._spoken, self._asked)
        self._best = {
            group: max(self._shares[group, name] for name in names) for group, names in self._names.items()
        } | dict.fromkeys(self._missed(), 1.0)

    def of(self, unit: Unit) -> tuple[float, float]:
        """How far the question, by its words and figures, names a unit's own section, row or document, and how much farther a
        sibling."""
        labels = self._labels[id(unit)]
        return (
            max((self._shares[label] for label in labels), default=0.0),
            max((self._best[label[0]] - self._shares[label] for label in labels), default=0.0),
        )

    def own(self) -> list[Unit]:
        """Without the units of look-alikes of what the question names: of «Plan Medio» where it says «Plan Básico», of the row
        «A100» where it says «A200»; without all of them where it names one that is not there."""
        return list(self._own)

    @cached_property
    def _own(self) -> tuple[Unit, ...]:
        foreign = {(group, name) for group in self._names for name in self._foreign(group)}
        return tuple(unit for unit in self._units if foreign.isdisjoint(self._labels[id(unit)]))

    @cached_property
    def names_another(self) -> bool:
        """Whether the question names a sibling that is not there, or asks of one what only its look-alikes speak of."""
        return self._is_silent() or any(
            self._named_elsewhere(group)
            or any(not self._stands_anywhere(code) for code in self._codes(group))
            for group in self._names
        )

    def _is_silent(self) -> bool:
        own = {id(unit) for unit in self._own}
        others = [unit for unit in self._units if id(unit) not in own]
        named = (name for (_, name), share in self._shares.items() if share >= _HINTED)
        stems = frozenset(stem for name in named for stem in stems_of(name, self._parsed.language))
        return only_others_speak(self._parsed, stems, self._own, others, self._vectors)

    def sides(self) -> list[list[list[Unit]]]:
        """Comparisons the question may make: for each group of siblings of which it names several, the units under each of those."""
        found: dict[tuple[UUID | None, tuple[str, ...]], list[list[Unit]]] = {}
        for group, names in self._names.items():
            named = tuple(name for name in names if self._shares[group, name] >= NAMED)
            if len(named) > 1:
                found.setdefault((group.document_id, named), [self._under[group, name] for name in named])
        return list(found.values())

    def _foreign(self, group: Group) -> frozenset[str]:
        """The siblings a question is not about, because it names a look-alike of theirs."""
        names = self._names[group]
        named = frozenset(name for name in names if self._shares[group, name] >= NAMED)
        if group.kind == "title":
            return frozenset(names) - named if named and self._share_a_word(group) else frozenset()
        if codes := self._codes(group):
            return frozenset(name for name in names if not self._holds(group, name, codes))
        other = self._named_elsewhere(group) if not named else frozenset()
        alike = frozenset(
            name for name in names if any(_same_head(name, own, self._parsed.language) for own in named)
        )
        if group.kind == "cell":
            return (alike - named) | other
        hinted = named or self._hinted(group)
        if hinted and not self._said_elsewhere(group, hinted):
            alike |= {name for name in names if any(self._like(group, name, own) for own in hinted)}
        return (alike - hinted) | other

    def _hinted(self, group: Group) -> frozenset[str]:
        """The siblings of which the question says most, if it says enough."""
        best = self._best[group]
        names = (name for name in self._names[group] if self._shares[group, name] == best)
        return frozenset(names) if best >= _HINTED else frozenset()

    def _codes(self, group: Group) -> list[str]:
        """The codes that a question names, where siblings are told apart by such codes."""
        coded = [name for name in self._names[group] if _CODE.search(name)]
        return self._said_codes if len(coded) > 1 and 2 * len(coded) >= len(self._names[group]) else []

    @cached_property
    def _said_codes(self) -> list[str]:
        """The codes of the question, each once."""
        tokens = dict.fromkeys(match[0] for match in _TOKEN.finditer(self._parsed.text))
        return [token for token in tokens if _CODE.fullmatch(token)]

    @cached_property
    def _following(self) -> list[tuple[str, str, bool]]:
        """The question's words after those before them, each pair once."""
        return list(dict.fromkeys(_after_words(self._parsed.text, self._parsed.language)))

    def _holds(self, group: Group, name: str, codes: Sequence[str]) -> bool:
        return any(_stands_in(code, [name]) or self._stands_under(group, name, code) for code in codes)

    def _stands_under(self, group: Group, name: str, word: str) -> bool:
        return _stands_in(word, [unit.text for unit in self._under[group, name]])

    def _named_elsewhere(self, group: Group) -> frozenset[str]:
        """The siblings with the word after which the question names another one that is nowhere: «el plan Oro»; rows by the name
        of their first column too."""
        language = self._parsed.language
        heads = {name: frozenset(_heads(name, language)) for name in self._names[group]}
        counts = Counter(head for each in heads.values() for head in each)
        column = frozenset(lexemes(group.column_name, language)) if group.column == 0 else frozenset()
        strange = {
            before
            for before, word, last in self._following
            if (
                (counts[before] > 1 and (_is_name(word) or (last and word_rarity(word) >= _RARE)))
                or (before in column and len(heads) > 1 and _is_name(word))
            )
            and self._is_nowhere(word)
        }
        return frozenset(
            name for name, each in heads.items() if not strange.isdisjoint(each) or strange & column
        )

    def _is_nowhere(self, word: str) -> bool:
        """Whether no unit has the word, a form of it or one of like meaning."""
        known = self._nowhere.get(word)
        if known is None:
            stems = frozenset(stems_of(word, self._parsed.language))
            known = bool(stems) and not self._stands_anywhere(word)
            known = known and not any(map(self._there.says, stems))
            self._nowhere[word] = known
        return known

    @cached_property
    def _there(self) -> Spoken:
        """The stems of all units."""
        language = self._parsed.language
        return Spoken(stem for unit in self._units for stem in stems_of(unit.meaning, language))

    def _stands_anywhere(self, word: str) -> bool:
        return _bare(word) in self._all_bare

    @cached_property
    def _all_bare(self) -> str:
        """Everything the units say, without blanks and signs within each."""
        return " ".join(_bare(unit.meaning) for unit in self._units)

    def _share_a_word(self, group: Group) -> bool:
        names = self._names[group]
        held = Counter(word for name in names for word in set(stems_of(name, self._parsed.language)))
        return len(names) > 1 and max(held.values(), default=0) * 2 > len(names)

    def _said_elsewhere(self, group: Group, named: frozenset[str]) -> bool:
        """Whether siblings speak of what the question has of some names: then it tells nothing apart."""
        language = self._parsed.language
        held = Counter(word for name in self._names[group] for word in set(stems_of(name, language)))
        hints = {
            word
            for name in named
            for word in stems_of(name, language)
            if 2 * held[word] <= len(self._names[group]) and self._spoken.says(word)
        }
        return any(
            not hints.isdisjoint(stems_of(" ".join((*unit.titles, unit.text)), language))
            for name in self._names[group]
            if name not in named
            for unit in self._under[group, name]
        )

    def _like(self, group: Group, one: str, other: str) -> bool:
        """Whether what stands under two siblings means much the same."""
        return float(self._mean(group, one) @ self._mean(group, other)) >= _ALIKE

    def _mean(self, group: Group, name: str) -> Vectors:
        known = self._means.get((group, name))
        if known is None:
            mean = np.mean([self._vectors[unit.meaning] for unit in self._under[group, name]], axis=0)
            known = self._means[group, name] = mean / (np.linalg.norm(mean) + 1e-9)
        return known

    def _missed(self) -> list[Group]:
        """Columns of ranges in none of which the question's figure lies: «a 540 días» where there are 60, 90 and 180."""
        found = {
            group: [lies_inside(name, group.column_name, self._asked) for name in names]
            for group, names in self._names.items()
            if group.kind == "cell" and len(names) > 1
        }
        return [group for group, inside in found.items() if set(inside) == {False}]


def are_siblings(one: Unit, other: Unit) -> bool:
    """Whether two units stand in neighbouring sections, or are such sections themselves by how they begin."""
    if one.document_id != other.document_id:
        return False
    if one.path == other.path:
        return bool(one.kind == other.kind == "paragraph" and LEAD.match(one.text) and LEAD.match(other.text))
    return one.path[:-1] == other.path[:-1]


def _heads(name: str, language: str) -> tuple[str, ...]:
    """The words that say what kind of thing a name is of: the first, or in other languages the last."""
    stems = lexemes(NUMBERING.sub("", name), language)
    return (stems[0], stems[-1]) if len(stems) > 1 else ()


def _same_head(one: str, other: str, language: str) -> bool:
    first, second = _heads(one, language), _heads(other, language)
    return bool(first and second) and (first[0] == second[0] or first[1] == second[1])


def _after_words(text: str, language: str) -> Iterator[tuple[str, str, bool]]:
    """Each word, with the stem of the last word before it that means something by itself, and whether it is the last; words that
    are too far apart to be one name are left out."""
    tokens = [match[0] for match in _TOKEN.finditer(text)]
    before, at = "", 0
    for place, token in enumerate(tokens, start=1):
        if place - at <= _APART:
            yield before, token, place == len(tokens)
        if " ".join(plain_words(token)) not in _FUNCTION:
            before, at = next(iter(lexemes(token, language)), ""), place


def _is_name(token: str) -> bool:
    return token[:1].isupper() or any(map(str.isdigit, token))


def _stands_in(word: str, texts: Sequence[str]) -> bool:
    bare = _bare(word)
    return any(bare in _bare(text) for text in texts)


@lru_cache(maxsize=16_384)
def _bare(text: str) -> str:
    """Its words without what stands between them."""
    return "".join(plain_words(text))
