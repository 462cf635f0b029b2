"""The first page: from nothing to a first cited answer, then what is going on."""

import asyncio
import io
from importlib.resources import files

from nicegui import ui

from veraz.ingest.receive import Labels
from veraz.library.agents import AgentProfile
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.library.model import Agent, KnowledgeBase
from veraz.ui.agents import agents_of
from veraz.ui.attention import attention_row
from veraz.ui.knowledge_bases import shelves
from veraz.ui.parts import heading, number, stat
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_SHOWN = 3


async def page(visit: Visiting) -> None:
    """Members go on to asking. Managers are welcomed while there is nothing to ask; then they see what needs them."""
    if not visit.manages:
        ui.navigate.to(visit.to("/ask"))
        return
    agents = await agents_of(visit)
    kbs = await shelves(visit, "global")
    name = visit.user.display_name.split(" ")[0]
    title = visit.t("Hello, {name}", name=name) if name else visit.t("Welcome to Veraz")
    with shell(
        visit,
        title,
        active="/",
        subtitle=visit.t("Agents answer only from your documents and show the passage behind every claim."),
    ):
        if not (agents and any(kb.total_documents for kb in kbs)):
            _first_steps(visit, kbs, agents)
        await _attention(visit)
        if agents:
            heading(visit.t("Ask one of your agents"), 2)
            with ui.element("div").classes("grid-cards"):
                for agent in agents:
                    _agent(visit, agent)
        if kbs:
            _figures(visit, kbs, agents)


async def _attention(visit: Visit) -> None:
    items = await visit.veraz.attention.all(visit.actor, visit.project_id) if visit.project_id else []
    if not items:
        return
    with ui.row().classes("w-full items-center"):
        heading(visit.t("Needs attention"), 2)
        ui.space()
        if len(items) > _SHOWN:
            ui.link(f"{visit.t('See everything')} ({number(visit, len(items))})", visit.to("/attention"))
    shown = ui.column().classes("w-full gap-2").props("role=list")

    async def changed() -> None:
        shown.clear()
        with shown:
            for item in (await visit.veraz.attention.all(visit.actor, visit.project_id))[:_SHOWN]:
                attention_row(visit, item, changed)

    with shown:
        for item in items[:_SHOWN]:
            attention_row(visit, item, changed)


def _first_steps(visit: Visit, kbs: list[KnowledgeBase], agents: list[Agent]) -> None:
    t = visit.t

    async def samples() -> None:
        button.props("loading")
        agent = await bring_samples(visit)
        ui.navigate.to(visit.to(f"/ask?agent={agent.id}"))

    with ui.card().classes("w-full"):
        heading(t("Three steps to your first answer"), 2)
        filled = any(kb.total_documents for kb in kbs)
        for done, words, path in (
            (bool(kbs), "Create a knowledge base", "/knowledge-bases"),
            (filled, "Add documents to it", f"/knowledge-bases/{kbs[0].id}" if kbs else "/knowledge-bases"),
            (bool(agents), "Create an agent and assign the knowledge to it", "/agents"),
        ):
            with ui.row().classes("items-center no-wrap"):
                ui.icon(
                    "check_circle" if done else "radio_button_unchecked",
                    color="positive" if done else "secondary",
                    size="1.4rem",
                ).props("aria-hidden=true")
                ui.link(t(words), visit.to(path))
        ui.separator()
        ui.label(
            t("Only looking? Take three sample documents of a shop and ask about them in half a minute.")
        ).classes("quiet")
        button = ui.button(
            t("Try with sample documents"), icon="auto_awesome", on_click=visit.act(samples)
        ).classes("self-start")


async def bring_samples(visit: Visit) -> Agent:
    """A knowledge base with the sample documents and an agent that reads it; waits until they can be asked about."""
    veraz, actor = visit.veraz, visit.actor
    new = NewKnowledgeBase(name=visit.t("Sample: a shop"), project_id=visit.project_id)
    kb = await veraz.knowledge_bases.create(actor, new)
    for sample in files("veraz.ui").joinpath("samples").iterdir():
        await veraz.reception.file(actor, kb.id, sample.name, io.BytesIO(sample.read_bytes()), Labels())
    agent = await veraz.agents.create(
        actor, visit.project_id, AgentProfile(name="Luna", description=visit.t("Knows the sample shop"))
    )
    await veraz.assignments.put(actor, kb.id, [agent.id])
    for _ in range(60):
        batch = await veraz.documents.progress(actor, kb.id)
        if not batch.pending + batch.processing:
            break
        await asyncio.sleep(0.5)
    return agent


def _figures(visit: Visit, kbs: list[KnowledgeBase], agents: list[Agent]) -> None:
    with ui.element("div").classes("stats"):
        stat(number(visit, len(kbs)), visit.t("Knowledge bases"))
        stat(number(visit, sum(kb.total_documents for kb in kbs)), visit.t("Documents"))
        stat(number(visit, sum(kb.total_chunks for kb in kbs)), visit.t("Chunks"))
        stat(number(visit, len(agents)), visit.t("Agents"))


def _agent(visit: Visit, agent: Agent) -> None:
    with ui.card().classes("link"):
        with ui.element("h3"):
            ui.link(agent.name, visit.to(f"/ask?agent={agent.id}")).classes("break")
        ui.label(agent.description or visit.t("Without description")).classes("quiet small break")
