"""What a visitor reads of an answer: its text without our citations, numbers where a claim is proven, and what the numbers lead to."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from veraz.text.citations import CITATION, places_of

OPEN, CLOSE = "\ue000", "\ue001"
"""Around a source's number in the text: private characters, taken out of everything else, so that nobody can forge one."""
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_BEFORE_STOP: Final = re.compile(r"(?<![ \t])[ \t]++([.,;:])")

Stored = Mapping[str, Any]
"""A claim as it is kept with its message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A quotation a visitor may open; `claim` and `quote` say which one of the message it is."""

    number: int
    claim: int
    quote: int
    document_name: str
    page_number: int | None
    sheet: str | None
    row: int | None


def plain(text: str) -> str:
    """Without citations: they number passages that visitors do not see."""
    return _BEFORE_STOP.sub(r"\1", CITATION.sub("", _PRIVATE.sub("", text)))


def numbered(text: str, claims: Sequence[Stored]) -> tuple[str, tuple[Source, ...]]:
    """The text with a number behind every claim, and the sources those numbers lead to."""
    sources: dict[tuple[Any, ...], Source] = {}
    marked = _PRIVATE.sub("", text)
    for claim, stored in enumerate(claims):
        mine = [_source(sources, claim, quote, one) for quote, one in enumerate(stored["quotes"])]
        marked = _marked(marked, str(stored["text"]), sorted({one.number for one in mine}))
    return _BEFORE_STOP.sub(r"\1", CITATION.sub("", marked)), tuple(sources.values())


def _source(sources: dict[tuple[Any, ...], Source], claim: int, quote: int, one: Stored) -> Source:
    """The source of a quotation; the same words have the same number."""
    place = one["document_id"], one["start_char"], one["end_char"]
    return sources.setdefault(
        place,
        Source(
            number=len(sources) + 1,
            claim=claim,
            quote=quote,
            document_name=one["document_name"],
            page_number=one["page_number"],
            sheet=one.get("sheet"),
            row=one.get("row"),
        ),
    )


def _marked(text: str, claim: str, numbers: Sequence[int]) -> str:
    """Numbers behind the first place where the claim stands that has none yet."""
    marks = "".join(f"{OPEN}{number}{CLOSE}" for number in numbers)
    for found in places_of(claim, text):
        if not text.startswith(OPEN, found.end()):
            return text[: found.end()] + marks + text[found.end() :]
    return text
