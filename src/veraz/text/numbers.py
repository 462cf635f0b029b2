"""Figures as values, so that «1.234,56 €», «1,234.56 euros» and «mil doscientos» can be compared.

Three digits behind a single mark are read as thousands on both sides («1.234» = «1,234» = 1234), which keeps
the comparison the same whatever the country; «0,125» and «3,14» are decimals.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal

from veraz.text.languages import values, words
from veraz.text.plain import plain, plain_word, spelt_out

Unit = Literal["%", "€", "$", "£", ":", ""]
"""A colon: a time of day, its value in hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value as it stands in a text."""

    value: Decimal
    unit: Unit
    start: int
    end: int
    explicit: bool = True
    """Written with digits, or as a word that can be nothing else («una» and «one» may be articles, «ten» a Spanish verb)."""
    ordinal: bool = False


_SPACE = "[ \u00a0\u202f\u2009]"
_DIGITS = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−](?=\d))?(?:(?P<before>[€$£]){_SPACE}?)?"
    rf"(?P<digits>\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,’']\d+)*)"
    r"(?P<ordinal>(?:\.?[ºªo°]|st|nd|rd|th)(?![^\W\d_]))?"
)
_CLOCK = re.compile(
    r"(?<![\w.,:/])(?P<hour>[01]?\d|2[0-4])"
    r"(?::(?P<minutes>[0-5]\d)(?![\d:]|[.,]\d)(?:\s?h(?:oras)?\b)?|\.(?P<dotted>[0-5]\d)\s?h(?:oras)?\b)"
)
_UNIT = re.compile(
    rf"{_SPACE}?(?:(?P<pct>%|por ciento|por cien\b|por cento|percent\b|per cent\b)|(?P<eur>€|euros?\b|eur\b)"
    r"|(?P<usd>\$|d[oó]lares\b|dollars?\b|usd\b)|(?P<gbp>£|libras esterlinas|pounds?\b|gbp\b))",
    re.IGNORECASE,
)
_SCALE = re.compile(
    rf"{_SPACE}(?:(?P<mm>mil millones|billion)|(?P<b>bill[oó]n(?:es)?|trillion)|(?P<m>mill[oó]n(?:es)?|milh(?:ão|ões|ao|oes)|million|mio\.?)"
    r"|(?P<k>mil(?! millones)|thousand))\b(?:\s+de\b)?",
    re.IGNORECASE,
)
_SHORT_SCALE = re.compile(
    rf"(?P<k>[kK])(?![^\W_])|{_SPACE}?(?P<m>MM?)(?={_SPACE}?(?:[€$£]|EUR\b|USD\b))|(?<=\d)(?P<mm>MM?)(?![^\W_])"
)
"""«100k», «3 M€», «$3M»."""
_SCALES = {"k": 10**3, "m": 10**6, "mm": 10**9, "b": 10**12}

_WORDS = values("numbers", "words")
_GROUPS = values("numbers", "groups")
_LIKE_ORDINALS = values("numbers", "like_ordinals")
"""Also a room, a quarter, a moment, a day of the week: they may prove an ordinal but need no proof themselves."""
_ORDINALS = {w: v for w, v in values("numbers", "ordinals").items() if w not in _LIKE_ORDINALS}
_ARTICLES = words("numbers", "articles") | words("numbers", "ambiguous")
_LETTERS = re.compile(r"[^\W\d_]+")
_JOINTS = words("numbers", "joints")
_SPOKEN = frozenset((*_WORDS, *_GROUPS, *_ORDINALS, *_LIKE_ORDINALS))
_DIGIT = re.compile(r"\d")
_LONGEST = 20
"""Words of a spoken number."""
_PER = re.compile(r"por\s+\Z", re.IGNORECASE)


@lru_cache(maxsize=8192)
def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of a text, in digits or in words, in order."""
    found = list(_in_digits(text)) if _DIGIT.search(text) else []
    if not _SPOKEN.isdisjoint(spelt_out(text)):
        found += [*_in_words(text), *_ordinals(text)]
    return tuple(sorted(found, key=lambda figure: figure.start))


@lru_cache(maxsize=8192)
def odd_numerals(text: str) -> Mapping[str, Decimal | None]:
    """Words with numerals that are no digits («½», «10²», «⑳») and their value, where one can be sure of it."""
    if text.isascii():
        return {}
    odd = frozenset(sign for sign in text if sign.isnumeric() and not sign.isdecimal())
    found = (word.strip(".,;:!?()[]«»$€£%") for word in text.split() if odd and not odd.isdisjoint(word))
    return {plain(word): _mixed(word) for word in found}


def _mixed(word: str) -> Decimal | None:
    """«½» and «1½»; a power has none."""
    whole, sign = word[:-1], word[-1:]
    if (whole and not whole.isdecimal()) or "VULGAR" not in unicodedata.name(sign, ""):
        return None
    return Decimal(whole or 0) + Decimal(str(unicodedata.numeric(sign)))


def _times(text: str) -> Iterator[Figure]:
    for match in _CLOCK.finditer(text):
        minutes = int(match["minutes"] or match["dotted"])
        value = Decimal(match["hour"]) + Decimal(minutes) / 60
        yield Figure(value=value, unit=":" if minutes else "", start=match.start(), end=match.end())


def _in_digits(text: str) -> Iterator[Figure]:
    times = list(_times(text))
    yield from times
    taken = {place for time in times for place in range(time.start, time.end)}
    for match in _DIGITS.finditer(text):
        if match.start() in taken:
            continue
        value = _value(match["digits"])
        if value is None:
            continue
        end = match.end()
        if not match["ordinal"]:
            scale, end = _scale(text, end, match["before"])
            value *= scale
        unit, end = _unit(text, end, match["before"])
        yield Figure(
            value=-value if match["sign"] else value,
            unit=unit,
            start=match.start(),
            end=end,
            ordinal=bool(match["ordinal"]),
        )


def _scale(text: str, end: int, before: str | None) -> tuple[int, int]:
    """How many of them, and where that ends."""
    if scale := _SCALE.match(text, end):
        return _SCALES[scale.lastgroup or "k"], scale.end()
    short = _SHORT_SCALE.match(text, end)
    if not short or (short.lastgroup == "mm" and not before):
        return 1, end
    return (_SCALES["k"] if short.lastgroup == "k" else _SCALES["m"]), short.end()


def _value(digits: str) -> Decimal | None:
    compact = re.sub(rf"{_SPACE}|[’']", "", digits)
    if _MILLIONS.fullmatch(digits):
        compact = re.sub("[.,]", "", compact)
    marks = [sign for sign in compact if sign in ".,"]
    if len(set(marks)) == 2:
        decimal = compact[max(compact.rfind("."), compact.rfind(","))]
        if marks.count(decimal) > 1:
            return None
        compact = compact.replace("." if decimal == "," else ",", "").replace(decimal, ".")
    elif marks:
        compact = _one_kind_of_mark(compact, marks[0])
    try:
        return Decimal(compact).normalize() + 0
    except InvalidOperation:
        return None


_MILLIONS = re.compile(r"\d{1,3}(?:[’']\d{3})+(?:[.,]\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")
"""«1'500.000», «1,25,000»."""


def _one_kind_of_mark(compact: str, mark: str) -> str:
    head, *groups = compact.split(mark)
    thousands = all(len(group) == 3 for group in groups) and 1 <= len(head) <= 3 and head.strip("0")
    if thousands:
        return compact.replace(mark, "")
    return compact.replace(mark, ".") if len(groups) == 1 else compact


def _unit(text: str, end: int, before: str | None) -> tuple[Unit, int]:
    """The unit in front of or behind a figure, and where both end."""
    if before in ("€", "$", "£"):
        return before, end  # type: ignore[return-value]
    match = _UNIT.match(text, end)
    kinds: dict[str | None, Unit] = {"pct": "%", "eur": "€", "usd": "$", "gbp": "£"}
    return (kinds[match.lastgroup], match.end()) if match else ("", end)


def _in_words(text: str) -> Iterator[Figure]:
    run: list[tuple[str, int, int]] = []
    for match in _LETTERS.finditer(text):
        word = plain_word(match[0])
        adjacent = run and not text[run[-1][2] : match.start()].strip(" \u00a0-")
        if run and not (adjacent and (_counts(word) or word in _JOINTS)):
            yield from _spoken(text, run)
            run = []
        if word in ("ciento", "cien", "cento", "cem") and _PER.search(
            text, max(0, match.start() - 8), match.start()
        ):
            continue
        if _counts(word) or (run and word in _JOINTS):
            run.append((word, match.start(), match.end()))
    yield from _spoken(text, run)


def _ordinals(text: str) -> Iterator[Figure]:
    for match in _LETTERS.finditer(text):
        word = plain_word(match[0])
        value = _ORDINALS.get(word) or _LIKE_ORDINALS.get(word)
        if value:
            explicit = word in _ORDINALS
            yield Figure(
                value=Decimal(value),
                unit="",
                start=match.start(),
                end=match.end(),
                explicit=explicit,
                ordinal=True,
            )


def _counts(word: str) -> bool:
    return word in _WORDS or word in _GROUPS


def _spoken(text: str, run: list[tuple[str, int, int]]) -> Iterator[Figure]:
    while run and run[-1][0] in _JOINTS:
        run = run[:-1]
    if not run or (run[0][0] in _GROUPS and _after_digits(text, run[0][1])):
        return
    for part in _parts(run):
        total = _total([word for word, _, _ in part])
        explicit = not all(word in _ARTICLES for word, _, _ in part)
        start = part[0][1]
        unit, end = _unit(text, part[-1][2], None)
        yield Figure(value=Decimal(total), unit=unit, start=start, end=end, explicit=explicit or bool(unit))


def _after_digits(text: str, start: int) -> bool:
    return bool(re.search(r"\d\s*$", text[max(0, start - 3) : start]))


def _parts(run: list[tuple[str, int, int]]) -> Iterator[list[tuple[str, int, int]]]:
    """«dos y tres» are two figures, «treinta y tres» is one."""
    part: list[tuple[str, int, int]] = []
    for word, start, end in run:
        if part and word not in _JOINTS and not _continues(part, word):
            yield [piece for piece in part if piece[0] not in _JOINTS or piece is not part[-1]]
            part = []
        if part or word not in _JOINTS:
            part.append((word, start, end))
    if part:
        yield part


def _continues(before: list[tuple[str, int, int]], word: str) -> bool:
    if len(before) > _LONGEST:
        return False
    if word in _GROUPS:
        return before[-1][0] not in _JOINTS
    last = next((w for w, _, _ in reversed(before) if w not in _JOINTS), "")
    if last in _GROUPS:
        return True
    value, previous = _WORDS[word], _WORDS.get(last, 0)
    if previous >= 100:
        return value < 100
    return previous >= 20 and previous % 10 == 0 and 0 < value < 10


def _total(words: list[str]) -> int:
    total = current = 0
    for word in words:
        if word in _WORDS:
            current += _WORDS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _GROUPS:
            total, current = _grouped(total, current, _GROUPS[word]), 0
    return total + current


def _grouped(total: int, current: int, group: int) -> int:
    """«mil millones» multiplies, «un millón dos mil» adds."""
    return total * group if total and not current else total + max(current, 1) * group
