"""Which agents read a knowledge base, how early and with how much weight."""

from decimal import Decimal
from uuid import UUID

from nicegui import ui

from veraz.library.model import Agent, Assignment, KnowledgeBase
from veraz.paging import PageRequest
from veraz.ui.agents import ask_for_new
from veraz.ui.assigning import priority_choice, weight_choice
from veraz.ui.parts import empty, heading
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting, kb_id: UUID) -> None:
    """The agents that read it and those that might."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    agents = (
        await visit.veraz.agents.all(visit.actor, PageRequest(limit=500), project_id=kb.project_id)
    ).items
    given = {one.agent_id: one for one in await visit.veraz.assignments.of_kb(visit.actor, kb_id)}
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(
        visit,
        visit.t("Agents that answer from «{name}»", name=kb.name),
        active=active,
        back=(kb.name, f"/knowledge-bases/{kb_id}"),
        subtitle=visit.t("An agent answers only from what is assigned to it."),
    ):
        if not agents:
            with empty(
                "smart_toy",
                visit.t("No agent yet"),
                visit.t("Create an agent and assign this knowledge to it."),
            ):
                if _may_begin(visit, kb):
                    _new_button(visit, kb)
                else:
                    ui.button(visit.t("To the agents"), on_click=lambda: ui.navigate.to(visit.to("/agents")))
        elif _may_begin(visit, kb):
            with ui.row():
                _new_button(visit, kb)
        for agent in agents:
            assignment_row(visit, kb, agent, given.get(agent.id), title=agent.name, words=agent.description)


def _may_begin(visit: Visit, kb: KnowledgeBase) -> bool:
    """A new agent does not accept personal knowledge yet."""
    return visit.manages and kb.kind == "global"


def _new_button(visit: Visit, kb: KnowledgeBase) -> None:
    words = visit.t("New agent with this knowledge")
    ui.button(words, icon="add", on_click=lambda: ask_for_new(visit, kb))


def assignment_row(
    visit: Visit, kb: KnowledgeBase, agent: Agent, given: Assignment | None, *, title: str, words: str
) -> None:
    """An agent and a knowledge base with a switch, and with priority and weight while it reads."""
    refused = kb.kind == "personal" and not agent.allows_personal_corpus
    with ui.card().classes("w-full"), ui.row().classes("w-full items-center gap-x-4 gap-y-2"):
        with ui.column().classes("gap-0").style("flex: 1; min-width: min(240px, 100%)"):
            heading(title, 2)
            ui.label(
                visit.t("This agent does not accept personal knowledge; its managers decide.")
                if refused
                else words
            ).classes("quiet small break")
        _controls(visit, kb.id, agent, given, refused=refused)


def _controls(visit: Visit, kb_id: UUID, agent: Agent, given: Assignment | None, *, refused: bool) -> None:
    async def save() -> None:
        if reads.value:
            await visit.veraz.assignments.put(
                visit.actor,
                kb_id,
                [agent.id],
                priority=int(priority.value or 1),
                search_weight=Decimal(str(weight.value or 1)),
            )
        else:
            await visit.veraz.assignments.remove(visit.actor, kb_id, agent.id)
        visit.done("Saved")

    reads = ui.switch(visit.t("Answers from it"), value=given is not None)
    reads.set_enabled(not refused)
    with ui.row().classes("w-full items-center gap-4").bind_visibility_from(reads, "value"):
        weight = weight_choice(visit, given)
        priority = priority_choice(visit, given)
        ui.label(
            visit.t("Of passages that fit equally well, that of the highest priority comes first.")
        ).classes("quiet small")
    for field in (priority, weight, reads):
        field.on_value_change(visit.act(save))
