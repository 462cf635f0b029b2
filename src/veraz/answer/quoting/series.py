"""Questions over alike things: the rows of a table, the items of a list, the sections with like names.

«¿Cuál es el plan más barato?» is answered by those at the end of a measure, «¿qué planes incluyen WiFi?» by the rows whose cell
says yes, «¿qué planes tienen?» by all of them. A question that names one of them is not such a question.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veraz.answer.quoting.kinds import every_asking_word, holds
from veraz.answer.quoting.labels import LEAD, Group, Spoken, is_said, shares_of, stems_of
from veraz.answer.quoting.rank import Asked, Rated
from veraz.answer.quoting.superlatives import (
    Superlative,
    comparable,
    is_money,
    only_figure,
    only_price,
    superlative,
)
from veraz.answer.quoting.units import Unit
from veraz.text.languages import CODES, phrases_of, words
from veraz.text.measures import Measure, measures
from veraz.text.plain import plain, plain_words
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

_NEAR = 0.8
"""The best of a series must answer nearly as well as the best of all."""
_SHOWN = 10
"""Of a series; the rest is counted."""
_CAPTION = 8
"""Words of the longest title of a table."""
_FUNCTION = frozenset().union(*(STOP_WORDS[code] for code in CODES))


@dataclass(frozen=True, slots=True)
class Alike:
    """Those of a series that answer, in the document's order, and how many more there are."""

    members: tuple[Rated, ...]
    best: Rated
    """The likeliest of the whole series: they answer as one."""
    more: int = 0


@dataclass(frozen=True, slots=True)
class _Series:
    members: tuple[Rated, ...]
    names: tuple[str, ...]
    """What each is called."""
    nouns: frozenset[str]
    """Stems of what they all are: «plan»."""

    @property
    def columns(self) -> tuple[str, ...]:
        return self.members[0].unit.columns if self.members[0].unit.cells else ()

    def column(self, place: int) -> list[str]:
        """The cells of a column, one for each row."""
        rows = (each.unit.cells for each in self.members)
        return [cells[place] if place < len(cells) else "" for cells in rows]

    def only(self, kept: Sequence[bool]) -> "_Series":
        picked = [place for place, keep in enumerate(kept) if keep]
        return _Series(
            tuple(self.members[place] for place in picked),
            tuple(self.names[place] for place in picked),
            self.nouns,
        )


def alike(asked: Asked, rated: Sequence[Rated]) -> Alike | None:
    """What answers a question over a series; None where it is no such question."""
    best = next((each for each in rated if not _is_caption(each.unit)), rated[0])
    for series in _series(rated, best, asked.parsed.language):
        meant = _meant(series, asked)
        answer = meant and _answer(meant, asked, best)
        if answer:
            likeliest = max(series.members, key=lambda each: each.score)
            return Alike(answer.members[:_SHOWN], likeliest, len(answer.members[_SHOWN:]))
    return None


def _is_caption(unit: Unit) -> bool:
    """Whether a paragraph only says what stands below it: «Planes del gimnasio»."""
    return unit.kind == "paragraph" and len(unit.text.split()) <= _CAPTION and unit.text[-1] not in ".!?…"


def _answer(series: _Series, asked: Asked, best: Rated) -> _Series | None:
    """Those that answer: of «¿cuál es el más barato con sauna?» the end of those with one, of «¿el más barato tiene sauna?» that
    of all. What does not ask which of them, or asks for all, must have its best answer among them."""
    which = not words("series", "which").isdisjoint(plain_words(asked.parsed.text))
    holds_best = any(each is best for each in series.members)
    if not which and not holds_best:
        return None
    saying = _saying_yes(series, asked)
    among = saying if saying and which else series
    return _at_the_end(among, asked) or saying or (_all(series, asked) if holds_best else None)


# --- which series --------------------------------------------------------------------------------------------------


def _series(rated: Sequence[Rated], best: Rated, language: str) -> Iterator[_Series]:
    near = (each.unit for each in rated if each.score >= _NEAR * best.score)
    for key in dict.fromkeys(_key(unit, language) for unit in near):
        members = [each for each in rated if key and _key(each.unit, language) == key]
        if members and not members[0].unit.cells and members[0].unit.kind != "list_item":
            members = list({each.unit.path: each for each in reversed(members)}.values())  # the best of each
        members.sort(key=lambda each: each.unit.at)
        if len(members) > 1:
            units = [each.unit for each in members]
            yield _Series(tuple(members), tuple(map(_name, units)), _nouns(units, language))


def _key(unit: Unit, language: str) -> tuple[object, ...]:
    """What the members of a series have in common; nothing where a unit belongs to none."""
    if unit.kind == "table_row" and unit.cells:
        return unit.document_id, unit.path, unit.table, unit.columns
    if unit.kind == "list_item":
        return unit.document_id, unit.path, unit.introduction
    head = lexemes(unit.path[-1], language)[:1] if unit.path else []
    return (unit.document_id, unit.path[:-1], head[0], "section") if head else ()


def _name(unit: Unit) -> str:
    if unit.cells:
        return unit.cells[0]
    lead = LEAD.match(unit.text)
    return (lead[1] if lead else unit.text) if unit.kind == "list_item" else unit.path[-1]


def _nouns(units: Sequence[Unit], language: str) -> frozenset[str]:
    first = units[0]
    if first.cells:
        above = (*first.columns[:1], *first.path[-1:])
    elif first.kind == "list_item":
        above = (*first.path[-1:], first.introduction)
    else:
        held = Counter(stem for unit in units for stem in set(lexemes(unit.path[-1], language)))
        return frozenset(stem for stem, count in held.items() if count == len(units))
    return frozenset(stem for text in above for stem in lexemes(text, language))


def _meant(series: _Series, asked: Asked) -> _Series | None:
    """Those that the question speaks of, all where it speaks of none; None where it names a single one."""
    columns = [series.names, *(series.column(place) for place in range(1, len(series.columns)))]
    for place, names in enumerate(columns):
        if _yes_or_no(names):
            continue
        group = Group("cell" if series.columns else "lead", column=place)
        language = asked.parsed.language
        spoken = Spoken(asked.parsed.words.union(stems_of(asked.parsed.text, language)))
        listed = list(dict.fromkeys(filter(None, names)))
        shares = shares_of({group: listed}, language, spoken, measures(asked.parsed.text))
        kept = [bool(name) and shares[group, name] > 0 for name in names]
        if any(kept):
            return series.only(kept) if sum(kept) > 1 else None
    return series


# --- what is asked of it -------------------------------------------------------------------------------------------


def _at_the_end(series: _Series, asked: Asked) -> _Series | None:
    """Those that have most or least of what the question measures by; all where their values cannot be compared."""
    wanted = superlative(asked.parsed.text, asked.parsed.language)
    measured = list(_measured(series, wanted, asked)) if wanted else []
    if not wanted or not measured:
        return None
    kept: set[int] = set()
    for texts, found in measured:
        known = [(place, figure) for place, figure in enumerate(found) if figure]
        values = comparable([figure for _, figure in known])
        if len(values) < 2 or len(known) < sum(map(bool, texts)):
            return series
        end = (max if wanted.most else min)(values)
        kept |= {place for (place, _), value in zip(known, values, strict=True) if value == end}
    return series.only([place in kept for place in range(len(series.members))])


def _measured(
    series: _Series, wanted: Superlative, asked: Asked
) -> Iterator[tuple[list[str], list[Measure | None]]]:
    """The cells of each column that says the measure with the only figure of each; of texts their only price."""
    language = asked.parsed.language
    if not series.columns:
        texts = [each.unit.text for each in series.members]
        prices = [only_price(text, wanted.says, language) for text in texts if wanted.money]
        if any(prices):
            yield texts, prices
        return
    columns = {place: series.column(place) for place in range(1, len(series.columns))}
    figures = {place: [only_figure(cell) for cell in cells] for place, cells in columns.items()}
    named = _columns(series, wanted.says, language)
    paid = [place for place, found in figures.items() if wanted.money and _are_prices(found)]
    meant = _columns(series, _naming(asked), language) if wanted.adjective else []
    yield from ((columns[place], figures[place]) for place in named or paid or meant if any(figures[place]))


def _columns(series: _Series, stems: frozenset[str], language: str) -> list[int]:
    """The columns behind the first that have a word of their names among the stems."""
    names = enumerate(series.columns)
    return [
        place
        for place, name in names
        if place and any(is_said(one, stems) for one in lexemes(name, language))
    ]


def _are_prices(found: Sequence[Measure | None]) -> bool:
    paid = [figure for figure in found if figure and figure.value]
    return bool(paid) and all(map(is_money, paid))


def _saying_yes(series: _Series, asked: Asked) -> _Series | None:
    """The rows whose cells say what is asked; all rows where none does."""
    asking = every_asking_word(asked.parsed.text) - _FUNCTION - words("series", "which")
    stems = frozenset(stem for word in asking for stem in lexemes(word, asked.parsed.language))
    if any(kind.value for kind in asked.kinds) and not stems <= series.nouns:
        return None  # «¿cuánto cuesta el desayuno?»; but «¿qué tarifas incluyen router?»
    told = [
        (series.columns[place], column)
        for place in _columns(series, _naming(asked), asked.parsed.language)
        if _yes_or_no(column := series.column(place))
    ]
    kept = [
        all(_first(cells[at]) in _wanted(name, asked) for name, cells in told)
        for at in range(len(series.members))
    ]
    return (series.only(kept) if any(kept) else series) if told else None


def _wanted(column: str, asked: Asked) -> frozenset[str]:
    """What a cell must say: yes, or no where either the question or the name of the column denies it («Sin gluten»)."""
    return words("series", "yes" if _denies(asked.parsed.text) == _denies(column) else "no")


def _denies(text: str) -> bool:
    return not words("negation").isdisjoint(plain_words(text)) or any(
        phrase in plain(text) for phrase in phrases_of("series", "without")
    )


def _naming(asked: Asked) -> frozenset[str]:
    """The stems by which a question may name a column: not those of the adjective that asks for an end."""
    wanted = superlative(asked.parsed.text, asked.parsed.language)
    said = frozenset(lexemes(wanted.adjective, asked.parsed.language)) if wanted else frozenset()
    return frozenset(asked.stems) - said


def _yes_or_no(cells: Sequence[str]) -> bool:
    said = {_first(cell) for cell in cells if cell}
    return bool(said) and said <= words("series", "yes") | words("series", "no")


def _first(cell: str) -> str:
    """The word or sign a cell begins with."""
    return next(iter(plain_words(cell)), cell[:1])


def _all(series: _Series, asked: Asked) -> _Series | None:
    """All of them, where the question asks for them, or for what each of them has."""
    language, spoken = asked.parsed.language, plain_words(asked.parsed.text)
    every = not words("series", "all").isdisjoint(spoken)
    if every and any(is_said(stem, series.nouns) for stem in asked.parsed.words):
        return series
    kind = next((kind for kind in asked.kinds if kind.value), None)
    if every and kind and all(holds(each.unit.text, kind.value) for each in series.members):
        return series
    for at, word in enumerate(spoken):
        after = [each for each in spoken[at + 1 :] if each not in _FUNCTION]
        if word in words("series", "which") and _are_asked_for(after, series.nouns, language):
            return series
    return None


def _are_asked_for(after: Sequence[str], nouns: frozenset[str], language: str) -> bool:
    """Whether the words behind «qué» begin with the plural of what the members are, or with sorts of it."""
    sorts = bool(after) and after[0] in words("series", "sorts")
    noun = next(iter(after[sorts:]), "")
    forms = (*lexemes(noun, language), *lexemes(noun.removesuffix("s"), language))
    return (sorts or noun.endswith("s")) and any(is_said(stem, nouns) for stem in forms)
