"""The versions of an agent: who changed what and when, before and after, and the way back."""

from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.library.agent_versions import AgentVersion, SettingChange
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.agent_settings import FIELDS, LANGUAGES, STYLES
from veraz.ui.parts import confirm, heading, number, when
from veraz.ui.visit import Visit

_SHOWN: Final = 20
_LONG: Final = 110
_NOTHING: Final = {
    "model": "The installation's choice",
    "fallback_model": "The installation's choice",
    "judge_model": "The one that writes",
    "retrieval.reranker": "The installation's choice",
}


async def versions(
    visit: Visit, agent: Agent, restored: Callable[[Agent], None]
) -> Callable[[], Awaitable[None]]:
    """Every version, newest first; how to bring the list up to date. `restored` hears what the agent became."""
    shown = _Versions(visit, agent.id, restored)
    shown.draw()
    await shown.renew()
    return shown.renew


class _Versions:
    """One manager looking back."""

    def __init__(self, visit: Visit, agent_id: UUID, restored: Callable[[Agent], None]) -> None:
        self.visit, self.agent_id, self.restored = visit, agent_id, restored

    def draw(self) -> None:
        """What this is, and the place of the list."""
        t = self.visit.t
        with ui.column().classes("w-full gap-4"):
            ui.label(t("Every saved change of the settings is a version; you can go back to any.")).classes(
                "quiet"
            )
            self.list = ui.column().classes("w-full gap-3")
            self.more = ui.button(t("Show more"), on_click=self.visit.act(self._more)).props("flat")

    async def renew(self) -> None:
        """From the newest on."""
        self.list.clear()
        self.cursor: str | None = None
        await self._more()

    async def _more(self) -> None:
        page = PageRequest(limit=_SHOWN, cursor=self.cursor)
        first = self.cursor is None
        found = await self.visit.veraz.agent_versions.all(self.visit.actor, self.agent_id, page)
        with self.list:
            for place, version in enumerate(found.items):
                self._card(version, in_force=first and place == 0)
        self.cursor = found.next_cursor
        self.more.set_visibility(found.next_cursor is not None)

    def _card(self, version: AgentVersion, *, in_force: bool) -> None:
        visit, t = self.visit, self.visit.t
        author = version.author or (t("a key or an exam") if version.number > 1 else "")
        with ui.card().classes("w-full"):
            with ui.row().classes("w-full items-center gap-3"):
                heading(t("Version {n}", n=version.number), 2)
                if in_force:
                    with ui.element("span").classes("state good"):
                        ui.icon("check_circle").props("aria-hidden=true")
                        ui.label(t("In force"))
                parts = [when(visit, version.created_at), author]
                ui.label(" · ".join(part for part in parts if part)).classes("quiet small grow")
                if not in_force:
                    ui.button(
                        t("Restore this version"),
                        icon="history",
                        on_click=lambda: self._ask(version),
                    ).props("outline dense").classes("q-px-md")
            if version.before is None:
                ui.label(t("The agent as it was created, or as it was when versions began.")).classes("small")
            if version.same_as is not None:
                ui.label(t("The same as version {n}", n=version.same_as)).classes("small")
            for change in version.changes:
                self._change(change)

    def _change(self, change: SettingChange) -> None:
        name = self.visit.t(FIELDS[change.field]) if change.field in FIELDS else change.field
        before, after = self._said(change.field, change.before), self._said(change.field, change.after)
        if len(before) + len(after) <= _LONG:
            ui.label(f"{name}: {before} → {after}").classes("small break")
            return
        with ui.column().classes("w-full gap-1"):
            ui.label(name).classes("small text-bold")
            with ui.element("div").classes("before-after"):
                for kind, words, text in (("was", "Before", before), ("is", "After", after)):
                    with ui.element("div").classes(kind):
                        ui.label(self.visit.t(words)).classes("quiet small")
                        ui.label(text)

    def _said(self, field: str, value: Any) -> str:
        """A value as people say it."""
        t = self.visit.t
        if isinstance(value, bool):
            return t("Yes") if value else t("No")
        if isinstance(value, int | float):
            return number(self.visit, value, 0 if isinstance(value, int) else 2)
        words = {"answer_style": STYLES, "language": LANGUAGES}.get(field, {}).get(str(value))
        if words:
            return t(words)
        if value == "extractive":
            return t("Only quotations, without a model")
        return str(value) if value else t(_NOTHING.get(field, "Nothing"))

    def _ask(self, version: AgentVersion) -> None:
        visit, t = self.visit, self.visit.t

        async def back() -> None:
            agent = await visit.veraz.agent_versions.restore(visit.actor, self.agent_id, version.number)
            if agent.waiting_changes:
                visit.done("Saved; what the exam looks at waits for it")
            else:
                visit.done("The agent is as in version {n} again", n=version.number)
            self.restored(agent)
            await self.renew()

        confirm(
            visit,
            t("Restore version {n}?", n=version.number),
            t("All settings become those of that version. The present ones stay in this list."),
            t("Restore to version {n}", n=version.number),
            back,
            danger=False,
        )
