"""Who answers: the agents of the project, and a new one."""

from collections.abc import Callable

from nicegui import ui

from veraz.learn.agent_overview import AgentOverview
from veraz.library.agents import AgentProfile
from veraz.library.model import Agent, KnowledgeBase
from veraz.paging import PageRequest
from veraz.ui.agent_state import channel_badges, exam_state, knows
from veraz.ui.parts import buttons, called, dialog, empty, typed
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting) -> None:
    """The agents of the chosen project."""
    agents = await agents_of(visit)
    overviews = await visit.veraz.agent_overviews.of_project(visit.actor, visit.project_id) if agents else {}
    with shell(
        visit,
        visit.t("Agents"),
        active="/agents",
        subtitle=visit.t("Each answers only from the knowledge you assign to it."),
    ):
        if not agents:
            with empty(
                "smart_toy",
                visit.t("No agent yet"),
                visit.t("An agent answers questions from your documents."),
            ):
                _new_button(visit)
            return
        if visit.manages:
            with ui.row():
                _new_button(visit)
        with ui.element("div").classes("grid-cards"):
            for agent in agents:
                _card(visit, agent, overviews.get(agent.id))


async def agents_of(visit: Visit) -> list[Agent]:
    """The agents of the chosen project."""
    found = await visit.veraz.agents.all(visit.actor, PageRequest(limit=500), project_id=visit.project_id)
    return found.items


def _card(visit: Visit, agent: Agent, overview: AgentOverview | None) -> None:
    with ui.card().classes("link"):
        with ui.element("h2"):
            ui.link(agent.name, visit.to(f"/agents/{agent.id}")).classes("break")
        ui.label(agent.description or visit.t("Without description")).classes("quiet small break")
        if overview and visit.manages:
            ui.label(knows(visit, overview)).classes("small")
            exam_state(visit, overview)
            channel_badges(visit, overview)
        ui.space()
        talk = ui.button(visit.t("Talk to it"), icon="forum").props(
            f"flat dense tag=a href={visit.to(f'/ask?agent={agent.id}')}"
        )
        called(talk, visit.t("Talk to «{name}»", name=agent.name)).classes("self-start")


def _new_button(visit: Visit) -> None:
    ui.button(visit.t("New agent"), icon="add", on_click=lambda: ask_for_new(visit))


def ask_for_new(visit: Visit, kb: KnowledgeBase | None = None) -> None:
    """A dialog for a new agent, which answers from this knowledge base from the beginning."""
    t = visit.t

    async def create() -> None:
        if not name.validate():
            return
        profile = AgentProfile(
            name=typed(name.value, longest=200),
            company_name=typed(company.value, longest=200),
            description=typed(description.value),
        )
        project = kb.project_id if kb and kb.project_id else visit.project_id
        agent = await visit.veraz.agents.create(visit.actor, project, profile)
        if kb:
            await visit.veraz.assignments.put(visit.actor, kb.id, [agent.id])
        box.close()
        ui.navigate.to(visit.to(f"/agents/{agent.id}"))

    with dialog(t("New agent")) as box:
        if kb:
            ui.label(t("It will answer from «{name}».", name=kb.name)).classes("quiet break")
        name = ui.input(t("Name"), validation=needed(visit)).without_auto_validation()
        name.props("autofocus maxlength=200").classes("w-full")
        company = ui.input(t("Company it speaks for")).props("maxlength=200").classes("w-full")
        description = ui.textarea(t("What it is for")).props("autogrow maxlength=2000").classes("w-full")
        buttons(visit, box, t("Create"), visit.act(create))


def needed(visit: Visit) -> dict[str, Callable[..., bool]]:
    """Says beside its field that something must be written there."""
    return {visit.t("Write something here."): lambda value: bool(typed(value))}
