"""What the API answers with. The fields programs use have names; everything else stays in `raw`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A JSON object with names; fields this client does not know yet are in `raw`."""

    raw: Json = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, data: Json, **made: Any) -> Self:
        """From the API's JSON; `made` are fields that are objects themselves."""
        named = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        return cls(**(named | made | {"raw": data}))


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase(Model):
    """A shelf of documents."""

    id: str
    name: str
    kind: Literal["global", "personal"]
    status: str
    total_documents: int = 0
    total_chunks: int = 0
    administered: bool = True
    """False: agents read it for you; you see that it is there and nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Model):
    """Somebody who answers."""

    id: str
    name: str
    project_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Received(Model):
    """A file that waits to be processed, or one of several that was refused (`error`)."""

    document_id: str | None
    filename: str
    status: str
    version: int | None = None
    error: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Model):
    """How far a document has come."""

    status: Literal["pending", "processing", "completed", "failed"]
    progress_percent: int
    chunks_created: int
    stage: str | None = None
    error_code: str | None = None
    error_message: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.status in ("completed", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Model):
    """A document."""

    id: str
    kb_id: str
    name: str
    status: str
    chunks_count: int
    version: int = 1
    superseded_by: str | None = None
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion(Model):
    """One version of a document's file."""

    version: int
    status: Literal["pending", "current", "superseded", "failed"]
    name: str
    size_bytes: int
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(Model):
    """What a person corrected; `asks` when the text below has changed since."""

    id: str
    status: Literal["applied", "asks", "discarded"]
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Model):
    """A passage with where it stands and how well it fits."""

    chunk_id: str
    document_id: str
    document_name: str
    content: str
    page_number: int | None
    headers: list[str]
    similarity_score: float
    relevance: float
    start_char: int = 0
    end_char: int = 0
    pages: list[int] | None = None
    bbox: list[float] | None = None
    sheet: str | None = None
    row: int | None = None
    place: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Model):
    """What a search found, best first."""

    passages: list[Passage]
    formatted_context: str
    search_time_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPage(Model):
    """A page that words stand on, and where on it: left, bottom, right and top of each line in PDF points."""

    page_number: int
    rectangles: list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(Model):
    """The words a claim stands on, and where they stand."""

    chunk_id: str
    document_id: str
    document_name: str
    place: list[str]
    page_number: int | None
    start_char: int
    end_char: int
    text: str
    sheet: str | None = None
    row: int | None = None
    columns: list[str] = field(default_factory=list)
    rectangles: list[list[float]] = field(default_factory=list)
    pages: list[MarkedPage] = field(default_factory=list)
    """Every page they stand on; `rectangles` are those of the first."""
    corrected: bool = False
    """Whether a person corrected these words; the document's file has others."""
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Model):
    """A sentence of an answer and the quotes that prove it; `verdict` is `supported` or `quoted`."""

    text: str
    verdict: str
    chunk_ids: list[str]
    quotes: list[Quote]


def claim(data: Json) -> Claim:
    """A claim with its quotes."""
    return Claim.of(data, quotes=[_quote(one) for one in data["quotes"]])


def _quote(data: Json) -> Quote:
    return Quote.of(data, pages=[MarkedPage.of(one) for one in data.get("pages", ())])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Model):
    """An answer with its proof, or a refusal."""

    answer: str
    refused: bool
    answerable: bool
    turn: str
    handoff: bool
    claims: list[Claim]
    evidence: list[Passage]
    conversation_id: str | None
    latency_ms: float
    model: str

    def sources(self, claim: Claim) -> list[Passage]:
        """The passages behind a claim."""
        return [passage for passage in self.evidence if passage.chunk_id in claim.chunk_ids]


def search_result(data: Json) -> SearchResult:
    """A search's answer."""
    return SearchResult.of(data, passages=[Passage.of(one) for one in data["results"]])


def answer(data: Json) -> Answer:
    """An agent's answer."""
    return Answer.of(
        data,
        claims=[claim(one) for one in data["claims"]],
        evidence=[Passage.of(one) for one in data["evidence"]],
    )
