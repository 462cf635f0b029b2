"""Who is asked and what answers: agents, knowledge bases, documents, models, and what no person asked."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from veraz.learn.usage import AgentUse, Apart, BaseUse, ModelUse, QuotedDocument, UsageReport
from veraz.ui.parts import heading, number
from veraz.ui.tables import NAME_CELL, Row, column
from veraz.ui.usage_words import ORIGINS, money, seconds, share
from veraz.ui.visit import Visit


def agents_table(visit: Visit, agents: Sequence[AgentUse]) -> None:
    """A line for each agent."""
    t = visit.t
    columns = [
        column("name", t("Agent")),
        _figures("questions", t("Questions")),
        _figures("answered", t("Answered")),
        _figures("refused", t("Not answered"), phone=False),
        _figures("handed_over", t("Handed over"), phone=False),
        _figures("time", t("Median time"), phone=False),
        _figures("rated", t("Good / bad"), phone=False),
        _figures("credits", t("Credits"), phone=False),
    ]
    rows = [
        {
            "id": str(one.id),
            "name": one.name,
            "href": f"{visit.to('/usage/questions')}?agent={one.id}",
            "questions": number(visit, one.questions),
            "answered": share(visit, one.answered, one.questions),
            "refused": number(visit, one.refused),
            "handed_over": number(visit, one.handed_over),
            "time": seconds(visit, one.p50_ms),
            "rated": f"{number(visit, one.liked)} / {number(visit, one.disliked)}",
            "credits": number(visit, one.credits),
        }
        for one in agents
    ]
    _table(t("By agent"), columns, rows)


def bases_table(visit: Visit, bases: Sequence[BaseUse]) -> None:
    """A line for each knowledge base: what was asked of it, and how much of it is ever quoted."""
    t = visit.t
    columns = [
        column("name", t("Knowledge base")),
        _figures("questions", t("Questions")),
        _figures("answered", t("Answered"), phone=False),
        _figures("times", t("Answers that quote it"), phone=False),
        _figures("quoted", t("Documents quoted"), phone=False),
        _figures("never", t("Never quoted")),
    ]
    rows = [
        {
            "id": str(one.id),
            "name": t("Manual entries of {agent}", agent=one.agent) if one.agent else one.name,
            "href": visit.to(f"/knowledge-bases/{one.id}"),
            "questions": number(visit, one.questions),
            "answered": share(visit, one.answered, one.questions),
            "times": number(visit, one.times),
            "quoted": number(visit, one.quoted),
            "never": number(visit, max(0, one.documents - one.quoted)),
        }
        for one in bases
    ]
    if rows:
        _table(t("By knowledge base"), columns, rows)


def documents_cards(visit: Visit, report: UsageReport) -> None:
    """What answers stand on, and what lies there unused."""
    t = visit.t
    with ui.element("div").classes("grid-halves"):
        with ui.card():
            heading(t("Documents quoted most"), 2)
            _documents(visit, report.quoted)
            if not report.quoted:
                ui.label(t("No answer of this period quotes a document.")).classes("quiet small")
        with ui.card():
            heading(t("Documents nobody needed"), 2)
            if report.never_quoted:
                words = t(
                    "No answer of this period quotes them. Are they up to date, and is their title clear?"
                )
                ui.label(words).classes("quiet small")
            else:
                ui.label(t("Every document was quoted.")).classes("quiet small")
            _documents(visit, report.never_quoted)


def models_table(visit: Visit, models: Sequence[ModelUse]) -> None:
    """What each model took: for people, and for tests of our own."""
    t = visit.t
    if not models:
        return
    columns = [
        column("name", t("Model")),
        _figures("questions", t("Questions"), phone=False),
        _figures("tokens", t("Tokens"), phone=False),
        _figures("credits", t("Credits")),
        _figures("cost", t("Cost")),
    ]
    rows = [
        {
            "id": f"{one.model} {one.people}",
            "name": one.model,
            "note": t("People's questions") if one.people else t("Exams and trials"),
            "questions": number(visit, one.questions),
            "tokens": number(visit, one.tokens),
            "credits": number(visit, one.credits),
            "cost": t("Price not known")
            if one.cost_unknown and not one.cost_usd
            else money(visit, one.cost_usd),
        }
        for one in models
    ]
    _table(t("What models cost"), columns, rows)


def apart_card(visit: Visit, apart: Sequence[Apart]) -> None:
    """What no person asked, so that nobody misses it above."""
    t = visit.t
    if not apart:
        return
    with ui.card().classes("w-full"):
        heading(t("Counted apart"), 2)
        ui.label(t("These were not asked by people and are in no figure above.")).classes("quiet small")
        with ui.element("div").classes("apart"):
            for one in apart:
                with ui.column().classes("gap-0"):
                    ui.label(number(visit, one.questions)).classes("value")
                    ui.label(t(ORIGINS[one.origin])).classes("small")
                    ui.label(t("{n} credits", n=number(visit, one.credits))).classes("quiet small")


def _documents(visit: Visit, documents: Sequence[QuotedDocument]) -> None:
    for one in documents:
        with ui.row().classes("w-full no-wrap items-center"):
            target = visit.to(f"/knowledge-bases/{one.kb_id}/documents/{one.id}")
            ui.link(one.name, target).classes("grow break small")
            if one.times:
                ui.label(number(visit, one.times)).classes("num small")


def _figures(name: str, label: str, *, phone: bool = True) -> Row:
    return column(name, label, align="right", sortable=False, classes="num" if phone else "num gt-xs")


def _table(title: str, columns: list[dict[str, Any]], rows: list[Row]) -> None:
    with ui.card().classes("w-full usage-table"):
        heading(title, 2)
        table = ui.table(columns=columns, rows=rows, row_key="id", pagination={"rowsPerPage": 0})
        table.props("flat hide-pagination").classes("w-full")
        table.add_slot("body-cell-name", NAME_CELL)
