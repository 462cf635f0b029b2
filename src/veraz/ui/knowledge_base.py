"""One knowledge base: figures, the ways to add documents, and its documents as they come along."""

from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import Batch
from veraz.library.model import KnowledgeBase
from veraz.ui.adding import Way, add_documents
from veraz.ui.document_rows import document_row as document_row
from veraz.ui.document_rows import in_words as in_words
from veraz.ui.document_rows import problem as problem
from veraz.ui.kb_documents import DocumentTable
from veraz.ui.parts import called, heading, number, size, stat
from veraz.ui.shell import shell
from veraz.ui.uploading import DropZone
from veraz.ui.visit import Visit, Visiting

_DAYS = 30


async def page(visit: Visiting, kb_id: UUID) -> None:
    """Everything about one knowledge base."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    await _View(visit, kb).draw()


class _View:
    """The page of one visitor; it knows what is shown and keeps it fresh."""

    def __init__(self, visit: Visit, kb: KnowledgeBase) -> None:
        self.visit, self.kb = visit, kb
        self.busy = 0

    async def draw(self) -> None:
        """The whole page."""
        visit, kb, t = self.visit, self.kb, self.visit.t
        personal = kb.kind == "personal"
        back = (t("My knowledge"), "/personal") if personal else (t("Knowledge bases"), "/knowledge-bases")
        around = ui.context.slot.parent
        with shell(visit, kb.name, active=back[1], subtitle=kb.description, back=back):
            self._toolbar()
            await self._unread()
            await self._figures()
            self._progress()
            self._failures()
            self.zone = DropZone(visit, kb.id, self.refresh)
            self.zone.catch_drops(around, t("Let go to add them to «{name}»", name=kb.name))
            self._other_ways()
            self.documents = DocumentTable(visit, kb.id, self.refresh)
        await self.refresh()
        ui.timer(1.0, self._tick)

    def _toolbar(self) -> None:
        visit, base = self.visit, f"/knowledge-bases/{self.kb.id}"
        with ui.element("div").classes("toolbar"):
            ui.button(visit.t("Add documents"), icon="add", on_click=lambda: self._add("files"))
            for words, icon, path in (
                ("Settings", "tune", "/settings"),
                ("Test search", "search", "/search"),
                ("Agents", "smart_toy", "/agents"),
            ):
                target = visit.to(base + path)
                ui.button(visit.t(words), icon=icon).props(f"outline tag=a href={target}")

    def _add(self, way: Way) -> None:
        add_documents(self.visit, self.kb.id, self.zone, self.refresh, way=way)

    async def _unread(self) -> None:
        """Nobody asks a knowledge base that no agent reads."""
        if await self.visit.veraz.assignments.of_kb(self.visit.actor, self.kb.id):
            return
        t = self.visit.t
        with ui.element("div").classes("notice w-full"):
            ui.icon("info").props("aria-hidden=true")
            ui.label(t("No agent answers from it yet."))
            ui.link(t("Choose which agents read it"), self.visit.to(f"/knowledge-bases/{self.kb.id}/agents"))

    async def _figures(self) -> None:
        visit, t = self.visit, self.visit.t
        use = await visit.veraz.search.kb_use(visit.actor, self.kb.id, days=_DAYS)
        self.plan = (await visit.veraz.tenants.overview(visit.actor)).plan
        with ui.element("div").classes("stats"):
            self.figures = [stat("", t("Documents")), stat("", t("Chunks")), stat("", t("Size"))]
            stat(number(visit, use.queries), t("Searches in {n} days", n=_DAYS))
        self.quota = ui.label("").classes("quiet small")

    def _progress(self) -> None:
        with ui.column().classes("w-full gap-1").props("role=status") as self.progress:
            self.progress_words = ui.label("").classes("small")
            bar = ui.linear_progress(0, show_value=False, size="6px").props("rounded")
            self.progress_bar = called(bar, self.visit.t("Processed"))

    def _failures(self) -> None:
        t = self.visit.t

        async def show() -> None:
            await self.documents.show_failed()

        async def retry() -> None:
            failed = await self.documents.failed()
            await self.documents.process_again(failed)

        with ui.element("div").classes("notice bad w-full") as self.failures:
            ui.icon("error").props("aria-hidden=true")
            self.failures_words = ui.label("")
            ui.button(t("See which and why"), on_click=self.visit.act(show)).props(
                "flat dense color=negative"
            )
            ui.button(t("Process them again"), on_click=self.visit.act(retry)).props(
                "flat dense color=negative"
            )

    def _other_ways(self) -> None:
        t = self.visit.t
        with ui.column().classes("w-full items-center gap-2") as self.teaching:
            heading(t("Add the first documents"), 2)
            ui.label(
                t(
                    "Veraz reads them, cuts them into chunks, and your agents answer from them with the passage."
                )
            ).classes("quiet text-center")
            with ui.row().classes("justify-center"):
                ui.button(t("Write text"), icon="edit_note", on_click=lambda: self._add("text")).props("flat")
                ui.button(t("Web page"), icon="language", on_click=lambda: self._add("web")).props("flat")

    async def refresh(self) -> None:
        """Figures and rows as they are now."""
        visit = self.visit
        # first whether all is done: what is read after that is the last word
        batch = await visit.veraz.documents.progress(visit.actor, self.kb.id)
        before, self.busy = self.busy, batch.pending + batch.processing
        self.kb = await visit.veraz.knowledge_bases.get(visit.actor, self.kb.id)
        await self.documents.refresh()
        self._show(batch)
        if before and not self.busy and not batch.failed:
            visit.done("Documents are ready: you can search them")

    def _show(self, batch: Batch) -> None:
        visit, t, kb = self.visit, self.visit.t, self.kb
        amounts = (
            number(visit, batch.documents),
            number(visit, kb.total_chunks),
            size(visit, kb.total_size_bytes),
        )
        for figure, value in zip(self.figures, amounts, strict=True):
            figure.set_text(value)
        self.quota.set_text(
            quota(visit, self.plan.max_documents_per_kb, self.plan.max_bytes_per_kb, batch, kb)
        )
        self.quota.set_visibility(bool(self.quota.text))
        done = batch.completed + batch.failed
        self.progress.set_visibility(self.busy > 0)
        self.progress_words.set_text(t("Processed {n} of {all}", n=done, all=batch.documents))
        self.progress_bar.set_value(batch.progress_percent / 100)
        self.failures.set_visibility(batch.failed > 0)
        self.failures_words.set_text(t("Documents that could not be read: {n}", n=batch.failed))
        empty = batch.documents == 0
        self.zone.show_hint(empty)
        self.teaching.set_visibility(empty)
        self.documents.set_visibility(not empty)

    async def _tick(self) -> None:
        """While documents are on their way; otherwise nothing is asked."""
        if self.busy:
            await self.visit.act(self.refresh, by_clock=True)()


def quota(visit: Visit, documents: int | None, bytes_: int | None, batch: Batch, kb: KnowledgeBase) -> str:
    """How much of what the plan allows is used; empty where it sets no limit."""
    t, parts = visit.t, []
    if documents is not None:
        parts.append(
            t(
                "{used} of {limit} documents",
                used=number(visit, batch.documents),
                limit=number(visit, documents),
            )
        )
    if bytes_ is not None:
        parts.append(t("{used} of {limit}", used=size(visit, kb.total_size_bytes), limit=size(visit, bytes_)))
    return t("Your plan: {parts}", parts=" · ".join(parts)) if parts else ""
