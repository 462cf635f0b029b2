"""The ingestion console: jobs of the caller's knowledge bases, listed, counted, retried, cancelled, purged."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.pipeline import document_failed
from veraz.ingest.rebuild import INGEST
from veraz.ingest.versions import give_up_waiting
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.queue import console
from veraz.queue.model import Job, JobStats, JobStatus
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)

WorkKind = Literal["ingest", "rebuild", "crawl", "run_exam", "deliver_webhook", "whatsapp", "forget_files"]
CANCELLABLE: frozenset[str] = frozenset({"ingest", "rebuild", "crawl"})
_LEAST_PERCENT = 8
"""Before that, progress says too little about the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFilter:
    """Which work; `history` is what was purged."""

    status: JobStatus | None = None
    kb_id: UUID | None = None
    kind: WorkKind | None = None
    text: str | None = None
    history: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A document on its way in, or another job, with what it is about."""

    id: UUID
    kind: str
    kb_id: UUID | None
    kb_name: str | None
    document_id: UUID | None
    name: str | None
    """Of the document, the site, the agent, the webhook or the person it is about."""
    file_type: str | None
    source_url: str | None
    origin: str | None
    chunks_count: int | None
    word_count: int | None
    tier: str | None
    authority_score: Decimal | None
    stage: str | None
    stages: Mapping[str, str]
    status: JobStatus
    attempt: int
    max_attempts: int
    run_after: datetime
    progress_percent: int
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    total: int
    """How many there are in all."""

    def began(self, stage: str) -> datetime | None:
        """When its last attempt reached the stage."""
        return datetime.fromisoformat(self.stages[stage]) if stage in self.stages else None

    def remaining(self, now: datetime | None = None) -> timedelta | None:
        """How long it will probably still run, from how far it has come."""
        if self.status != "RUNNING" or self.started_at is None or self.progress_percent < _LEAST_PERCENT:
            return None
        so_far = (now or datetime.now(UTC)) - self.started_at
        return so_far * (100 - self.progress_percent) / self.progress_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSheet:
    """Some rows of work, how many there are, and how many stand where."""

    rows: list[Work]
    total: int
    stats: JobStats


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """How much was read in one step of time."""

    at: datetime
    documents: int
    chunks: int


class Jobs:
    """What people see of the queue; row level security decides which jobs exist for them."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        kb_id: UUID | None = None,
        status: JobStatus | None = None,
        document_id: UUID | None = None,
    ) -> Page[Job]:
        """Jobs, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await console.list_jobs(
                tx,
                kb_id=kb_id,
                status=status,
                document_id=document_id,
                before=page.after_id,
                limit=page.fetch,
            )
            return page.page(rows)

    async def history(
        self, actor: Actor, page: PageRequest = FIRST_PAGE, *, kb_id: UUID | None = None
    ) -> Page[Job]:
        """Purged jobs, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await console.history(tx, kb_id=kb_id, before=page.after_id, limit=page.fetch)
            return page.page(rows)

    async def stats(self, actor: Actor, kb_id: UUID | None = None) -> JobStats:
        """How many jobs stand where."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            if kb_id:
                await get_kb(tx, kb_id)
            return await console.stats(tx, kb_id=kb_id)

    async def work(self, actor: Actor, where: WorkFilter, *, offset: int = 0, limit: int = 25) -> WorkSheet:
        """What runs, then what happened last; every document once."""
        need(actor, "read")
        chosen = asdict(where)
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(Work, Q.work, offset=offset, limit=limit, **chosen)
            del chosen["status"], chosen["history"]
            stats = await tx.get(JobStats, Q.work_stats, thing="row", **chosen)
            return WorkSheet(rows=rows, total=rows[0].total if rows else 0, stats=stats)

    async def throughput(
        self, actor: Actor, *, minutes: int = 60, step: int = 1, kb_id: UUID | None = None
    ) -> list[Throughput]:
        """Documents and chunks read in each step of the last minutes; steps without any are left out."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.all(Throughput, Q.throughput, minutes=minutes, step=step, kb_id=kb_id)

    async def retry_dlq(self, actor: Actor, kb_id: UUID | None = None) -> int:
        """Jobs that gave up start afresh, and their documents wait again; how many."""
        return await self._retry(actor, kb_id, statuses=["DLQ"])

    async def retry(self, actor: Actor, kb_id: UUID | None = None) -> int:
        """Everything that failed starts afresh, whether it gave up or was refused; how many."""
        return await self._retry(actor, kb_id)

    async def retry_one(self, actor: Actor, job_id: UUID) -> None:
        """One job that failed starts afresh."""
        if not await self._retry(actor, None, ids=[job_id]):
            raise errors.NotFound(thing="job", id=job_id)

    async def retry_documents(self, actor: Actor, kb_id: UUID, document_ids: Sequence[UUID]) -> int:
        """The failed jobs of these documents start afresh; how many."""
        return await self._retry(actor, kb_id, document_ids=document_ids)

    async def _retry(
        self,
        actor: Actor,
        kb_id: UUID | None,
        *,
        statuses: Sequence[JobStatus] = ("FAILED", "DLQ"),
        ids: Sequence[UUID] | None = None,
        document_ids: Sequence[UUID] | None = None,
    ) -> int:
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            if kb_id:
                await need_writable(tx, actor, kb_id)
            retried = await console.retry(
                tx, statuses=statuses, kb_id=kb_id, ids=ids, document_ids=document_ids
            )
            for job in retried:
                if job.document_id:
                    await tx.run(DOCUMENTS.waiting, id=job.document_id)
            return len(retried)

    async def cancel(self, actor: Actor, job_id: UUID) -> None:
        """Ends the reading of a document or a site; what was reserved for it goes back."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            job = await console.cancel(tx, job_id)
            if job.kind not in CANCELLABLE:
                raise errors.Invalid(field="job_id", reason=", ".join(sorted(CANCELLABLE)))
            if job.kind == INGEST and job.document_id:
                await _cancel_document(tx, job, job.document_id)

    async def purge(self, actor: Actor, kb_id: UUID | None = None) -> int:
        """Finished jobs go to the history; how many."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            if kb_id:
                await need_writable(tx, actor, kb_id)
            return await console.purge(tx, kb_id=kb_id)


async def _cancel_document(tx: Transaction, job: Job, document_id: UUID) -> None:
    if not job.payload.get("edition_id"):
        await give_up_waiting(tx, document_id, job.id)
    await document_failed(tx, job, errors.Cancelled())
