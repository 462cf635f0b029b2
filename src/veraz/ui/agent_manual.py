"""What an agent was told by hand: short texts that only it reads."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from nicegui import ui

from veraz.ingest.documents import Document, one_deleted
from veraz.ingest.look import title_of
from veraz.ingest.receive import Labels
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.agents import needed
from veraz.ui.knowledge_base import problem
from veraz.ui.parts import buttons, confirm, dialog, empty, heading, icon_button, state, typed, when
from veraz.ui.visit import Visit


async def manual_entries(visit: Visit, agent: Agent, question: str = "") -> Callable[[], Awaitable[None]]:
    """A form to add an entry, begun with a question that had no answer, and the entries; how to bring them up to date."""
    t, busy = visit.t, [False]

    async def add() -> None:
        if not content.validate():
            return
        text = typed(content.value, longest=1_000_000)
        heading_of = typed(title.value, longest=255) or title_of(text)
        kb_id = await visit.veraz.agents.ensure_own_kb(visit.actor, agent.id)
        content_of = text if text.startswith("#") else f"# {heading_of}\n\n{text}"
        await visit.veraz.reception.text(visit.actor, kb_id, heading_of, content_of, Labels(origin="manual"))
        title.set_value("")
        content.set_value("")
        visit.done("Added; the agent knows it in a moment")
        await show()

    async def show() -> None:
        entries = await _entries(visit, agent.id)
        shown.clear()
        with shown:
            if not entries:
                empty(
                    "edit_note",
                    t("Nothing by hand yet"),
                    t("Opening hours, prices, answers to what people keep asking."),
                )
            for entry in entries:
                _entry(visit, entry, show)
        busy[0] = any(entry.status in ("pending", "processing") for entry in entries)

    async def tick() -> None:
        if busy[0]:
            await visit.act(show, by_clock=True)()

    with ui.column().classes("w-full gap-4"):
        with ui.card().classes("w-full"):
            heading(t("New entry"), 2)
            title = ui.input(t("Title or question"), value=typed(question)[:255]).props("maxlength=255")
            title.classes("w-full")
            content = ui.textarea(t("Answer or text"), validation=needed(visit)).without_auto_validation()
            content.props("rows=4 autofocus" if question else "rows=4").classes("w-full")
            ui.button(t("Add"), icon="add", on_click=visit.act(add)).classes("self-start")
        shown = ui.column().classes("w-full gap-3")
    await show()
    ui.timer(1.5, tick)
    return show


async def _entries(visit: Visit, agent_id: UUID) -> list[Document]:
    kb_id = await visit.veraz.agents.own_kb(visit.actor, agent_id)
    if kb_id is None:
        return []
    return (await visit.veraz.documents.all(visit.actor, kb_id, PageRequest(limit=100))).items


async def _edit(visit: Visit, entry: Document, after: object) -> None:
    """The same entry with another title or text."""
    t = visit.t
    files = visit.veraz.files.of(visit.actor.tenant_id)
    pieces = [piece async for piece in await files.open(entry.storage_key or "")]
    before = b"".join(pieces).decode(errors="replace")

    async def save() -> None:
        if not (title.validate() & content.validate()):
            return
        text, name = typed(content.value, longest=1_000_000), typed(title.value, longest=255)
        changed = {"title": name if name != entry.name else None, "content": text if text != before else None}
        if any(changed.values()):
            await visit.veraz.replacements.with_text(visit.actor, entry.kb_id, entry.id, **changed)
        box.close()
        visit.done("Saved; the agent answers from it in a moment")
        await after()  # type: ignore[operator]

    with dialog(t("Edit «{name}»", name=entry.name), wide=True) as box:
        title = ui.input(t("Title"), value=entry.name, validation=needed(visit)).props("maxlength=255")
        content = ui.textarea(t("Answer or text"), value=before, validation=needed(visit)).props("rows=10")
        for field in (title, content):
            field.without_auto_validation().classes("w-full")
        buttons(visit, box, t("Save"), visit.act(save))


def _entry(visit: Visit, entry: Document, after: object) -> None:
    t = visit.t

    async def forget() -> None:
        await one_deleted(visit.veraz.documents, visit.actor, entry.kb_id, entry.id)
        await after()  # type: ignore[operator]

    with ui.card().classes("w-full"), ui.row().classes("w-full items-center no-wrap"):
        with ui.column().classes("grow gap-0"):
            ui.link(
                entry.title or entry.name, visit.to(f"/knowledge-bases/{entry.kb_id}/documents/{entry.id}")
            ).classes("break")
            ui.label(problem(visit, entry) or when(visit, entry.created_at)).classes("quiet small break")
        state(visit, entry.status)
        icon_button(
            "edit", t("Edit «{name}»", name=entry.name), visit.act(lambda: _edit(visit, entry, after))
        )
        icon_button(
            "delete",
            t("Forget «{name}»", name=entry.name),
            lambda: confirm(
                visit,
                t("Forget «{name}»?", name=entry.name),
                t("The agent no longer answers from it."),
                t("Forget"),
                forget,
            ),
        )
