"""Which of several look-alike sections, rows, documents or editions a question is about.

Siblings are headings under one heading, rows of one table by their first cells, and documents with like titles. What tells
one from the others are the words only it has. A question names a sibling as far as it holds those words.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache

from veraz.answer.quoting.units import Unit
from veraz.text.editions import version_key
from veraz.text.plain import plain_words
from veraz.text.shared_stems import kin
from veraz.text.words import lexemes

Label = tuple[Hashable, str]
"""A group of siblings, and what one of them is called."""
_LABEL_WORDS = 6
_NAMED = 0.99
"""Share of a label's own words from which on a question names it."""
_LIKE = 0.5
"""Share of words two titles have in common when their documents are look-alikes."""


def current(units: Sequence[Unit], question: str) -> list[Unit]:
    """Without the units of older editions, unless the question says which edition it means."""
    newest: dict[str, tuple[int, ...]] = {}
    keys = {unit.document_name: version_key(unit.document_name) for unit in units}
    words = set(plain_words(question))
    named = {
        name for name, (_, order) in keys.items() if any(str(part) in words for part in order if part > 99)
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


def naming(units: Sequence[Unit], asked: frozenset[str], language: str) -> list[tuple[float, float]]:
    """For each unit how far the question, by its words, names its own section, row or document, and how much farther a sibling."""
    labels = [list(_labels(unit)) for unit in units]
    shares = _shares({label for each in labels for label in each}, asked, language)
    best: dict[Hashable, float] = defaultdict(float)
    for (group, _), share in shares.items():
        best[group] = max(best[group], share)
    return [
        (
            max((shares[label] for label in each), default=0.0),
            max((best[label[0]] - shares[label] for label in each), default=0.0),
        )
        for each in labels
    ]


def sides(units: Sequence[Unit], asked: frozenset[str], language: str) -> list[list[list[Unit]]]:
    """Comparisons the question may make: for each group of siblings of which it names several, the units under each of those."""
    under: dict[Label, list[Unit]] = defaultdict(list)
    for unit in units:
        for label in _labels(unit):
            under[label].append(unit)
    shares = _shares(set(under), asked, language)
    groups: dict[Hashable, list[Label]] = defaultdict(list)
    for label, share in shares.items():
        if share >= _NAMED:
            groups[label[0]].append(label)
    return [[under[label] for label in labels] for labels in groups.values() if len(labels) > 1]


def _labels(unit: Unit) -> Iterator[Label]:
    for depth, name in enumerate(unit.path):
        yield (unit.document_id, unit.path[:depth]), name
    for column, cell in enumerate(unit.cells if unit.kind == "table_row" else ()):
        if cell and len(cell.split()) <= _LABEL_WORDS and (not column or not any(map(str.isdigit, cell))):
            yield (unit.document_id, unit.path, unit.table, column), cell
    for title in unit.titles[:1]:
        yield "documents", title


def _shares(labels: set[Label], asked: frozenset[str], language: str) -> dict[Label, float]:
    """How much of what tells each label from its siblings stands in the question."""
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for group, name in labels:
        groups[group].append(name)
    shares: dict[Label, float] = {}
    for group, names in groups.items():
        words = {name: frozenset(_stems(name, language)) for name in names}
        held = Counter(word for each in words.values() for word in each)
        for name in names:
            rivals = _rivals(name, words) if group == "documents" else len(names) - 1
            telling = {word for word in words[name] if 2 * held[word] <= len(names) or held[word] == 1}
            known = sum(_asked(word, asked) for word in telling)
            shares[group, name] = known / len(telling) if telling and rivals else 0.0
    return shares


def _rivals(name: str, words: Mapping[str, frozenset[str]]) -> int:
    own = words[name]
    return sum(
        len(own & other) >= _LIKE * max(len(own), len(other), 1)
        for rival, other in words.items()
        if rival != name
    )


def _asked(word: str, asked: frozenset[str]) -> bool:
    return word in asked or any(kin(word, other) for other in asked)


@lru_cache(maxsize=8192)
def _stems(text: str, language: str) -> tuple[str, ...]:
    return tuple(lexemes(text, language))
