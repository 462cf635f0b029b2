"""The documents of a knowledge base: looking at them, changing what is said about them, deleting them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from veraz import errors
from veraz.api.bodies import NAMES, QUESTION, SETTINGS, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, PageView, Paging, Said, StoredJson, Text, Told, View, page_of
from veraz.ingest.documents import (
    Clearable,
    Document,
    DocumentChange,
    DocumentFilter,
    DocumentStatus,
    EvidenceLevel,
    Tier,
    one_deleted,
)
from veraz.ingest.export import MEDIA_TYPES, Format, exported
from veraz.ingest.look import clean_title
from veraz.ingest.parse.base import FileType
from veraz.ingest.versions import DocumentVersion
from veraz.security import record
from veraz.tenancy.machines import LONGEST_MACHINE
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

router = APIRouter(prefix="/knowledge-bases/{kb_id}", tags=["documents"])

Ids = Annotated[list[UUID], Field(min_length=1, max_length=10_000, fail_fast=True)]


class DocumentView(Told):
    """A document and how far it has come."""

    id: UUID
    kb_id: UUID
    name: str
    origin: Literal["upload", "text", "url", "manual"]
    source_url: str | None
    file_type: str
    size_bytes: int
    machine_id: str
    status: DocumentStatus
    stage: str | None
    progress_percent: int
    indexed_at: datetime | None
    processing_started_at: datetime | None
    processing_completed_at: datetime | None
    chunks_count: int
    pages_count: int | None
    tokens_used: int
    word_count: int | None
    title: str | None
    author: str | None
    created_date: date | None
    language: str | None
    metadata: StoredJson
    tier: Tier | None
    authority_score: float
    evidence_level: EvidenceLevel | None
    institution: str | None
    peer_reviewed: bool
    version: int
    superseded_by: UUID | None
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


class ProposalView(View):
    """A document this one seems to take the place of; `PATCH` that one with `superseded_by` to accept."""

    document_id: UUID
    name: str
    reason: Said


class SimilarView(View):
    """Another document of the knowledge base that says nearly the same."""

    document_id: UUID
    name: str
    similarity: float


class FullDocument(DocumentView):
    """A document and what it has to do with others."""

    superseded_by_name: str | None
    supersedes_proposal: ProposalView | None
    similar_to: list[SimilarView]


class DocumentPatch(Body):
    """What people say about a document. Null clears title, author, tier, evidence level and institution.

    `superseded_by` names the document that is read in its place; null has it read again.
    """

    name: Annotated[Text, Field(min_length=1, max_length=255)] | None = None
    title: Annotated[Text, Field(max_length=500)] | None = None
    author: Annotated[Text, Field(max_length=200)] | None = None
    metadata: JsonObject | None = None
    tier: Tier | None = None
    authority_score: Annotated[Decimal, Field(ge=0, le=100, max_digits=5, decimal_places=2)] | None = None
    evidence_level: EvidenceLevel | None = None
    institution: Annotated[Text, Field(max_length=500)] | None = None
    peer_reviewed: bool | None = None
    superseded_by: UUID | None = None

    def change(self) -> DocumentChange:
        """The change; what was not sent stays."""
        given: dict[str, Any] = self.model_dump(exclude_unset=True, exclude={"superseded_by"})
        given |= {name: None for name in ("title", "author") if name in given and not given[name]}
        if given.get("name"):
            given["name"] = clean_title(given["name"])
        clear = frozenset(n for n in get_args(Clearable) if n in given and given[n] is None)
        return DocumentChange(**given, clear=clear)


class StatusView(Told):
    """How far the processing of a document has come."""

    status: DocumentStatus
    progress_percent: int
    chunks_created: Annotated[int, Field(validation_alias="chunks_count")]
    stage: str | None
    version: int
    """The one that is read: when a newer one could not be, the error says why."""


class ChunkEntry(View):
    """A chunk and where it stands in its document."""

    id: UUID
    document_id: UUID
    ordinal: int
    content: str
    tokens: int
    page_number: int | None
    part: str | None
    row_number: int | None
    start_char: int
    end_char: int
    headers: list[str]
    metadata: StoredJson
    quality: int | None
    revision: int
    edited_by: UUID | None
    edited_at: datetime | None


class ChunkBody(Body):
    """The chunk's new text, and the revision it was written against."""

    content: Annotated[Text, Field(min_length=1, max_length=30_000)]
    revision: Annotated[int, Field(ge=1, le=2**31 - 1)]


class IdsBody(Body):
    """Some documents."""

    ids: Ids


class ReprocessBody(Body):
    """Some documents, or all when `ids` is missing."""

    ids: Ids | None = None


class Queued(View):
    """The documents that wait to be processed again; those already waiting are not listed."""

    queued: list[UUID]


class Deleted(View):
    """What was deleted, and what was not there."""

    deleted: list[UUID]
    missing: list[UUID]


class BatchView(View):
    """How far all documents have come together."""

    documents: int
    pending: int
    processing: int
    completed: int
    failed: int
    progress_percent: int


async def chosen(
    status: Annotated[
        DocumentStatus | Literal["indexed"] | None, Query(description="`indexed` is `completed`.")
    ] = None,
    file_type: FileType | None = None,
    machine_id: Annotated[Text | None, Query(min_length=1, max_length=LONGEST_MACHINE)] = None,
    text: Annotated[Text | None, Query(max_length=200, description="In the name or the title.")] = None,
) -> DocumentFilter:
    """Which documents."""
    status = "completed" if status == "indexed" else status
    return DocumentFilter(status=status, file_type=file_type, machine_id=machine_id, text=text or None)


Chosen = Annotated[DocumentFilter, Depends(chosen)]


def files_answer(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """A file as an answer, for the documentation."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"description": "The file.", "content": dict.fromkeys(media_types, schema)}}


@router.get("/documents")
async def documents(
    kb_id: UUID, actor: Caller, veraz: Services, page: Paging, where: Chosen
) -> PageView[DocumentView]:
    """The documents, newest first."""
    return page_of(DocumentView, await veraz.documents.all(actor, kb_id, page, where=where))


@router.get(
    "/documents/export", response_class=StreamingResponse, responses=files_answer(*MEDIA_TYPES.values())
)
async def export(
    kb_id: UUID,
    actor: Caller,
    veraz: Services,
    where: Chosen,
    kind: Annotated[Format, Query(alias="format")] = "csv",
) -> StreamingResponse:
    """The whole list as a file; cells that a spreadsheet could take for a formula start with an apostrophe."""
    kb = await veraz.knowledge_bases.get(actor, kb_id)
    record("exported", actor, about=kb_id, thing="documents", format=kind)
    return StreamingResponse(
        exported(veraz.documents.each(actor, kb_id, where=where), kind),
        media_type=MEDIA_TYPES[kind],
        headers={"Content-Disposition": _attachment(f"{kb.name}.{kind}")},
    )


@router.post("/documents/bulk-delete")
@takes(NAMES)
async def bulk_delete(kb_id: UUID, body: IdsBody, actor: Caller, veraz: Services) -> Deleted:
    """Deletes several documents with their chunks and files."""
    deleted = await veraz.documents.delete(actor, kb_id, body.ids)
    return Deleted(deleted=deleted, missing=[i for i in dict.fromkeys(body.ids) if i not in set(deleted)])


@router.post("/reprocess", status_code=202)
@router.post("/documents/reprocess", status_code=202, include_in_schema=False)
@takes(NAMES)
async def reprocess(kb_id: UUID, actor: Caller, veraz: Services, body: ReprocessBody | None = None) -> Queued:
    """Reads, cuts and embeds documents again; it costs credits again."""
    return Queued(queued=await veraz.reception.again(actor, kb_id, body.ids if body else None))


@router.get("/progress")
async def progress(kb_id: UUID, actor: Caller, veraz: Services) -> BatchView:
    """How far all documents have come."""
    return BatchView.model_validate(await veraz.documents.progress(actor, kb_id))


@router.get("/documents/{document_id}")
async def document(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> FullDocument:
    """One document, with what took its place, what it seems to take the place of, and what says nearly the same."""
    found = await veraz.documents.get(actor, kb_id, document_id)
    return await _full(actor, veraz, found)


@router.patch("/documents/{document_id}")
@takes(QUESTION)
async def change(
    kb_id: UUID, document_id: UUID, body: DocumentPatch, actor: Caller, veraz: Services
) -> FullDocument:
    """Renames it, says how much it counts as a source, or which document takes its place."""
    changed = await veraz.documents.change(actor, kb_id, document_id, body.change())
    if "superseded_by" in body.model_fields_set:
        changed = await _superseded(actor, veraz, changed, body.superseded_by)
    return await _full(actor, veraz, changed)


@router.delete("/documents/{document_id}", status_code=204)
async def delete(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> None:
    """Deletes it with its chunks, vectors and file."""
    await one_deleted(veraz.documents, actor, kb_id, document_id)


@router.get("/documents/{document_id}/status")
async def status(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> StatusView:
    """How far its processing has come."""
    return StatusView.model_validate(await veraz.documents.get(actor, kb_id, document_id))


@router.post("/documents/{document_id}/reprocess", status_code=202)
async def reprocess_one(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> Queued:
    """Reads, cuts and embeds it again; it costs credits again."""
    return Queued(queued=await veraz.reception.again(actor, kb_id, [document_id]))


@router.get("/documents/{document_id}/chunks")
async def chunks(
    kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services, page: Paging
) -> PageView[ChunkEntry]:
    """Its chunks in reading order."""
    return page_of(ChunkEntry, await veraz.documents.chunks(actor, kb_id, document_id, page))


@router.patch("/documents/{document_id}/chunks/{chunk_id}")
@takes(SETTINGS)
async def edit_chunk(
    kb_id: UUID, document_id: UUID, chunk_id: UUID, body: ChunkBody, actor: Caller, veraz: Services
) -> ChunkEntry:
    """Corrects a chunk; 409 when somebody else did so since the revision named."""
    edited = await veraz.chunk_editor.edit(
        actor, kb_id, document_id, chunk_id, content=body.content, revision=body.revision
    )
    return ChunkEntry.model_validate(edited)


@router.delete("/documents/{document_id}/chunks/{chunk_id}", status_code=204)
async def forget_chunk(
    kb_id: UUID, document_id: UUID, chunk_id: UUID, actor: Caller, veraz: Services
) -> None:
    """Forgets one chunk for ever: it stays away when its document is processed again. The file stays as it is."""
    await veraz.chunk_forgetter.forget(actor, kb_id, document_id, chunk_id)


@router.get(
    "/documents/{document_id}/file",
    response_class=StreamingResponse,
    responses=files_answer("application/octet-stream"),
)
async def file(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> Response:
    """The file as it was received, to save, never to open in the browser."""
    found = await veraz.documents.get(actor, kb_id, document_id)
    return await saved(veraz, actor, found)


async def saved(veraz: Veraz, actor: Actor, found: Document | DocumentVersion) -> Response:
    """A file to save."""
    if found.storage_key is None:
        raise errors.NotFound(thing=errors.Phrase("file", es="archivo"), id=found.name)
    return StreamingResponse(
        await veraz.files.of(actor.tenant_id).open(found.storage_key),
        media_type="application/octet-stream",
        headers={
            "Content-Disposition": _attachment(found.filename),
            "Content-Length": str(found.size_bytes),
            "X-Content-Type-Options": "nosniff",
        },
    )


async def _superseded(actor: Actor, veraz: Veraz, found: Document, by: UUID | None) -> Document:
    if by is None:
        return await veraz.superseding.restore(actor, found.kb_id, found.id)
    return await veraz.superseding.supersede(actor, found.kb_id, found.id, by)


async def _full(actor: Actor, veraz: Veraz, found: Document) -> FullDocument:
    proposal = await veraz.superseding.proposal(actor, found)
    similar = await veraz.documents.similar(actor, found.kb_id, found.id)
    return FullDocument(
        **DocumentView.model_validate(found).model_dump(),
        superseded_by_name=await veraz.superseding.successor(actor, found),
        supersedes_proposal=ProposalView.model_validate(proposal) if proposal else None,
        similar_to=[SimilarView.model_validate(one) for one in similar],
    )


def _attachment(filename: str) -> str:
    """RFC 6266: a plain name for old programs, the real one for the others."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
