"""Stretches of a document that were forgotten while it stays: kept away whenever it is read, wherever they stand now.

They are known by the number and a digest of their words alone. What was there becomes bars in the document's text, so that
every other place stays where it is, and nothing at all in its chunks.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.ingest.corrections import Correction
from veraz.ingest.model import Parsed
from veraz.text.plain import plain_word

Q = queries(__file__)

BAR = "█"
_WORD = re.compile(r"[^\W_]+")
_KEPT = re.compile(r"[^\n\t]")
_HEAD = 3
"""So many first words are compared before all are."""
Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSpan:
    """Words that must not come back."""

    id: UUID
    words: int
    head: bytes
    digest: bytes
    created_by: UUID | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A document without what was forgotten of it, and where that stood."""

    parsed: Parsed
    spans: frozenset[UUID]
    gaps: tuple[Correction, ...] = ()
    """As corrections to nothing, which take the bars out of the chunks."""


async def spans_of(tx: Transaction, document_id: UUID) -> list[ForgottenSpan]:
    """What was forgotten of a document."""
    return await tx.all(ForgottenSpan, Q.spans, document_id=document_id)


async def add_span(tx: Transaction, document_id: UUID, text: str) -> ForgottenSpan | None:
    """This text does not come back; None where it has no words."""
    words = [word for word, _ in _words(text)]
    if not words:
        return None
    await tx.run(
        Q.add,
        id=(span_id := new_id()),
        document_id=document_id,
        words=len(words),
        head=_digest(document_id, words[:_HEAD]),
        digest=_digest(document_id, words),
    )
    return next(one for one in await spans_of(tx, document_id) if one.id == span_id)


def places(text: str, document_id: UUID, spans: Iterable[ForgottenSpan]) -> list[Place]:
    """Where a text says forgotten words, with the signs around them."""
    every = list(_words(text))
    found: list[Place] = []
    for span in spans:
        head = min(_HEAD, span.words)
        for at in range(len(every) - span.words + 1):
            if _digest(document_id, [word for word, _ in every[at : at + head]]) != span.head:
                continue
            run = every[at : at + span.words]
            if _digest(document_id, [word for word, _ in run]) == span.digest:
                found.append(_with_signs(text, run[0][1][0], run[-1][1][1]))
    return _joined(sorted(found))


def barred(text: str, gaps: Iterable[Place], *, offset: int = 0) -> str:
    """The text with bars for what was forgotten; `offset` is where the text begins."""
    for start, end in gaps:
        first, last = max(start - offset, 0), min(end - offset, len(text))
        if first < last:
            text = text[:first] + _KEPT.sub(BAR, text[first:last]) + text[last:]
    return text


def withhold(parsed: Parsed, document_id: UUID, spans: Sequence[ForgottenSpan]) -> Withheld:
    """The document without what was forgotten of it."""
    ids = frozenset(one.id for one in spans)
    gaps = places(parsed.text, document_id, spans) if spans else []
    if not gaps:
        return Withheld(parsed=parsed, spans=ids)
    text = barred(parsed.text, gaps)
    gone = {
        words_of(parsed.of(block))
        for block in parsed.blocks
        if any(start <= block.start and block.end <= end for start, end in gaps)
    }
    blocks = tuple(
        replace(block, headers=tuple(one for one in block.headers if words_of(one) not in gone))
        for block in parsed.blocks
    )
    newest = max(spans, key=lambda one: one.created_at)
    return Withheld(
        parsed=replace(parsed, text=text, blocks=blocks),
        spans=ids,
        gaps=tuple(_gap(document_id, text, place, newest) for place in gaps),
    )


def words_of(text: str) -> str:
    """Its words alone, as headings are compared with the lines they stand in."""
    return " ".join(word for word, _ in _words(text))


def _gap(document_id: UUID, text: str, place: Place, span: ForgottenSpan) -> Correction:
    start, end = place
    return Correction(
        id=span.id,
        document_id=document_id,
        start_char=start,
        end_char=end,
        before=text[start:end],
        after="",
        prefix="",
        suffix="",
        revision=1,
        status="applied",
        created_by=span.created_by,
        created_at=span.created_at,
        updated_at=span.created_at,
    )


def _words(text: str) -> Iterator[tuple[str, Place]]:
    return ((plain_word(match[0]), match.span()) for match in _WORD.finditer(text))


def _digest(document_id: UUID, words: Iterable[str]) -> bytes:
    return hashlib.sha256(document_id.bytes + " ".join(words).encode()).digest()


def _with_signs(text: str, start: int, end: int) -> Place:
    """Signs that belong to the words go with them, within their line."""
    while start > 0 and not (text[start - 1].isalnum() or text[start - 1] == "\n"):
        start -= 1
    while end < len(text) and not (text[end].isalnum() or text[end] == "\n"):
        end += 1
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def _joined(found: Sequence[Place]) -> list[Place]:
    joined = list(islice(found, 1))
    for start, end in found[1:]:
        if start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
