"""The form of what an agent's managers decide: in plain words, the finer points folded away, saved or thrown away as a whole."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement
from nicegui.elements.mixins.value_element import ValueElement

from veraz import errors
from veraz.library.agents import profile_of
from veraz.library.model import Agent
from veraz.library.models import ModelRole
from veraz.library.retrieval import RetrievalConfig
from veraz.ui.agent_models import ModelField
from veraz.ui.agents import needed
from veraz.ui.parts import confirm, heading, typed
from veraz.ui.visit import Visit

STYLES: Final = {
    "strict": "Brief: only what is said",
    "evidence": "In sections: what it says, what to do, what not to do, sources",
    "chat": "Friendly: in a conversational tone, with citations",
}
LANGUAGES: Final = {"auto": "As the question", "es": "Spanish", "en": "English", "pt": "Portuguese"}
FIELDS: Final = {
    "name": "Name",
    "company_name": "Company it speaks for",
    "description": "What it is for",
    "system_prompt": "Tone and instructions",
    "answer_style": "Style of the answers",
    "language": "Language of the answers",
    "fallback_message": "What it says when it finds no evidence",
    "handoff_on_refusal": "Hand over to a person when it finds no evidence",
    "allows_personal_corpus": "Members may give it their personal knowledge",
    "exam_blocks": "A change waits until its exam has passed",
    "model": "Model that writes",
    "fallback_model": "Model when the first one fails",
    "judge_model": "Model that checks every sentence",
    "retrieval.reranker": "Model that sorts the passages",
    "retrieval.rerank": "Sort what was found a second time",
    "retrieval.rewrite": "Correct typing mistakes",
    "retrieval.sub_queries": "Search in other words too",
    "retrieval.boosts": "Prefer the best sources",
    "retrieval.top_k": "Passages it looks at",
    "retrieval.similarity_threshold": "Least relevance",
    "retrieval.source_cap": "Passages of one document at most",
    "retrieval.mmr_lambda": "Variety of the passages",
    "retrieval.context_tokens": "Length of the evidence for programs",
    "retrieval.reading_tokens": "Length a model reads for an answer",
}
"""What every setting is called, also where versions are compared."""
_HINTS: Final = {
    "description": "People read it when they choose whom to ask; the agent says it when asked what it can do.",
    "system_prompt": "How it should speak and what it should keep in mind. It never makes it say what the documents do not.",
    "fallback_message": "Empty: a short sentence that says so.",
    "handoff_on_refusal": "The conversation then waits for somebody of your team.",
    "allows_personal_corpus": "Each person's is read only for that person.",
    "retrieval.rerank": "Slower by a moment, and the best passages come first.",
    "retrieval.rewrite": "A misspelt word is put right from the words of your documents.",
    "retrieval.sub_queries": "The model says the question in other words, which are searched too. Needs a model.",
    "retrieval.boosts": "Among similar passages, those of better rated documents win.",
    "retrieval.top_k": "More find more and cost more; 8 is usual.",
    "retrieval.similarity_threshold": "From 0 to 1; what is less relevant is left out of searches. 0.7 is usual.",
    "retrieval.source_cap": "So that one long document does not crowd out the others.",
    "retrieval.mmr_lambda": "From 0, as different as possible, to 1, only by relevance.",
    "retrieval.context_tokens": "In tokens, about four letters each.",
    "retrieval.reading_tokens": "In tokens; small knowledge bases are read nearly whole.",
}
_SWITCHES: Final = ("retrieval.rerank", "retrieval.rewrite", "retrieval.sub_queries", "retrieval.boosts")
_NUMBERS: Final = {
    # setting: least, most, step, digits
    "retrieval.top_k": (1, 50, 1, 0),
    "retrieval.similarity_threshold": (0, 1, 0.05, 2),
    "retrieval.source_cap": (1, 50, 1, 0),
    "retrieval.mmr_lambda": (0, 1, 0.05, 2),
    "retrieval.context_tokens": (100, 32_000, 100, 0),
    "retrieval.reading_tokens": (100, 100_000, 500, 0),
}
_MODELS: Final[dict[str, ModelRole]] = {
    "model": "writer",
    "fallback_model": "fallback",
    "judge_model": "judge",
    "retrieval.reranker": "reranker",
}


class AgentForm:
    """The settings of one agent as they are on the page, saved or not."""

    def __init__(self, visit: Visit, agent: Agent, on_change: Callable[[], Any]) -> None:
        self.visit, self.agent, self.on_change = visit, agent, on_change
        self.fields: dict[str, ValueElement[Any]] = {}
        self.models: dict[str, ModelField] = {}
        self.settling = False

    def draw(self) -> None:
        """The cards of the form, and the bar that says what is not saved."""
        t, self.given = self.visit.t, self._stored()
        with ui.column().classes("w-full gap-4"):
            with ui.card().classes("w-full"):
                heading(t("Who it is"), 2)
                self._who()
            with ui.card().classes("w-full"):
                heading(t("How it answers"), 2)
                self._answers()
            with (
                ui.expansion(t("Advanced settings"), icon="tune").classes("card w-full q-pa-none"),
                ui.column().classes("w-full gap-4 q-pb-md"),
            ):
                self._advanced()
            self.problem = ui.label("").classes("text-negative small break").props("role=alert")
            with ui.row().classes("w-full justify-end"):
                ui.button(t("Delete agent"), icon="delete", on_click=self._ask_delete).props(
                    "flat color=negative"
                )
        self.saved = self._shown()

    @property
    def unsaved(self) -> bool:
        """Whether something differs from what is saved."""
        return self._shown() != self.saved

    def trial(self) -> dict[str, Any]:
        """The agent's columns as the form has them; `Invalid` where it cannot be so."""
        return replace(profile_of(self.agent), **self._changes()).columns()

    async def save(self) -> bool:
        """Keeps everything; whether it could. What is wrong is said beside its field."""
        self.problem.set_text("")
        try:
            changes = self._changes()
            self.agent = await self.visit.veraz.agents.change(self.visit.actor, self.agent.id, changes)
        except errors.Invalid as error:
            self._refused(error)
            return False
        self.saved = self._shown()
        return True

    def discard(self) -> None:
        """What is saved, as it was."""
        self._put(self.saved)

    def show(self, agent: Agent) -> None:
        """The agent as it became elsewhere."""
        self.agent = agent
        self._put(self._stored())
        self.saved = self._shown()
        self.on_change()

    async def offer_models(self) -> None:
        """The list of models, once the connected services have told theirs."""
        available = await self.visit.veraz.models.available(self.visit.actor)
        self.settling = True
        for model in self.models.values():
            model.offer(available)
        self.settling = False

    def _put(self, values: dict[str, Any]) -> None:
        self.settling = True
        for name, field in self.fields.items():
            field.set_value(values[name])
        for name, model in self.models.items():
            model.reset(values[name])
        self.settling = False
        self.problem.set_text("")
        self.on_change()

    def _who(self) -> None:
        t = self.visit.t
        self._keep(
            "name",
            ui.input(t(FIELDS["name"]), validation=needed(self.visit)).props(
                "maxlength=200 hide-bottom-space"
            ),
        )
        self._keep("company_name", ui.input(t(FIELDS["company_name"])).props("maxlength=200"))
        self._keep("description", ui.textarea(t(FIELDS["description"])).props("autogrow maxlength=2000"))

    def _answers(self) -> None:
        t = self.visit.t
        self._model("model")
        self._keep("system_prompt", ui.textarea(t(FIELDS["system_prompt"])).props("autogrow maxlength=20000"))
        with ui.element("div").classes("settings-grid"):
            self._keep("answer_style", self._select("answer_style", STYLES))
            self._keep("language", self._select("language", LANGUAGES))
        self._keep(
            "fallback_message", ui.textarea(t(FIELDS["fallback_message"])).props("autogrow maxlength=2000")
        )
        self._keep("handoff_on_refusal", ui.switch(t(FIELDS["handoff_on_refusal"])))
        self._keep("allows_personal_corpus", ui.switch(t(FIELDS["allows_personal_corpus"])))

    def _advanced(self) -> None:
        t = self.visit.t
        heading(t("Models"), 3)
        for name in ("fallback_model", "judge_model", "retrieval.reranker"):
            self._model(name)
        heading(t("How it searches"), 3)
        with ui.element("div").classes("settings-grid"):
            for name in _SWITCHES:
                self._keep(name, ui.switch(t(FIELDS[name])))
            for name, (low, high, step, digits) in _NUMBERS.items():
                field = ui.number(t(FIELDS[name]), min=low, max=high, step=step, precision=digits)
                self._keep(name, field)

    def _select(self, name: str, words: dict[str, str]) -> ui.select:
        options = {one: self.visit.t(said) for one, said in words.items()}
        given = str(self.given[name])
        return ui.select({given: given} | options, value=given, label=self.visit.t(FIELDS[name]))

    def _keep(self, name: str, field: ValueElement[Any]) -> None:
        """The field with its value, and one sentence about what it does."""
        field.set_value(self.given[name])
        field.on_value_change(self._changed)
        self.fields[name] = field
        if not isinstance(field, ui.switch):
            field.classes("w-full")
        if name in _HINTS:
            with ui.column().classes("setting") as box:
                ui.label(self.visit.t(_HINTS[name])).classes("hint")
            field.move(box, 0)

    def _model(self, name: str) -> None:
        self.models[name] = ModelField(self.visit, _MODELS[name], self.given[name], self._changed)

    def _changed(self) -> None:
        if not self.settling:
            self.on_change()

    def _stored(self) -> dict[str, Any]:
        """The agent's settings by the names of the form."""
        profile = profile_of(self.agent)
        knobs = {name: getattr(profile.retrieval, name.partition(".")[2]) for name in FIELDS if "." in name}
        columns = {name: getattr(profile, name) for name in FIELDS if "." not in name}
        return columns | knobs | {"fallback_message": profile.fallback_message or ""}

    def _shown(self) -> dict[str, Any]:
        """What the form says now."""
        return {name: field.value for name, field in self.fields.items()} | {
            name: model.value for name, model in self.models.items()
        }

    def _changes(self) -> dict[str, Any]:
        """What the form says, as an agent is told."""
        shown = self._shown()
        columns = {name: value for name, value in shown.items() if "." not in name}
        for name in ("name", "company_name", "description", "system_prompt", "fallback_message"):
            field = self.visit.t(FIELDS["name"]) if name == "name" else ""
            columns[name] = typed(shown[name], field=field)
        columns["fallback_message"] = columns["fallback_message"] or None
        return columns | {"retrieval": self._retrieval(shown)}

    def _retrieval(self, shown: dict[str, Any]) -> RetrievalConfig:
        knobs = {name.partition(".")[2]: value for name, value in shown.items() if "." in name}
        for name, (_, _, _, digits) in _NUMBERS.items():
            given = shown[name]
            knobs[name.partition(".")[2]] = (
                (float(given) if digits else int(given)) if given is not None else -1
            )
        return replace(profile_of(self.agent).retrieval, **knobs)

    def _refused(self, error: errors.Invalid) -> None:
        """The reason beside the field it is about, else below the form."""
        field = self.fields.get(str(error.context.get("field", "")))
        message = error.message(self.visit.language)
        if error.context.get("field") == self.visit.t(FIELDS["name"]):
            field, message = self.fields["name"], self.visit.t("Write something here.")
        if isinstance(field, ValidationElement):
            field.error = message
        self.problem.set_text(message)

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
