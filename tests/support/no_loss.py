"""Documents under fire: workers and PostgreSQL are killed until everything is done, then every count is checked.

The embedder is a paid service on this machine that notes every text it is asked for, so that what was paid twice is
known from outside. A text that is asked for again was either lost with a killed process before anybody could write
its vector down (no program can avoid that), or its vector was in the database already (`avoidable`, never allowed).
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch
from uuid import UUID

import psycopg
from tests.support.embedding_server import EmbeddingServer, embedding_server
from tests.support.kills import kill_postgres
from tests.support.load import Shelf, Text, Workers, new_shelf, opened

from veraz import errors
from veraz.db import embedded
from veraz.ingest.chunk import Chunk, chunk
from veraz.ingest.cleanup import forget, orphans
from veraz.ingest.credits import credits_for
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.markdown import read
from veraz.ingest.store import CHUNKS, WORDS, word
from veraz.library.configs import ChunkingConfig, EmbeddingConfig
from veraz.settings import Settings

T = TypeVar("T")
Owner = psycopg.Connection[tuple[Any, ...]]

MODEL = EmbeddingConfig(provider="openai_compatible", model="soak-64", dimensions=64, batch_size=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much, and how cruel."""

    texts: Sequence[Text]
    workers: int = 3
    seconds_between_kills: tuple[float, float] = (2.0, 5.0)
    kills: int | None = None
    """How many workers die; without a number they die until all is done."""
    postgres_kills: int = 2
    patience: float = 3600.0
    command: Sequence[str] | None = None
    hurry: bool = False
    """Do not wait for the backoff of jobs that failed because the database was away."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What happened, and everything that must not have."""

    documents: int = 0
    chunks: int = 0
    seconds: float = 0.0
    workers_killed: int = 0
    postgres_killed: int = 0
    uploads_repeated: int = 0
    files_swept: int = 0
    asked: int = 0
    asked_again: int = 0
    avoidable: int = 0
    jobs_taken_over: int = 0
    attempts_after_errors: int = 0
    problems: list[str] = field(default_factory=list)


async def under_fire(home: Path, plan: Plan) -> Outcome:
    """Sends the documents in, kills until all are completed, and checks."""
    outcome = Outcome(documents=len(plan.texts))
    with embedding_server() as server, Workers(home, _environment(server), command=plan.command) as workers:
        settings = Settings(
            home=home, openai_base_url=f"{server.url}/v1", embedding_model=MODEL.space_name, log_level="error"
        )
        async with opened(settings) as veraz:
            shelf = await new_shelf(veraz, "soak", MODEL)
            expected = Expected(plan.texts)
            server.watch = Watch(home, expected, outcome)
            begun = time.monotonic()
            workers.start(plan.workers)
            ids, _ = await asyncio.gather(
                _send(shelf, plan.texts, outcome), _Fire(shelf, workers, plan, outcome).until_done()
            )
            outcome.seconds = time.monotonic() - begun
            await asyncio.to_thread(workers.stop)
            await _sweep_files(shelf, outcome)
            check(home, shelf, dict(zip(ids, plan.texts, strict=True)), expected, outcome)
    return outcome


def _environment(server: EmbeddingServer) -> dict[str, str]:
    return {
        "VERAZ_OPENAI_BASE_URL": f"{server.url}/v1",
        "VERAZ_EMBEDDING_MODEL": MODEL.space_name,
        "VERAZ_LOG_LEVEL": "warning",
    }


async def _send(shelf: Shelf, texts: Sequence[Text], outcome: Outcome) -> list[UUID]:
    """As a client that tries again: what turns out to be there already had arrived."""

    async def one(text: Text) -> UUID:
        try:
            (document_id,) = await shelf.send([text])
            return document_id
        except errors.DatabaseUnavailable:
            outcome.uploads_repeated += 1
            raise
        except errors.DuplicateDocument as twin:
            return UUID(str(twin.context["twin_id"]))

    return [await patiently(partial(one, text)) for text in texts]


class _Fire:
    """Kills every few seconds; on a slow machine only after something was done since the last time."""

    def __init__(self, shelf: Shelf, workers: Workers, plan: Plan, outcome: Outcome) -> None:
        self.shelf, self.workers, self.plan, self.outcome = shelf, workers, plan, outcome
        total = len(plan.texts)
        self.postgres_at = [total * (n + 1) // (plan.postgres_kills + 2) for n in range(plan.postgres_kills)]
        self._reload(0)

    async def until_done(self) -> None:
        deadline, done = time.monotonic() + self.plan.patience, 0
        while done < len(self.plan.texts):
            assert time.monotonic() < deadline, f"{done} completed, {self.outcome}"
            await asyncio.sleep(0.1)
            done = (await patiently(self.shelf.counts)).get("completed", 0)
            await self._shoot(done)
            if self.plan.hurry:
                await patiently(lambda: _hurry(self.shelf))

    async def _shoot(self, done: int) -> None:
        if self.postgres_at and done >= self.postgres_at[0]:
            self.postgres_at.pop(0)
            await asyncio.to_thread(kill_postgres, self.shelf.veraz.settings.home)
            self.outcome.postgres_killed += 1
        allowed = self.plan.kills is None or self.outcome.workers_killed < self.plan.kills
        if allowed and time.monotonic() > self.next_at and done > self.done_before:
            self.outcome.workers_killed += await _kill_a_busy_one(self.shelf, self.workers)
            self._reload(done)

    def _reload(self, done: int) -> None:
        self.next_at = time.monotonic() + random.uniform(*self.plan.seconds_between_kills)
        self.done_before = done


async def _kill_a_busy_one(shelf: Shelf, workers: Workers) -> int:
    """A random worker with jobs in its hands; on a slow machine the others may not even have started."""
    busy = await patiently(shelf.busy_processes)
    numbers = [n for n, process in enumerate(workers.processes) if process.pid in busy]
    if not numbers:
        return 0
    await asyncio.to_thread(workers.kill, random.choice(numbers))
    workers.start()
    return 1


async def _sweep_files(shelf: Shelf, outcome: Outcome) -> None:
    """What the hourly sweep would do tomorrow: files of uploads whose row was never written."""
    with patch("veraz.ingest.cleanup._YOUNG", timedelta(0)):
        left = await orphans(shelf.veraz.db, shelf.veraz.files, shelf.actor.tenant_id)
    outcome.files_swept = await forget(shelf.veraz.files, shelf.actor.tenant_id, left)
    _must(outcome, outcome.files_swept <= outcome.uploads_repeated, f"{len(left)} files without a document")


async def _hurry(shelf: Shelf) -> None:
    async with shelf.veraz.db.transaction(shelf.actor.scope()) as tx:
        await tx.run(
            "update veraz.job set run_after = now() where id in (select id from veraz.job "
            "where status = 'PENDING' and run_after > now() for update skip locked)"
        )


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer, also when the database is away for a while."""
    while True:
        try:
            return await ask()
        except errors.DatabaseUnavailable:
            await asyncio.sleep(0.2)


class Expected:
    """What must be stored, worked out here from the texts alone."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self.chunks: dict[str, list[Chunk]] = {text.name: _chunks(text) for text in texts}
        every = [piece for pieces in self.chunks.values() for piece in pieces]
        self.hashes = {piece.embedded: piece.content_hash for piece in every}
        assert len(self.hashes) == len(every), "for exact counts every chunk must be different"
        worded = word(every, "es")
        self.terms = Counter(term for item in worded for term in item.terms)
        self.terms[CHUNKS] = len(every)
        self.terms[WORDS] = sum(len(item.words) for item in worded)
        self.credits = sum(credits_for(sum(c.tokens for c in pieces)) for pieces in self.chunks.values())


def _chunks(text: Text) -> list[Chunk]:
    parsed = read(Source(data=text.content.encode(), filename=text.name))
    return chunk(parsed, ChunkingConfig(), name=text.name)


class Watch:
    """Notes every text the service is asked for; of those asked again, whether we had the vector all along."""

    def __init__(self, home: Path, expected: Expected, outcome: Outcome) -> None:
        self.url = ""
        self.home, self.expected, self.outcome = home, expected, outcome
        self.seen: set[str] = set()

    def __call__(self, texts: Sequence[str]) -> None:
        again = [text for text in texts if text in self.seen]
        self.seen.update(texts)
        self.outcome.asked += len(texts)
        self.outcome.asked_again += len(again)
        if again:
            self.outcome.avoidable += self._already_stored(again)

    def _already_stored(self, texts: Sequence[str]) -> int:
        hashes = [self.expected.hashes[text] for text in texts]
        with embedded.running(self.home) as address, psycopg.connect(address.url) as connection:
            row = connection.execute(
                "select count(distinct content_hash) from (select content_hash from veraz.chunk union all "
                "select content_hash from veraz.embedding_cache) s where content_hash = any (%s)",
                [hashes],
            ).fetchone()
        return int(row[0]) if row else 0


def check(home: Path, shelf: Shelf, texts: dict[UUID, Text], expected: Expected, outcome: Outcome) -> None:
    """Compares everything that is stored with what must be."""
    with embedded.running(home) as address, psycopg.connect(address.url) as owner:
        _check_documents(owner, texts, outcome)
        _check_chunks(owner, texts, expected, outcome)
        _check_terms(owner, expected, outcome)
        _check_books(owner, shelf, expected, outcome)
        _check_files(owner, home, outcome)


def _check_documents(owner: Owner, texts: dict[UUID, Text], outcome: Outcome) -> None:
    rows: dict[str, int] = dict(
        owner.execute("select status, count(*) from veraz.document group by 1").fetchall()
    )
    _must(outcome, rows == {"completed": len(texts)}, f"documents: {rows}")
    jobs: dict[str, int] = dict(owner.execute("select status, count(*) from veraz.job group by 1").fetchall())
    _must(outcome, jobs == {"DONE": len(texts)}, f"jobs: {jobs}")
    told = Counter(
        row[0]
        for row in owner.execute("select document_id from veraz.event where kind = 'document.completed'")
    )
    _must(outcome, told == Counter(texts.keys()), "documents that were completed more than once, or never")
    row = owner.execute("select sum(lost), sum(attempt - 1) from veraz.job").fetchone()
    assert row is not None
    outcome.jobs_taken_over, outcome.attempts_after_errors = int(str(row[0])), int(str(row[1]))


def _check_chunks(
    owner: Owner,
    texts: dict[UUID, Text],
    expected: Expected,
    outcome: Outcome,
) -> None:
    stored: dict[object, list[tuple[object, object]]] = {}
    for document_id, *rest in owner.execute(
        "select document_id, ordinal, content from veraz.chunk order by edition_id, document_id, ordinal"
    ):
        stored.setdefault(document_id, []).append((rest[0], rest[1]))
    outcome.chunks = sum(map(len, stored.values()))
    for document_id, text in texts.items():
        wanted = [(piece.ordinal, piece.content) for piece in expected.chunks[text.name]]
        _must(outcome, stored.get(document_id) == wanted, f"chunks of {text.name}")
    row = owner.execute(
        "select count(*) from veraz.document d where chunks_count <> (select count(*) from veraz.chunk c where c.document_id = d.id)"
    ).fetchone()
    _must(outcome, row == (0,), f"{row} documents with a wrong number of chunks")


def _check_terms(owner: Owner, expected: Expected, outcome: Outcome) -> None:
    rows = owner.execute("select term, sum(count)::bigint from veraz.edition_term group by 1").fetchall()
    counted = {term: count for term, count in rows if count}
    _must(outcome, counted == dict(expected.terms), "word counts differ from the chunks")


def _check_books(owner: Owner, shelf: Shelf, expected: Expected, outcome: Outcome) -> None:
    row = owner.execute(
        "select -sum(credits)::bigint from veraz.credit_entry where tenant_id = %s and about is not null",
        [shelf.actor.tenant_id],
    ).fetchone()
    _must(outcome, row == (expected.credits,), f"credits: {row} instead of {expected.credits}")
    cached = owner.execute("select count(*) from veraz.embedding_cache").fetchone()
    _must(outcome, cached == (0,), f"{cached} vectors left in the cache")
    _must(outcome, outcome.avoidable == 0, f"{outcome.avoidable} texts were paid for although stored")


def _check_files(owner: Owner, home: Path, outcome: Outcome) -> None:
    keys = {row[0] for row in owner.execute("select storage_key from veraz.document")}
    folder = home / "files"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    _must(outcome, found == keys, f"{len(found - keys)} files too many, {len(keys - found)} missing")


def _must(outcome: Outcome, holds: bool, otherwise: str) -> None:
    if not holds:
        outcome.problems.append(otherwise)
