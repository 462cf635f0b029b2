"""The ingestion console: sources with their standing, jobs by state, a fresh start for those that gave up."""

from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import Document, DocumentFilter
from veraz.paging import Page, PageRequest
from veraz.queue.model import STATUSES, Job
from veraz.ui.document import edit_standing
from veraz.ui.jobs import job_row, show_job
from veraz.ui.knowledge_base import document_row
from veraz.ui.parts import STATES, confirm, heading, icon_button, number, stat
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, TIER_CELL, CursorTable, Row, ServerTable, Wanted, column
from veraz.ui.visit import Visit, Visiting

_REFRESH_SECONDS = 5.0
_STANDING_CELL = """
<q-td :props="props" auto-width><q-btn flat round dense color="secondary" class="quiet" icon="edit"
  :aria-label="props.row.words_edit + ' ' + props.row.name" @click="$parent.$emit('standing', props.row.id)"></q-btn></q-td>
"""
_MORE_CELL = """
<q-td :props="props" auto-width><q-btn flat round dense color="secondary" class="quiet" icon="info"
  :aria-label="props.row.words_more" @click="$parent.$emit('more', props.row.id)"></q-btn></q-td>
"""


async def page(visit: Visiting) -> None:
    """What is being worked on, and what needs a person."""
    kbs = (await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500))).items
    names = {str(kb.id): kb.name for kb in kbs}
    with shell(visit, visit.t("Ingestion console"), active="/console"):
        await _Console(visit, names).draw()


class _Console:
    """The page of one visitor; asks again every five seconds while something is active."""

    def __init__(self, visit: Visit, names: dict[str, str]) -> None:
        self.visit, self.names = visit, names
        self.kb_id: UUID | None = None
        self.documents: dict[str, Document] = {}

    async def draw(self) -> None:
        """Counters, buttons, sources, jobs."""
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("stats"):
            self.counters = {status: stat("0", t(STATES[status][2])) for status in STATUSES}
        with ui.element("div").classes("toolbar"):
            choice = ui.select(
                {"": t("Every knowledge base")} | self.names, value="", label=t("Knowledge base")
            ).style("min-width: 240px")
            choice.on_value_change(visit.act(lambda event: self._choose(event.value)))
            ui.space()
            icon_button("refresh", t("Refresh"), visit.act(self.refresh))
            ui.button(
                t("Retry those that need a person"), icon="restart_alt", on_click=visit.act(self._retry)
            ).props("outline")
            ui.button(t("Purge finished jobs"), icon="cleaning_services", on_click=self._ask_purge).props(
                "outline"
            )
        self._sources()
        self._jobs()
        await self.refresh()
        ui.timer(_REFRESH_SECONDS, self._tick)

    def _sources(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.column().classes("w-full") as self.sources:
            heading(t("Sources"), 2)
            columns = [
                column("name", t("Source"), classes="name"),
                column("status", t("State")),
                column("tier", t("Tier"), classes="gt-xs"),
                column("words", t("Words"), align="right", classes="num gt-sm", sortable=False),
                column("authority_score", t("Authority"), align="right", classes="num gt-xs"),
                column("standing", "", sortable=False),
            ]
            self.table = ServerTable(visit, columns, self._load_sources)
            for name, cell in (
                ("name", NAME_CELL),
                ("status", STATE_CELL),
                ("tier", TIER_CELL),
                ("standing", _STANDING_CELL),
            ):
                self.table.table.add_slot(f"body-cell-{name}", cell)
            self.table.table.on(
                "standing", lambda event: edit_standing(visit, self.documents[event.args], self.table.refresh)
            )
        self.sources.set_visibility(False)

    def _jobs(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.row().classes("w-full items-center"):
            heading(t("Jobs"), 2)
            ui.space()
            options = {"": t("Every state")} | {status: t(STATES[status][2]) for status in STATUSES}
            self.status = ui.select(options, value="", label=t("State")).style("min-width: 170px")
            self.status.on_value_change(visit.act(lambda: self.jobs.first()))
            self.purged = ui.switch(t("History")).on_value_change(visit.act(self._show_purged))
        columns = [
            column("kind", t("Job"), sortable=False, classes="name"),
            column("kb", t("Knowledge base"), sortable=False, classes="name gt-xs"),
            column("status", t("State"), sortable=False),
            column("attempt", t("Attempts"), align="right", sortable=False, classes="num gt-xs"),
            column("created_at", t("Date"), sortable=False, classes="gt-xs"),
            column("more", "", sortable=False),
        ]
        self.jobs = CursorTable(
            visit,
            columns,
            self._load_jobs,
            lambda job: job_row(visit, job, self.names.get(str(job.kb_id), "–")),
            cells=(("kind", NAME_CELL), ("status", STATE_CELL), ("more", _MORE_CELL)),
        )
        self.jobs.table.on("more", visit.act(lambda event: self._more(event.args)))

    async def _more(self, job_id: str) -> None:
        await show_job(self.visit, next(job for job in self.jobs.items if str(job.id) == job_id))

    async def _show_purged(self) -> None:
        self.status.set_enabled(not self.purged.value)
        await self.jobs.first()

    async def _load_jobs(self, page: PageRequest) -> Page[Job]:
        if self.purged.value:
            return await self.visit.veraz.jobs.history(self.visit.actor, page, kb_id=self.kb_id)
        return await self.visit.veraz.jobs.all(
            self.visit.actor, page, kb_id=self.kb_id, status=self.status.value or None
        )

    async def _load_sources(self, wanted: Wanted) -> tuple[list[Row], int]:
        if self.kb_id is None:
            return [], 0
        visit = self.visit
        sheet = await visit.veraz.documents.sheet(
            visit.actor,
            self.kb_id,
            where=DocumentFilter(),
            order=wanted.order,  # type: ignore[arg-type]
            descending=wanted.descending,
            offset=wanted.offset,
            limit=wanted.limit,
        )
        self.documents = {str(one.id): one for one in sheet.documents}
        edit = visit.t("Standing as a source")
        rows = [
            document_row(visit, one)
            | {
                "words": number(visit, one.word_count) if one.word_count else "–",
                "authority_score": number(visit, float(one.authority_score)),
                "words_edit": edit,
            }
            for one in sheet.documents
        ]
        return rows, sheet.total

    async def refresh(self) -> None:
        """Counters and both tables as they are now."""
        stats = await self.visit.veraz.jobs.stats(self.visit.actor, self.kb_id)
        for status, count in stats.by_status().items():
            self.counters[status].set_text(number(self.visit, count))
        self.active = stats.active
        await self.jobs.refresh()
        await self.table.refresh()

    async def _tick(self) -> None:
        if self.active:
            await self.visit.act(self.refresh)()

    async def _choose(self, value: str) -> None:
        self.kb_id = UUID(value) if value else None
        self.sources.set_visibility(self.kb_id is not None)
        self.jobs.cursors = [None]
        await self.refresh()

    async def _retry(self) -> None:
        count = await self.visit.veraz.jobs.retry_dlq(self.visit.actor, self.kb_id)
        self.visit.done("Jobs that start afresh: {n}", n=count)
        await self.refresh()

    def _ask_purge(self) -> None:
        t = self.visit.t

        async def purge() -> None:
            count = await self.visit.veraz.jobs.purge(self.visit.actor, self.kb_id)
            self.visit.done("Jobs moved to the history: {n}", n=count)
            await self.refresh()

        confirm(
            self.visit, t("Purge finished jobs?"), t("They stay readable in the history."), t("Purge"), purge
        )
