"""The types that travel along a question's way out, one per arrow; no step changes its input."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal
from uuid import UUID

from veraz.library.model import KbKind
from veraz.library.retrieval import RetrievalConfig
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.providers.embedding.base import Vectors
from veraz.search.calibration import Calibration
from veraz.text.alignment import Alignment
from veraz.text.blocks import Block, Span, sheet_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a passage's document must be like. Its date is the one written in it, else the day it was added."""

    document_ids: tuple[UUID, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    date_from: date | None = None
    date_until: date | None = None

    def to_json(self) -> dict[str, Any]:
        """As `veraz.search` reads them; nothing given is the empty object."""
        given = {
            "document_ids": None if self.document_ids is None else [str(i) for i in self.document_ids],
            "metadata": None if self.metadata is None else dict(self.metadata),
            "from": self.date_from.isoformat() if self.date_from else None,
            "until": self.date_until.isoformat() if self.date_until else None,
        }
        return {name: value for name, value in given.items() if value is not None}


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, of an agent or of knowledge bases, and how to retrieve for it."""

    text: str
    agent_id: UUID | None = None
    kb_ids: tuple[UUID, ...] | None = None
    filters: Filters = NO_FILTERS
    config: RetrievalConfig = field(default_factory=RetrievalConfig)
    model: str | None = None
    """The agent's chat model, where it has one; it may say the question in other words."""
    fallback_model: str | None = None
    reads: bool = False
    """Whether somebody reads what is found: then a small knowledge base is looked through to its end."""


HelpStage = Literal["rewrite", "rerank"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """An outside model that was asked for help, and what it took; with a `fault` the search went on without it."""

    stage: HelpStage
    model: str
    usage: Usage = NO_USAGE
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One wording of the question."""

    text: str
    rewritten: bool = False
    spelling: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By language, misspelt words and the known ones they stand for."""
    meant: str = ""
    """The text with those words put right, where there are any."""

    @property
    def embedded(self) -> str:
        """The text whose vector is searched with."""
        return self.meant or self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One knowledge base of the reading set, as its live edition is searched."""

    kb_id: UUID
    edition_id: int
    space_id: int
    kind: KbKind
    priority: int
    search_weight: float
    kb_name: str
    language: str
    space: str
    dimensions: int
    chunks: int
    """As many as the caller reads; those of other machines do not count."""
    shared: int
    """Of them, those that are bound to no machine."""
    curve: Calibration
    """What a cosine means here."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """A chunk one of the searches found, with its raw scores."""

    chunk_id: UUID
    document_id: UUID
    kb_id: UUID
    edition_id: int
    space_id: int
    kind: KbKind
    content: str
    context: str
    headers: list[str]
    page_number: int | None
    part: str | None
    row_number: int | None
    ordinal: int
    start_char: int
    end_char: int
    tokens: int
    quality: int | None
    embedding: Vectors | None
    cosine: float | None
    bm25: float
    document_name: str
    title: str | None
    source_url: str | None
    language: str
    """Of the knowledge base: how its words were cut to stems."""
    document_language: str | None
    metadata: dict[str, Any]
    source_tier: str | None
    authority_score: float
    evidence_level: str | None
    institution: str | None
    peer_reviewed: bool
    blocks: tuple[Block, ...] = ()
    """The pieces of the document it is made of, their spans counted in `content`; none where its text is not stored or is
    not what the chunk was cut from."""
    alignment: Alignment | None = None
    """How its content lies over what the document says, where a person has corrected it."""
    edited: bool = False
    """Whether a person has corrected it and nobody knows which of its words: what it said before is not in the document."""
    pages: tuple[int, int] | None = None
    """The pages it begins and ends on; None where that is not known or there are none."""
    bbox: tuple[float, ...] | None = None
    """The rectangle it fills on its first page: left, bottom, right, top in PDF points from the lower left corner."""

    @property
    def only_page(self) -> int | None:
        """The page all of it stands on."""
        return self.page_number if self.pages is None or self.pages[0] == self.pages[1] else None

    @property
    def sheet(self) -> str | None:
        """The sheet it begins in."""
        return sheet_name(self.part, self.row_number, page=self.page_number, headings=self.headers)

    @property
    def offset(self) -> int:
        """What to add to a place in `content` for the place in the document: a table's header may be repeated before it.

        Of a corrected passage it holds from the last correction on; `in_document` knows every place.
        """
        return self.end_char - len(self.content)

    def in_document(self, start: int, end: int) -> Span:
        """Where `content[start:end]` stands in the document's text; what was corrected, where the words before it stood."""
        offset = self.offset
        if self.alignment is not None:
            offset = self.end_char - self.alignment.length
            start, end = self.alignment.original(start, end)
        return max(start + offset, self.start_char), max(end + offset, self.start_char)

    def text_between(self, start: int, end: int) -> str:
        """What it says from one character of the document to another, corrections whole."""
        offset = self.offset
        if self.alignment is not None:
            offset = self.end_char - self.alignment.length
            start, end = self.alignment.corrected(start - offset, end - offset)
            return self.content[start:end]
        return self.content[start - offset : end - offset]

    def is_corrected(self, start: int, end: int) -> bool:
        """Whether a person changed any word between two characters of the document."""
        if self.alignment is None:
            return self.edited
        offset = self.end_char - self.alignment.length
        return self.alignment.changes(start - offset, end - offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What both searches found for one query."""

    query: Query
    passages: tuple[Passage, ...]
    idf: Mapping[str, Mapping[str, float]]
    """For each language the query's words with their idf in the reading set."""
    searched: int
    """Chunks the reading set holds, after filters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with every score it was given."""

    passage: Passage
    similarity: float
    """The cosine on the scale where 0.7 means the same in every model."""
    rrf_score: float
    match: float
    """How well meaning, words and rerank together say it fits, 0…1, before boosts and weights."""
    boost: float
    """What tier, evidence level, peer review and quality add to the log-odds."""
    relevance: float
    """After boosts and the knowledge base's weight; what results are ordered by."""
    reranked: bool


Cut = Literal["below_threshold", "similar_to_better", "source_cap", "top_k", "token_budget"]
"""Why a passage that was found is not among the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A passage that was found and left out."""

    hit: Hit
    cut: Cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The passages an answer may stand on, best first, and those left out."""

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...] = ()
    searched: int = 0
    reranked: int = 0

    @property
    def retrieved(self) -> int:
        """How many passages the searches found."""
        return len(self.hits) + len(self.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The evidence as text: what fits, which passages are in it, and which were left out for want of room."""

    text: str
    used: tuple[Hit, ...]
    left_out: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search answers with."""

    question: Question
    queries: tuple[Query, ...]
    shelves: tuple[Shelf, ...]
    evidence: Evidence
    context: Context
    stages: Mapping[str, float]
    """Milliseconds per stage."""
    without_meaning: tuple[str, ...] = ()
    """Embedding spaces whose provider did not answer: there only words were searched."""
    helped: tuple[Help, ...] = ()
    """The outside models that were asked, also those that did not answer."""

    @property
    def is_personal(self) -> bool:
        """Whether something of somebody's own knowledge was found, read or not."""
        found = (*self.evidence.hits, *(one.hit for one in self.evidence.dropped))
        return any(hit.passage.kind == "personal" for hit in found)

    @property
    def rewrites(self) -> list[str]:
        """The other wordings that were searched."""
        return [query.text for query in self.queries if query.rewritten]

    def spelling(self, *languages: str) -> dict[str, str]:
        """Words of the question that were taken for others, in some languages or in all."""
        return {
            typed: right
            for query in self.queries
            for language, words in query.spelling.items()
            if not languages or language in languages
            for typed, right in words.items()
        }

    @property
    def formatted_context(self) -> str:
        """The evidence as a model reads it."""
        return self.context.text

    @property
    def search_time_ms(self) -> float:
        """Milliseconds from the question to the context."""
        return round(sum(self.stages.values()), 1)
