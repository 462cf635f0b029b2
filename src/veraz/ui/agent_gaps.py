"""Lagunas: what people asked an agent in vain, and the way to teach it."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from veraz.ingest.receive import Labels
from veraz.learn.exam import NewExamQuestion
from veraz.learn.gaps import Gap
from veraz.library.model import Agent
from veraz.ui.agents import needed
from veraz.ui.parts import buttons, confirm, dialog, empty, number, typed, when
from veraz.ui.visit import Visit

_SPANS = {7: "Last 7 days", 30: "Last 30 days", 90: "Last 90 days", 365: "Last year"}
After = Callable[[], Awaitable[None]]


async def gaps(visit: Visit, agent: Agent) -> After:
    """What the agent could learn next, most asked first; how to bring it up to date."""
    t = visit.t

    async def show() -> None:
        found = await visit.veraz.gaps.of_agent(visit.actor, agent.id, days=int(span.value))
        shown.clear()
        with shown:
            for gap in found:
                _card(visit, agent, gap, show)
            if not found:
                empty("task_alt", t("No gaps in this time"), t("Every question had a good answer."))

    with ui.column().classes("w-full gap-4"):
        with ui.element("div").classes("toolbar"):
            ui.label(t("What people asked and the agent could not answer, or answered badly.")).classes(
                "quiet grow"
            )
            spans = {days: t(words) for days, words in _SPANS.items()}
            span = ui.select(spans, value=90, label=t("Time")).style("min-width: 170px")
        shown = ui.column().classes("w-full gap-3")
        span.on_value_change(visit.act(show))
    await show()
    return show


def _card(visit: Visit, agent: Agent, gap: Gap, after: After) -> None:
    t = visit.t
    with ui.card().classes("w-full"), ui.row().classes("w-full items-start gap-4"):
        with ui.column().classes("grow gap-1").style("flex-basis: 260px"):
            with ui.element("h2").classes("break"):
                ui.label(gap.topic or gap.examples[0]).style("display: inline")
            for example in gap.examples:
                ui.label(f"«{example}»").classes("small break")
            ui.label(_figures(visit, gap)).classes("quiet small")
        with ui.row().classes("gap-2"):
            dismiss = ui.button(t("Not its business"), on_click=lambda: _dismiss(visit, agent, gap, after))
            dismiss.props("flat color=secondary")
            ui.button(
                t("Add the answer"), icon="edit_note", on_click=visit.act(lambda: _teach(visit, agent, gap))
            )


def _dismiss(visit: Visit, agent: Agent, gap: Gap, after: After) -> None:
    """Questions the agent must not answer: its exam keeps watch over them, and they are no gap any more."""

    async def yes() -> None:
        refused = [NewExamQuestion(question=one, must_refuse=True) for one in gap.questions]
        await visit.veraz.exams.add(visit.actor, agent.id, refused)
        visit.done("Added to its exam as questions without an answer")
        await after()

    t = visit.t
    text = t(
        "These questions go into its exam as questions it must not answer, and are not shown here again."
    )
    confirm(visit, t("Is this none of its business?"), text, t("Not its business"), yes)


def _figures(visit: Visit, gap: Gap) -> str:
    t = visit.t
    parts = [t("Asked {n} times", n=number(visit, gap.count)) if gap.count > 1 else t("Asked once")]
    if gap.refused:
        parts.append(t("without evidence: {n}", n=number(visit, gap.refused)))
    if gap.badly_rated:
        parts.append(t("rated badly: {n}", n=number(visit, gap.badly_rated)))
    parts.append(t("last {when}", when=when(visit, gap.last_asked)))
    return " · ".join(parts)


async def _teach(visit: Visit, agent: Agent, gap: Gap) -> None:
    """An entry that becomes knowledge of the agent: only its own, or of a knowledge base it reads."""
    t = visit.t

    async def add() -> None:
        if not (title.validate() & answer.validate()):
            return
        text, name = typed(answer.value, longest=1_000_000), typed(title.value, longest=255)
        kb_id = where.value or await visit.veraz.agents.ensure_own_kb(visit.actor, agent.id)
        content = f"# {name}\n\n{text}"
        await visit.veraz.reception.text(visit.actor, kb_id, name, content, Labels(origin="manual"))
        box.close()
        visit.done("Added; the agent knows it in a moment")

    with dialog(t("Add the answer"), wide=True) as box:
        for example in gap.examples[:3]:
            ui.label(f"«{example}»").classes("quiet small break")
        title = ui.input(t("Title"), value=gap.examples[0][:255], validation=needed(visit))
        title.without_auto_validation().props("maxlength=255").classes("w-full")
        answer = ui.textarea(t("Answer"), validation=needed(visit)).without_auto_validation()
        answer.props("rows=6 autofocus").classes("w-full")
        where = ui.select(await _places(visit, agent), value="", label=t("Knowledge base")).classes("w-full")
        buttons(visit, box, t("Add"), visit.act(add))


async def _places(visit: Visit, agent: Agent) -> dict[object, str]:
    own = await visit.veraz.agents.own_kb(visit.actor, agent.id)
    places: dict[object, str] = {"": visit.t("Manual entries")}
    for one in await visit.veraz.assignments.of_agent(visit.actor, agent.id):
        kb = await visit.veraz.knowledge_bases.get(visit.actor, one.kb_id)
        if kb.id != own and kb.kind == "global":
            places[kb.id] = kb.name
    return places
