"""How fast documents are read: a plot, and how long what waits will probably take."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.ingest.jobs import Throughput
from veraz.ui.charts import GREEN, PALE, chart
from veraz.ui.parts import heading, number
from veraz.ui.visit import Visit
from veraz.ui.work_row import span

_SPANS: Final = {60: ("Last hour", 1), 1440: ("Last day", 15)}
_RECENT: Final = timedelta(minutes=10)


class Speed:
    """A card with documents and chunks per minute; drawn again only when something was read."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.minutes = visit, 60
        self.kb_id: UUID | None = None
        self.active = 0
        t = visit.t
        with ui.card().classes("w-full speed"):
            with ui.row().classes("w-full items-center"):
                heading(t("Speed"), 2)
                self.left = ui.label("").classes("quiet small").props("role=status")
                ui.space()
                spans = {minutes: t(words) for minutes, (words, _) in _SPANS.items()}
                choice = ui.toggle(spans, value=self.minutes).props("dense flat no-caps")
            self.chart = chart(_options(visit, [], self.minutes), height=130)

        async def chosen() -> None:
            self.minutes = choice.value
            await self.refresh(self.kb_id, self.active)

        choice.on_value_change(visit.act(chosen))

    async def refresh(self, kb_id: UUID | None, active: int) -> None:
        """What was read lately, of one knowledge base or all; `active` documents are on their way."""
        self.kb_id, self.active = kb_id, active
        told = await self.visit.veraz.jobs.throughput(
            self.visit.actor, minutes=self.minutes, step=_SPANS[self.minutes][1], kb_id=kb_id
        )
        self.left.set_text(_left(self.visit, told, active, self.minutes))
        options = _options(self.visit, told, self.minutes)
        if self.chart.options["series"] != options["series"]:
            axis = self.chart.options["xAxis"] | options["xAxis"]
            self.chart.options.update({"series": options["series"], "xAxis": axis})
            self.chart.update()


def _left(visit: Visit, told: list[Throughput], active: int, minutes: int) -> str:
    """How long what waits will probably take, from what was read lately."""
    if not active:
        return visit.t("Nothing is waiting.")
    since = datetime.now(UTC) - _RECENT
    recent = sum(one.documents for one in told if one.at >= since)
    if minutes > 60 or not recent:
        return visit.t("{n} on their way", n=number(visit, active))
    return visit.t(
        "{n} on their way, about {time}", n=number(visit, active), time=span(visit, _RECENT * active / recent)
    )


def _options(visit: Visit, told: list[Throughput], minutes: int) -> dict[str, Any]:
    step = timedelta(minutes=_SPANS[minutes][1])
    known = {one.at: one for one in told}
    now = datetime.now(UTC)
    last = datetime.fromtimestamp(now.timestamp() // step.total_seconds() * step.total_seconds(), UTC)
    axis = [last - step * back for back in range(minutes * 60 // int(step.total_seconds()) - 1, -1, -1)]
    per_minute = step.total_seconds() / 60
    documents = [round(known[at].documents / per_minute, 2) if at in known else 0 for at in axis]
    chunks = [round(known[at].chunks / per_minute, 1) if at in known else 0 for at in axis]
    words = (visit.t("Documents per minute"), visit.t("Chunks per minute"))
    return {
        "legend": {"top": 0, "data": list(words)},
        "xAxis": {"type": "category", "data": [at.astimezone(visit.zone).strftime("%H:%M") for at in axis]},
        "yAxis": [
            {"type": "value", "minInterval": 1, "splitNumber": 2},
            {"type": "value", "minInterval": 1, "splitNumber": 2, "splitLine": {"show": False}},
        ],
        "series": [
            {"type": "bar", "name": words[0], "data": documents, "color": GREEN},
            {
                "type": "line",
                "name": words[1],
                "data": chunks,
                "color": PALE,
                "yAxisIndex": 1,
                "showSymbol": False,
            },
        ],
    }
