"""Asking: the conversations at the left, the dialogue in the middle, the source of what is said at the right."""

from typing import Final
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz import errors
from veraz.answer.conversations import Conversation, HandoffMode
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.agents import agents_of
from veraz.ui.ask_dialogue import Dialogue
from veraz.ui.ask_list import ConversationList, forget, rename
from veraz.ui.ask_start import draw_start
from veraz.ui.parts import called, dialog, empty, icon_button
from veraz.ui.routing import readdress
from veraz.ui.shell import begin, shell
from veraz.ui.source import SourcePanel
from veraz.ui.visit import Visit, Visiting

_REFRESH_SECONDS: Final = 3.0
_LIST_EVERY: Final = 3


async def page(visit: Visiting, agent: UUID | None = None) -> None:
    """A new conversation, with an agent that can be chosen."""
    agents = await agents_of(visit)
    named = [one for one in agents if one.id == agent]
    if agent and not named:
        named = [await visit.veraz.agents.get(visit.actor, agent)]
    if found := named or await _usual_first(visit, agents):
        await _AskPage(visit, agents, found[0], None).draw()
    else:
        _nobody_to_ask(visit)


async def _usual_first(visit: Visit, agents: list[Agent]) -> list[Agent]:
    """The agents, the one the visitor asked last before the others."""
    last = (await visit.veraz.conversations.all(visit.actor, PageRequest(limit=1), mine=True)).items
    return sorted(agents, key=lambda one: not last or one.id != last[0].agent_id)


async def conversation_page(visit: Visiting, conversation_id: UUID) -> None:
    """A conversation as it was, and on."""
    talk = await visit.veraz.conversations.get(visit.actor, conversation_id)
    agents = await agents_of(visit)
    agent = next((one for one in agents if one.id == talk.agent_id), None)
    agent = agent or await visit.veraz.agents.get(visit.actor, talk.agent_id)
    await _AskPage(visit, agents, agent, talk).draw()


async def old_chat(visit: Visiting, agent_id: UUID, conversation: UUID | None = None) -> None:
    """The address before: it leads to the same conversation."""
    if conversation:
        await old_conversation(visit, conversation)
        return
    readdress(f"/ask?agent={agent_id}")
    await page(visit, agent_id)


async def old_list(visit: Visiting) -> None:
    """The address of the list before."""
    readdress("/ask")
    await page(visit)


async def old_conversation(visit: Visiting, conversation_id: UUID) -> None:
    """The address of a conversation before."""
    readdress(f"/ask/{conversation_id}")
    await conversation_page(visit, conversation_id)


def _nobody_to_ask(visit: Visit) -> None:
    t = visit.t
    words = ("No agent yet", "An agent answers questions from your documents.")
    if visit.project is None:
        words = (
            "You are in no project yet",
            "Ask your administrator to add you to one; its agents then answer you.",
        )
    with shell(visit, t("Ask"), active="/ask"), empty("forum", t(words[0]), t(words[1])):
        if visit.manages:
            ui.button(t("Agents"), icon="smart_toy").props(f"tag=a href={visit.to('/agents')}")


class _AskPage:
    """The three columns, and what keeps them up to date."""

    def __init__(self, visit: Visit, agents: list[Agent], agent: Agent, talk: Conversation | None) -> None:
        self.visit, self.agents, self.agent, self.talk = visit, agents, agent, talk
        self.names = {one.id: one.name for one in agents}
        self.listed = ConversationList(visit, self.names, talk.id if talk else None)
        self.panel = SourcePanel(visit)
        self.dialogue = Dialogue(visit, agent, talk, self.panel, self._changed)
        self.rounds = 0

    async def draw(self) -> None:
        """Everything, and a clock that looks for news."""
        visit = self.visit
        begin(visit, self._title(), "/ask")
        with ui.element("div").classes("ask").on("keydown.esc", self._close_source):
            with called(ui.element("nav").classes("ask-list"), visit.t("Conversations")):
                await self.listed.draw()
            with ui.element("section").classes("ask-talk"):
                self._head()
                await self.dialogue.draw(self._start)
            with ui.element("div").classes("ask-source"):
                self.panel.draw()
        ui.timer(_REFRESH_SECONDS, visit.act(self._renew, by_clock=True))

    def _close_source(self) -> None:
        if self.panel.box.visible:
            self.panel.close()

    def _title(self) -> str:
        return (self.talk.title if self.talk else "") or self.visit.t("Ask")

    def _head(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("ask-head"):
            icon_button("menu_open", t("Conversations"), visit.act(self._open_list)).classes("ask-narrow")
            with ui.element("div").classes("ask-title"):
                with ui.element("h1"):
                    self.title = ui.label(self._title()).style("display: inline")
                self.with_whom = ui.label(self.agent.name).classes("quiet small ellipsis")
                self.with_whom.set_visibility(self.talk is not None)
            new = ui.button(icon="add_comment").props(f"flat round dense tag=a href={visit.to('/ask')}")
            called(new, t("New conversation")).classes("ask-narrow quiet")
            self._hand_over()
            self.ways = ui.row().classes("no-wrap gap-1")
            self._show_ways()

    def _show_ways(self) -> None:
        if self.talk is None or self.ways.default_slot.children:
            return
        with self.ways:
            icon_button("edit", self.visit.t("Rename"), lambda: rename(self.visit, self._now, self._named))
            icon_button("delete", self.visit.t("Delete"), lambda: forget(self.visit, self._now, None))

    @property
    def _now(self) -> Conversation:
        assert self.talk is not None
        return self.talk

    async def _named(self) -> None:
        await self._show(await self.visit.veraz.conversations.get(self.visit.actor, self._now.id))

    def _hand_over(self) -> None:
        """Who answers: a switch for who manages, a way back to the agent for who asked."""
        visit, t = self.visit, self.visit.t
        self.by_person = ui.switch(t("A person answers here")).classes("ask-switch")
        # what somebody does here, not what happened elsewhere and is shown here
        self.by_person.on("update:model-value", visit.act(self._switched), [None])
        self.back = ui.button(
            t("Go on with the agent"), icon="smart_toy", on_click=visit.act(self._give_back)
        )
        self.back.props("flat dense")
        self._show_mode()

    async def _switched(self, event: GenericEventArguments) -> None:
        await self._set_mode("human" if event.args else "ai")

    async def _give_back(self) -> None:
        await self._set_mode("ai")

    async def _set_mode(self, mode: HandoffMode) -> None:
        visit = self.visit
        await self._show(await visit.veraz.conversations.hand_over(visit.actor, self._now.id, mode))
        await self.dialogue.renew(self._now)
        await self.listed.refresh()
        visit.done("Saved")

    def _show_mode(self) -> None:
        human = self.talk is not None and self.talk.handoff_mode == "human"
        self.by_person.set_visibility(self.talk is not None and self.visit.manages)
        self.by_person.set_value(human)
        self.back.set_visibility(human and not self.visit.manages)

    async def _show(self, talk: Conversation) -> None:
        named = self.talk is not None and self.talk.title == talk.title
        self.talk = talk
        self._show_mode()
        self._show_ways()
        self.with_whom.set_visibility(True)
        if not named:
            self.title.set_text(self._title())
            ui.page_title(f"{self._title()} · Veraz")

    async def _changed(self, talk: Conversation) -> None:
        """The dialogue has begun or gone on."""
        await self._show(await self.visit.veraz.conversations.get(self.visit.actor, talk.id))
        await self.listed.refresh(talk.id)

    async def _renew(self) -> None:
        self.rounds += 1
        self.talk = self.talk or self.dialogue.talk
        if self.talk is not None:
            shown = self.talk
            try:
                now = await self.visit.veraz.conversations.get(self.visit.actor, shown.id)
            except errors.NotFound:  # deleted in another tab
                ui.navigate.to(self.visit.to("/ask"))
                return
            if self.talk is shown:  # nobody used the switch meanwhile
                await self._show(now)
                await self.dialogue.renew(now)
        if self.rounds % _LIST_EVERY == 0:
            await self.listed.refresh()

    async def _open_list(self) -> None:
        """On phones the list lies over the dialogue."""
        with dialog(self.visit.t("Conversations")) as box:
            box.props("maximized").classes("whole-screen")
            over = ConversationList(self.visit, self.names, self.talk.id if self.talk else None)
            await over.draw()
            ui.button(self.visit.t("Close"), on_click=box.close).props("flat").classes("self-end")

    def _start(self, dialogue: Dialogue) -> None:
        draw_start(self.visit, self.agents, self.agent, dialogue.ask)
