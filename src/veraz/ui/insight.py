"""How much is asked, how often there is no evidence, how fast, and from which documents."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from nicegui import ui

from veraz.learn.insight import Insight
from veraz.ui.agents import agents_of
from veraz.ui.charts import GREEN, PALE, chart
from veraz.ui.parts import empty, heading, number, stat
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_SPANS = {7: "Last 7 days", 30: "Last 30 days", 90: "Last 90 days", 365: "Last year"}
_STAGES = {
    "plan": "Reading set",
    "rewrite": "Rewriting",
    "embed": "Vectors of the question",
    "search": "Search itself",
    "rank": "Ranking",
    "context": "Context",
    "gate": "Is there evidence?",
    "write": "Writing",
    "check": "Checking",
}


async def page(visit: Visiting) -> None:
    """Numbers and plots of the chosen project's agents."""
    names = {"": visit.t("Every agent")} | {str(one.id): one.name for one in await agents_of(visit)}
    with shell(visit, visit.t("Insight"), active="/insight"):
        with ui.element("div").classes("toolbar"):
            spans = {days: visit.t(words) for days, words in _SPANS.items()}
            span = ui.select(spans, value=30, label=visit.t("Time")).style("min-width: 170px")
            agent = ui.select(names, value="", label=visit.t("Agent")).style("min-width: 200px")
        shown = ui.column().classes("w-full gap-4")

        async def show() -> None:
            until = datetime.now(UTC)
            found = await visit.veraz.insights.between(
                visit.actor,
                until - timedelta(days=span.value),
                until,
                agent_id=UUID(agent.value) if agent.value else None,
                zone=visit.zone.key,
            )
            shown.clear()
            with shown:
                _show(visit, found, int(span.value))

        span.on_value_change(visit.act(show))
        agent.on_value_change(visit.act(show))
        await show()


def _show(visit: Visit, found: Insight, days: int) -> None:
    t, totals = visit.t, found.totals
    if not totals.questions:
        empty("insights", t("Nothing was asked in this time"), t("Ask an agent or try the test search."))
        return
    with ui.element("div").classes("stats"):
        stat(number(visit, totals.questions), t("Questions"))
        stat(f"{number(visit, 100 * totals.refused / totals.questions)} %", t("Without evidence"))
        stat(number(visit, totals.people), t("People"))
        stat(f"{number(visit, totals.p50_ms or 0)} ms", t("Half are faster than"))
        stat(f"{number(visit, totals.p95_ms or 0)} ms", t("95 % are faster than"))
    with ui.card().classes("w-full"):
        heading(t("Questions by day"), 2)
        chart(_by_day(visit, found, days))
    with ui.element("div").classes("grid-halves"):
        with ui.card():
            heading(t("Time by stage"), 2)
            words = {name: t(words) for name, words in _STAGES.items()}
            chart(_bars([(words.get(s.name, s.name), round(s.mean_ms, 1)) for s in found.stages], "ms"))
        with ui.card():
            heading(t("Most used documents"), 2)
            for document in found.documents:
                with ui.row().classes("w-full no-wrap items-center"):
                    target = visit.to(f"/knowledge-bases/{document.kb_id}/documents/{document.id}")
                    ui.link(document.name, target).classes("grow break small")
                    ui.label(number(visit, document.times)).classes("num small")


def _by_day(visit: Visit, found: Insight, days: int) -> dict[str, Any]:
    known = {one.day: one for one in found.days}
    today = datetime.now(visit.zone).date()
    axis: list[date] = [today - timedelta(days=back) for back in range(min(days, 366) - 1, -1, -1)]
    answered = [known[day].answered if day in known else 0 for day in axis]
    refused = [known[day].refused if day in known else 0 for day in axis]
    form = "%d/%m" if visit.language == "es" else "%m-%d"
    return {
        "legend": {"top": 0, "data": [visit.t("With evidence"), visit.t("Without evidence")]},
        "xAxis": {"type": "category", "data": [day.strftime(form) for day in axis]},
        "yAxis": {"type": "value", "minInterval": 1},
        "series": [
            {
                "type": "bar",
                "stack": "all",
                "name": visit.t("With evidence"),
                "data": answered,
                "color": GREEN,
            },
            {
                "type": "bar",
                "stack": "all",
                "name": visit.t("Without evidence"),
                "data": refused,
                "color": PALE,
            },
        ],
    }


def _bars(values: list[tuple[str, float]], unit: str) -> dict[str, Any]:
    shown = list(reversed(values[:10]))
    return {
        "xAxis": {
            "type": "value",
            "splitNumber": 3,
            "axisLabel": {"formatter": f"{{value}} {unit}", "hideOverlap": True},
        },
        "yAxis": {"type": "category", "data": [name for name, _ in shown]},
        "series": [{"type": "bar", "data": [value for _, value in shown], "color": GREEN}],
    }
