"""The fetch stage: a web address becomes a stored file, and a crawl becomes many addresses."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.ingest.fetch import fetch
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.keys import storage_key
from veraz.ingest.parse.pick import detect
from veraz.providers.files.tenants import Files
from veraz.queue.model import Job
from veraz.settings import Settings

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Twin:
    id: UUID
    name: str


class Fetcher:
    """Reads pages for documents that came as an address."""

    def __init__(self, db: Database, files: Files, settings: Settings) -> None:
        self.db = db
        self.files = files
        self.limits = FetchLimits.of(settings)

    async def fetch_into(self, job: Job, document_id: UUID, kb_id: UUID, url: str) -> None:
        """Fetches the page into storage and writes down what it is."""
        key, files = storage_key(job.tenant_id, kb_id, document_id), self.files.of(job.tenant_id)
        async with fetch(url, self.limits) as page:
            stored = await files.put(key, page.body, max_bytes=self.limits.max_bytes)
            name = page.filename or _name(page.final_url)
        async with files.local_copy(key) as path:
            file_type = detect(path, name)
        async with self.db.transaction(job.scope) as tx:
            digest = bytes.fromhex(stored.sha256)
            twin = await tx.one(_Twin, Q.twin, document_id=document_id, content_hash=digest)
            if twin:
                await files.delete(key)
                raise errors.DuplicateDocument(filename=url, twin_name=twin.name, twin_id=twin.id)
            still_there = await tx.run(
                Q.fetched,
                document_id=document_id,
                storage_key=key,
                size=stored.size,
                content_hash=digest,
                file_type=file_type.value,
                name=name,
            )
        if not still_there:
            await files.delete(key)
            raise errors.LeaseLost()


def _name(url: str) -> str:
    """A page without a file name is called by its address."""
    parts = urlsplit(url)
    last = parts.path.rstrip("/").rsplit("/", 1)[-1] or parts.hostname or "page"
    return last if "." in last else f"{last}.html"


async def one_chunk(data: bytes) -> AsyncIterator[bytes]:
    """Bytes already in hand, as a stream."""
    yield data
