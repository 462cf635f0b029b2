"""Files follow their rows: the handler of `forget_files` jobs, and the sweep that finds what was left behind."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.providers.files.base import FileEntry
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.queue.handler import JobControl
from veraz.queue.model import Job

Q = queries(__file__)

_YOUNG = timedelta(hours=1)
"""A file younger than this may belong to an upload whose row is not written yet."""
_AT_ONCE = 5_000


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


async def tidy(db: Database, files: Files) -> int:
    """Deletes every file that no document claims, of each tenant and of those that are gone; how many."""
    async with db.queue.transaction() as tx:
        tenants = set(await tx.values("select * from veraz.every_tenant()"))
    removed = 0
    gone: set[UUID] = set()
    for tenant_id in sorted(tenants):
        removed += await forget(files, tenant_id, await orphans(db, files, tenant_id))
        async with db.transaction(Scope(tenant_id=tenant_id, role="worker")) as tx:
            gone.update(await tx.values(Q.gone_tenants))
    for tenant_id in sorted(gone - tenants):
        removed += await forget(files, tenant_id, [entry.key for entry in await _old(files, tenant_id)])
    return removed


async def orphans(db: Database, files: Files, tenant_id: UUID) -> list[str]:
    """Files of a tenant that no document claims, older than any upload under way."""
    found = [entry.key for entry in await _old(files, tenant_id)]
    left: list[str] = []
    for start in range(0, len(found), _AT_ONCE):
        some = found[start : start + _AT_ONCE]
        async with db.transaction(Scope(tenant_id=tenant_id, role="worker")) as tx:
            claimed = set(await tx.values(Q.claimed, keys=some))
        left += [key for key in some if key not in claimed]
    return left


async def forget(files: Files, tenant_id: UUID, keys: Sequence[str]) -> int:
    """Deletes these files of a tenant."""
    for key in keys:
        await files.of(tenant_id).delete(key)
    return len(keys)


async def _old(files: Files, tenant_id: UUID) -> list[FileEntry]:
    limit = datetime.now(UTC) - _YOUNG
    return [entry async for entry in files.of(tenant_id).list() if entry.modified_at < limit]
