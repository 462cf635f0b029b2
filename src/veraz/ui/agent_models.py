"""Choosing a model from those that are connected, and trying it with one tiny request."""

from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from veraz import errors
from veraz.library.models import AvailableModels, ModelRole, Probe
from veraz.search.outside import QUOTES
from veraz.ui.parts import called, number, typed
from veraz.ui.visit import Visit

_OTHER: Final = "…"
_OUTCOMES: Final = {
    "works": ("good", "check_circle", "It works · {seconds} s"),
    "wrong_key": ("bad", "key_off", "The provider does not accept the key · {seconds} s"),
    "unknown_model": ("bad", "help", "The provider knows no model of this name · {seconds} s"),
    "no_answer": ("bad", "cloud_off", "The provider does not answer · {seconds} s"),
    "busy": ("warn", "hourglass_top", "The provider asks to wait; try again in a minute · {seconds} s"),
    "refused": ("bad", "error", "The provider refused the request · {seconds} s"),
}
_LABELS: Final = {
    "writer": "Model that writes",
    "fallback": "Model when the first one fails",
    "judge": "Model that checks every sentence",
    "reranker": "Model that sorts the passages",
}
_HINTS: Final = {
    "fallback": "Answers while the first one does not.",
    "judge": "Decides whether a sentence follows from the documents. Another model than the writer's is stricter.",
    "reranker": "Takes a second look at what was found and puts the best first.",
}
_OWN_WORDS: Final = (
    "Answers in its own words; every sentence is checked against your documents before it is shown."
)
_QUOTING: Final = "Copies the sentences of your documents that answer, with their source. It uses no outside service; tone and style count only with a model."


class ModelField:
    """One model of an agent: a list, a free name behind «Another model…», and a button that tries it."""

    def __init__(
        self, visit: Visit, role: ModelRole, value: str | None, on_change: Callable[[], Any]
    ) -> None:
        self.visit, self.role, self.on_change = visit, role, on_change
        self.saved = self._normal(value)
        self.available: AvailableModels | None = None
        t = visit.t
        with ui.column().classes("setting"):
            with ui.row().classes("w-full items-end no-wrap gap-2"):
                self.choice = ui.select(self._options(), value=self.saved, label=t(_LABELS[role]))
                self.choice.classes("grow").on_value_change(self._chosen)
                self.button = ui.button(t("Try"), on_click=visit.act(self._probe)).props("outline dense")
                called(self.button, t("Try «{name}»", name=t(_LABELS[role]))).classes("q-px-md")
            self.other = ui.input(t("Name of the model"), placeholder="openai:gpt-4.1").props("maxlength=200")
            self.other.classes("w-full").on_value_change(self._typed)
            self.hint = ui.label("").classes("hint")
            self.result = ui.row().classes("small").props("aria-live=polite")
        self._show()

    @property
    def value(self) -> str | None:
        """What the agent gets; None is the installation's choice."""
        chosen = typed(self.other.value, longest=200) if self.choice.value == _OTHER else self.choice.value
        return str(chosen) or None if chosen else None

    def reset(self, value: str | None) -> None:
        """Back to a value."""
        self.saved = self._normal(value)
        self.choice.set_options(self._options(), value=self.saved)

    def offer(self, available: AvailableModels) -> None:
        """The list, once it is known."""
        self.available = available
        self.choice.set_options(self._options(), value=self.choice.value)
        self._show()

    def _normal(self, value: str | None) -> str:
        """Quoting because nothing was chosen and quoting by choice are one choice where nothing else is the default."""
        if self.role == "writer" and value == QUOTES and not self.visit.veraz.settings.chat_model:
            return ""
        return value or ""

    def _options(self) -> dict[str, str]:
        t, found = self.visit.t, self.available
        options = self._own_options()
        names = (found.chat + (found.rerankers if self.role == "reranker" else [])) if found else []
        names = ([*found.judges] if found and self.role == "judge" else []) + names
        for name in (*names, self.saved):
            if name and name not in options:
                options[name] = (
                    t("The one in this installation, no outside service") if ":" not in name else name
                )
        return options | {_OTHER: t("Another model…")}

    def _own_options(self) -> dict[str, str]:
        """What does without naming a model, the plainest first."""
        t, settings = self.visit.t, self.visit.veraz.settings
        default = {"writer": settings.chat_model, "fallback": settings.chat_fallback_model}.get(self.role)
        if self.role == "judge":
            return {"": t("The one that writes")}
        if self.role == "reranker":
            words = t("The installation's: {name}", name=self._named(settings.rerank_model))
            return (
                {"": words, "local": self._named("local")}
                if settings.rerank_model != "local"
                else {"": words}
            )
        usual = {"": t("The installation's: {name}", name=default)} if default else {}
        if self.role == "writer":
            return {QUOTES if default else "": t("Only quotations, without a model")} | usual
        return usual or {"": t("None; documents are quoted meanwhile")}

    def _named(self, name: str) -> str:
        return self.visit.t("local, no outside service") if name == "local" else name

    def _chosen(self) -> None:
        self._show()
        self.on_change()

    def _typed(self) -> None:
        self.result.clear()
        self.on_change()

    def _show(self) -> None:
        """What belongs to the choice."""
        t, chosen = self.visit.t, self.choice.value
        self.other.set_visibility(chosen == _OTHER)
        self.result.clear()
        quotes = chosen == QUOTES or (not chosen and not self.visit.veraz.settings.chat_model)
        if self.role == "writer":
            self.hint.set_text(t(_QUOTING) if quotes else t(_OWN_WORDS))
        else:
            self.hint.set_text(t(_HINTS[self.role]))
        self.button.set_visibility(bool(self._tried()))

    def _tried(self) -> str | None:
        """The model behind the choice; nothing where no model is asked."""
        settings, chosen = self.visit.veraz.settings, self.choice.value
        if chosen in (QUOTES, "local"):
            return None
        if chosen == _OTHER:
            return typed(self.other.value, longest=200) or _OTHER
        usual = {"writer": settings.chat_model, "fallback": settings.chat_fallback_model}
        if self.role == "reranker" and settings.rerank_model != "local":
            usual["reranker"] = settings.rerank_model
        return chosen or usual.get(self.role)

    async def _probe(self) -> None:
        name = self._tried()
        if not name or name == _OTHER:
            self._say("bad", "help", self.visit.t("Write the name of the model first."))
            return
        self.button.props("loading")
        try:
            self._tell(await self.visit.veraz.models.probe(self.visit.actor, self.role, name))
        except (errors.Invalid, errors.RateLimited) as error:
            self._say("bad", "error", error.message(self.visit.language))
        finally:
            self.button.props(remove="loading")

    def _tell(self, probe: Probe) -> None:
        kind, icon, words = _OUTCOMES[probe.outcome]
        said = self.visit.t(words, seconds=number(self.visit, probe.milliseconds / 1000, 1))
        detail = f" · «{probe.detail}»" if probe.detail else ""
        self._say(kind, icon, said + detail)

    def _say(self, kind: str, icon: str, words: str) -> None:
        self.result.clear()
        with self.result, ui.element("span").classes(f"state {kind}").style("white-space: normal"):
            ui.icon(icon).props("aria-hidden=true")
            ui.label(words).classes("break")
