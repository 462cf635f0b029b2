"""Talking to an agent: the answer sentence by sentence as each is proven, with the passage behind every claim."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal
from uuid import UUID

from nicegui import background_tasks, ui

from veraz import errors
from veraz.answer.conversations import StoredMessage
from veraz.answer.model import QUOTES, Answer, Answered, Event, Found, Searching, Wrote
from veraz.answer.service import Ask
from veraz.library.model import Agent
from veraz.text.citations import CITATION
from veraz.ui.agents import agents_of
from veraz.ui.answer_text import answer_html, with_sources
from veraz.ui.conversations import bubble, said
from veraz.ui.parts import empty, heading, icon_button, number, typed
from veraz.ui.search import hit_card
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_TENTH = 0.1
_DEGRADED = {
    "model_down": "The model did not answer, so the documents were quoted.",
    "model_rejected": "The model's provider refused the request (key, name or quota), so the documents were quoted.",
    "model_missing": "The model is not set up, so the documents were quoted.",
    "judge_down": "The judge did not answer, so only quotations were shown.",
    "judge_unreliable": "The judge approved a control sentence that is false, so only quotations were shown.",
    "no_judge": "The judge is not set up, so only quotations were shown.",
}
_REASONS = {
    "contradicted": "the documents say something else",
    "not_said": "the documents do not say it",
    "quote_not_found": "the quoted words are not in the document",
    "judge_down": "not checked: the judge did not answer",
    "judge_unreliable": "not checked: the judge is not reliable",
    "no_judge": "not checked: there is no judge",
    "heading_held_back": "it stood under a heading that could not be proven",
    "too_long": "too long to check",
    "order": "an order to a machine",
    "figure": "a figure that is not in what it quotes",
    "date": "a date that is not in what it quotes",
    "name": "a name that is not in what it quotes",
    "unit": "another unit than in what it quotes",
    "rate": "another rhythm than in what it quotes",
    "day_kind": "another kind of days than in what it quotes",
    "bound": "another limit than in what it quotes",
    "column": "the value of another column",
}
_LIGHT = """
(event) => {
  const claim = event.target.closest ? event.target.closest('.claim') : null;
  if (!claim) return;
  document.querySelectorAll('.evidence.lit, .claim.lit').forEach(e => e.classList.remove('lit'));
  claim.classList.add('lit');
  (claim.dataset.proof || '').split(' ').filter(Boolean).forEach(id => {
    const card = document.getElementById(id);
    if (card) card.classList.add('lit');
  });
}
"""
_GO = """
(event) => {
  const claim = event.target.closest ? event.target.closest('.claim') : null;
  if (!claim || (event.type === 'keydown' && event.key !== 'Enter')) return;
  const id = (claim.dataset.proof || '').split(' ')[0];
  const card = id && document.getElementById(id);
  if (!card) return;
  const box = card.closest('.q-expansion-item');
  if (box && !box.classList.contains('q-expansion-item--expanded')) box.querySelector('.q-item').click();
  setTimeout(() => card.scrollIntoView({behavior: 'smooth', block: 'center'}), 250);
}
"""


async def list_page(visit: Visiting) -> Any:
    """Whom to talk to."""
    agents = await agents_of(visit)
    with shell(visit, visit.t("Chat"), active="/ask", subtitle=visit.t("Choose whom to ask.")):
        if not agents:
            empty(
                "forum", visit.t("No agent yet"), visit.t("An agent answers questions from your documents.")
            )
            return
        with ui.element("div").classes("grid-cards"):
            for agent in agents:
                with ui.card().classes("link"):
                    with ui.element("h2"):
                        ui.link(agent.name, visit.to(f"/chat/{agent.id}")).classes("break")
                    ui.label(agent.description or visit.t("Without description")).classes("quiet small break")


async def page(visit: Visiting, agent_id: UUID, conversation: UUID | None = None) -> None:
    """A conversation with one agent, new or gone on with."""
    agent = await visit.veraz.agents.get(visit.actor, agent_id)
    before = await said(visit, conversation) if conversation else []
    with shell(visit, agent.name, active="/ask", subtitle=agent.description, back=(visit.t("Chat"), "/ask")):
        _Conversation(visit, agent, conversation).draw(before)


class _Conversation:
    """What was said in this tab, and the one answer that may be on its way."""

    def __init__(self, visit: Visit, agent: Agent, conversation: UUID | None) -> None:
        self.visit, self.agent, self.conversation = visit, agent, conversation
        self.running: asyncio.Task[None] | None = None
        self.count = 0

    def draw(self, before: list[StoredMessage]) -> None:
        """The log and the bar to write in."""
        visit, t = self.visit, self.visit.t
        self.log = (
            ui.column()
            .classes("w-full gap-4")
            .props(f'role=log aria-live=polite aria-label="{t("Conversation")}"')
        )
        for event in ("mouseover", "focusin"):
            self.log.on(event, js_handler=_LIGHT)
        for event in ("click", "keydown"):
            self.log.on(event, js_handler=_GO)
        with self.log:
            self.hint = ui.label(
                t("Ask something; the answer comes only from the documents assigned to this agent.")
            ).classes("quiet")
            for message in before:
                bubble(visit, message)
        with ui.element("div").classes("ask-bar"), ui.row().classes("w-full no-wrap items-end"):
            self.question = (
                ui.textarea(t("Your question"))
                .props("autogrow autofocus maxlength=10000 dense")
                .classes("grow")
            )
            self.question.on("keydown.enter.exact.prevent", visit.act(self._ask))
            self.send = ui.button(t("Ask"), icon="send", on_click=visit.act(self._ask))
            self.stop = ui.button(t("Stop"), icon="stop", on_click=self._stop, color="negative")
        self.stop.set_visibility(False)
        ui.context.client.on_delete(self._stop)  # a closed tab stops the model too

    async def _ask(self) -> None:
        question = typed(self.question.value, longest=10_000)
        if not question or self.running:
            return
        self.question.set_value("")
        self.hint.set_visibility(False)
        with self.log:
            with ui.column().classes("bubble me"):
                ui.label(question).classes("passage")
            reply = _Reply(self, question)
        to_the_end()
        self._busy(True)
        self.running = background_tasks.create(self._answer(question, reply), context=ui.context.client)

    async def _answer(self, question: str, reply: "_Reply") -> None:
        try:
            async with aclosing(self._events(question)) as events:
                async for event in events:
                    reply.show(event)
        except errors.VerazError as error:
            reply.failed(error.message(self.visit.language))
        except asyncio.CancelledError:
            reply.failed(self.visit.t("Stopped."))
        finally:
            self.running = None
            self._busy(False)

    def _events(self, question: str) -> AsyncGenerator[Event, None]:
        ask = Ask(question=question, conversation_id=self.conversation, channel="web", eager=True)
        return self.visit.veraz.answers.ask(self.visit.actor, self.agent.id, ask)

    def _stop(self) -> None:
        if self.running:
            self.running.cancel()

    def _busy(self, busy: bool) -> None:
        self.stop.set_visibility(busy)
        self.send.set_visibility(not busy)


class _Reply:
    """One answer on the page, from «searching» to the checked text."""

    def __init__(self, talk: _Conversation, question: str) -> None:
        self.talk, self.visit, self.asked = talk, talk.visit, question
        talk.count += 1
        self.anchor = f"proof{talk.count}"
        self.text, self.shown_at = "", 0.0
        self.later: asyncio.TimerHandle | None = None
        with ui.column().classes("bubble agent") as self.box:
            with ui.row().classes("items-center gap-2") as self.progress:
                ui.spinner(size="1.1rem").props("aria-hidden=true")
                self.step = ui.label(self.visit.t("Searching…")).classes("quiet small")
            self.draft = ui.label("").classes("passage")

    def show(self, event: Event) -> None:
        """One event of the answer; text at most ten times a second."""
        t = self.visit.t
        if isinstance(event, Searching):
            self.step.set_text(t("Searching…"))
        elif isinstance(event, Found):
            self.step.set_text(t("Passages found: {n}; writing…", n=len(event.evidence)))
        elif isinstance(event, Wrote):
            self._write(self.text + event.delta)
        elif isinstance(event, Answered):
            self._answered(event.answer)

    def failed(self, words: str) -> None:
        """Instead of an answer."""
        self.progress.set_visibility(False)
        with self.box:
            ui.label(words).classes("text-negative break")

    def _write(self, text: str) -> None:
        self.text = text
        if time.monotonic() - self.shown_at >= _TENTH:
            self._flush()
        elif self.later is None:  # a model that pauses must not keep back what it said
            self.later = asyncio.get_running_loop().call_later(_TENTH, self._flush)

    def _flush(self) -> None:
        self.later, self.shown_at = None, time.monotonic()
        if not self.draft.is_deleted:
            self.draft.set_text(CITATION.sub("", self.text))
            self.step.set_text(self.visit.t("Checking the next sentence…"))

    def _answered(self, answer: Answer) -> None:
        self.talk.conversation = answer.conversation_id or self.talk.conversation
        self.box.clear()
        with self.box:
            if answer.refused:
                self._refusal(answer)
            elif not answer.claims:
                ui.label(answer.text).classes("passage")
            else:
                numbers = {hit.passage.chunk_id: place for place, hit in enumerate(answer.evidence, start=1)}
                markup = answer_html(answer.text, answer.claims, numbers, anchor=self.anchor)
                ui.html(markup, sanitize=lambda ready: ready).classes(
                    "nicegui-markdown"
                )  # cleaned while it was made
                self._footer(answer, numbers)
            if answer.evidence:
                self._inspector(answer)
            if self.visit.manages:
                self._for_managers(answer)
        to_the_end()

    def _refusal(self, answer: Answer) -> None:
        t = self.visit.t
        with ui.row().classes("items-start no-wrap"):
            ui.icon("verified_user", color="primary", size="1.5rem").props("aria-hidden=true")
            with ui.column().classes("gap-1"):
                ui.label(answer.text).classes("passage")
                ui.label(t("The documents do not prove an answer, so none is made up.")).classes(
                    "quiet small"
                )
        with ui.row():
            ui.button(t("Ask in other words"), icon="edit", on_click=self._again).props("flat dense")
            if self.visit.manages:
                target = self.visit.to(f"/agents/{self.talk.agent.id}?tab=manual")
                ui.button(t("Add the answer"), icon="edit_note").props(f"flat dense tag=a href={target}")

    def _again(self) -> None:
        self.talk.question.set_value(self.asked)
        self.talk.question.run_method("focus")

    def _footer(self, answer: Answer, numbers: dict[UUID, int]) -> None:
        t = self.visit.t
        cited = {numbers[one] for claim in answer.claims for one in claim.chunk_ids if one in numbers}
        names = {
            place: hit.passage.document_name
            for place, hit in enumerate(answer.evidence, start=1)
            if place in cited
        }
        with ui.row().classes("w-full items-center"):
            with ui.element("span").classes("state good"):
                ui.icon("verified").props("aria-hidden=true")
                ui.label(self._seal(answer))
            ui.space()
            model = t("quoted, without a model") if answer.model == QUOTES else answer.model
            ui.label(f"{number(self.visit, answer.latency_ms)} ms · {model}").classes("quiet small gt-xs")
            text = with_sources(answer.text, names)
            with ui.row().classes("no-wrap gap-2"):
                icon_button("content_copy", t("Copy with sources"), lambda: ui.clipboard.write(text))
                self._thumbs(answer)

    def _seal(self, answer: Answer) -> str:
        """What was done, no more."""
        if all(claim.verdict == "quoted" for claim in answer.claims):
            return self.visit.t("Quotations from your documents")
        return self.visit.t("Claims proven, each with its quote: {n}", n=len(answer.claims))

    def _for_managers(self, answer: Answer) -> None:
        """What its readers do not see: sentences held back, and what did not work."""
        t = self.visit.t
        if answer.degraded:
            ui.label(t(_DEGRADED[answer.degraded])).classes("quiet small break")
        if answer.held_back:
            with ui.expansion(t("Sentences held back: {n}", n=len(answer.held_back)), icon="block").classes(
                "w-full"
            ):
                for one in answer.held_back:
                    ui.label(f"{one.text} · {self._reason(one.reason)}").classes("small break")

    def _reason(self, reason: str) -> str:
        kind, _, words = reason.partition(": ")
        said = self.visit.t(_REASONS.get(kind, kind))
        return f"{said}: {words}" if words else said

    def _thumbs(self, answer: Answer) -> None:
        visit = self.visit
        if answer.message_id is None:
            return
        message_id = answer.message_id

        async def rate(rating: Literal[-1, 1]) -> None:
            await visit.veraz.conversations.rate(visit.actor, message_id, rating)
            visit.done("Thank you")

        icon_button("thumb_up", visit.t("Good answer"), visit.act(lambda: rate(1)))
        icon_button("thumb_down", visit.t("Bad answer"), visit.act(lambda: rate(-1)))

    def _inspector(self, answer: Answer) -> None:
        t = self.visit.t
        words = t("Evidence inspector · passages: {n}", n=len(answer.evidence))
        with (
            ui.expansion(words, icon="fact_check").classes("w-full").props("dense"),
            ui.column().classes("w-full gap-3 q-pt-sm"),
        ):
            if answer.claims:
                self._claim_map(answer)
            for place, hit in enumerate(answer.evidence, start=1):
                hit_card(self.visit, hit, self.asked, anchor=f"{self.anchor}-{place}", place_number=place)

    def _claim_map(self, answer: Answer) -> None:
        numbers = {hit.passage.chunk_id: place for place, hit in enumerate(answer.evidence, start=1)}
        heading(self.visit.t("Which passage proves which claim"), 3)
        for claim in answer.claims:
            proof = ", ".join(str(numbers[one]) for one in claim.chunk_ids if one in numbers)
            ui.label(f"[{proof}] {claim.text}").classes("small break")
            for quote in claim.quotes:
                where = " › ".join(quote.place[-2:])
                by_hand = f" ({self.visit.t('corrected by a person')})" if quote.corrected else ""
                words = f"{where}: «{' '.join(quote.text.split())}»{by_hand}"
                ui.label(words).classes("quiet small break q-pl-md")


def to_the_end() -> None:
    """The newest is what people want to read."""
    ui.run_javascript(
        "setTimeout(() => window.scrollTo({top: document.body.scrollHeight, behavior: 'smooth'}), 60)"
    )
