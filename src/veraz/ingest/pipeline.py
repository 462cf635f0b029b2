"""A document's way in, in order: fetch → parse → chunk → embed → store. One job does one document.

No transaction spans a model call; the last one stores the chunks and ends the job together.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest import store
from veraz.ingest.budget import budget
from veraz.ingest.chunk import Chunk, chunk
from veraz.ingest.chunk_places import with_places
from veraz.ingest.corrections import Overlaid, corrections_of, mark_chunks, overlay, settle_corrections
from veraz.ingest.credits import credits_for
from veraz.ingest.document_text import Segment, replace_text, segments
from veraz.ingest.embed import Bill, Buyer, prepare
from veraz.ingest.fetching import Fetcher
from veraz.ingest.forgotten_spans import Withheld, spans_of, withhold
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import parse_file
from veraz.ingest.rebuild import INGEST, after_live_store, still_live, switch_when_complete
from veraz.ingest.store import Target, Worded
from veraz.ingest.traits import Traits, traits_of
from veraz.ingest.versions import Held, hold, is_waiting, make_current, mark_failed, take_version
from veraz.library.configs import ChunkingConfig, EmbeddingConfig
from veraz.library.spaces import Spaces
from veraz.observe import log
from veraz.providers.files.tenants import Files
from veraz.queue.handler import JobControl
from veraz.queue.model import Job, Stage
from veraz.queue.queue import enqueue
from veraz.settings import Settings

Q = queries(__file__)

_SHARE = {
    Stage.FETCH: (0, 5),
    Stage.PARSE: (5, 30),
    Stage.CHUNK: (30, 35),
    Stage.EMBED: (35, 95),
    Stage.STORE: (95, 99),
}
"""Which part of a document's progress bar each stage fills."""
_SECONDS_BETWEEN_SIGNS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a job has to do: a document into an edition."""

    document_id: UUID
    kb_id: UUID
    name: str
    origin: str
    source_url: str | None
    storage_key: str | None
    file_type: str
    machine_id: str
    size_bytes: int
    indexed_at: datetime | None
    language: str
    edition_id: int
    space_id: int
    chunking: dict[str, Any]
    embedding: dict[str, Any]
    status: str
    version: int
    new_version: bool
    """Whether this version has never been read."""
    superseded: bool
    """Whether another document took its place: then there is nothing to do."""

    @property
    def filename(self) -> str:
        """The name the parser judges by; a title that people typed says nothing about the format."""
        return self.name if self.origin in ("upload", "url") else f"{self.name}.{self.file_type}"

    @property
    def reread(self) -> bool:
        """Title, author and date are those of the new file, or a person's; what somebody wrote keeps its title."""
        return self.new_version and self.origin not in ("text", "manual")

    @property
    def beside(self) -> bool:
        """Built beside the live edition; the document itself is not touched."""
        return self.status != "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Built:
    """What a document became, before it is stored."""

    parsed: Parsed
    overlaid: Overlaid
    worded: list[Worded]
    text: list[Segment]
    traits: Traits
    bill: Bill


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    id: UUID
    kb_id: UUID
    searchable: bool


class IngestDocument:
    """The handler of `ingest` jobs: a document into the live edition, or into one being built."""

    def __init__(self, db: Database, files: Files, spaces: Spaces, settings: Settings) -> None:
        self.db = db
        self.files = files
        self.spaces = spaces
        self.limits = ParseLimits.of(settings)
        self.seconds = settings.job_seconds
        self.fetcher = Fetcher(db, files, settings)

    async def __call__(self, job: Job, control: JobControl) -> None:
        while not await self._went_in(job, control):
            log.info("edition_switched_meanwhile", job=str(job.id))

    async def _went_in(self, job: Job, control: JobControl) -> bool:
        """The whole way; False when the live edition was replaced under way, so that it has to be walked again."""
        task = await self._task(job)
        if task.superseded:
            await self._leave_out(job, control)
            return True
        work = _Progress(self.db, job, control, task)
        await work.start()
        task = await self._fetched(job, task, work)
        parsed = await self._parse(job, task, work)
        async with budget(self.seconds):
            return await self._worked_in(job, control, task, work, parsed)

    async def _worked_in(
        self, job: Job, control: JobControl, task: Task, work: "_Progress", read: Parsed
    ) -> bool:
        """What was read becomes chunks with words and vectors, and is stored."""
        withheld = await self._withheld(job, task, read)
        parsed = withheld.parsed
        await work.at(Stage.CHUNK)
        embedding = EmbeddingConfig.from_json(task.embedding)
        chunks = await self._chunk(withheld, task, embedding)
        chunks = await asyncio.to_thread(with_places, parsed, chunks)
        overlaid = await self._overlaid(job, task, withheld, chunks)
        target = _target(job, task)
        worded, text, traits = await asyncio.to_thread(_worked_out, parsed, overlaid.chunks, task)
        await work.at(Stage.EMBED)
        order = await prepare(self.db, job.scope, target, overlaid.chunks)
        await self._settle(job, credits_for(order.tokens), embedding, order.tokens)
        buyer = Buyer(self.db, job.scope, target, self.spaces.embedder(embedding), embedding)
        bill = await buyer.fill(order, work.within(Stage.EMBED))
        await work.at(Stage.STORE)
        built = _Built(parsed=parsed, overlaid=overlaid, worded=worded, text=text, traits=traits, bill=bill)
        async with self.db.transaction(job.scope) as tx:
            held = await self._held(tx, task, overlaid, withheld)
            if held is None:
                return False
            await control.finish(tx)
            if held.superseded:
                await tx.run(Q.left_out, document_id=task.document_id)
            else:
                await self._store(tx, target, task, built)
                await self._next(tx, job, task)
        return True

    async def _store(self, tx: Transaction, target: Target, task: Task, built: "_Built") -> None:
        """The new chunks in, the old ones out; a new version takes the place of the one before."""
        if task.new_version:
            await make_current(tx, task.document_id, task.version)
        await store.replace_chunks(tx, target, built.worded, built.bill.vectors)
        await mark_chunks(tx, task.document_id, task.edition_id, built.overlaid)
        await replace_text(tx, target, built.text, version=task.version)
        if task.beside:
            return
        await settle_corrections(tx, built.overlaid)
        await store.mark_stored(
            tx,
            target,
            built.parsed,
            built.traits,
            chunks=len(built.worded),
            tokens=built.bill.tokens,
            reread=task.reread,
        )

    async def _withheld(self, job: Job, task: Task, parsed: Parsed) -> Withheld:
        """What was parsed, without what was forgotten of it."""
        async with self.db.transaction(job.scope) as tx:
            spans = await spans_of(tx, task.document_id)
        return await asyncio.to_thread(withhold, parsed, task.document_id, spans)

    async def _overlaid(self, job: Job, task: Task, withheld: Withheld, chunks: list[Chunk]) -> Overlaid:
        """The chunks as people corrected them."""
        async with self.db.transaction(job.scope) as tx:
            corrections = await corrections_of(tx, task.document_id)
        every = [*corrections, *withheld.gaps]
        overlaid = await asyncio.to_thread(overlay, withheld.parsed.text, chunks, every)
        kept = {one.id for one in corrections}
        return replace(
            overlaid,
            applied=[one for one in overlaid.applied if one.id in kept],
            asking=[one for one in overlaid.asking if one.id in kept],
        )

    async def _held(self, tx: Transaction, task: Task, overlaid: Overlaid, withheld: Withheld) -> Held | None:
        """The document, kept from others, if what was built may be stored: no other edition went live and nobody
        corrected the document, or forgot something of it, meanwhile."""
        if not task.beside and not await still_live(tx, task.kb_id, task.edition_id):
            return None
        held = await hold(tx, task.document_id)
        known = {one.id for one in (*overlaid.applied, *overlaid.asking)}
        now = {one.id for one in await corrections_of(tx, task.document_id)}
        if withheld.spans != {one.id for one in await spans_of(tx, task.document_id)}:
            return None
        return held if known == now else None

    async def _next(self, tx: Transaction, job: Job, task: Task) -> None:
        """A version that arrived meanwhile is read next; else the edition being built gets, or has, the document."""
        if await _read_waiting(tx, job):
            return
        if task.beside:
            await switch_when_complete(tx, task.kb_id)
        else:
            await after_live_store(tx, task.kb_id, task.document_id)

    async def _leave_out(self, job: Job, control: JobControl) -> None:
        """A superseded document is not read."""
        async with self.db.transaction(job.scope) as tx:
            await control.finish(tx)
            await tx.run(Q.left_out, document_id=job.document_id)
            await tx.run(
                Q.settle, about=job.id, credits=0, reason="refund", model=None, tokens=None, cost=None
            )

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The document says why."""
        await document_failed(tx, job, error)

    async def _task(self, job: Job) -> Task:
        async with self.db.transaction(job.scope) as tx:
            task = await tx.get(
                Task,
                Q.task,
                thing="document",
                id=job.document_id,
                document_id=job.document_id,
                edition_id=job.payload.get("edition_id"),
                job_id=job.id,
            )
            if task.new_version:
                await take_version(tx, task.document_id, task.version, job.id)
            return task

    async def _fetched(self, job: Job, task: Task, work: "_Progress") -> Task:
        if task.storage_key is not None:
            return task
        await work.at(Stage.FETCH)
        await self.fetcher.fetch_into(job, task.document_id, task.kb_id, task.source_url or "")
        return await self._task(job)

    async def _parse(self, job: Job, task: Task, work: "_Progress") -> Parsed:
        await work.at(Stage.PARSE)
        assert task.storage_key is not None
        async with self.files.of(job.tenant_id).local_copy(task.storage_key) as path:
            return await parse_file(
                path, filename=task.filename, limits=self.limits, on_progress=work.soon(Stage.PARSE)
            )

    async def _chunk(self, withheld: Withheld, task: Task, embedding: EmbeddingConfig) -> list[Chunk]:
        config = await asyncio.to_thread(ChunkingConfig.from_json, task.chunking)  # it may try a separator
        loop = asyncio.get_running_loop()
        embedder = self.spaces.embedder(embedding)

        def embed_sentences(sentences: Any) -> Any:
            """Called from the chunking thread; the model runs on the loop's own terms."""
            call = embedder.embed(list(sentences), purpose="document")
            return asyncio.run_coroutine_threadsafe(call, loop).result().vectors

        local = embedder.space.provider == "local"
        chunks = await asyncio.to_thread(
            chunk, withheld.parsed, config, name=task.name, embed_sentences=embed_sentences if local else None
        )
        if not chunks and not withheld.spans:  # of what was forgotten whole nothing is left to read
            raise errors.NoText()
        return chunks

    async def _settle(self, job: Job, credits: int, embedding: EmbeddingConfig, tokens: int) -> None:
        """Charges what this job really costs before anything is bought; too few credits end it here."""
        async with self.db.transaction(job.scope) as tx:
            await tx.run(
                Q.settle,
                about=job.id,
                credits=credits,
                reason="ingest",
                model=embedding.space_name,
                tokens=tokens,
                cost=None,
            )


async def document_failed(tx: Transaction, job: Job, error: Exception) -> None:
    """The document says why; what was reserved for it goes back; a version already searchable stays."""
    await tx.run(Q.settle, about=job.id, credits=0, reason="refund", model=None, tokens=None, cost=None)
    assert job.document_id is not None
    known = error if isinstance(error, errors.VerazError) else errors.VerazError()
    if job.payload.get("edition_id"):
        await _read_waiting(tx, job)
        return
    await mark_failed(tx, job.document_id, job.id, known)
    failed = await tx.one(
        _Failed, Q.failed, document_id=job.document_id, code=known.code, message=known.message("es")
    )
    if failed is None:
        return
    await store.tell(tx, "document.failed", failed.kb_id, failed.id, {"code": known.code})
    if not await _read_waiting(tx, job) and failed.searchable:
        await after_live_store(tx, failed.kb_id, failed.id)


async def _read_waiting(tx: Transaction, job: Job) -> bool:
    """A version that arrived meanwhile is read next."""
    if job.document_id is None or not await is_waiting(tx, job.document_id):
        return False
    await tx.run(Q.waiting, document_id=job.document_id)
    await enqueue(tx, INGEST, kb_id=job.kb_id, document_id=job.document_id)
    return True


def _worked_out(
    parsed: Parsed, chunks: Sequence[Chunk], task: Task
) -> tuple[list[Worded], list[Segment], Traits]:
    """What is stored beside the vectors."""
    return store.word(chunks, task.language), segments(parsed), traits_of(parsed, task.name)


def _target(job: Job, task: Task) -> Target:
    return Target(
        tenant_id=job.tenant_id,
        kb_id=task.kb_id,
        edition_id=task.edition_id,
        space_id=task.space_id,
        document_id=task.document_id,
        machine_id=task.machine_id,
        language=task.language,
    )


class _Progress:
    """Stage and percent of one document, on its job and (when it is visible work) on the document itself."""

    def __init__(self, db: Database, job: Job, control: JobControl, task: Task) -> None:
        self.db, self.job, self.control, self.task = db, job, control, task
        self.shown_at = 0.0
        self.background: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self.control.report(Stage.PARSE if self.task.storage_key else Stage.FETCH, 0)
        if not self.task.beside:
            await self._write(Q.started, Stage.PARSE, 0)

    async def at(self, stage: Stage, percent: int = 0) -> None:
        low, high = _SHARE[stage]
        total = low + (high - low) * percent // 100
        await self.control.report(stage, total)
        if not self.task.beside and time.monotonic() - self.shown_at > _SECONDS_BETWEEN_SIGNS:
            await self._write(Q.progress, stage, total)

    def within(self, stage: Stage) -> Callable[[int], Awaitable[None]]:
        """Percent of one stage → percent of the whole."""

        async def report(percent: int) -> None:
            await self.at(stage, percent)

        return report

    def soon(self, stage: Stage) -> Callable[[int], None]:
        """The same for callers that cannot wait."""

        def report(percent: int) -> None:
            task = asyncio.ensure_future(self.at(stage, percent))
            self.background.add(task)
            task.add_done_callback(self.background.discard)

        return report

    async def _write(self, query: str, stage: Stage, percent: int) -> None:
        """A database that is away costs the sign, not the work."""
        self.shown_at = time.monotonic()
        try:
            async with self.db.transaction(self.job.scope) as tx:
                await tx.run(query, document_id=self.task.document_id, stage=stage.value, percent=percent)
        except errors.DatabaseUnavailable:
            log.warning("progress_not_shown", document=str(self.task.document_id))
