"""Versions of a document: it keeps its id while its file is replaced.

The version that is read stays in the document's own row. Beside it lie the versions kept from before and the one that
waits; when that one has been read, both change places in the transaction that stores its chunks.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.providers.files.base import Stored
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)

VersionStatus = Literal["pending", "current", "superseded", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """One version of a document's file."""

    document_id: UUID
    version: int
    status: VersionStatus
    name: str
    title: str | None
    origin: str
    file_type: str
    size_bytes: int
    storage_key: str | None
    error_code: str | None
    error_message: str | None
    created_by: UUID | None
    created_at: datetime
    superseded_at: datetime | None

    @property
    def current(self) -> bool:
        """Whether this is the one that is read."""
        return self.status == "current"

    @property
    def filename(self) -> str:
        """A name its file can be saved under."""
        return self.name if self.origin in ("upload", "url") else f"{self.name}.{self.file_type}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """What a document's next version is made of."""

    name: str
    title: str | None
    file_type: str
    stored: Stored
    source_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A document whose row nobody else changes until the transaction ends."""

    id: UUID
    version: int
    superseded: bool


class Versions:
    """Looking at the versions of documents."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor, kb_id: UUID, document_id: UUID) -> list[DocumentVersion]:
        """Every version that is kept, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await versions_of(tx, kb_id, document_id)

    async def get(self, actor: Actor, kb_id: UUID, document_id: UUID, version: int) -> DocumentVersion:
        """One version."""
        for found in await self.all(actor, kb_id, document_id):
            if found.version == version:
                return found
        raise errors.NotFound(thing=errors.Phrase("version", es="versión"), id=version)


async def versions_of(tx: Transaction, kb_id: UUID, document_id: UUID) -> list[DocumentVersion]:
    """The versions of a document, newest first; one that never was replaced has one."""
    found = await tx.all(DocumentVersion, Q.versions, kb_id=kb_id, document_id=document_id)
    if not found:
        raise errors.NotFound(thing="document", id=document_id)
    return found


async def hold(tx: Transaction, document_id: UUID) -> Held:
    """Keeps others from replacing or superseding the document until the transaction ends."""
    held = await tx.one(Held, Q.hold, id=document_id)
    if held is None:
        raise errors.LeaseLost()  # deleted meanwhile
    return held


async def add_version(tx: Transaction, actor: Actor, document_id: UUID, new: NewVersion) -> int:
    """A version that waits to be read; its number. The document must be held."""
    await tx.run(Q.keep_current, document_id=document_id)
    return int(
        await tx.value(
            Q.add,
            document_id=document_id,
            storage_key=new.stored.key,
            content_hash=bytes.fromhex(new.stored.sha256),
            size_bytes=new.stored.size,
            file_type=new.file_type,
            name=new.name,
            title=new.title,
            source_url=new.source_url,
            created_by=actor.user_id,
        )
    )


async def take_version(tx: Transaction, document_id: UUID, version: int, job_id: UUID) -> None:
    """The job works on this version; if it fails, this is what failed."""
    await tx.run(Q.take, document_id=document_id, version=version, job_id=job_id)


async def make_current(tx: Transaction, document_id: UUID, version: int) -> None:
    """This version is read from now on; the one before is kept, its chunks of every edition go."""
    await tx.run(Q.remove_chunks, document_id=document_id)
    await tx.run(Q.supersede_current, document_id=document_id, version=version)
    await tx.run(Q.switch, document_id=document_id, version=version)
    await tx.run(Q.mark_current, document_id=document_id, version=version)


async def mark_failed(tx: Transaction, document_id: UUID, job_id: UUID, error: errors.VerazError) -> bool:
    """The version this job read could not be read; False when it did not read a new one."""
    return bool(
        await tx.run(
            Q.failed, document_id=document_id, job_id=job_id, code=error.code, message=error.message("es")
        )
    )


async def give_up_waiting(tx: Transaction, document_id: UUID, job_id: UUID) -> None:
    """Versions that wait belong to this job and end with it; started again, it reads the newest."""
    await tx.run(Q.take_waiting, document_id=document_id, job_id=job_id)


async def is_waiting(tx: Transaction, document_id: UUID) -> bool:
    """Whether a version arrived that nobody has read yet."""
    return bool(await tx.value(Q.waiting, document_id=document_id))
