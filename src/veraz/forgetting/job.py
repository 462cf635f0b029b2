"""The handler of `forget` jobs: gather → sweep → receipt. It may stop anywhere and goes on from there; twice changes nothing."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.forgetting.fingerprint import Source
from veraz.forgetting.gather import gather, latecomers
from veraz.forgetting.model import Forgetting
from veraz.forgetting.sweep import Sweep
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.queue.handler import JobControl
from veraz.queue.model import Job

Q = queries(__file__)

FORGET: Final = "forget"
_AT_ONCE: Final = 4_000_000
"""Characters whose words are looked for in one go: their runs fit into some hundred megabytes."""


class Forget:
    """Takes the words of what was deleted out of everything that repeats them."""

    def __init__(
        self, db: Database, files: Files, pictures: PagePictures, *, at_once: int = _AT_ONCE
    ) -> None:
        self.db = db
        self.files = files
        self.pictures = pictures
        self.at_once = at_once

    async def __call__(self, job: Job, control: JobControl) -> None:
        forgetting_id = UUID(str(job.payload["forgetting_id"]))
        forgetting = await self._begun(job, forgetting_id)
        if forgetting is None:
            return
        if forgetting.kind == "tenant":
            await self._forget_files(job, control, forgetting)
            return
        while await self._swept(job, control, forgetting) or await self._came_late(job, forgetting):
            pass
        async with self.db.transaction(job.scope) as tx:
            await control.finish(tx)
            await _count(tx, forgetting.id, await _hanging(tx))
            await tx.run(Q.done, id=forgetting.id)

    async def on_failed(self, tx: Transaction, job: Job, error: Exception) -> None:
        """The receipt stays open, and the job can be tried again."""

    async def _forget_files(self, job: Job, control: JobControl, forgetting: Forgetting) -> None:
        """The files of a tenant that is gone, also those that arrived while it went: looked for until there are none."""
        removed = 0
        async with self.db.transaction(job.scope) as tx:
            gone = await tx.values(Q.gone_tenants, ids=forgetting.subjects)
        for tenant_id in gone:
            files = self.files.of(tenant_id)
            while keys := [entry.key async for entry in files.list()]:
                for number, key in enumerate(keys):
                    await files.delete(key)
                    await control.report("FORGET", 100 * number // len(keys))
                removed += len(keys)
            await self.pictures.forget(str(tenant_id))
        async with self.db.transaction(job.scope) as tx:
            await control.finish(tx)
            await _count(tx, forgetting.id, {"files": removed})
            await tx.run(Q.done, id=forgetting.id)

    async def _begun(self, job: Job, forgetting_id: UUID) -> Forgetting | None:
        """The first time what is a machine's or an end user's goes; later nothing is left of it."""
        async with self.db.transaction(job.scope) as tx:
            forgetting = await tx.one(Forgetting, Q.forgetting, id=forgetting_id)
            if forgetting is None or forgetting.status == "done":
                return None
            if await tx.run(Q.begin, id=forgetting_id):
                await tx.value(Q.attach, id=forgetting_id)
                await _count(
                    tx, forgetting_id, await gather(tx, forgetting.kind, forgetting_id, forgetting.subjects)
                )
            return forgetting

    async def _swept(self, job: Job, control: JobControl, forgetting: Forgetting) -> bool:
        """One portion of the words; False when none was left. A portion that was cut short is looked for again."""
        async with self.db.transaction(job.scope) as tx:
            rows = await tx.rows(Q.sources, id=forgetting.id, most=self.at_once)
        if not rows:
            return False

        async def progress(percent: int) -> None:
            await control.report("FORGET", percent)

        async with self.db.transaction(job.scope) as tx:
            documents = {row["document_id"] for row in rows} - {None}
            chunks = forgetting.subjects if forgetting.kind == "chunk" else []
            made = await _made_from(tx, [str(one) for one in documents], chunks)
        sweep = Sweep(db=self.db, scope=job.scope, forgetting_id=forgetting.id, kind=forgetting.kind)
        sources = [Source(text=row["text"], what=row["what"], language=row["language"]) for row in rows]
        removed = Counter(await sweep.run(sources, progress))
        removed.update(made)
        async with self.db.transaction(job.scope) as tx:
            await tx.run(Q.swept, id=forgetting.id, last=rows[-1]["id"])
            await _count(tx, forgetting.id, removed)
        return True

    async def _came_late(self, job: Job, forgetting: Forgetting) -> bool:
        """Whether something was added meanwhile; it goes too, and its words are looked for."""
        async with self.db.transaction(job.scope) as tx:
            await tx.value(Q.attach, id=forgetting.id)
            return await latecomers(tx, forgetting.kind, forgetting.id, forgetting.subjects) > 0


async def _made_from(tx: Transaction, documents: list[str], chunks: list[str]) -> dict[str, int]:
    """What says itself that it was made from these, whatever its words are."""
    ids = [*documents, *chunks]
    if not ids:
        return {}
    removed = {
        "exam_question": await tx.run(Q.expected, documents=documents),
        "query_trace": await tx.run(Q.traces_that_read, ids=ids),
        "exam_run": await tx.run(Q.exam_answers, ids=ids),
    }
    await tx.run(Q.traces_that_found, ids=ids)
    return removed


async def _hanging(tx: Transaction) -> dict[str, int]:
    """What hangs on messages that were forgotten, whatever its words are."""
    return {
        "query_trace": await tx.run(Q.traces),
        "feedback": await tx.run(Q.reasons),
        "whatsapp_message": await tx.run(Q.sent),
    }


async def _count(tx: Transaction, forgetting_id: UUID, removed: Mapping[str, int]) -> None:
    counted = {name: number for name, number in removed.items() if number}
    await tx.run(Q.count, id=forgetting_id, removed=json.dumps(counted))
