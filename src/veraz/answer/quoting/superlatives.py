"""Which end of what measure a question asks for: «el más barato» is the least price, «lowest capacity» the least capacity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from veraz.text.languages import CODES, phrases_of, table, words
from veraz.text.measures import Measure, measures
from veraz.text.plain import plain_words
from veraz.text.sentences import sentences
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

_AFTER = 3
"""How many words behind «más» may say of what: «más sesiones con entrenador»."""
_FUNCTION = frozenset().union(*(STOP_WORDS[code] for code in CODES))
_MONEY = frozenset({"$", "dollar", "euro", "peso", "pound", "real", "sol", "guarani", "quetzal", "boliviano"})


@dataclass(frozen=True, slots=True)
class Superlative:
    """The end of a measure."""

    most: bool
    says: frozenset[str]
    """Stems of the words that columns say the measure with."""
    money: bool = False
    """Whether it is a price, which is known by its looks."""
    adjective: str = ""
    """What is said of a thing, if anything: «la garantía más larga»."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The words that stand before what is measured."""
        return (*phrases_of("superlatives", "most"), *phrases_of("superlatives", "least"))


@dataclass(frozen=True, slots=True)
class _Degree:
    most: frozenset[str]
    least: frozenset[str]
    much: frozenset[str]
    little: frozenset[str]
    says: frozenset[str]


@lru_cache(maxsize=256)
def superlative(question: str, language: str) -> Superlative | None:
    """What a question wants the most or the least of, if it does."""
    spoken = plain_words(question)
    for name, degree in _degrees().items():
        for sign, adjective in _signs(spoken, degree):
            return Superlative(sign > 0, degree.says, money=name == "price", adjective=adjective)
    for at, sign in _marks(spoken):
        following = spoken[at + 1 : at + 1 + _AFTER]
        if following and following[0] not in _FUNCTION:  # «más de 30 horas» is a bound
            return Superlative(sign > 0, frozenset(lexemes(" ".join(following), language)))
    return None


def _signs(spoken: Sequence[str], degree: _Degree) -> Iterator[tuple[int, str]]:
    """The adjectives that ask for the most of a measure, with 1, or for the least of it, with -1."""
    for word in spoken:
        if word in degree.most or word in degree.least:
            yield 1 if word in degree.most else -1, word
    for at, sign in _marks(spoken):
        word = spoken[at + 1] if at + 1 < len(spoken) else ""
        if word in degree.much or word in degree.little:
            yield sign if word in degree.much else -sign, word


def _marks(spoken: Sequence[str]) -> Iterator[tuple[int, int]]:
    most, least = phrases_of("superlatives", "most"), phrases_of("superlatives", "least")
    yield from ((at, 1 if word in most else -1) for at, word in enumerate(spoken) if word in (*most, *least))


@cache
def _degrees() -> Mapping[str, _Degree]:
    def listed(name: str, key: str) -> frozenset[str]:
        return frozenset(word for code in CODES for word in table(code)["degrees"][name][key].split())

    def said(name: str) -> frozenset[str]:
        return frozenset(
            stem for code in CODES for stem in lexemes(table(code)["degrees"][name]["says"], code)
        )

    return {
        name: _Degree(
            most=listed(name, "most"),
            least=listed(name, "least"),
            much=listed(name, "much"),
            little=listed(name, "little"),
            says=said(name),
        )
        for name in table("es")["degrees"]
    }


def only_figure(text: str) -> Measure | None:
    """The only figure of a text; nothing is paid for what is free."""
    figures = [measure for measure in measures(text) if measure.certain]
    if not figures and not words("series", "free").isdisjoint(plain_words(text)):
        return Measure(value=Decimal(0), text=text, start=0, end=len(text))
    return figures[0] if len(figures) == 1 else None


def only_price(text: str, says: frozenset[str], language: str) -> Measure | None:
    """The only price of a text; of several the one whose sentence says that it is one."""
    priced = [(sentence, price) for sentence in sentences(text) for price in _prices(sentence)]
    told = [pair for pair in priced if not says.isdisjoint(lexemes(pair[0], language))]
    return next((found[0][1] for found in (priced, told) if len(found) == 1), None)


def is_money(measure: Measure) -> bool:
    """Whether it is a sum of money."""
    return measure.unit in _MONEY


def comparable(found: Sequence[Measure]) -> list[Decimal]:
    """The values of measures in one unit; none where they cannot be compared."""
    paid = [measure for measure in found if measure.value]
    unit = paid[0].unit if paid else ""
    if len({measure.rate for measure in paid}) > 1:
        return []
    same = [_in(measure, unit) for measure in found]
    return [value for value in same if value is not None] if None not in same else []


def _in(measure: Measure, unit: str) -> Decimal | None:
    if measure.unit == unit or not measure.value:
        return measure.value
    return next(iter(measure.in_unit(unit)), None)


def _prices(sentence: str) -> list[Measure]:
    return [measure for measure in measures(sentence) if measure.certain and is_money(measure)]
