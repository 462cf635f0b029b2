"""Stretches of a document that were forgotten while it stays: kept away whenever it is read, wherever they stand now.

They are kept sentence by sentence, so that other words beside them bring none of it back, and are known by the number and a
digest of their words alone. What was there becomes bars in the document's text, so that every other place stays where it is,
and nothing at all in its chunks.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.forgetting.fingerprint import telling_candidates
from veraz.ids import new_id
from veraz.ingest.corrections import Correction
from veraz.ingest.model import Block, Parsed
from veraz.text.plain import plain_word

Q = queries(__file__)

BAR = "█"
_WORD = re.compile(r"[^\W_]+")
_KEPT = re.compile(r"[^\n\t]")
_END = re.compile(r"\n|[.!?…]\S*\s|[。！？]")
"""Between two words: here a line or a sentence ends."""
_ENOUGH = 6
"""So many words in the same order say the same thing wherever they stand. Fewer may be said elsewhere for another reason."""
_BESIDE = 5
"""So many words beside a short piece tell its place."""
_LONGEST = 30
"""A sentence of more words is kept in parts."""
_HEAD = 3
"""So many first words are compared before all are."""
Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Words that must not come back, found by a run of words that they stand in."""

    words: int
    head: bytes
    digest: bytes
    lead: int = 0
    """So many first words of the run stay: they only tell the place."""
    tail: int = 0
    whole: bool = False
    """Only where the run is a whole line or sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSpan(Piece):
    """A piece as it is kept."""

    id: UUID
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


async def add_pieces(tx: Transaction, document_id: UUID, pieces: Iterable[Piece]) -> None:
    """These do not come back."""
    for piece in pieces:
        await tx.run(
            Q.add,
            id=new_id(),
            document_id=document_id,
            words=piece.words,
            head=piece.head,
            digest=piece.digest,
            lead=piece.lead,
            tail=piece.tail,
            whole=piece.whole,
        )


def whole_words(text: str, start: int, end: int) -> Place:
    """The stretch with all of the words it cuts."""
    if start >= end:
        return start, end
    first = next((at for at, _ in _spans_at(text, start)), start)
    last = next((at for _, at in _spans_at(text, end)), end)
    return min(start, first), max(end, last)


def pieces_of(
    text: str, document_id: UUID, start: int, end: int, *, common: Collection[Place] = ()
) -> list[Piece]:
    """What tells the words of `text[start:end]` again, sentence by sentence.

    A short sentence, a heading or the head of a table (`common`) may be said elsewhere too: it is known by the words beside it,
    and alone only where it is a whole line with a word that no dictionary has.
    """
    words = _Words(text, document_id)
    first, last = words.between(start, end)
    found: dict[tuple[bytes, int, int], Piece] = {}
    for run in words.sentences(first, last):
        for piece in words.told(run, max(run.start, first), min(run.stop, last), common):
            found.setdefault((piece.digest, piece.lead, piece.tail), piece)
    return list(found.values())


def places(text: str, document_id: UUID, spans: Iterable[Piece]) -> list[Place]:
    """Where a text says forgotten words, with the signs around them."""
    known: dict[int, dict[bytes, list[Piece]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        known[min(_HEAD, span.words)][span.head].append(span)
    words = _Words(text, document_id)
    found: list[Place] = []
    for length, heads in known.items():
        for at in range(len(words.said) - length + 1):
            found.extend(
                words.place(at + span.lead, at + span.words - span.tail)
                for span in heads.get(words.digest(at, at + length), ())
                if words.says(span, at)
            )
    return _joined(text, sorted(found))


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
    newest = max(spans, key=lambda one: one.created_at)
    return Withheld(
        parsed=replace(
            parsed,
            text=text,
            blocks=tuple(blocks_without(parsed.blocks, parsed.text, text, document_id, spans)),
        ),
        spans=ids,
        gaps=tuple(_gap(document_id, text, place, newest) for place in gaps),
    )


def blocks_without(
    blocks: Iterable[Block], before: str, after: str, document_id: UUID, spans: Sequence[Piece]
) -> Iterator[Block]:
    """The blocks of a text, without headings, introductions and columns that bars have taken the place of.

    A heading is forgotten below the line that was, not below another that reads the same.
    """
    gone: dict[str, bool] = {}

    def forgotten(said: str | None) -> bool:
        if not said:
            return False
        words = words_of(said)
        if words not in gone:
            lines = [line for line, is_gone in gone.items() if is_gone]
            beside = len(words.split()) > 1 and any(f" {words} " in f" {line} " for line in lines)
            gone[words] = beside or bool(places(said, document_id, spans))
        return gone[words]

    for block in blocks:
        yield replace(
            block,
            headers=tuple(one for one in block.headers if not forgotten(one)),
            part=None if forgotten(block.part) else block.part,
            introduction=None if forgotten(block.introduction) else block.introduction,
            table_header=None if forgotten(block.table_header) else block.table_header,
            columns=() if forgotten(" ".join(block.columns)) else block.columns,
        )
        if words := words_of(before[block.start : block.end]):
            gone[words] = not words_of(after[block.start : block.end])


def words_of(text: str) -> str:
    """Its words alone, as headings are compared with the lines they stand in."""
    return " ".join(plain_word(match[0]) for match in _WORD.finditer(text))


class _Words:
    """The words of a text, by number, and where they stand."""

    def __init__(self, text: str, document_id: UUID) -> None:
        self.text = text
        self.document_id = document_id
        self.at = [match.span() for match in _WORD.finditer(text)]
        self.said = [plain_word(text[start:end]) for start, end in self.at]

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The words with characters between two places: the first, and the one after the last."""
        inside = [number for number, (first, last) in enumerate(self.at) if last > start and first < end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def sentences(self, first: int, last: int) -> Iterator[range]:
        """The lines and sentences that these words stand in, long ones in parts."""
        while first < last:
            start, end = first, first + 1
            while not self._ends_before(start):
                start -= 1
            while not self._ends_before(end):
                end += 1
            parts = -(-(end - start) // _LONGEST)
            edges = [start + (end - start) * part // parts for part in range(parts + 1)]
            yield from (range(one, other) for one, other in pairwise(edges) if one < last and other > first)
            first = end

    def told(self, run: range, first: int, last: int, common: Collection[Place]) -> Iterator[Piece]:
        """What tells the words from `first` to `last` of a sentence."""
        start, end = self.at[first][0], self.at[last - 1][1]
        heading = any(start < there[1] and there[0] < end for there in common)
        if len(run) >= _ENOUGH and not heading:
            yield self._piece(run.start, run.stop, first, last)
            return
        before, after = first, last
        while first - before < _BESIDE and self._follows(before):
            before -= 1
        while after - last < _BESIDE and self._follows(after):
            after += 1
        if before < first:
            yield self._piece(before, last, first, last)
        if after > last:
            yield self._piece(first, after, first, last)
        alone = before == first and after == last
        if alone or (not heading and telling_candidates([self.text[start:end]])):
            yield replace(self._piece(first, last, first, last), whole=True)

    def says(self, span: Piece, at: int) -> bool:
        """Whether the run that begins at this word is the one meant."""
        end = at + span.words
        if end > len(self.said) or (span.whole and not (self._ends_before(at) and self._ends_before(end))):
            return False
        return self.digest(at, end) == span.digest

    def digest(self, first: int, last: int) -> bytes:
        """What these words are known by."""
        return hashlib.sha256(self.document_id.bytes + " ".join(self.said[first:last]).encode()).digest()

    def place(self, first: int, last: int) -> Place:
        """Where these words stand, with the signs that touch them."""
        text, start, end = self.text, self.at[first][0], self.at[last - 1][1]
        while start > 0 and not (text[start - 1].isalnum() or text[start - 1].isspace()):
            start -= 1
        while end < len(text) and not (text[end].isalnum() or text[end].isspace()):
            end += 1
        return start, end

    def _piece(self, start: int, end: int, first: int, last: int) -> Piece:
        return Piece(
            words=end - start,
            head=self.digest(start, min(start + _HEAD, end)),
            digest=self.digest(start, end),
            lead=first - start,
            tail=end - last,
        )

    def _signs_before(self, number: int) -> str:
        """What stands between a word and the one before it."""
        return self.text[self.at[number - 1][1] : self.at[number][0]]

    def _ends_before(self, number: int) -> bool:
        """Whether a sentence ends before this word."""
        return number in (0, len(self.said)) or _END.search(self._signs_before(number)) is not None

    def _follows(self, number: int) -> bool:
        """Whether this word and the one before it stand beside each other, with nothing forgotten in between."""
        return 0 < number < len(self.said) and BAR not in self._signs_before(number)


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


def _spans_at(text: str, place: int) -> Iterator[Place]:
    """The word that a place cuts in two."""
    if 0 < place < len(text) and _WORD.fullmatch(text[place - 1 : place + 1]):
        start = end = place
        while start > 0 and _WORD.fullmatch(text[start - 1]):
            start -= 1
        while end < len(text) and _WORD.fullmatch(text[end]):
            end += 1
        yield start, end


def _joined(text: str, found: Sequence[Place]) -> list[Place]:
    """Places with no word between them are one; a line of which no word is left goes with its signs."""
    joined: list[Place] = []
    for start, end in (_with_line(text, place) for place in found):
        if joined and not _WORD.search(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return [_with_line(text, place) for place in joined]


def _with_line(text: str, place: Place) -> Place:
    start, end = place
    line = text.rfind("\n", 0, start) + 1
    if not _WORD.search(text, line, start):
        start = line + len(text[line:start]) - len(text[line:start].lstrip())
    line = text.find("\n", end)
    line = len(text) if line < 0 else line
    if not _WORD.search(text, end, line):
        end += len(text[end:line].rstrip())
    return start, end
