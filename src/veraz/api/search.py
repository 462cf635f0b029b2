"""Searching: the test search of a knowledge base and of an agent, why something was not found, the log."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import Field

from veraz.answer.evidence import place_of
from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.problems import language_of
from veraz.api.schemas import Body, JsonObject, PageView, Paging, StoredJson, Text, View, page_of
from veraz.search.explain import Explanation
from veraz.search.log import Origin, Outcome
from veraz.search.model import Filters, Hit, SearchResult
from veraz.search.service import LONGEST_QUERY, Wish

router = APIRouter(tags=["search"])

QueryText = Annotated[Text, Field(min_length=1, max_length=LONGEST_QUERY)]


class DateRange(Body):
    """Days, both included; the date of a document is the one written in it, else the day it was added."""

    from_: Annotated[date | None, Field(alias="from")] = None
    to: date | None = None


class FiltersBody(Body):
    """What a passage's document must be like."""

    document_ids: Annotated[list[UUID], Field(max_length=1_000)] | None = None
    metadata: Annotated[JsonObject, Field(max_length=50)] | None = None
    date_range: DateRange | None = None

    def filters(self) -> Filters:
        """As the search takes them."""
        days = self.date_range or DateRange()
        return Filters(
            document_ids=None if self.document_ids is None else tuple(self.document_ids),
            metadata=self.metadata,
            date_from=days.from_,
            date_until=days.to,
        )


class SearchBody(Body):
    """A search; what is not said comes from the agent's settings."""

    query: QueryText
    top_k: Annotated[int, Field(ge=1, le=50)] | None = None
    similarity_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    rerank: bool | None = None
    boosts: bool | None = None
    filters: FiltersBody = Field(default_factory=FiltersBody)

    def wish(self) -> Wish:
        """What this search wants otherwise."""
        return Wish(
            top_k=self.top_k,
            similarity_threshold=self.similarity_threshold,
            rerank=self.rerank,
            boosts=self.boosts,
        )


class SearchKbsBody(SearchBody):
    """A search over several knowledge bases at once."""

    knowledge_base_ids: Annotated[list[UUID], Field(min_length=1, max_length=100)]


class ExplainBody(SearchBody):
    """A search and the document or passage that was expected in it."""

    document_id: UUID | None = None
    chunk_id: UUID | None = None


class WhyBody(ExplainBody):
    """The same for a knowledge base; the passage may also be named by words that stand in it."""

    words: Annotated[Text, Field(min_length=1, max_length=2_000)] | None = None


class ResultView(View):
    """A passage with its scores. `similarity_score` and `relevance` mean the same under every model; `cosine`,
    `keyword_rank` (BM25) and `rrf_score` are raw."""

    chunk_id: UUID
    document_id: UUID
    document_name: str
    kb_id: UUID
    kb_kind: Literal["global", "personal"]
    content: str
    start_char: int
    end_char: int
    """In the characters of the document's text."""
    page_number: int | None
    """Where it begins; null for documents read before pages were certain, until they are processed again."""
    pages: list[int] | None
    """The first page and the last."""
    bbox: list[float] | None
    """The rectangle it fills on its first page: left, bottom, right, top in PDF points from the lower left corner."""
    sheet: str | None
    row: int | None
    headers: list[str]
    place: list[str]
    """Title, sheet and headings."""
    similarity_score: float
    cosine: float | None
    keyword_rank: float
    rrf_score: float
    match: float
    boost: float
    relevance: float
    source_tier: str | None
    authority_score: float
    evidence_level: str | None
    institution: str | None
    peer_reviewed: bool
    source_url: str | None
    metadata: StoredJson


class HelpView(View):
    """An outside model that was asked; with a `fault` the search went on without it."""

    stage: Literal["rewrite", "rerank"]
    model: str
    fault: str | None


class SearchView(View):
    """What a search found."""

    results: list[ResultView]
    formatted_context: str
    search_time_ms: float
    total_chunks_searched: int
    chunks_retrieved: int
    reranked_count: int
    stages: dict[str, float]
    rewrites: list[str]
    without_meaning: list[str]
    """Embedding spaces whose provider did not answer: there only words were searched."""
    helped: list[HelpView]
    """The outside models that were asked for other wordings or a closer look."""


class FateView(View):
    """What became of one passage."""

    chunk_id: UUID
    ordinal: int
    content: str
    reason: str
    place: int | None
    similarity: float
    cosine: float | None
    keyword_rank: float
    rrf_score: float
    match: float
    relevance: float
    vector_rank: int | None
    """Its place among all passages by meaning, from 1; null where it is farther than was looked."""
    word_rank: int | None
    """Its place by words; null also where it has none of them."""


class ExplanationView(View):
    """Why a document is, or is not, among the evidence."""

    document_id: UUID
    document_name: str
    kb_id: UUID
    kb_name: str
    reason: str
    message: str
    advice: str
    """What to do about it."""
    threshold: float
    depth: int
    """How many passages each of the two searches, by meaning and by words, hands on."""
    passages: list[FateView]
    rewrites: list[str]
    """The other wordings of the question that were searched."""
    spelling: dict[str, str]
    """Words that were taken for others."""
    helped: list[HelpView]


class QueryView(View):
    """A question as it was answered."""

    id: UUID
    kind: Literal["search", "ask"]
    agent_id: UUID | None
    kb_ids: list[UUID]
    user_id: UUID | None
    question: str
    rewrites: list[str]
    stages: dict[str, float]
    latency_ms: float
    chunks_searched: int
    chunks_retrieved: int
    reranked_count: int
    scores: list[StoredJson]
    best_relevance: float | None
    refused: bool
    origin: Origin
    """Who asked: a person, a program, or one of the tests: test search, studio, exam, eval."""
    outcome: Outcome | None
    """How a question to an agent ended."""
    created_at: datetime


class UseView(View):
    """Use of a knowledge base over the days asked for."""

    queries: int
    refused: int
    users: int
    p50_ms: float | None
    p95_ms: float | None
    mean_relevance: float | None
    by_day: dict[str, int]


class StatsView(View):
    """What a knowledge base holds and how it is used."""

    total_documents: int
    total_chunks: int
    total_size_bytes: int
    total_tokens_used: int
    last_queried_at: datetime | None
    days: int
    use: UseView


@router.post("/knowledge-bases/{kb_id}/search")
@takes(QUESTION)
async def search_kb(kb_id: UUID, body: SearchBody, actor: Caller, veraz: Services) -> SearchView:
    """Searches one knowledge base."""
    found = await veraz.search.search_kb(
        actor, kb_id, body.query, wish=body.wish(), filters=body.filters.filters(), origin="program"
    )
    return search_view(found)


@router.post("/knowledge-bases/{kb_id}/search/why")
@takes(QUESTION)
async def why(
    kb_id: UUID, body: WhyBody, actor: Caller, veraz: Services, request: Request
) -> ExplanationView:
    """Why a document, a passage, or the passage that says these words is, or is not, found."""
    told = await veraz.search.explain_kb(
        actor,
        kb_id,
        body.query,
        document_id=body.document_id,
        chunk_id=body.chunk_id,
        words=body.words,
        wish=body.wish(),
        filters=body.filters.filters(),
    )
    return _explanation_view(told, language_of(request.headers))


@router.post("/search")
@takes(QUESTION)
async def search_kbs(body: SearchKbsBody, actor: Caller, veraz: Services) -> SearchView:
    """Searches several knowledge bases as if they were one."""
    found = await veraz.search.search_kbs(
        actor,
        body.knowledge_base_ids,
        body.query,
        wish=body.wish(),
        filters=body.filters.filters(),
        origin="program",
    )
    return search_view(found)


@router.get("/knowledge-bases/{kb_id}/stats")
async def stats(
    kb_id: UUID, actor: Caller, veraz: Services, days: Annotated[int, Query(ge=1, le=3_650)] = 30
) -> StatsView:
    """What it holds, and how it was asked over the last days."""
    kb = await veraz.knowledge_bases.get(actor, kb_id)
    use = await veraz.search.kb_use(actor, kb_id, days=days)
    held = {name: getattr(kb, name) for name in StatsView.model_fields if name.startswith("total_")}
    return StatsView(**held, last_queried_at=kb.last_queried_at, days=days, use=UseView.model_validate(use))


@router.post("/agents/{agent_id}/search")
@takes(QUESTION)
async def search_agent(agent_id: UUID, body: SearchBody, actor: Caller, veraz: Services) -> SearchView:
    """Searches what the agent may read for you, as its chat does."""
    found = await veraz.search.search_agent(
        actor, agent_id, body.query, wish=body.wish(), filters=body.filters.filters(), origin="program"
    )
    return search_view(found)


@router.post("/agents/{agent_id}/explain")
@takes(QUESTION)
async def explain(
    agent_id: UUID, body: ExplainBody, actor: Caller, veraz: Services, request: Request
) -> ExplanationView:
    """Why a document or passage is, or is not, among the evidence."""
    told = await veraz.search.explain(
        actor,
        agent_id,
        body.query,
        document_id=body.document_id,
        chunk_id=body.chunk_id,
        wish=body.wish(),
        filters=body.filters.filters(),
    )
    return _explanation_view(told, language_of(request.headers))


@router.get("/queries")
async def queries(
    actor: Caller, veraz: Services, page: Paging, agent: UUID | None = None, kb: UUID | None = None
) -> PageView[QueryView]:
    """Questions and how they were answered: your own, those of projects you manage; an admin sees all."""
    return page_of(QueryView, await veraz.search.queries(actor, page, agent_id=agent, kb_id=kb))


def result_views(hits: Sequence[Hit]) -> list[ResultView]:
    """Passages as every answer of the API shows them."""
    return [_result_view(hit) for hit in hits]


def search_view(found: SearchResult) -> SearchView:
    """What every door that answers with JSON shows."""
    return SearchView(
        results=result_views(found.evidence.hits),
        formatted_context=found.formatted_context,
        search_time_ms=found.search_time_ms,
        total_chunks_searched=found.evidence.searched,
        chunks_retrieved=found.evidence.retrieved,
        reranked_count=found.evidence.reranked,
        stages=dict(found.stages),
        rewrites=found.rewrites,
        without_meaning=list(found.without_meaning),
        helped=[HelpView.model_validate(one) for one in found.helped],
    )


def _result_view(hit: Hit) -> ResultView:
    passage = hit.passage
    same = ("chunk_id", "document_id", "document_name", "kb_id", "content", "start_char", "end_char", "page_number", "headers", "source_tier",
            "authority_score", "evidence_level", "institution", "peer_reviewed", "source_url", "metadata")  # fmt: skip
    given: dict[str, Any] = {name: getattr(passage, name) for name in same}
    return ResultView(
        **given,
        pages=list(passage.pages) if passage.pages else None,
        bbox=list(passage.bbox) if passage.bbox else None,
        sheet=passage.sheet,
        row=passage.row_number,
        place=list(place_of(passage)),
        kb_kind=passage.kind,
        similarity_score=round(hit.similarity, 4),
        cosine=None if passage.cosine is None else round(passage.cosine, 4),
        keyword_rank=round(passage.bm25, 4),
        rrf_score=round(hit.rrf_score, 6),
        match=round(hit.match, 4),
        boost=round(hit.boost, 2),
        relevance=round(hit.relevance, 4),
    )


def _explanation_view(told: Explanation, language: str) -> ExplanationView:
    return ExplanationView(
        document_id=told.document_id,
        document_name=told.document_name,
        kb_id=told.kb_id,
        kb_name=told.kb_name,
        reason=told.reason,
        message=told.message(language),
        advice=told.advice(language),
        threshold=told.threshold,
        depth=told.depth,
        passages=[FateView.model_validate(fate) for fate in told.fates],
        rewrites=list(told.rewrites),
        spelling=dict(told.spelling),
        helped=[HelpView.model_validate(one) for one in told.helped],
    )
