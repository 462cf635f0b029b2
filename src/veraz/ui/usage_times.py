"""When people ask: by day with how it ended, by hour, by channel; each plot can be read as a table."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from nicegui import ui

from veraz.learn.usage import ChannelUse, Day, Hour
from veraz.ui.charts import AMBER, INDIGO, SLATE, TEAL, as_table, chart, stacked
from veraz.ui.parts import bar, heading, number
from veraz.ui.usage_words import ENDINGS, channel, share
from veraz.ui.visit import Visit

_COLOURS = {"answered": TEAL, "refused": AMBER, "handed_over": INDIGO, "failed": SLATE}


def by_day(visit: Visit, days: Sequence[Day], span: int) -> None:
    """A bar for each day, stacked by outcome; an outcome that never happened is not drawn."""
    t = visit.t
    known = {one.day: one for one in days}
    today = datetime.now(visit.zone).date()
    axis = [today - timedelta(days=back) for back in range(span - 1, -1, -1)]
    form = "%d/%m" if visit.language == "es" else "%m-%d"
    kinds = [name for name in _COLOURS if name == "answered" or any(getattr(day, name) for day in days)]
    series = [
        (t(ENDINGS[name]), _COLOURS[name], [getattr(known.get(day), name, 0) for day in axis])
        for name in kinds
    ]
    with ui.card().classes("w-full"):
        heading(t("Questions by day"), 2)
        chart(stacked([day.strftime(form) for day in axis], series))
        rows = [
            [day.day.strftime(form), *(number(visit, getattr(day, name)) for name in kinds)]
            for day in sorted(days, key=lambda one: one.day, reverse=True)
        ]
        as_table(t("Show as a table"), [t("Day"), *(words for words, _, _ in series)], rows)


def by_hour(visit: Visit, hours: Sequence[Hour]) -> None:
    """At which hours people ask."""
    t, known = visit.t, {one.hour: one.questions for one in hours}
    with ui.card():
        heading(t("Busiest hours"), 2)
        options = stacked(
            [f"{hour:02}" for hour in range(24)],
            [(t("Questions"), TEAL, [known.get(hour, 0) for hour in range(24)])],
        )
        del options["legend"]
        chart(options, height=180)
        rows = [[f"{one.hour:02}:00", number(visit, one.questions)] for one in hours]
        as_table(t("Show as a table"), [t("Hour"), t("Questions")], rows)


def channels_card(visit: Visit, channels: Sequence[ChannelUse]) -> None:
    """By which channel people ask."""
    t = visit.t
    most = max((one.questions for one in channels), default=1)
    with ui.card():
        heading(t("Channels"), 2)
        for one in channels:
            name = channel(visit, one.channel)
            with ui.row().classes("w-full items-center justify-between no-wrap"):
                ui.label(name).classes("break")
                answered = t("{share} answered", share=share(visit, one.answered, one.questions))
                ui.label(f"{number(visit, one.questions)} · {answered}").classes("small quiet num")
            bar(one.questions / most, name)
