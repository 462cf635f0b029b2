"""Conversations: what was asked and answered on every channel, and answering as a person."""

from collections import deque
from typing import Any
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz import errors
from veraz.answer.conversations import Conversation, HandoffMode, StoredMessage
from veraz.answer.model import Claim
from veraz.paging import PageRequest
from veraz.ui.agents import agents_of
from veraz.ui.answer_text import answer_html
from veraz.ui.parts import called, confirm, icon_button, typed, when
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_SHOWN = 200
_REFRESH_SECONDS = 5.0
_SENT = {"sent": "sent", "delivered": "delivered", "read": "read", "failed": "not sent"}
_CHANNELS = {
    "web": "Web",
    "api": "API",
    "whatsapp": "WhatsApp",
    "n8n": "n8n",
    "openai": "API",
    "mcp": "MCP",
    "widget": "Widget",
}


async def list_page(visit: Visiting) -> None:
    """The visitor's own conversations, and those with agents they manage."""
    t, names = visit.t, {one.id: one.name for one in await agents_of(visit)}
    with shell(visit, t("Conversations"), active="/ask"):
        with ui.element("div").classes("toolbar"):
            options = {"": t("Every agent")} | {str(key): name for key, name in names.items()}
            agent = ui.select(options, value="", label=t("Agent")).style("min-width: 200px")
        columns = [
            column("name", t("Conversation"), sortable=False, classes="name"),
            column("agent", t("Agent"), sortable=False, classes="gt-xs"),
            column("channel", t("Channel"), sortable=False, classes="gt-xs"),
            column("status", t("Who answers"), sortable=False),
            column("updated_at", t("Date"), sortable=False, classes="gt-xs"),
        ]
        table: CursorTable[Conversation] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.conversations.all(
                visit.actor, page, agent_id=UUID(agent.value) if agent.value else None
            ),
            lambda one: _row(visit, one, names),
            cells=(("name", NAME_CELL), ("status", STATE_CELL)),
        )
        agent.on_value_change(visit.act(table.first))
        await table.refresh()


def _row(visit: Visit, talk: Conversation, names: dict[UUID, str]) -> Row:
    human = talk.handoff_mode == "human"
    return {
        "id": str(talk.id),
        "name": talk.title or "–",
        "href": visit.to(f"/conversations/{talk.id}"),
        "agent": names.get(talk.agent_id, "–"),
        "channel": _CHANNELS.get(talk.channel, talk.channel),
        "state": visit.t("A person") if human else visit.t("The agent"),
        "state_kind": "warn" if human else "good",
        "state_icon": "support_agent" if human else "smart_toy",
        "updated_at": when(visit, talk.updated_at),
    }


async def page(visit: Visiting, conversation_id: UUID) -> None:
    """One conversation, and who answers in it."""
    talk = await visit.veraz.conversations.get(visit.actor, conversation_id)
    t = visit.t
    with shell(
        visit,
        talk.title or t("Conversation"),
        active="/ask",
        back=(t("Conversations"), "/conversations"),
    ):
        await _Talk(visit, talk).draw()


class _Talk:
    """Who answers and what was said, kept up to date; on WhatsApp also how far it came."""

    def __init__(self, visit: Visit, talk: Conversation) -> None:
        self.visit, self.talk = visit, talk
        self.newest: UUID | None = None
        self.dates: dict[UUID, tuple[ui.label, str]] = {}

    async def draw(self) -> None:
        """Who answers, the log, and a bar to answer in for who may."""
        with ui.element("div").classes("toolbar"):
            self._switch()
            ui.space()
            _ways_out(self.visit, self.talk)
        words = self.visit.t("Conversation")
        self.shown = called(ui.column().classes("w-full gap-3").props("role=log"), words)
        await self.more()
        if self.visit.manages:
            _composer(self.visit, self.talk, self.more)
        ui.timer(_REFRESH_SECONDS, self.visit.act(self._renew))

    def _switch(self) -> None:
        words = self.visit.t("A person answers here")
        self.by_person = ui.switch(words, value=self.talk.handoff_mode == "human")
        # what somebody does here, not what happened elsewhere and is shown here
        self.by_person.on("update:model-value", self.visit.act(self._hand_over), [None])

    async def _hand_over(self, event: GenericEventArguments) -> None:
        mode: HandoffMode = "human" if event.args else "ai"
        self._show_mode(await self.visit.veraz.conversations.hand_over(self.visit.actor, self.talk.id, mode))
        self.visit.done("Saved")

    async def _renew(self) -> None:
        shown = self.talk
        now = await self.visit.veraz.conversations.get(self.visit.actor, shown.id)
        if self.talk is shown:  # nobody used the switch meanwhile
            self._show_mode(now)
        await self.more()

    def _show_mode(self, talk: Conversation) -> None:
        self.talk = talk
        self.by_person.set_value(talk.handoff_mode == "human")

    async def more(self) -> None:
        """What was said since."""
        found = await said(self.visit, self.talk.id, after=self.newest)
        # the clock and a person may ask at the same time
        new = [one for one in found if self.newest is None or one.id > self.newest]
        with self.shown:
            if len(new) == _SHOWN:
                ui.label(self.visit.t("Only the newest messages are shown.")).classes("quiet small")
            for message in new:
                self.dates[message.id] = bubble(self.visit, message), when(self.visit, message.created_at)
                self.newest = message.id
        if self.talk.channel == "whatsapp" and self.visit.manages:
            await self._deliveries()

    async def _deliveries(self) -> None:
        page = PageRequest(limit=500)
        found = await self.visit.veraz.whatsapp_outbox.deliveries(self.visit.actor, self.talk.id, page)
        for one in found.items:
            if one.direction == "out" and one.message_id in self.dates:
                label, date = self.dates[one.message_id]
                words = self.visit.t(_SENT.get(one.state, "on its way"))
                why = errors.said(one.error_message, self.visit.language)
                label.set_text(" · ".join(filter(None, (date, words, why))))


async def said(visit: Visit, conversation_id: UUID, *, after: UUID | None = None) -> list[StoredMessage]:
    """What was said, oldest first; of a very long talk its end."""
    newest: deque[StoredMessage] = deque(maxlen=_SHOWN)
    cursor = str(after) if after else None
    while True:
        page = PageRequest(limit=500, cursor=cursor)
        found = await visit.veraz.conversations.messages(visit.actor, conversation_id, page)
        newest.extend(found.items)
        if (cursor := found.next_cursor) is None:
            return list(newest)


def bubble(visit: Visit, message: StoredMessage) -> ui.label:
    """One message as it was said; the label of its date."""
    mine = message.role == "user"
    with ui.column().classes("bubble me" if mine else "bubble agent"):
        if message.role == "human":
            with ui.element("span").classes("state warn"):
                ui.icon("support_agent").props("aria-hidden=true")
                ui.label(visit.t("A person of the team"))
        if message.role == "assistant" and not message.refused:
            claims = [
                Claim(
                    text=c["text"],
                    verdict=c.get("verdict", "quoted"),
                    chunk_ids=tuple(UUID(i) for i in c["chunk_ids"]),
                )
                for c in message.claims
            ]
            numbers = {UUID(one["chunk_id"]): place for place, one in enumerate(message.evidence, start=1)}
            # cleaned while it was made
            ui.html(answer_html(message.text, claims, numbers, anchor="past"), sanitize=lambda ready: ready)
            cited = {str(chunk) for claim in claims for chunk in claim.chunk_ids}
            names = dict.fromkeys(
                str(one["document_name"]) for one in message.evidence if one["chunk_id"] in cited
            )
            ui.label(" · ".join(names)).classes("quiet small break")
        else:
            ui.label(message.text or visit.t("Without answer")).classes("passage")
        return ui.label(when(visit, message.created_at)).classes("quiet small")


def _ways_out(visit: Visit, talk: Conversation) -> None:
    t = visit.t

    async def forget() -> None:
        await visit.veraz.conversations.delete(visit.actor, talk.id)
        ui.navigate.to(visit.to("/conversations"))

    if talk.channel != "whatsapp":
        target = visit.to(f"/chat/{talk.agent_id}?conversation={talk.id}")
        ui.button(t("Go on with the agent"), icon="forum").props(f"outline tag=a href={target}")
    icon_button(
        "delete",
        t("Forget this conversation"),
        lambda: confirm(
            visit,
            t("Forget this conversation?"),
            t("Questions and answers are deleted."),
            t("Forget"),
            forget,
        ),
    )


def _composer(visit: Visit, talk: Conversation, after: Any) -> None:
    async def send() -> None:
        text = typed(answer.value, field=visit.t("Answer as a person"), longest=10_000)
        await visit.veraz.conversations.say(visit.actor, talk.id, text)
        answer.set_value("")
        await after()

    with ui.element("div").classes("ask-bar"), ui.row().classes("w-full no-wrap items-end"):
        answer = (
            ui.textarea(visit.t("Answer as a person")).props("autogrow dense maxlength=10000").classes("grow")
        )
        ui.button(visit.t("Send"), icon="send", on_click=visit.act(send))
