"""Usage: what people asked, how it ended, how fast and at what cost; by agent and knowledge base."""

import asyncio
import csv
import io
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from nicegui import ui

from veraz.learn.usage import DailyUse, Period, Totals, UsageReport
from veraz.library.model import Agent, KnowledgeBase
from veraz.paging import PageRequest
from veraz.security import record
from veraz.ui.parts import empty, icon_button, number
from veraz.ui.shell import shell
from veraz.ui.usage_tables import agents_table, apart_card, bases_table, documents_cards, models_table
from veraz.ui.usage_times import by_day, by_hour, channels_card
from veraz.ui.usage_words import ENDINGS, money, seconds, share
from veraz.ui.visit import Visit, Visiting

_SPANS: Final = {7: "7 days", 30: "30 days", 90: "90 days"}
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


async def moved(visit: Visiting) -> None:
    """Where this page was before."""
    ui.navigate.to(visit.to("/usage"))


async def page(
    visit: Visiting,
    days: int = 30,
    project: UUID | None = None,
    agent: UUID | None = None,
    base: UUID | None = None,
) -> None:
    """The numbers of the chosen time; what is chosen stands in the address."""
    chosen = _Chosen(days=days if days in _SPANS else 30, project=project, agent=agent, base=base)
    everything = PageRequest(limit=500)
    report, agents, bases = await asyncio.gather(
        visit.veraz.usage.report(visit.actor, chosen.period(visit)),
        visit.veraz.agents.all(visit.actor, everything),
        visit.veraz.knowledge_bases.all(visit.actor, everything),
    )
    with shell(
        visit,
        visit.t("Usage"),
        active="/usage",
        subtitle=visit.t("What people ask your agents. Exams, trials and test searches are counted apart."),
    ):
        _UsagePage(visit, chosen, agents.items, bases.items).draw(report)


@dataclass(slots=True, kw_only=True)
class _Chosen:
    """What of the log is looked at."""

    days: int
    project: UUID | None
    agent: UUID | None
    base: UUID | None

    def period(self, visit: Visit) -> Period:
        until = datetime.now(UTC)
        first = (until.astimezone(visit.zone) - timedelta(days=self.days - 1)).replace(
            hour=0, minute=0, second=0, microsecond=0
        )
        return Period(
            since=first,
            until=until + timedelta(minutes=1),
            zone=visit.zone.key,
            project_id=self.project,
            agent_id=self.agent,
            kb_id=self.base,
        )

    def address(self, visit: Visit) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return f"{visit.to('/usage')}?{urlencode({name: one for name, one in given.items() if one})}"


class _UsagePage:
    """Filters above, numbers below; the numbers change in place."""

    def __init__(
        self, visit: Visit, chosen: _Chosen, agents: list[Agent], bases: list[KnowledgeBase]
    ) -> None:
        self.visit, self.chosen, self.agents, self.bases = visit, chosen, agents, bases

    def draw(self, report: UsageReport) -> None:
        """Everything once."""
        self._filters()
        self.shown = ui.column().classes("w-full gap-4").props("aria-live=polite")
        with self.shown:
            self._show(report)

    def _filters(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("toolbar usage-filters"):
            spans = ui.toggle({one: t(words) for one, words in _SPANS.items()}, value=self.chosen.days)
            spans.props("unelevated no-caps toggle-color=primary").on_value_change(self._choose("days"))
            if len(visit.projects) > 1:
                self._select("project", t("Project"), t("Every project"), visit.projects)
            self._select("agent", t("Agent"), t("Every agent"), self.agents)
            global_ones = [base for base in self.bases if base.kind == "global"]
            self._select("base", t("Knowledge base"), t("Every knowledge base"), global_ones)
            ui.space()
            ui.button(t("See the questions"), icon="list").props(
                f"outline tag=a href={visit.to('/usage/questions')}"
            )
            icon_button("download", t("Export CSV"), visit.act(self._export))

    def _select(self, name: str, label: str, all_of_them: str, things: Any) -> None:
        options = {"": all_of_them} | {str(one.id): one.name for one in things}
        value = str(getattr(self.chosen, name) or "")
        select = ui.select(options, value=value if value in options else "", label=label)
        select.classes("usage-filter").props("dense outlined options-dense")
        select.on_value_change(self._choose(name))

    def _choose(self, name: str) -> Any:
        async def choose(event: Any) -> None:
            value = event.value if name == "days" else UUID(event.value) if event.value else None
            setattr(self.chosen, name, value)
            ui.navigate.history.replace(self.chosen.address(self.visit))
            report = await self.visit.veraz.usage.report(self.visit.actor, self.chosen.period(self.visit))
            self.shown.clear()
            with self.shown:
                self._show(report)

        return self.visit.act(choose)

    async def _export(self) -> None:
        visit = self.visit
        lines = await visit.veraz.usage.daily(visit.actor, self.chosen.period(visit))
        record("exported", visit.actor, thing="usage", format="csv")
        name = f"{visit.t('usage')}-{datetime.now(visit.zone):%Y-%m-%d}.csv"
        ui.download.content(_csv(visit, lines), name, "text/csv; charset=utf-8")

    def _show(self, report: UsageReport) -> None:
        visit = self.visit
        if not report.totals.questions:
            self._nothing()
        else:
            _figures(visit, report.totals, report)
            by_day(visit, report.days, self.chosen.days)
            agents_table(visit, report.agents)
            bases_table(visit, report.bases)
            documents_cards(visit, report)
            with ui.element("div").classes("grid-halves"):
                by_hour(visit, report.hours)
                channels_card(visit, report.channels)
            models_table(visit, report.models)
        apart_card(visit, report.apart)

    def _nothing(self) -> None:
        visit, t = self.visit, self.visit.t
        with empty(
            "insights",
            t("No questions from people in this period"),
            t(
                "Here you will see how many questions are answered, which are not, how long they take and what they cost."
            ),
        ):
            ui.button(t("Ask an agent"), icon="forum").props(f"tag=a href={visit.to('/ask')}")


def _figures(visit: Visit, totals: Totals, report: UsageReport) -> None:
    t, every = visit.t, totals.questions
    spent = [model for model in report.models if model.people]
    cost = money(visit, sum(model.cost_usd or 0.0 for model in spent))
    with ui.element("div").classes("stats usage-stats"):
        people = t("People: {n}", n=number(visit, totals.people))
        _figure(visit, number(visit, every), t("Questions"), people)
        for outcome, words in ENDINGS.items():
            count = getattr(totals, outcome)
            if outcome != "failed" or count:
                _figure(visit, share(visit, count, every), t(words), number(visit, count), outcome)
        median = t("median {time}", time=seconds(visit, totals.p50_ms))
        slow = t("95 % in less than {time}", time=seconds(visit, totals.p95_ms))
        _figure(visit, median, t("Response time"), slow).classes("two")
        rated = totals.liked + totals.disliked
        good = t(
            "{good} good · {bad} bad", good=number(visit, totals.liked), bad=number(visit, totals.disliked)
        )
        _figure(
            visit,
            share(visit, totals.liked, rated),
            t("Good ratings"),
            good if rated else t("No ratings yet"),
        )
        credits = number(visit, sum(model.credits for model in spent))
        _figure(visit, credits, t("Credits"), t("Models: {cost}", cost=cost))


def _figure(visit: Visit, value: str, words: str, note: str, outcome: str = "") -> ui.element:
    """One number with what stands behind it; it leads to its questions where there is a list of them."""
    named = f'<div class="quiet small">{escape(words)}</div>'
    if outcome:
        there = f"{visit.to('/usage/questions')}?outcome={outcome}"
        named = f'<a class="nicegui-link small" href="{there}">{escape(words)}</a>'
    markup = f'<div class="value">{escape(value)}</div>{named}<div class="quiet small">{escape(note)}</div>'
    return ui.html(markup, sanitize=False).classes("stat")


def _csv(visit: Visit, lines: list[DailyUse]) -> bytes:
    """By day, agent and channel; no cell can be taken for a formula."""
    t = visit.t
    names = [t("Day"), t("Agent"), t("Channel"), t("Questions"), t("Answered"), t("Not answered")]
    names += [
        t("Handed over to a person"),
        t("Not finished"),
        t("Median response time (s)"),
        t("Credits"),
        "USD",
    ]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(names)
    for line in lines:
        cells = [getattr(line, field.name) for field in fields(line)]
        median = cells[8]
        cells[8] = "" if median is None else round(median / 1000, 2)
        writer.writerow([_safe(cell) for cell in cells])
    return ("\ufeff" + out.getvalue()).encode()


def _safe(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return f"'{text}" if isinstance(cell, str) and text.startswith(_FORMULA) else text
