"""The worker: claims jobs, runs their handlers, keeps their leases, and lets go of them in good order.

It lives through the database going away: claims and heart-beats are tried again until it is back.
"""

import asyncio
import os
import random
import secrets
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from veraz import errors, security
from veraz.db.health import WORKER_LOCK
from veraz.db.listen import notifications
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.ids import JobId
from veraz.observe import JOB_SECONDS, JOBS, JOBS_RUNNING, log, request_id
from veraz.queue import queue
from veraz.queue.handler import Handler
from veraz.queue.model import Job
from veraz.queue.run import run_job, tell_handler, where_it_arose
from veraz.settings import Settings

T = TypeVar("T")

_BURST_SECONDS = 0.025  # notifications this close together are answered by one claim


@dataclass(slots=True, kw_only=True)
class _Running:
    job: Job
    task: asyncio.Task[None]


class Worker:
    """Runs jobs of the kinds it has handlers for, `settings.worker_concurrency` at once.

    Half as many slots again serve only tenants that have nothing running, so that long jobs of one tenant never
    keep another waiting.
    """

    def __init__(
        self,
        db: Database,
        handlers: Mapping[str, Handler],
        settings: Settings,
        *,
        name: str | None = None,
        lease_seconds: float = queue.LEASE_SECONDS,
        poll_seconds: float = 1.5,
        grace_seconds: float = 8.0,
    ) -> None:
        self.db = db
        self.handlers = handlers
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self.slots = max(1, settings.worker_concurrency)
        self.extra_slots = max(1, self.slots // 2)
        self.lease_seconds = lease_seconds
        self.poll_seconds = poll_seconds
        self.grace_seconds = grace_seconds
        self._running: dict[JobId, _Running] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._claimed_at = 0.0

    async def run(self, *, until_signal: bool = False) -> None:
        """Works until `stop`, or with `until_signal` until SIGTERM or SIGINT; then lets go of its jobs."""
        if until_signal:
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, self.stop)
        log.info("worker_started", worker=self.name, slots=self.slots, kinds=sorted(self.handlers))
        helpers = [
            asyncio.create_task(loop)
            for loop in (
                self._listen(),
                self._every(self.lease_seconds / 3, "heartbeat", self._beat),
                self._every(self.lease_seconds / 4, "sweep", self._sweep),
            )
        ]
        try:
            while not self._stopping:
                self._wake.clear()
                if not await self._attempt("claim", self._fill_slots):
                    await self._nap()
        finally:
            await self._let_go()
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            log.info("worker_stopped", worker=self.name)

    def stop(self) -> None:
        """Takes no new jobs; `run` returns once the running ones have ended or were given back."""
        self._stopping = True
        self._wake.set()

    @property
    def running(self) -> list[Job]:
        """The jobs in its hands."""
        return [held.job for held in self._running.values()]

    async def _fill_slots(self) -> int:
        self._claimed_at = time.monotonic()
        free = self.slots - len(self._running)
        jobs = await self._claim(free, newcomers=False) if free > 0 else []
        self._start(jobs)
        if len(jobs) >= free:
            extra = await self._claim(self.slots + self.extra_slots - len(self._running), newcomers=True)
            self._start(extra)
            jobs += extra
        return len(jobs)

    async def _claim(self, limit: int, *, newcomers: bool) -> list[Job]:
        if limit <= 0:
            return []
        return await queue.claim(
            self.db,
            self.name,
            limit,
            kinds=list(self.handlers),
            lease_seconds=self.lease_seconds,
            newcomers=newcomers,
        )

    def _start(self, jobs: list[Job]) -> None:
        for job in jobs:
            task = asyncio.create_task(self._work(job), name=f"job {job.id}")
            self._running[job.id] = _Running(job=job, task=task)
            task.add_done_callback(partial(self._ended, job.id))
        JOBS_RUNNING.set(len(self._running))

    def _ended(self, job_id: JobId, _: asyncio.Task[None]) -> None:
        self._running.pop(job_id, None)
        JOBS_RUNNING.set(len(self._running))
        self._wake.set()

    async def _work(self, job: Job) -> None:
        request_id.set(f"job:{job.id}")
        security.caller.set(Scope(tenant_id=job.tenant_id))
        log.info("job_started", kind=job.kind, tenant=str(job.tenant_id), attempt=job.attempt)
        started = time.monotonic()
        outcome = "LOST"
        try:
            outcome = await run_job(self.db, job, self.handlers, patience=self.lease_seconds)
        except asyncio.CancelledError:
            outcome = "RELEASED" if self._stopping else "LOST"
            raise
        finally:
            seconds = time.monotonic() - started
            JOBS.labels(job.kind, outcome).inc()
            JOB_SECONDS.labels(job.kind).observe(seconds)
            log.info("job_ended", kind=job.kind, outcome=outcome, seconds=round(seconds, 3))

    async def _beat(self) -> None:
        held = self.running
        if not held:
            return
        alive = await queue.heartbeat(self.db, self.name, held, lease_seconds=self.lease_seconds)
        for job in held:
            still = self._running.get(job.id)
            if job.id not in alive and still is not None and still.job.claims == job.claims:
                log.warning("job_lease_lost", job=str(job.id), kind=job.kind)
                still.task.cancel()

    async def _sweep(self) -> None:
        swept = await queue.sweep(
            self.db, lease_seconds=self.lease_seconds, on_failed=tell_handler(self.handlers)
        )
        if swept.returned or swept.dead:
            log.warning("jobs_of_lost_workers", returned=swept.returned, dead=swept.dead)

    async def _listen(self) -> None:
        async for _ in notifications(self.db.conninfo, queue.CHANNEL, presence=WORKER_LOCK):
            self._wake.set()

    async def _nap(self) -> None:
        """Until something may be waiting: a notification, a job that ended, or a poll for what neither told us."""
        await asyncio.sleep(max(0.0, self._claimed_at + _BURST_SECONDS - time.monotonic()))
        try:
            async with asyncio.timeout(self.poll_seconds * random.uniform(0.7, 1.0)):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _every(self, seconds: float, what: str, step: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._attempt(what, step)
            await asyncio.sleep(seconds * random.uniform(0.9, 1.0))

    async def _attempt(self, what: str, step: Callable[[], Awaitable[T]]) -> T | None:
        try:
            return await step()
        except errors.DatabaseUnavailable as error:
            log.warning("worker_waits_for_database", what=what, reason=error.code)
        except Exception as error:  # noqa: BLE001 - the loop outlives its steps
            log.error(
                "worker_step_failed", what=what, error=type(error).__name__, where=where_it_arose(error)
            )
        await asyncio.sleep(random.uniform(0.2, 1.0))
        return None

    async def _let_go(self) -> None:
        """Gives the running jobs a moment to end, then gives back those that did not."""
        self._stopping = True
        if held := list(self._running.values()):
            await asyncio.wait([one.task for one in held], timeout=self.grace_seconds)
        unfinished = list(self._running.values())
        for one in unfinished:
            one.task.cancel()
        if unfinished:
            await asyncio.wait([one.task for one in unfinished], timeout=2.0)
            await self._attempt(
                "release", lambda: queue.release(self.db, self.name, [one.job for one in unfinished])
            )
