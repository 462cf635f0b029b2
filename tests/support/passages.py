"""Passages out of thin air, for the steps after retrieval."""

from typing import Any
from uuid import UUID

from veraz.ids import new_id
from veraz.search.model import Hit, Passage


def make_hit(text: str, *, match: float = 0.9, similarity: float = 0.8, **fields: Any) -> Hit:
    """A passage that was found, with good scores unless said otherwise."""
    given: dict[str, Any] = {
        "chunk_id": new_id(), "document_id": new_id(), "kb_id": UUID(int=1), "edition_id": 1, "space_id": 1, "kind": "global",
        "content": text, "context": "", "headers": [], "page_number": None, "part": None, "row_number": None, "ordinal": 0,
        "start_char": 0, "end_char": len(text), "tokens": len(text) // 4, "quality": 50, "embedding": None, "cosine": 0.5,
        "bm25": 3.0, "document_name": "doc.md", "title": None, "source_url": None, "language": "es", "document_language": "es",
        "metadata": {}, "source_tier": None, "authority_score": 0.0, "evidence_level": None, "institution": None,
        "peer_reviewed": False,
    }  # fmt: skip
    return Hit(
        passage=Passage(**(given | fields)),
        similarity=similarity,
        rrf_score=0.03,
        match=match,
        boost=0.0,
        relevance=match,
        reranked=True,
    )
