"""The outside models a search may ask for help: a chat model for other wordings, a reranker for a closer look.

Both are optional. Where one is not set up, or no credits are left, the search goes on without it and says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.errors import CreditsExhausted, Invalid
from veraz.observe import log
from veraz.providers.chat.base import ChatModel
from veraz.providers.chat.pick import build_chat, pick_chat
from veraz.providers.rerank.base import Reranker
from veraz.providers.rerank.pick import LOCAL, pick_cohere, reranker_provider
from veraz.providers.rerank.resilient import Patience, ResilientReranker
from veraz.search.chat_reranker import ChatReranker
from veraz.search.chat_rewriter import ChatRewriter
from veraz.search.model import Help, HelpStage, Question
from veraz.search.rewrite import Rewriter
from veraz.search.spending import credits_left
from veraz.settings import Settings

Chats = Callable[[str, str | None], ChatModel]
"""`provider:model` and a fallback → the model."""
Rerankers = Callable[[str], Reranker]
"""`provider:model` → the reranker."""
T = TypeVar("T")
QUOTES = "extractive"
"""In place of a model: answers by quoting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Who helps with one question; None is nobody."""

    rewriter: Rewriter | None = None
    reranker: Reranker | None = None
    missing: tuple[Help, ...] = ()
    """Who was wanted and cannot be asked."""


class Outside:
    """Finds the helpers of a question."""

    def __init__(
        self, settings: Settings, *, chats: Chats | None = None, rerankers: Rerankers | None = None
    ) -> None:
        self.settings = settings
        self._chats = chats or (lambda name, fallback: pick_chat(name, settings, fallback))
        self._rerankers = rerankers or (lambda name: pick_reranker(name, settings))

    async def helpers(self, db: Database, scope: Scope, question: Question) -> Helpers:
        """Whom this question may ask; nothing is asked yet."""
        wanted = self._wanted(question)
        if not wanted:
            return Helpers()
        async with db.transaction(scope) as tx:
            paid = await credits_left(tx)
        if not paid:
            return Helpers(missing=tuple(_missing(*one, CreditsExhausted.code) for one in wanted.items()))
        missing: list[Help] = []
        rewriter = _found("rewrite", wanted, missing, lambda name: self._rewriter(name, question))
        reranker = _found("rerank", wanted, missing, self._rerankers)
        return Helpers(rewriter=rewriter, reranker=reranker, missing=tuple(missing))

    def _wanted(self, question: Question) -> dict[HelpStage, str]:
        """The models this question wants, by what they would do."""
        config = question.config
        reranker = config.reranker or self.settings.rerank_model
        wanted: dict[HelpStage, str] = {}
        if config.sub_queries and question.model:
            wanted["rewrite"] = question.model
        if config.rerank and reranker != LOCAL:
            wanted["rerank"] = reranker
        return wanted

    def _rewriter(self, name: str, question: Question) -> Rewriter:
        return ChatRewriter(self._chats(name, question.fallback_model))


def chat_model_of(named: str | None, settings: Settings) -> str | None:
    """The chat model an agent answers with, which may name one; None where it answers by quoting."""
    name = named or settings.chat_model
    return None if name == QUOTES else name


@cache
def pick_reranker(name: str, settings: Settings) -> Reranker:
    """The outside reranker of a name; `Invalid` says what is known or missing."""
    if reranker_provider(name) == "cohere":
        return pick_cohere(name, settings)
    chat = build_chat(name, settings)
    return ResilientReranker(ChatReranker(chat), Patience(attempts=2, seconds=settings.rerank_seconds))


def _found(
    stage: HelpStage, wanted: dict[HelpStage, str], missing: list[Help], find: Callable[[str], T]
) -> T | None:
    if (name := wanted.get(stage)) is None:
        return None
    try:
        return find(name)
    except Invalid as fault:
        missing.append(_missing(stage, name, fault.code))
        return None


def _missing(stage: HelpStage, model: str, reason: str) -> Help:
    log.warning("search_without_help", stage=stage, model=model, reason=reason)
    return Help(stage=stage, model=model, fault=reason)
