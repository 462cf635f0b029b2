"""The ingestion console: jobs of the caller's knowledge bases, counted, retried, purged."""

from uuid import UUID

from veraz.db.pool import Database
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.queue import console
from veraz.queue.model import Job, JobStats, JobStatus
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need


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

    async def retry_dlq(self, actor: Actor, kb_id: UUID | None = None) -> int:
        """Jobs that gave up start afresh, and their documents wait again; how many."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            if kb_id:
                await need_writable(tx, actor, kb_id)
            retried = await console.retry_dlq(tx, kb_id=kb_id)
            for job in retried:
                if job.document_id:
                    await tx.run(DOCUMENTS.waiting, id=job.document_id)
            return len(retried)

    async def purge(self, actor: Actor, kb_id: UUID | None = None) -> int:
        """Finished jobs go to the history; how many."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            if kb_id:
                await need_writable(tx, actor, kb_id)
            return await console.purge(tx, kb_id=kb_id)
