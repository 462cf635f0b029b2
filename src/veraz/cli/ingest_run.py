"""The work of `veraz ingest`: hands everything in, sees to it that somebody works, and watches."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass

from veraz import errors
from veraz.cli.common import ensure_installed, err, operator, out
from veraz.cli.ingest_items import Item
from veraz.cli.ingest_view import View, summary
from veraz.db.health import readiness
from veraz.ingest.receive import Labels, Received
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.library.model import KnowledgeBase
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz, open_veraz, open_worker

_AT_ONCE = 4
_LOOK_SECONDS = 0.4
_WORKER_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was asked for on the command line."""

    items: list[Item]
    kb: str
    tenant: str | None
    machine: str
    wait: bool
    as_json: bool


async def run(settings: Settings, order: Order) -> bool:
    """Does it all; whether nothing failed."""
    started = time.monotonic()
    async with open_veraz(settings) as veraz:
        await ensure_installed(veraz)
        actor = await operator(veraz, order.tenant)
        kb = await _kb(veraz, actor, order.kb)
        with View(order.items, err if order.as_json else out) as view:
            await _Intake(veraz, actor, kb, order, view).run()
        seconds = time.monotonic() - started
        working = order.wait or (await readiness(veraz.db)).worker
    _report(order, kb, seconds, somebody_works=working)
    return not any(item.state == "failed" for item in order.items)


async def _kb(veraz: Veraz, actor: Actor, name: str) -> KnowledgeBase:
    found = await veraz.knowledge_bases.by_name(actor, name)
    return found or await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name=name))


class _Intake:
    """One run: everything handed in, then watched."""

    def __init__(self, veraz: Veraz, actor: Actor, kb: KnowledgeBase, order: Order, view: View) -> None:
        self.veraz, self.actor, self.kb, self.order, self.view = veraz, actor, kb, order, view

    async def run(self) -> None:
        handing_in = asyncio.create_task(self._hand_in())
        try:
            if self.order.wait:
                async with _somebody_working(self.veraz) as working:
                    await self._watch(handing_in, working)
            await handing_in
        finally:
            handing_in.cancel()
            await asyncio.gather(handing_in, return_exceptions=True)

    async def _hand_in(self) -> None:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def one(item: Item) -> None:
            async with turns:
                await self._receive(item)
                self.view.update()

        async with asyncio.TaskGroup() as group:
            for item in self.order.items:
                group.create_task(one(item))

    async def _receive(self, item: Item) -> None:
        try:
            received = await self._sent(item)
            item.document_id, item.version, item.state = received.document_id, received.version, "pending"
        except errors.DuplicateDocument as error:
            await self._repeated(item, error)
        except errors.VerazError as error:
            item.end("failed", error.message("es"))
        except OSError as error:
            item.end("failed", error.strerror or str(error))

    async def _sent(self, item: Item) -> Received:
        if item.path is None:
            labels = Labels(origin="url", machine_id=self.order.machine)
            return await self.veraz.reception.url(self.actor, self.kb.id, item.shown, labels)
        folder = {"path": item.shown} if item.shown != item.path.name else {}
        labels = Labels(machine_id=self.order.machine, metadata=folder)
        file = await asyncio.to_thread(item.path.open, "rb")
        with file:
            return await self.veraz.reception.file(self.actor, self.kb.id, item.path.name, file, labels)

    async def _repeated(self, item: Item, error: errors.DuplicateDocument) -> None:
        """The same content is there already: skipped, or still on its way from an earlier run and watched too."""
        twin = error.context.get("twin_id")
        ours = {one.document_id for one in self.order.items}
        states = await self.veraz.documents.states(self.actor, self.kb.id, [twin])  # type: ignore[list-item]
        waiting = bool(states) and states[0].status in ("pending", "processing")
        if waiting and self.order.wait and twin not in ours:
            item.document_id, item.state = states[0].id, "pending"
        else:
            item.document_id = states[0].id if states else None
            item.end("skipped", f"ya está aquí como «{error.context.get('twin_name')}»")

    async def _watch(self, *tasks: asyncio.Task[None]) -> None:
        handing_in = tasks[0]
        while not (handing_in.done() and all(item.ended for item in self.order.items)):
            for task in tasks:
                if task.done():
                    task.result()  # whatever went wrong there ends the wait here
            await self._look()
            self.view.update()
            await asyncio.sleep(_LOOK_SECONDS)

    async def _look(self) -> None:
        """Reads how far the documents have come; what disappeared was deleted by somebody."""
        under_way = [item for item in self.order.items if item.document_id and not item.ended]
        ids = [item.document_id for item in under_way if item.document_id]
        found = {s.id: s for s in await self.veraz.documents.states(self.actor, self.kb.id, ids)}
        for item in under_way:
            state = found.get(item.document_id) if item.document_id else None
            if state is None:
                item.end("failed", "el documento se borró mientras tanto")
            elif state.status == "completed" and state.version < item.version:
                item.end("failed", state.error_message or "", state.chunks_count)
            elif state.status in ("completed", "failed"):
                item.end(state.status, state.error_message or "", state.chunks_count)
            else:
                item.state, item.stage, item.percent = state.status, state.stage or "", state.progress_percent


@asynccontextmanager
async def _somebody_working(veraz: Veraz) -> AsyncIterator[asyncio.Task[None]]:
    """A worker of our own for as long as nobody else works on the queue."""
    keeper = asyncio.create_task(_keep_working(veraz))
    try:
        yield keeper
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)


async def _keep_working(veraz: Veraz) -> None:
    while (await readiness(veraz.db)).worker:  # noqa: ASYNC110 - another process tells us nothing
        await asyncio.sleep(_WORKER_SECONDS)
    async with open_worker(veraz.settings) as worker:
        working = asyncio.create_task(worker.run())
        try:
            await asyncio.shield(working)
        finally:
            worker.stop()  # gives back what it has not finished
            await working


def _report(order: Order, kb: KnowledgeBase, seconds: float, *, somebody_works: bool) -> None:
    if order.as_json:
        counts = {
            name: sum(i.state == name for i in order.items) for name in ("completed", "failed", "skipped")
        }
        documents = [_record(item) for item in order.items]
        chunks = sum(item.chunks for item in order.items)
        result = {
            "kb_id": str(kb.id),
            "kb": kb.name,
            **counts,
            "chunks": chunks,
            "seconds": round(seconds, 2),
        }
        out.print_json(json.dumps(result | {"documents": documents}))
        return
    summary(out, order.items, kb.name, seconds)
    if not order.wait and not somebody_works:
        err.print("Nadie trabaja en la cola: arranque «veraz serve» o «veraz worker».", style="yellow")


def _record(item: Item) -> dict[str, object]:
    fields = asdict(item)
    kept = {name: fields[name] for name in ("state", "chunks", "reason")}
    return {
        "source": str(item.path or item.shown),
        "document_id": str(item.document_id) if item.document_id else None,
        **kept,
    }
