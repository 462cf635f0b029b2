"""Test search: what a question finds in a knowledge base, how well it fits, and what to change where nothing does."""

from datetime import date
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.library.model import KnowledgeBase
from veraz.search.model import Filters, SearchResult
from veraz.search.service import Wish
from veraz.ui.alerts import Alert
from veraz.ui.found_passage import hit_card as hit_card
from veraz.ui.parts import called, empty, heading, number
from veraz.ui.picking import DocumentPicker
from veraz.ui.search_why import ask_why
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_COUNTS: Final = (3, 5, 10, 20, 50)
_FEW_WORDS: Final = 3
_THRESHOLDS: Final[dict[float, str]] = {
    0.9: "0.9 · nearly the same words",
    0.8: "0.8 · strict",
    0.7: "0.7 · recommended",
    0.6: "0.6 · a little wider",
    0.5: "0.5 · wide",
    0.3: "0.3 · very wide",
    0.0: "0 · show everything",
}


async def page(visit: Visiting, kb_id: UUID, q: str = "") -> None:
    """The test search of one knowledge base; `q` is a question to begin with."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(
        visit,
        visit.t("Test search"),
        active=active,
        back=(kb.name, f"/knowledge-bases/{kb_id}"),
        subtitle=visit.t("See which passages an agent would answer from."),
    ):
        await _Searching(visit, kb).draw(q[:10_000])


class _Searching:
    """The form and what it found."""

    def __init__(self, visit: Visit, kb: KnowledgeBase) -> None:
        self.visit, self.kb = visit, kb

    async def draw(self, question: str) -> None:
        """Question, knobs, results."""
        t = self.visit.t
        with ui.card().classes("w-full"):
            self.query = (
                ui.textarea(t("Question"), value=question)
                .props("autofocus autogrow maxlength=10000")
                .classes("w-full")
            )
            Alert()
            search = self.visit.act(self._search)
            self.query.on("keydown.enter.exact.prevent", search)
            self._knobs(search)
            await self._filters()
        self.results = ui.column().classes("w-full gap-3").props("role=region aria-live=polite")
        called(self.results, t("Results"))
        if question:
            ui.timer(0.05, search, once=True)

    def _knobs(self, search: Any) -> None:
        t = self.visit.t
        with ui.element("div").classes("toolbar"):
            self.top_k = ui.select(list(_COUNTS), value=5, label=t("Results")).style("min-width: 130px")
            words = {value: t(said) for value, said in _THRESHOLDS.items()}
            self.threshold = ui.select(words, value=0.7, label=t("Similarity threshold")).style(
                "min-width: 230px"
            )
            ui.space()
            self.button = ui.button(t("Search"), icon="search", on_click=search)
        ui.label(
            t(
                "Passages less similar to the question than the threshold are not shown here. Agents read the best ones whatever it is."
            )
        ).classes("quiet small")

    async def _filters(self) -> None:
        t = self.visit.t
        with (
            ui.expansion(t("Only some documents or dates, and other options"))
            .classes("w-full")
            .props("dense"),
            ui.column().classes("w-full q-pt-sm"),
        ):
            self.documents = DocumentPicker(
                self.visit, [self.kb.id], t("Only these documents"), multiple=True
            )
            await self.documents.look()
            with ui.row():
                self.since = ui.date_input(t("Dated from"))
                self.until = ui.date_input(t("Dated until"))
            self.rerank = ui.switch(
                t("Read the best passages a second time to order them better"), value=True
            )

    def _filter(self) -> Filters:
        return Filters(
            document_ids=self.documents.chosen or None,
            date_from=_day(self.since.value),
            date_until=_day(self.until.value),
        )

    async def _search(self) -> None:
        visit = self.visit
        wish = Wish(
            top_k=int(self.top_k.value),
            similarity_threshold=float(self.threshold.value),
            rerank=self.rerank.value,
        )
        self._busy()
        try:
            result = await visit.veraz.search.search_kb(
                visit.actor, self.kb.id, self.query.value or "", wish=wish, filters=self._filter()
            )
            self.results.clear()
            with self.results:
                self._show(result)
        except BaseException:
            self.results.clear()
            raise
        finally:
            self.button.props(remove="loading")

    def _busy(self) -> None:
        self.button.props("loading")
        self.results.clear()
        with self.results, ui.column().classes("w-full gap-3 skeleton").props("aria-hidden=true"):
            for _ in range(3):
                ui.skeleton(height="6rem", width="100%")

    def _show(self, result: SearchResult) -> None:
        visit, t, hits = self.visit, self.visit.t, result.evidence.hits
        ms = result.search_time_ms
        took = f"{number(visit, ms)} ms" if ms < 1000 else f"{number(visit, ms / 1000, 1)} s"
        with ui.row().classes("w-full items-center"):
            with ui.column().classes("gap-0"):
                heading(t("Results: {n} in {time}", n=len(hits), time=took), 2)
                ui.label(t("Chunks searched: {n}", n=number(visit, result.evidence.searched))).classes(
                    "quiet small"
                )
            ui.space()
            ui.button(
                t("Why was it not found?"),
                icon="help_outline",
                on_click=visit.act(lambda: ask_why(visit, self.kb.id, result)),
            ).props("flat")
        if result.without_meaning:
            ui.label(t("The model that compares meanings did not answer; only words were searched.")).classes(
                "text-warning"
            )
        if not hits:
            self._nothing(result)
        for hit in hits:
            hit_card(visit, hit, result.question.text)

    def _nothing(self, result: SearchResult) -> None:
        """Why nothing was found and what to change, with the nearest passage."""
        visit, t = self.visit, self.visit.t
        near = [dropped.hit for dropped in result.evidence.dropped]
        if not near:
            filtered = bool(result.question.filters.to_json())
            why = (
                t("No document passes the filters. Remove some of them.")
                if filtered
                else t("There is no document here that is ready. Add some, or wait until they are processed.")
            )
            empty("search_off", t("Nothing found"), why)
            return
        best = max(near, key=lambda hit: hit.similarity)
        lower = next((value for value in _THRESHOLDS if value <= best.similarity), 0.0)
        why = t(
            "The nearest passage has a similarity of {found}, and the threshold is {threshold}.",
            found=number(visit, best.similarity, 2),
            threshold=number(visit, result.question.config.similarity_threshold, 2),
        )
        if len(result.question.text.split()) < _FEW_WORDS:
            why += " " + t("Write the whole question: one or two words are similar to little.")
        with empty("search_off", t("Nothing similar enough"), why), ui.row().classes("justify-center"):

            async def wider() -> None:
                self.threshold.set_value(lower)
                await self._search()

            words = t("Search with threshold {n}", n=number(visit, lower, 1))
            ui.button(words, on_click=self.visit.act(wider))
        ui.label(t("The nearest passage, below the threshold")).classes("quiet small")
        hit_card(visit, best, result.question.text, cut=True)


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value).replace("/", "-")) if value else None
    except ValueError:
        return None
