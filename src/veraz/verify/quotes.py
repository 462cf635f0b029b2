"""Quotations word for word: where a quote stands in its passage, and whether a claim is itself one.

Compared are words and figures; blanks, line breaks, quotation marks, case and the marks around a quote do not count.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from veraz.text.injection import visible
from veraz.text.languages import CODES, table
from veraz.text.plain import plain_word
from veraz.text.sentences import sentence_spans
from veraz.text.stop_words import STOP_WORDS
from veraz.verify.model import Quote, Source

_TOKEN = re.compile(r"\w+|[%€$£+<>≤≥±=]")
_EXACT = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,:/-]\d+)*|^\W*\w{2,3},|[^\W\d]+|[%€$£+<>≤≥±=]")
"""A quotation keeps the joints and signs of its figures: 3.5 is not 3-5, nor 5 °C -5 °C."""
_ELLIPSIS = re.compile(r"\s*(?:\[?\.\.\.\]?|\[?…\]?)\s*")
_ROW = re.compile(r"^\s*(?:[-*•·–|]|\d{1,3}[.)]|\w[).])\s|[|;\t]")
_EMPTY = frozenset().union(*(STOP_WORDS[code] for code in CODES))
_SHORTEST = 3
"""Content words a claim needs to count as a quotation."""

_Tokens = tuple[tuple[str, int, int], ...]


def find_quote(text: str, source: Source) -> tuple[Quote, ...]:
    """Where a quote stands in its source, part by part where words were left out («…»); nothing when a part does not."""
    parts = [part for part in _ELLIPSIS.split(visible(html.unescape(text))) if _says_something(part)]
    found = [_find(part, source) for part in parts]
    return tuple(quote for quote in found if quote) if found and all(found) else ()


def _says_something(part: str) -> bool:
    """A quote of function words alone proves nothing."""
    return any(token not in _EMPTY for token, _, _ in _tokens(part))


def _find(part: str, source: Source) -> Quote | None:
    wanted = [token for token, _, _ in _tokens(part)]
    for start, end in _runs(wanted, _tokens(source.text)):
        return _quote(source, start, end)
    return _quoted_place(wanted, source)


def _quoted_place(wanted: Sequence[str], source: Source) -> Quote | None:
    """Words of the title or a heading: an empty stretch of the text, and the heading as its words."""
    for place in (*source.place, " ".join(source.place)):
        if any(_runs(wanted, _tokens(place))):
            return Quote(number=source.number, chunk_id=source.chunk_id, text=place, start=0, end=0)
    return None


def _quote(source: Source, start: int, end: int) -> Quote:
    return Quote(
        number=source.number, chunk_id=source.chunk_id, text=source.text[start:end], start=start, end=end
    )


def _runs(wanted: Sequence[str], tokens: _Tokens) -> Iterator[tuple[int, int]]:
    """The spans where the wanted tokens follow each other."""
    size = len(wanted)
    texts = [token for token, _, _ in tokens]
    place = -1
    while size:
        try:
            place = texts.index(wanted[0], place + 1)
        except ValueError:
            return
        if texts[place : place + size] == list(wanted):
            yield tokens[place][1], tokens[place + size - 1][2]


@lru_cache(maxsize=512)
def _tokens(text: str) -> _Tokens:
    return tuple((plain_word(match[0]), match.start(), match.end()) for match in _TOKEN.finditer(text))


def quotation(claim: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence a claim repeats word for word, or with other articles only; None when there is none."""
    for source in sources:
        small = _articles(source.language)
        wanted = _content(claim, small)
        if len(wanted) < _SHORTEST:
            continue
        for start, end in _stretches(source.text):
            text = source.text[start:end]
            if wanted == _content(text, small) and _asks(text) == _asks(claim):
                return _quote(source, start, end)
    return None


def _articles(language: str) -> frozenset[str]:
    code = language[:2] if language[:2] in CODES else "es"
    return frozenset(table(code)["function"]["words"].split())


def _content(text: str, small: frozenset[str]) -> list[str]:
    """Words in their order without articles; figures with their signs, and the comma of «No, …», stay."""
    found = [plain_word(token[0]) for token in _EXACT.finditer(text)]
    return [token for token in found if token not in small]


def _asks(text: str) -> bool:
    return "?" in text


@lru_cache(maxsize=512)
def _stretches(text: str) -> tuple[tuple[int, int], ...]:
    """Sentences, and the rows and items of those that are lists or tables; a wrapped line is no sentence."""
    found: dict[tuple[int, int], None] = {}
    for start, end in sentence_spans(text):
        found[(start, end)] = None
        for line in re.finditer(r"[^\n]+", text[start:end]):
            if _ROW.search(line[0]):
                found[(start + line.start(), start + line.end())] = None
    return tuple(found)
