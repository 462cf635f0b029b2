"""How one question was answered, as a story from top to bottom; for those who manage the agent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.learn.traces import QuestionTrace
from veraz.ui.parts import heading, number, when
from veraz.ui.reasons import DEGRADED
from veraz.ui.shell import shell
from veraz.ui.trace_models import calls, sentences
from veraz.ui.trace_passages import passages
from veraz.ui.usage_words import OUTCOMES, channel, money, seconds
from veraz.ui.visit import Visit, Visiting

REFUSALS: Final = {
    "no_evidence": "Nothing was found in the documents.",
    "off_topic": "The documents are not about this.",
    "not_answered": "The documents do not hold what was asked for.",
    "unsupported": "No sentence the model wrote could be proven.",
    "human": "A person had taken the conversation over.",
}
TURNS: Final = {
    "conversation": "It was taken for small talk: nothing was searched.",
    "handoff": "It was taken for the wish to speak with a person: nothing was searched.",
}
STAGES: Final = {
    "turn": "Reading the message",
    "follow_up": "Making it stand alone",
    "plan": "What may be read",
    "rewrite": "Other wordings",
    "embed": "Meaning of the question",
    "search": "Search",
    "rank": "Ordering",
    "places": "Places in the documents",
    "context": "Putting together",
    "gate": "Is the answer there?",
    "write": "Writing",
    "judge": "Checking",
    "correct": "Second try",
    "search_again": "Searching again",
}


async def page(visit: Visiting, query_id: UUID) -> None:
    """The story of one question."""
    found = await visit.veraz.traces.of_question(visit.actor, query_id)
    t = visit.t
    with (
        shell(
            visit,
            t("How it was answered"),
            active="/usage",
            subtitle=f"{found.agent} · {channel(visit, found.channel)} · {when(visit, found.created_at)}",
            back=(t("Questions"), "/usage/questions"),
        ),
        ui.element("ol").classes("story"),
    ):
        _question(visit, found)
        if found.trace is None:
            _not_kept(visit)
        else:
            _story(visit, found, found.trace)


@contextmanager
def step(icon: str, title: str) -> Iterator[None]:
    """One part of the story."""
    with ui.element("li").classes("story-step"):
        ui.icon(icon).classes("story-icon").props("aria-hidden=true")
        with ui.column().classes("story-body"):
            heading(title, 2)
            yield


def _question(visit: Visit, found: QuestionTrace) -> None:
    t, trace = visit.t, found.trace or {}
    with step("help_outline", t("The question")):
        ui.label(found.question).classes("passage story-question")
        if found.turn in TURNS:
            ui.label(t(TURNS[found.turn])).classes("small")
        if before := trace.get("history"):
            ui.label(t("Read together with {n} earlier messages.", n=number(visit, before))).classes(
                "quiet small"
            )
        understood = trace.get("understood") or {}
        if alone := understood.get("stand_alone"):
            _line(t("Understood as"), alone)
        for typed, right in (understood.get("spelling") or {}).items():
            _line(t("Spelling"), f"{typed} → {right}")
        for wording in understood.get("wordings") or ():
            _line(t("Also searched as"), wording)


def _line(words: str, text: str) -> None:
    with ui.element("div").classes("story-line"):
        ui.label(words).classes("quiet small")
        ui.label(text).classes("break")


def _not_kept(visit: Visit) -> None:
    t = visit.t
    with step("lock", t("There is nothing more to see")):
        ui.label(
            t(
                "How a question was answered is kept for {n} days. What stands on the personal knowledge of the person "
                "who asked is only for that person.",
                n=number(visit, visit.veraz.settings.trace_days),
            )
        ).classes("quiet")


def _story(visit: Visit, found: QuestionTrace, trace: dict[str, Any]) -> None:
    t = visit.t
    if trace["search"]:
        with step("search", t("What was found")):
            passages(visit, found, trace)
    if found.turn == "question":
        with step("edit_note", t("What the model was sent and wrote")):
            calls(visit, trace["calls"])
    if trace["sentences"]:
        with step("fact_check", t("Checked sentence by sentence")):
            sentences(visit, trace["sentences"])
    with step("chat_bubble_outline", t("What was shown")):
        _shown(visit, found, trace)
    with step("timer", t("Time and cost")):
        _times(visit, trace)


def _shown(visit: Visit, found: QuestionTrace, trace: dict[str, Any]) -> None:
    t, answer = visit.t, trace["answer"]
    kind, icon, words = OUTCOMES[found.outcome or "failed"]
    with ui.element("span").classes(f"state {kind}"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(t(words))
    if trace["failure"]:
        said = t("The person left before the end.") if trace["failure"] == "cancelled" else trace["failure"]
        ui.label(said).classes("small")
    if answer["refusal"] in REFUSALS:
        ui.label(t(REFUSALS[answer["refusal"]])).classes("small")
    if answer["degraded"] in DEGRADED:
        ui.label(t(DEGRADED[answer["degraded"]])).classes("small text-warning")
    if answer["text"]:
        ui.label(answer["text"]).classes("passage story-answer")
    if found.conversation_id:
        ui.link(t("Open the conversation"), visit.to(f"/conversations/{found.conversation_id}")).classes(
            "small"
        )


def _times(visit: Visit, trace: dict[str, Any]) -> None:
    t, total = visit.t, max(trace["total_ms"], 1.0)
    with ui.element("dl").classes("waterfall"):
        for span in (one for one in trace["spans"] if one["ms"] >= 0.1):
            with ui.element("dt"):
                ui.label(t(STAGES[span["stage"]]) if span["stage"] in STAGES else span["stage"])
            with ui.element("dd"):
                start = min(99.0, 100 * float(span["start_ms"]) / total)
                width = max(0.6, min(100.0 - start, 100 * float(span["ms"]) / total))
                with ui.element("div").classes("track").props("aria-hidden=true"):
                    ui.element("div").style(f"margin-left: {start:.2f}%; width: {width:.2f}%")
                ui.label(_milliseconds(visit, span["ms"])).classes("small num")
    usage = trace["usage"]
    parts = [t("Whole time: {time}", time=seconds(visit, trace["total_ms"]))]
    if usage["input_tokens"] or usage["output_tokens"]:
        sent, said = number(visit, usage["input_tokens"]), number(visit, usage["output_tokens"])
        parts.append(t("{sent} tokens sent, {said} received", sent=sent, said=said))
        parts.append(t("{n} credits", n=number(visit, usage["credits"])))
        parts.append(t("Price not known") if usage["cost_usd"] is None else money(visit, usage["cost_usd"]))
    ui.label(" · ".join(parts)).classes("small")


def _milliseconds(visit: Visit, value: float) -> str:
    return f"{number(visit, value, 0 if value >= 10 else 1)} ms" if value < 1000 else seconds(visit, value)
