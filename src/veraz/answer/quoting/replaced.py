"""A question that goes on with the one before: of siblings, what the last question names takes the place of what the earlier named.

«¿Cuánto cuesta el plan Básico? ¿y el Premium?» asks for the Premium alone: both are rows of one table, sections under one heading,
items of one list, days of the week.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from veraz.answer.follow_up import leans
from veraz.answer.question import ParsedQuestion
from veraz.answer.quoting.labels import LEAD, Group, Label, Spoken, is_said, labels_of, shares_of, stems_of
from veraz.answer.quoting.units import Unit
from veraz.text.languages import words
from veraz.text.measures import measures
from veraz.text.plain import plain_word
from veraz.text.sentences import sentences
from veraz.text.words import lexemes

_MEANT = 0.3
"""Share of a name's own words from which on a question means it."""
_WORD = re.compile(r"\w[\w-]*")


def without_replaced(parsed: ParsedQuestion, last: str, units: Sequence[Unit]) -> ParsedQuestion:
    """The question without what it names and a later part that goes on with it names anew."""
    earlier = parsed.text.removesuffix(last)
    if not earlier.strip() or earlier == parsed.text:
        return parsed
    said, gone = "", frozenset[str]()
    for part in (*sentences(earlier), last):
        if said and (part is last or leans(part, parsed.language)):
            replaced = _gone(said, part, units, parsed.language)
            said, gone = _without(replaced, said, parsed.language), gone | replaced
        said = f"{said} {part}".strip()
    if not gone:
        return parsed
    spoken = {plain_word(word) for word in _WORD.findall(said)}
    return replace(
        parsed,
        text=said,
        words=parsed.words - (gone - frozenset(lexemes(said, parsed.language))),
        names=tuple(name for name in parsed.names if name.word in spoken),
    )


def _without(gone: frozenset[str], text: str, language: str) -> str:
    kept = _WORD.sub(lambda word: "" if _is_gone(word[0], gone, language) else word[0], text)
    return " ".join(kept.split())


def _gone(earlier: str, last: str, units: Sequence[Unit], language: str) -> frozenset[str]:
    """The stems of what is replaced."""
    groups: dict[Group, list[str]] = defaultdict(list)
    for group, name in dict.fromkeys(label for unit in units for label in _labels(unit)):
        groups[group].append(name)
    before, now = (_shares(groups, text, language) for text in (earlier, last))
    gone = {stem for day in _weekdays(earlier) if _weekdays(last) for stem in (day, *lexemes(day, language))}
    for group, names in groups.items():
        meant = _meant({name: now[group, name] for name in names})
        old = _meant({name: before[group, name] for name in names}) - meant
        if meant:
            kept = {stem for name in meant for stem in stems_of(name, language)}
            gone |= {stem for name in old for stem in stems_of(name, language)} - kept
    return frozenset(gone)


def _meant(shares: Mapping[str, float]) -> frozenset[str]:
    """The siblings of which a text says most, if that is much or there is only one of them."""
    best = max(shares.values())
    found = frozenset(name for name, share in shares.items() if share == best)
    return found if best >= _MEANT or (best and len(found) == 1) else frozenset()


def _labels(unit: Unit) -> Iterator[Label]:
    yield from labels_of(unit)
    if unit.kind == "list_item" and (lead := LEAD.match(unit.text)):
        yield Group("lead", unit.document_id, path=unit.path), lead[1]


def _shares(groups: Mapping[Group, Sequence[str]], text: str, language: str) -> dict[Label, float]:
    return shares_of(groups, language, Spoken(stems_of(text, language)), measures(text))


def _weekdays(text: str) -> list[str]:
    return [plain_word(word) for word in _WORD.findall(text) if plain_word(word) in words("weekdays")]


def _is_gone(word: str, gone: frozenset[str], language: str) -> bool:
    stems = lexemes(word, language)
    return plain_word(word) in gone or (bool(stems) and all(is_said(stem, gone) for stem in stems))
