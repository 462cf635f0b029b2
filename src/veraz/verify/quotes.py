"""Quotations word for word: where a quote stands in its passage, and whether a claim is itself one.

Compared are words and figures; blanks, line breaks, quotation marks, case and the marks around a quote do not count.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from veraz.text.injection import visible
from veraz.text.languages import words
from veraz.text.plain import plain_word
from veraz.text.sentences import sentence_spans
from veraz.verify.model import Quote, Source

_TOKEN = re.compile(r"\w+|[%€$£+<>≤≥±=]")
_ELLIPSIS = re.compile(r"\s*(?:\[?\.\.\.\]?|\[?…\]?)\s*")
_SHORTEST = 3
"""Content words a claim needs to count as a quotation."""

_Tokens = tuple[tuple[str, int, int], ...]


def find_quote(text: str, source: Source) -> tuple[Quote, ...]:
    """Where a quote stands in its source, part by part where words were left out («…»); nothing when a part does not."""
    parts = [part for part in _ELLIPSIS.split(visible(html.unescape(text))) if _TOKEN.search(part)]
    found = [_find(part, source) for part in parts]
    return tuple(quote for quote in found if quote) if found and all(found) else ()


def _find(part: str, source: Source) -> Quote | None:
    wanted = [token for token, _, _ in _tokens(part)]
    for start, end in _runs(wanted, _tokens(source.text)):
        return Quote(
            number=source.number,
            chunk_id=source.chunk_id,
            text=source.text[start:end],
            start=start,
            end=end,
        )
    if any(_runs(wanted, _tokens(" ".join(source.place)))):
        return Quote(number=source.number, chunk_id=source.chunk_id, text="", start=0, end=0)
    return None


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
    """The sentence a claim repeats word for word, or with other function words only; None when there is none."""
    wanted = _content(claim)
    if len(wanted) < _SHORTEST:
        return None
    for source in sources:
        for start, end in _stretches(source.text):
            if wanted == _content(source.text[start:end]):
                return Quote(
                    number=source.number,
                    chunk_id=source.chunk_id,
                    text=source.text[start:end],
                    start=start,
                    end=end,
                )
    return None


def _content(text: str) -> list[str]:
    """Words in their order without articles and the like; negations, bounds and prepositions that decide all stay."""
    small = words("function")
    return [token for token, _, _ in _tokens(text) if token not in small]


@lru_cache(maxsize=512)
def _stretches(text: str) -> tuple[tuple[int, int], ...]:
    """Sentences, and the lines of each."""
    found: dict[tuple[int, int], None] = {}
    for start, end in sentence_spans(text):
        found[(start, end)] = None
        for line in re.finditer(r"[^\n]+", text[start:end]):
            found[(start + line.start(), start + line.end())] = None
    return tuple(found)
