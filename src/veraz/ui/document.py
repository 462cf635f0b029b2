"""One document: to read, its chunks, what is known of it and its standing as a source."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Final, cast, get_args
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.ingest.documents import Document, DocumentChange, EvidenceLevel
from veraz.passages.model import DocumentView
from veraz.ui import document_history
from veraz.ui.document_chunks import Chunks
from veraz.ui.document_chunks import place as place
from veraz.ui.document_reader import Reader, Spot, draw_document
from veraz.ui.knowledge_base import problem
from veraz.ui.knowledge_bases import language_names
from veraz.ui.parts import (
    TIERS,
    bar,
    buttons,
    called,
    confirm,
    dialog,
    icon_button,
    number,
    size,
    state,
    tier_badge,
    typed,
    when,
)
from veraz.ui.shell import shell
from veraz.ui.source_views import note
from veraz.ui.uploading import DropZone
from veraz.ui.visit import Visit, Visiting

_TABS: Final = {"document": "Document", "chunks": "Chunks", "known": "What is known"}
LEVELS: dict[str, str] = {
    "meta_analysis": "Meta-analysis",
    "rct": "Controlled trial",
    "cohort": "Cohort",
    "case_study": "Case study",
    "opinion": "Opinion",
    "guideline": "Guideline",
}


async def page(
    visit: Visiting,
    kb_id: UUID,
    document_id: UUID,
    start: int | None = None,
    end: int | None = None,
    page: int | None = None,
    version: int | None = None,
    tab: str = "document",
) -> None:
    """A document of a knowledge base, for who looks after it: to read, in chunks, and what is known of it."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    document = await visit.veraz.documents.get(visit.actor, kb_id, document_id)
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(visit, document.name, active=active, back=(kb.name, f"/knowledge-bases/{kb_id}")):
        await _head(visit, document)
        await document_history.corrections(visit, document)
        spot = Spot(start=start, end=end, page=page)
        await _tabs(visit, document, spot, version, tab if tab in _TABS else "document")


async def reading_page(
    visit: Visiting,
    document_id: UUID,
    start: int | None = None,
    end: int | None = None,
    page: int | None = None,
    version: int | None = None,
) -> None:
    """A document that an agent may cite to the visitor, to read: as it is, or the version that was quoted."""
    seen, spot = await _as_quoted(visit, document_id, version, Spot(start=start, end=end, page=page))
    place = f"/knowledge-bases/{seen.kb_id}/documents/{document_id}"
    with shell(
        visit, seen.name, active="/ask", subtitle="" if seen.title in (None, seen.name) else str(seen.title)
    ):
        if visit.manages and await _administered(visit, seen.kb_id):
            ui.link(visit.t("Chunks, versions and settings"), visit.to(place)).classes("small")
        if not seen.current:
            document_history.tell_old(visit, seen.version)
        elif version is not None and version != seen.version:
            note(visit.t("The document has changed since it was quoted. This is what it says now."))
        await Reader(visit, seen, spot).draw()


async def _as_quoted(
    visit: Visit, document_id: UUID, version: int | None, spot: Spot
) -> tuple[DocumentView, Spot]:
    """The version that was quoted, for who may see it; else the current one, in which the place means nothing."""
    try:
        return await visit.veraz.passages.document(visit.actor, document_id, version=version), spot
    except errors.NotFound:
        return await visit.veraz.passages.document(visit.actor, document_id), Spot()


async def _administered(visit: Visit, kb_id: UUID) -> bool:
    try:
        await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    except errors.NotFound:
        return False
    return True


async def _tabs(visit: Visit, document: Document, spot: Spot, version: int | None, chosen: str) -> None:
    """To read, the chunks, and what is known; each is drawn when it is opened first."""
    with ui.tabs().props("align=left no-caps").classes("w-full") as tabs:
        for name, words in _TABS.items():
            ui.tab(name, label=visit.t(words))
    called(tabs, visit.t("Views of the document"))
    boxes = {name: ui.column().classes("w-full gap-4") for name in _TABS}

    async def show(name: str) -> None:
        for other, box in boxes.items():
            box.set_visibility(other == name)
        if not boxes[name].default_slot.children:
            with boxes[name]:
                await _view(visit, document, name, spot, version)

    tabs.set_value(chosen)
    tabs.on_value_change(visit.act(lambda event: show(event.value)))
    await show(chosen)


async def _view(visit: Visit, document: Document, name: str, spot: Spot, version: int | None) -> None:
    if name == "chunks":
        await Chunks(visit, document).draw()
    elif name == "known":
        with ui.card().classes("w-full"):
            _known(visit, document)
    else:
        await document_history.versions(visit, document, version)
        await draw_document(visit, document.id, spot, version, failed=document.status == "failed")


async def _head(visit: Visit, document: Document) -> None:
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
            _more(visit, document)
        if words := problem(visit, document):
            ui.label(words).classes("text-negative break" if document.status == "failed" else "quiet break")
        await document_history.relations(visit, document)


def _more(visit: Visit, document: Document) -> None:
    """What is done to the document as a whole."""
    t = visit.t

    async def again() -> None:
        await visit.veraz.reception.again(visit.actor, document.kb_id, [document.id])
        visit.done("It is being processed again")
        ui.navigate.reload()

    async def delete() -> None:
        await visit.veraz.documents.delete(visit.actor, document.kb_id, [document.id])
        ui.navigate.to(visit.to(f"/knowledge-bases/{document.kb_id}"))

    def ask() -> None:
        warning = t("All its versions, chunks and files go too. Agents stop answering from it at once.")
        confirm(visit, t("Delete «{name}»?", name=document.name), warning, t("Delete"), delete)

    with icon_button("more_vert", t("More actions"), lambda: None), ui.menu():
        ui.menu_item(t("Process again"), on_click=visit.act(again))
        ui.menu_item(t("Delete"), on_click=ask).classes("text-negative")


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


def replace_file(
    visit: Visit, document: Document, after: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Another file as the next version; what is refused says why and leaves the dialog open."""
    t = visit.t

    async def arrived() -> None:
        visit.done("It is being processed as a new version")
        if after is None:
            ui.navigate.reload()
        else:
            box.close()
            await after()

    with dialog(t("Replace the file"), wide=True) as box:
        words = (
            "The new file is read as the next version; until it has been, answers come from the one before. Every version is kept."
            if document.chunks_count
            else "The new file is read as the next version."
        )
        ui.label(t(words)).classes("quiet small")
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
