"""Test search: what a question finds in a knowledge base, with every score, and why something was not found."""

import html
import re
from datetime import date
from typing import Any
from uuid import UUID

import nh3
from nicegui import ui

from veraz.library.model import KnowledgeBase
from veraz.search.explain import Explanation
from veraz.search.model import Filters, Hit, SearchResult
from veraz.search.service import Wish
from veraz.text.words import lexemes
from veraz.ui.document import place
from veraz.ui.parts import bar, dialog, empty, heading, number, tier_badge
from veraz.ui.picking import DocumentPicker
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_WORD = re.compile(r"[^\W_]+")


async def page(visit: Visiting, kb_id: UUID) -> None:
    """The test search of one knowledge base."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(visit, visit.t("Test search"), active=active, back=(kb.name, f"/knowledge-bases/{kb_id}")):
        await _Searching(visit, kb).draw()


class _Searching:
    """The form and what it found."""

    def __init__(self, visit: Visit, kb: KnowledgeBase) -> None:
        self.visit, self.kb = visit, kb

    async def draw(self) -> None:
        """Question, knobs, results."""
        visit, t = self.visit, self.visit.t
        with ui.card().classes("w-full"):
            self.query = (
                ui.textarea(t("Question")).props("autofocus autogrow maxlength=10000").classes("w-full")
            )
            self.query.on("keydown.enter.exact.prevent", visit.act(self._search))
            with ui.element("div").classes("toolbar"):
                self.top_k = ui.number(t("Results"), value=5, min=1, max=50, precision=0).style(
                    "width: 110px"
                )
                self.threshold = ui.number(
                    t("Threshold"), value=0.7, min=0, max=1, step=0.05, precision=2
                ).style("width: 120px")
                self.rerank = ui.switch(t("Rerank"), value=True)
                ui.space()
                ui.button(t("Search"), icon="search", on_click=visit.act(self._search))
            await self._filters()
        self.results = (
            ui.column()
            .classes("w-full gap-3")
            .props("role=region aria-live=polite")
            .props(f'aria-label="{t("Results")}"')
        )

    async def _filters(self) -> None:
        t = self.visit.t
        with (
            ui.expansion(t("Filters")).classes("w-full").props("dense"),
            ui.column().classes("w-full q-pt-sm"),
        ):
            self.documents = DocumentPicker(
                self.visit, [self.kb.id], t("Only these documents"), multiple=True
            )
            await self.documents.look()
            with ui.row():
                self.since = ui.date_input(t("From"))
                self.until = ui.date_input(t("Until"))

    def _filter(self) -> Filters:
        return Filters(
            document_ids=self.documents.chosen or None,
            date_from=_day(self.since.value),
            date_until=_day(self.until.value),
        )

    def _wish(self) -> Wish:
        return Wish(
            top_k=int(self.top_k.value or 5),
            similarity_threshold=float(self.threshold.value or 0),
            rerank=self.rerank.value,
        )

    async def _search(self) -> None:
        visit = self.visit
        result = await visit.veraz.search.search_kb(
            visit.actor, self.kb.id, self.query.value or "", wish=self._wish(), filters=self._filter()
        )
        self.results.clear()
        with self.results:
            self._show(result)

    def _show(self, result: SearchResult) -> None:
        visit, hits = self.visit, result.evidence.hits
        with ui.row().classes("w-full items-center"):
            heading(
                visit.t(
                    "Found {n} in {ms} ms, chunks searched: {searched}",
                    n=len(hits),
                    ms=number(visit, result.search_time_ms),
                    searched=number(visit, result.evidence.searched),
                ),
                2,
            )
            ui.space()
            ui.button(
                visit.t("Why was it not found?"),
                icon="help_outline",
                on_click=visit.act(lambda: self._why(result)),
            ).props("flat")
        if result.without_meaning:
            ui.label(visit.t("The embedding service did not answer; only words were searched.")).classes(
                "text-warning"
            )
        if not hits:
            empty(
                "search_off",
                visit.t("Nothing above the threshold"),
                visit.t("Lower the threshold or add documents."),
            )
        for hit in hits:
            hit_card(visit, hit, result.question.text)

    async def _why(self, result: SearchResult) -> None:
        visit, t = self.visit, self.visit.t

        async def explain() -> None:
            answer.clear()
            if not choice.chosen:
                return
            told = await visit.veraz.search.explain_result(visit.actor, result, document_id=choice.chosen[0])
            with answer:
                _tell(visit, told)

        with dialog(t("Why was it not found?"), wide=True):
            choice = DocumentPicker(visit, [self.kb.id], t("Document"))
            await choice.look()
            answer = ui.column().classes("w-full").props("aria-live=polite")
            choice.field.on_value_change(visit.act(explain))


def _tell(visit: Visit, told: Explanation) -> None:
    ui.label(told.message(visit.language)).classes("text-bold break")
    for fate in told.fates[:5]:
        with ui.card().classes("w-full"):
            ui.label(
                visit.t(
                    "similarity {similarity} · match {match} · words {words}",
                    similarity=number(visit, fate.similarity, 2),
                    match=number(visit, fate.match, 2),
                    words=number(visit, fate.keyword_rank, 2),
                )
            ).classes("quiet small")
            ui.label(fate.content[:400]).classes("passage small")


def hit_card(visit: Visit, hit: Hit, question: str, *, anchor: str = "", place_number: int = 0) -> ui.card:
    """A passage with its document, its place, its words in colour and its scores."""
    passage = hit.passage
    with ui.card().classes("w-full evidence") as card:
        if anchor:
            card.props(f"id={anchor}")
        with ui.row().classes("w-full items-center gap-3"):
            if place_number:
                ui.label(f"[{place_number}]").classes("text-bold")
            ui.icon("description").classes("quiet").props("aria-hidden=true")
            target = visit.to(f"/knowledge-bases/{passage.kb_id}/documents/{passage.document_id}")
            ui.link(passage.document_name, target).classes("text-bold break")
            ui.label(place(visit, passage.page_number, passage.part, passage.ordinal)).classes("quiet small")
            tier_badge(visit, passage.source_tier)
            ui.space()
            ui.label(visit.t("Relevance {score}", score=number(visit, hit.relevance, 2))).classes("text-bold")
        if passage.headers:
            ui.label(" › ".join(passage.headers)).classes("quiet small break")
        ui.html(highlighted(passage.content, question, passage.language), sanitize=_only_marks).classes(
            "passage"
        )
        _scores(visit, hit)
    return card


def _scores(visit: Visit, hit: Hit) -> None:
    t, passage = visit.t, hit.passage
    parts: list[tuple[str, str]] = [
        (t("Similarity"), f"{number(visit, hit.similarity * 100)} %"),
        (t("Cosine"), number(visit, passage.cosine, 3) if passage.cosine is not None else "–"),
        (t("Words (BM25)"), number(visit, passage.bm25, 2)),
        (t("RRF"), number(visit, hit.rrf_score, 4)),
        (t("Match"), number(visit, hit.match, 2)),
        (t("Boost"), number(visit, hit.boost, 2)),
    ]
    with ui.row().classes("w-full gap-4"):
        for words, value in parts:
            ui.label(f"{words} {value}").classes("quiet small")
    if passage.authority_score:
        ui.label(t("Authority {score} of 100", score=number(visit, passage.authority_score))).classes(
            "quiet small"
        )
        bar(passage.authority_score / 100, t("Authority"))


def highlighted(text: str, question: str, language: str) -> str:
    """The text as HTML, with the question's words marked wherever their stem appears."""
    wanted = set(lexemes(question, language))

    def mark(found: re.Match[str]) -> str:
        word = found.group()
        return f"<mark>{word}</mark>" if wanted.intersection(lexemes(word, language)) else word

    pieces: list[str] = []
    last = 0
    for found in _WORD.finditer(text):
        pieces += [html.escape(text[last : found.start()]), mark(found)]
        last = found.end()
    return "".join([*pieces, html.escape(text[last:])])


def _only_marks(markup: str) -> str:
    return nh3.clean(markup, tags={"mark"}, attributes={})


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value).replace("/", "-")) if value else None
    except ValueError:
        return None
