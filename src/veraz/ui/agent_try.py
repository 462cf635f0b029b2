"""The studio's chat: answers with the settings on the page, before they are saved; nothing of it is kept as a conversation."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from veraz import errors
from veraz.answer.model import QUOTES, Answer, Answered, Event, Found, Wrote
from veraz.answer.service import STUDIO, Ask
from veraz.answer.stored import stored_claim
from veraz.library.model import Agent
from veraz.providers.chat.base import Message
from veraz.text.citations import CITATION
from veraz.ui.answer_text import answer_html
from veraz.ui.ask_proofs import Proven, proven
from veraz.ui.ask_start import chips
from veraz.ui.parts import heading, icon_button, number, typed
from veraz.ui.reasons import DEGRADED
from veraz.ui.source import SourcePanel, on_claim
from veraz.ui.visit import Visit

if TYPE_CHECKING:
    from veraz.ui.agent_settings import AgentForm

_TENTH: Final = 0.1
_REMEMBERED: Final = 10

Tried = Callable[[], Awaitable[None]]


class TryChat:
    """One manager trying one agent."""

    def __init__(
        self, visit: Visit, agent: Agent, form: "AgentForm", panel: SourcePanel, tried: Tried
    ) -> None:
        self.visit, self.agent, self.form, self.panel, self.tried = visit, agent, form, panel, tried
        self.history: list[Message] = []
        self.running: asyncio.Task[None] | None = None
        self.answered: list[Proven] = []

    def draw(self, suggestions: list[str]) -> None:
        """The log and the field to write in."""
        visit, t = self.visit, self.visit.t
        with ui.row().classes("w-full items-center no-wrap"):
            heading(t("Try it"), 2).classes("grow")
            icon_button("restart_alt", t("Start again"), self._clear)
        self.note = ui.label("").classes("quiet small")
        self.log = (
            ui.column()
            .classes("studio-log")
            .props(f'role=log aria-live=polite aria-label="{t("Try it")}" tabindex=0')
        )
        on_claim(self.log, visit.act(self._open_proof))
        with self.log:
            self._welcome(suggestions)
        with ui.row().classes("w-full no-wrap items-end"):
            self.question = (
                ui.textarea(t("Your question")).props("autogrow dense maxlength=10000").classes("grow")
            )
            self.question.on("keydown.enter.exact.prevent", visit.act(self._ask))
            self.send = icon_button("send", t("Ask"), visit.act(self._ask))
            self.stop = icon_button("stop", t("Stop"), self._stop)
        self.stop.set_visibility(False)
        self.settings_changed()

    def settings_changed(self) -> None:
        """Says with which settings it answers."""
        t = self.visit.t
        self.note.set_text(
            t("It answers with your unsaved changes.")
            if self.form.unsaved
            else t("It answers as it does for everybody. Change something on the left to see the difference.")
        )

    def _welcome(self, suggestions: list[str]) -> None:
        t = self.visit.t
        with ui.column().classes("w-full gap-2") as self.hint:
            ui.label(t("What you ask here is not kept and counts nowhere.")).classes("quiet small")
            if suggestions:
                chips(self.visit, t("For example"), suggestions, self._put)

    async def _put(self, text: str) -> None:
        self.question.set_value(text)
        await self._ask()

    async def _ask(self) -> None:
        question = typed(self.question.value, longest=10_000)
        if not question or self.running:
            return
        try:
            ask = self._request(question)
        except errors.Invalid as error:
            self.note.set_text(error.message(self.visit.language))
            return
        self.question.set_value("")
        self.hint.set_visibility(False)
        with self.log:
            with ui.column().classes("bubble me"):
                ui.label(question).classes("passage")
            reply = _Reply(self, question)
        self.to_the_end()
        self._busy(True)
        self.running = background_tasks.create(self._answer(ask, reply), context=ui.context.client)

    def _request(self, question: str) -> Ask:
        return Ask(
            question=question,
            history=tuple(self.history[-_REMEMBERED:]),
            remember=False,
            channel=STUDIO,
            trial=self.form.trial(),
            eager=True,
        )

    async def _answer(self, ask: Ask, reply: "_Reply") -> None:
        try:
            async with aclosing(self.visit.veraz.answers.ask(self.visit.actor, self.agent.id, ask)) as events:
                async for event in events:
                    if reply.box.is_deleted:  # the page was left, which stops the model too
                        return
                    reply.show(event)
            await self.tried()
        except errors.VerazError as error:
            reply.failed(error.message(self.visit.language))
        except asyncio.CancelledError:
            reply.failed(self.visit.t("Stopped."))
        finally:
            self.running = None
            if not self.log.is_deleted:
                self._busy(False)

    async def _open_proof(self, event: GenericEventArguments) -> None:
        answer, proof, claim = event.args
        await self.panel.open(self.answered[int(answer)].proofs, int(proof) - 1, str(claim))

    def heard(self, question: str, answer: Answer) -> None:
        """What the next question may refer to."""
        self.history += [Message(role="user", text=question), Message(role="assistant", text=answer.text)]

    def to_the_end(self) -> None:
        """The newest is what people want to read."""
        ui.run_javascript(
            f"setTimeout(() => {{ const log = getHtmlElement({self.log.id}); if (log) log.scrollTop = log.scrollHeight }}, 60)"
        )

    def _clear(self) -> None:
        self._stop()
        self.history.clear()
        self.log.clear()
        with self.log:
            self._welcome([])

    def _stop(self) -> None:
        if self.running:
            self.running.cancel()

    def _busy(self, busy: bool) -> None:
        self.stop.set_visibility(busy)
        self.send.set_visibility(not busy)


class _Reply:
    """One answer, from «searching» to the checked text with its sources."""

    def __init__(self, chat: TryChat, question: str) -> None:
        self.chat, self.visit, self.asked = chat, chat.visit, question
        self.unsaved = chat.form.unsaved
        self.text, self.shown_at = "", 0.0
        with ui.column().classes("bubble agent") as self.box:
            with ui.row().classes("items-center gap-2") as self.progress:
                ui.spinner(size="1.1rem").props("aria-hidden=true")
                self.step = ui.label(self.visit.t("Searching…")).classes("quiet small")
            self.draft = ui.label("").classes("passage")

    def show(self, event: Event) -> None:
        """One event of the answer; text at most ten times a second."""
        if isinstance(event, Found):
            self.step.set_text(self.visit.t("Passages found: {n}; writing…", n=len(event.evidence)))
        elif isinstance(event, Wrote):
            self.text += event.delta
            if time.monotonic() - self.shown_at >= _TENTH:
                self.shown_at = time.monotonic()
                self.draft.set_text(CITATION.sub("", self.text))
        elif isinstance(event, Answered):
            self._answered(event.answer)

    def failed(self, words: str) -> None:
        """Instead of an answer."""
        if self.box.is_deleted:
            return
        self.progress.set_visibility(False)
        with self.box:
            ui.label(words).classes("text-negative break")

    def _answered(self, answer: Answer) -> None:
        self.chat.heard(self.asked, answer)
        self.box.clear()
        with self.box:
            if answer.claims:
                self._claims(answer)
            else:
                ui.label(answer.text).classes("passage")
            self._footer(answer)
        self.chat.to_the_end()

    def _claims(self, answer: Answer) -> None:
        """Each claim opens its source beside the chat."""
        found = proven([stored_claim(claim) for claim in answer.claims])
        self.box.props["data-message"] = str(len(self.chat.answered))
        self.chat.answered.append(found)
        markup = answer_html(answer.text, found.claims, found.verbatim)
        ui.html(markup, sanitize=lambda ready: ready).classes("nicegui-markdown")  # cleaned when made
        self.chat.panel.prefetch(found.proofs)

    def _footer(self, answer: Answer) -> None:
        t = self.visit.t
        if answer.refused and self.chat.form.trial()["handoff_on_refusal"]:
            self._line("support_agent", t("Here the conversation would go to a person."))
        if answer.degraded:
            self._line("warning", t(DEGRADED[answer.degraded]))
        for one in answer.held_back:
            self._line("block", t("Not shown, because nothing proves it: {words}", words=one.text))
        model = t("quotations, without a model") if answer.model == QUOTES else answer.model
        words = [t("With unsaved changes")] if self.unsaved else []
        words += [f"{number(self.visit, answer.latency_ms / 1000, 1)} s", model]
        ui.label(" · ".join(words)).classes("quiet small break")

    def _line(self, icon: str, words: str) -> None:
        with ui.row().classes("items-start no-wrap gap-2"):
            ui.icon(icon).props("aria-hidden=true").classes("quiet")
            ui.label(words).classes("small break")
