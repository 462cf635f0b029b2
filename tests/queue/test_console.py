"""The ingestion console: list, stats, retry, purge, history; and what others may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.queue import console, queue
from veraz.queue.retry import judge

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.queue.conftest import Add, AddMany, JobRow, Take


@pytest.fixture
async def mixed(
    make_tenant: MakeTenant,
    add: Add,
    add_many: AddMany,
    take: Take,
    worker_db: Database,
    owner: Connection[TupleRow],
) -> Tenant:
    """A tenant with one job FAILED, one in the DLQ, two DONE, one RUNNING and three PENDING."""
    acme = make_tenant()
    for error in (errors.Protected(), errors.OutsideDown(host="h", reason="r")):
        await add(acme, max_attempts=1)
        (job,) = await take()
        await queue.fail(worker_db, job, judge(job, error), error=error)
    add_many(acme, 6)
    first, second, _ = await take(3)
    await queue.done(worker_db, first)
    await queue.done(worker_db, second)
    return acme


async def test_the_counts_say_how_many_jobs_stand_where(mixed: Tenant, db: Database) -> None:
    async with db.transaction(mixed.admin) as tx:
        stats = await console.stats(tx)
        assert stats.by_status() == {"PENDING": 3, "RUNNING": 1, "DONE": 2, "FAILED": 1, "DLQ": 1}
        assert stats.active
        assert await console.stats(tx, kb_id=mixed.kb_id) == stats
        assert not (await console.stats(tx, kb_id=mixed.project_id)).active


async def test_jobs_are_listed_newest_first_page_by_page(mixed: Tenant, db: Database) -> None:
    async with db.transaction(mixed.admin) as tx:
        everything = await console.list_jobs(tx)
        first = await console.list_jobs(tx, limit=5)
        rest = await console.list_jobs(tx, limit=5, before=first[-1].id)
        done = await console.list_jobs(tx, status="DONE")
    assert [job.id for job in first + rest] == [job.id for job in everything]
    assert sorted((job.id for job in everything), reverse=True) == [job.id for job in everything]
    assert {job.status for job in done} == {"DONE"}
    assert len(done) == 2


async def test_the_dlq_gets_a_fresh_start(mixed: Tenant, db: Database, take: Take) -> None:
    async with db.transaction(mixed.admin) as tx:
        (retried,) = await console.retry(tx, statuses=["DLQ"], kb_id=mixed.kb_id)
        assert await console.retry(tx, statuses=["DLQ"]) == []
    assert (retried.status, retried.attempt, retried.error_code) == ("PENDING", 0, None)
    assert retried.id in {job.id for job in await take(10)}


async def test_a_retry_leaves_a_document_alone_that_has_a_newer_job(
    make_tenant: MakeTenant,
    make_document: Callable[..., UUID],
    add: Add,
    take: Take,
    worker_db: Database,
    db: Database,
) -> None:
    acme = make_tenant()
    document_id = make_document(acme)
    error = errors.OutsideDown(host="h", reason="r")
    for _ in range(2):
        await add(acme, document_id=document_id, max_attempts=1)
        (job,) = await take()
        await queue.fail(worker_db, job, judge(job, error), error=error)
    async with db.transaction(acme.admin) as tx:
        assert [one.id for one in await console.retry(tx, statuses=["DLQ"])] == [job.id]
        assert await console.retry(tx, statuses=["DLQ"]) == []


async def test_a_purge_moves_done_jobs_to_the_history(mixed: Tenant, db: Database) -> None:
    async with db.transaction(mixed.admin) as tx:
        assert await tx.value("select public.purge_completed_jobs(%(kb)s)", kb=mixed.kb_id) == 2
        assert await console.purge(tx) == 0
        assert (await console.stats(tx)).done == 0
        kept = await console.history(tx, kb_id=mixed.kb_id)
    assert [job.status for job in kept] == ["DONE", "DONE"]


async def test_the_other_tenant_cannot_list_retry_or_purge(
    mixed: Tenant, make_tenant: MakeTenant, db: Database, job_row: JobRow
) -> None:
    other = make_tenant("Other")
    async with db.transaction(other.admin) as tx:
        assert await console.list_jobs(tx) == []
        assert await console.list_jobs(tx, kb_id=mixed.kb_id) == []
        assert sum((await console.stats(tx)).by_status().values()) == 0
        assert await console.retry(tx, statuses=["DLQ"], kb_id=mixed.kb_id) == []
        assert await console.purge(tx, kb_id=mixed.kb_id) == 0
        assert await tx.value("select public.purge_completed_jobs(%(kb)s)", kb=mixed.kb_id) == 0
        assert await tx.value("select public.mark_job_retry(id) from veraz.job limit 1") is None
    async with db.transaction(mixed.admin) as tx:
        assert await console.purge(tx) == 2
    async with db.transaction(other.admin) as tx:
        assert await console.history(tx) == []


async def test_a_member_without_rights_on_the_knowledge_base_cannot_either(
    mixed: Tenant, make_user: Callable[..., Scope], db: Database
) -> None:
    member = make_user(mixed, level="member")
    async with db.transaction(member) as tx:
        assert await console.list_jobs(tx) == []
        assert await console.retry(tx, statuses=["DLQ"]) == []
        assert await console.purge(tx) == 0
    manager = make_user(mixed, level="manager")
    async with db.transaction(manager) as tx:
        assert await console.purge(tx) == 2


async def test_the_app_cannot_claim(mixed: Tenant, db: Database) -> None:
    with pytest.raises(errors.Forbidden):
        async with db.transaction(mixed.admin) as tx:
            await tx.run("select veraz.claim_jobs('w', array['ingest'], 1, interval '1 minute')")
