"""The first step in: something arrives, is looked at, stored, written down and queued, or refused with a reason."""

import asyncio
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.ingest.crawling import CRAWL
from veraz.ingest.credits import credits_for, estimated_seconds, estimated_tokens
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.keys import storage_key
from veraz.ingest.look import LONGEST_NAME, Looked, clean_name, clean_title, look, pieces
from veraz.ingest.rebuild import INGEST
from veraz.ingest.versions import NewVersion, add_version, hold
from veraz.library.knowledge_bases import need_writable
from veraz.providers.files.base import Stored
from veraz.providers.files.tenants import Files
from veraz.providers.web_rules import checked_url
from veraz.queue.queue import enqueue
from veraz.tenancy.acting import licensed, tell_admitted
from veraz.tenancy.machines import EVERY_MACHINE, machine_named
from veraz.tenancy.model import Actor
from veraz.tenancy.plans import Plans
from veraz.tenancy.signed_acting import unproven

Q = queries(__file__)

Origin = Literal["upload", "text", "url", "manual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What the sender says about what arrives."""

    machine_id: str = EVERY_MACHINE
    metadata: dict[str, Any] | None = None
    title: str | None = None
    source_url: str | None = None
    origin: Origin = "upload"
    replaces: bool = True
    """A file takes the place of the document of the same name, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A document that is waiting to be processed."""

    document_id: UUID
    filename: str
    estimated_processing_time_seconds: int
    version: int = 1
    status: Literal["pending"] = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that was not taken in, and why."""

    filename: str
    error: errors.VerazError


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOrder:
    """How far a crawl goes from its first page."""

    max_depth: int = 2
    max_pages: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Twin:
    id: UUID
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """The document whose next version arrives."""

    id: UUID
    name: str
    title: str | None
    origin: Origin
    machine_id: str
    file_type: str
    storage_key: str | None
    superseded_by: str | None


class Reception:
    """Takes documents in."""

    def __init__(self, db: Database, files: Files, plans: Plans, web: FetchLimits | None = None) -> None:
        self.db = db
        self.files = files
        self.plans = plans
        self.web = web or FetchLimits()

    async def files_of(
        self, actor: Actor, kb_id: UUID, arrived: Sequence[tuple[str, BinaryIO]], labels: Labels
    ) -> list[Received | Refused]:
        """Several files, each accepted or refused by itself, in the order they came."""
        if not arrived:
            raise errors.Invalid(field="files", reason="send at least one")
        labels = await self._welcome(actor, kb_id, labels)
        outcomes: list[Received | Refused] = []
        seen: set[str] = set()
        for name, file in arrived:
            new = replace(labels, replaces=labels.replaces and name not in seen)
            seen.add(name)
            outcomes.append(await self._one_of_many(actor, kb_id, name, file, new))
        return outcomes

    async def file(
        self, actor: Actor, kb_id: UUID, filename: str, file: BinaryIO, labels: Labels
    ) -> Received:
        """A file, already on disk or in memory, not yet trusted."""
        labels = await self._welcome(actor, kb_id, labels)
        return await self._file(actor, kb_id, filename, file, labels)

    async def text(self, actor: Actor, kb_id: UUID, title: str, content: str, labels: Labels) -> Received:
        """Text somebody wrote, as Markdown."""
        name = clean_title(title)
        labels = await self._welcome(actor, kb_id, labels)
        file = io.BytesIO(content.encode())
        looked = await asyncio.to_thread(look, file, f"{name}.md")
        await self.refuse_duplicate(actor, kb_id, name, looked.digest, labels.machine_id)
        return await self.keep(actor, kb_id, name, file, looked, replace(labels, title=labels.title or name))

    async def url(self, actor: Actor, kb_id: UUID, url: str, labels: Labels) -> Received:
        """A web address; a job fetches it."""
        shown = self._address(url)
        labels = await self._welcome(actor, kb_id, labels)
        document_id = new_id()
        async with self.db.transaction(actor.scope()) as tx:
            await _refuse_same_address(tx, kb_id, shown, labels.machine_id)
            await self.plans.room_for_documents(tx, kb_id, documents=1, size=0)
            await _add(tx, actor, kb_id, document_id, shown, "html", None, labels, source_url=shown)
            await self._queue(tx, kb_id, document_id, "html", 50_000)
        return Received(document_id=document_id, filename=shown, estimated_processing_time_seconds=5)

    async def crawl(self, actor: Actor, kb_id: UUID, url: str, order: CrawlOrder, labels: Labels) -> UUID:
        """A whole site; a job follows its links and every page becomes a document. The job's id."""
        shown = self._address(url)
        labels = await self._welcome(actor, kb_id, labels)
        payload: dict[str, object] = {"url": shown, "machine_id": labels.machine_id, **asdict(order)}
        async with self.db.transaction(actor.scope()) as tx:
            return await enqueue(tx, CRAWL, kb_id=kb_id, payload=payload, max_attempts=3)

    async def again(
        self, actor: Actor, kb_id: UUID, document_ids: Sequence[UUID] | None = None
    ) -> list[UUID]:
        """These documents, or all, are processed anew; those already waiting are left as they are."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            wanted = None if document_ids is None else list(document_ids)
            rows = await tx.rows(Q.to_reprocess, kb_id=kb_id, ids=wanted)
            if missing := set(wanted or ()) - {row["id"] for row in rows}:
                raise errors.NotFound(thing="document", id=", ".join(sorted(map(str, missing))))
            return [
                row["id"]
                for row in rows
                if not row["superseded"]
                and await self._again(tx, kb_id, row["id"], row["file_type"], row["size_bytes"])
            ]

    async def _again(self, tx: Transaction, kb_id: UUID, document_id: UUID, kind: str, size: int) -> bool:
        await self.plans.need_feature(tx, "ai_agents_enabled")
        try:
            await self._queue(tx, kb_id, document_id, kind, size)
        except errors.JobWaiting:
            return False
        await tx.run(DOCUMENTS.waiting, id=document_id)
        return True

    async def _one_of_many(
        self, actor: Actor, kb_id: UUID, name: str, file: BinaryIO, labels: Labels
    ) -> Received | Refused:
        try:
            return await self._file(actor, kb_id, name, file, labels)
        except errors.VerazError as error:
            return Refused(filename=name, error=error)

    async def _file(
        self, actor: Actor, kb_id: UUID, filename: str, file: BinaryIO, labels: Labels
    ) -> Received:
        name = clean_name(filename)
        looked = await asyncio.to_thread(look, file, name)
        await self.refuse_duplicate(actor, kb_id, name, looked.digest, labels.machine_id)
        return await self.keep(actor, kb_id, name, file, looked, labels)

    def _address(self, url: str) -> str:
        return str(checked_url(url, allow_private=self.web.allow_private, ports=self.web.ports))

    async def keep(
        self,
        actor: Actor,
        kb_id: UUID,
        name: str,
        file: BinaryIO,
        looked: Looked,
        labels: Labels,
        *,
        old: Replaced | None = None,
    ) -> Received:
        """Stores the file, then the row and the job; a refused row takes its file with it."""
        key = storage_key(actor.tenant_id, kb_id, new_id())
        files = self.files.of(actor.tenant_id)
        stored = await files.put(key, pieces(file), max_bytes=looked.kind.max_bytes)
        arrival = _Arrival(kb_id=kb_id, name=name, kind=looked.kind.value, stored=stored, labels=labels)
        try:
            document_id, version = await self._register(actor, arrival, old)
        except errors.DatabaseUnavailable:
            raise  # the row may have been written all the same; if not, the sweep finds the file
        except errors.VerazError:
            await files.delete(key)
            raise
        seconds = estimated_seconds(looked.kind.value, stored.size)
        return Received(
            document_id=document_id,
            filename=name,
            estimated_processing_time_seconds=seconds,
            version=version,
        )

    async def _welcome(self, actor: Actor, kb_id: UUID, labels: Labels) -> Labels:
        """The kb is the caller's to fill, has room, and the machine may be named by this caller."""
        machine_id = machine_named(labels.machine_id)
        if actor.unproven and machine_id != EVERY_MACHINE:
            raise unproven()
        if actor.machine_id and machine_id not in (EVERY_MACHINE, actor.machine_id):
            raise errors.Forbidden(action="add documents for another machine")
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id, scope="ingest")
            await self.plans.need_feature(tx, "ai_agents_enabled")
            await self.plans.room_for_documents(tx, kb_id, documents=0, size=0)
            admitted = await licensed(tx, machine_id)
        tell_admitted(actor.tenant_id, admitted, actor)
        return replace(labels, machine_id=machine_id)

    async def refuse_duplicate(
        self,
        actor: Actor,
        kb_id: UUID,
        name: str,
        digest: bytes,
        machine_id: str,
        *,
        besides: UUID | None = None,
    ) -> None:
        async with self.db.transaction(actor.scope()) as tx:
            await _refuse_twin(tx, kb_id, name, digest, machine_id, besides=besides)

    async def _register(self, actor: Actor, new: "_Arrival", old: Replaced | None) -> tuple[UUID, int]:
        """The row and the job, of a new document or of the next version of one; its id and version."""
        async with self.db.transaction(actor.scope()) as tx:
            await tx.run(Q.lock_content, kb_id=str(new.kb_id), digest=new.stored.sha256)
            await tx.run(Q.lock_name, kb_id=str(new.kb_id), name=new.name)
            old = old or await _same_name(tx, new)
            if old is None:
                return await self._add_document(tx, actor, new), 1
            return old.id, await self._add_version(tx, actor, new, old)

    async def _add_document(self, tx: Transaction, actor: Actor, new: "_Arrival") -> UUID:
        document_id, labels = new_id(), new.labels
        await self.plans.room_for_documents(tx, new.kb_id, documents=1, size=new.stored.size)
        await _refuse_twin(tx, new.kb_id, new.name, bytes.fromhex(new.stored.sha256), labels.machine_id)
        await _add(
            tx,
            actor,
            new.kb_id,
            document_id,
            new.name,
            new.kind,
            new.stored,
            labels,
            source_url=labels.source_url,
        )
        await self._queue(tx, new.kb_id, document_id, new.kind, new.stored.size)
        return document_id

    async def _add_version(self, tx: Transaction, actor: Actor, new: "_Arrival", old: Replaced) -> int:
        """The version waits beside the one that is read; a job under way takes it next."""
        await self.plans.room_for_documents(tx, new.kb_id, documents=0, size=new.stored.size)
        digest, renamed = bytes.fromhex(new.stored.sha256), new.labels.title not in (None, old.title)
        await _refuse_twin(
            tx, new.kb_id, new.name, digest, old.machine_id, besides=old.id if renamed else None
        )
        if (await hold(tx, old.id)).superseded:
            raise errors.DocumentSuperseded(name=old.name, by=old.superseded_by or "…")
        version = await add_version(
            tx,
            actor,
            old.id,
            NewVersion(name=new.name, title=new.labels.title, file_type=new.kind, stored=new.stored),
        )
        await self._again(tx, new.kb_id, old.id, new.kind, new.stored.size)
        return version

    async def _queue(self, tx: Transaction, kb_id: UUID, document_id: UUID, kind: str, size: int) -> None:
        """The job and its reserved credits, with the row it is about."""
        job_id = await enqueue(tx, INGEST, kb_id=kb_id, document_id=document_id)
        await tx.run(Q.reserve, job_id=job_id, credits=credits_for(estimated_tokens(kind, size)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    """A file that has been stored, before its row is written."""

    kb_id: UUID
    name: str
    kind: str
    stored: Stored
    labels: Labels


async def _same_name(tx: Transaction, new: _Arrival) -> Replaced | None:
    """The file's earlier self: a document of this name, from the same place."""
    if new.labels.origin != "upload" or not new.labels.replaces:
        return None
    path = (new.labels.metadata or {}).get("path")
    old = await tx.one(
        Replaced,
        Q.same_name,
        kb_id=new.kb_id,
        machine_id=new.labels.machine_id,
        name=new.name,
        path=None if path is None else str(path),
    )
    return None if old is None else refuse_superseded(old)


def refuse_superseded(old: Replaced) -> Replaced:
    if old.superseded_by is not None:
        raise errors.DocumentSuperseded(name=old.name, by=old.superseded_by)
    return old


async def _refuse_twin(
    tx: Transaction,
    kb_id: UUID,
    name: str,
    digest: bytes,
    machine_id: str,
    *,
    besides: UUID | None = None,
) -> None:
    twin = await tx.one(
        _Twin, DOCUMENTS.twin, kb_id=kb_id, machine_id=machine_id, content_hash=digest, besides=besides
    )
    if twin:
        raise errors.DuplicateDocument(filename=name, twin_name=twin.name, twin_id=twin.id)


async def _refuse_same_address(tx: Transaction, kb_id: UUID, url: str, machine_id: str) -> None:
    twin = await tx.one(_Twin, Q.same_address, kb_id=kb_id, url=url, machine_id=machine_id)
    if twin:
        raise errors.DuplicateDocument(filename=url, twin_name=twin.name, twin_id=twin.id)


async def _add(
    tx: Transaction,
    actor: Actor,
    kb_id: UUID,
    document_id: UUID,
    name: str,
    kind: str,
    stored: Stored | None,
    labels: Labels,
    *,
    source_url: str | None,
) -> None:
    await tx.run(
        DOCUMENTS.add,
        id=document_id,
        kb_id=kb_id,
        name=name[:LONGEST_NAME],
        origin=labels.origin,
        source_url=source_url,
        file_type=kind,
        size_bytes=stored.size if stored else 0,
        storage_key=stored.key if stored else None,
        content_hash=bytes.fromhex(stored.sha256) if stored else None,
        machine_id=labels.machine_id,
        title=labels.title,
        metadata=labels.metadata or {},
        created_by=actor.user_id,
    )
