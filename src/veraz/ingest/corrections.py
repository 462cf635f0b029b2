"""People's corrections lie over the document's text: what stood there, what it says instead, and what stands around it.

A corrected chunk leaves its differences here. Whenever the document is read, cut or embedded again they are laid over
the new chunks, wherever the text below is the same; where it is not, a person is asked.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.ingest.chunk import Chunk
from veraz.ingest.chunk.finish import content_hash
from veraz.text.tokens import count_tokens

Q = queries(__file__)

CorrectionStatus = Literal["applied", "asks", "discarded"]

_WORD = re.compile(r"\S+\s*|\s+")
_NEAR = 2
"""Words between two changes that are one change."""
_AROUND = 40
"""Characters before and after that tell a place from others that say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A stretch of a document's text that says something else."""

    id: UUID
    document_id: UUID
    start_char: int
    end_char: int
    before: str
    after: str
    prefix: str
    suffix: str
    revision: int
    status: CorrectionStatus
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a text says otherwise from one place on."""

    start: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkEdit:
    """A chunk that a person changed: as its document has it, as it was, and as it is now."""

    document_id: UUID
    end: int
    """Where it ends in the document's text."""
    original: str
    previous: str
    corrected: str
    revision: int
    user_id: UUID | None

    def changes(self) -> "Changes":
        """Which corrections it adds and which it takes back."""
        earlier, now = self._differences(self.previous), self._differences(self.corrected)
        return Changes(
            gone=[one for one in earlier if one not in now],
            added={one: around for one, around in now.items() if one not in earlier},
        )

    def _differences(self, content: str) -> dict[Difference, tuple[str, str]]:
        """What a content says otherwise, by its place in the document, with what stands before and after."""
        offset = self.end - len(self.original)
        return {
            replace(one, start=offset + one.start): _around(self.original, one)
            for one in differences(self.original, content)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Corrections an edit takes back, and those it adds with what stands before and after."""

    gone: list[Difference]
    added: dict[Difference, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedMark:
    """Who changed a chunk, how often, and what it said before."""

    original: str
    revision: int
    edited_by: UUID | None
    edited_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaid:
    """Chunks with the corrections laid over them."""

    chunks: list[Chunk]
    marks: dict[int, EditedMark] = field(default_factory=dict)
    """By the ordinal of the chunk."""
    applied: list[Correction] = field(default_factory=list)
    """With where they stand now."""
    asking: list[Correction] = field(default_factory=list)


def differences(original: str, corrected: str) -> list[Difference]:
    """What changed, in whole words; changes close to each other are one, and none is of nothing."""
    old, new = _WORD.findall(original), _WORD.findall(corrected)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    changed = [list(op[1:]) for op in matcher.get_opcodes() if op[0] != "equal"]
    joined: list[list[int]] = []
    for op in changed:
        if joined and op[0] - joined[-1][1] <= _NEAR:
            joined[-1][1], joined[-1][3] = op[1], op[3]
        else:
            joined.append(op)
    return [_difference(old, new, _widened(op, len(old))) for op in joined]


def place(text: str, correction: Correction) -> Correction | None:
    """The correction where it stands in this text: at its old place, or at the one other place that reads the same."""
    before, start = correction.before, correction.start_char
    end = start + len(before)
    if text[start:end] == before and (
        text[:start].endswith(correction.prefix) or text.startswith(correction.suffix, end)
    ):
        return replace(correction, end_char=end)
    whole = correction.prefix + before + correction.suffix
    found = text.find(whole)
    if found < 0 or text.find(whole, found + 1) >= 0:
        return None
    start = found + len(correction.prefix)
    return replace(correction, start_char=start, end_char=start + len(before))


def overlay(text: str, chunks: Sequence[Chunk], corrections: Iterable[Correction]) -> Overlaid:
    """The chunks of this text, corrected; what is left of none is left out."""
    placed: list[Correction] = []
    asking: list[Correction] = []
    for correction in sorted(corrections, key=lambda one: one.created_at, reverse=True):
        found = place(text, correction)
        if found and _has_room(found, chunks, placed):
            placed.append(found)
        else:
            asking.append(correction)
    result = Overlaid(chunks=[], applied=placed, asking=asking)
    for chunk in chunks:
        mine = [one for one in placed if _meets(chunk, one)]
        corrected = _corrected(chunk, mine)
        if not corrected.content.strip():
            continue
        corrected = replace(corrected, ordinal=len(result.chunks))
        result.chunks.append(corrected)
        if mine:
            result.marks[corrected.ordinal] = _mark(chunk, mine)
    return result


async def corrections_of(tx: Transaction, document_id: UUID) -> list[Correction]:
    """Those that hold or ask, in the order of the text."""
    return await tx.all(Correction, Q.corrections, document_id=document_id)


async def write_corrections(tx: Transaction, edit: ChunkEdit, changes: Changes) -> None:
    """What the chunk says otherwise than its document becomes corrections; what it no longer says is discarded."""
    for one in changes.gone:
        await tx.run(
            Q.discard_at,
            document_id=edit.document_id,
            start=one.start,
            before=one.before,
            after=one.after,
        )
    for one, (prefix, suffix) in changes.added.items():
        await tx.run(
            Q.add,
            id=new_id(),
            document_id=edit.document_id,
            start=one.start,
            end=one.start + len(one.before),
            before=one.before,
            after=one.after,
            prefix=prefix,
            suffix=suffix,
            revision=edit.revision,
            created_by=edit.user_id,
        )


async def settle_corrections(tx: Transaction, overlaid: Overlaid) -> None:
    """Writes down which corrections hold, where, and which ask."""
    for one in overlaid.applied:
        await tx.run(Q.hold, id=one.id, start=one.start_char, end=one.end_char)
    if overlaid.asking:
        await tx.run(Q.ask, ids=[one.id for one in overlaid.asking])


async def mark_chunks(tx: Transaction, document_id: UUID, edition_id: int, overlaid: Overlaid) -> None:
    """Corrected chunks show that people changed them."""
    for ordinal, mark in overlaid.marks.items():
        await tx.run(
            Q.mark_chunk,
            document_id=document_id,
            edition_id=edition_id,
            ordinal=ordinal,
            original=mark.original,
            revision=mark.revision,
            edited_by=mark.edited_by,
            edited_at=mark.edited_at,
        )


def _widened(op: list[int], length: int) -> list[int]:
    """An insertion takes a neighbouring word with it, so that it has a place."""
    i1, i2, j1, j2 = op
    if i1 < i2:
        return op
    return [i1 - 1, i2, j1 - 1, j2] if i1 else [i1, min(i2 + 1, length), j1, j2 + 1]


def _difference(old: Sequence[str], new: Sequence[str], op: Sequence[int]) -> Difference:
    i1, i2, j1, j2 = op
    start = sum(map(len, old[:i1]))
    before, after = "".join(old[i1:i2]), "".join(new[j1:j2])
    while before and after and before[-1] == after[-1] and before[-1].isspace():
        before, after = before[:-1], after[:-1]
    return Difference(start=start, before=before, after=after)


def _around(original: str, one: Difference) -> tuple[str, str]:
    end = one.start + len(one.before)
    return original[max(0, one.start - _AROUND) : one.start], original[end : end + _AROUND]


def _has_room(found: Correction, chunks: Sequence[Chunk], placed: Sequence[Correction]) -> bool:
    """Whether a chunk holds the stretch and no later correction lies on it."""
    free = all(one.end_char <= found.start_char or found.end_char <= one.start_char for one in placed)
    return free and any(_meets(chunk, found) for chunk in chunks)


def _meets(chunk: Chunk, correction: Correction) -> bool:
    return chunk.start < correction.end_char and correction.start_char < chunk.end


def _corrected(chunk: Chunk, corrections: Sequence[Correction]) -> Chunk:
    """Its content with the corrections; one that is cut by the chunk's edge stands where it starts."""
    if not corrections:
        return chunk
    content = chunk.content
    lead = len(content) - (chunk.end - chunk.start)
    for one in sorted(corrections, key=lambda each: each.start_char, reverse=True):
        start = lead + max(one.start_char, chunk.start) - chunk.start
        end = lead + min(one.end_char, chunk.end) - chunk.start
        after = one.after if one.start_char >= chunk.start else ""
        content = content[:start] + after + content[end:]
    content = content.strip()
    return replace(
        chunk,
        content=content,
        tokens=count_tokens(content),
        content_hash=content_hash(content, chunk.context),
    )


def _mark(chunk: Chunk, corrections: Sequence[Correction]) -> EditedMark:
    last = max(corrections, key=lambda one: one.created_at)
    return EditedMark(
        original=chunk.content,
        revision=max(one.revision for one in corrections),
        edited_by=last.created_by,
        edited_at=last.created_at,
    )
