"""An agent's manual entries: short texts that only this agent reads."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz import errors
from veraz.api.bodies import TEXT, takes
from veraz.api.caller import Caller, Services
from veraz.api.problems import speaking
from veraz.api.receiving import TextBody
from veraz.api.schemas import Body, PageView, Paging, StoredJson, Text, View
from veraz.ingest.documents import Document, DocumentStatus, one_deleted
from veraz.ingest.look import title_of
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

router = APIRouter(prefix="/agents/{agent_id}/knowledge", tags=["agents"])


class EntryBody(TextBody):
    """Something the agent shall know; without a title its first line is one."""

    title: Annotated[Text, Field(max_length=255)] = ""

    def heading(self) -> str:
        """The title, or the beginning of the content."""
        return self.title or title_of(self.content)


class EntryChange(Body):
    """What changes about an entry; what is not sent stays."""

    title: Annotated[Text, Field(min_length=1, max_length=255)] | None = None
    content: Annotated[Text, Field(min_length=1, max_length=10 * 1024 * 1024)] | None = None


class EntryView(View):
    """A manual entry and how far it has come."""

    id: UUID
    agent_id: UUID
    kb_id: UUID
    title: str
    source: str
    source_url: str | None
    metadata: StoredJson
    status: DocumentStatus
    error_message: str | None
    chunks_count: int
    version: int
    created_at: datetime
    created_by: UUID | None


class FullEntry(EntryView):
    """A manual entry with its text."""

    content: str


@router.post("", status_code=201)
@takes(TEXT)
async def add(agent_id: UUID, body: EntryBody, actor: Caller, veraz: Services) -> EntryView:
    """Adds an entry; it is searchable a moment later."""
    kb_id = await veraz.agents.ensure_own_kb(actor, agent_id)
    labels = body.labels(actor, "manual")
    added = await veraz.reception.text(actor, kb_id, body.heading(), body.content, labels)
    return _view(agent_id, await veraz.documents.get(actor, kb_id, added.document_id))


@router.get("")
async def entries(agent_id: UUID, actor: Caller, veraz: Services, page: Paging) -> PageView[EntryView]:
    """The entries, newest first."""
    kb_id = await veraz.agents.own_kb(actor, agent_id)
    if kb_id is None:
        return PageView(items=[], next_cursor=None)
    found = await veraz.documents.all(actor, kb_id, page)
    return PageView(items=[_view(agent_id, entry) for entry in found.items], next_cursor=found.next_cursor)


@router.get("/{document_id}")
async def entry(agent_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> FullEntry:
    """One entry with its text."""
    found = await veraz.documents.get(actor, await _own_kb(actor, veraz, agent_id, document_id), document_id)
    files = veraz.files.of(actor.tenant_id)
    pieces = [piece async for piece in await files.open(found.storage_key or "")]
    return FullEntry(**_view(agent_id, found).model_dump(), content=b"".join(pieces).decode(errors="replace"))


@router.put("/{document_id}")
@router.patch("/{document_id}", operation_id="patch_entry")
@takes(TEXT)
async def change(
    agent_id: UUID, document_id: UUID, body: EntryChange, actor: Caller, veraz: Services
) -> EntryView:
    """Changes its title, its text or both; the same entry in a new version, searchable a moment later."""
    kb_id = await _own_kb(actor, veraz, agent_id, document_id)
    await veraz.replacements.with_text(actor, kb_id, document_id, **body.model_dump())
    return _view(agent_id, await veraz.documents.get(actor, kb_id, document_id))


@router.delete("/{document_id}", status_code=204)
async def delete(agent_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> None:
    """The agent forgets it."""
    kb_id = await _own_kb(actor, veraz, agent_id, document_id)
    await one_deleted(veraz.documents, actor, kb_id, document_id)


async def _own_kb(actor: Actor, veraz: Veraz, agent_id: UUID, document_id: UUID) -> UUID:
    kb_id = await veraz.agents.own_kb(actor, agent_id)
    if kb_id is None:
        raise errors.NotFound(thing="document", id=document_id)
    return kb_id


def _view(agent_id: UUID, found: Document) -> EntryView:
    return EntryView(
        id=found.id,
        agent_id=agent_id,
        kb_id=found.kb_id,
        title=found.title or found.name,
        source=str(found.metadata.get("source", found.origin)),
        source_url=found.source_url,
        metadata=found.metadata,
        status=found.status,
        error_message=errors.retold(found.error_code, found.error_message, speaking.get()),
        chunks_count=found.chunks_count,
        version=found.version,
        created_at=found.created_at,
        created_by=found.created_by,
    )
