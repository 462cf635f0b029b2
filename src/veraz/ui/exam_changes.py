"""Changes of an agent that its exam looks at: whether a failed exam blocks them, and what became of each."""

from typing import Any

from nicegui import ui

from veraz import errors
from veraz.learn.exam import AgentChange
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.agent_settings import FIELDS
from veraz.ui.parts import heading, when
from veraz.ui.visit import Visit

_SHOWN = 5
_STATUS = {
    "waiting": ("busy", "hourglass_top", "Waits for its exam"),
    "applied": ("good", "check_circle", "In force"),
    "held": ("bad", "block", "Held back"),
}


class Changes:
    """The switch and the newest changes."""

    def __init__(self, visit: Visit, agent: Agent) -> None:
        self.visit, self.agent = visit, agent
        t = visit.t
        with ui.card().classes("w-full"):
            ui.switch(
                t(FIELDS["exam_blocks"]),
                value=agent.exam_blocks,
                on_change=visit.act(self._block),
            )
            ui.label(
                t("The exam runs by itself after a change of model, instructions, style or search.")
            ).classes("quiet small")
            self.shown = ui.column().classes("w-full gap-2").props("aria-live=polite")

    async def show(self) -> None:
        """The newest changes as they stand."""
        page = PageRequest(limit=_SHOWN)
        found = (await self.visit.veraz.exams.changes(self.visit.actor, self.agent.id, page)).items
        self.waiting = any(one.status == "waiting" or one.run_id is None for one in found)
        self.shown.clear()
        with self.shown:
            if found:
                heading(self.visit.t("Changes"), 3)
            for one in found:
                self._row(one)

    def _row(self, one: AgentChange) -> None:
        t = self.visit.t
        kind, icon, words = _STATUS[one.status]
        with ui.column().classes("w-full gap-0"):
            with ui.row().classes("w-full items-center gap-3"):
                with ui.element("span").classes(f"state {kind}"):
                    ui.icon(icon).props("aria-hidden=true")
                    ui.label(t(words))
                names = ", ".join(t(FIELDS.get(name, "How it searches")) for name in one.changes)
                ui.label(f"{names} · {when(self.visit, one.created_at)}").classes("small break")
            if one.message:
                ui.label(errors.said(one.message, self.visit.language)).classes("quiet small break")

    async def _block(self, event: Any) -> None:
        await self.visit.veraz.agents.change(
            self.visit.actor, self.agent.id, {"exam_blocks": bool(event.value)}
        )
        self.visit.done("Saved")
