"""The verbs of answering: say something to an agent, and get the events or the whole answer."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.answer.conversations import (
    Conversation,
    add_answer,
    add_message,
    entitle,
    get_to_ask,
    give_back,
    keeps,
    set_handoff,
    start,
)
from veraz.answer.credits import charge, credits_for, reserve
from veraz.answer.ending import ending
from veraz.answer.follow_up import stand_alone
from veraz.answer.forgotten import Before, blank, blanked, cut_at, forgotten_meanwhile, without_words
from veraz.answer.history import history_of, holds_personal, last_unanswered, take_up_again
from veraz.answer.language import answer_language
from veraz.answer.model import (
    QUOTES,
    Answer,
    Answered,
    Degraded,
    Event,
    Found,
    History,
    Persona,
    Spent,
    Wrote,
)
from veraz.answer.model_writer import ModelWriter
from veraz.answer.pipeline import AnswerDependencies, ConversationContext, answer
from veraz.answer.quote_places import placed
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.recording import Recorder
from veraz.answer.stored import stored_evidence
from veraz.answer.stored_trace import Told, keep_trace
from veraz.answer.trace import Trace
from veraz.answer.turns import Turn, TurnReader
from veraz.answer.wording import conversation_text, phrases, refusal_text
from veraz.db.forgettings import newest_forgetting
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.library.model import Agent
from veraz.library.retrieval import RetrievalConfig
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, ChatModel
from veraz.providers.chat.pick import pick_chat
from veraz.providers.entail.pick import ENTAIL, pick_entailment
from veraz.search.links import QuoteLinks
from veraz.search.log import log_question, origin_of
from veraz.search.model import Question
from veraz.search.outside import Chats, chat_model_of
from veraz.search.service import Search, asked
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.verify.entailment import EntailmentJudge
from veraz.verify.judge import ChatJudge, Judge
from veraz.verify.proof import Prover, Verdicts

Q = queries(__file__)

LOCAL_MODEL = "local:use-multilingual-v3"
STUDIO = "studio"
"""The channel of managers who try settings that are not saved; no question of anybody's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What somebody says to an agent."""

    question: str
    conversation_id: UUID | None = None
    language: str | None = None
    history: History = ()
    """Turns the caller brings along; used when there is no conversation."""
    remember: bool = True
    """Whether the conversation is kept; without it only the log line is written."""
    channel: str = "api"
    trial: Mapping[str, Any] | None = None
    """The agent answers as if these of its columns were different: how an exam and the studio try a change."""
    eager: bool = False
    """Whether somebody waits for the first words: then sentences are proven one by one, else all in one request."""
    unchecked: bool = False
    """Whether the draft is wanted too, before it was checked."""
    again: bool = False
    """Whether the conversation's last question, which has no answer yet, is answered instead of `question`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """Everything that was looked up before the answer begins."""

    id: UUID
    ask: Ask
    turn: Turn
    agent: Agent
    persona: Persona
    question: Question
    conversation: Conversation | None
    history: History
    before: Before
    """What had been forgotten when it began."""
    after_personal: bool = False
    """Whether what was said before may hold words of the asker's own documents."""
    titles: tuple[str, ...] = ()
    documents: int = 0
    reserved: int = 0
    recorder: Recorder = field(default_factory=lambda: Recorder(on=False))
    """What models are sent and say, for the trace."""

    @property
    def model(self) -> str | None:
        """The chat model that is paid for this turn."""
        return self.question.model if self.turn.kind == "question" and not self.with_human else None

    @property
    def with_human(self) -> bool:
        """Whether a person has taken the conversation over."""
        return self.conversation is not None and self.conversation.handoff_mode == "human"


class Answers:
    """Agents that answer only from evidence."""

    def __init__(
        self,
        db: Database,
        search: Search,
        settings: Settings,
        *,
        chats: Chats | None = None,
        turns: TurnReader | None = None,
        links: QuoteLinks | None = None,
    ) -> None:
        self.db = db
        self.search = search
        self.settings = settings
        self._chats = chats or (lambda name, fallback: pick_chat(name, settings, fallback))
        self._turns = turns or TurnReader(search.spaces.embedder_named(LOCAL_MODEL))
        self._meanings = Meanings(search.spaces.embedder_named(LOCAL_MODEL))
        self._verdicts = Verdicts()
        self._links = links

    async def answer(self, actor: Actor, agent_id: UUID, ask: Ask) -> Answer:
        """The whole answer at once."""
        final: Answer | None = None
        async with aclosing(self.ask(actor, agent_id, ask)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    final = event.answer
        assert final is not None  # every stream ends with Answered or an error
        return final

    async def ask(self, actor: Actor, agent_id: UUID, ask: Ask) -> AsyncGenerator[Event, None]:
        """The events of a turn; whatever happens, its line in the log is written."""
        need(actor, "ask")
        ask = replace(ask, question=asked(await self._asked(actor, ask)))
        if (ask.channel == STUDIO or ask.unchecked) and not await self.manages(actor, agent_id):
            raise errors.Forbidden(action="change this agent")
        trace = Trace.begin()
        self.search.finder.vectors.begin(ask.question)
        session = await self._session(actor, agent_id, ask, await self._turns.read(ask.question))
        if session.with_human:
            yield Answered(answer=_for_a_human(session))
            return
        trace = trace.read(after_personal=session.after_personal)
        failure: str | None = "cancelled"
        try:
            async with aclosing(self._events(actor, session)) as events:
                async for event in events:
                    trace = trace.after(event)
                    if isinstance(event, Answered):
                        failure = None
                    elif isinstance(event, Found):
                        yield replace(event, personal=trace.personal)
                    elif not isinstance(event, Spent):
                        yield event
        except errors.VerazError as error:
            failure = error.code
            raise
        finally:
            final = await asyncio.shield(self._finish(actor, session, trace, failure))
        yield Answered(answer=final)

    async def _asked(self, actor: Actor, ask: Ask) -> str:
        """What is to be answered: the question that was sent, or the one that waits for its answer."""
        if not ask.again or ask.conversation_id is None:
            return ask.question
        async with self.db.transaction(actor.scope()) as tx:
            await get_to_ask(tx, actor, ask.conversation_id)
            return (await last_unanswered(tx, ask.conversation_id)).text

    async def manages(self, actor: Actor, agent_id: UUID) -> bool:
        """Whether the caller may see what was held back: those who manage the agent."""
        if not actor.may("manage"):
            return False
        async with self.db.transaction(actor.scope()) as tx:
            return bool(await tx.value(Q.manages, agent_id=agent_id))

    async def _events(self, actor: Actor, session: _Session) -> AsyncGenerator[Event, None]:
        if session.turn.kind != "question":
            reply = _spoken(session)
            yield Wrote(delta=reply.text)
            yield Answered(answer=reply)
            return
        model, degraded = self._model(session)
        recorder = session.recorder
        start_ = time.perf_counter()
        text, usage = await stand_alone(
            session.ask.question,
            session.history,
            session.persona.language,
            recorder.of(model, "follow_up") if model else None,
            seconds=float(self.settings.rewrite_seconds),
        )
        yield Spent(
            stage="follow_up", milliseconds=round((time.perf_counter() - start_) * 1000, 2), usage=usage
        )
        deps = AnswerDependencies(
            search=self.search,
            meanings=self._meanings,
            writer=ModelWriter(recorder.of(model, "write")) if model else None,
            prover=Prover(
                self.judge_of(session.agent, session.persona.language, recorder) if model else None,
                self._verdicts,
                owner=f"{actor.tenant_id} {session.persona.language}",
            ),
            degraded=degraded,
            handoff_on_refusal=session.agent.handoff_on_refusal and session.conversation is not None,
        )
        context = ConversationContext(
            typed=session.ask.question,
            question=replace(session.question, text=text),
            persona=session.persona,
            history=session.history,
            eager=session.ask.eager,
            unchecked=session.ask.unchecked,
        )
        async with aclosing(answer(deps, actor, context)) as events:
            async for event in placed(events, self.db, actor, session.question, self._links):
                yield event

    def _model(self, session: _Session) -> tuple[ChatModel | None, Degraded | None]:
        """The chat model; one that is not set up is told to managers, never to the person who asks."""
        if session.model is None:
            return None, None
        try:
            return self._chats(session.model, session.agent.fallback_model), None
        except errors.Invalid as error:
            log.warning("model_missing", model=session.model, reason=error.message("en"))
            return None, "model_missing"

    def judge_of(self, agent: Agent, language: str, recorder: Recorder | None = None) -> Judge | None:
        """Who proves what the agent's model wrote: its judge, else the model itself; None where it only quotes."""
        model = chat_model_of(agent.model, self.settings)
        name = agent.judge_model or model
        if model is None or name is None:
            return None
        try:
            if name == ENTAIL:
                return EntailmentJudge(pick_entailment(self.settings))
            chat = self._chats(name, None)
            return ChatJudge(recorder.of(chat, "judge") if recorder else chat, language)
        except errors.Invalid as error:
            log.warning("judge_missing", model=name, reason=error.message("en"))
            return None

    async def _session(self, actor: Actor, agent_id: UUID, ask: Ask, turn: Turn) -> _Session:
        """One transaction before anything is asked outside: agent, conversation, credits."""
        async with self.db.transaction(actor.scope()) as tx:
            agent = replace(await get_agent(tx, agent_id), **(ask.trial or {}))
            conversation = await self._conversation(tx, actor, agent_id, ask) if ask.remember else None
            await self._allowed(tx, conversation)
            newest = await newest_forgetting(tx)
            history, question_id = await _heard(tx, conversation, ask)
            session = _Session(
                id=new_id(),
                ask=ask,
                turn=turn,
                agent=agent,
                persona=_persona(agent, ask, await _user_name(tx, actor)),
                question=self._question(agent, ask.question),
                conversation=conversation,
                history=history,
                after_personal=await _after_personal(tx, actor, conversation, ask),
                before=Before(
                    newest=newest,
                    cut_at=await cut_at(tx, conversation.id) if conversation else None,
                    question_id=question_id,
                ),
                recorder=Recorder(on=self._keeps_traces(ask)),
            )
            if turn.kind == "conversation" and not session.with_human:
                rows = await tx.rows(Q.titles, agent_id=agent_id)
                titles = tuple(str(row["title"]) for row in rows)
                session = replace(session, titles=titles, documents=rows[0]["documents"] if rows else 0)
            if session.model:
                session = replace(session, reserved=credits_for(reserve(agent, history, eager=ask.eager)))
                await charge(tx, session.id, session.reserved, "reserve", str(session.model))
            return session

    async def _allowed(self, tx: Transaction, conversation: Conversation | None) -> None:
        """Agents answer tenants that have them; a person who has taken the conversation over needs none."""
        if conversation is None or conversation.handoff_mode != "human":
            await tx.run(Q.need_agents)

    async def _conversation(self, tx: Transaction, actor: Actor, agent_id: UUID, ask: Ask) -> Conversation:
        if ask.conversation_id is None:
            return await start(tx, agent_id, ask.question, ask.channel)
        await give_back(tx, ask.conversation_id, self.settings.handoff_hours)
        conversation = await get_to_ask(tx, actor, ask.conversation_id)
        if conversation.agent_id != agent_id:
            raise errors.NotFound(thing="conversation", id=ask.conversation_id)
        return conversation

    def _question(self, agent: Agent, text: str) -> Question:
        return Question(
            text=text,
            agent_id=agent.id,
            config=RetrievalConfig.from_json(agent.retrieval),
            model=chat_model_of(agent.model, self.settings),
            fallback_model=agent.fallback_model,
            reads=True,
        )

    async def _finish(self, actor: Actor, session: _Session, trace: Trace, failure: str | None) -> Answer:
        """Log line, ledger and message, in one transaction after the last model call."""
        final = trace.answer if trace.answer and failure is None else _cut_off(session, trace)
        final = replace(final, usage=trace.spent, latency_ms=trace.milliseconds, stages=dict(trace.stages))
        credits = min(credits_for(trace.spent.tokens), session.reserved) if session.model else 0
        told = _told(session, trace, final, failure, credits)
        talk = session.conversation
        async with self.db.transaction(actor.scope()) as tx:
            kept = talk is None or await keeps(tx, talk.id)
            talk_id = talk.id if talk and kept else None
            forgotten = await forgotten_meanwhile(tx, final, trace, talk_id, session.before)
            line = trace.logged(session.question)
            if forgotten.answer:
                final = blanked(final)
            if forgotten.words or not kept:
                line = without_words(line)
            query_id = await log_question(tx, line, ending(told, session.ask.channel))
            if session.model:
                reason = "answer" if credits else "refund"
                await charge(tx, session.id, credits, reason, trace.model or session.model, trace.spent)
            final = replace(final, query_id=query_id)
            if self._keeps_traces(session.ask) and kept and not forgotten.found:
                told = replace(told, answer=final)
                await keep_trace(
                    tx, told, agent_id=session.agent.id, conversation_id=talk.id if talk else None
                )
            if talk is None or not kept:
                return final
            evidence = stored_evidence(final, actor.tenant_id, self._links)
            await add_answer(
                tx, session.id, talk.id, final, evidence=evidence, personal=trace.personal, error=failure
            )
            if forgotten.answer:
                await blank(tx, session.id)
            if final.handoff:
                await set_handoff(tx, talk.id, "human")
        return replace(final, message_id=session.id, conversation_id=talk.id)

    def _keeps_traces(self, ask: Ask) -> bool:
        return self.settings.trace_days > 0 and origin_of(ask.channel) != "eval"


def _told(session: _Session, trace: Trace, final: Answer, failure: str | None, credits: int) -> Told:
    return Told(
        typed=session.ask.question,
        turn=session.turn.kind,
        history=len(session.history),
        trace=trace,
        answer=final,
        calls=session.recorder.calls,
        failure=failure,
        credits=credits,
    )


async def _heard(tx: Transaction, conversation: Conversation | None, ask: Ask) -> tuple[History, UUID | None]:
    """What was said before, and the question's message; it is kept, unless it is one that was kept already."""
    if conversation is None:
        return ask.history, None
    if ask.again:
        waiting = await take_up_again(tx, conversation.id)
        return await history_of(tx, conversation.id, before=waiting), waiting
    history = await history_of(tx, conversation.id) if ask.conversation_id else ()
    question_id = await add_message(tx, conversation.id, "user", ask.question)
    await entitle(tx, conversation.id, ask.question)
    return history, question_id


async def _after_personal(tx: Transaction, actor: Actor, conversation: Conversation | None, ask: Ask) -> bool:
    """Nobody knows what a history that a person brings along was made of."""
    if conversation is None:
        return bool(ask.history) and actor.user_id is not None
    return await holds_personal(tx, conversation.id)


async def _user_name(tx: Transaction, actor: Actor) -> str:
    """Whom to greet: the licence's name for this machine."""
    if actor.machine_id is None:
        return ""
    return str(await tx.value(Q.user_name) or "")


def _persona(agent: Agent, ask: Ask, user_name: str) -> Persona:
    return Persona(
        agent=agent.name,
        company=agent.company_name,
        system_prompt=agent.system_prompt,
        style=agent.answer_style,
        language=answer_language(ask.question, wanted=ask.language, agents=agent.language),
        fallback_message=agent.fallback_message,
        user_name=user_name,
    )


def _spoken(session: _Session) -> Answer:
    """A reply that no document is needed for."""
    persona = session.persona
    if session.turn.kind == "handoff":
        called = session.conversation is not None
        text = phrases(persona.language)["handoff"]["wanted" if called else "nobody"]
        return replace(_failed(session), text=text, refused=False, handoff=called, turn="handoff")
    text = conversation_text(
        persona,
        session.turn.topic,
        session.titles,
        session.documents,
        description=session.agent.description,
        again=bool(session.history),
    )
    return replace(_failed(session), text=text, refused=False, turn="conversation")


def _for_a_human(session: _Session) -> Answer:
    """The question is kept for the person who took over; nobody else answers."""
    assert session.conversation is not None
    return replace(
        _failed(session),
        text=refusal_text(session.persona, "human"),
        refused=False,
        refusal="human",
        handoff=True,
        turn="handoff",
        conversation_id=session.conversation.id,
    )


def _cut_off(session: _Session, trace: Trace) -> Answer:
    """What was shown before the answer failed or was stopped: every sentence of it was proven."""
    return replace(
        _failed(session), text=trace.written.strip(), evidence=trace.evidence if trace.written else ()
    )


def _failed(session: _Session) -> Answer:
    """What is kept of a turn that was never answered."""
    return Answer(
        text="",
        answerable=False,
        refused=True,
        refusal=None,
        claims=(),
        evidence=(),
        language=session.persona.language,
        model=session.model or QUOTES,
        answerability=0.0,
        turn=session.turn.kind,
        usage=NO_USAGE,
    )
