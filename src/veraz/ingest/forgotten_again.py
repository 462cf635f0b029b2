"""What a document that a backup brought back says of what was forgotten of it."""

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from veraz.db.forgotten import Again, Kept, Segment
from veraz.ingest.forgotten_spans import Piece
from veraz.ingest.stored_texts import StoredSegment, stored_texts


def said_again(document_id: UUID, segments: Sequence[Segment], kept: Sequence[Kept]) -> Again:
    """The forgotten words in all versions of its stored text, and that text without them."""
    pieces = [Piece(**asdict(one)) for one in kept]
    texts = stored_texts(StoredSegment(**asdict(one)) for one in segments)
    found = [(text, text.gaps(document_id, pieces)) for text in texts]
    said = [text.text[start:end] for text, gaps in found for start, end in gaps]
    barred = [segment for text, gaps in found if gaps for segment in text.without(document_id, pieces)]
    return Again(
        texts=list(dict.fromkeys(said)),
        gaps=max(found, key=lambda one: one[0].version)[1] if found else (),
        segments=[Segment(**asdict(one)) for one in barred],
    )
