"""One document: what is known of it, its standing as a source, and its chunks beside the place they come from."""

from decimal import Decimal
from typing import Any, cast, get_args
from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import ChunkView, Document, DocumentChange, EvidenceLevel
from veraz.paging import PageRequest
from veraz.ui import document_history
from veraz.ui.knowledge_base import problem
from veraz.ui.knowledge_bases import language_names
from veraz.ui.parts import (
    TIERS,
    bar,
    buttons,
    dialog,
    heading,
    icon_button,
    number,
    size,
    state,
    tier_badge,
    typed,
    when,
)
from veraz.ui.shell import shell
from veraz.ui.uploading import DropZone
from veraz.ui.visit import Visit, Visiting

_PER_PAGE = 20
LEVELS: dict[str, str] = {
    "meta_analysis": "Meta-analysis",
    "rct": "Controlled trial",
    "cohort": "Cohort",
    "case_study": "Case study",
    "opinion": "Opinion",
    "guideline": "Guideline",
}


async def page(visit: Visiting, kb_id: UUID, document_id: UUID) -> None:
    """A document of a knowledge base."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    document = await visit.veraz.documents.get(visit.actor, kb_id, document_id)
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(visit, document.name, active=active, back=(kb.name, f"/knowledge-bases/{kb_id}")):
        await _facts(visit, document)
        await document_history.corrections(visit, document)
        await document_history.versions(visit, document)
        await _Chunks(visit, document).draw()


async def _facts(visit: Visit, document: Document) -> None:
    t = visit.t
    with ui.card().classes("w-full"):
        with ui.row().classes("w-full items-center"):
            state(visit, document.status)
            tier_badge(visit, document.tier)
            ui.space()
            if document.storage_key:
                address = f"/api/v1/knowledge-bases/{document.kb_id}/documents/{document.id}/file"
                ui.button(t("Original file"), icon="download").props(f"outline tag=a href={address}")
            if document.origin in ("upload", "url") and document.superseded_by is None:
                ui.button(
                    t("Replace the file"), icon="upload_file", on_click=lambda: replace_file(visit, document)
                ).props("outline")
            ui.button(
                t("Standing as a source"),
                icon="workspace_premium",
                on_click=lambda: edit_standing(visit, document),
            ).props("outline")
        if words := problem(visit, document):
            ui.label(words).classes("text-negative break" if document.status == "failed" else "quiet break")
        await document_history.relations(visit, document)
        _known(visit, document)


def _known(visit: Visit, document: Document) -> None:
    t = visit.t
    facts: list[tuple[str, str | None]] = [
        (t("Type"), document.file_type.upper()),
        (t("Size"), size(visit, document.size_bytes)),
        (t("Pages"), number(visit, document.pages_count) if document.pages_count else None),
        (t("Chunks"), number(visit, document.chunks_count)),
        (t("Words"), number(visit, document.word_count) if document.word_count else None),
        (t("Title"), document.title if document.title != document.name else None),
        (t("Author"), document.author),
        (t("Language"), language_names(visit).get(document.language or "", document.language)),
        (t("Machine"), document.machine_id if document.machine_id != "global" else None),
        (t("Institution"), document.institution),
        (t("Evidence level"), t(LEVELS[document.evidence_level]) if document.evidence_level else None),
        (t("Added"), when(visit, document.created_at)),
    ]
    with ui.element("dl").classes("stats").style("margin: 0"):
        for words, value in facts:
            if value:
                with ui.element("div"):
                    with ui.element("dt").classes("quiet small"):
                        ui.label(words)
                    with ui.element("dd").classes("break").style("margin: 0"):
                        ui.label(value)
    if document.authority_score:
        ui.label(t("Authority {score} of 100", score=number(visit, float(document.authority_score)))).classes(
            "small"
        )
        bar(float(document.authority_score) / 100, t("Authority"))


def replace_file(visit: Visit, document: Document) -> None:
    """Another file as the next version; what is refused says why and leaves the dialog open."""
    t = visit.t

    async def arrived() -> None:
        visit.done("It is being processed as a new version")
        ui.navigate.reload()

    with dialog(t("Replace the file"), wide=True) as box:
        ui.label(
            t(
                "The new file is read as the next version; until it has been, answers come from the one before. "
                "Every version is kept."
            )
        ).classes("quiet small")
        DropZone(visit, document.kb_id, arrived, document_id=document.id)
        ui.button(t("Close"), on_click=box.close).props("flat").classes("self-end")


def edit_standing(visit: Visit, document: Document, after: Any = None) -> None:
    """How much the document counts as a source."""
    t = visit.t

    async def save() -> None:
        clear = {
            name
            for name, value in (
                ("tier", tier.value),
                ("evidence_level", level.value),
                ("institution", where.value),
            )
            if not value
        }
        change = DocumentChange(
            tier=tier.value or None,
            authority_score=Decimal(str(authority.value or 0)),
            evidence_level=level.value or None,
            institution=typed(where.value) or None,
            peer_reviewed=reviewed.value,
            clear=cast(Any, frozenset(clear)),
        )
        await visit.veraz.documents.change(visit.actor, document.kb_id, document.id, change)
        box.close()
        visit.done("Saved")
        await after() if after else ui.navigate.reload()

    none = {"": t("Not said")}
    with dialog(t("Standing as a source")) as box:
        ui.label(t("Better sources count for more when passages are ranked.")).classes("quiet small")
        tiers = none | {name: t(words) for name, (_, words) in TIERS.items()}
        tier = ui.select(tiers, value=document.tier or "", label=t("Tier")).classes("w-full")
        ui.label(t("Authority, 0 to 100")).classes("small quiet")
        authority = ui.slider(min=0, max=100, step=1, value=float(document.authority_score)).props(
            f'label-always aria-label="{t("Authority, 0 to 100")}"'
        )
        levels = none | {name: t(LEVELS[name]) for name in get_args(EvidenceLevel)}
        level = ui.select(levels, value=document.evidence_level or "", label=t("Evidence level")).classes(
            "w-full"
        )
        where = (
            ui.input(t("Institution"), value=document.institution or "")
            .props("maxlength=500")
            .classes("w-full")
        )
        reviewed = ui.switch(t("Peer reviewed"), value=document.peer_reviewed)
        buttons(visit, box, t("Save"), visit.act(save))


class _Chunks:
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
                icon_button("edit", visit.t("Edit chunk {n}", n=chunk.ordinal + 1), lambda: self._edit(chunk))
            ui.label(chunk.content).classes("passage")

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
