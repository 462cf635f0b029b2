"""An answer as it is kept with its message: enough to show again what it stands on, and no text of passages.

The text of a passage is looked up when somebody opens it, so that what was forgotten stays forgotten.
"""

from typing import Any
from uuid import UUID

from veraz.answer.evidence import place_of
from veraz.answer.model import Answer, Claim
from veraz.search import places
from veraz.search.links import QuoteLinks
from veraz.search.model import Hit


def stored_claim(claim: Claim) -> dict[str, Any]:
    """A claim: what it stands on, where, and why it was believed."""
    return {
        "text": claim.text,
        "verdict": claim.verdict,
        "chunk_ids": [str(chunk) for chunk in claim.chunk_ids],
        "support": claim.support,
        "quotes": [quote.to_json() for quote in claim.quotes],
    }


def stored_evidence(answer: Answer, tenant_id: UUID, links: QuoteLinks | None) -> list[dict[str, Any]]:
    """The passages that were read for it, best first: `[Chunk 1]` of its text is the first of them."""
    cited = {chunk for claim in answer.claims for chunk in claim.chunk_ids}
    return [_stored_hit(hit, hit.passage.chunk_id in cited, tenant_id, links) for hit in answer.evidence]


def _stored_hit(hit: Hit, cited: bool, tenant_id: UUID, links: QuoteLinks | None) -> dict[str, Any]:
    passage, place = hit.passage, places.place_of(hit.passage)
    start, end = place.start_char, place.end_char
    return {
        "chunk_id": str(passage.chunk_id),
        "document_id": str(passage.document_id),
        "document_name": passage.document_name,
        "relevance": hit.relevance,
        "scores": {
            "similarity": hit.similarity,
            "cosine": passage.cosine,
            "bm25": passage.bm25,
            "rrf_score": hit.rrf_score,
            "match": hit.match,
            "boost": hit.boost,
        },
        "cited": cited,
        "page_number": place.page_number,
        "place": list(place_of(passage, place.headings)),
        "start_char": start,
        "end_char": end,
        "url": links.url(tenant_id, passage.document_id, start, end, place.text) if links else None,
    }
