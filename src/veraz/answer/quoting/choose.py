"""One to three quotations out of the units that speak to a question: the row, the whole list, both sides of a comparison.

A list that is asked for as a whole is quoted as a whole, under what introduces it. Siblings that the question names alike each
give their best. A document that is to be summed up gives its skeleton: the opening of each section.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from veraz.answer.quoting.kinds import wants_summary
from veraz.answer.quoting.rank import Asked, Rated
from veraz.answer.quoting.sections import are_siblings
from veraz.answer.quoting.series import Alike, alike
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors
from veraz.text.languages import phrases_of, words
from veraz.text.plain import plain, plain_words

MOST = 3
"""Quotations in an answer, each a unit or a list."""
_NEAR = 0.8
"""A further unit is quoted when it answers nearly as well as the best …"""
_SPEAKS, _NEW = 0.6, 0.2
"""… or well enough, and holds this share of the question's words that nothing quoted before holds."""
_SIDE = 0.6
"""Each side of a comparison must answer nearly as well as the best."""
_FOREIGN = 0.5
"""How much farther a sibling must be named for a unit never to be quoted beside another."""
_ALIKE = 0.5
"""Mean cosine from which on neighbouring sections are look-alikes."""
_LONGEST_LIST = 14
_SKELETON = 10
_MARKS = " ¿?¡!,;."


@dataclass(frozen=True, slots=True)
class Quotation:
    """Units quoted together: one, the items of a list under their introduction, or rows of a table."""

    units: tuple[Unit, ...]
    rated: Rated
    more: int = 0
    """How many more of their like there are."""
    over_all: bool = False
    """Whether they were picked among all of their like: then it matters that none is missing."""


def choose(asked: Asked, rated: Sequence[Rated], vectors: Mapping[str, Vectors]) -> list[Quotation]:
    """What to quote, best first; nothing where nothing was rated."""
    if not rated:
        return []
    if wants_summary(asked.parsed.text):
        return _skeleton(rated)
    sides = compared(asked, rated)
    if not sides and (found := alike(asked, rated)):
        return _side_by_side(found)
    lists = _Lists(rated)
    picked = sides or _best(asked, rated, vectors)
    chosen: list[Quotation] = []
    said: set[str] = set()
    for each in picked:
        units = lists.around(each, asked)
        if said.isdisjoint(plain(unit.text) for unit in units):
            chosen.append(Quotation(units, each))
            said |= {plain(unit.text) for unit in units}
    return chosen


def _side_by_side(found: Alike) -> list[Quotation]:
    """Rows and items under their place; of sections each under its own."""
    first, units = found.members[0].unit, tuple(each.unit for each in found.members)
    if first.cells or first.kind == "list_item":
        return [Quotation(units, found.best, found.more, over_all=True)]
    last = len(units) - 1
    return [
        Quotation((unit,), found.best, found.more if place == last else 0) for place, unit in enumerate(units)
    ]


def _best(asked: Asked, rated: Sequence[Rated], vectors: Mapping[str, Vectors]) -> list[Rated]:
    picked: list[Rated] = []
    covered: set[str] = set()
    alone = _among_look_alikes(rated, vectors)
    counts = dict(zip(asked.spoken, asked.weights, strict=True))
    whole = float(asked.weights.sum()) or 1.0
    for each in rated:
        share = each.score / rated[0].score if rated[0].score > 0 else 1.0
        new = sum(counts[word] for word in each.covered - covered) / whole
        if picked and (
            _beside(each, picked[0], alone=alone)
            or not (share >= _NEAR or (share >= _SPEAKS and new >= _NEW))
        ):
            continue
        picked.append(each)
        covered |= each.covered
        if len(picked) == MOST:
            break
    return picked


def _among_look_alikes(rated: Sequence[Rated], vectors: Mapping[str, Vectors]) -> bool:
    """Whether the sections around the best unit are much like its own: plans, branches, models."""
    own = vectors[rated[0].unit.meaning]
    near = [
        float(vectors[each.unit.meaning] @ own) for each in rated if are_siblings(each.unit, rated[0].unit)
    ]
    return len(near) > 1 and sum(near) / len(near) >= _ALIKE


def _beside(each: Rated, best: Rated, *, alone: bool) -> bool:
    """Whether a unit stands in a neighbour of the section that is quoted already: its facts answer something else."""
    if each.other >= _FOREIGN:
        return True
    return are_siblings(each.unit, best.unit) and (alone or best.named >= _FOREIGN > each.named)


def compared(asked: Asked, rated: Sequence[Rated]) -> list[Rated]:
    """The best unit of each sibling that the question names, where it names several."""
    by_unit = {id(each.unit): each for each in rated}
    found = [
        [
            max(known, key=lambda each: each.score)
            for units in group
            if (known := [by_unit[id(unit)] for unit in units if id(unit) in by_unit])
        ]
        for group in asked.naming.sides()
    ]
    usable = [group for group in found if len(group) <= MOST and len({id(each.unit) for each in group}) > 1]
    best = max(usable, key=lambda group: min(each.score for each in group), default=[])
    return best if best and min(each.score for each in best) >= _SIDE * rated[0].score else []


class _Lists:
    """The lists among the units."""

    def __init__(self, rated: Sequence[Rated]) -> None:
        self._lists: dict[tuple[object, ...], list[Unit]] = {}
        for unit in sorted((each.unit for each in rated), key=lambda unit: unit.at):
            if unit.kind == "list_item":
                self._lists.setdefault((unit.document_id, unit.path, unit.introduction), []).append(unit)

    def around(self, rated: Rated, asked: Asked) -> tuple[Unit, ...]:
        """The unit, or the list that it introduces or belongs to when that is what was asked for."""
        unit = rated.unit
        if unit.text.endswith(":"):
            return tuple(self._meant(self._introduced(unit), asked)[:_LONGEST_LIST]) or (unit,)
        items = self._lists.get((unit.document_id, unit.path, unit.introduction), [])
        if unit.kind != "list_item" or not 1 < len(items) <= _LONGEST_LIST:
            return (unit,)
        ways = any(kind.name == "way" for kind in asked.kinds)
        return tuple(self._meant(items, asked)) if ways or rated.own < rated.near / 2 else (unit,)

    def _meant(self, items: list[Unit], asked: Asked) -> list[Unit]:
        """The list, or the one beside it that says of its items what this one denies: «Incluye:» and «No incluye:»."""
        if not items or _denies(_governing(items[0])) == _denies(asked.parsed.text):
            return items
        beside = (
            others
            for others in self._lists.values()
            if others[0].document_id == items[0].document_id
            and others[0].path[:-1] == items[0].path[:-1]
            and _undenied(_governing(others[0])) == _undenied(_governing(items[0]))
            and _denies(_governing(others[0])) != _denies(_governing(items[0]))
        )
        return next(beside, items)

    def _introduced(self, unit: Unit) -> list[Unit]:
        following = (
            items
            for (document, path, said), items in self._lists.items()
            if document == unit.document_id
            and path == unit.path
            and items[0].at > unit.at
            and (not said or unit.text.endswith(str(said)))
        )
        return min(following, key=lambda items: items[0].at, default=[])


def _governing(unit: Unit) -> str:
    """What a list item stands under: its introduction, or the heading of a list without one."""
    return unit.introduction or " ".join(unit.path[-1:])


def _denies(text: str) -> bool:
    return not words("negation").isdisjoint(plain_words(text))


def _undenied(text: str) -> list[str]:
    return [word for word in plain_words(text) if word not in words("negation")]


def _skeleton(rated: Sequence[Rated]) -> list[Quotation]:
    """The opening of each section of the document that is asked about, in its order."""
    top = rated[:12]
    document = max(
        dict.fromkeys(each.unit.document_id for each in top),
        key=lambda one: sum(each.score for each in top if each.unit.document_id == one),
    )
    own = sorted((each for each in rated if each.unit.document_id == document), key=lambda each: each.unit.at)
    named = _named_section(own)
    first: dict[object, Rated] = {}
    for each in named or own:
        first.setdefault(each.unit.at if named else each.unit.path, each)
    return [Quotation((each.unit,), each) for each in list(first.values())[:_SKELETON]]


def _named_section(rated: Sequence[Rated]) -> list[Rated]:
    """What stands under the section that the question names, where it names one."""
    best = max(rated, key=lambda each: (each.named, -each.unit.at))
    if best.named < _FOREIGN or not best.unit.path:
        return []
    depth = next((depth for depth in range(1, len(best.unit.path) + 1) if _under(rated, best, depth)), 0)
    return _under(rated, best, depth) if depth else []


def _under(rated: Sequence[Rated], best: Rated, depth: int) -> list[Rated]:
    """The units under the best one's path up to a depth, if the question names them all and not everything."""
    path = best.unit.path[:depth]
    inside = [each for each in rated if each.unit.path[:depth] == path]
    return inside if len(inside) < len(rated) and all(each.named >= _FOREIGN for each in inside) else []


def parts(question: str) -> list[str]:
    """The questions in a question, each of at least three words; one when it cannot be cut."""
    simple = plain(question)
    if len(simple) != len(question):
        return [question]
    cuts = [0, *(match.end() for match in _joint().finditer(simple)), len(question)]
    pieces = [question[start:end].strip() for start, end in pairwise(cuts)]
    return [piece for piece in pieces if len(piece.split()) >= 3] or [question]


def asks_by_itself(part: str) -> bool:
    """Whether a part of a question begins as a question does; «venga, gracias» does not."""
    return bool(_asking().match(plain(part)))


def unjoined(part: str) -> str:
    """A part of a question without its marks and what joins it to the next."""
    bare = part.strip(_MARKS)
    simple, joints = plain(bare), tuple(f" {word}" for word in phrases_of("joined_questions", "and"))
    joint = next((joint for joint in joints if simple.endswith(joint)), "")
    return bare[: len(bare) - len(joint)].strip(_MARKS)


@cache
def _asking() -> "re.Pattern[str]":
    """How a question begins: «a qué hora», «tienen»."""
    before, asks = ("|".join(phrases_of("joined_questions", key)) for key in ("before", "asks"))
    return re.compile(rf"\W*(?:(?:(?:{before})\s)?(?:{asks})|{'|'.join(sorted(words('having')))})\b")


@cache
def _joint() -> "re.Pattern[str]":
    """Where one question ends and the next begins: «… y a qué hora», «…? ¿Y cuánto», «… y tienen sauna»."""
    and_ = "|".join(phrases_of("joined_questions", "and"))
    return re.compile(rf"(?<=\?)\s+|\s(?:{and_})\s+(?={_asking().pattern})")
