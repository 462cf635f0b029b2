"""The document's text and its places, stored once: in segments, so that a passage is read without its whole document."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.ingest.model import Block, Parsed, TextLine
from veraz.ingest.store import Target
from veraz.text.blocks import compact, pack_blocks, pack_lines

Q = queries(__file__)

SEGMENT_CHARACTERS = 8_000
"""About how long a segment is: it ends before the block that would make it longer."""
LONGEST_SEGMENT = 16_000
"""No segment is longer, even if a block is; `veraz.passage_text` looks no further back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of the document's text with its places, as it is stored."""

    start: int
    end: int
    text: str
    blocks: str
    lines: str | None


def segments(parsed: Parsed) -> list[Segment]:
    """The whole text, cut between blocks."""
    block_ends = [block.end for block in parsed.blocks]
    block_starts = [block.start for block in parsed.blocks]
    line_ends = [line.end for line in parsed.lines]
    line_starts = [line.start for line in parsed.lines]
    return [
        _segment(
            parsed.text,
            start,
            end,
            parsed.blocks[bisect_right(block_ends, start) : bisect_left(block_starts, end)],
            parsed.lines[bisect_right(line_ends, start) : bisect_left(line_starts, end)],
        )
        for start, end in pairwise(_borders(parsed))
    ]


async def replace_text(
    tx: Transaction, target: Target, parts: Sequence[Segment], *, version: int = 1
) -> None:
    """The text of this version of the document becomes exactly this."""
    await tx.run(Q.remove_text, document_id=target.document_id, version=version)
    await tx.many(
        Q.add_text,
        (
            {
                "tenant_id": target.tenant_id,
                "kb_id": target.kb_id,
                "document_id": target.document_id,
                "machine_id": target.machine_id,
                "version": version,
                "start": part.start,
                "end": part.end,
                "text": part.text,
                "blocks": part.blocks,
                "lines": part.lines,
            }
            for part in parts
        ),
    )


def _segment(text: str, start: int, end: int, blocks: Sequence[Block], lines: Sequence[TextLine]) -> Segment:
    return Segment(
        start=start,
        end=end,
        text=text[start:end],
        blocks=compact(pack_blocks(blocks)),
        lines=compact(pack_lines(lines)) if lines else None,
    )


def _borders(parsed: Parsed) -> Iterator[int]:
    """Where segments begin, and the end of the last one."""
    start = 0
    yield start
    for block, after in pairwise((*parsed.blocks, None)):
        assert block is not None
        end = after.start if after else len(parsed.text)
        if block.start > start and end - start > SEGMENT_CHARACTERS:
            yield (start := block.start)
        while end - start > LONGEST_SEGMENT:
            yield (start := start + SEGMENT_CHARACTERS)
    if start < len(parsed.text):
        yield len(parsed.text)
