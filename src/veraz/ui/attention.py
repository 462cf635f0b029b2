"""Atención: one list of what waits for a person, each row with the act that mends it."""

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.learn.attention import KINDS, AttentionItem, AttentionKind, FailedDocument
from veraz.ui.document import replace_file
from veraz.ui.parts import called, confirm, dialog, empty, number, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_REFRESH_SECONDS: Final = 10.0
_LOOKS: Final[dict[AttentionKind, tuple[str, str]]] = {
    "waiting": ("support_agent", "People waiting"),
    "credits": ("toll", "Credits"),
    "documents": ("error", "Failed documents"),
    "whatsapp": ("sms_failed", "Undelivered messages"),
    "exam": ("quiz", "Exam"),
    "gap": ("help", "Questions without an answer"),
}
_URGENT: Final = ("waiting", "credits", "documents")
_OF_THE_PLAN: Final = (errors.CreditsExhausted.code, errors.QuotaExceeded.code)
_LASTING: Final = tuple(kind.code for kind in errors.kinds(errors.Unreadable))
"""Causes that stay until the file is another one."""

Changed = Callable[[], Awaitable[None]]


async def page(visit: Visiting, kind: str = "") -> None:
    """Everything that waits, by kind."""
    if not visit.manages:
        raise errors.Forbidden(action="see what needs attention in this project")
    items = await visit.veraz.attention.all(visit.actor, visit.project_id)
    with shell(
        visit,
        visit.t("Attention"),
        active="/attention",
        subtitle=visit.t("What needs a person, the most urgent first."),
    ):
        view = _View(visit, items, next((one for one in KINDS if one == kind), None))
        view.show()
        ui.timer(_REFRESH_SECONDS, visit.act(view.refresh, by_clock=True))


class _View:
    """The list of one visitor; drawn again only when something in it changed."""

    def __init__(self, visit: Visit, items: list[AttentionItem], kind: AttentionKind | None) -> None:
        self.visit, self.items, self.kind = visit, items, kind
        self.chips = called(ui.element("div").classes("chips").props("role=group"), visit.t("Attention"))
        self.list = ui.column().classes("w-full gap-2")

    def show(self) -> None:
        """Chips and rows of what is known."""
        counts = Counter(item.kind for item in self.items)
        if self.kind and not counts[self.kind]:
            self.kind = None
        self.chips.clear()
        self.list.clear()
        with self.chips:
            if self.items:
                self._chip(None, len(self.items))
            for kind in KINDS:
                if counts[kind]:
                    self._chip(kind, counts[kind])
        with self.list:
            if not self.items:
                _all_in_order(self.visit)
                return
            with ui.column().classes("w-full gap-2").props("role=list"):
                for item in self.items:
                    if self.kind in (None, item.kind):
                        attention_row(self.visit, item, self.refresh)

    async def refresh(self) -> None:
        """Asks again."""
        items = await self.visit.veraz.attention.all(self.visit.actor, self.visit.project_id)
        if items != self.items:
            self.items = items
            self.show()

    def _chip(self, kind: AttentionKind | None, count: int) -> None:
        def choose() -> None:
            self.kind = kind
            self.show()

        button = ui.button(on_click=self.visit.act(choose)).props("flat no-wrap").classes("chip")
        with button.props(f"aria-pressed={'true' if kind == self.kind else 'false'}"):
            ui.label(self.visit.t(_LOOKS[kind][1] if kind else "All"))
            ui.label(number(self.visit, count)).classes("count")


def attention_row(visit: Visit, item: AttentionItem, changed: Changed) -> None:
    """One row: what, how many, since when, and what can be done."""
    icon, words = _LOOKS[item.kind]
    urgent = "urgent" if item.kind in _URGENT else ""
    with ui.element("div").classes(f"attention {urgent}").props("role=listitem"):
        called(ui.icon(icon).props("role=img"), visit.t(words))
        with ui.column().classes("what gap-0"):
            ui.label(_title(visit, item)).classes("text-bold break")
            if detail := _detail(visit, item):
                ui.label(detail).classes("small break" if item.kind == "documents" else "small break clamp")
            about = item.name if item.kind == "documents" else ""
            moment = ui.label(" · ".join(filter(None, (about, ago(visit, item.since))))).classes(
                "quiet small"
            )
            with moment:
                ui.tooltip(when(visit, item.since))
        with ui.element("div").classes("acts"):
            _acts(visit, item, changed)


def ago(visit: Visit, moment: datetime) -> str:
    """How long ago something began."""
    minutes = int((datetime.now(UTC) - moment).total_seconds() // 60)
    if minutes < 1:
        return visit.t("a moment ago")
    if minutes < 60:
        return visit.t("{n} min ago", n=minutes)
    if minutes < 24 * 60:
        return visit.t("{n} h ago", n=minutes // 60)
    days = minutes // (24 * 60)
    return visit.t("a day ago") if days == 1 else visit.t("{n} days ago", n=days)


def _all_in_order(visit: Visit) -> None:
    empty(
        "task_alt",
        visit.t("All in order"),
        visit.t(
            "Failed documents, people who wait and questions without an answer appear here by themselves."
        ),
    )


def _title(visit: Visit, item: AttentionItem) -> str:
    t, one, fields = visit.t, item.count == 1, {"name": item.name, "n": number(visit, item.count)}
    match item.kind:
        case "waiting":
            named = "{name} is waiting for a person"
            return t(named, name=item.name) if item.name else t("Somebody is waiting for a person")
        case "credits":
            return t("{n} credits left", n=fields["n"]) if item.count else t("Credits have run out")
        case "documents":
            single = t("«{name}» could not be read", name=item.examples[0])
            return single if one else t("{n} documents could not be read", n=fields["n"])
        case "whatsapp" if not item.count:
            return t("The number «{name}» has a problem", name=item.name)
        case "whatsapp":
            single = t("A message of «{name}» did not arrive", name=item.name)
            return single if one else t("{n} messages of «{name}» did not arrive", **fields)
        case "exam":
            single = t("{name} fails a question of its exam", name=item.name)
            return single if one else t("{name} fails {n} questions of its exam", **fields)
        case "gap":
            single = t("{name} could not answer", name=item.name)
            return single if one else t("{name} could not answer {n} times", **fields)


def _detail(visit: Visit, item: AttentionItem) -> str:
    t = visit.t
    if item.kind == "documents":
        told = errors.retold(item.code, item.detail, visit.language)
        return told or t("Several reasons; open them to see each one.")
    if item.kind == "credits":
        parts = []
        if item.share_left is not None:
            parts.append(t("{share} % of the plan", share=number(visit, 100 * item.share_left)))
        if item.days_left is not None:
            days = number(visit, item.days_left, 1 if item.days_left < 3 else 0)
            parts.append(t("enough for {n} days at the present rate", n=days))
        return " · ".join(parts)
    if item.kind == "exam":
        return " · ".join(f"«{question}»" for question in item.examples)
    if item.kind == "waiting":
        return " · ".join(filter(None, (item.detail and f"«{item.detail}»", item.examples[0])))
    return f"«{item.detail}»" if item.kind == "gap" else item.detail or ""


def _acts(visit: Visit, item: AttentionItem, changed: Changed) -> None:
    t = visit.t
    match item.kind:
        case "waiting":
            _link(visit, t("Open the conversation"), f"/ask/{item.conversation_id}", main=True)
        case "credits" if visit.actor.is_tenant_admin:
            _link(visit, t("See plan and credits"), "/admin/plan", main=True)
        case "credits":
            ui.label(t("An administrator can add credits.")).classes("small quiet")
        case "documents":
            _document_acts(visit, item, changed)
        case "whatsapp":
            _link(visit, t("See WhatsApp"), "/admin/whatsapp")
        case "exam":
            _link(visit, t("See the exam"), f"/agents/{item.agent_id}?tab=exam")
        case "gap":
            query = urlencode({"tab": "manual", "question": item.detail or ""})
            _link(visit, t("Add the answer"), f"/agents/{item.agent_id}?{query}")


def _document_acts(visit: Visit, item: AttentionItem, changed: Changed) -> None:
    t, one = visit.t, item.count == 1

    async def look() -> None:
        await _show_documents(visit, item, changed)

    async def retry() -> None:
        assert item.kb_id is not None and item.code is not None
        button.props("loading")
        found = await visit.veraz.attention.documents(visit.actor, item.kb_id, item.code)
        ids = [document.id for document in found]
        count = await visit.veraz.jobs.retry_documents(visit.actor, item.kb_id, ids)
        visit.done("Documents that start again: {n}", n=count)
        await changed()

    async def another() -> None:
        assert item.kb_id is not None and item.code is not None
        for failed in await visit.veraz.attention.documents(visit.actor, item.kb_id, item.code):
            document = await visit.veraz.documents.get(visit.actor, item.kb_id, failed.id)
            replace_file(visit, document, changed)

    if item.code in _OF_THE_PLAN and visit.actor.is_tenant_admin:
        _link(visit, t("See plan and credits"), "/admin/plan")
    see = t("See the document") if one else t("See the {n}", n=number(visit, item.count))
    if item.code in _LASTING:
        if one:
            replace = ui.button(t("Replace the file"), icon="upload_file", on_click=visit.act(another))
            replace.props("outline")
        ui.button(see, on_click=visit.act(look)).props("flat" if one else "outline")
        return
    ui.button(see, on_click=visit.act(look)).props("flat")
    again = t("Retry") if one else t("Retry the {n}", n=number(visit, item.count))
    button = ui.button(again, icon="restart_alt", on_click=visit.act(retry)).props("outline")


async def _show_documents(visit: Visit, item: AttentionItem, changed: Changed) -> None:
    """The documents behind a row, each with its own cause."""
    assert item.kb_id is not None and item.code is not None
    found = await visit.veraz.attention.documents(visit.actor, item.kb_id, item.code)
    if len(found) == 1:
        ui.navigate.to(visit.to(f"/knowledge-bases/{item.kb_id}/documents/{found[0].id}"))
        return

    def delete() -> None:
        box.close()
        _ask_delete(visit, item.kb_id, [document.id for document in found], changed)

    with dialog(_title(visit, item), wide=True) as box:
        for document in found:
            address = visit.to(f"/knowledge-bases/{document.kb_id}/documents/{document.id}")
            with ui.column().classes("w-full gap-0"):
                ui.link(document.name, address).classes("break")
                told = errors.retold(document.error_code, document.error_message, visit.language) or ""
                ui.label(f"{told} · {when(visit, document.failed_at)}").classes("quiet small break")
                if item.code in _LASTING:
                    _replace_button(visit, document, box, changed)
        with ui.row().classes("w-full justify-end"):
            ui.button(visit.t("Close"), on_click=box.close).props("flat")
            ui.button(visit.t("Delete them"), on_click=delete).props("flat color=negative")


def _replace_button(visit: Visit, failed: FailedDocument, box: ui.dialog, changed: Changed) -> None:
    async def replace() -> None:
        box.close()
        replace_file(visit, await visit.veraz.documents.get(visit.actor, failed.kb_id, failed.id), changed)

    words = visit.t("Replace the file")
    called(
        ui.button(words, icon="upload_file", on_click=visit.act(replace)).props("flat dense"),
        f"{words}: {failed.name}",
    ).classes("self-start")


def _ask_delete(visit: Visit, kb_id: UUID | None, ids: list[UUID], changed: Changed) -> None:
    t = visit.t

    async def delete() -> None:
        assert kb_id is not None
        gone = await visit.veraz.documents.delete(visit.actor, kb_id, ids)
        visit.done("Documents deleted: {n}", n=len(gone))
        await changed()

    confirm(
        visit,
        t("Delete the chosen documents ({n})?", n=len(ids)),
        t("Their chunks and files go too. Agents stop answering from them at once."),
        t("Delete"),
        delete,
    )


def _link(visit: Visit, words: str, path: str, *, main: bool = False) -> None:
    button = ui.button(words).props("tag=a" if main else "tag=a outline")
    button.props["href"] = visit.to(path)
