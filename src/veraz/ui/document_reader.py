"""A document to read: pages of a PDF one below the other, text with its headings and tables, sheets with their rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.api.source_html import blocks_html, box_style
from veraz.passages.model import DocumentView, SheetView, SourceView
from veraz.passages.service import SCALE
from veraz.ui.parts import called, empty, icon_button
from veraz.ui.source_views import html, note
from veraz.ui.visit import Visit

_SCRIPT: Final = Path(__file__).with_name("document_reader.js").read_text(encoding="utf-8")
_PAGES: Final = 200
"""Pages that are laid out at once; their pictures come as they are scrolled to."""
_BEFORE: Final = 4_000
"""Characters shown before a quotation that is jumped to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where in a document somebody wants to be."""

    start: int | None = None
    end: int | None = None
    page: int | None = None

    @property
    def span(self) -> tuple[int, int] | None:
        """The stretch to mark."""
        return None if self.start is None or self.end is None else (self.start, self.end)


class Reader:
    """One document on a page, its parts fetched as they are wanted."""

    def __init__(self, visit: Visit, document: DocumentView, spot: Spot) -> None:
        self.visit, self.document, self.spot = visit, document, spot

    async def draw(self) -> None:
        """The document as it is best looked at."""
        self.box = ui.column().classes("w-full reader")
        await self._as(self.document.view)

    async def _as(self, kind: str) -> None:
        self.box.clear()
        with self.box:
            if kind == "page":
                await self._pages()
            elif self.document.sheets:
                await self._sheets()
            else:
                await self._text()

    async def _pages(self) -> None:
        """Pictures of the pages below a small navigator."""
        visit, t, view = self.visit, self.visit.t, self.document
        marked = await self._marked()
        first = marked.pages[0].page_number if marked and marked.pages else self.spot.page or 1
        count = view.pages_count or 1
        with ui.row().classes("reader-bar items-center no-wrap gap-1"):
            back = icon_button("keyboard_arrow_up", t("Previous page"), lambda: None)
            forth = icon_button("keyboard_arrow_down", t("Next page"), lambda: None)
            label = ui.label(t("Page {n} of {all}", n=first, all=count)).classes("small")
            ui.space()
            ui.button(t("As text"), icon="notes", on_click=visit.act(lambda: self._as("text"))).props(
                "flat dense"
            )
        start = (first - 1) // _PAGES * _PAGES + 1
        box = ui.html(self._pictures(start, marked), sanitize=False).classes("w-full reader-pages")
        for button, by in ((back, -1), (forth, 1)):
            button.on("click", js_handler=f"() => getHtmlElement({box.id}).turn({by})")
        self._more_pages(start, count)
        _begin(box, label, first)

    def _more_pages(self, start: int, count: int) -> None:
        """The way to the pages before and after those laid out."""
        t, here = self.visit.t, self.visit.path.partition("?")[0]
        with ui.row().classes("justify-center w-full"):
            if start > 1:
                ui.link(t("Pages before"), f"{here}?page={start - _PAGES}")
            if start + _PAGES <= count:
                ui.link(t("Pages after"), f"{here}?page={start + _PAGES}")

    async def _marked(self) -> SourceView | None:
        """The pages of the quotation that was jumped to."""
        span = self.spot.span
        if span is None or not self.document.current:
            return None
        try:
            return await self.visit.veraz.passages.show_stretch(
                self.visit.actor, self.document.document_id, *span
            )
        except errors.Invalid:
            return None

    def _pictures(self, start: int, marked: SourceView | None) -> str:
        """Markup of nothing but our own numbers and words."""
        view = self.document
        boxes = {page.page_number: page.boxes for page in marked.pages} if marked else {}
        version = "" if view.current else f"&version={view.version}"
        shown = ""
        for number in range(start, min(start + _PAGES, (view.pages_count or 1) + 1)):
            if number in view.forgotten_pages:
                said = self.visit.t("Page {n} is not shown, because something on it was forgotten.", n=number)
                shown += f'<p class="source-note" role="note" data-page="{number}">{said}</p>'
                continue
            address = f"/api/v1/documents/{view.document_id}/pages/{number}.png?scale={SCALE}{version}"
            over = "".join(
                f'<div class="source-box" style="{box_style(box)}"></div>' for box in boxes.get(number, ())
            )
            picture = f'<img src="{address}" alt="{self.visit.t("Page {n}", n=number)}" loading="lazy">'
            shown += f'<figure class="source-page" data-page="{number}">{picture}{over}</figure>'
        return shown

    async def _text(self) -> None:
        """The blocks, some at a time."""
        visit, t = self.visit, self.visit.t
        if self.document.view == "page":
            with ui.row().classes("reader-bar items-center"):
                ui.space()
                ui.button(
                    t("As pages"), icon="auto_stories", on_click=visit.act(lambda: self._as("page"))
                ).props("flat dense")
        first = max((self.spot.start or 0) - _BEFORE, 0)
        if first:
            ui.button(
                t("From the beginning"), icon="vertical_align_top", on_click=visit.act(self._again)
            ).props("flat dense")
        with ui.card().classes("w-full reader-paper"):
            box = ui.column().classes("w-full gap-0")
        await self._blocks(box, first, None)
        _begin(box)

    async def _again(self) -> None:
        self.spot = Spot()
        await self._as("text")

    async def _sheets(self) -> None:
        """A tab for each sheet; its rows are fetched when it is opened."""
        sheets = self.document.sheets
        at = self.spot.start or 0
        chosen = max(
            (sheet for sheet in sheets if sheet.first <= at), key=lambda one: one.first, default=sheets[0]
        )
        with ui.tabs().props("align=left no-caps dense inline-label").classes("w-full") as tabs:
            for number, sheet in enumerate(sheets):
                ui.tab(str(number), label=sheet.name)
        called(tabs, self.visit.t("Sheets"))
        box = ui.column().classes("w-full gap-0")

        async def show(sheet: SheetView) -> None:
            box.clear()
            after = next((one.first for one in sheets if one.first > sheet.first), None)
            await self._blocks(box, sheet.first, after)

        tabs.set_value(str(sheets.index(chosen)))
        tabs.on_value_change(self.visit.act(lambda event: show(sheets[int(event.value)])))
        await show(chosen)
        _begin(box)

    async def _blocks(self, box: ui.element, first: int, until: int | None) -> None:
        """One step of blocks, and a button for the next."""
        visit, t = self.visit, self.visit.t
        found = await visit.veraz.passages.document(
            visit.actor,
            self.document.document_id,
            version=None if self.document.current else self.document.version,
            first=first,
            quoted=self.spot.span,
        )
        blocks = [block for block in found.blocks if until is None or block.start < until]

        async def more() -> None:
            button.delete()
            assert found.next is not None
            await self._blocks(box, found.next, until)

        with box:
            if not blocks and first == 0:
                note(t("The text of this document is not stored yet; process it again to see it here."))
            html(blocks_html(blocks))
            if found.next is not None and (until is None or found.next < until):
                button = ui.button(t("Show more"), icon="expand_more", on_click=visit.act(more)).props("flat")
                button.classes("self-center")


async def draw_document(
    visit: Visit, document_id: UUID, spot: Spot, version: int | None = None, *, failed: bool = False
) -> None:
    """The document, or why there is nothing to read yet."""
    try:
        document = await visit.veraz.passages.document(visit.actor, document_id, version=version)
    except errors.NotFound:
        if failed:
            empty(
                "error_outline",
                visit.t("It could not be read"),
                visit.t("Replace the file, or try it again."),
            )
        else:
            words = visit.t("The document is shown here once it has been read.")
            empty("hourglass_empty", visit.t("Not ready yet"), words)
        return
    await Reader(visit, document, spot).draw()


def _begin(box: ui.element, label: ui.element | None = None, page: int = 1) -> None:
    """Scrolls to where one wants to be; all the numbers are ours."""
    script = _SCRIPT.replace("__BOX__", str(box.id)).replace("__LABEL__", str(label.id if label else 0))
    ui.run_javascript(script.replace("__PAGE__", str(page)))
