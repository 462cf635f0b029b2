"""Which of several look-alike sections, rows, documents or editions a question is about.

Siblings are headings under one heading, paragraphs under it by the few words they begin with («Masaje relajante. 50 minutos…»),
rows of one table by their cells, and documents with like titles. What tells
one from the others are the words only it has. A question names a sibling as far as it holds those words.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from veraz.answer.question import ParsedQuestion
from veraz.answer.quoting.ranges import fits
from veraz.answer.quoting.units import Unit
from veraz.text.editions import version_key
from veraz.text.measures import Measure, measures
from veraz.text.plain import plain_words
from veraz.text.shared_stems import kin
from veraz.text.words import lexemes

Label = tuple[Hashable, str]
"""A group of siblings, and what one of them is called."""
_LABEL_WORDS, _IN_TABLE = 6, 5
_LEAD = re.compile(r"((?:[^\W\d_][^\s.:\d]*\s){0,4}[^\W\d_][^\s.:\d]*)[.:]\s")
_NUMBERING = re.compile(r"^\W*(?:\d+(?:\.\d+)*[.)ªº]*\s+)")
_LETTER = re.compile(r"\b[A-Z]\b")
_QUALIFIERS = frozenset(
    [
        "muy",
        "mas",
        "menos",
        "sin",
        "no",
        "solo",
        "very",
        "more",
        "less",
        "without",
        "not",
        "only",
        "muito",
        "mais",
        "sem",
        "nao",
        "so",
    ]
)
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
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


def naming(parsed: ParsedQuestion, units: Sequence[Unit]) -> list[tuple[float, float]]:
    """For each unit how far the question, by its words and figures, names its own section, row or document, and how much
    farther a sibling."""
    labels = [list(_labels(unit)) for unit in units]
    shares = _shares([label for each in labels for label in each], parsed)
    best: dict[Hashable, float] = defaultdict(float)
    for (group, _), share in shares.items():
        best[group] = max(best[group], share)
    best |= dict.fromkeys(_missed(shares, measures(parsed.text)), 1.0)
    return [
        (
            max((shares[label] for label in each), default=0.0),
            max((best[label[0]] - shares[label] for label in each), default=0.0),
        )
        for each in labels
    ]


def _missed(shares: Mapping[Label, float], asked: Sequence[Measure]) -> list[Hashable]:
    """Columns of ranges in none of which the question's figure lies: «a 540 días» where there are 60, 90 and 180."""
    inside: dict[Hashable, list[bool | None]] = defaultdict(list)
    for group, name in shares:
        if isinstance(group, tuple) and len(group) == _IN_TABLE:
            inside[group].append(_inside(name, str(group[-1]), asked))
    return [group for group, found in inside.items() if len(found) > 1 and set(found) == {False}]


def own_sections(parsed: ParsedQuestion, units: Sequence[Unit]) -> list[Unit]:
    """Without the units of look-alikes of what the question names: of «Plan Medio» where it says «Plan Básico»."""
    labels = [list(_labels(unit)) for unit in units]
    shares = _shares([label for each in labels for label in each], parsed)
    names: dict[Hashable, list[str]] = defaultdict(list)
    for group, name in shares:
        names[group].append(name)
    named = {
        group
        for group, siblings in names.items()
        if any(shares[group, name] >= _NAMED for name in siblings) and _alike(siblings, parsed.language)
    }
    return [
        unit
        for unit, each in zip(units, labels, strict=True)
        if all(group not in named or shares[group, name] >= _NAMED for group, name in each)
    ]


def _alike(names: Sequence[str], language: str) -> bool:
    """Whether most of several names share a word."""
    held = Counter(word for name in names for word in set(_stems(name, language)))
    return len(names) > 1 and max(held.values(), default=0) * 2 > len(names)


def sides(parsed: ParsedQuestion, units: Sequence[Unit]) -> list[list[list[Unit]]]:
    """Comparisons the question may make: for each group of siblings of which it names several, the units under each of those."""
    under: dict[Label, list[Unit]] = defaultdict(list)
    for unit in units:
        for label in _labels(unit):
            under[label].append(unit)
    groups: dict[Hashable, list[Label]] = defaultdict(list)
    for label, share in _shares(under, parsed).items():
        if share >= _NAMED:
            groups[label[0]].append(label)
    return [[under[label] for label in labels] for labels in groups.values() if len(labels) > 1]


def are_siblings(one: Unit, other: Unit) -> bool:
    """Whether two units stand in neighbouring sections, or are such sections themselves by how they begin."""
    if one.document_id != other.document_id:
        return False
    if one.path == other.path:
        return bool(
            one.kind == other.kind == "paragraph" and _LEAD.match(one.text) and _LEAD.match(other.text)
        )
    return one.path[:-1] == other.path[:-1]


def _labels(unit: Unit) -> Iterator[Label]:
    for depth, name in enumerate(unit.path):
        yield (unit.document_id, unit.path[:depth]), name
    names = (*unit.columns, *[""] * len(unit.cells))
    for column, cell in enumerate(unit.cells if unit.kind == "table_row" else ()):
        if cell and len(cell.split()) <= _LABEL_WORDS:
            yield (unit.document_id, unit.path, unit.table, column, names[column]), cell
    if unit.kind == "paragraph" and (lead := _LEAD.match(unit.text)):
        yield (unit.document_id, unit.path, "leads"), lead[1]
    for title in unit.titles[:1]:
        yield "documents", title


def _shares(labels: Iterable[Label], parsed: ParsedQuestion) -> dict[Label, float]:
    """How much of what tells each label from its siblings stands in the question."""
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for group, name in dict.fromkeys(labels):
        groups[group].append(name)
    asked = measures(parsed.text)
    spoken = parsed.words | frozenset(_stems(parsed.text, parsed.language))
    shares: dict[Label, float] = {}
    for group, names in groups.items():
        words = {name: frozenset(_stems(name, parsed.language)) for name in names}
        held = Counter(word for each in words.values() for word in each)
        for name in names:
            shares[group, name] = _share(group, name, words, held, spoken, asked)
        for name in names:  # «Ampliado» is not named where «Ampliado Plus» is
            if any(shares[group, other] >= _NAMED and words[name] < words[other] for other in names):
                shares[group, name] = 0.0
    return shares


def _share(
    group: Hashable,
    name: str,
    words: Mapping[str, frozenset[str]],
    held: Mapping[str, int],
    spoken: frozenset[str],
    asked: Sequence[Measure],
) -> float:
    if isinstance(group, tuple) and len(group) == _IN_TABLE:
        inside = _inside(name, str(group[-1]), asked)
        if inside is not None:
            return float(inside)
        if group[-2] and any(map(str.isdigit, name)):
            return 0.0
    rivals = _rivals(name, words) if group == "documents" else len(words) - 1
    telling = {word for word in words[name] if 2 * held[word] <= len(words) or held[word] == 1}
    known = sum(_asked(word, spoken) for word in telling)
    return known / len(telling) if telling and rivals else 0.0


def _inside(cell: str, column: str, asked: Sequence[Measure]) -> bool | None:
    """Whether a figure of the question lies in a cell, whose unit may stand in its column's name: «Antigüedad (años)»."""
    found = (fits(f"{cell} {unit}", asked) for unit in ("", *_IN_BRACKETS.findall(column), column))
    return next((inside for inside in found if inside is not None), None)


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
    """What a name is told apart by: stems, and the small words and letters that an index leaves out («muy grave», «Híbrido A»);
    not its number in the table of contents."""
    name = _NUMBERING.sub("", text)
    small = (word for word in plain_words(name) if word in _QUALIFIERS)
    return (*lexemes(name, language), *small, *(f"{letter} " for letter in _LETTER.findall(name)))
