"""The documents of a knowledge base: found by name, state and type, sorted, chosen, processed again or deleted."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import DocumentFilter
from veraz.ingest.parse.base import FileType
from veraz.ui.document_rows import NAME_CELL, document_row
from veraz.ui.parts import STATES, confirm
from veraz.ui.tables import STATE_CELL, Row, ServerTable, Wanted, column
from veraz.ui.visit import Visit

_ACTIONS = """
<q-td :props="props" auto-width>
  <q-btn flat round dense color="secondary" class="quiet" icon="more_vert" :aria-label="props.row.actions + ' ' + props.row.name">
    <q-menu><q-list style="min-width: 180px">
      <q-item clickable v-close-popup tag="a" :href="props.row.href"><q-item-section>{{ props.row.words_open }}</q-item-section></q-item>
      <q-item clickable v-close-popup tag="a" :href="props.row.file"><q-item-section>{{ props.row.words_file }}</q-item-section></q-item>
      <q-item clickable v-close-popup @click="$parent.$emit('again', props.row.id)"><q-item-section>{{ props.row.words_again }}</q-item-section></q-item>
      <q-item clickable v-close-popup @click="$parent.$emit('remove', props.row.id)"><q-item-section class="text-negative">{{ props.row.words_delete }}</q-item-section></q-item>
    </q-list></q-menu>
  </q-btn>
</q-td>
"""


class DocumentTable:
    """Filters, what to do with those chosen, and the table."""

    def __init__(self, visit: Visit, kb_id: UUID, on_change: Callable[[], Awaitable[None]]) -> None:
        self.visit, self.kb_id, self.on_change = visit, kb_id, on_change
        self.where = DocumentFilter()
        with ui.column().classes("w-full gap-3") as self.all:
            self._filters()
            self._bulk()
            self._table()

    def set_visibility(self, shown: bool) -> None:
        """Where there is nothing to list, nothing is offered to filter."""
        self.all.set_visibility(shown)

    async def refresh(self) -> None:
        """The same rows as they are now."""
        await self.rows.refresh()

    async def show_failed(self) -> None:
        """Only those that failed."""
        self.status.set_value("failed")

    async def failed(self) -> list[UUID]:
        """The documents that failed, whatever is shown."""
        where = DocumentFilter(status="failed")
        return [
            one.id async for one in self.visit.veraz.documents.each(self.visit.actor, self.kb_id, where=where)
        ]

    async def process_again(self, ids: list[UUID]) -> None:
        """These documents are read anew."""
        queued = await self.visit.veraz.reception.again(self.visit.actor, self.kb_id, ids)
        self.visit.done("Documents processed again: {n}", n=len(queued))
        await self.on_change()

    def _filters(self) -> None:
        visit = self.visit
        statuses = {"": visit.t("Every state")} | {
            name: visit.t(STATES[name][2]) for name in ("completed", "processing", "pending", "failed")
        }
        kinds = {"": visit.t("Every type")} | {kind.value: kind.value.upper() for kind in FileType}
        with ui.element("div").classes("toolbar"):
            self.text = (
                ui.input(visit.t("Search by name"))
                .props("clearable debounce=300")
                .classes("grow")
                .style("min-width: 180px")
            )
            self.status = ui.select(statuses, value="", label=visit.t("State")).style("min-width: 150px")
            self.kind = ui.select(kinds, value="", label=visit.t("Type")).style("min-width: 130px")
            for field in (self.text, self.status, self.kind):
                field.on_value_change(visit.act(self._chosen))
            self._export()

    async def _chosen(self) -> None:
        self.where = DocumentFilter(
            text=self.text.value or None, status=self.status.value or None, file_type=self.kind.value or None
        )
        await self.rows.first()
        self._show_selection()

    def _export(self) -> None:
        visit = self.visit
        with ui.button(visit.t("Export"), icon="download").props("flat"), ui.menu():
            for form in ("csv", "xlsx", "json"):
                address = f"/api/v1/knowledge-bases/{self.kb_id}/documents/export?format={form}"
                ui.menu_item(form.upper()).props(f"tag=a href={address}")

    def _bulk(self) -> None:
        visit = self.visit
        with ui.element("div").classes("toolbar chosen") as self.bulk:
            self.chosen = ui.label("").classes("small").props("role=status")
            ui.button(
                visit.t("Process again"),
                icon="refresh",
                on_click=visit.act(lambda: self.process_again(self._selected())),
            ).props("flat dense")
            ui.button(
                visit.t("Delete selected"), icon="delete", on_click=lambda: self._ask_delete(self._selected())
            ).props("flat dense color=negative")

    def _table(self) -> None:
        visit = self.visit
        self.rows = ServerTable(visit, self._columns(), self._load, selectable=True)
        table = self.rows.table.classes("documents")
        for name, cell in (("name", NAME_CELL), ("status", STATE_CELL), ("actions", _ACTIONS)):
            table.add_slot(f"body-cell-{name}", cell)
        with table.add_slot("no-data"), ui.row().classes("w-full justify-center items-center q-pa-lg quiet"):
            ui.label(visit.t("No document is like this."))
            ui.button(visit.t("Show all"), on_click=visit.act(self._show_all)).props("flat dense")
        table.on("selection", self._show_selection)
        table.on("again", visit.act(lambda event: self.process_again([UUID(event.args)])))
        table.on("remove", lambda event: self._ask_delete([UUID(event.args)]))
        self._show_selection()

    async def _show_all(self) -> None:
        for field in (self.text, self.status, self.kind):
            field.set_value("")

    def _columns(self) -> list[Row]:
        t = self.visit.t
        return [
            column("name", t("Name"), classes="name"),
            column("file_type", t("Type"), classes="gt-xs"),
            column("size_bytes", t("Size"), align="right", classes="num gt-xs"),
            column("status", t("State"), classes="gt-xs"),
            column("chunks_count", t("Chunks"), align="right", classes="num gt-xs"),
            column("created_at", t("Added on"), classes="gt-sm"),
            column("actions", t("Actions"), sortable=False),
        ]

    async def _load(self, wanted: Wanted) -> tuple[list[Row], int]:
        documents, actor = self.visit.veraz.documents, self.visit.actor
        sheet = await documents.sheet(
            actor,
            self.kb_id,
            where=self.where,
            order=wanted.order,  # type: ignore[arg-type]
            descending=wanted.descending,
            offset=wanted.offset,
            limit=wanted.limit,
        )
        books = [one.id for one in sheet.documents if one.file_type in ("xlsx", "xls")]
        names = await documents.sheet_names(actor, self.kb_id, books) if books else {}
        return [document_row(self.visit, one, names.get(one.id)) for one in sheet.documents], sheet.total

    def _selected(self) -> list[UUID]:
        return [UUID(row["id"]) for row in self.rows.table.selected]

    def _show_selection(self, _: Any = None) -> None:
        count = len(self.rows.table.selected)
        self.chosen.set_text(self.visit.t("Selected: {n}", n=count))
        self.bulk.set_visibility(count > 0)

    def _ask_delete(self, ids: list[UUID]) -> None:
        async def delete() -> None:
            gone = await self.visit.veraz.documents.delete(self.visit.actor, self.kb_id, ids)
            self.rows.table.selected = []
            self._show_selection()
            self.visit.done("Documents deleted: {n}", n=len(gone))
            await self.on_change()

        t = self.visit.t
        confirm(
            self.visit,
            t("Delete the chosen documents ({n})?", n=len(ids)),
            t("Their chunks and files go too. Agents stop answering from them at once."),
            t("Delete"),
            delete,
        )
