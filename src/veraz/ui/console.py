"""The ingestion console: every document on its way in, by itself up to date; other work in the background beside it."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from veraz.ingest.jobs import Work, WorkFilter, WorkSheet
from veraz.paging import PageRequest
from veraz.queue.model import STATUSES, JobStats, JobStatus
from veraz.ui.document import replace_file
from veraz.ui.jobs import Acts, show_work
from veraz.ui.parts import STATES, called, confirm, number, typed
from veraz.ui.shell import shell
from veraz.ui.speed import Speed
from veraz.ui.tables import Pager
from veraz.ui.visit import Visit, Visiting
from veraz.ui.work_row import WorkRow, work_row

_REFRESH_SECONDS: Final = 2.0
_CHART_EVERY: Final = 5
_LIMIT: Final = 25
_KINDS: Final = {
    "ingest": "Documents",
    "rebuild": "Documents read again",
    "crawl": "Web sites",
    "run_exam": "Exams",
    "deliver_webhook": "Webhooks",
    "whatsapp": "WhatsApp",
    "forget_files": "Cleaning",
}


async def page(visit: Visiting, kb: str = "", status: str = "", text: str = "") -> None:
    """What is being worked on, and what failed; other pages lead here with a knowledge base, a state or words."""
    found = (await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500))).items
    names = {str(one.id): one.name for one in found}
    with shell(
        visit,
        visit.t("Ingestion"),
        active="/console",
        wide=True,
        subtitle=visit.t(
            "Every document on its way from the file to the answers. This page updates by itself."
        ),
    ):
        console = _Console(visit, names)
        console.kb = kb if kb in names else ""
        console.status = next((one for one in STATUSES if one == status), None)
        console.text = typed(text, longest=200)
        await console.draw()


class _Console:
    """The page of one visitor. Asks again every two seconds, and sends only the rows that changed."""

    def __init__(self, visit: Visit, names: dict[str, str]) -> None:
        self.visit, self.names = visit, names
        self.kb, self.kind, self.text = "", "", ""
        self.status: JobStatus | None = None
        self.history = False
        self.rows: dict[UUID, WorkRow] = {}
        self.work: dict[UUID, Work] = {}
        self.ticks = 0

    async def draw(self) -> None:
        """States, filters, throughput, rows."""
        visit, t = self.visit, self.visit.t
        with called(ui.element("div").classes("chips").props("role=group"), t("State")):
            self.chips = {one: self._chip(one) for one in (None, *STATUSES)}
        self._filters()
        self.speed = Speed(visit)
        with ui.element("div").classes("works"):
            with ui.element("table"):
                with ui.element("thead"), ui.element("tr"):
                    for words in ("Document", "Source", "Stages", "State", "Actions"):
                        classes = "work-source" if words == "Source" else ""
                        TextElement(tag="th", text=t(words)).props("scope=col").classes(classes)
                self.body = ui.element("tbody")
            self.nothing = ui.label(
                t("Nothing here. Add documents to a knowledge base and follow them here.")
            )
            self.nothing.classes("nothing quiet")
        self.pager = Pager(visit, _LIMIT, self.refresh)
        await self.refresh()
        ui.timer(_REFRESH_SECONDS, visit.act(self._tick, by_clock=True))

    def _chip(self, status: JobStatus | None) -> tuple[ui.button, ui.label]:
        words = self.visit.t(STATES[status][2] if status else "All")

        async def choose() -> None:
            self.status = status
            await self.first()

        with ui.button(on_click=self.visit.act(choose)).props("flat no-wrap").classes("chip") as button:
            ui.label(words)
            count = ui.label("0").classes("count")
            if status == "DLQ":
                with ui.tooltip():
                    ui.label(
                        self.visit.t(
                            "Tried as often as allowed; they wait in the DLQ until somebody retries."
                        )
                    )
        return button, count

    def _filters(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("toolbar"):
            text = (
                ui.input(t("Name or address"), value=self.text)
                .props("clearable debounce=300")
                .classes("grow")
            )
            bases = ui.select(
                {"": t("Every knowledge base")} | self.names, value=self.kb, label=t("Knowledge base")
            )
            kinds = ui.select(
                {"": t("Everything")} | {kind: t(words) for kind, words in _KINDS.items()},
                value="",
                label=t("Work"),
            )
            history = ui.switch(t("Archived jobs"))

            async def chosen() -> None:
                self.text, self.kb = typed(text.value, longest=200), bases.value
                self.kind, self.history = kinds.value, bool(history.value)
                await self.first()

            for field in (text, bases, kinds, history):
                field.on_value_change(visit.act(chosen))
            for field in (bases, kinds):
                field.style("min-width: 190px")
            self.retry_all = ui.button(
                t("Retry the failed ones"), icon="restart_alt", on_click=visit.act(self._retry_all)
            ).props("outline")
            self.purge = ui.button(
                t("Archive the finished ones"), icon="archive", on_click=self._ask_purge
            ).props("flat")

    @property
    def where(self) -> WorkFilter:
        """What is chosen above the rows."""
        return WorkFilter(
            status=None if self.history else self.status,
            kb_id=UUID(self.kb) if self.kb else None,
            kind=self.kind or None,  # type: ignore[arg-type]
            text=self.text or None,
            history=self.history,
        )

    async def first(self) -> None:
        """From the first row, after a filter changed."""
        self.pager.page = 0
        await self.refresh()
        await self._measure()

    async def refresh(self) -> None:
        """Rows, counts and what is left as they are now."""
        sheet = await self.visit.veraz.jobs.work(
            self.visit.actor, self.where, offset=self.pager.page * _LIMIT, limit=_LIMIT
        )
        self._show_stats(sheet.stats)
        self._show_rows(sheet)
        self.pager.show(sheet.total)
        if self.ticks == 0:
            await self._measure()

    async def _tick(self) -> None:
        self.ticks += 1
        await self.refresh()
        if self.ticks % _CHART_EVERY == 0:
            await self._measure()

    def _show_stats(self, stats: JobStats) -> None:
        counts = stats.by_status()
        for status, (button, label) in self.chips.items():
            label.set_text(number(self.visit, counts[status] if status else sum(counts.values())))
            pressed = "true" if status == self.status and not self.history else "false"
            if button.props.get("aria-pressed") != pressed:
                button.props(f"aria-pressed={pressed}")
            button.set_enabled(not self.history)
        self.retry_all.set_visibility(stats.failed + stats.dlq > 0)
        self.purge.set_visibility(stats.done > 0)
        self.active = stats.pending + stats.running

    def _show_rows(self, sheet: WorkSheet) -> None:
        """Rows that stayed are only changed where they differ; the others come and go."""
        self.work = {one.id: one for one in sheet.rows}
        for gone in self.rows.keys() - self.work.keys():
            self.rows.pop(gone).delete()
        now = datetime.now(UTC)
        for place, work in enumerate(sheet.rows):
            row = work_row(self.visit, work, now)
            if work.id in self.rows:
                self.rows[work.id].show(row)
            else:
                self.rows[work.id] = self._row(work.id, row)
            if self.body.default_slot.children[place] is not self.rows[work.id]:
                self.rows[work.id].move(self.body, place)
        self.nothing.set_visibility(not sheet.rows)

    def _row(self, work_id: UUID, row: dict[str, Any]) -> WorkRow:
        act = self.visit.act
        with self.body:
            shown = WorkRow(row)
        shown.on("retry", act(lambda: self._retry(work_id)))
        shown.on("cancel", lambda: self._ask_cancel(work_id))
        shown.on("more", act(lambda: self._more(work_id)))
        return shown

    async def _measure(self) -> None:
        await self.speed.refresh(self.where.kb_id, self.active)

    async def _more(self, work_id: UUID) -> None:
        work, t = self.work[work_id], self.visit.t
        acts: Acts = []
        if work.status in ("FAILED", "DLQ"):
            if work.kind == "ingest" and work.origin == "upload":
                acts.append((t("Replace the file"), lambda: self._replace(work)))
            acts.append((t("Retry"), lambda: self._retry(work_id)))
        await show_work(self.visit, work, acts)

    async def _replace(self, work: Work) -> None:
        assert work.kb_id is not None and work.document_id is not None
        visit = self.visit
        replace_file(
            visit, await visit.veraz.documents.get(visit.actor, work.kb_id, work.document_id), self.refresh
        )

    async def _retry(self, work_id: UUID) -> None:
        await self.visit.veraz.jobs.retry_one(self.visit.actor, work_id)
        self.visit.done("It starts again.")
        await self.refresh()

    async def _retry_all(self) -> None:
        count = await self.visit.veraz.jobs.retry(self.visit.actor, self.where.kb_id)
        self.visit.done("Jobs that start again: {n}", n=count)
        await self.refresh()

    def _ask_cancel(self, work_id: UUID) -> None:
        t = self.visit.t

        async def cancel() -> None:
            await self.visit.veraz.jobs.cancel(self.visit.actor, work_id)
            self.visit.done("Cancelled.")
            await self.refresh()

        confirm(
            self.visit,
            t("Stop reading it?"),
            t("What is already searchable stays. You can retry it whenever you want."),
            t("Stop"),
            cancel,
        )

    def _ask_purge(self) -> None:
        t = self.visit.t

        async def purge() -> None:
            count = await self.visit.veraz.jobs.purge(self.visit.actor, self.where.kb_id)
            self.visit.done("Archived: {n}", n=count)
            await self.refresh()

        confirm(
            self.visit,
            t("Archive the finished ones?"),
            t("The documents stay as they are; their jobs move to «Archived jobs»."),
            t("Archive"),
            purge,
        )
