"""What sections, rows, paragraphs and documents are called among their siblings, and how much of that a question says."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal
from uuid import UUID

from veraz.answer.quoting.ranges import fits
from veraz.answer.quoting.units import Unit
from veraz.text.languages import words
from veraz.text.measures import Measure
from veraz.text.plain import plain_words
from veraz.text.shared_stems import Roots, kin, kin_among, roots_of
from veraz.text.words import lexemes

NAMED = 0.99
"""Share of a label's own words from which on a question names it."""
LEAD = re.compile(r"((?:[^\W\d_][^\s.:\d]*\s){0,4}[^\W\d_][^\s.:\d]*)[.:]\s")
"""What a paragraph is called by how it begins: «Masaje relajante. 50 minutos…»."""
NUMBERING = re.compile(r"^\W*(?:\d+(?:\.\d+)*[.)ªº]*\s+)")
_LABEL_WORDS = 6
_LETTER = re.compile(r"(?<=\w )[^\W\d_]\b")
_LETTER_WORDS = frozenset("aeiouyI")
"""Letters that are words: «a», «y», «I»."""
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
_LIKE = 0.5
"""Share of words two titles have in common when their documents are look-alikes."""


@dataclass(frozen=True, slots=True)
class Group:
    """Siblings."""

    kind: Literal["heading", "cell", "lead", "title"]
    document_id: UUID | None = None
    depth: int = 0
    path: tuple[str, ...] = ()
    table: int | None = None
    column: int = 0
    column_name: str = ""


Label = tuple[Group, str]
"""A group of siblings, and what one of them is called."""


class Spoken(frozenset[str]):
    """Many stems, with how they begin, so that a form of one is found without looking through all."""

    @cached_property
    def _roots(self) -> Roots:
        return roots_of(self)

    def says(self, word: str) -> bool:
        """Whether a stem, or a form of it, is among them."""
        return word in self or kin_among(word, self._roots)


def labels_of(unit: Unit) -> Iterator[Label]:
    """What a unit stands under, is made of and begins with: each may be what a question names."""
    for depth, name in enumerate(unit.path):
        if not name.endswith("?"):  # what asks is no name
            yield Group("heading", unit.document_id, depth, unit.path[:depth]), name
            yield Group("heading", unit.document_id, depth), name
    names = (*unit.columns, *[""] * len(unit.cells))
    for column, cell in enumerate(unit.cells if unit.kind == "table_row" else ()):
        if cell and len(cell.split()) <= _LABEL_WORDS:
            yield (
                Group(
                    "cell",
                    unit.document_id,
                    path=unit.path,
                    table=unit.table,
                    column=column,
                    column_name=names[column],
                ),
                cell,
            )
    if unit.kind == "paragraph" and (lead := LEAD.match(unit.text)):
        yield Group("lead", unit.document_id, path=unit.path), lead[1]
    for title in unit.titles[:1]:
        yield Group("title"), title


def shares_of(
    groups: Mapping[Group, Sequence[str]], language: str, spoken: Spoken, asked: Sequence[Measure]
) -> dict[Label, float]:
    """How much of what tells each label from its siblings stands in the question."""
    shares: dict[Label, float] = {}
    for group, names in groups.items():
        stems = {name: frozenset(stems_of(name, language)) for name in names}
        held = Counter(word for each in stems.values() for word in each)
        for name in names:
            shares[group, name] = _share(group, name, stems, held, spoken, asked)
        for name in names:  # «Ampliado» is not named where «Ampliado Plus» is
            if any(shares[group, other] >= NAMED and stems[name] < stems[other] for other in names):
                shares[group, name] = 0.0
    return shares


def _share(
    group: Group,
    name: str,
    stems: Mapping[str, frozenset[str]],
    held: Mapping[str, int],
    spoken: Spoken,
    asked: Sequence[Measure],
) -> float:
    if group.kind == "cell":
        inside = lies_inside(name, group.column_name, asked)
        if inside is not None:
            return float(inside)
        if group.column and any(map(str.isdigit, name)):
            return 0.0
    rivals = _rivals(name, stems) if group.kind == "title" else len(stems) - 1
    telling = {word for word in stems[name] if 2 * held[word] <= len(stems) or held[word] == 1}
    known = sum(spoken.says(word) for word in telling)
    return known / len(telling) if telling and rivals else 0.0


def lies_inside(cell: str, column: str, asked: Sequence[Measure]) -> bool | None:
    """Whether a figure of the question lies in a cell, whose unit may stand in its column's name: «Antigüedad (años)»."""
    found = (fits(f"{cell} {unit}", asked) for unit in ("", *_IN_BRACKETS.findall(column), column))
    return next((inside for inside in found if inside is not None), None)


def _rivals(name: str, stems: Mapping[str, frozenset[str]]) -> int:
    own = stems[name]
    return sum(
        len(own & other) >= _LIKE * max(len(own), len(other), 1)
        for rival, other in stems.items()
        if rival != name
    )


def is_said(word: str, spoken: Iterable[str]) -> bool:
    """Whether a stem, or a form of it, is among those few spoken."""
    return word in spoken or any(kin(word, other) for other in spoken)


@lru_cache(maxsize=8192)
def stems_of(text: str, language: str) -> tuple[str, ...]:
    """What a name is told apart by: stems, and the small words and letters that an index leaves out («muy grave», «Híbrido A»);
    not its number in the table of contents."""
    name = NUMBERING.sub("", text)
    small = (word for word in plain_words(name) if word in words("qualifiers"))
    letters = (letter for letter in _LETTER.findall(name) if letter not in _LETTER_WORDS)
    stems = (stem for stem in lexemes(name, language) if stem != "i")
    return (*stems, *small, *(f"{letter.upper()} " for letter in letters))
