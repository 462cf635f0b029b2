"""«¿Por qué no salió?»: a document or a text is followed through the steps of a search to the one where it fell out."""

from typing import Final
from uuid import UUID

from nicegui import ui

from veraz.search.explain import Explanation, Fate
from veraz.search.model import SearchResult
from veraz.ui.alerts import Alert, filled
from veraz.ui.parts import dialog, number
from veraz.ui.picking import DocumentPicker
from veraz.ui.visit import Visit

_STEPS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("Knowledge base searched", frozenset({"archived", "not_assigned"})),
    ("Current version", frozenset({"superseded"})),
    ("Processed already", frozenset({"not_completed"})),
    ("Machine", frozenset({"other_machine"})),
    ("Filters", frozenset({"filtered_out"})),
    ("Passages of it", frozenset({"no_passages"})),
    ("Nearness", frozenset({"not_retrieved"})),
    ("Similarity threshold", frozenset({"below_threshold"})),
    (
        "Place among the results",
        frozenset({"similar_to_better", "source_cap", "top_k", "token_budget"}),
    ),
)
_SHOWN_PASSAGES = 5


async def ask_why(visit: Visit, kb_id: UUID, result: SearchResult) -> None:
    """A dialog that asks what was expected and tells what became of it."""
    t = visit.t

    async def by_document() -> None:
        if choice.chosen:
            words.set_value("")
            await show(document_id=choice.chosen[0])

    async def by_words() -> None:
        if str(words.value or "").strip():
            choice.field.set_value(None)
            await show(words=str(words.value))
        elif choice.chosen:
            await by_document()
        else:
            filled(visit, words)

    async def show(*, document_id: UUID | None = None, words: str | None = None) -> None:
        answer.clear()
        with answer:
            ui.spinner(size="2rem")
        try:
            told = await visit.veraz.search.explain_result(
                visit.actor, result, document_id=document_id, words=words
            )
        finally:
            answer.clear()
        with answer:
            _tell(visit, told)

    with dialog(t("Why was it not found?"), wide=True) as box:
        ui.label(t("Choose the document you expected, or paste a sentence of it.")).classes("quiet")
        choice = DocumentPicker(visit, [kb_id], t("Document"), status=None)
        await choice.look()
        words = (
            ui.input(t("Or a sentence that should have come up")).props("maxlength=2000").classes("w-full")
        )
        Alert()
        choice.field.on_value_change(visit.act(by_document))
        words.on("keydown.enter", visit.act(by_words))
        with ui.row().classes("w-full justify-end"):
            ui.button(t("Close"), on_click=box.close).props("flat")
            ui.button(t("Find out"), on_click=visit.act(by_words))
        answer = ui.column().classes("w-full").props("aria-live=polite")


def _tell(visit: Visit, told: Explanation) -> None:
    """The sentence, what to do, the steps, and the passages for who wants to see them."""
    t, language = visit.t, visit.language
    with ui.column().classes("verdict w-full gap-1"):
        ui.label(told.message(language)).classes("text-bold break")
        if advice := told.advice(language):
            ui.label(advice).classes("break")
    _ladder(visit, told)
    if told.fates:
        with ui.expansion(t("Its passages and their scores")).classes("w-full").props("dense"):
            for fate in told.fates[:_SHOWN_PASSAGES]:
                _passage(visit, fate)


def _ladder(visit: Visit, told: Explanation) -> None:
    failed = next((n for n, (_, reasons) in enumerate(_STEPS) if told.reason in reasons), len(_STEPS))
    with ui.element("ol").classes("ladder"):
        for n, (words, _) in enumerate(_STEPS):
            kind, icon = ("good", "check_circle") if n < failed else ("idle", "radio_button_unchecked")
            if n == failed:
                kind, icon = "bad", "cancel"
            with ui.element("li"):
                with ui.element("span").classes(f"state {kind}"):
                    ui.icon(icon).props("aria-hidden=true")
                ui.label(visit.t(words) + _measured(visit, told, words))
                if n == failed:
                    ui.label(visit.t("it fell out here")).classes("state bad")


def _measured(visit: Visit, told: Explanation, step: str) -> str:
    """The figures of the step that were compared."""
    if not told.fates:
        return ""
    best, t = told.fates[0], visit.t
    if step == "Nearness":
        beyond = f"> {told.looked}"
        by_words = (
            t("by words number {n}", n=best.word_rank or beyond)
            if best.keyword_rank
            else t("without words of the question")
        )
        return ": " + t(
            "by meaning number {n}, {by_words}; the first {depth} of each list go on",
            n=best.vector_rank or beyond,
            by_words=by_words,
            depth=told.depth,
        )
    if step == "Similarity threshold":
        return ": " + t(
            "similarity {found}, threshold {threshold}",
            found=number(visit, best.similarity, 2),
            threshold=number(visit, told.threshold, 2),
        )
    return ""


def _passage(visit: Visit, fate: Fate) -> None:
    with ui.card().classes("w-full q-mb-sm"):
        ui.label(
            visit.t(
                "similarity {similarity} · words {words}",
                similarity=number(visit, fate.similarity, 2),
                words=number(visit, fate.keyword_rank, 2),
            )
        ).classes("quiet small")
        ui.label(fate.content[:400]).classes("passage small")
