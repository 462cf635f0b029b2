"""What is in a global knowledge base that agents read for the visitor: titles, versions and dates, nothing to change."""

from dataclasses import replace
from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import ListedDocument
from veraz.paging import PageRequest
from veraz.ui.parts import empty, state, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_PER_PAGE = 50


async def page(visit: Visiting, kb_id: UUID) -> None:
    """The documents by title."""
    t, asked = visit.t, PageRequest(limit=_PER_PAGE)
    found = await visit.veraz.documents.contents(visit.actor, kb_id, asked)
    subtitle = t("Documents your agents answer from.")
    back = (t("My knowledge"), "/personal")
    with shell(visit, found.kb_name, active="/personal", subtitle=subtitle, back=back):
        if not found.documents.items:
            empty("library_books", t("No documents yet"), t("Documents your agents answer from."))
            return
        listed = ui.column().classes("w-full gap-2").props("role=list")
        more = ui.button(t("Show more")).props("flat")
        cursor = [found.documents.next_cursor]

        def show(documents: list[ListedDocument]) -> None:
            with listed:
                for one in documents:
                    _document(visit, one)
            more.set_visibility(cursor[0] is not None)

        async def show_more() -> None:
            following = replace(asked, cursor=cursor[0])
            further = (await visit.veraz.documents.contents(visit.actor, kb_id, following)).documents
            cursor[0] = further.next_cursor
            show(further.items)

        more.on_click(visit.act(show_more))
        show(found.documents.items)


def _document(visit: Visit, one: ListedDocument) -> None:
    t = visit.t
    facts = [
        one.file_type.upper(),
        t("Version {n}", n=one.version),
        when(visit, one.indexed_at or one.created_at),
    ]
    if one.title and one.title != one.name:
        facts.insert(0, one.name)
    with ui.card().classes("w-full").props("role=listitem"), ui.row().classes("w-full items-center no-wrap"):
        with ui.column().classes("grow gap-0"):
            ui.label(one.title or one.name).classes("break")
            ui.label(" · ".join(facts)).classes("quiet small break")
        state(visit, one.status)
