"""One message of a conversation, new or from long ago, drawn from what is stored of it."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal
from urllib.parse import quote
from uuid import UUID

from nicegui import ui

from veraz.answer.conversations import StoredMessage
from veraz.answer.model import QUOTES
from veraz.paging import PageRequest
from veraz.text.citations import CITATION
from veraz.ui.answer_text import answer_html, with_sources
from veraz.ui.ask_evidence import draw_inspector, draw_nearest, tell_managers
from veraz.ui.ask_proofs import Proven, proven
from veraz.ui.parts import icon_button, number, when
from veraz.ui.source import Proof, SourcePanel
from veraz.ui.visit import Visit

_FORGOTTEN: Final = {
    "document": "Forgotten on {when}: the document it came from was deleted.",
    "chunk": "Forgotten on {when}: the passage it came from was deleted.",
    "machine": "Forgotten on {when}: the licence was deleted.",
    "end_user": "Forgotten on {when}: the person was deleted.",
    "person": "Forgotten on {when}: the person was deleted.",
}
LONGEST_TALK: Final = 200
"""How many messages of a talk are shown, its newest."""
_SINCE: Final = {
    "changed": "This document has changed since then",
    "corrected": "A person has corrected this document since then",
    "forgotten": "This document has been deleted since then",
}


@dataclass(slots=True, kw_only=True)
class Reader:
    """Who reads a conversation, and what they can do from a message of it."""

    visit: Visit
    agent_id: UUID
    panel: SourcePanel
    reword: Callable[[str], Any]
    """Puts a question back into the bar."""


@dataclass(slots=True, kw_only=True)
class DrawnMessage:
    """A message on the page."""

    message: StoredMessage
    proofs: tuple[Proof, ...]
    box: ui.element
    date: ui.label
    since: ui.column = field(repr=False)

    def tell_changes(self, visit: Visit, states: Mapping[str, str]) -> None:
        """Says which of its sources are no longer as they were quoted."""
        told = {(one.document_name, states.get(one.url, "")) for one in self.proofs}
        with self.since:
            for name, state in sorted(told):
                if state in _SINCE:
                    with ui.element("span").classes("state warn since"):
                        ui.icon("history").props("aria-hidden=true")
                        ui.label(f"{visit.t(_SINCE[state])}: {name}")


async def said(visit: Visit, conversation_id: UUID, *, after: UUID | None = None) -> list[StoredMessage]:
    """What was said, oldest first; of a very long talk its end."""
    newest: deque[StoredMessage] = deque(maxlen=LONGEST_TALK)
    cursor = str(after) if after else None
    while True:
        page = PageRequest(limit=500, cursor=cursor)
        found = await visit.veraz.conversations.messages(visit.actor, conversation_id, page)
        newest.extend(found.items)
        if (cursor := found.next_cursor) is None:
            return list(newest)


def draw_message(reader: Reader, message: StoredMessage, question: str) -> DrawnMessage:
    """A message; of an answer also what it answers."""
    found = proven(message.claims, message.evidence)
    with ui.column().classes("bubble me" if message.role == "user" else "bubble agent") as box:
        box.props["data-message"] = str(message.id)
        if message.forgotten_at is not None:
            _forgotten(reader.visit, message.forgotten_why, message.forgotten_at)
        elif message.role == "assistant":
            _answer(reader, message, question, found)
        else:
            _said(reader.visit, message)
        since = ui.column().classes("gap-1")
        date = ui.label(when(reader.visit, message.created_at)).classes("quiet small")
    return DrawnMessage(message=message, proofs=found.proofs, box=box, date=date, since=since)


def _forgotten(visit: Visit, why: str | None, at: datetime) -> None:
    """What happened to its words, and when."""
    with ui.element("span").classes("state quiet").style("white-space: normal"):
        ui.icon("delete").props("aria-hidden=true")
        ui.label(visit.t(_FORGOTTEN.get(why or "", _FORGOTTEN["document"]), when=when(visit, at)))


def _said(visit: Visit, message: StoredMessage) -> None:
    if message.role == "human":
        with ui.element("span").classes("state warn"):
            ui.icon("support_agent").props("aria-hidden=true")
            ui.label(visit.t("A person of the team"))
    ui.label(message.text).classes("passage")


def _answer(reader: Reader, message: StoredMessage, question: str, found: Proven) -> None:
    if message.error:
        ui.label(CITATION.sub("", message.text)).classes("passage")  # what was proven before it ended
    elif message.refused:
        _refusal(reader, message, question)
    elif not message.claims:
        ui.label(message.text).classes("passage")
    else:
        # cleaned while it was made
        ui.html(
            answer_html(message.text, found.claims, found.verbatim), sanitize=lambda ready: ready
        ).classes("nicegui-markdown")
        _footer(reader, message, found)
    if message.evidence and not message.error:
        draw_inspector(reader.visit, reader.panel, message, found)
    if reader.visit.manages:
        tell_managers(reader.visit, message)


def _refusal(reader: Reader, message: StoredMessage, question: str) -> None:
    visit, t = reader.visit, reader.visit.t
    with ui.row().classes("items-start no-wrap"):
        ui.icon("verified_user", color="primary", size="1.5rem").props("aria-hidden=true")
        with ui.column().classes("gap-1"):
            ui.label(message.text).classes("passage")
            ui.label(t("The documents do not say it, so nothing is made up.")).classes("quiet small")
    draw_nearest(visit, reader.panel, message)
    with ui.row():
        again = ui.button(t("Ask in other words"), icon="edit", on_click=lambda: reader.reword(question))
        again.props("flat dense")
        if visit.manages:
            target = visit.to(f"/agents/{reader.agent_id}?tab=manual&question={quote(question, safe='')}")
            ui.button(t("Add the answer"), icon="edit_note").props(f'flat dense tag=a href="{target}"')


def _footer(reader: Reader, message: StoredMessage, found: Proven) -> None:
    visit, t = reader.visit, reader.visit.t
    with ui.row().classes("w-full items-center"):
        with ui.element("span").classes("state good seal"):
            ui.icon("verified").props("aria-hidden=true")
            ui.label(_seal(visit, message))
        ui.space()
        ui.label(_made(visit, message)).classes("quiet small gt-xs")
        text = with_sources(message.text, found.claims, [_named(visit, one) for one in found.proofs])
        with ui.row().classes("no-wrap gap-2"):
            icon_button("content_copy", t("Copy with sources"), lambda: ui.clipboard.write(text))
            _thumbs(visit, message)


def _seal(visit: Visit, message: StoredMessage) -> str:
    """What was done, no more."""
    count = len(message.claims)
    if all(claim["verdict"] == "quoted" for claim in message.claims):
        return visit.t("Quotations from your documents")
    if count == 1:
        return visit.t("1 claim, with its quotation")
    return visit.t("{n} claims, each with its quotation", n=count)


def _made(visit: Visit, message: StoredMessage) -> str:
    model = visit.t("quoted, without a model") if message.model == QUOTES else message.model or ""
    seconds = (message.latency_ms or 0) / 1000
    return f"{number(visit, seconds, 1)} s · {model}"


def _named(visit: Visit, proof: Proof) -> str:
    page = visit.t("page {n}", n=proof.page_number) if proof.page_number else ""
    return " · ".join(filter(None, (proof.document_name, page, proof.url)))


def _thumbs(visit: Visit, message: StoredMessage) -> None:
    async def rate(rating: Literal[-1, 1]) -> None:
        await visit.veraz.conversations.rate(visit.actor, message.id, rating)
        show(rating)
        visit.done("Thank you")

    def show(rating: int | None) -> None:
        for value, button in ((1, good), (-1, bad)):
            button.props(f"aria-pressed={'true' if rating == value else 'false'}")
            button.classes(add="rated" if rating == value else "", remove="" if rating == value else "rated")

    good = icon_button("thumb_up", visit.t("Good answer"), visit.act(lambda: rate(1)))
    bad = icon_button("thumb_down", visit.t("Bad answer"), visit.act(lambda: rate(-1)))
    show(message.rating)
