"""A whole site: the handler of `crawl` jobs finds addresses, each becomes a document of its own."""

from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.ingest.crawl import crawl
from veraz.ingest.credits import credits_for
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.rebuild import INGEST
from veraz.observe import log
from veraz.queue.handler import JobControl
from veraz.queue.model import Job
from veraz.queue.queue import enqueue
from veraz.settings import Settings
from veraz.tenancy.acting import licensed
from veraz.tenancy.plans import Plans

Q = queries(__file__)

CRAWL = "crawl"
_TOKENS_PER_PAGE = 2_000


class CrawlSite:
    """Follows links from a start page and queues what it finds, page by page, as long as the plan has room."""

    def __init__(self, db: Database, plans: Plans, settings: Settings) -> None:
        self.db = db
        self.plans = plans
        self.limits = FetchLimits.of(settings)

    async def __call__(self, job: Job, control: JobControl) -> None:
        payload = job.payload
        pages = int(str(payload["max_pages"]))
        found = 0
        async for link in crawl(
            str(payload["url"]), max_depth=int(str(payload["max_depth"])), max_pages=pages, limits=self.limits
        ):
            if link.problem is not None:
                log.info("crawl_skipped", code=link.problem.code)
                continue
            assert job.kb_id is not None
            await self._add(job, job.kb_id, link.url)
            found += 1
            await control.report("CRAWL", 100 * found // pages)
        if not found:
            raise errors.FetchRefused(
                url=payload["url"],
                reason=errors.Phrase("no page could be read", es="no se pudo leer ninguna página"),
            )

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The job itself says why; pages already queued go on."""

    async def _add(self, job: Job, kb_id: UUID, url: str) -> None:
        machine_id = str(job.payload["machine_id"])
        async with self.db.transaction(job.scope) as tx:
            if not await tx.value(Q.still_held, id=job.id, claims=job.claims):
                raise errors.LeaseLost()
            await licensed(tx, machine_id)
            if await tx.value(Q.same_address, kb_id=kb_id, url=url):
                return
            await self.plans.room_for_documents(tx, kb_id, documents=1, size=0)
            document_id = new_id()
            await tx.run(
                DOCUMENTS.add,
                id=document_id,
                kb_id=kb_id,
                name=url[:255],
                origin="url",
                source_url=url,
                file_type="html",
                size_bytes=0,
                storage_key=None,
                content_hash=None,
                machine_id=machine_id,
                title=None,
                metadata={},
                created_by=job.created_by,
            )
            job_id = await enqueue(tx, INGEST, kb_id=kb_id, document_id=document_id)
            await tx.run(Q.reserve, job_id=job_id, credits=credits_for(_TOKENS_PER_PAGE))
