"""What an answer was made from: the passages that were read with their scores, and what its readers do not see."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.answer.conversations import StoredMessage
from veraz.api.source_html import plain_words
from veraz.ui.ask_proofs import Proven
from veraz.ui.parts import heading, number
from veraz.ui.reasons import DEGRADED, REASONS
from veraz.ui.source import Proof, SourcePanel
from veraz.ui.visit import Visit

_NEAREST: Final = 3
_EXCERPT: Final = 400
_SCORES: Final = (
    ("similarity", "Similarity", 2),
    ("cosine", "Cosine", 3),
    ("bm25", "Words (BM25)", 2),
    ("rrf_score", "RRF", 4),
    ("match", "Match", 2),
    ("boost", "Boost", 2),
)


def draw_nearest(visit: Visit, panel: SourcePanel, message: StoredMessage) -> None:
    """What comes closest to a question that no document answers."""
    near = [one for one in message.evidence if one.get("url")][:_NEAREST]
    if not near:
        return
    heading(visit.t("The closest passages"), 3)
    proofs = [Proof.of_evidence(one) for one in near]
    with ui.column().classes("w-full gap-2"):
        shown = [_card(visit, one, _opener(visit, panel, proofs, index)) for index, one in enumerate(near)]
    _fill_later(visit, near, shown)


def draw_inspector(visit: Visit, panel: SourcePanel, message: StoredMessage, found: Proven) -> None:
    """Every passage that was read, with its scores; built when somebody looks."""
    words = visit.t("Evidence inspector · passages: {n}", n=len(message.evidence))
    with ui.expansion(words, icon="fact_check").classes("w-full inspector").props("dense") as box:
        inside = ui.column().classes("w-full gap-3 q-pt-sm")

    def fill() -> None:
        if not box.value or inside.default_slot.children:
            return
        with inside:
            if found.claims:
                _claim_map(visit, message, found)
            _passages(visit, panel, message)

    box.on_value_change(fill)


def tell_managers(visit: Visit, message: StoredMessage) -> None:
    """What its readers do not see: sentences held back, and what did not work."""
    t = visit.t
    if message.degraded:
        ui.label(t(DEGRADED[message.degraded])).classes("quiet small break")
    if message.held_back:
        words = t("Sentences held back: {n}", n=len(message.held_back))
        with ui.expansion(words, icon="block").classes("w-full").props("dense"):
            for one in message.held_back:
                ui.label(f"{one['text']} · {_reason(visit, one['reason'])}").classes("small break")


def _reason(visit: Visit, reason: str) -> str:
    kind, _, words = reason.partition(": ")
    said = visit.t(REASONS[kind]) if kind in REASONS else kind
    return f"{said}: {words}" if words else said


def _claim_map(visit: Visit, message: StoredMessage, found: Proven) -> None:
    quotes = (quote for claim in message.claims for quote in claim.get("quotes", ()))
    corrected = {Proof.of_quote(quote) for quote in quotes if quote.get("corrected")}
    heading(visit.t("Which quotation proves which claim"), 3)
    for text, numbers in found.claims:
        ui.label(f"[{', '.join(map(str, numbers))}] {text}").classes("small break")
        for one in numbers:
            proof = found.proofs[one - 1]
            where = " › ".join(proof.place[-2:])
            by_hand = f" ({visit.t('corrected by a person')})" if proof in corrected else ""
            words = f"{where}: «{' '.join(proof.text.split())}»{by_hand}"
            ui.label(words).classes("quiet small break q-pl-md")


def _passages(visit: Visit, panel: SourcePanel, message: StoredMessage) -> None:
    heading(visit.t("Passages that were read"), 3)
    proofs = [Proof.of_evidence(one) for one in message.evidence]
    shown: list[ui.label] = []
    for index, one in enumerate(message.evidence):
        shown.append(_card(visit, one, _opener(visit, panel, proofs, index) if one.get("url") else None))
        _scores(visit, one)
    _fill_later(visit, message.evidence, shown)


def _fill_later(visit: Visit, passages: Sequence[Mapping[str, Any]], labels: Sequence[ui.label]) -> None:
    """The words of the passages as the documents have them now: they are not stored with answers."""

    async def fill() -> None:
        for passage, label in zip(passages, labels, strict=True):
            with suppress(errors.NotFound):  # deleted since, or out of reach
                quote = await visit.veraz.passages.look(visit.actor, UUID(passage["chunk_id"]))
                label.set_text(plain_words(quote)[:_EXCERPT])

    ui.timer(0.05, visit.act(fill), once=True)


def _opener(visit: Visit, panel: SourcePanel, proofs: list[Proof], index: int) -> Callable[..., Any]:
    return visit.act(lambda: panel.open(proofs, index))


def _card(visit: Visit, passage: Mapping[str, Any], on_click: Callable[..., Any] | None) -> ui.label:
    """A passage, a button where its source can be opened; the label of its words."""
    box = ui.element("button").props("type=button").on("click", on_click) if on_click else ui.element("div")
    with box.classes("near"):
        with ui.element("span").classes("near-head"):
            ui.icon("description").props("aria-hidden=true")
            ui.label(str(passage["document_name"])).classes("text-bold break")
            ui.label(_place(visit, passage)).classes("quiet small break")
        return ui.label("").classes("near-text small")


def _place(visit: Visit, passage: Mapping[str, Any]) -> str:
    page = visit.t("page {n}", n=passage["page_number"]) if passage.get("page_number") else ""
    return " · ".join(filter(None, (" › ".join((passage.get("place") or ())[-2:]), page)))


def _scores(visit: Visit, passage: Mapping[str, Any]) -> None:
    parts = [visit.t("Relevance {score}", score=number(visit, passage["relevance"], 2))]
    scores = passage.get("scores") or {}
    parts += [
        f"{visit.t(words)} {number(visit, scores[key], digits)}"
        for key, words, digits in _SCORES
        if scores.get(key) is not None
    ]
    ui.label(" · ".join(parts)).classes("quiet small break")
