"""Exact facts of a claim that code can hold against the quotes it stands on: figures, dates, names.

A fact is known when it stands in a quote, in the place of a quoted passage (title, headings, sheet, column), in the
question, or follows from figures that stand there by plain arithmetic. Rules only reject, and only what is certain:
a figure that stands nowhere, a unit, currency, rhythm or bound that differs from the one written beside the same figure,
the value of another column. Everything else is left to the judge.
"""

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from itertools import chain, combinations, pairwise, permutations, product
from typing import Self

from veraz.text.content_words import content_words
from veraz.text.dates import MONTHS, Date, dates, possible_dates
from veraz.text.injection import visible
from veraz.text.languages import language_of, phrases, values, words
from veraz.text.measures import MONTHS_IN, Measure, measures, said_values
from veraz.text.names import Name, names
from veraz.text.numbers import odd_numerals
from veraz.text.plain import flat, plain, plain_words
from veraz.text.sentences import sentences
from veraz.text.stop_words import STOP_WORDS

_MOST_READ = 20_000
"""Signs of a text that are read; a claim has far fewer."""
_MOST_ADDED = 12
"""Figures that are combined by arithmetic; more of them would explain any value."""
_MOST_TIMES, _MOST_PRICES = 4, 6
"""Counts and prices whose products are added up."""
_DOLLARS = frozenset({"$", "peso", "dollar", "real", "sol"})
"""What «$» may stand for."""
_SHARES = {"%", "points"}
"""20 % less 5 points is 15 %."""
_SPANS = frozenset({"", "minute", "hour", "day", "week", "month", "year"})
"""What days and years of dates may add up to."""
_TIMES_A_YEAR = {"week": Decimal(52)} | {rate: Decimal(12) / size for rate, size in MONTHS_IN.items()}
_FUNCTION_WORDS: frozenset[str] = frozenset().union(*STOP_WORDS.values())
_REMEMBERED = 256
"""Grounds whose facts are kept: the claims of an answer often stand on the same quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a claim may take its facts from."""

    quotes: tuple[str, ...]
    places: tuple[str, ...]
    question: str = ""
    known: tuple[str, ...] = ()
    """Names that need no proof: the reader's, the agent's, the company's."""
    passages: tuple[str, ...] = ()
    """The whole passages the quotes stand in: a name may stand elsewhere in them."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything a fact may stand in, the quotes first."""
        return _cut((*self.quotes, *self.places, self.question, *self.known))


def flaw_in(claim: str, ground: Ground) -> str | None:
    """What is certainly wrong with a claim, as «kind: words»; None when code finds nothing.

    Kinds: date, figure, unit, rate, day_kind, bound, column, name.
    """
    claim = visible(claim)[:_MOST_READ]
    checks = (_unknown_date, _odd_figure, _unknown_figure, _other_column, _unknown_name)
    return next((flaw for check in checks if (flaw := check(claim, ground))), None)


def _cut(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text[:_MOST_READ] for text in texts)


# --- dates ---------------------------------------------------------------------------------------------------------


def _unknown_date(claim: str, ground: Ground) -> str | None:
    own = dates(claim)
    if not own:
        return None
    known = [date for text in ground.texts for date in possible_dates(text)]
    parts = _DateParts.of(ground)
    for date in own:
        if not any(date.within(other) for other in known) and not parts.make(date):
            return f"date: {claim[date.start : date.end]}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _DateParts:
    """Days, months and years as they stand apart: «Semana Santa de 2026 … viernes 3 de abril … domingo 5»."""

    days: frozenset[int]
    without_month: frozenset[int]
    """Days that are told by their weekday alone."""
    months: frozenset[int]
    years: frozenset[int]
    months_around: frozenset[int]
    """Months elsewhere in the quoted passages: one of them is what «domingo 5» means."""

    @classmethod
    @lru_cache(maxsize=_REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Everything in the texts that is a part of a date."""
        texts = ground.texts
        whole = [date for text in texts for date in possible_dates(text)]
        plainly = [flat(text).lower() for text in texts]
        weekdays = {int(day) for text in plainly for day in _weekdays().findall(text)}
        figures = {int(m.value) for text in texts for m in measures(text) if 1900 <= m.value <= 2100}
        return cls(
            days=frozenset(
                chain(weekdays, *map(_listed_days, plainly), (date.day for date in whole if date.day))
            ),
            without_month=frozenset(weekdays),
            months=_months(texts),
            years=frozenset(figures | {date.year for date in whole if date.year}),
            months_around=_months(_cut(ground.passages)),
        )

    def make(self, date: Date) -> bool:
        """Whether the date can be put together from them."""
        day = date.day is None or date.day in self.days
        month = date.month in self.months or (
            date.day in self.without_month and date.month in self.months_around
        )
        return day and month and (date.year is None or date.year in self.years)


def _months(texts: Sequence[str]) -> frozenset[int]:
    return frozenset(MONTHS[word] for text in texts for word in plain_words(text) if word in MONTHS)


_REACH = 80
"""How far before a month its days may begin."""
_SPOKEN_DAYS = {word: value for word, value in values("numbers", "words").items() if 0 < value <= 31}
_DAY = re.compile(rf"\d{{1,2}}|\b(?:{'|'.join(sorted(_SPOKEN_DAYS, key=len, reverse=True))})\b")


def _listed_days(text: str) -> Iterator[int]:
    """«del 15 al 20 de marzo», «los días 15 y 16 de marzo», «el quince de marzo»."""
    for month in _month_names().finditer(text):
        found = _days_before().search(text, max(0, month.start() - _REACH), month.start())
        for day in _DAY.findall(found[0]) if found else ():
            yield int(_SPOKEN_DAYS.get(day, day))


@cache
def _days_before() -> "re.Pattern[str]":
    joint = r"\s*(?:,|al?|y|e|o|to|and|-|–)\s*"
    return re.compile(rf"\b(?:(?:{_DAY.pattern}){joint}){{0,20}}(?:{_DAY.pattern})\s+(?:de\s+|of\s+)?\Z")


@cache
def _month_names() -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(sorted(MONTHS))})\b")


@cache
def _weekdays() -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(sorted(words('weekdays')))})\s+(\d{{1,2}})\b")


# --- figures -------------------------------------------------------------------------------------------------------

_CODE_FIGURE = re.compile(r"(?<=[^\W\d_][-/._])\d{1,9}\b|(?<=[^\W\d_])\d{2,9}\b")
"""The 2500 of «GX-2500», which somebody may write apart."""
_LONG = re.compile(r"\d(?:[\s().-]{0,2}\d){6,}")
"""Telephones and accounts: their digits count, not how they are spaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """What a ground says in figures."""

    quoted: tuple[Measure, ...]
    stated: tuple[Measure, ...]
    """Everywhere, also in words («la mitad») and by another clock."""
    counted: tuple[Measure, ...]
    """Without days and years."""
    written: int
    odd: frozenset[str]
    loose: frozenset[Decimal]
    """Parts of dates and codes."""
    long: tuple[str, ...]
    values: frozenset[Decimal]
    """Of everything stated."""

    @classmethod
    @lru_cache(maxsize=_REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Read once for all claims that stand on it."""
        texts = ground.texts
        said = [m for text in texts for m in said_values(text)]
        stated = [m for text in texts for m in measures(text)]
        apart = [m for text in texts for m in _outside_dates(text) if m.unit or not 1900 <= m.value <= 2100]
        codes = {Decimal(part) for text in texts for part in _CODE_FIGURE.findall(text)}
        return cls(
            quoted=tuple(m for text in _cut(ground.quotes) for m in measures(text)),
            stated=_distinct((*stated, *said)),
            counted=_distinct((*apart, *said)),
            written=len(stated),
            odd=frozenset(sign for text in texts for sign in odd_numerals(text)),
            loose=frozenset(chain(codes, *map(_parts_of_dates, texts))),
            long=tuple(_digits(run[0]) for text in texts for run in _LONG.finditer(text)),
            values=frozenset(value for m in (*stated, *said) for value in m.values),
        )


def _distinct(found: Iterable[Measure]) -> tuple[Measure, ...]:
    return tuple({(m.value, m.unit, m.rate, m.also): m for m in found}.values())


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _odd_figure(claim: str, ground: Ground) -> str | None:
    """«½», «⑳»: they must stand there alike, or as the same value; those of a unit («m²») count nothing."""
    known = _Figures.of(ground)
    for sign, value in sorted(odd_numerals(claim).items()):
        if sign not in known.odd and value not in known.values and sign not in phrases("units"):
            return f"figure: {sign}"
    return None


def _unknown_figure(claim: str, ground: Ground) -> str | None:
    known = _Figures.of(ground)
    numbers = [run.span() for run in _LONG.finditer(claim) if _is_long(run[0], known)]
    for own in _outside(numbers, _outside_dates(claim)):
        alike = not own.values.isdisjoint(known.values)
        if not alike and not own.certain:
            continue
        if alike:
            flaw = _otherwise(own, [m for m in known.quoted if own.same_value(m)], claim, ground)
        else:
            flaw = None if own.value in known.loose else f"figure: {own.text}"
        if flaw and not (flaw.startswith(("figure", "unit")) and _follows(own, claim, ground)):
            return flaw
    return None


def _is_long(run: str, known: _Figures) -> bool:
    return any(_digits(run) in other for other in known.long)


def _outside_dates(text: str) -> Iterator[Measure]:
    return _outside([(d.start, d.end) for d in dates(text)], measures(text))


def _outside(spans: Sequence[tuple[int, int]], found: Iterable[Measure]) -> Iterator[Measure]:
    taken = {place for start, end in spans for place in range(start, end)}
    return (m for m in found if taken.isdisjoint(range(m.start, m.end)))


def _parts_of_dates(text: str) -> Iterator[Decimal]:
    return (Decimal(part) for d in possible_dates(text) for part in (d.day, d.year) if part)


def _otherwise(own: Measure, quoted: Sequence[Measure], claim: str, ground: Ground) -> str | None:
    """The same value is quoted, but every time of something else."""
    for name in ("unit", "rate", "day_kind", "bound"):
        mine = getattr(own, name)
        theirs = [getattr(other, name) for other in quoted]
        if not mine or not theirs or not all(theirs) or any(_agrees(name, mine, one) for one in theirs):
            continue
        if name != "bound" or _alike_but_for_bound(claim, own, ground):
            return f"{name}: {own.text} ({' / '.join(dict.fromkeys(theirs))})"
    return None


def _agrees(name: str, mine: str, other: str) -> bool:
    return mine == other or (name == "unit" and "$" in (mine, other) and {mine, other} <= _DOLLARS)


def _alike_but_for_bound(claim: str, own: Measure, ground: Ground) -> bool:
    """Only then is another bound wrong: «los de más de 5 MB se rechazan» is what «máximo 5 MB» means."""
    named = " ".join(name.word for name in names(claim))
    mine = _content(claim) - _content(" ".join((named, *ground.places)))
    lines = (line for quote in _cut(ground.quotes) for line in quote.split("\n"))
    quoted = (text for line in lines for text in sentences(line))
    return any(
        mine <= theirs and not words("advance") & theirs and words("negation") & theirs <= mine
        for text in quoted
        if any(own.same_value(m) for m in measures(text)) and (theirs := _content(text))
    )


def _content(text: str) -> frozenset[str]:
    """What a sentence is about, but for bounds and figures; «no» belongs to it."""
    simple = _bounds().sub(" ", plain(text))
    said = frozenset(word for word in content_words(simple, "es") if not word[0].isdigit())
    return said | (words("negation") | words("advance")).intersection(plain_words(simple))


@cache
def _bounds() -> "re.Pattern[str]":
    listed = sorted(phrases("bounds").keys() - words("advance"), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, listed))})\b")


def _follows(own: Measure, claim: str, ground: Ground) -> bool:
    """The same in another unit or rhythm, or what plain arithmetic makes of what is stated."""
    known = _Figures.of(ground)
    if any(own.same_quantity(other) or _same_rate(own, other) for other in known.stated):
        return True
    if not own.unit and own.value == known.written:
        return True
    counts = [m.value for m in measures(claim) if not m.unit and m.value != own.value][:_MOST_TIMES]
    units = [own.unit] if own.unit else list(dict.fromkeys(["", *(m.unit for m in known.stated)]))
    return any(own.value in _yields(ground, tuple(counts), unit) for unit in units) or _shared(
        own, known.stated
    )


def _comparable(unit: str, other: str) -> bool:
    """The same unit, or one that is not written: «de 80 a 100 euros»."""
    return not other or unit == other or {unit, other} == _SHARES or _agrees("unit", unit, other)


def _same_rate(own: Measure, other: Measure) -> bool:
    """«25 € al mes» is «300 € al año»."""
    mine, theirs = _TIMES_A_YEAR.get(own.rate), _TIMES_A_YEAR.get(other.rate)
    if not mine or not theirs or not _comparable(own.unit, other.unit):
        return False
    return own.value * mine == other.value * theirs


@lru_cache(maxsize=_REMEMBERED)
def _yields(ground: Ground, counts: tuple[Decimal, ...], unit: str) -> frozenset[Decimal]:
    """Every value of a unit that follows from a ground, with the counts a claim speaks of («2 adultos y 2 niños»)."""
    known = _Figures.of(ground)
    stated = known.stated if unit in _SPANS else known.counted
    amounts = [value for m in stated for value in _in_unit(m, unit)][:_MOST_ADDED]
    found = set(_sums(amounts))
    if unit != "%":
        prices = [m for m in stated if bool(m.unit) is bool(unit) and _in_unit(m, unit)][:_MOST_ADDED]
        priced = [value for m in prices for value in _in_unit(m, unit)]
        bare = [m.value for m in stated if not m.unit]
        found.update(_percentages(amounts, [m.value for m in stated if m.unit == "%"]))
        found.update(_multiples(prices, stated, unit))
        found.update(_totals(priced, counts))
        if unit and len(bare) == len(priced) < _MOST_TIMES:
            found.add(sum(map(operator.mul, bare, priced), Decimal(0)))
    return frozenset(found | {_cents(value, way) for value in found for way in (ROUND_DOWN, ROUND_HALF_UP)})


def _cents(value: Decimal, way: str) -> Decimal:
    return value.quantize(Decimal("0.01"), way) if abs(value) < 10**20 else value


def _in_unit(measure: Measure, unit: str) -> frozenset[Decimal]:
    return frozenset({measure.value}) if _comparable(unit, measure.unit) else measure.in_unit(unit)


def _sums(amounts: Sequence[Decimal]) -> Iterator[Decimal]:
    for a, b in combinations(amounts, 2):
        yield from (a + b, abs(a - b))
    yield from (sum(three, Decimal(0)) for three in combinations(amounts[:8], 3))


def _percentages(amounts: Sequence[Decimal], shares: Sequence[Decimal]) -> Iterator[Decimal]:
    """A share of a figure, a figure with a surcharge or a discount."""
    for amount, share in product(amounts, shares[:_MOST_TIMES]):
        part = amount * share / 100
        yield from (part, amount + part, amount - part)


def _multiples(prices: Sequence[Measure], stated: Sequence[Measure], unit: str) -> Iterator[Decimal]:
    """So many times a price, or so many parts of it; hours a day times days."""
    for price, count in product(prices, stated[: 2 * _MOST_ADDED]):
        if count is not price and (not count.unit or count.unit == price.rate):
            for value in _in_unit(price, unit):
                yield value * count.value
                if unit and count.value > 1:
                    yield value / count.value


def _totals(prices: Sequence[Decimal], counts: Sequence[Decimal]) -> Iterator[Decimal]:
    """So many of each: «2 adultos y 2 niños»; each count belongs to one price."""
    for size in range(1, min(len(counts), len(prices), _MOST_TIMES - 1) + 1):
        for times, chosen in product(combinations(counts, size), permutations(prices[:_MOST_PRICES], size)):
            yield sum((price * count for price, count in zip(chosen, times, strict=True)), Decimal(0))


def _shared(own: Measure, stated: Sequence[Measure]) -> bool:
    """A percentage of two figures of the same unit."""
    if own.unit != "%":
        return False
    pairs = combinations(stated[:_MOST_ADDED], 2)
    return any(_is_share(own.value, a.value, b.value) for a, b in pairs if _one_unit(a, b))


def _one_unit(a: Measure, b: Measure) -> bool:
    return "%" not in (a.unit, b.unit) and (a.unit == b.unit or "" in (a.unit, b.unit))


def _is_share(value: Decimal, a: Decimal, b: Decimal) -> bool:
    low, high = sorted((abs(a), abs(b)))
    if not low:
        return False
    shares = (low / high * 100, (high - low) / high * 100, (high - low) / low * 100)
    near = Decimal("0.06") * max(Decimal(1), value / 10)
    return any(abs(share - value) < near for share in shares)


# --- columns -------------------------------------------------------------------------------------------------------

_BARE = re.compile(r"[\s$€£]*\d[\d.,:/\s$€£%–-]*(?:[^\W\d_]{1,6}\.?)?\s*")
_CELL = re.compile(r"(?:^|[;|\n])\s*(?P<label>[^:;|\n]{1,60}?)\s*:\s+(?P<value>[^;|\n]+)")


def _other_column(claim: str, ground: Ground) -> str | None:
    """A row says «Norte: 30; Sur: 40»: who speaks of the north, and says 40 instead of 30, took the wrong column."""
    own = list(_outside_dates(claim))
    spoken = _spoken(claim)
    for row in _rows(_cut(ground.quotes)) if own else ():
        for figure in own:
            held = [cell for cell in row if _is_figure(cell.value) and _holds(cell.value, figure)]
            if not held or any(_speaks_of(spoken, cell.label) for cell in held):
                continue
            if any(_is_missed(cell, held[0], own, spoken) and not _is_key(cell, row, claim) for cell in row):
                return f"column: {figure.text} ({held[0].label})"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    label: str
    value: str


def _is_missed(cell: _Cell, held: _Cell, own: Sequence[Measure], spoken: frozenset[str]) -> bool:
    """The claim speaks of this cell, whose figure is of the same kind, and does not say it."""
    if (
        not _speaks_of(spoken, cell.label)
        or not _is_figure(cell.value)
        or any(_holds(cell.value, m) for m in own)
    ):
        return False
    return {m.unit for m in measures(cell.value)} == {m.unit for m in measures(held.value)}


def _is_key(cell: _Cell, row: Sequence[_Cell], claim: str) -> bool:
    """«Piso: 3; Renta: 500»: whoever speaks of the flat speaks of the row, unless it is named as it stands («Norte»)."""
    named = any(word[0].isupper() and word in claim for word in cell.label.split())
    return cell is row[0] and not named and not any(m.unit for m in measures(cell.value))


def _holds(value: str, figure: Measure) -> bool:
    return any(figure.same_value(m) for m in measures(value))


def _rows(quotes: Iterable[str]) -> Iterator[list[_Cell]]:
    for quote in quotes:
        for line in quote.split("\n"):
            cells = [_Cell(label=m["label"], value=m["value"]) for m in _CELL.finditer(line)]
            if len(cells) > 1:
                yield cells


_LABEL_WORD = re.compile(r"[^\W_]+(?:[-/._’'&+@][^\W_]+)*")


def _spoken(claim: str) -> frozenset[str]:
    """The words of a claim, in singular and plural; short ones as they are written, but for the one it begins with."""
    short = [m[0] for m in _LABEL_WORD.finditer(claim) if len(m[0]) < 3 and (m.start() or claim[1:2] != " ")]
    return frozenset(short).union(*map(_forms, plain_words(claim)))


def _speaks_of(spoken: frozenset[str], label: str) -> bool:
    """All words of a label; of the short ones those that tell («Plan A»)."""
    found = _LABEL_WORD.findall(re.sub(r"\(.*?\)", "", label))
    short = [word for word in found if len(word) < 3 and (word.isupper() or word.isdigit())]
    long = [word for word in plain_words(" ".join(found)) if len(word) > 2]
    return bool(short or long) and all(word in spoken for word in (*short, *long))


def _is_figure(value: str) -> bool:
    return _BARE.fullmatch(value) is not None


# --- names ---------------------------------------------------------------------------------------------------------

_COMMON = frozenset({"pm", "am", "us", "kb", "mb", "gb", "tb"})
_JOINT = re.compile(r"[-/._’'&+@]")
_NUMBERED = re.compile(
    r"\d+(?:[.,:x]\d+)*(?:º|ª|o|a|st|nd|rd|th|ro|er|pm|am|h|m|k|s|kg|g|mg|km|cm|mm|l|ml|mb|gb|kb|w|v|kw)?"
)
_CAPITALS = re.compile(r"\b([A-ZÁÉÍÓÚÑ])[^\W\d_]+")
_ACRONYM = re.compile(r"\b[A-ZÑ]{2,6}\b")
_DOTTED = re.compile(r"(?<=[A-Z])\.\s?(?=[A-Z]{1,2}\b)")
"""«RR. HH.», «O.N.U.»."""
_ROMAN = re.compile(r"[IVX]+\b")
_SHORTENED = re.compile(r"\b([A-Z](?=/)|[A-Z][a-z]{1,3}(?=\.))[./]\s?(?=[A-Z\d])")
"""«Av. Reforma», «C/ Mayor»; «A. Requisitos» is the mark of a list."""
_SHORTENS = re.compile(r"\.\s*\w")
_LONG_CODE = 7
"""From so many signs on, a code counts without its blanks."""


def _unknown_name(claim: str, ground: Ground) -> str | None:
    abroad = any(_abroad(claim, quote) for quote in _cut(ground.quotes))
    known = _Names.of(ground)
    spelt_out = _initials(claim)
    for name in names(claim):
        if name.leading or _is_common(name.word) or _ROMAN.match(claim, name.start):
            continue
        if (abroad and _may_be_translated(claim, name)) or _shortens(claim, name, known):
            continue
        if not known.stands(name.word) and not known.has_initials(name.word, spelt_out):
            return f"name: {name.word}"
    return None


def _shortens(claim: str, name: Name, known: "_Names") -> bool:
    """«Av. Reforma» for «Avenida Reforma»."""
    if len(name.word) > 4 or not _SHORTENS.match(claim, name.start + len(name.word)):
        return False
    return any(_abbreviates(name.word, word) for word in known.words)


def _abbreviates(short: str, word: str) -> bool:
    """The first letter and others in order: «Av.» for «avenida», «Pza.» for «plaza»."""
    signs = iter(word)
    return word[:1] == short[0] and len(word) > len(short) and all(sign in signs for sign in short)


def _may_be_translated(claim: str, name: Name) -> bool:
    """«la oficina de Estadística» is the Statistics Office, IVA is VAT; codes and «EvilBot» stay what they are."""
    token = claim[name.start : name.start + len(name.word)]
    return token.isalpha() and (token.isupper() or token[1:].islower())


def _abroad(claim: str, quote: str) -> bool:
    """Whether both are clearly in different languages; names are translated."""
    own, theirs = language_of(claim), language_of(quote)
    return own is not None and theirs is not None and own != theirs


def _is_common(word: str) -> bool:
    """What is written with a capital or a digit and names nothing: months, days, units, titles, «4pm»."""
    return word in _listed() or _NUMBERED.fullmatch(word) is not None


@cache
def _listed() -> frozenset[str]:
    return frozenset(MONTHS.keys() | words("weekdays") | words("titles") | phrases("units").keys() | _COMMON)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What the names of a claim may stand in."""

    words: frozenset[str]
    capitals: tuple[str, ...]
    initials: tuple[str, ...]
    """First letters of words with capitals, and of all words."""
    acronyms: frozenset[str]
    shortened: frozenset[str]
    compact: str

    @classmethod
    @lru_cache(maxsize=_REMEMBERED)
    def of(cls, ground: Ground) -> Self:
        """Read once for all claims that stand on it."""
        texts = (*ground.texts, *_cut(ground.passages))
        flats = [_DOTTED.sub("", flat(text)) for text in texts]
        return cls(
            words=frozenset(form for text in texts for form in _name_words(text)),
            capitals=tuple(map(_initials, texts)),
            initials=tuple(initials for text in texts for initials in _all_initials(text)),
            acronyms=frozenset(_single(word.lower()) for text in flats for word in _ACRONYM.findall(text)),
            shortened=frozenset(word.lower() for text in texts for word in _SHORTENED.findall(text)),
            compact=" ".join("".join(plain_words(_JOINT.sub("", text))) for text in texts),
        )

    def stands(self, name: str) -> bool:
        """Word by word, in singular or plural, shortened, as initials, or as a code however it is joined."""
        code = _JOINT.sub("", name)
        if name in self.words or code in self.words:
            return True
        parts = [part for part in _JOINT.split(name) if part not in ("", "s")]
        if all(any(form in self.words for form in _forms(part)) for part in parts):
            return True
        if any(_abbreviates(short, name) for short in self.shortened):
            return True
        if len(code) >= _LONG_CODE and any(sign.isdigit() for sign in code) and code in self.compact:
            return True
        return self._is_acronym(name)

    def _is_acronym(self, name: str) -> bool:
        """Of words with capitals from two letters on, of any words from three; «RRHH», «EE. UU.»."""
        short = _single(name)
        if not 2 <= len(name) <= 6:
            return False
        return any(
            short in found for found in (self.capitals if len(name) < 3 else (*self.capitals, *self.initials))
        )

    def has_initials(self, name: str, spelt_out: str) -> bool:
        """«Recursos Humanos» where the text has «RR. HH.» or «RRHH»."""
        return any(
            name[0] in acronym and acronym in spelt_out for acronym in self.acronyms if len(acronym) > 1
        )


def _single(acronym: str) -> str:
    """«RRHH» stands for «Recursos Humanos»."""
    doubled = len(acronym) % 2 == 0 and acronym[::2] == acronym[1::2]
    return acronym[::2] if doubled else acronym


def _name_words(text: str) -> Iterator[str]:
    """Words, their parts, and codes however they are joined: GX-2500, GX2500, GX 2500."""
    found = plain_words(text)
    for word in found:
        yield word
        yield from _JOINT.split(word)
        yield _JOINT.sub("", word)
        yield word.lstrip("0123456789.,")
    for one, other in pairwise(found):
        if other[0].isdigit():
            yield one + other


def _all_initials(text: str) -> Iterator[str]:
    """The first letters of all words, and of all but function words."""
    found = [word for word in plain_words(text) if word[0].isalpha()]
    yield "".join(word[0] for word in found)
    yield "".join(word[0] for word in found if word not in _FUNCTION_WORDS)


def _initials(text: str) -> str:
    return flat("".join(_CAPITALS.findall(text))).lower()


def _forms(word: str) -> set[str]:
    return {word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s", f"{word}es"} - {""}
