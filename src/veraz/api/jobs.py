"""The ingestion console: jobs, their counts, a fresh start for those that failed, and what happened."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from veraz import errors
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, PageView, Paging, StoredJson, Text, Told, View, page_of
from veraz.paging import PageRequest
from veraz.queue.model import JobStatus
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

router = APIRouter(tags=["ingestion console"])

KbRef = Annotated[Text, Field(min_length=1, max_length=200)]


class JobView(Told):
    """One piece of work in the background."""

    id: UUID
    kind: str
    kb_id: UUID | None
    document_id: UUID | None
    stage: str | None
    status: JobStatus
    bulk: bool
    attempt: int
    max_attempts: int
    run_after: datetime
    progress_percent: int
    created_by: UUID | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class StatsView(View):
    """How many jobs stand where."""

    PENDING: int
    RUNNING: int
    DONE: int
    FAILED: int
    DLQ: int


class KbBody(Body):
    """One knowledge base by name or id, or all of yours."""

    kb: KbRef | None = None


class Retried(View):
    """How many jobs got a fresh start."""

    retried: int


class Purged(View):
    """How many finished jobs went to the history."""

    purged: int


class EventView(View):
    """Something that happened: `document.completed`, `document.failed`, `knowledge_base.switched`, …"""

    id: int
    kind: str
    kb_id: UUID | None
    document_id: UUID | None
    payload: StoredJson
    at: datetime


async def named_kb(
    actor: Caller, veraz: Services, kb: Annotated[KbRef | None, Query(description="Name or id.")] = None
) -> UUID | None:
    """`?kb=` as an id."""
    return await _kb_id(actor, veraz, kb)


Kb = Annotated[UUID | None, Depends(named_kb)]


@router.get("/jobs")
async def jobs(
    actor: Caller,
    veraz: Services,
    page: Paging,
    kb: Kb,
    status: JobStatus | None = None,
    document: UUID | None = None,
) -> PageView[JobView]:
    """Jobs, newest first."""
    found = await veraz.jobs.all(actor, page, kb_id=kb, status=status, document_id=document)
    return page_of(JobView, found)


@router.get("/jobs/stats")
async def stats(actor: Caller, veraz: Services, kb: Kb) -> StatsView:
    """How many jobs stand where."""
    return StatsView(**(await veraz.jobs.stats(actor, kb)).by_status())


@router.get("/jobs/history")
async def history(actor: Caller, veraz: Services, page: Paging, kb: Kb) -> PageView[JobView]:
    """Purged jobs, newest first."""
    return page_of(JobView, await veraz.jobs.history(actor, page, kb_id=kb))


@router.post("/jobs/retry-dlq")
async def retry_dlq(actor: Caller, veraz: Services, body: KbBody | None = None) -> Retried:
    """Jobs that gave up start afresh."""
    kb_id = await _kb_id(actor, veraz, body.kb if body else None)
    return Retried(retried=await veraz.jobs.retry_dlq(actor, kb_id))


@router.post("/jobs/retry")
async def retry(actor: Caller, veraz: Services, body: KbBody | None = None) -> Retried:
    """Everything that failed starts afresh: what gave up, and what was refused and may be mended by now."""
    kb_id = await _kb_id(actor, veraz, body.kb if body else None)
    return Retried(retried=await veraz.jobs.retry(actor, kb_id))


@router.post("/jobs/{job_id}/retry", status_code=204)
async def retry_one(actor: Caller, veraz: Services, job_id: UUID) -> None:
    """A job that failed starts afresh."""
    await veraz.jobs.retry_one(actor, job_id)


@router.post("/jobs/{job_id}/cancel", status_code=204)
async def cancel(actor: Caller, veraz: Services, job_id: UUID) -> None:
    """Ends the reading of a document or a site before it is done; reserved credits go back."""
    await veraz.jobs.cancel(actor, job_id)


@router.post("/jobs/purge")
async def purge(actor: Caller, veraz: Services, body: KbBody | None = None) -> Purged:
    """Finished jobs go to the history."""
    kb_id = await _kb_id(actor, veraz, body.kb if body else None)
    return Purged(purged=await veraz.jobs.purge(actor, kb_id))


@router.get("/events")
async def events(
    actor: Caller,
    veraz: Services,
    after: Annotated[int, Query(ge=0, le=2**62, description="The last event you know.")] = 0,
    kind: Annotated[list[Text] | None, Query(max_length=20)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> PageView[EventView]:
    """What happened since, oldest first. Call again with `after` = `next_cursor`; none is missed or told twice."""
    page = PageRequest(limit=limit, cursor=str(after))
    return page_of(EventView, await veraz.events.after(actor, page, kinds=kind or ()))


async def _kb_id(actor: Actor, veraz: Veraz, name: str | None) -> UUID | None:
    if name is None:
        return None
    found = await veraz.knowledge_bases.by_name(actor, name)
    if found is None:
        raise errors.NotFound(thing="knowledge base", id=name)
    return found.id
