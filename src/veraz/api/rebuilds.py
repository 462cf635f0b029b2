"""Cutting or embedding a whole knowledge base another way: what it costs, doing it, dropping it, going back."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Response
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, PageView, StoredJson, View
from veraz.ingest.rebuild import RebuildPlan
from veraz.library.configs import ChunkingConfig, EmbeddingConfig, chunking_config

router = APIRouter(prefix="/knowledge-bases/{kb_id}", tags=["knowledge bases"])


class RebuildBody(Body):
    """Another way of cutting, another model, or both; `dry_run` only tells what it would take."""

    chunking_config: JsonObject | None = None
    embedding_config: JsonObject | None = None
    dry_run: bool = False


class PlanView(View):
    """What a rebuild would take."""

    documents: int
    tokens: int
    credits: int
    cost_usd: Decimal | None
    estimated_seconds: int
    chunking_config: StoredJson
    embedding_config: StoredJson


class EditionView(View):
    """One way of cutting and embedding the knowledge base; exactly one is live."""

    id: int
    chunking_config: Annotated[StoredJson, Field(validation_alias="chunking")]
    embedding_config: Annotated[StoredJson, Field(validation_alias="embedding")]
    status: Literal["building", "live", "retired"]
    created_at: datetime
    switched_at: datetime | None


@router.post("/rebuild", status_code=202, response_model=EditionView | PlanView)
async def rebuild(kb_id: UUID, body: RebuildBody, actor: Caller, veraz: Services, response: Response) -> Any:
    """Builds a new edition beside the live one; when it is complete it takes over at once. Credits are reserved now."""
    chunking, embedding = await configs(body.chunking_config, body.embedding_config)
    if body.dry_run:
        response.status_code = 200
        return _plan(await veraz.rebuilds.plan(actor, kb_id, chunking, embedding))
    return EditionView.model_validate(await veraz.rebuilds.start(actor, kb_id, chunking, embedding))


@router.delete("/rebuild", status_code=204)
async def cancel(kb_id: UUID, actor: Caller, veraz: Services) -> None:
    """Drops the edition being built; the live one was never touched."""
    await veraz.rebuilds.cancel(actor, kb_id)


@router.get("/editions")
async def editions(kb_id: UUID, actor: Caller, veraz: Services) -> PageView[EditionView]:
    """Every edition, newest first."""
    found = await veraz.rebuilds.editions(actor, kb_id)
    return PageView(items=[EditionView.model_validate(edition) for edition in found], next_cursor=None)


@router.post("/editions/{edition_id}/activate", status_code=202)
async def activate(
    kb_id: UUID, edition_id: Annotated[int, Path(ge=1, le=2**62)], actor: Caller, veraz: Services
) -> EditionView:
    """The way back to an earlier edition: at once, or as soon as it holds the documents that came since."""
    return EditionView.model_validate(await veraz.rebuilds.back(actor, kb_id, edition_id))


async def configs(
    chunking: JsonObject | None, embedding: JsonObject | None
) -> tuple[ChunkingConfig | None, EmbeddingConfig | None]:
    """Both configurations, checked; None leaves what there is. A slow separator is tried beside the loop."""
    return (
        None if chunking is None else await chunking_config(chunking),
        None if embedding is None else EmbeddingConfig.from_json(embedding),
    )


def _plan(plan: RebuildPlan) -> PlanView:
    return PlanView(
        documents=plan.documents,
        tokens=plan.tokens,
        credits=plan.credits,
        cost_usd=plan.cost_usd,
        estimated_seconds=plan.estimated_seconds,
        chunking_config=plan.chunking.to_json(),
        embedding_config=plan.embedding.to_json(),
    )
