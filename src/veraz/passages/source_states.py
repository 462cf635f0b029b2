"""What became of many quotations at once, in a few queries: whether their documents still say what was quoted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.passages.model import LinkState
from veraz.passages.reading import CorrectedChunk, Reading
from veraz.search.links import LinkedQuote
from veraz.search.places import Segment, text_between

Q = queries(__file__)


async def source_states(
    db: Database, scope: Scope, links: Sequence[LinkedQuote]
) -> dict[LinkedQuote, LinkState | None]:
    """The state of each; None where only earlier versions of its document can tell."""
    ids = list({link.document_id for link in links})
    seen = {row["document_id"] for row in await db.call(scope, Q.documents, document_ids=ids)}
    by_hand = await db.call(scope, Q.corrections, document_ids=list(seen))
    wanted = [_wanted(link, by_hand) for link in links if link.document_id in seen]
    texts = await db.call(scope, Q.stretches, **_stretches((one.link, one.low, one.high) for one in wanted))
    segments = [Segment(**row, blocks={}, lines=None) for row in texts]
    states: dict[LinkedQuote, LinkState | None] = dict.fromkeys(links, "forgotten")
    states |= {one.link: _state(one, segments) for one in wanted}
    doubtful = [link for link, state in states.items() if state in (None, "changed")]
    return states | dict.fromkeys(await _in_chunks(db, scope, doubtful), "current")


async def _in_chunks(db: Database, scope: Scope, links: Sequence[LinkedQuote]) -> list[LinkedQuote]:
    """Those that a chunk says: it was read before texts were stored, or corrected before originals were."""
    if not links:
        return []
    rows = await db.call(scope, Q.chunks, **_stretches((link, link.start, link.end) for link in links))
    said = [((row["document_id"], row["start_char"], row["end_char"]), row["content"]) for row in rows]
    return [
        link
        for link in links
        if any(place == (link.document_id, link.start, link.end) and link.says(text) for place, text in said)
    ]


def _stretches(places: Iterable[tuple[LinkedQuote, int, int]]) -> dict[str, list[Any]]:
    each = list(places)
    return {
        "document_ids": [link.document_id for link, _, _ in each],
        "starts": [start for _, start, _ in each],
        "ends": [end for _, _, end in each],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A link with the chunks that people corrected where it points, and how far they reach."""

    link: LinkedQuote
    chunks: list[CorrectedChunk]
    low: int
    high: int


def _wanted(link: LinkedQuote, by_hand: Iterable[dict[str, Any]]) -> _Wanted:
    chunks = [
        CorrectedChunk(**{name: value for name, value in row.items() if name != "document_id"})
        for row in by_hand
        if row["document_id"] == link.document_id
        and row["start_char"] < link.end
        and row["end_char"] > link.start
    ]
    chunks.sort(key=lambda one: one.start_char > link.start or one.end_char < link.end)
    low = min([link.start, *(one.start_char for one in chunks)])
    high = max([link.end, *(one.end_char for one in chunks)])
    return _Wanted(link=link, chunks=chunks, low=low, high=high)


def _state(wanted: _Wanted, segments: Iterable[Segment]) -> LinkState | None:
    link = wanted.link
    own = [
        one
        for one in segments
        if one.document_id == link.document_id and one.start_char < wanted.high and one.end_char > wanted.low
    ]
    reading = Reading(own, wanted.chunks)
    if link.says(reading.text(link.start, link.end)):
        return "current"
    if link.says(text_between(own, link.start, link.end)):
        return "corrected"
    return None if reading.is_corrected(link.start, link.end) else "changed"
