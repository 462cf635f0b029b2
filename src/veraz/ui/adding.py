"""Documents that are no files: text somebody writes, a page of the web."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from nicegui import ui

from veraz.ingest.receive import CrawlOrder, Labels
from veraz.ui.parts import buttons, dialog, typed
from veraz.ui.visit import Visit


def add_text(visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any], *, machine_id: str = "global") -> None:
    """A dialog to write a note."""

    async def add() -> None:
        labels = Labels(origin="text", machine_id=machine_id)
        await visit.veraz.reception.text(
            visit.actor,
            kb_id,
            typed(title.value, field=visit.t("Title")),
            typed(content.value, longest=10_000_000),
            labels,
        )
        box.close()
        visit.done("Added")
        await on_arrival()

    with dialog(visit.t("Write text"), wide=True) as box:
        title = ui.input(visit.t("Title")).props("autofocus maxlength=255").classes("w-full")
        content = ui.textarea(visit.t("Content; Markdown is understood")).props("rows=10").classes("w-full")
        buttons(visit, box, visit.t("Add"), visit.act(add))


def add_url(visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any]) -> None:
    """A dialog to name a page, or a site to read from there."""

    async def add() -> None:
        labels = Labels(origin="url")
        address = typed(url.value, field=visit.t("Address"), longest=4096)
        if crawl.value:
            order = CrawlOrder(max_depth=2, max_pages=int(pages.value or 20))
            await visit.veraz.reception.crawl(visit.actor, kb_id, address, order, labels)
        else:
            await visit.veraz.reception.url(visit.actor, kb_id, address, labels)
        box.close()
        visit.done("It is being fetched")
        await on_arrival()

    with dialog(visit.t("Web page")) as box:
        url = (
            ui.input(visit.t("Address"), placeholder="https://").props("autofocus type=url").classes("w-full")
        )
        crawl = ui.switch(visit.t("Follow its links too"))
        pages = ui.number(visit.t("At most so many pages"), value=20, min=1, max=1000, precision=0)
        pages.bind_visibility_from(crawl, "value")
        buttons(visit, box, visit.t("Add"), visit.act(add))
