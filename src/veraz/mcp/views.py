"""What the tools answer with: few fields with plain names, because a model reads them; every passage can be cited."""

from collections.abc import Iterable
from uuid import UUID

from pydantic import BaseModel, Field

from veraz.answer import model as answer_model
from veraz.answer.model import Answer
from veraz.ingest.documents import ChunkView, Document
from veraz.library.model import Agent, KnowledgeBase
from veraz.search.model import Hit


class Passage(BaseModel):
    """A piece of a document, to be quoted with its document and page."""

    chunk_id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    page: int | None
    pages: list[int] | None = Field(description="the first page and the last")
    sheet: str | None
    row: int | None
    headings: list[str]
    text: str
    relevance: float = Field(description="0 to 1; the same scale under every model")
    source_url: str | None


class Found(BaseModel):
    """What a search found, best first; empty means that nothing there speaks to the question."""

    passages: list[Passage]


class Quote(BaseModel):
    """The words a claim stands on, and where they stand."""

    text: str
    document: str
    document_id: UUID
    chunk_id: UUID
    place: list[str]
    page: int | None
    pages: list[int] | None = Field(description="the first page and the last")
    sheet: str | None
    row: int | None = Field(
        description="in its sheet or table, from 1, the rows that name the columns counted"
    )
    columns: list[str] = Field(description="the names of that row's columns")
    start_char: int = Field(description="in the characters of the document's text")
    end_char: int
    corrected: bool = Field(description="a person corrected these words; the document's file has others")
    url: str | None = Field(description="a permanent link that shows the quotation in its document")


class Claim(BaseModel):
    """A sentence of the answer and what proves it; `verdict` is `supported` or `quoted`."""

    text: str
    verdict: str
    chunk_ids: list[UUID]
    quotes: list[Quote]


class Answered(BaseModel):
    """An answer with its proof. `refused` means that the agent has no evidence: do not fill the gap yourself."""

    answer: str
    refused: bool
    claims: list[Claim]
    sources: list[Passage]
    conversation_id: UUID | None


class AgentEntry(BaseModel):
    """An agent that can be asked."""

    id: UUID
    name: str
    description: str


class AgentList(BaseModel):
    """The agents the caller may talk to."""

    agents: list[AgentEntry]


class KnowledgeBaseEntry(BaseModel):
    """A shelf of documents."""

    id: UUID
    name: str
    description: str
    kind: str
    documents: int


class KnowledgeBaseList(BaseModel):
    """The knowledge bases the caller may look into."""

    knowledge_bases: list[KnowledgeBaseEntry]


class DocumentEntry(BaseModel):
    """A document and whether it can be searched yet."""

    id: UUID
    name: str
    title: str | None
    status: str
    pages: int | None
    chunks: int


class DocumentList(BaseModel):
    """Documents, newest first; `next_cursor` asks for the next ones."""

    documents: list[DocumentEntry]
    next_cursor: str | None


class ReadPiece(BaseModel):
    """One piece of a document's text, with where it stands."""

    chunk_id: UUID
    page: int | None
    headings: list[str]
    text: str


class DocumentText(BaseModel):
    """A document's text in reading order; `next_cursor` asks for what follows."""

    document_id: UUID
    document: str
    pieces: list[ReadPiece]
    next_cursor: str | None


def passages_of(hits: Iterable[Hit]) -> list[Passage]:
    """Evidence as passages."""
    return [
        Passage(
            chunk_id=hit.passage.chunk_id,
            document_id=hit.passage.document_id,
            knowledge_base_id=hit.passage.kb_id,
            document=hit.passage.document_name,
            page=hit.passage.page_number,
            pages=list(hit.passage.pages) if hit.passage.pages else None,
            sheet=hit.passage.sheet,
            row=hit.passage.row_number,
            headings=hit.passage.headers,
            text=hit.passage.content,
            relevance=round(hit.relevance, 3),
            source_url=hit.passage.source_url,
        )
        for hit in hits
    ]


def answered(answer: Answer) -> Answered:
    """An answer with the passages its claims cite."""
    cited = {chunk for claim in answer.claims for chunk in claim.chunk_ids}
    return Answered(
        answer=answer.text,
        refused=answer.refused,
        claims=[_claim(claim) for claim in answer.claims],
        sources=passages_of(hit for hit in answer.evidence if hit.passage.chunk_id in cited),
        conversation_id=answer.conversation_id,
    )


def _claim(claim: answer_model.Claim) -> Claim:
    quotes = [
        Quote(
            text=one.text,
            document=one.document_name,
            document_id=one.document_id,
            chunk_id=one.chunk_id,
            place=list(one.place),
            page=one.page_number,
            pages=[one.pages[0].page_number, one.pages[-1].page_number] if one.pages else None,
            sheet=one.sheet,
            row=one.row,
            columns=list(one.columns),
            start_char=one.start_char,
            end_char=one.end_char,
            corrected=one.corrected,
            url=one.url,
        )
        for one in claim.quotes
    ]
    return Claim(text=claim.text, verdict=claim.verdict, chunk_ids=list(claim.chunk_ids), quotes=quotes)


def agent_entry(agent: Agent) -> AgentEntry:
    """An agent as it is listed."""
    return AgentEntry(id=agent.id, name=agent.name, description=agent.description)


def kb_entry(kb: KnowledgeBase) -> KnowledgeBaseEntry:
    """A knowledge base as it is listed."""
    return KnowledgeBaseEntry(
        id=kb.id, name=kb.name, description=kb.description, kind=kb.kind, documents=kb.total_documents
    )


def document_entry(document: Document) -> DocumentEntry:
    """A document as it is listed."""
    return DocumentEntry(
        id=document.id,
        name=document.name,
        title=document.title,
        status=document.status,
        pages=document.pages_count,
        chunks=document.chunks_count,
    )


def read_piece(chunk: ChunkView) -> ReadPiece:
    """A chunk as it is read."""
    return ReadPiece(chunk_id=chunk.id, page=chunk.page_number, headings=chunk.headers, text=chunk.content)
