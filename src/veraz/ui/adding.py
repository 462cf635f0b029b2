"""The dialog that adds documents: files, text somebody writes, a page of the web."""

from collections.abc import Callable
from typing import Any, Literal
from uuid import UUID

from nicegui import ui

from veraz.ingest.receive import CrawlOrder, Labels
from veraz.ui.alerts import Alert, filled
from veraz.ui.parts import dialog, typed
from veraz.ui.uploading import DropZone, formats
from veraz.ui.visit import Visit

Way = Literal["files", "text", "web"]


def add_documents(
    visit: Visit,
    kb_id: UUID,
    zone: DropZone,
    on_arrival: Callable[[], Any],
    *,
    way: Way = "files",
    machine_id: str = "global",
) -> None:
    """A dialog with the three ways; files go through the zone of the page, so that it can be closed meanwhile."""
    t = visit.t
    with dialog(t("Add documents"), wide=True) as box:
        with ui.tabs().props("dense no-caps align=left").classes("w-full") as tabs:
            ui.tab("files", t("Files"), icon="upload_file")
            ui.tab("text", t("Text"), icon="edit_note")
            ui.tab("web", t("Web page"), icon="language")
        with ui.tab_panels(tabs, value=way).classes("w-full"):
            with ui.tab_panel("files"):
                _files(visit, zone, box)
            with ui.tab_panel("text"):
                _text(visit, kb_id, on_arrival, box, machine_id)
            with ui.tab_panel("web"):
                _web(visit, kb_id, on_arrival, box, machine_id)


def _files(visit: Visit, zone: DropZone, box: ui.dialog) -> None:
    with ui.column().classes("drop w-full items-center q-pa-lg gap-2") as area:
        ui.icon("upload_file", size="2.2rem", color="primary").props("aria-hidden=true")
        ui.label(visit.t("Drop files here, as many as you like")).classes("text-center")
        formats(visit)
        choose = ui.button(visit.t("Choose files"), on_click=box.close)
        zone.on_choose(choose)
    zone.catch_drops(area, visit.t("Let go to add them"), box.close)
    with ui.row().classes("w-full justify-end"):
        ui.button(visit.t("Cancel"), on_click=box.close).props("flat")


def _text(visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any], box: ui.dialog, machine_id: str) -> None:
    async def add() -> None:
        if not filled(visit, title, content):
            return
        labels = Labels(origin="text", machine_id=machine_id)
        written = typed(content.value, longest=10_000_000)
        await visit.veraz.reception.text(visit.actor, kb_id, typed(title.value), written, labels)
        box.close()
        visit.done("Added")
        await on_arrival()

    title = ui.input(visit.t("Title")).props("maxlength=255").classes("w-full")
    content = (
        ui.textarea(visit.t("Content; Markdown is understood"))
        .props("rows=10 bottom-slots")
        .classes("w-full")
    )
    _last_line(visit, box, add)


def _web(visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any], box: ui.dialog, machine_id: str) -> None:
    async def add() -> None:
        if not filled(visit, url):
            return
        labels, address = Labels(origin="url", machine_id=machine_id), typed(url.value, longest=4096)
        if crawl.value:
            order = CrawlOrder(max_depth=2, max_pages=int(pages.value or 20))
            await visit.veraz.reception.crawl(visit.actor, kb_id, address, order, labels)
        else:
            await visit.veraz.reception.url(visit.actor, kb_id, address, labels)
        box.close()
        visit.done("The page is being read")
        await on_arrival()

    url = ui.input(visit.t("Address"), placeholder="https://").props("type=url").classes("w-full")
    crawl = ui.switch(visit.t("Read the pages it links to as well"))
    pages = ui.number(visit.t("How many pages at most"), value=20, min=1, max=1000, precision=0)
    pages.bind_visibility_from(crawl, "value")
    _last_line(visit, box, add)


def _last_line(visit: Visit, box: ui.dialog, add: Callable[[], Any]) -> None:
    """What was wrong, cancel, and the button; it turns while it works."""
    Alert()

    async def busily() -> None:
        button.props("loading")
        try:
            await add()
        finally:
            button.props(remove="loading")

    with ui.row().classes("w-full justify-end"):
        ui.button(visit.t("Cancel"), on_click=box.close).props("flat")
        button = ui.button(visit.t("Add"), on_click=visit.act(busily))
