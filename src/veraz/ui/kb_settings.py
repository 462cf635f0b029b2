"""How a knowledge base is named, cut and embedded; what another way would do, what it costs and how long it takes."""

import asyncio
from typing import Any
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.ingest.documents import DocumentFilter
from veraz.ingest.preview import Sample
from veraz.ingest.rebuild import RebuildPlan
from veraz.library.configs import ChunkingConfig, EmbeddingConfig
from veraz.library.model import KnowledgeBase
from veraz.providers.embedding.catalogue import known_names
from veraz.ui.alerts import Alert, filled
from veraz.ui.knowledge_bases import language_names
from veraz.ui.parts import confirm, heading, number, typed, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_STRATEGIES = {
    "fixed": "Pieces of the same size (recommended)",
    "paragraph": "Paragraph by paragraph",
    "semantic": "Where the subject changes",
}
_SHOWN_CUTS = 12


async def page(visit: Visiting, kb_id: UUID) -> None:
    """The settings of one knowledge base."""
    kb = await visit.veraz.knowledge_bases.get(visit.actor, kb_id)
    active = "/personal" if kb.kind == "personal" else "/knowledge-bases"
    with shell(visit, visit.t("Settings"), active=active, back=(kb.name, f"/knowledge-bases/{kb_id}")):
        _basics(visit, kb)
        await _Cutting(visit, kb).draw()
        await _editions(visit, kb)
        _danger(visit, kb)


def _basics(visit: Visit, kb: KnowledgeBase) -> None:
    t = visit.t

    async def save() -> None:
        if not filled(visit, name):
            return
        await visit.veraz.knowledge_bases.change(
            visit.actor,
            kb.id,
            name=typed(name.value, longest=200),
            description=typed(description.value),
            language=language.value,
            status="archived" if archived.value else "active",
        )
        visit.done("Saved")

    with ui.card().classes("w-full"):
        heading(t("Basics"), 2)
        name = ui.input(t("Name"), value=kb.name).props("maxlength=200").classes("w-full")
        description = (
            ui.textarea(t("Description"), value=kb.description)
            .props("autogrow maxlength=2000")
            .classes("w-full")
        )
        language = ui.select(
            language_names(visit), value=kb.language[:2], label=t("Language of the documents")
        ).style("min-width: 260px")
        archived = ui.switch(
            t("Archived: agents stop answering from it, nothing is deleted"), value=kb.status == "archived"
        )
        Alert()
        ui.button(t("Save"), on_click=visit.act(save)).classes("self-start")


class _Cutting:
    """Cutting and embedding, with a live look at the cuts and the price before anything happens."""

    def __init__(self, visit: Visit, kb: KnowledgeBase) -> None:
        self.visit, self.kb = visit, kb
        self.now = ChunkingConfig.from_json({**kb.chunking_config, "separator_regex": None})  # not shown here
        self.sample: Sample | None = None
        self.turn = 0

    async def draw(self) -> None:
        """The fields, the preview beside them, and what saving would do."""
        t = self.visit.t
        with ui.card().classes("w-full"):
            heading(t("How documents are read"), 2)
            ui.label(
                t("Documents are cut into chunks; a search finds chunks, and an answer quotes them.")
            ).classes("quiet small")
            with ui.row().classes("w-full items-start gap-6"):
                with ui.column().classes("grow").style("min-width: min(260px, 100%); flex: 1"):
                    self._fields()
                with ui.column().classes("grow gap-2").style("min-width: min(320px, 100%); flex: 2"):
                    heading(t("This is how they would be cut"), 3)
                    await self._choose_sample()
                    self.told = ui.label("").classes("quiet small")
                    self.cuts = ui.column().classes("w-full gap-2").props("aria-live=polite")
            with ui.column().classes("verdict w-full gap-1").props("role=status"):
                ui.label(t("What changes when you save")).classes("text-bold")
                self.price = ui.label("").classes("small break")
            self.alert = Alert()
            self.button = ui.button(
                t("Save and read the documents again"),
                icon="published_with_changes",
                on_click=self.visit.act(self._ask_rebuild),
            ).classes("self-start")
        await self._changed()

    def _fields(self) -> None:
        t, now = self.visit.t, self.now
        strategies = {name: t(words) for name, words in _STRATEGIES.items()}
        self.strategy = ui.select(strategies, value=now.strategy, label=t("Way of cutting")).classes("w-full")
        self.size = (
            ui.number(t("Size of a chunk"), value=now.longest, min=16, max=30000, step=50, precision=0)
            .props(f'hint="{t("Larger: more context. Smaller: more exact quotes.")}"')
            .classes("w-full")
        )
        with (
            ui.expansion(t("Advanced settings")).classes("w-full").props("dense"),
            ui.column().classes("w-full"),
        ):
            self._advanced()
        for field in (
            self.strategy,
            self.unit,
            self.size,
            self.overlap,
            self.title,
            self.pages,
            self.address,
            self.model,
        ):
            field.on_value_change(self.visit.act(self._changed))

    def _advanced(self) -> None:
        t, now = self.visit.t, self.now
        units = {"characters": t("Characters"), "tokens": t("Tokens")}
        self.unit = ui.select(units, value=now.unit, label=t("Sizes in")).classes("w-full")
        self.overlap = (
            ui.number(t("Overlap"), value=now.chunk_overlap, min=0, step=10, precision=0)
            .props(f'hint="{t("How much of a chunk is repeated at the beginning of the next one.")}"')
            .classes("w-full")
        )
        self.overlap.bind_visibility_from(self.strategy, "value", value="fixed")
        self.title = ui.switch(t("Each chunk knows the titles above it"), value=now.include_title)
        self.pages = ui.switch(t("Each chunk knows its page"), value=now.include_page_number)
        self.address = ui.switch(t("Web addresses are shown with passages"), value=now.include_source_url)
        self._model()

    def _model(self) -> None:
        current = EmbeddingConfig.from_json(self.kb.embedding_config)
        self.model_now = f"{current.provider}:{current.model}"
        self.model = (
            ui.select(
                sorted({*known_names(), self.model_now}),
                value=self.model_now,
                label=self.visit.t("Model that compares meanings"),
                new_value_mode="add-unique",
            )
            .props("use-input")
            .classes("w-full")
        )

    async def _choose_sample(self) -> None:
        visit = self.visit
        sheet = await visit.veraz.documents.sheet(
            visit.actor, self.kb.id, where=DocumentFilter(status="completed"), limit=50
        )
        if not sheet.documents:
            ui.label(visit.t("Add a document to see how it is cut.")).classes("quiet")
            return
        reading = ui.skeleton(height="8rem", width="100%")
        names = {str(one.id): one.name for one in sheet.documents}
        choice = ui.select(names, value=str(sheet.documents[0].id), label=visit.t("Document")).classes(
            "w-full"
        )

        async def load() -> None:
            self.told.set_text(visit.t("Reading the document…"))
            try:
                self.sample = await visit.veraz.previews.sample(visit.actor, self.kb.id, UUID(choice.value))
            finally:
                reading.set_visibility(False)
                self.told.set_text("")
            await self._changed()

        choice.on_value_change(visit.act(load))
        ui.timer(0.1, visit.act(load), once=True)

    def _chunking(self) -> ChunkingConfig:
        longest = int(self.size.value or 0)
        return ChunkingConfig(
            strategy=self.strategy.value,
            unit=self.unit.value,
            chunk_size=longest,
            max_chunk_size=longest if self.strategy.value == "semantic" else None,
            chunk_overlap=min(int(self.overlap.value or 0), longest // 2),
            include_title=self.title.value,
            include_page_number=self.pages.value,
            include_source_url=self.address.value,
        )

    def _embedding(self) -> EmbeddingConfig:
        provider, _, model = str(self.model.value or "").partition(":")
        return EmbeddingConfig(provider=provider, model=model)

    async def _changed(self) -> None:
        """Shows cuts and price anew; only the last of many quick changes is worked out."""
        self.turn += 1
        turn = self.turn
        await asyncio.sleep(0.15)
        if turn != self.turn:
            return
        self.alert.clear_all()
        try:
            await self._show_cuts()
            plan = await self.visit.veraz.rebuilds.plan(
                self.visit.actor, self.kb.id, self._chunking(), self._embedding()
            )
        except errors.Invalid as error:
            self.alert.tell(error, self.visit.language)
            self.button.set_enabled(False)
            return
        same = plan.chunking == self.now and str(self.model.value) == self.model_now
        self.button.set_enabled(not same)
        self.price.set_text(
            self.visit.t("Nothing: these are the settings in use.") if same else self._effect(plan)
        )

    def _effect(self, plan: RebuildPlan) -> str:
        """What saving costs and how long it takes, in a sentence."""
        visit, t = self.visit, self.visit.t
        minutes = -(-plan.estimated_seconds // 60)
        cost = "" if not plan.cost_usd else f" ({number(visit, float(plan.cost_usd), 4)} USD)"
        return (
            t(
                "Documents read again: {documents}. It takes about {minutes} min and uses {credits} credits",
                documents=number(visit, plan.documents),
                minutes=number(visit, minutes),
                credits=number(visit, plan.credits),
            )
            + f"{cost}. "
            + t("Until it is done, answers come from the settings before.")
        )

    async def _show_cuts(self) -> None:
        config = self._chunking()
        if self.sample is None:
            return
        chunks = await self.sample.cut(config)
        self.told.set_text(
            self.visit.t("Chunks at the beginning of «{name}»: {n}", n=len(chunks), name=self.sample.name)
        )
        self.cuts.clear()
        with self.cuts:
            for chunk in chunks[:_SHOWN_CUTS]:
                ui.label(chunk.content).classes("cut w-full")

    async def _ask_rebuild(self) -> None:
        chunking, embedding = self._chunking(), self._embedding()

        async def start() -> None:
            await self.visit.veraz.rebuilds.start(self.visit.actor, self.kb.id, chunking, embedding)
            self.visit.done("The documents are being read again; searches go on meanwhile")
            ui.timer(1.0, ui.navigate.reload, once=True)

        t = self.visit.t
        confirm(self.visit, t("Read all documents again?"), self.price.text, t("Read them again"), start)


async def _editions(visit: Visit, kb: KnowledgeBase) -> None:
    editions = await visit.veraz.rebuilds.editions(visit.actor, kb.id)
    if len(editions) < 2:
        return
    words = {
        "live": visit.t("in use"),
        "building": visit.t("being built"),
        "retired": visit.t("kept as the way back"),
    }

    async def go_back(edition_id: int) -> None:
        await visit.veraz.rebuilds.back(visit.actor, kb.id, edition_id)
        ui.navigate.reload()

    async def cancel() -> None:
        await visit.veraz.rebuilds.cancel(visit.actor, kb.id)
        ui.navigate.reload()

    with ui.card().classes("w-full"):
        heading(visit.t("Settings used before"), 2)
        for edition in editions:
            made = f"{edition.embedding.get('provider')}:{edition.embedding.get('model')} · {visit.t(_STRATEGIES[edition.chunking['strategy']])}"
            with ui.row().classes("w-full items-center"):
                ui.label(f"{made} · {words[edition.status]} · {when(visit, edition.created_at)}").classes(
                    "grow break small"
                )
                if edition.status == "retired":
                    ui.button(
                        visit.t("Go back to it"), on_click=visit.act(lambda one=edition.id: go_back(one))
                    ).props("flat dense")
                if edition.status == "building":
                    ui.button(visit.t("Cancel"), on_click=visit.act(cancel)).props("flat dense")


def _danger(visit: Visit, kb: KnowledgeBase) -> None:
    t = visit.t

    async def delete() -> Any:
        await visit.veraz.knowledge_bases.delete(visit.actor, kb.id)
        ui.navigate.to(visit.to("/personal" if kb.kind == "personal" else "/knowledge-bases"))

    with ui.card().classes("w-full"):
        heading(t("Delete"), 2)
        ui.label(
            t("Deletes the knowledge base with its documents, chunks and files. There is no way back.")
        ).classes("quiet small")
        ui.button(
            t("Delete this knowledge base"),
            icon="delete",
            on_click=lambda: confirm(
                visit,
                t("Delete «{name}»?", name=kb.name),
                t("Its documents, chunks and files go too."),
                t("Delete"),
                delete,
            ),
        ).props("outline color=negative").classes("self-start")
