"""What models were sent and said for one question, and what became of every sentence."""

from collections.abc import Sequence
from typing import Any, Final

from nicegui import ui

from veraz.ui.parts import heading, number
from veraz.ui.reasons import REASONS
from veraz.ui.usage_words import seconds
from veraz.ui.visit import Visit

PURPOSES: Final = {
    "follow_up": "Make the question stand alone",
    "write": "Write the answer",
    "judge": "Check the sentences",
}


def calls(visit: Visit, made: Sequence[dict[str, Any]]) -> None:
    """Each request folded away under what it was for."""
    t = visit.t
    if not made:
        ui.label(t("No model was asked.")).classes("small")
    for place, call in enumerate(made):
        purpose = t("Correct the answer") if _corrects(call, made[:place]) else t(PURPOSES[call["purpose"]])
        tokens = t(
            "{sent} tokens sent, {said} received",
            sent=number(visit, call["input_tokens"]),
            said=number(visit, call["output_tokens"]),
        )
        with ui.expansion(
            purpose, caption=f"{call['model']} · {seconds(visit, call['ms'])} · {tokens}"
        ) as fold:
            fold.classes("w-full trace-call").props("dense")
            if not call["whole"]:
                ui.label(t("It did not come to its end.")).classes("small text-warning")
            _text(t("Instructions"), call["instructions"])
            for message in call["messages"]:
                _text(t("Sent") if message["role"] == "user" else t("Answered before"), message["text"])
            if call.get("left_out"):
                ui.label(t("What was sent is too long to be kept.")).classes("quiet small")
            _text(t("The model wrote"), call["reply"])


def _corrects(call: dict[str, Any], before: Sequence[dict[str, Any]]) -> bool:
    """Whether the model is shown what it wrote and asked to write it better."""
    drafts = [one["reply"] for one in before if one["purpose"] == "write"]
    sent = [one["text"] for one in call["messages"] if one["role"] == "assistant"]
    return call["purpose"] == "write" and bool(drafts and sent) and sent[-1].strip() == drafts[-1].strip()


def _text(words: str, text: str) -> None:
    if text:
        heading(words, 3)
        ui.label(text).classes("trace-text").props("tabindex=0 role=region").props["aria-label"] = words


def sentences(visit: Visit, checked: Sequence[dict[str, Any]]) -> None:
    """Shown with what proves it, or held back with the reason."""
    t = visit.t
    with ui.element("ul").classes("trace-sentences"):
        for one in checked:
            held = one["verdict"] == "held_back"
            with ui.element("li").classes("held" if held else ""):
                with ui.element("span").classes("state bad" if held else "state good"):
                    ui.icon("block" if held else "verified").props("aria-hidden=true")
                    ui.label(_verdict(visit, one))
                ui.label(one["text"]).classes("break")
                for quote in one.get("quotes", ()):
                    where = [f"[{quote['number']}]" if quote["number"] else "", quote["document"]]
                    where += [t("page {n}", n=quote["page"])] if quote["page"] else []
                    said = " ".join(part for part in where if part)
                    ui.label(f"{said}: «{' '.join(quote['text'].split())}»").classes("quiet small break")


def _verdict(visit: Visit, one: dict[str, Any]) -> str:
    if one["verdict"] == "held_back":
        kind, _, words = one["reason"].partition(": ")
        said = visit.t(REASONS[kind]) if kind in REASONS else kind
        return visit.t("Held back: {reason}", reason=f"{said}: {words}" if words else said)
    return visit.t("Word for word") if one["verdict"] == "quoted" else visit.t("Proven")
