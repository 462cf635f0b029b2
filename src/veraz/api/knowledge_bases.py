"""Knowledge bases."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.rebuilds import configs
from veraz.api.schemas import Body, JsonObject, PageView, Paging, StoredJson, Text, View, page_of
from veraz.library.configs import ChunkingConfig
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

router = APIRouter(prefix="/knowledge-bases", tags=["knowledge bases"])

KbName = Annotated[Text, Field(min_length=1, max_length=200)]
Language = Annotated[Text, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,4})?$")]
Kind = Literal["global", "personal"]


class KbBody(Body):
    """A new knowledge base; everything but the name has a default."""

    name: KbName
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    language: Language = "es"
    kind: Kind = "global"
    project_id: UUID | None = None
    chunking_config: JsonObject | None = None
    embedding_config: JsonObject | None = None


class KbPatch(Body):
    """What changes about a knowledge base. Another configuration rebuilds the documents it already holds."""

    name: KbName | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    language: Language | None = None
    status: Literal["active", "archived"] | None = None
    chunking_config: JsonObject | None = None
    embedding_config: JsonObject | None = None


class KbView(View):
    """A knowledge base with its statistics."""

    id: UUID
    project_id: UUID | None
    kind: Kind
    owner_id: UUID | None
    agent_id: UUID | None
    name: str
    description: str
    language: str
    status: Literal["active", "processing", "archived"]
    chunking_config: StoredJson
    embedding_config: StoredJson
    total_documents: int
    total_chunks: int
    total_size_bytes: int
    total_tokens_used: int
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime
    last_queried_at: datetime | None
    administered: bool
    """False: your agents read it for you; you see that it is there, and its documents by title (`/contents`)."""


class ListedDocumentView(View):
    """A document by its title, as whoever is answered from it may know it."""

    id: UUID
    name: str
    title: str | None
    file_type: str
    version: int
    status: Literal["pending", "processing", "completed", "failed"]
    created_date: date | None
    """The date written in it."""
    created_at: datetime
    indexed_at: datetime | None
    """Since when this version is read; null until it is."""


class AgentsBody(Body):
    """Agents that shall read this knowledge base, all or none of them."""

    agent_ids: Annotated[list[UUID], Field(min_length=1, max_length=100)]
    priority: Annotated[int, Field(ge=1, le=1000)] = 1
    search_weight: Annotated[float, Field(ge=0.01, le=9.99)] = 1.0


class KbAssignmentView(View):
    """An agent that reads this knowledge base."""

    agent_id: UUID
    priority: int
    search_weight: float
    created_at: datetime


@router.post("", status_code=201)
@takes(QUESTION)
async def create(body: KbBody, actor: Caller, veraz: Services) -> KbView:
    """An empty knowledge base."""
    return KbView.model_validate(await veraz.knowledge_bases.create(actor, await _new(body)))


@router.get("")
async def knowledge_bases(
    actor: Caller, veraz: Services, page: Paging, kind: Kind | None = None, project_id: UUID | None = None
) -> PageView[KbView]:
    """The knowledge bases you may look into, and by name those your agents read for you (`administered` is false)."""
    found = await veraz.knowledge_bases.listed(actor, page, kind=kind, project_id=project_id)
    return page_of(KbView, found)


@router.get("/{kb_id}")
async def knowledge_base(kb_id: UUID, actor: Caller, veraz: Services) -> KbView:
    """One knowledge base."""
    return KbView.model_validate(await veraz.knowledge_bases.get(actor, kb_id))


@router.patch("/{kb_id}")
@takes(QUESTION)
async def change(kb_id: UUID, body: KbPatch, actor: Caller, veraz: Services) -> KbView:
    """Renames, describes, archives or wakes it.

    Another `chunking_config` or `embedding_config` holds at once while it is empty; once it holds documents a rebuild
    starts (`status` is `processing`) and the old configuration stays live until the new one is complete. See `rebuild`
    for its price beforehand.
    """
    await _rebuild(kb_id, body, actor, veraz)
    plain = body.model_dump(exclude={"chunking_config", "embedding_config"})
    return KbView.model_validate(await veraz.knowledge_bases.change(actor, kb_id, **plain))


@router.delete("/{kb_id}", status_code=204)
async def delete(kb_id: UUID, actor: Caller, veraz: Services) -> None:
    """Deletes it with everything in it."""
    await veraz.knowledge_bases.delete(actor, kb_id)


@router.get("/{kb_id}/contents")
async def contents(kb_id: UUID, actor: Caller, veraz: Services, page: Paging) -> PageView[ListedDocumentView]:
    """The titles of its documents, newest first: of global ones that you may look into or that your agents read for you."""
    return page_of(ListedDocumentView, (await veraz.documents.contents(actor, kb_id, page)).documents)


@router.get("/{kb_id}/agents")
async def agents(kb_id: UUID, actor: Caller, veraz: Services) -> PageView[KbAssignmentView]:
    """Which agents read it."""
    found = await veraz.assignments.of_kb(actor, kb_id)
    return PageView(items=[KbAssignmentView.model_validate(a) for a in found], next_cursor=None)


@router.post("/{kb_id}/agents", status_code=201)
async def assign(kb_id: UUID, body: AgentsBody, actor: Caller, veraz: Services) -> PageView[KbAssignmentView]:
    """Assigns it to several agents, all or none."""
    await veraz.assignments.put(
        actor, kb_id, body.agent_ids, priority=body.priority, search_weight=Decimal(str(body.search_weight))
    )
    return await agents(kb_id, actor, veraz)


async def _rebuild(kb_id: UUID, body: KbPatch, actor: Actor, veraz: Veraz) -> None:
    """Starts a rebuild if the configuration sent is another one than the live one."""
    chunking, embedding = await configs(body.chunking_config, body.embedding_config)
    if chunking is None and embedding is None:
        return
    kb = await veraz.knowledge_bases.get(actor, kb_id)
    plan = await veraz.rebuilds.plan(actor, kb_id, chunking, embedding)
    same = plan.chunking.to_json() == kb.chunking_config and plan.embedding.to_json() == kb.embedding_config
    if not same:
        await veraz.rebuilds.start(actor, kb_id, chunking, embedding)


async def _new(body: KbBody) -> NewKnowledgeBase:
    given: dict[str, Any] = body.model_dump(exclude={"chunking_config", "embedding_config", "description"})
    chunking, embedding = await configs(body.chunking_config or {}, body.embedding_config or None)
    return NewKnowledgeBase(
        **given,
        description=body.description or "",
        chunking=chunking or ChunkingConfig(),
        embedding=embedding,
    )
