"""A document looked at as a whole, some of its blocks at a time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from veraz.db.scope import Scope
from veraz.passages.blocks import seen_blocks
from veraz.passages.model import DocumentView, Kind, SeenBlock, SeenDocument
from veraz.passages.reading import Reading
from veraz.passages.texts import Texts
from veraz.passages.view import SHEETS
from veraz.search.places import Segment, blocks_between
from veraz.text.blocks import Span

STEP: Final = 16_000
"""Characters whose blocks are given at once."""
_WORKBOOKS: Final = frozenset({"xlsx", "xls"})


async def document_view(
    texts: Texts, scope: Scope, seen: SeenDocument, first: int | None, quoted: Span | None
) -> DocumentView:
    """What is known of a document, and its blocks from a character on where one is named."""
    blocks: tuple[SeenBlock, ...] = ()
    after = None
    if first is not None:
        blocks, after = await _blocks(texts, scope, seen, first, quoted)
    return DocumentView(
        document_id=seen.document_id,
        kb_id=seen.kb_id,
        name=seen.name,
        title=seen.title,
        file_type=seen.file_type,
        version=seen.version,
        current=seen.current,
        view=_view(seen),
        pages_count=seen.pages_count,
        forgotten_pages=(await texts.forgotten_pages(scope, seen)).up_to(seen.pages_count),
        sheets=await texts.sheets(scope, seen) if seen.current and seen.file_type in _WORKBOOKS else (),
        blocks=blocks,
        next=after,
    )


async def _blocks(
    texts: Texts, scope: Scope, seen: SeenDocument, first: int, quoted: Span | None
) -> tuple[tuple[SeenBlock, ...], int | None]:
    """The blocks that begin in one step, and where the next step begins."""
    if seen.current:
        reading = await texts.reading(scope, seen, first, first + STEP)
    else:
        reading = Reading(await texts.segments(scope, seen, first, first + STEP))
    found = sorted(blocks_between(reading.segments, first, first + 2 * STEP), key=lambda one: one.start)
    own = [block for block in found if first <= block.start < first + STEP]
    after = next((block.start for block in found if block.start >= first + STEP), None)
    return seen_blocks(own, _joined(reading), quoted), after


def _joined(reading: Reading) -> Reading:
    """The same, in one piece: it is asked for every block and cell."""
    reading.segments = _one_piece(reading.segments)
    return reading


def _one_piece(segments: Sequence[Segment]) -> Sequence[Segment]:
    if len(segments) < 2:
        return segments
    text = "".join(segment.text for segment in segments)
    return [replace(segments[0], end_char=segments[-1].end_char, text=text)]


def _view(seen: SeenDocument) -> Kind:
    if seen.file_type == "pdf" and seen.storage_key is not None:
        return "page"
    return "sheet" if seen.file_type in SHEETS else "text"
