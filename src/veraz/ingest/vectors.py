"""Keeping an outside vector engine in step with PostgreSQL, change by change, and moving whole spaces there and back.

The database notes every changed chunk in `vector_outbox`, in the transaction of the change. A step here takes some
of them, looks what each chunk is now, puts or removes its point, and strikes them off; a crash in between only
means that it is done again. Searches read what still waits from PostgreSQL, so nothing is missed meanwhile.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.db.types import entries, floats
from veraz.observe import log
from veraz.providers.vectors.base import Mark, Point, VectorEngine, Words
from veraz.tenancy.model import system

Q = queries(__file__)

_BATCH = 500
_LEASE_SECONDS = 120
"""Longer than any call to the engine may take, so that no two workers write the same point at the same time."""
_IDLE_SECONDS = 0.5
_LONGEST_PAUSE = 30.0

State = Literal["filling", "qdrant", "postgres"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where an embedding space is searched, and how many of its changes wait."""

    space_id: int
    name: str
    dimensions: int
    state: State | None
    filled: bool
    """Whether all its chunks are there or in the outbox."""
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    chunk_id: UUID
    tenant_id: UUID
    space_id: int
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What one side has and the other has not, or has otherwise."""

    space_id: int
    missing: tuple[UUID, ...]
    """In PostgreSQL and not, or not like this, in the engine."""
    surplus: tuple[UUID, ...]
    """Only in the engine."""

    @property
    def none(self) -> bool:
        """Both sides are the same."""
        return not self.missing and not self.surplus


class VectorSync:
    """Brings the engine what changed. Its database is a worker's."""

    def __init__(self, db: Database, engine: VectorEngine) -> None:
        self.db = db
        self.engine = engine

    async def run(self) -> None:
        """Steps for ever; while the engine does not answer, at longer and longer intervals."""
        pause = _IDLE_SECONDS
        while True:
            try:
                await self.begin_new_spaces()
                done = await self.step()
                pause = 0 if done else _IDLE_SECONDS
            except (errors.OutsideFault, errors.DatabaseUnavailable) as fault:
                log.warning("vectors_wait", reason=str(fault))
                pause = min(_LONGEST_PAUSE, max(1.0, pause * 2))
            await asyncio.sleep(pause * random.uniform(0.8, 1.0))

    async def step(self) -> int:
        """Applies some changes; how many."""
        async with self.db.queue.transaction() as tx:
            changes = await tx.all(_Change, Q.claim, limit=_BATCH, lease=_LEASE_SECONDS)
        by_tenant: dict[tuple[int, UUID], list[_Change]] = defaultdict(list)
        for change in changes:
            by_tenant[change.space_id, change.tenant_id].append(change)
        try:
            for (space_id, tenant_id), group in by_tenant.items():
                await self._apply(space_id, tenant_id, group)
        except errors.OutsideFault:
            async with self.db.queue.transaction() as tx:
                await tx.run(Q.release, ids=[change.chunk_id for change in changes])
            raise
        await self._settle()
        return len(changes)

    async def drain(self) -> int:
        """Steps until nothing waits; how many changes that were."""
        total = 0
        while done := await self.step():
            total += done
        return total

    async def begin_new_spaces(self) -> None:
        """Spaces nobody decided about move to the engine."""
        for home in await homes(self.db):
            if home.state is None or (home.state == "filling" and not home.filled):
                await self.fill(home)

    async def fill(self, home: Home) -> None:
        """Starts moving a space, unless somebody is doing so; a crash under way starts it afresh."""
        async with self.db.queue.transaction() as guard:
            if await guard.value(Q.be_the_only_one, space_id=home.space_id):
                await self._fill(home)

    async def _fill(self, home: Home) -> None:
        """An empty place, then every chunk into the outbox."""
        await self.engine.forget(home.space_id)
        await self.engine.ensure(home.space_id, home.dimensions)
        async with self.db.queue.transaction() as tx:
            await tx.run(Q.hold_writers)  # a chunk is either seen below or noted by its own transaction
            await tx.run(Q.set_home, space_id=home.space_id, state="filling")
        for tenant_id in await tenants(self.db):
            async with self.db.transaction(system(tenant_id)) as tx:
                await tx.run(Q.note_all, space_id=home.space_id)
        async with self.db.queue.transaction() as tx:
            await tx.run(Q.filled_to, space_id=home.space_id)
        log.info("vectors_filling", space=home.name)

    async def leave(self, home: Home) -> None:
        """Searches of the space return to PostgreSQL at once; the engine forgets it."""
        async with self.db.queue.transaction() as tx:
            # a writer under way notes its chunk before the strike, a later one not at all
            await tx.run(Q.hold_writers)
            await tx.run(Q.set_home, space_id=home.space_id, state="postgres")
            await tx.run(Q.strike_space, space_id=home.space_id)
        await self.engine.forget(home.space_id)

    async def _apply(self, space_id: int, tenant_id: UUID, changes: Sequence[_Change]) -> None:
        ids = [change.chunk_id for change in changes]
        async with self.db.transaction(system(tenant_id)) as tx:
            points = [_point(row) for row in await tx.binary_rows(Q.chunks, ids=ids, space_id=space_id)]
        there = {point.mark.id for point in points}
        await self.engine.put(space_id, points)
        await self.engine.remove(space_id, [one for one in ids if one not in there])
        async with self.db.queue.transaction() as tx:
            await tx.run(Q.strike, ids=ids, versions=[change.version for change in changes])

    async def _settle(self) -> None:
        async with self.db.queue.transaction() as tx:
            for space_id in await tx.values(Q.moved):
                log.info("vectors_moved", space=space_id)


@asynccontextmanager
async def in_step(db: Database, engine: VectorEngine | None) -> AsyncIterator[None]:
    """The engine is kept in step in the background for as long as the block lasts."""
    if engine is None:
        yield
        return
    task = asyncio.create_task(VectorSync(db, engine).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await engine.close()


async def homes(db: Database) -> list[Home]:
    """Every embedding space with where it is searched."""
    async with db.queue.transaction() as tx:
        return await tx.all(Home, Q.homes)


async def tenants(db: Database) -> list[UUID]:
    """Every tenant."""
    async with db.queue.transaction() as tx:
        return await tx.values(Q.tenants)


async def compare(db: Database, engine: VectorEngine, home: Home) -> Differences:
    """Both sides, chunk by chunk; what waits in the outbox counts as no difference."""
    space_id = home.space_id
    await engine.ensure(space_id, home.dimensions)
    there = {mark.id: mark async for mark in engine.marks(space_id)}
    async with db.queue.transaction() as tx:
        waiting = set(await tx.values(Q.waiting, space_id=space_id))
    missing: list[UUID] = []
    for tenant_id in await tenants(db):
        async with db.transaction(system(tenant_id)) as tx:
            here = await tx.all(Mark, Q.marks, space_id=space_id)
        different = [mark.id for mark in here if there.pop(mark.id, None) != mark]
        missing += [one for one in different if one not in waiting]
    surplus = tuple(one for one in there if one not in waiting)
    return Differences(space_id=space_id, missing=tuple(missing), surplus=surplus)


async def repair(db: Database, differences: Differences) -> None:
    """Notes every difference as a change; the next steps mend it."""
    ids = [*differences.missing, *differences.surplus]
    for tenant_id in await tenants(db):
        async with db.transaction(system(tenant_id)) as tx:
            await tx.run(Q.note_some, space_id=differences.space_id, ids=ids)
    async with db.queue.transaction() as tx:
        await tx.run(Q.note_gone, space_id=differences.space_id, ids=list(differences.surplus))


def _point(row: dict[str, Any]) -> Point:
    dimensions, weights = entries(row.pop("bm25"))
    embedding = row.pop("embedding")
    return Point(
        mark=Mark(**row), meaning=floats(embedding), words=Words(dimensions=dimensions, weights=weights)
    )
