"""Where people reach an agent: on a web page, on WhatsApp, from programs and AI assistants."""

from nicegui import ui

from veraz.api.documentation import is_open
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.agent_widget import WidgetForm
from veraz.ui.parts import called, heading, icon_button
from veraz.ui.visit import Visit


async def publish(visit: Visit, agent: Agent, widget: WidgetForm) -> None:
    """A card for each way."""
    with ui.column().classes("w-full gap-4"):
        await widget.draw()
        await _whatsapp(visit, agent)
        _api(visit, agent)
        _assistants(visit)


async def _whatsapp(visit: Visit, agent: Agent) -> None:
    t = visit.t
    found = await visit.veraz.whatsapp_numbers.all(visit.actor, PageRequest(limit=100))
    mine = [one for one in found.items if one.agent_id == agent.id]
    with ui.card().classes("w-full"):
        heading(t("WhatsApp"), 2)
        if not mine:
            ui.label(t("Connect a number of your company, and this agent answers who writes to it.")).classes(
                "quiet"
            )
        for one in mine:
            with ui.element("span").classes("state good" if one.active else "state idle"):
                ui.icon("check_circle" if one.active else "pause_circle").props("aria-hidden=true")
                ui.label(f"{one.name} · {one.phone_number_id}").classes("break")
        ui.link(t("WhatsApp numbers"), visit.to("/admin/whatsapp"))


def _api(visit: Visit, agent: Agent) -> None:
    t, settings = visit.t, visit.veraz.settings
    address = settings.address
    with ui.card().classes("w-full"):
        heading(t("Programs (API)"), 2)
        ui.label(
            t("Send the question as JSON, with a key in the header; the answer comes with its quotes.")
        ).classes("quiet")
        copyable(visit, t("Address of this agent"), f"{address}/api/v1/agents/{agent.id}/ask")
        ui.label(t("Programs made for OpenAI: this base address, and the agent's id as the model.")).classes(
            "quiet"
        )
        copyable(visit, t("Base address"), f"{address}/v1")
        copyable(visit, t("Model"), str(agent.id))
        with ui.row():
            ui.link(t("Create a key"), visit.to("/admin/keys"))
            if is_open(settings.docs, settings):
                ui.link(t("All the API"), "/docs", new_tab=True)


def _assistants(visit: Visit) -> None:
    t = visit.t
    with ui.card().classes("w-full"):
        heading(t("AI assistants (MCP)"), 2)
        ui.label(
            t("Assistants that speak the Model Context Protocol ask your agents at this address.")
        ).classes("quiet")
        copyable(visit, t("MCP address"), f"{visit.veraz.settings.address}/mcp")


def copyable(visit: Visit, words: str, text: str) -> None:
    """A text people take elsewhere, with a button that copies it."""

    def copy() -> None:
        ui.clipboard.write(text)
        visit.done("Copied")

    with ui.row().classes("w-full items-center no-wrap gap-2"):
        field = ui.input(words, value=text).props("readonly dense").classes("grow")
        called(field, words)
        icon_button("content_copy", visit.t("Copy «{name}»", name=words), copy)
