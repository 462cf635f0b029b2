"""The stored text of a document's versions, put together from its segments, and without what was forgotten of it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from veraz.ingest.forgotten_spans import Piece, Place, barred, blocks_without, places
from veraz.ingest.model import Block
from veraz.text.blocks import compact, pack_blocks, unpack_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSegment:
    """A stretch of a version's text as it is stored."""

    version: int
    start_char: int
    text: str
    blocks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """The whole text of a version; its segments follow each other without gaps."""

    version: int
    segments: Sequence[StoredSegment]
    text: str
    blocks: Sequence[Block]

    def gaps(self, document_id: UUID, spans: Sequence[Piece]) -> list[Place]:
        """Where it says what was forgotten."""
        return places(self.text, document_id, spans)

    def without(self, document_id: UUID, spans: Sequence[Piece]) -> list[StoredSegment]:
        """Its segments with bars for what was forgotten; none where it says nothing of it."""
        gaps = self.gaps(document_id, spans)
        return list(self._barred(gaps, document_id, spans)) if gaps else []

    def _barred(
        self, gaps: Sequence[Place], document_id: UUID, spans: Sequence[Piece]
    ) -> Iterator[StoredSegment]:
        after = barred(self.text, gaps)
        kept = blocks_without(self.blocks, self.text, after, document_id, spans)
        for segment in self.segments:
            end = segment.start_char + len(segment.text)
            own = [next(kept) for _ in _blocks(segment)]
            yield replace(segment, text=after[segment.start_char : end], blocks=compact(pack_blocks(own)))


def stored_texts(segments: Iterable[StoredSegment]) -> list[StoredText]:
    """The texts of all versions, from their segments in order."""
    return [_whole(version, list(own)) for version, own in groupby(segments, lambda one: one.version)]


def _whole(version: int, segments: Sequence[StoredSegment]) -> StoredText:
    return StoredText(
        version=version,
        segments=segments,
        text="".join(one.text for one in segments),
        blocks=[block for one in segments for block in _blocks(one)],
    )


def _blocks(segment: StoredSegment) -> list[Block]:
    return unpack_blocks(json.loads(segment.blocks))
