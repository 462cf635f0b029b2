"""Files follow their rows: the handler of `forget_files` jobs, and the sweep that finds what was left behind."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.queue.handler import JobControl
from veraz.queue.model import Job

Q = queries(__file__)

_YOUNG = timedelta(hours=1)
"""A file younger than this may belong to an upload whose row is not written yet."""


class ForgetFiles:
    """Deletes the files of deleted documents with the pictures of their pages; the database queued them with the deletion."""

    def __init__(self, files: Files, pictures: PagePictures) -> None:
        self.files = files
        self.pictures = pictures

    async def __call__(self, job: Job, control: JobControl) -> None:
        keys = job.payload.get("keys", [])
        assert isinstance(keys, list)
        files = self.files.of(job.tenant_id)
        for number, key in enumerate(keys):
            await files.delete(str(key))
            await self.pictures.forget(str(key))
            await control.report("FORGET", 100 * number // len(keys))

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The sweep finds what is left."""


async def orphans(db: Database, files: Files, tenant_id: UUID) -> list[str]:
    """Files of a tenant that no document claims, older than any upload under way."""
    limit = datetime.now(UTC) - _YOUNG
    found = [entry.key async for entry in files.of(tenant_id).list() if entry.modified_at < limit]
    async with db.transaction(Scope(tenant_id=tenant_id, role="worker")) as tx:
        claimed = set(await tx.values(Q.claimed, keys=found))
    return [key for key in found if key not in claimed]


async def forget(files: Files, tenant_id: UUID, keys: Sequence[str]) -> int:
    """Deletes these files of a tenant."""
    for key in keys:
        await files.of(tenant_id).delete(key)
    return len(keys)
