"""The evidence as numbered sources, the way every writer and the check see it."""

from collections.abc import Sequence

from veraz.ask.check.injection import visible
from veraz.ask.check.reading import Source
from veraz.ask.model import Hit


def sources_of(hits: Sequence[Hit]) -> list[Source]:
    """`[Chunk 1]` is the best passage."""
    return [_source(number, hit) for number, hit in enumerate(hits, start=1)]


def _source(number: int, hit: Hit) -> Source:
    passage = hit.passage
    heading = [passage.title or "", *passage.headers, passage.document_name]
    return Source(
        number=number,
        chunk_id=passage.chunk_id,
        text=visible(passage.content),
        heading=visible(". ".join(dict.fromkeys(part for part in heading if part))),
        language=passage.language,
    )
