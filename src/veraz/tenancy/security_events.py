"""Security events, kept: what `veraz.security.record` tells of is written here, behind the requests it tells of, and read again."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from veraz import security
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.observe import log
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import NOT_OF_A_TENANT, Outcome, SecurityEvent
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_admin, need_platform

Q = queries(__file__)

_WAITING_MOST: Final = 5_000
_TOGETHER: Final = 500
_SECONDS_TOGETHER: Final = 0.05
_SECONDS_AT_THE_END: Final = 3.0
_ADDRESSES_REMEMBERED: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One event as it is read."""

    id: int
    at: datetime
    kind: str
    outcome: Outcome
    user_id: UUID | None
    key_id: UUID | None
    about: UUID | None
    address: str | None
    request_id: str | None
    details: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which events; None is all."""

    kinds: Sequence[str] | None = None
    outcome: Outcome | None = None
    user_id: UUID | None = None
    key_id: UUID | None = None
    address: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    of_installation: bool = False
    """Those that belong to no tenant, for the platform's administrators."""


EVERYTHING: Final = Wanted()


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewAddress:
    at: datetime
    key_id: UUID | None
    address: str | None


_writing: ContextVar[bool] = ContextVar("writing_security_events", default=False)


@dataclass(slots=True)
class _Waiting:
    events: deque[SecurityEvent] = field(default_factory=deque)
    loop: asyncio.AbstractEventLoop | None = None
    task: asyncio.Task[None] | None = None


class SecurityEvents:
    """Keeps the events of this process. At most so many wait; those that come too much are counted as lost."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._waiting = _Waiting()
        self._writing = asyncio.Lock()
        self._known: set[tuple[UUID | None, str | None]] = set()
        with suppress(RuntimeError):
            self._waiting.loop = asyncio.get_running_loop()

    def accept(self, event: SecurityEvent) -> None:
        """From any thread, without waiting."""
        if _writing.get():
            return  # it is our own writing that PostgreSQL does not believe
        if event.kind == "key_used_from_new_address" and not self._is_new(event):
            return
        if len(self._waiting.events) >= _WAITING_MOST:
            security.LOST.inc()
            return
        self._waiting.events.append(event)
        self._wake()

    async def settle(self) -> None:
        """Until what was accepted so far stands in the database, or cannot."""
        async with self._writing:
            while batch := self._next():
                await self._write(batch)

    async def close(self) -> None:
        """The last ones, for a moment."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.settle(), _SECONDS_AT_THE_END)

    async def all(
        self, actor: Actor, page: PageRequest = FIRST_PAGE, wanted: Wanted = EVERYTHING
    ) -> Page[StoredEvent]:
        """The tenant's events, newest first; or those of the installation."""
        self._may(actor, wanted)
        await self.settle()
        return page.page(await self._read(actor, wanted, page.after_number, page.fetch))

    async def export(self, actor: Actor, wanted: Wanted = EVERYTHING) -> AsyncIterator[list[StoredEvent]]:
        """Every event, newest first, in portions; that it was exported is an event too."""
        self._may(actor, wanted)
        security.record("exported", actor, thing="security events")
        await self.settle()
        return self._portions(actor, wanted)

    async def _portions(self, actor: Actor, wanted: Wanted) -> AsyncIterator[list[StoredEvent]]:
        after: int | None = None
        while rows := await self._read(actor, wanted, after, _TOGETHER):
            yield rows
            after = rows[-1].id

    def _may(self, actor: Actor, wanted: Wanted) -> None:
        if wanted.of_installation:
            need_platform(actor, "read the security events of the installation")
        else:
            need_admin(actor, "read the security events")

    async def _read(self, actor: Actor, wanted: Wanted, after: int | None, limit: int) -> list[StoredEvent]:
        db, query = (
            (self.db.platform, Q.installation_events) if wanted.of_installation else (self.db, Q.events)
        )
        async with db.transaction(actor.scope()) as tx:
            return await tx.all(
                StoredEvent,
                query,
                after=after,
                limit=limit,
                kinds=list(wanted.kinds) if wanted.kinds else None,
                outcome=wanted.outcome,
                user_id=wanted.user_id,
                key_id=wanted.key_id,
                address=wanted.address,
                since=wanted.since,
                until=wanted.until,
            )

    # writing

    def _is_new(self, event: SecurityEvent) -> bool:
        one = (event.key_id, event.address)
        if one in self._known:
            return False
        if len(self._known) >= _ADDRESSES_REMEMBERED:
            self._known.clear()
        self._known.add(one)
        return True

    def _wake(self) -> None:
        loop = self._waiting.loop
        if loop is None or loop.is_closed():
            with suppress(RuntimeError):
                loop = self._waiting.loop = asyncio.get_running_loop()
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._waiting.task is None or self._waiting.task.done():
            self._waiting.task = asyncio.ensure_future(self._soon())

    async def _soon(self) -> None:
        await asyncio.sleep(_SECONDS_TOGETHER)
        await self.settle()

    def _next(self) -> list[SecurityEvent]:
        waiting = self._waiting.events
        return [waiting.popleft() for _ in range(min(len(waiting), _TOGETHER))]

    async def _write(self, batch: list[SecurityEvent]) -> None:
        by_tenant = sorted(batch, key=lambda one: one.tenant_id)
        for tenant_id, events in groupby(by_tenant, key=lambda one: one.tenant_id):
            await self._write_of(tenant_id, list(events))

    async def _write_of(self, tenant_id: UUID, events: list[SecurityEvent]) -> None:
        scope = NOBODY if tenant_id == NOT_OF_A_TENANT else Scope(tenant_id=tenant_id)
        token = _writing.set(True)
        try:
            async with self.db.transaction(scope) as tx:
                rows = await tx.all(_NewAddress, Q.record, events=json.dumps([_row(one) for one in events]))
        except Exception as error:  # noqa: BLE001 - nothing may fail for what is only told
            security.LOST.inc(len(events))
            log.error("security_events_lost", count=len(events), reason=type(error).__name__)
            return
        finally:
            _writing.reset(token)
        written = {(row.at, row.key_id, row.address) for row in rows}
        for one in events:
            if one.kind == "key_used_from_new_address" and (one.at, one.key_id, one.address) in written:
                security.say(one)


def _row(event: SecurityEvent) -> dict[str, Any]:
    return {
        "at": event.at.isoformat(),
        "kind": event.kind,
        "outcome": event.outcome,
        "user_id": str(event.user_id) if event.user_id else None,
        "key_id": str(event.key_id) if event.key_id else None,
        "about": str(event.about) if event.about else None,
        "address": event.address,
        "request_id": event.request_id,
        "details": event.details,
    }
