"""The memory all machines share or one keeps for itself, and the licences that name the machines."""

from uuid import UUID

from nicegui import ui

from veraz.api.edge import DEFAULT_KB
from veraz.ingest.documents import DocumentFilter
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.library.model import KnowledgeBase
from veraz.paging import PageRequest
from veraz.tenancy.machines import EVERY_MACHINE
from veraz.tenancy.model import Licence
from veraz.ui.adding import add_documents
from veraz.ui.document_rows import NAME_CELL, document_row
from veraz.ui.licences import licence_list
from veraz.ui.parts import confirm, empty, heading, when
from veraz.ui.shell import shell
from veraz.ui.tables import STATE_CELL, Row, ServerTable, Wanted, column
from veraz.ui.uploading import DropZone
from veraz.ui.visit import Visit, Visiting

_FORGET_CELL = """
<q-td :props="props" auto-width><q-btn flat dense no-caps no-wrap color="negative" icon="delete"
  :label="$q.screen.gt.xs ? props.row.words_forget : undefined"
  :aria-label="props.row.words_forget + ' ' + props.row.name" @click="$parent.$emit('forget', props.row)"></q-btn></q-td>
"""


async def page(visit: Visiting) -> None:
    """Memory and licences."""
    memory = await visit.veraz.knowledge_bases.by_name(visit.actor, DEFAULT_KB)
    licences = (await visit.veraz.licences.all(visit.actor, PageRequest(limit=500))).items
    with shell(
        visit,
        visit.t("Memory and licences"),
        active="/memory",
        subtitle=visit.t("What every machine remembers, or only one."),
    ):
        heading(visit.t("Memory"), 2)
        if memory is None:
            _no_memory(visit)
        else:
            await _Memory(visit, memory, licences).draw()
        await licence_list(visit)


def _no_memory(visit: Visit) -> None:
    async def begin() -> None:
        await visit.veraz.knowledge_bases.create(visit.actor, NewKnowledgeBase(name=DEFAULT_KB))
        ui.navigate.reload()

    with empty(
        "memory",
        visit.t("There is no memory yet"),
        visit.t("It is a knowledge base of its own, filled by programs or here."),
    ):
        ui.button(visit.t("Start the memory"), on_click=visit.act(begin))


class _Memory:
    """A drop zone with a switch, and the table of what is remembered."""

    def __init__(self, visit: Visit, kb: KnowledgeBase, licences: list[Licence]) -> None:
        self.visit, self.kb = visit, kb
        self.machines = {
            one.machine_id: one.user_name or one.machine_id for one in licences if one.status == "active"
        }

    async def draw(self) -> None:
        """Everything about the memory."""
        visit, t = self.visit, self.visit.t
        around = ui.context.slot.parent.parent_slot
        self._for_whom()
        self.zone = DropZone(visit, self.kb.id, self._changed)
        for choice in (self.bound, self.machine):
            self.zone.hold_while(choice)
        if around is not None:
            self.zone.catch_drops(around.parent, t("Let go to add them to the memory"))
        columns = [
            column("name", t("File"), classes="name"),
            column("machine_id", t("Machine"), classes="gt-xs"),
            column("status", t("State"), classes="gt-xs"),
            column("created_at", t("Date"), classes="gt-xs"),
            column("forget", t("Actions"), sortable=False),
        ]
        self.rows = ServerTable(visit, columns, self._load)
        self.rows.table.classes("documents")
        for name, cell in (("name", NAME_CELL), ("status", STATE_CELL), ("forget", _FORGET_CELL)):
            self.rows.table.add_slot(f"body-cell-{name}", cell)
        self.rows.table.on("forget", lambda event: self._ask_forget(event.args))
        await self.rows.refresh()
        ui.timer(2.0, visit.act(self._tick, by_clock=True))

    def _for_whom(self) -> None:
        """For all licences or one; until that one is chosen nothing can be added."""
        t = self.visit.t
        with ui.element("div").classes("toolbar"):
            self.add = ui.button(t("Add documents"), icon="add", on_click=self._add)
            self.bound = ui.switch(t("Only for one licence"), on_change=self._chosen)
            self.machine = ui.select(self.machines, label=t("Licence"), on_change=self._chosen).style(
                "min-width: 220px"
            )
        self.machine.bind_visibility_from(self.bound, "value")
        self.bound.set_enabled(bool(self.machines))
        self.hint = ui.label(t("Choose the licence first; then you can add documents for it.")).classes(
            "small text-negative"
        )
        self.hint.props("role=alert").set_visibility(False)

    def _chosen(self) -> None:
        missing = bool(self.bound.value) and not self.machine.value
        self.hint.set_visibility(missing)
        self.add.set_enabled(not missing)
        self.zone.set_enabled(not missing)
        self.zone.bind_to(self._machine())

    def _machine(self) -> str:
        return str(self.machine.value or "") if self.bound.value else EVERY_MACHINE

    def _add(self) -> None:
        add_documents(self.visit, self.kb.id, self.zone, self._changed, machine_id=self._machine())

    async def _load(self, wanted: Wanted) -> tuple[list[Row], int]:
        visit = self.visit
        sheet = await visit.veraz.documents.sheet(
            visit.actor,
            self.kb.id,
            where=DocumentFilter(),
            order=wanted.order,  # type: ignore[arg-type]
            descending=wanted.descending,
            offset=wanted.offset,
            limit=wanted.limit,
        )
        everywhere, forget = visit.t("All machines"), visit.t("Forget")
        rows = [
            document_row(visit, one)
            | {
                "machine_id": everywhere
                if one.machine_id == EVERY_MACHINE
                else self.machines.get(one.machine_id, one.machine_id),
                "created_at": when(visit, one.created_at),
                "words_forget": forget,
            }
            for one in sheet.documents
        ]
        self.busy = any(one.status in ("pending", "processing") for one in sheet.documents)
        self.zone.show_hint(not sheet.total)
        self.rows.table.set_visibility(sheet.total > 0)
        return rows, sheet.total

    async def _changed(self) -> None:
        await self.rows.refresh()

    async def _tick(self) -> None:
        if self.busy:
            await self.rows.refresh()

    def _ask_forget(self, row: Row) -> None:
        t = self.visit.t

        async def forget() -> None:
            await self.visit.veraz.documents.delete(self.visit.actor, self.kb.id, [UUID(row["id"])])
            self.visit.done("Forgotten")
            await self.rows.refresh()

        confirm(
            self.visit,
            t("Forget «{name}»?", name=row["name"]),
            t("No machine answers from it any more."),
            t("Forget"),
            forget,
        )
