"""What a reader is given: passages relative to the best one, as numbered sources with their place.

The best passages always go on, however far they are by any absolute measure: whoever reads decides whether they answer. Others
follow in their order while there is room and they are not hopelessly behind. A small knowledge base so goes on nearly whole.
"""

import math
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from veraz.search.model import Hit, Passage, SearchResult
from veraz.text.injection import visible
from veraz.verify.model import Source

_BEHIND = 6.0
"""Log-odds behind the best passage from which on a passage of a large knowledge base is not worth reading."""
_NAME_MARKS = re.compile(r"[_]+|(?<=\w)-(?=\d{4}\b)")
_RECORD = re.compile(r"row \d+")
"""The row a record stands in is told as such, not as a heading."""
_FILE_ENDING = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|txt|md|html?|csv|json)$", re.IGNORECASE)


def reading(result: SearchResult, tokens: int) -> tuple[Hit, ...]:
    """The passages to read for a question, best first, within a budget of tokens."""
    ranked = sorted(
        (*result.evidence.hits, *(dropped.hit for dropped in result.evidence.dropped)),
        key=lambda hit: -hit.relevance,
    )
    chosen = {hit.passage.chunk_id for hit in result.evidence.hits}
    small = sum(kb.chunks for kb in result.shelves) <= len(ranked)
    picked: list[Hit] = []
    for hit in [
        *(h for h in ranked if h.passage.chunk_id in chosen),
        *(h for h in ranked if h.passage.chunk_id not in chosen),
    ]:
        if picked and not small and _odds(ranked[0].relevance) - _odds(hit.relevance) > _BEHIND:
            continue
        if picked and hit.passage.tokens > tokens:
            continue
        tokens -= hit.passage.tokens
        picked.append(hit)
    return tuple(sorted(picked, key=lambda hit: -hit.relevance))


def why_unread(result: SearchResult, hit: Hit) -> Literal["far_behind", "token_budget"]:
    """Why a passage that was found was not read: hopelessly behind the best one, or no room was left for it."""
    best = max(one.relevance for one in (*result.evidence.hits, *(d.hit for d in result.evidence.dropped)))
    small = sum(kb.chunks for kb in result.shelves) <= result.evidence.retrieved
    behind = not small and _odds(best) - _odds(hit.relevance) > _BEHIND
    return "far_behind" if behind else "token_budget"


def sources_of(hits: Sequence[Hit]) -> tuple[Source, ...]:
    """`[Chunk 1]` is the best passage."""
    return tuple(_source(number, hit.passage) for number, hit in enumerate(hits, start=1))


def place_of(passage: Passage, headings: Sequence[str] | None = None) -> tuple[str, ...]:
    """Where a passage stands: title or name of its document, sheet, headings; or the headings of a stretch of it."""
    above = passage.headers if headings is None else headings
    return named_place(passage.document_name, passage.title, passage.part, above)


def named_place(
    document: str, title: str | None, part: str | None, headings: Sequence[str]
) -> tuple[str, ...]:
    """Title, name where it says something else, sheet or slide, headings; each once."""
    name = _NAME_MARKS.sub(" ", _named(document)).strip()
    title = (title or "").strip()
    sheet = "" if part is None or _RECORD.fullmatch(part) else part
    parts = [title, name if name.casefold() != title.casefold() else "", sheet, *headings]
    return tuple(dict.fromkeys(visible(each).strip() for each in parts if each and each.strip()))


def _named(document: str) -> str:
    """A file's name without its folder and ending; any other name whole."""
    bare = _FILE_ENDING.sub("", document)
    return document if bare == document else PurePath(bare).name


def _source(number: int, passage: Passage) -> Source:
    return Source(
        number=number,
        chunk_id=passage.chunk_id,
        text=visible(passage.content),
        place=place_of(passage),
        page=passage.page_number,
        language=passage.language,
    )


def _odds(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
