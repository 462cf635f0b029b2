"""Files of one tenant. Whoever reads, writes or deletes for a tenant gets no other store.

Rows and payloads of jobs name files by their keys, and row level security guards rows, not what they name: injected SQL
could write the key of another tenant's file. So no key is believed here. One that does not begin with the tenant's id
can only come from a bug or an attack: it is refused, and told of as a security event.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from uuid import UUID

from veraz import errors
from veraz.providers.files.base import FileEntry, FileStore, Stored, checked_key
from veraz.security import record


class Files:
    """The files of all tenants, which nobody gets but those of one."""

    def __init__(self, store: FileStore) -> None:
        self._store = store

    def of(self, tenant_id: UUID) -> "TenantFiles":
        """Those of this tenant."""
        return TenantFiles(self._store, tenant_id)


class TenantFiles:
    """A `FileStore` that knows the keys of one tenant alone."""

    def __init__(self, store: FileStore, tenant_id: UUID) -> None:
        self._store = store
        self._tenant_id = tenant_id

    async def put(self, key: str, chunks: AsyncIterator[bytes], *, max_bytes: int) -> Stored:
        """Write a stream."""
        return await self._store.put(self._own(key), chunks, max_bytes=max_bytes)

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The file piece by piece."""
        return await self._store.open(self._own(key))

    def local_copy(self, key: str) -> AbstractAsyncContextManager[Path]:
        """The file as a path to read."""
        return self._store.local_copy(self._own(key))

    async def delete(self, key: str) -> None:
        """Forget the file."""
        await self._store.delete(self._own(key))

    async def exists(self, key: str) -> bool:
        """Whether a whole file is there."""
        return await self._store.exists(self._own(key))

    def list(self, prefix: str = "") -> AsyncIterator[FileEntry]:
        """Every file of the tenant, or those below one of its folders."""
        return self._store.list(self._own(prefix) if prefix else str(self._tenant_id))

    def _own(self, key: str) -> str:
        try:
            plain = checked_key(key)
        except errors.Invalid as problem:
            raise self._refusal("path") from problem
        if not plain.startswith(f"{self._tenant_id}/"):
            raise self._refusal("tenant")
        return plain

    def _refusal(self, reason: str) -> errors.ForeignFile:
        record("foreign_file", tenant_id=self._tenant_id, outcome="refused", reason=reason)
        return errors.ForeignFile()
