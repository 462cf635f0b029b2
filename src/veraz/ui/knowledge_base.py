"""One knowledge base: figures, a place to drop files, and its documents as they come along."""

from typing import Any
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.ingest.documents import Document, DocumentFilter
from veraz.ingest.parse.base import FileType
from veraz.library.model import KnowledgeBase
from veraz.ui.adding import add_text, add_url
from veraz.ui.parts import STATES, TIERS, confirm, number, size, stat
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, TIER_CELL, Row, ServerTable, Wanted, column
from veraz.ui.uploading import DropZone
from veraz.ui.visit import Visit, Visiting

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


async def page(visit: Visiting, kb_id: UUID) -> None:
    """Everything about one knowledge base."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    view = _View(visit, kb)
    await view.draw()


class _View:
    """The page of one visitor; it knows what is shown and keeps it fresh."""

    def __init__(self, visit: Visit, kb: KnowledgeBase) -> None:
        self.visit, self.kb = visit, kb
        self.where = DocumentFilter()

    async def draw(self) -> None:
        """The whole page."""
        visit, kb = self.visit, self.kb
        personal = kb.kind == "personal"
        back = (
            (visit.t("My knowledge"), "/personal")
            if personal
            else (visit.t("Knowledge bases"), "/knowledge-bases")
        )
        with shell(visit, kb.name, active=back[1], subtitle=kb.description, back=back):
            with ui.element("div").classes("stats"):
                self.figures = [
                    stat("", visit.t("Documents")),
                    stat("", visit.t("Chunks")),
                    stat("", visit.t("Size")),
                    stat("", visit.t("Processed")),
                ]
            self._toolbar()
            DropZone(visit, kb.id, self.changed)
            self._filters()
            self._table()
        await self.refresh()
        ui.timer(1.0, self._tick)

    def _toolbar(self) -> None:
        visit, base = self.visit, f"/knowledge-bases/{self.kb.id}"
        with ui.element("div").classes("toolbar"):
            ui.button(
                visit.t("Write text"),
                icon="edit_note",
                on_click=lambda: add_text(visit, self.kb.id, self.changed),
            )
            ui.button(
                visit.t("Web page"),
                icon="language",
                on_click=lambda: add_url(visit, self.kb.id, self.changed),
            ).props("outline")
            for words, icon, path in (
                ("Test search", "search", "/search"),
                ("Settings", "tune", "/settings"),
                ("Agents", "smart_toy", "/agents"),
            ):
                target = visit.to(base + path)
                ui.button(visit.t(words), icon=icon).props(f"outline tag=a href={target}")

    def _filters(self) -> None:
        visit = self.visit
        statuses = {"": visit.t("Every state")} | {
            name: visit.t(STATES[name][2]) for name in ("completed", "processing", "pending", "failed")
        }
        kinds = {"": visit.t("Every type")} | {kind.value: kind.value.upper() for kind in FileType}
        with ui.element("div").classes("toolbar"):
            text = (
                ui.input(visit.t("Search by name"))
                .props("clearable debounce=300")
                .classes("grow")
                .style("min-width: 180px")
            )
            status = ui.select(statuses, value="", label=visit.t("State")).style("min-width: 150px")
            kind = ui.select(kinds, value="", label=visit.t("Type")).style("min-width: 130px")

            async def chosen() -> None:
                self.where = DocumentFilter(
                    text=text.value or None, status=status.value or None, file_type=kind.value or None
                )
                await self.rows.first()

            for field in (text, status, kind):
                field.on_value_change(visit.act(chosen))
            self._export()

    def _export(self) -> None:
        visit = self.visit
        with ui.button(visit.t("Export"), icon="download").props("flat"), ui.menu():
            for form in ("csv", "xlsx", "json"):
                address = f"/api/v1/knowledge-bases/{self.kb.id}/documents/export?format={form}"
                ui.menu_item(form.upper()).props(f"tag=a href={address}")

    def _table(self) -> None:
        visit = self.visit
        with ui.element("div").classes("toolbar") as self.bulk:
            self.chosen = ui.label("").classes("small")
            ui.button(
                visit.t("Process again"),
                icon="refresh",
                on_click=visit.act(lambda: self._again(self._selected())),
            ).props("flat dense")
            ui.button(
                visit.t("Delete selected"), icon="delete", on_click=lambda: self._ask_delete(self._selected())
            ).props("flat dense color=negative")
        self.rows = ServerTable(visit, self._columns(), self._load, selectable=True)
        table = self.rows.table
        for name, cell in (
            ("name", NAME_CELL),
            ("status", STATE_CELL),
            ("tier", TIER_CELL),
            ("actions", _ACTIONS),
        ):
            table.add_slot(f"body-cell-{name}", cell)
        with table.add_slot("no-data"), ui.row().classes("w-full justify-center q-pa-lg quiet"):
            ui.label(visit.t("No document here. Drop a file above."))
        table.on("selection", self._show_selection)
        table.on("again", visit.act(lambda event: self._again([UUID(event.args)])))
        table.on("remove", lambda event: self._ask_delete([UUID(event.args)]))
        self._show_selection()

    def _columns(self) -> list[Row]:
        t = self.visit.t
        return [
            column("name", t("Name"), classes="name"),
            column("file_type", t("Type"), classes="gt-xs"),
            column("size_bytes", t("Size"), align="right", classes="num gt-xs"),
            column("status", t("State")),
            column("chunks_count", t("Chunks"), align="right", classes="num gt-xs"),
            column("tier", t("Tier"), classes="gt-sm"),
            column("actions", "", sortable=False),
        ]

    async def _load(self, wanted: Wanted) -> tuple[list[Row], int]:
        sheet = await self.visit.veraz.documents.sheet(
            self.visit.actor,
            self.kb.id,
            where=self.where,
            order=wanted.order,  # type: ignore[arg-type]
            descending=wanted.descending,
            offset=wanted.offset,
            limit=wanted.limit,
        )
        return [document_row(self.visit, one) for one in sheet.documents], sheet.total

    async def changed(self) -> None:
        """Something arrived or went."""
        await self.refresh()

    async def refresh(self) -> None:
        """Figures and rows as they are now."""
        visit = self.visit
        # first whether all is done: what is read after that is the last word
        batch = await visit.veraz.documents.progress(visit.actor, self.kb.id)
        self.busy = batch.pending + batch.processing
        self.kb = await visit.veraz.knowledge_bases.get(visit.actor, self.kb.id)
        values = (
            number(visit, batch.documents),
            number(visit, self.kb.total_chunks),
            size(visit, self.kb.total_size_bytes),
            f"{batch.progress_percent} %",
        )
        for figure, value in zip(self.figures, values, strict=True):
            figure.set_text(value)
        await self.rows.refresh()

    async def _tick(self) -> None:
        """While documents are on their way; otherwise nothing is asked."""
        if self.busy:
            await self.visit.act(self.refresh)()

    def _selected(self) -> list[UUID]:
        return [UUID(row["id"]) for row in self.rows.table.selected]

    def _show_selection(self, _: Any = None) -> None:
        count = len(self.rows.table.selected)
        self.chosen.set_text(self.visit.t("Selected: {n}", n=count))
        self.bulk.set_visibility(count > 0)

    async def _again(self, ids: list[UUID]) -> None:
        queued = await self.visit.veraz.reception.again(self.visit.actor, self.kb.id, ids)
        self.visit.done("Documents processed again: {n}", n=len(queued))
        await self.refresh()

    def _ask_delete(self, ids: list[UUID]) -> None:
        async def delete() -> None:
            gone = await self.visit.veraz.documents.delete(self.visit.actor, self.kb.id, ids)
            self.rows.table.selected = []
            self._show_selection()
            self.visit.done("Documents deleted: {n}", n=len(gone))
            await self.refresh()

        t = self.visit.t
        confirm(
            self.visit,
            t("Delete the chosen documents ({n})?", n=len(ids)),
            t("Their chunks and files go too. Agents stop answering from them at once."),
            t("Delete"),
            delete,
        )


def document_row(visit: Visit, document: Document) -> Row:
    """A document as a table shows it."""
    t, base = visit.t, f"/knowledge-bases/{document.kb_id}/documents/{document.id}"
    kind, icon, words = STATES["superseded" if document.superseded_by else document.status]
    tier = TIERS.get(document.tier or "")
    busy = document.status in ("pending", "processing")
    return {
        "id": str(document.id),
        "name": document.name,
        "href": visit.to(base),
        "file": f"/api/v1{base}/file",
        "note": problem(visit, document),
        "note_bad": document.status == "failed",
        "file_type": document.file_type.upper(),
        "size_bytes": size(visit, document.size_bytes),
        "status": document.status,
        "state": t(words) + (f" {document.progress_percent} %" if document.status == "processing" else ""),
        "state_kind": kind,
        "state_icon": icon,
        "progress": document.progress_percent if busy else None,
        "chunks_count": number(visit, document.chunks_count) if document.chunks_count else "–",
        "tier": t(tier[1]) if tier else "",
        "tier_kind": tier[0] if tier else "",
        "machine_id": document.machine_id,
        "actions": t("Actions for"),
        "words_open": t("See chunks"),
        "words_file": t("Original file"),
        "words_again": t("Process again"),
        "words_delete": t("Delete"),
    }


def problem(visit: Visit, document: Document) -> str:
    """Why it failed, or what to know about it; the sentence says what to do."""
    return in_words(visit, document.error_code, document.error_message)


def in_words(visit: Visit, code: str | None, message: str | None) -> str:
    """What was written down in Spanish when something went wrong, in the visitor's language where it has one."""
    return errors.retold(code, message, visit.language) or ""
