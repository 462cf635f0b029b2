"""Where what was found stands: the document's own pieces of every passage, and the place of any stretch of it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.search.model import Evidence, Passage, Question
from veraz.text.alignment import Alignment, align
from veraz.text.blocks import Block, Span, page_spans, unpack_between, unpack_lines
from veraz.text.rectangles import MarkedPage, Rectangle, rectangles

Q = queries(__file__)

_TITLES: Final = frozenset({"heading", "table_header"})
"""Blocks that name others: what a person adds beside them is no part of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a document's text; its blocks and lines as they are stored."""

    document_id: UUID
    start_char: int
    end_char: int
    text: str
    blocks: dict[str, Any]
    lines: list[list[Any]] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a stretch of a passage stands in its document."""

    start_char: int
    end_char: int
    text: str
    """What stands between these characters."""
    page_number: int | None
    headings: tuple[str, ...]
    sheet: str | None
    row: int | None
    columns: tuple[str, ...]
    introduction: str | None
    corrected: bool
    """Whether a person corrected these words: the document's file has others."""


async def with_blocks(db: Database, scope: Scope, question: Question, evidence: Evidence) -> Evidence:
    """The evidence, each passage with its blocks; what was left out too where somebody reads on."""
    dropped = evidence.dropped if question.reads else ()
    hits = (*evidence.hits, *(one.hit for one in dropped))
    found = iter(await placed_passages(db, scope, question, [hit.passage for hit in hits]))
    filled = {id(hit): replace(hit, passage=next(found)) for hit in hits}
    return replace(
        evidence,
        hits=tuple(filled[id(hit)] for hit in evidence.hits),
        dropped=tuple(replace(one, hit=filled[id(one.hit)]) for one in dropped) or evidence.dropped,
    )


async def placed_passages(
    db: Database, scope: Scope, question: Question, passages: Sequence[Passage]
) -> list[Passage]:
    """Passages that a search for the question found, each with the blocks it is made of."""
    ids = [passage.chunk_id for passage in passages]
    documents = await _segments(db, scope, question, ids) if ids else {}
    placed = [with_own_blocks(one, documents.get(one.document_id, ())) for one in passages]
    others = [one.chunk_id for one in placed if not one.blocks or _begins_otherwise(one)]
    originals = await _originals(db, scope, question, others) if others else {}
    return [
        _over_original(one, documents.get(one.document_id, ()), originals[one.chunk_id])
        if one.chunk_id in originals
        else one
        for one in placed
    ]


async def pages_of(
    db: Database, scope: Scope, question: Question, stretches: Sequence[tuple[UUID, UUID, Span]]
) -> list[tuple[MarkedPage, ...]]:
    """For chunks of documents with stretches of them (in the document's characters), the pages each stretch stands on."""
    ids = list({chunk_id for chunk_id, _, _ in stretches})
    documents = await _segments(db, scope, question, ids, with_lines=True) if ids else {}
    return [pages_in(documents.get(document, ()), *span) for _, document, span in stretches]


async def _segments(
    db: Database, scope: Scope, question: Question, chunk_ids: Sequence[UUID], *, with_lines: bool = False
) -> dict[UUID, list[Segment]]:
    rows = await db.call(
        scope,
        Q.passage_text,
        agent_id=question.agent_id,
        kb_ids=list(question.kb_ids) if question.kb_ids is not None else None,
        chunk_ids=list(chunk_ids),
        with_lines=with_lines,
    )
    documents: dict[UUID, list[Segment]] = defaultdict(list)
    for row in rows:
        documents[row["document_id"]].append(Segment(**row))
    return documents


def _begins_otherwise(passage: Passage) -> bool:
    """Whether something stands before a passage's text that is not the repeated header of its table."""
    before = passage.content[: passage.start_char - passage.end_char].rstrip("\n")
    return not (passage.blocks[0].table_header or "").startswith(before)


async def _originals(
    db: Database, scope: Scope, question: Question, chunk_ids: Sequence[UUID]
) -> dict[UUID, str | None]:
    """What those of the chunks that people corrected said before; None where that was not kept."""
    rows = await db.call(
        scope,
        Q.passage_originals,
        agent_id=question.agent_id,
        kb_ids=list(question.kb_ids) if question.kb_ids is not None else None,
        chunk_ids=list(chunk_ids),
    )
    return {row["chunk_id"]: row["original"] for row in rows}


def _over_original(passage: Passage, segments: Iterable[Segment], original: str | None) -> Passage:
    """A corrected passage with what was corrected in it; as a whole where its document does not say what stood there."""
    laid = with_own_blocks(passage, segments, original) if original is not None else passage
    return laid if laid.alignment else replace(passage, edited=passage.content != original)


def with_own_blocks(passage: Passage, segments: Iterable[Segment], original: str | None = None) -> Passage:
    """The passage with its blocks out of its document's segments; none where the two do not say the same.

    Of a passage that a person corrected, `original` is what it said before: then its blocks are those below the corrections.
    """
    start, end = passage.start_char, passage.end_char
    own = [segment for segment in segments if segment.start_char < end and segment.end_char > start]
    text, said = text_between(own, start, end), passage.content if original is None else original
    if len(text) != end - start or not text or not said.endswith(text):
        return passage
    cut_to = len(said) - len(text)
    blocks = {
        block.start: block
        for segment in own
        for block in unpack_between(segment.blocks, start, end, cut_to=cut_to)
    }
    if original is None:
        return replace(passage, blocks=tuple(blocks.values()))
    alignment = align(original, passage.content)
    laid = blocks_below(list(blocks.values()), alignment, passage.content)
    return replace(passage, blocks=laid, alignment=alignment)


def blocks_below(blocks: Sequence[Block], alignment: Alignment, content: str) -> tuple[Block, ...]:
    """The blocks of a text, where its corrected content holds them; those of which nothing is left are left out."""
    titles = [number for number, block in enumerate(blocks) if block.kind in _TITLES]
    spans = alignment.carry([(block.start, block.end) for block in blocks], last_choice=titles)
    laid = (_laid(block, span, alignment, content) for block, span in zip(blocks, spans, strict=True))
    return tuple(block for block in laid if block.start < block.end)


def _laid(block: Block, span: Span, alignment: Alignment, content: str) -> Block:
    words = content[slice(*span)]
    start, end = span[1] - len(words.lstrip()), span[0] + len(words.rstrip())
    own = [one for one in alignment.stretches if one.start < block.end and one.end > block.start]
    if start >= end or not own:
        return replace(block, start=start, end=start, cells=())
    within = Alignment(length=alignment.length, stretches=tuple(own))
    cells = within.carry(block.cells)
    breaks = (alignment.corrected(position, position + 1)[0] for position in block.page_breaks)
    return replace(
        block,
        start=start,
        end=end,
        page_breaks=tuple(position for position in breaks if start < position < end),
        cells=tuple((min(max(a, start), end), max(min(b, end), start)) for a, b in cells),
    )


def text_between(segments: Sequence[Segment], start: int, end: int) -> str:
    """The document's text from one character to another, as far as neighbouring segments hold it."""
    if not segments or end <= start:
        return ""
    base = segments[0].start_char
    text = "".join(segment.text for segment in segments)
    return text[max(start - base, 0) : max(end - base, 0)]


def blocks_between(segments: Iterable[Segment], start: int, end: int) -> list[Block]:
    """The blocks that have characters there, whole, each once."""
    found = {
        block.start: block for segment in segments for block in unpack_between(segment.blocks, start, end)
    }
    return list(found.values())


def pages_in(segments: Sequence[Segment], start: int, end: int) -> tuple[MarkedPage, ...]:
    """The pages a stretch stands on, the one it begins on first, with its rectangles where the lines are known."""
    own = [segment for segment in segments if segment.start_char < end and segment.end_char > start]
    spans = page_spans(blocks_between(own, start, end), start, end)
    if not spans:
        return ()
    base = own[0].start_char
    packed = {
        line[0]: [line[0] - base, line[1] - base, *line[2:]]
        for segment in own
        for line in segment.lines or ()
        if line[1] > start and line[0] < end
    }
    lines, text = unpack_lines(packed.values()), "".join(segment.text for segment in own)
    found: dict[int, list[Rectangle]] = {}
    for page, first, last in spans:
        drawn = rectangles(lines, text, first - base, last - base)
        found.setdefault(page, []).extend(map(_rounded, drawn))
    return tuple(MarkedPage(page_number=page, rectangles=tuple(drawn)) for page, drawn in found.items())


def _rounded(rectangle: Rectangle) -> Rectangle:
    left, bottom, right, top = rectangle
    return round(left, 1), round(bottom, 1), round(right, 1), round(top, 1)


def marks_on(pages: Iterable[MarkedPage], number: int | None) -> tuple[Rectangle, ...]:
    """The rectangles on one of these pages."""
    return next((page.rectangles for page in pages if page.page_number == number), ())


def place_of(passage: Passage, start: int = 0, end: int | None = None) -> Place:
    """Where `content[start:end]` of a passage stands: the place of its own block, not of the whole passage.

    Words that a person corrected have the place of those that stood there. Without blocks there is only the chunk's place.
    """
    last = len(passage.content) if end is None else end
    block = _block_at(passage, start)
    if block is None:
        return Place(
            start_char=passage.start_char,
            end_char=passage.end_char,
            text=passage.content,
            page_number=passage.only_page,
            headings=tuple(passage.headers),
            sheet=passage.sheet,
            row=passage.row_number,
            columns=(),
            introduction=None,
            corrected=passage.edited,
        )
    first, after = passage.in_document(start, last)
    if first == after and start < last:  # a table's header, repeated before the passage: it governs this row
        first, after = passage.in_document(block.start, block.end)
    return Place(
        start_char=first,
        end_char=after,
        text=passage.text_between(first, after),
        page_number=block.page_at(start) if passage.page_number is not None else None,
        headings=block.headers,
        sheet=block.sheet,
        row=block.row,
        columns=block.columns,
        introduction=block.introduction,
        corrected=passage.is_corrected(first, after),
    )


def _block_at(passage: Passage, start: int) -> Block | None:
    """The block at a place of the content, else the next one, else the last."""
    after = (block for block in passage.blocks if block.end > start)
    return next(after, passage.blocks[-1] if passage.blocks else None)
