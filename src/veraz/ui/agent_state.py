"""How an agent stands, in a few words: its exam, what it knows, where people reach it."""

from typing import Final

from nicegui import ui

from veraz.learn.agent_overview import AgentOverview
from veraz.ui.parts import number, when
from veraz.ui.visit import Visit

_CHANNELS: Final = {
    "whatsapp": ("chat", "WhatsApp"),
    "widget": ("public", "Website"),
    "web": ("forum", "In Veraz"),
    "api": ("api", "API"),
    "openai": ("api", "API"),
    "kairo": ("hub", "Kairo"),
    "mcp": ("hub", "MCP"),
}


def exam_state(visit: Visit, overview: AgentOverview) -> None:
    """The last exam, and whether the agent is still the one that took it."""
    t = visit.t
    if not overview.questions:
        _state("idle", "quiz", t("Without an exam"))
        return
    if overview.examined_at is None or overview.passed is None:
        _state("warn", "quiz", t("Exam not taken yet"))
        return
    total = overview.passed + (overview.failed or 0)
    figures = {"n": overview.passed, "of": total, "when": when(visit, overview.examined_at)}
    if overview.failed:
        _state("bad", "error", t("Exam failed: {n} of {of} right · {when}", **figures))
    else:
        _state("good", "verified", t("Exam passed: {n} of {of} right · {when}", **figures))
    if overview.settings_changed:
        _state("warn", "update", t("Its settings changed after that"))
    elif overview.knowledge_changed:
        _state("warn", "update", t("Its documents changed after that"))


def knows(visit: Visit, overview: AgentOverview) -> str:
    """What it reads, in figures."""
    if not overview.knowledge_bases:
        return visit.t("No knowledge yet")
    return visit.t(
        "Knowledge bases {bases} · documents {documents} · chunks {chunks}",
        bases=number(visit, overview.knowledge_bases),
        documents=number(visit, overview.documents),
        chunks=number(visit, overview.chunks),
    )


def channel_badges(visit: Visit, overview: AgentOverview) -> None:
    """Where people talk to it."""
    shown = {_CHANNELS[one] for one in overview.channels if one in _CHANNELS}
    with ui.row().classes("gap-2"):
        for icon, words in sorted(shown):
            with ui.element("span").classes("badge"):
                ui.icon(icon).props("aria-hidden=true")
                ui.label(visit.t(words))


def _state(kind: str, icon: str, words: str) -> None:
    with ui.element("span").classes(f"state {kind}").style("white-space: normal"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(words)
