"""The conversations to choose from: one's own and, for who manages agents, everybody's; those that wait for a person stand out."""

from typing import Any, Final
from uuid import UUID

from nicegui import app, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from veraz.answer.conversations import Conversation
from veraz.paging import PageRequest
from veraz.ui.parts import buttons, confirm, dialog, typed
from veraz.ui.visit import Visit

_SHOWN: Final = 40
_CHANNELS: Final = {
    "web": ("forum", "Web"),
    "widget": ("language", "Website"),
    "api": ("code", "API"),
    "openai": ("code", "API"),
    "mcp": ("code", "MCP"),
    "n8n": ("account_tree", "n8n"),
    "whatsapp": ("chat", "WhatsApp"),
}
_OUTSIDE: Final = _CHANNELS.keys() - {"web"} | {"kairo"}
"""Where people come from outside; on our own pages everybody is a user."""
_FILTERS: Final = {"all": "All conversations", "mine": "Mine", "waiting": "Waiting"}


class TalkItems(Element, component="conversation_list.js"):
    """The list itself, as one element: however long, it is built at once."""


class ConversationList:
    """Search, filter, and the list; what was typed and chosen stays while one goes from one conversation to another."""

    def __init__(self, visit: Visit, names: dict[UUID, str], current: UUID | None) -> None:
        self.visit, self.names, self.current = visit, names, current
        self.kept: dict[str, Any] = app.storage.client.setdefault("conversations", {"filter": "all"})
        self.shown = _SHOWN
        self.talks: list[Conversation] = []

    async def draw(self) -> None:
        """Everything, in the current slot."""
        visit, t = self.visit, self.visit.t
        ui.button(t("New conversation"), icon="add_comment").props(
            f"outline no-wrap tag=a href={visit.to('/ask')}"
        ).classes("w-full")
        search = ui.input(t("Search conversations"), value=self.kept.get("words", "")).classes("w-full")
        search.props("debounce=300 clearable type=search")
        search.on_value_change(visit.act(lambda event: self._search(typed(event.value, longest=200))))
        if visit.manages:
            self._filters()
        self.items = TalkItems().classes("w-full")
        self.items.props["words"] = {
            "list": t("Conversations"),
            "unread": t("Unread"),
            "menu": t("Options of"),
            "rename": t("Rename"),
            "forget": t("Delete"),
            "person": t("Forget this person"),
        }
        self.items.on("rename", lambda event: self._rename(self._talk(event)))
        self.items.on("forget", lambda event: self._forget(self._talk(event)))
        self.items.on("person", lambda event: self._forget_person(self._talk(event)))
        self.none = ui.label(t("No conversation yet")).classes("quiet small q-pa-sm").props("role=status")
        self.more = ui.button(t("Show more"), on_click=visit.act(self._show_more)).props("flat dense")
        await self.refresh()

    async def refresh(self, current: UUID | None = None) -> None:
        """The list as it is now; nothing is sent where nothing changed."""
        visit = self.visit
        self.current = current or self.current
        found = await visit.veraz.conversations.all(
            visit.actor,
            PageRequest(limit=self.shown),
            words=self.kept.get("words", ""),
            waiting=self.kept["filter"] == "waiting",
            mine=self.kept["filter"] == "mine",
        )
        self.talks = found.items
        items = [self._item(talk) for talk in found.items]
        if items != self.items.props.get("items"):
            self.items.props["items"] = items
        narrowed = self.kept.get("words") or self.kept["filter"] != "all"
        self.none.set_text(visit.t("No conversation found" if narrowed else "No conversation yet"))
        self.none.set_visibility(not items)
        self.more.set_visibility(found.next_cursor is not None)

    def _filters(self) -> None:
        with ui.row().classes("gap-1"):
            chips = {
                key: ui.button(self.visit.t(words), on_click=self.visit.act(lambda one=key: choose(one)))
                for key, words in _FILTERS.items()
            }

        async def choose(key: str) -> None:
            self.kept["filter"] = key
            show()
            await self.refresh()

        def show() -> None:
            for key, chip in chips.items():
                chosen = key == self.kept["filter"]
                chip.props(f"aria-pressed={'true' if chosen else 'false'}")
                chip.props("flat dense size=sm rounded").classes("filter")

        show()

    async def _search(self, words: str) -> None:
        self.kept["words"] = words
        await self.refresh()

    async def _show_more(self) -> None:
        self.shown = min(self.shown + _SHOWN, 500)
        await self.refresh()

    def _item(self, talk: Conversation) -> dict[str, Any]:
        waits = talk.handoff_mode == "human"
        icon, channel = _CHANNELS.get(talk.channel, ("forum", talk.channel))
        return {
            "id": str(talk.id),
            "href": self.visit.to(f"/ask/{talk.id}"),
            "title": talk.title or self.visit.t("Untitled"),
            "more": " · ".join(filter(None, self._about(talk))),
            "icon": "support_agent" if waits else icon,
            "icon_words": self.visit.t("A person answers here") if waits else channel,
            "waits": waits,
            "unread": talk.unread and talk.id != self.current,
            "here": talk.id == self.current,
            "outside": from_outside(self.visit, talk),
        }

    def _about(self, talk: Conversation) -> tuple[str, ...]:
        """Who asked, where it was somebody else, and whom, and when."""
        asker = talk.asked_by if talk.user_id != self.visit.actor.user_id else ""
        return asker, self.names.get(talk.agent_id, ""), _day(self.visit, talk)

    def _talk(self, event: GenericEventArguments) -> Conversation:
        return next(one for one in self.talks if str(one.id) == event.args)

    def _rename(self, talk: Conversation) -> None:
        rename(self.visit, talk, self.refresh)

    def _forget(self, talk: Conversation) -> None:
        forget(self.visit, talk, None if talk.id == self.current else self.refresh)

    def _forget_person(self, talk: Conversation) -> None:
        forget_person(self.visit, talk, None if talk.id == self.current else self.refresh)


def rename(visit: Visit, talk: Conversation, after: Any) -> None:
    """Asks for another name."""
    t = visit.t

    async def save() -> None:
        words = typed(name.value, field=t("Name"), longest=120)
        await visit.veraz.conversations.rename(visit.actor, talk.id, words)
        box.close()
        await after()

    with dialog(t("Rename the conversation")) as box:
        name = ui.input(t("Name"), value=talk.title).props("autofocus maxlength=120").classes("w-full")
        name.on("keydown.enter", visit.act(save))
        buttons(visit, box, t("Save"), visit.act(save))


def forget(visit: Visit, talk: Conversation, after: Any | None) -> None:
    """Asks, and deletes it; whoever is in it goes to a new one."""
    t = visit.t

    async def gone() -> None:
        await visit.veraz.conversations.delete(visit.actor, talk.id)
        if after is None:
            ui.navigate.to(visit.to("/ask"))
        else:
            await after()

    confirm(visit, t("Delete this conversation?"), t("Questions and answers are deleted."), t("Delete"), gone)


def from_outside(visit: Visit, talk: Conversation) -> bool:
    """Whether the visitor may forget who speaks there: administrators, and only people from outside."""
    return visit.actor.is_tenant_admin and talk.channel in _OUTSIDE


def forget_person(visit: Visit, talk: Conversation, after: Any | None) -> None:
    """Asks, and forgets whoever spoke there, with all their conversations; a job does it."""
    t = visit.t

    async def gone() -> None:
        await visit.veraz.forgettings.forget_end_user(visit.actor, str(talk.id))
        visit.done("Being forgotten; the receipt stands in «Security».")
        if after is None:
            ui.navigate.to(visit.to("/ask"))
        else:
            await after()

    text = t("All their conversations, questions and personal knowledge go for ever. It cannot be undone.")
    confirm(visit, t("Forget this person?"), text, t("Forget"), gone)


def _day(visit: Visit, talk: Conversation) -> str:
    local = talk.updated_at.astimezone(visit.zone)
    today = local.date() == local.now(visit.zone).date()
    return local.strftime("%H:%M") if today else local.strftime("%d/%m/%Y")
