"""Knowledge of one's own: private to the person, lent only to agents that accept it."""

from uuid import UUID

from nicegui import ui

from veraz.ui.agents import agents_of
from veraz.ui.knowledge_bases import cards, new_button, shelves
from veraz.ui.parts import empty, heading
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting) -> None:
    """The visitor's own knowledge bases and the agents they can be given to."""
    own = await shelves(visit, "personal")
    with shell(
        visit,
        visit.t("My knowledge"),
        active="/personal",
        subtitle=visit.t("Only you see it. Agents read it only when they answer you."),
    ):
        if not own:
            with empty(
                "person_pin",
                visit.t("Nothing of your own yet"),
                visit.t("Notes, drafts, files: private until you give them to an agent."),
            ):
                new_button(visit, "personal")
        else:
            with ui.row():
                new_button(visit, "personal")
            cards(visit, own)
        await _agents(visit)


async def _reads(visit: Visit, agent_id: UUID) -> None:
    """The knowledge bases the agent answers from, by name; a global one leads to the titles of its documents."""
    read = await visit.veraz.assignments.of_agent(visit.actor, agent_id)
    if not read:
        return
    with ui.row().classes("small gap-1 items-baseline"):
        ui.label(visit.t("Answers from:"))
        for one in read:
            path = f"/knowledge-bases/{one.kb_id}" + ("/contents" if one.kb_kind == "global" else "")
            ui.link(one.kb_name, visit.to(path)).classes("break")


async def _agents(visit: Visit) -> None:
    agents = await agents_of(visit)
    if not agents:
        return
    heading(visit.t("Agents of this project"), 2)
    with ui.element("div").classes("grid-cards"):
        for agent in agents:
            with ui.card():
                heading(agent.name, 3)
                ui.label(agent.description or visit.t("Without description")).classes("quiet small break")
                await _reads(visit, agent.id)
                kind = "good" if agent.allows_personal_corpus else "idle"
                with ui.element("span").classes(f"state {kind}").style("white-space: normal"):
                    ui.icon("check_circle" if agent.allows_personal_corpus else "lock").props(
                        "aria-hidden=true"
                    )
                    ui.label(
                        visit.t("Accepts personal knowledge")
                        if agent.allows_personal_corpus
                        else visit.t("Does not accept personal knowledge; ask its managers")
                    )
