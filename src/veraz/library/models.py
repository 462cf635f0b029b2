"""Which models an agent can be given here, and whether one of them answers."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.providers.catalogue import COHERE, Listed, list_models
from veraz.providers.chat.base import ChatRequest, Delta, Message
from veraz.providers.chat.pick import build_chat, check_chat_name
from veraz.providers.entail.pick import ENTAIL, pick_entailment
from veraz.providers.rerank.base import Candidate
from veraz.providers.rerank.pick import LOCAL, pick_cohere, reranker_provider
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.projects import managed_projects

Q = queries(__file__)

ModelRole = Literal["writer", "fallback", "judge", "reranker"]
Outcome = Literal["works", "wrong_key", "unknown_model", "no_answer", "busy", "refused"]
_LISTED_SECONDS: Final = 300.0
_SILENT_SECONDS: Final = 15.0
"""A service that does not answer is asked again soon, but not by every page."""
_PROBE_SECONDS: Final = 20.0
_PROBES_PER_MINUTE: Final = 20
_QUESTION: Final = ChatRequest(
    instructions="Answer with the single word OK.",
    messages=(Message(role="user", text="OK?"),),
    max_tokens=200,
    temperature=None,
)
_PASSAGE: Final = Candidate(text="OK", language="en", closeness=None, words=0.0, idf={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A service this installation is connected to."""

    name: str
    answers: bool
    """Whether it told its models just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableModels:
    """What there is to choose from; names are `provider:model`."""

    providers: list[Provider]
    chat: list[str]
    """Can write, stand in, judge and rerank."""
    rerankers: list[str]
    """Can only rerank."""
    judges: list[str]
    """Can only judge."""
    default_writer: str | None
    """What an agent without a model answers with; None quotes the documents."""
    default_fallback: str | None
    default_reranker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came of one tiny request."""

    outcome: Outcome
    milliseconds: int
    detail: str = ""
    """What the provider said, where it refused."""


class Models:
    """The models of this installation, for who manages agents."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self.db = db
        self.settings = settings
        self._listed: list[Listed] = []
        self._listed_at = -_LISTED_SECONDS
        self._probes: dict[UUID | None, deque[float]] = {}

    async def available(self, actor: Actor) -> AvailableModels:
        """The models of connected services, and those agents of the caller's projects name already."""
        await self._need_manager(actor)
        async with self.db.transaction(actor.scope()) as tx:
            used = [str(name) for name in await tx.values(Q.used)]
        listed = await self._services()
        s = self.settings
        named = [name for name in (s.chat_model, s.chat_fallback_model, s.rerank_model, *used) if name]
        told = [f"{one.provider}:{model}" for one in listed for model in one.models]
        every = [name for name in _once([*named, *told]) if ":" in name]
        return AvailableModels(
            providers=[Provider(name=one.provider, answers=one.answers) for one in listed],
            chat=[name for name in every if not name.startswith(f"{COHERE}:")],
            rerankers=[name for name in every if name.startswith(f"{COHERE}:")],
            judges=[ENTAIL] if s.entail_model else [],
            default_writer=s.chat_model,
            default_fallback=s.chat_fallback_model,
            default_reranker=s.rerank_model,
        )

    async def probe(self, actor: Actor, role: ModelRole, name: str) -> Probe:
        """One tiny request to a model of a connected service; `Invalid` where the service is not connected."""
        await self._need_manager(actor)
        self._check(role, name)
        self._slow_down(actor.tenant_id)
        started = time.perf_counter()
        outcome, detail = await self._tried(role, name)
        return Probe(
            outcome=outcome, milliseconds=round((time.perf_counter() - started) * 1000), detail=detail
        )

    async def _need_manager(self, actor: Actor) -> None:
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            if not await managed_projects(tx):
                raise errors.Forbidden(action="choose models for agents")

    async def _services(self) -> list[Listed]:
        """Asked at most every few minutes; settings do not change while a process runs."""
        good_for = _LISTED_SECONDS if all(one.answers for one in self._listed) else _SILENT_SECONDS
        if time.monotonic() - self._listed_at > good_for:
            self._listed = await list_models(self.settings)
            self._listed_at = time.monotonic()
        return self._listed

    def _check(self, role: ModelRole, name: str) -> None:
        if (role == "judge" and name == ENTAIL) or (role == "reranker" and name == LOCAL):
            return
        if role == "reranker" and reranker_provider(name) == COHERE:
            pick_cohere(name, self.settings)
        else:
            check_chat_name(name, self.settings)

    def _slow_down(self, tenant: UUID | None) -> None:
        recent, now = self._probes.setdefault(tenant, deque()), time.monotonic()
        while recent and now - recent[0] > 60:
            recent.popleft()
        if len(recent) >= _PROBES_PER_MINUTE:
            raise errors.RateLimited(seconds=60)
        recent.append(now)

    async def _tried(self, role: ModelRole, name: str) -> tuple[Outcome, str]:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._ask(role, name)
        except TimeoutError:
            return "no_answer", ""
        except errors.OutsideFault as fault:
            return _outcome(fault)
        return "works", ""

    async def _ask(self, role: ModelRole, name: str) -> None:
        if role == "judge" and name == ENTAIL:
            await asyncio.to_thread(pick_entailment, self.settings)
        elif role == "reranker" and name == LOCAL:
            return
        elif role == "reranker" and reranker_provider(name) == COHERE:
            await pick_cohere(name, self.settings).rerank("OK?", [_PASSAGE])
        else:
            async with aclosing(build_chat(name, self.settings).stream(_QUESTION)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Delta):
                        return


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _outcome(fault: errors.OutsideFault) -> tuple[Outcome, str]:
    """By what can be done about it: change the key, change the name, wait, or ask the provider."""
    said = str(fault.context.get("reason", ""))
    status, words = said[:3], said[3:].strip()
    if isinstance(fault, errors.OutsideBusy):
        return "busy", words
    if isinstance(fault, errors.OutsideDown):
        return ("works", "") if said == "an empty answer" else ("no_answer", "")
    if status in ("401", "403"):
        return "wrong_key", words
    if status == "404" or (status == "400" and "model" in words.lower()):
        return "unknown_model", words
    return "refused", words
