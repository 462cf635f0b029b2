"""The chunks of a document beside the place they come from, to be read and corrected."""

from nicegui import ui

from veraz.ingest.documents import ChunkView, Document
from veraz.paging import PageRequest
from veraz.ui.parts import buttons, confirm, dialog, heading, icon_button, typed, when
from veraz.ui.visit import Visit

_PER_PAGE = 20


class Chunks:
    """The chunks in reading order, twenty at a time."""

    def __init__(self, visit: Visit, document: Document) -> None:
        self.visit, self.document, self.number = visit, document, 1

    async def draw(self) -> None:
        """Heading, cards, page numbers."""
        heading(self.visit.t("Chunks"), 2)
        self.cards = ui.column().classes("w-full gap-3")
        pages = -(-self.document.chunks_count // _PER_PAGE)
        if pages > 1:
            pager = ui.pagination(1, pages, direction_links=True, value=1).props(
                "max-pages=7 boundary-numbers"
            )
            pager.on_value_change(self.visit.act(lambda event: self.show(int(event.value))))
        await self.show(1)

    async def show(self, page: int) -> None:
        """The chunks of one page; the cursor is the number of the chunk before it."""
        self.number = page
        cursor = str((page - 1) * _PER_PAGE - 1) if page > 1 else None
        document = self.document
        found = await self.visit.veraz.documents.chunks(
            self.visit.actor, document.kb_id, document.id, PageRequest(limit=_PER_PAGE, cursor=cursor)
        )
        self.cards.clear()
        with self.cards:
            for chunk in found.items:
                self._card(chunk)
            if not found.items:
                ui.label(self.visit.t("There are no chunks yet.")).classes("quiet")

    def _card(self, chunk: ChunkView) -> None:
        visit = self.visit
        with ui.card().classes("w-full"), ui.element("div").classes("chunk"):
            with ui.column().classes("gap-1"):
                heading(place(visit, chunk.page_number, chunk.part, chunk.ordinal), 3)
                for words in chunk.headers:
                    ui.label(words).classes("quiet small break")
                ui.label(
                    visit.t(
                        "{n} tokens · quality {quality}",
                        n=chunk.tokens,
                        quality=chunk.quality if chunk.quality is not None else "–",
                    )
                ).classes("quiet small")
                if chunk.edited_at:
                    ui.label(visit.t("edited {when}", when=when(visit, chunk.edited_at))).classes(
                        "quiet small"
                    )
                n = chunk.ordinal + 1
                with ui.row().classes("gap-1"):
                    icon_button("edit", visit.t("Edit chunk {n}", n=n), lambda: self._edit(chunk))
                    icon_button("delete", visit.t("Forget chunk {n}", n=n), lambda: self._ask_forget(chunk))
            ui.label(chunk.content).classes("passage")

    def _ask_forget(self, chunk: ChunkView) -> None:
        visit, t = self.visit, self.visit.t

        async def forget() -> None:
            await visit.veraz.chunk_forgetter.forget(
                visit.actor, self.document.kb_id, self.document.id, chunk.id
            )
            visit.done("Forgotten")
            await self.show(self.number)

        text = t(
            "Its words leave answers, questions and traces for ever, and stay away when the document is processed "
            "again. The file stays as it is."
        )
        confirm(visit, t("Forget chunk {n}?", n=chunk.ordinal + 1), text, t("Forget"), forget)

    def _edit(self, chunk: ChunkView) -> None:
        visit = self.visit

        async def save() -> None:
            await visit.veraz.chunk_editor.edit(
                visit.actor,
                self.document.kb_id,
                self.document.id,
                chunk.id,
                content=typed(text.value, longest=30_000),
                revision=chunk.revision,
            )
            box.close()
            visit.done("Saved; searches use the new text")
            await self.show(self.number)

        with dialog(visit.t("Edit chunk {n}", n=chunk.ordinal + 1), wide=True) as box:
            ui.label(
                visit.t("The file stays as it is; the correction is made again whenever it is processed.")
            ).classes("quiet small")
            text = (
                ui.textarea(visit.t("Text"), value=chunk.content)
                .props("rows=12 maxlength=30000")
                .classes("w-full")
            )
            buttons(visit, box, visit.t("Save"), visit.act(save))


def place(visit: Visit, page: int | None, part: str | None, ordinal: int) -> str:
    """Where in its document a chunk stands, as people cite it."""
    if page is not None:
        return visit.t("Page {n}", n=page)
    return part or visit.t("Chunk {n}", n=ordinal + 1)
