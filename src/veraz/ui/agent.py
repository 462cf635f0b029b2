"""The studio of one agent: its settings beside a chat that already uses them, what it knows, its exam, its versions."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal
from uuid import UUID

from nicegui import ui

from veraz.learn.agent_overview import AgentOverview
from veraz.library.model import Agent
from veraz.ui.agent_exam import exam
from veraz.ui.agent_gaps import gaps
from veraz.ui.agent_knowledge import knowledge
from veraz.ui.agent_manual import manual_entries
from veraz.ui.agent_publish import publish
from veraz.ui.agent_settings import AgentForm
from veraz.ui.agent_state import exam_state
from veraz.ui.agent_try import TryChat
from veraz.ui.agent_versions import versions
from veraz.ui.agent_widget import WidgetForm
from veraz.ui.parts import dialog
from veraz.ui.routing import readdress
from veraz.ui.shell import shell
from veraz.ui.source import SourcePanel
from veraz.ui.visit import Visit, Visiting

Tab = Literal["profile", "knowledge", "manual", "gaps", "exam", "publish", "versions", "try"]
_TABS: Final[dict[Tab, str]] = {
    "profile": "Settings",
    "knowledge": "Knowledge",
    "manual": "Manual entries",
    "gaps": "Gaps",
    "exam": "Exam",
    "publish": "Publish",
    "versions": "Versions",
}
_REFRESH_SECONDS: Final = 4.0
_BESIDE_CHAT: Final = ("profile", "knowledge", "manual", "try")
_WARN: Final = """
(() => {
  const root = getHtmlElement(%d);
  if (!root) return;
  const unsaved = () => root.dataset.unsaved === 'yes';
  const gone = () => !document.contains(root);
  const click = (event) => {
    if (gone()) { document.removeEventListener('click', click, true); return; }
    const link = event.target.closest && event.target.closest('a[href^="/"]');
    if (!link || !unsaved() || event.ctrlKey || event.metaKey || link.target === '_blank') return;
    event.preventDefault(); event.stopPropagation();
    root.dispatchEvent(new CustomEvent('leave', {detail: link.getAttribute('href')}));
  };
  const unload = (event) => {
    if (gone()) { window.removeEventListener('beforeunload', unload); return; }
    if (unsaved()) { event.preventDefault(); event.returnValue = ''; }
  };
  document.addEventListener('click', click, true);
  window.addEventListener('beforeunload', unload);
})()
"""
Renew = Callable[[], Awaitable[None]]
Draw = Callable[[], Awaitable[Renew | None]]


async def page(visit: Visiting, agent_id: UUID, tab: Tab = "profile", question: str = "") -> None:
    """The page of an agent's managers."""
    overview = await visit.veraz.agent_overviews.of_agent(visit.actor, agent_id)
    agent = await visit.veraz.agents.get(visit.actor, agent_id)
    with shell(
        visit,
        agent.name,
        active="/agents",
        wide=True,
        subtitle=agent.description,
        back=(visit.t("Agents"), "/agents"),
    ):
        await _Studio(visit, agent, overview, question).draw(tab)


class _Studio:
    """One manager at work on one agent."""

    def __init__(self, visit: Visit, agent: Agent, overview: AgentOverview, question: str) -> None:
        self.visit, self.agent, self.overview, self.question = visit, agent, overview, question
        self.form = AgentForm(visit, agent, self._settings_changed)
        self.widget = WidgetForm(visit, agent, self._tell_unsaved)

    async def draw(self, tab: Tab) -> None:
        """Header, steps, tabs, and the chat beside them."""
        visit = self.visit
        self.header = ui.column().classes("w-full gap-4")
        with self.header:
            self._state()
            self._steps()
        self._tab_row()
        with ui.element("div").classes("studio") as self.root:
            with ui.column().classes("studio-main w-full gap-4"):
                self._panels(tab)
            self.panel = SourcePanel(visit)
            with ui.element("div").classes("studio-source"):
                self.panel.draw()
            self.chat = TryChat(visit, self.agent, self.form, self.panel, self._renew_header)
            with ui.column().classes("studio-chat"):
                self.chat.draw(await self._suggestions())
        self.root.on("leave", visit.act(self._leaving), args=["detail"])
        self.tabs.on_value_change(visit.act(lambda event: self._chosen(event.value)))
        await self._shown(tab)
        ui.run_javascript(_WARN % self.root.id)
        ui.timer(_REFRESH_SECONDS, visit.act(self._walk, by_clock=True))
        ui.timer(0.2, self.form.offer_models, once=True)  # last: the page is sent when the first timer starts

    async def _renew_header(self) -> None:
        """The state as it is now."""
        self.overview = await self._overview()
        if not self.header.is_deleted:
            self.header.clear()
            with self.header:
                self._state()
                self._steps()

    async def _walk(self) -> None:
        """The way to an agent people use goes on elsewhere too: documents become ready, a channel is opened."""
        if not self._walked and await self._overview() != self.overview:
            await self._renew_header()

    async def _overview(self) -> AgentOverview:
        return await self.visit.veraz.agent_overviews.of_agent(self.visit.actor, self.agent.id)

    @property
    def _walked(self) -> bool:
        return bool(self.overview.documents and self.overview.channels)

    def _state(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("toolbar"):
            exam_state(visit, self.overview)
            if not self.overview.questions:
                ui.button(t("Create an exam"), on_click=lambda: self._go("exam")).props("flat dense")
            if self.form.agent.waiting_changes:
                with ui.element("span").classes("state busy"):
                    ui.icon("hourglass_top").props("aria-hidden=true")
                    ui.label(t("Changes that wait for their exam: {n}", n=self.form.agent.waiting_changes))
            ui.space()
            ui.button(t("Talk to it"), icon="forum").props(
                f"outline tag=a href={visit.to(f'/ask?agent={self.agent.id}')}"
            )

    def _steps(self) -> None:
        """The way from a name to an agent people use; gone once it was walked."""
        t, one = self.visit.t, self.overview
        published = bool(one.channels)
        if self._walked:
            return
        steps = (
            (
                bool(one.documents),
                "knowledge",
                t("1. Give it knowledge"),
                t("It answers only from documents."),
            ),
            (one.tried or published, "try", t("2. Try it"), t("Ask what your customers would ask.")),
            (published, "publish", t("3. Publish it"), t("On your website, on WhatsApp or by API.")),
        )
        first_open = next((tab for done, tab, _, _ in steps if not done), "")
        with ui.element("div").classes("steps"):
            for done, tab, title, words in steps:
                kind = "done" if done else "now" if tab == first_open else ""
                with ui.element("div").classes(f"step {kind}"):
                    ui.icon("check_circle" if done else "radio_button_unchecked").props("aria-hidden=true")
                    with ui.column().classes("gap-0"):
                        ui.button(title, on_click=lambda where=tab: self._go(where)).props("flat dense")
                        ui.label(words).classes("quiet small")

    def _go(self, tab: str) -> None:
        self.tabs.set_value(tab)
        if tab == "try":
            self.chat.question.run_method("focus")

    def _tab_row(self) -> None:
        t = self.visit.t
        with (
            ui.tabs()
            .props("align=left no-caps outside-arrows mobile-arrows")
            .classes("studio-tabs w-full") as self.tabs
        ):
            for name, words in _TABS.items():
                ui.tab(name, t(words))
                if name == "profile":
                    ui.tab("try", t("Try it")).classes("lt-md")

    def _panels(self, tab: Tab) -> None:
        visit, agent = self.visit, self.agent
        with ui.tab_panels(self.tabs, value=tab).classes("w-full bg-transparent").props("keep-alive"):
            with ui.tab_panel("profile").classes("q-pa-none"):
                self.form.draw()
            with ui.tab_panel("try").classes("q-pa-none"):
                ui.label(visit.t("Ask on the right.")).classes("quiet")
            draws: dict[str, Draw] = {
                "knowledge": lambda: knowledge(visit, agent, self._renew_header),
                "manual": lambda: manual_entries(visit, agent, self.question),
                "gaps": lambda: gaps(visit, agent),
                "exam": lambda: exam(visit, agent, self._renew_header),
                "publish": lambda: publish(visit, agent, self.widget),
                "versions": lambda: versions(visit, agent, self.form.show),
            }
            self.later = {name: _Later(name, draw) for name, draw in draws.items()}
        self._save_bar()

    def _save_bar(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("save-bar").props("role=status") as self.bar:
            ui.icon("edit", color="primary").props("aria-hidden=true")
            ui.label(t("Unsaved changes")).classes("text-bold grow")
            ui.button(t("Discard"), on_click=visit.act(self._discard)).props("flat")
            self.save = ui.button(t("Save"), icon="save", on_click=visit.act(self._save))
        self.bar.set_visibility(False)

    @property
    def _unsaved(self) -> bool:
        """Whether something typed would be lost."""
        return self.form.unsaved or self.widget.unsaved

    def _tell_unsaved(self) -> None:
        self.bar.set_visibility(self._unsaved)
        self.root.props["data-unsaved"] = "yes" if self._unsaved else "no"

    def _settings_changed(self) -> None:
        self._tell_unsaved()
        self.chat.settings_changed()

    async def _discard(self) -> None:
        if self.form.unsaved:
            self.form.discard()
        if self.widget.unsaved:
            await self.widget.renew()

    async def _save(self) -> None:
        of_agent = self.form.unsaved
        self.save.props("loading")
        try:
            refused = await self._refused()
        finally:
            self.save.props(remove="loading")
        if refused:
            self.tabs.set_value(refused)
            return
        self._settings_changed()
        if of_agent and self.form.agent.waiting_changes:
            self.visit.done("Saved; what the exam looks at waits for it")
        else:
            self.visit.done("Saved")
        if self.tabs.value == "versions":
            await self.later["versions"].show()
        await self._renew_header()

    async def _chosen(self, tab: str) -> None:
        """The address follows, so that a reload comes back to the same tab."""
        readdress(f"/agents/{self.agent.id}?tab={tab}")
        await self._shown(tab)

    async def _refused(self) -> Tab | None:
        """Saves what was typed; the tab where something cannot be so."""
        if self.form.unsaved and not await self.form.save():
            return "profile"
        if self.widget.unsaved and not await self.widget.save():
            return "publish"
        return None

    async def _shown(self, name: str) -> None:
        if self.panel.box.visible:
            self.panel.close()
        self.root.classes(add="trying" if name == "try" else "", remove="" if name == "try" else "trying")
        self.root.classes(
            add="" if name in _BESIDE_CHAT else "alone", remove="alone" if name in _BESIDE_CHAT else ""
        )
        if name in self.later:
            await self.later[name].show()

    async def _suggestions(self) -> list[str]:
        visit = self.visit
        return await visit.veraz.suggestions.openers(visit.actor, self.agent.id, visit.language, limit=3)

    def _leaving(self, event: Any) -> None:
        """Asks before typed settings are lost."""
        visit, t = self.visit, self.visit.t
        target = str((event.args or {}).get("detail") or "")
        if not target.startswith(("/es", "/en")):
            return

        def leave() -> None:
            self.root.props["data-unsaved"] = "no"
            ui.navigate.to(target)

        def drop() -> None:
            box.close()
            leave()

        async def keep() -> None:
            box.close()
            with self.root:  # the dialog goes when it has closed, perhaps before everything is saved
                await self._save()
                if not self._unsaved:
                    leave()

        with dialog(t("Leave without saving?")) as box:
            ui.label(t("The changes of this agent are not saved."))
            with ui.row().classes("w-full justify-end"):
                ui.button(t("Stay"), on_click=box.close).props("flat")
                ui.button(t("Leave without saving"), on_click=drop).props("outline color=negative")
                ui.button(t("Save and leave"), on_click=visit.act(keep))


class _Later:
    """A tab that is drawn when somebody looks at it, and renewed when somebody comes back to it."""

    def __init__(self, name: str, draw: Draw) -> None:
        self.draw = draw
        self.drawn = False
        self.renew: Renew | None = None
        self.panel = ui.tab_panel(name).classes("q-pa-none")

    async def show(self) -> None:
        """As it is now."""
        if self.renew:
            await self.renew()
        elif not self.drawn:
            self.drawn = True
            with self.panel:
                self.renew = await self.draw()
