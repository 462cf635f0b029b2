"""One agent: how it speaks, what it reads, what it was told by hand."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal
from uuid import UUID

from nicegui import ui

from veraz.library.agents import profile_of
from veraz.library.model import Agent
from veraz.library.retrieval import RetrievalConfig
from veraz.paging import PageRequest
from veraz.ui.agent_exam import exam
from veraz.ui.agent_gaps import gaps
from veraz.ui.agent_knowledge import manual_entries
from veraz.ui.agent_widget import section as publish
from veraz.ui.kb_agents import assignment_row
from veraz.ui.knowledge_bases import shelves
from veraz.ui.parts import confirm, heading, typed
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_STYLES = {
    "strict": "Strict: short, only from the evidence",
    "evidence": "Evidence: what it says, what to do, what not to do, sources",
    "chat": "Chat: friendly, with citations",
}


Tab = Literal["profile", "knowledge", "manual", "gaps", "exam", "publish"]


async def page(visit: Visiting, agent_id: UUID, tab: Tab = "profile") -> None:
    """The page of an agent's managers."""
    agent = await visit.veraz.agents.get(visit.actor, agent_id)
    with shell(
        visit, agent.name, active="/agents", subtitle=agent.description, back=(visit.t("Agents"), "/agents")
    ):
        with ui.element("div").classes("toolbar"):
            ui.button(visit.t("Talk to it"), icon="forum").props(
                f"tag=a href={visit.to(f'/chat/{agent.id}')}"
            )
        with ui.tabs().props("align=left no-caps").classes("w-full") as tabs:
            ui.tab("profile", visit.t("Profile"), icon="badge")
            ui.tab("knowledge", visit.t("Knowledge"), icon="library_books")
            ui.tab("manual", visit.t("Manual entries"), icon="edit_note")
            ui.tab("gaps", visit.t("Gaps"), icon="contact_support")
            ui.tab("exam", visit.t("Exam"), icon="quiz")
            ui.tab("publish", visit.t("Publish"), icon="language")
        with ui.tab_panels(tabs, value=tab).classes("w-full bg-transparent") as panels:
            with ui.tab_panel("profile").classes("q-pa-none"):
                _Profile(visit, agent).draw()
            with ui.tab_panel("knowledge").classes("q-pa-none"), ui.column().classes("w-full gap-3"):
                await _knowledge(visit, agent)
            with ui.tab_panel("manual").classes("q-pa-none"):
                await manual_entries(visit, agent)
            with ui.tab_panel("publish").classes("q-pa-none"):
                await publish(visit, agent)
            later = {"gaps": _Later(visit, agent, "gaps", gaps), "exam": _Later(visit, agent, "exam", exam)}
        panels.on_value_change(visit.act(lambda event: _shown(later, event.value)))
        await _shown(later, tab)


Renew = Callable[[], Awaitable[None]]


class _Later:
    """A tab that is drawn when somebody looks at it, and renewed when somebody comes back to it."""

    def __init__(
        self, visit: Visit, agent: Agent, name: str, draw: Callable[[Visit, Agent], Awaitable[Renew]]
    ) -> None:
        self.visit, self.agent, self.draw = visit, agent, draw
        self.renew: Renew | None = None
        self.panel = ui.tab_panel(name).classes("q-pa-none")

    async def show(self) -> None:
        """As it is now."""
        if self.renew:
            await self.renew()
        else:
            with self.panel:
                self.renew = await self.draw(self.visit, self.agent)


async def _shown(later: dict[str, _Later], name: str) -> None:
    if name in later:
        await later[name].show()


class _Profile:
    """The form of everything managers decide."""

    def __init__(self, visit: Visit, agent: Agent) -> None:
        self.visit, self.agent, self.profile = visit, agent, profile_of(agent)

    def draw(self) -> None:
        """The cards of the form."""
        visit, t = self.visit, self.visit.t
        with ui.column().classes("w-full gap-4"):
            with ui.card().classes("w-full"):
                heading(t("Who it is"), 2)
                self._who()
            with ui.card().classes("w-full"):
                heading(t("How it answers"), 2)
                self._answers()
            with ui.card().classes("w-full"):
                heading(t("How it searches"), 2)
                self._retrieval()
            with ui.row().classes("w-full justify-between"):
                ui.button(t("Save"), icon="save", on_click=visit.act(self._save))
                ui.button(t("Delete agent"), icon="delete", on_click=self._ask_delete).props(
                    "outline color=negative"
                )

    def _who(self) -> None:
        t, profile = self.visit.t, self.profile
        self.name = ui.input(t("Name"), value=profile.name).props("maxlength=200").classes("w-full")
        self.company = (
            ui.input(t("Company it speaks for"), value=profile.company_name)
            .props("maxlength=200")
            .classes("w-full")
        )
        self.description = (
            ui.textarea(t("Description"), value=profile.description).props("autogrow").classes("w-full")
        )
        self.prompt = (
            ui.textarea(t("Instructions of your own"), value=profile.system_prompt)
            .props("autogrow")
            .classes("w-full")
        )

    def _answers(self) -> None:
        t, profile = self.visit.t, self.profile
        styles = {name: t(words) for name, words in _STYLES.items()}
        self.style = ui.select(styles, value=profile.answer_style, label=t("Style")).classes("w-full")
        languages = {
            "auto": t("The question's"),
            "es": t("Spanish"),
            "en": t("English"),
            "pt": t("Portuguese"),
        }
        self.language = ui.select(
            languages, value=profile.language, label=t("Language of the answers")
        ).classes("w-full")
        hint = t("provider:model; empty quotes the documents without any model")
        self.model = ui.input(t("Model"), value=profile.model or "", placeholder=hint).classes("w-full")
        self.second = ui.input(
            t("Model when the first one fails"), value=profile.fallback_model or ""
        ).classes("w-full")
        hint = t("provider:model or entail; empty is the model that writes")
        self.judge = ui.input(
            t("Model that judges claims"), value=profile.judge_model or "", placeholder=hint
        ).classes("w-full")
        self.fallback = (
            ui.textarea(t("What it says without evidence"), value=profile.fallback_message or "")
            .props("autogrow")
            .classes("w-full")
        )
        self.handoff = ui.switch(
            t("Hand over to a person when there is no evidence"), value=profile.handoff_on_refusal
        )
        self.personal = ui.switch(
            t("Members may give it their personal knowledge"), value=profile.allows_personal_corpus
        )

    def _retrieval(self) -> None:
        t, config = self.visit.t, self.profile.retrieval
        with ui.row().classes("w-full"):
            self.top_k = ui.number(t("Passages"), value=config.top_k, min=1, max=50, precision=0).style(
                "width: 130px"
            )
            self.threshold = ui.number(
                t("Threshold"), value=config.similarity_threshold, min=0, max=1, step=0.05, precision=2
            ).style("width: 130px")
            self.cap = ui.number(
                t("Passages of one document"), value=config.source_cap, min=1, max=50, precision=0
            ).style("width: 220px")
            self.tokens = ui.number(
                t("Tokens of context"), value=config.context_tokens, min=100, max=32000, step=100, precision=0
            ).style("width: 180px")
            self.reading = ui.number(
                t("Tokens a model reads"),
                value=config.reading_tokens,
                min=100,
                max=100000,
                step=500,
                precision=0,
            ).style("width: 180px")
        with ui.row():
            self.rerank = ui.switch(t("Rerank"), value=config.rerank)
            self.rewrite = ui.switch(t("Put typing mistakes right"), value=config.rewrite)
            self.wordings = ui.switch(t("Ask in other words too"), value=config.sub_queries)
            self.boosts = ui.switch(t("Better sources first"), value=config.boosts)
        hint = t("local, cohere:model or a chat model; empty is the installation's")
        self.reranker = ui.input(t("Reranker"), value=config.reranker or "", placeholder=hint).classes(
            "w-full"
        )

    def _changes(self) -> dict[str, Any]:
        return {
            "name": typed(self.name.value, field=self.visit.t("Name"), longest=200),
            "company_name": typed(self.company.value, longest=200),
            "description": typed(self.description.value),
            "system_prompt": typed(self.prompt.value),
            "answer_style": self.style.value,
            "language": self.language.value,
            "model": typed(self.model.value, longest=200) or None,
            "fallback_model": typed(self.second.value, longest=200) or None,
            "judge_model": typed(self.judge.value, longest=200) or None,
            "fallback_message": typed(self.fallback.value) or None,
            "handoff_on_refusal": self.handoff.value,
            "allows_personal_corpus": self.personal.value,
            "retrieval": RetrievalConfig(
                top_k=int(self.top_k.value or 0),
                similarity_threshold=float(self.threshold.value or 0),
                source_cap=int(self.cap.value or 0),
                context_tokens=int(self.tokens.value or 0),
                reading_tokens=int(self.reading.value or 0),
                rerank=self.rerank.value,
                reranker=typed(self.reranker.value, longest=200) or None,
                rewrite=self.rewrite.value,
                sub_queries=self.wordings.value,
                boosts=self.boosts.value,
                mmr_lambda=self.profile.retrieval.mmr_lambda,
            ),
        }

    async def _save(self) -> None:
        saved = await self.visit.veraz.agents.change(self.visit.actor, self.agent.id, self._changes())
        if saved.waiting_changes:
            self.visit.done("Saved; what the exam looks at waits for it")
        else:
            self.visit.done("Saved")

    def _ask_delete(self) -> None:
        visit, t = self.visit, self.visit.t

        async def delete() -> None:
            await visit.veraz.agents.delete(visit.actor, self.agent.id)
            ui.navigate.to(visit.to("/agents"))

        confirm(
            visit,
            t("Delete «{name}»?", name=self.agent.name),
            t("Its manual entries go too; knowledge bases stay."),
            t("Delete"),
            delete,
        )


async def _knowledge(visit: Visit, agent: Agent) -> None:
    found = await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500), kind="global")
    usable = [kb for kb in found.items if kb.agent_id is None and kb.project_id in (None, agent.project_id)]
    own = await shelves(visit, "personal")
    given = {one.kb_id: one for one in await visit.veraz.assignments.of_agent(visit.actor, agent.id)}
    if not usable and not own:
        ui.label(visit.t("No knowledge base yet")).classes("quiet")
    for kb in (*usable, *own):
        words = visit.t("Only yours") if kb.kind == "personal" else kb.description
        assignment_row(visit, kb, agent, given.get(kb.id), title=kb.name, words=words)
