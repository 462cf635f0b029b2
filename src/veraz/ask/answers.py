"""The verbs of answering: ask an agent, and get the events or the whole answer."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.ask.check.meaning import EmbeddedMeaning, Meaning
from veraz.ask.check.referee import ChatReferee
from veraz.ask.conversations import (
    Conversation,
    add_answer,
    add_message,
    get_conversation,
    history_of,
    keeps,
    set_handoff,
    start,
)
from veraz.ask.follow_up import stand_alone
from veraz.ask.language import answer_language
from veraz.ask.log import log_question
from veraz.ask.model import Context, Evidence, Question, SearchResult
from veraz.ask.outcome import EXTRACTIVE, Answer, Answered, Event, History, Persona, Wrote
from veraz.ask.outside import Chats, chat_model_of
from veraz.ask.phrases import refusal_text
from veraz.ask.pipeline import Journey, Means, answer
from veraz.ask.service import Search, asked
from veraz.ask.write.base import Writer
from veraz.ask.write.chat import ChatWriter
from veraz.ask.write.extractive import ExtractiveWriter
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.library.model import Agent
from veraz.library.retrieval import RetrievalConfig
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.providers.chat.pick import pick_chat
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.tokens import count_tokens

Q = queries(__file__)

_TOKENS_PER_CREDIT = 1_000
_PROMPT_OVERHEAD = 600
LOCAL_MODEL = "local:use-multilingual-v3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to an agent."""

    question: str
    conversation_id: UUID | None = None
    language: str | None = None
    history: History = ()
    """Turns the caller brings along; used when there is no conversation."""
    remember: bool = True
    """Whether the talk is kept; without it only the log line is written."""
    channel: str = "api"
    trial: Mapping[str, Any] | None = None
    """The agent answers as if these of its columns were different: how an exam tries a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Everything that was looked up before the answer begins."""

    id: UUID
    agent: Agent
    persona: Persona
    question: Question
    conversation: Conversation | None
    history: History
    model: str | None
    reserved: int


class Answers:
    """Agents that answer only from evidence."""

    def __init__(
        self,
        db: Database,
        search: Search,
        settings: Settings,
        *,
        chats: Chats | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self.db = db
        self.search = search
        self.settings = settings
        self._chats = chats or (lambda name, fallback: pick_chat(name, settings, fallback))
        self._meaning = meaning or EmbeddedMeaning(search.spaces.embedder_named(LOCAL_MODEL))

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
        """The events of a question; whatever happens, its line in the log is written."""
        need(actor, "ask")
        text = asked(ask.question)
        began = time.perf_counter()
        self.search.finder.vectors.begin(text)
        scene = await self._scene(actor, agent_id, replace(ask, question=text))
        if _with_human(scene.conversation):
            yield Answered(answer=self._for_a_human(scene))
            return
        journey = Journey(question=scene.question)
        failure: str | None = "cancelled"
        wrote: list[str] = []
        try:
            async with aclosing(self._journey(actor, scene, journey)) as events:
                async for event in events:
                    if isinstance(event, Answered):
                        failure = None
                        break
                    if isinstance(event, Wrote):
                        wrote.append(event.delta)
                    yield event
        except errors.VerazError as error:
            failure = error.code
            raise
        finally:
            journey.stages["total"] = round((time.perf_counter() - began) * 1000, 1)
            usage = journey.usage if failure is None else _spent(journey, "".join(wrote))
            final = await asyncio.shield(self._finish(actor, scene, journey, text, failure, usage))
        yield Answered(answer=final)

    async def _journey(self, actor: Actor, scene: _Scene, journey: Journey) -> AsyncGenerator[Event, None]:
        model = self._chats(scene.model, scene.agent.fallback_model) if scene.model else None
        writer: Writer = ChatWriter(model) if model else ExtractiveWriter()
        alone, usage = await stand_alone(journey.question.text, scene.history, scene.persona.language, model)
        journey.question = replace(journey.question, text=alone)
        referee = self._referee(scene)
        means = Means(
            search=self.search,
            writer=writer,
            meaning=self._meaning,
            referee=referee,
            handoff_on_refusal=scene.agent.handoff_on_refusal and scene.conversation is not None,
        )
        async with aclosing(answer(means, actor, journey, scene.persona, scene.history)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    journey.usage = journey.usage.plus(usage)
                    if referee:
                        journey.usage = journey.usage.plus(referee.usage)
                yield event

    def _referee(self, scene: _Scene) -> ChatReferee | None:
        """Quotations leave no doubt, so only what a model writes is judged by one."""
        name = scene.agent.judge_model
        return ChatReferee(self._chats(name, None), scene.persona.language) if scene.model and name else None

    async def _scene(self, actor: Actor, agent_id: UUID, ask: Ask) -> _Scene:
        """One transaction before anything is asked outside: agent, conversation, credits."""
        async with self.db.transaction(actor.scope()) as tx:
            agent = replace(await get_agent(tx, agent_id), **(ask.trial or {}))
            conversation = await _conversation(tx, agent_id, ask) if ask.remember else None
            history = await _history(tx, conversation, ask)
            if conversation:
                await add_message(tx, conversation.id, "user", ask.question)
            scene_id, question = new_id(), self._question(agent, ask.question)
            paid = None if _with_human(conversation) else question.model
            reserved = _credits(_reserve(agent, history)) if paid else 0
            if paid:
                await _book(tx, scene_id, reserved, "reserve", paid)
            return _Scene(
                id=scene_id,
                agent=agent,
                persona=_persona(agent, ask, await _user_name(tx, actor)),
                question=question,
                conversation=conversation,
                history=history,
                model=question.model,
                reserved=reserved,
            )

    def _question(self, agent: Agent, text: str) -> Question:
        return Question(
            text=text,
            agent_id=agent.id,
            config=RetrievalConfig.from_json(agent.retrieval),
            model=chat_model_of(agent.model, self.settings),
            fallback_model=agent.fallback_model,
        )

    async def _finish(
        self, actor: Actor, scene: _Scene, journey: Journey, text: str, failure: str | None, usage: Usage
    ) -> Answer:
        """Log line, ledger and message, in one transaction after the last model call."""
        final = journey.answer if journey.answer and failure is None else _failed(scene)
        final = replace(final, usage=usage, latency_ms=journey.stages["total"], stages=dict(journey.stages))
        async with self.db.transaction(actor.scope()) as tx:
            refused = final.refused and failure is None
            query_id = await log_question(tx, _logged(journey, text), refused=refused)
            if scene.model:
                await _charge(tx, scene, usage, journey.model or scene.model)
            final = replace(final, query_id=query_id)
            talk = scene.conversation
            if talk is None or not await keeps(tx, talk.id):  # forgotten meanwhile
                return final
            await add_answer(tx, scene.id, talk.id, final, error=failure)
            if final.handoff:
                await set_handoff(tx, talk.id, "human")
        return replace(final, message_id=scene.id, conversation_id=talk.id)

    def _for_a_human(self, scene: _Scene) -> Answer:
        """The question is kept for the person who took over; nobody else answers."""
        assert scene.conversation is not None
        return replace(
            _failed(scene),
            text=refusal_text(scene.persona, "human"),
            refusal="human",
            handoff=True,
            conversation_id=scene.conversation.id,
        )


async def _conversation(tx: Transaction, agent_id: UUID, ask: Ask) -> Conversation:
    if ask.conversation_id is None:
        return await start(tx, agent_id, ask.question, ask.channel)
    conversation = await get_conversation(tx, ask.conversation_id)
    if conversation.agent_id != agent_id:
        raise errors.NotFound(thing="conversation", id=ask.conversation_id)
    return conversation


def _with_human(conversation: Conversation | None) -> bool:
    """Whether a person has taken the conversation over; what waits for them is not paid."""
    return conversation is not None and conversation.handoff_mode == "human"


async def _history(tx: Transaction, conversation: Conversation | None, ask: Ask) -> History:
    """What was said before; nothing in a conversation that begins."""
    if conversation is None:
        return ask.history
    return await history_of(tx, conversation.id) if ask.conversation_id else ()


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


def _reserve(agent: Agent, history: History) -> int:
    """Tokens an answer may take at most, roughly."""
    context = RetrievalConfig.from_json(agent.retrieval).context_tokens
    return context + _PROMPT_OVERHEAD + 1_200 + sum(count_tokens(m.text) for m in history)


def _credits(tokens: int) -> int:
    return max(1, math.ceil(tokens / _TOKENS_PER_CREDIT)) if tokens else 0


async def _charge(tx: Transaction, scene: _Scene, usage: Usage, model: str) -> None:
    """What the answer really took, once, whatever was reserved; an answer is never lost over a few credits."""
    credits = min(_credits(usage.tokens), scene.reserved)
    await _book(tx, scene.id, credits, "answer" if credits else "refund", model, usage)


async def _book(
    tx: Transaction, about: UUID, credits: int, reason: str, model: str, usage: Usage | None = None
) -> None:
    await tx.run(
        Q.settle,
        about=about,
        credits=credits,
        reason=reason,
        model=model,
        tokens=usage.tokens if usage else None,
        cost=usage.cost_usd if usage else None,
    )


def _spent(journey: Journey, wrote: str) -> Usage:
    """What an answer that did not end took: nothing when the model said nothing."""
    if journey.usage.tokens or not wrote or journey.result is None:
        return journey.usage
    prompt = sum(hit.passage.tokens for hit in journey.result.evidence.hits) + _PROMPT_OVERHEAD
    return Usage(input_tokens=prompt, output_tokens=count_tokens(wrote), cost_usd=None)


def _logged(journey: Journey, text: str) -> SearchResult:
    """The line of the log as the search would write it, with the stages of the answer."""
    question = replace(journey.question, text=text)
    stages = {name: spent for name, spent in journey.stages.items() if name != "total"}
    if journey.result is not None:
        return replace(journey.result, question=question, stages=stages)
    return SearchResult(
        question=question,
        queries=(),
        shelves=(),
        evidence=Evidence(hits=()),
        context=Context(text="", used=(), left_out=()),
        stages=stages,
    )


def _failed(scene: _Scene) -> Answer:
    """What is kept of a question that was never answered."""
    return Answer(
        text="",
        answerable=False,
        refused=True,
        refusal=None,
        claims=(),
        evidence=(),
        language=scene.persona.language,
        model=scene.model or EXTRACTIVE,
        answerability=0.0,
        usage=NO_USAGE,
    )
