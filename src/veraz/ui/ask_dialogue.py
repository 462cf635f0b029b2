"""The dialogue with an agent: what was said, the answer on its way, and the bar to write in."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from nicegui import background_tasks, ui

from veraz import errors
from veraz.answer.conversations import Conversation, StoredMessage
from veraz.answer.service import Ask
from veraz.library.model import Agent
from veraz.ui.ask_deliveries import show_deliveries
from veraz.ui.ask_live import LiveAnswer
from veraz.ui.ask_message import LONGEST_TALK, DrawnMessage, Reader, draw_message, said
from veraz.ui.ask_start import chips
from veraz.ui.parts import called, typed
from veraz.ui.question_bar import QuestionBar
from veraz.ui.routing import readdress
from veraz.ui.source import SourcePanel, on_claim
from veraz.ui.visit import Visit

_TO_LAST_QUESTION: Final = """(() => {
  let before;
  const go = () => {
    const log = getHtmlElement(ID), last = log && [...log.querySelectorAll('.bubble.me')].pop();
    if (!last || before !== undefined && log.scrollTop !== before) return;  // somebody scrolls
    log.scrollTop += last.getBoundingClientRect().top - log.getBoundingClientRect().top - 12;
    before = log.scrollTop;
  };
  setTimeout(go, 40);
  setTimeout(go, 400);  // the bar below may have grown meanwhile
})()"""
_NOTICE: Final = """(() => {
  const offered = getHtmlElement(ID), log = offered && offered.closest('.ask-log');
  const below = log ? offered.getBoundingClientRect().bottom + 8 - log.getBoundingClientRect().bottom : 0;
  if (below > 0 && below < 160) log.scrollTop += below;
})()"""
"""Brings what is offered after an answer into view where little of it is hidden; what is being read stays where it is."""
_LONGEST: Final = 10_000
_PREFETCHED: Final = 3
_LOST_AFTER: Final = timedelta(minutes=2)
_LOST_HERE_AFTER: Final = timedelta(seconds=5)
"""From when on a question that nobody answers counts as lost: asked by another program, or here, where it is known."""


class Dialogue:
    """One conversation in one tab. What is shown comes from what is stored; only the answer on its way does not."""

    def __init__(
        self,
        visit: Visit,
        agent: Agent,
        talk: Conversation | None,
        panel: SourcePanel,
        changed: Callable[[Conversation], Awaitable[None]],
    ) -> None:
        self.visit, self.agent, self.talk, self.panel = visit, agent, talk, panel
        self.changed = changed
        self.addressed = talk is not None
        self.following: asyncio.Task[None] | None = None
        self.sending = False
        self.offered: tuple[Any, ...] | None = None
        self.told: str | None = None
        self.drawn: dict[UUID, DrawnMessage] = {}
        self.reader = Reader(visit=visit, agent_id=agent.id, panel=panel, reword=self._reword)

    async def draw(self, start: Callable[["Dialogue"], None]) -> None:
        """The log and the bar; `start` draws what stands where nothing was said yet."""
        visit, t = self.visit, self.visit.t
        with called(ui.element("div").classes("ask-log"), t("Conversation")) as self.log:
            self.log.props("role=log aria-live=polite tabindex=0")
            self.start = ui.column().classes("ask-start")
            self.said, self.live, self.below = (ui.column().classes("ask-said") for _ in range(3))
        on_claim(self.log, visit.act(self._open_proof))
        self.note = ui.row().classes("ask-note")
        self.bar = QuestionBar(visit, self._send, self._stop)
        await self.more()
        if not self.drawn:
            with self.start:
                start(self)
        self._name_bar()
        self._go_on()

    async def ask(self, question: str) -> None:
        """Asks something that nobody had to type; what stands in the bar stays there."""
        if not self.following and not self.sending:
            await self._ask(question)
            self._readdress()

    async def renew(self, talk: Conversation) -> None:
        """What happened since, here or elsewhere; the talk as it is now."""
        self.talk = talk
        self._name_bar()
        if self.following is None and not self.sending:
            await self.more()
            self._go_on()

    async def more(self) -> None:
        """What was said and is not shown yet."""
        if self.talk is None:
            return
        asked = [one for one in self.drawn.values() if one.message.role == "user"]
        found = await said(self.visit, self.talk.id, after=asked[-1].message.id if asked else None)
        new = [one for one in found if one.id not in self.drawn]
        with self.said:
            if len(new) == LONGEST_TALK:
                ui.label(self.visit.t("Only the newest messages are shown.")).classes("quiet small")
            for message in new:
                self.drawn[message.id] = draw_message(self.reader, message, self._question())
        if new:
            await self._after(new)
        if self.talk.channel == "whatsapp" and self.visit.manages:
            await show_deliveries(self.visit, self.talk.id, self.drawn)

    async def _after(self, new: list[StoredMessage]) -> None:
        """What goes with messages that were just shown."""
        visit = self.visit
        self.start.set_visibility(False)
        self._to_the_end()
        with_proofs = [one for one in (self.drawn[each.id] for each in new) if one.proofs]
        for drawn in with_proofs[-_PREFETCHED:]:
            self.panel.prefetch(drawn.proofs)
        if with_proofs:
            with self.log:  # later, so that nobody waits for it
                ui.timer(0.1, visit.act(lambda: self._tell_changes(with_proofs)), once=True)
        if self.talk and self.talk.unread:
            await visit.veraz.conversations.seen(visit.actor, self.talk.id)

    async def _tell_changes(self, drawn: list[DrawnMessage]) -> None:
        """What became of the sources since they were quoted."""
        links = {proof.url for one in drawn for proof in one.proofs if proof.url}
        states = await self.visit.veraz.passages.source_states(self.visit.actor, links)
        for one in drawn:
            one.tell_changes(self.visit, states)

    async def _send(self, text: str) -> None:
        words = typed(text, longest=_LONGEST)
        if not words or self.following or self.sending:
            return
        if self.as_person and self.talk:
            await self.visit.veraz.conversations.say(self.visit.actor, self.talk.id, words)
            self._taken(text)
            await self.more()
        else:
            await self._ask(words)
            self._taken(text)

    async def _ask(self, question: str, *, again: bool = False) -> None:
        self.sending = True
        try:
            await self._begin(question, again)
        finally:
            self.sending = False
        self.start.set_visibility(False)
        self._follow("" if again else question)

    async def _begin(self, question: str, again: bool) -> None:
        visit = self.visit
        if self.talk is None:
            self.talk = await visit.veraz.conversations.start(visit.actor, self.agent.id)
        ask = Ask(question=question, conversation_id=self.talk.id, channel="web", eager=True, again=again)
        await visit.veraz.running.begin(visit.actor, self.agent.id, ask)

    def _taken(self, text: str) -> None:
        """What was sent is kept by the server: the draft goes."""
        self.bar.taken(text)
        self._readdress()

    def _readdress(self) -> None:
        """A new conversation gets its address."""
        if self.talk and not self.addressed:
            self.addressed = True
            readdress(f"/ask/{self.talk.id}")
        self._name_bar()

    def _go_on(self) -> None:
        """With an answer that is being written, or what is offered after the last one."""
        if self.talk and self.visit.veraz.running.is_running(self.talk.id):
            self._follow("")
        else:
            self._offer()

    def _follow(self, question: str) -> None:
        if question and self.panel.box.visible:
            self.panel.put_away()
        self.bar.busy(True)
        self.below.clear()
        self.offered = None
        for drawn in [one for one in self.drawn.values() if one.message.error]:
            drawn.box.delete()
            del self.drawn[drawn.message.id]
        self.live.clear()
        with self.live:
            if question:
                with ui.column().classes("bubble me"):
                    ui.label(question).classes("passage")
            shown = LiveAnswer(self.visit)
        self._to_the_end()
        self.following = background_tasks.create(self._watch(shown, question), context=ui.context.client)

    async def _watch(self, shown: LiveAnswer, question: str) -> None:
        """Shows the answer while it is written, then as it is stored."""
        assert self.talk is not None
        failed: errors.VerazError | None = None
        running = self.visit.veraz.running
        try:
            async with aclosing(running.follow(self.visit.actor, self.talk.id)) as events:
                async for event in events:
                    if self.log.is_deleted:
                        return
                    shown.show(event)
        except errors.VerazError as error:
            failed = error
        finally:
            self.following = None
        if not self.log.is_deleted:
            await self._ended(failed, question)

    async def _ended(self, failed: errors.VerazError | None, question: str) -> None:
        known = set(self.drawn)
        self.live.clear()
        await self.more()
        self.bar.busy(False)
        if failed is not None and known == set(self.drawn) and question:
            self.bar.fill(question)  # nothing of it was kept
        self._offer(failed)
        if self.talk:
            await self.changed(self.talk)

    def _offer(self, failed: errors.VerazError | None = None) -> None:
        """What can be done after the last message: ask again what was not answered, or ask on."""
        last = next(reversed(self.drawn.values()), None)
        lost = last is not None and self._is_lost(last.message)
        state = (last.message.id if last else None, lost, failed)
        if self.offered == state:
            return
        self.offered = state
        self.below.clear()
        with self.below:
            if failed is not None:
                ui.label(failed.message(self.visit.language)).classes("text-negative break").props(
                    "role=alert"
                )
            if lost and last and self.mine:
                self._interrupted(last.message)
            elif lost:
                words = (
                    "No answer is shown: what stands on personal knowledge is only for the person who asked."
                )
                ui.label(self.visit.t(words)).classes("quiet small")
            elif last and self.mine and last.message.claims:
                ui.timer(0.05, self.visit.act(lambda: self._follow_ups(last.message)), once=True)

    def _is_lost(self, message: StoredMessage) -> bool:
        """Whether it is a question whose answer will not come any more."""
        assert self.talk is not None
        if message.error:
            return True
        if message.role != "user" or self.talk.handoff_mode == "human":
            return False
        after = _LOST_HERE_AFTER if self.talk.channel == "web" else _LOST_AFTER
        return datetime.now(UTC) - message.created_at > after

    def _interrupted(self, message: StoredMessage) -> None:
        t = self.visit.t
        with ui.row().classes("interrupted items-center"):
            ui.icon("sync_problem").props("aria-hidden=true")
            words = "The answer was interrupted." if message.error else "Nobody has answered this message."
            ui.label(t(words)).props("role=status")
            again = ui.button(t("Ask again"), icon="refresh", on_click=self.visit.act(self._ask_again))
            again.props("flat dense")

    async def _ask_again(self) -> None:
        await self._ask(self._question(), again=True)

    async def _follow_ups(self, message: StoredMessage) -> None:
        visit = self.visit
        found = await visit.veraz.suggestions.follow_ups(visit.actor, self.agent.id, message)
        if found and not self.below.is_deleted:
            with self.below:
                chips(visit, visit.t("Go on with"), found, self.ask)
            ui.run_javascript(_NOTICE.replace("ID", str(self.below.id)))

    async def _stop(self) -> None:
        if self.talk:
            await self.visit.veraz.running.stop(self.visit.actor, self.talk.id)

    async def _open_proof(self, event: Any) -> None:
        message, proof, claim = event.args
        drawn = self.drawn.get(UUID(message))
        if drawn and 1 <= int(proof) <= len(drawn.proofs):
            await self.panel.open(drawn.proofs, int(proof) - 1, str(claim))

    def _reword(self, question: str) -> None:
        self.bar.fill(question)

    def _question(self) -> str:
        """The last thing that was asked."""
        asked = (one.message.text for one in reversed(self.drawn.values()) if one.message.role == "user")
        return next(asked, "")

    @property
    def mine(self) -> bool:
        """Whether the visitor is the one who asks here."""
        return self.talk is None or self.talk.mine

    @property
    def as_person(self) -> bool:
        """Whether what is written is a person's answer to somebody else."""
        return (
            not self.mine
            and self.visit.manages
            and self.talk is not None
            and self.talk.handoff_mode == "human"
        )

    def _name_bar(self) -> None:
        t, id_ = self.visit.t, self.talk.id if self.talk and self.addressed else "new"
        if self.as_person:
            self.bar.name(label=t("Answer as a person"), send=t("Send"), draft=f"person-{id_}")
        else:
            waits = self.talk is not None and self.talk.handoff_mode == "human"
            label, send = ("Your message", "Send") if waits else ("Your question", "Ask")
            self.bar.name(label=t(label), send=t(send), draft=str(id_))
        self.bar.set_visibility(self.mine or self.as_person)
        self._tell_who_answers()

    def _tell_who_answers(self) -> None:
        t, human = self.visit.t, self.talk is not None and self.talk.handoff_mode == "human"
        words = ""
        if not self.mine and not human:
            words = t("The agent answers in this conversation. To write in it, take it over.")
        elif self.mine and human:
            words = t("A person of the team answers here; what you write waits for them.")
        if words == self.told:
            return
        self.told = words
        self.note.clear()
        with self.note:
            ui.label(words).classes("quiet small").props("role=status")
        self.note.set_visibility(bool(words))

    def _to_the_end(self) -> None:
        """The last question at the top, so that its answer is read from its beginning."""
        ui.run_javascript(_TO_LAST_QUESTION.replace("ID", str(self.log.id)))
