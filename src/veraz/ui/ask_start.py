"""Where nothing was said yet: whom one asks, and what could be asked."""

from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from veraz.library.model import Agent
from veraz.ui.parts import called, heading
from veraz.ui.visit import Visit

_OPENERS: Final = 4


def draw_start(visit: Visit, agents: list[Agent], agent: Agent, ask: Callable[[str], Any]) -> None:
    """The agent, the others that could be asked instead, and questions its documents answer."""
    t = visit.t
    ui.icon("verified_user", color="primary", size="2.4rem").props("aria-hidden=true")
    heading(agent.name, 2)
    if agent.description:
        ui.label(agent.description).classes("break")
    words = t("Every answer comes from the documents and shows where.")
    ui.label(words).classes("quiet small")
    if len(agents) > 1:
        options = {str(one.id): one.name for one in agents} | {str(agent.id): agent.name}
        chosen = ui.select(options, value=str(agent.id), label=t("Whom to ask")).classes("ask-whom")
        chosen.on_value_change(lambda event: ui.navigate.to(visit.to(f"/ask?agent={event.value}")))
    offered = ui.column().classes("w-full items-center")

    async def offer() -> None:
        found = await visit.veraz.suggestions.openers(visit.actor, agent.id, visit.language, _OPENERS)
        if found and not offered.is_deleted:
            with offered:
                ui.label(t("For example")).classes("quiet small self-center")
                chips(visit, t("For example"), found, ask)

    ui.timer(0.05, visit.act(offer), once=True)


def chips(visit: Visit, title: str, questions: list[str], ask: Callable[[str], Any]) -> None:
    """Questions to be asked with one click."""
    with called(ui.element("div").classes("chips").props("role=group"), title):
        for question in questions:
            chip = ui.button(question, on_click=visit.act(lambda one=question: ask(one)))
            chip.props("outline rounded no-caps align=left").classes("chip")
