"""The verbs of search. The test search of an agent and its chat retrieve exactly the same."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.library.knowledge_bases import get_kb
from veraz.library.retrieval import RetrievalConfig
from veraz.library.spaces import Spaces
from veraz.observe import log
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.providers.rerank.base import Reranker
from veraz.providers.rerank.local import LocalReranker
from veraz.providers.vectors.base import VectorEngine
from veraz.search.calibrate import calibrate, is_stale
from veraz.search.explain import Explanation, explain
from veraz.search.find import Finder
from veraz.search.log import (
    KbUse,
    LoggedQuery,
    Origin,
    kb_use,
    log_search,
    logged_queries,
    newest_forgetting,
)
from veraz.search.model import NO_FILTERS, Filters, Hit, Question, SearchResult, Shelf
from veraz.search.outside import Outside, chat_model_of
from veraz.search.places import placed_passages
from veraz.search.query_vectors import QueryVectors
from veraz.search.retrieve import shelves
from veraz.search.spending import charge
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.text.normal_forms import composed
from veraz.text.tokens import count_tokens

Q = queries(__file__)

LONGEST_QUERY = 10_000
_KB_SEARCH = RetrievalConfig(top_k=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one search wants otherwise than the agent's settings (or the usual ones) say."""

    top_k: int | None = None
    similarity_threshold: float | None = None
    rerank: bool | None = None
    rewrite: bool | None = None
    boosts: bool | None = None

    def on(self, config: RetrievalConfig) -> RetrievalConfig:
        """The settings with the wish on top, checked."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return replace(config, **{name: value for name, value in given.items() if value is not None})


AS_SET = Wish()


class Search:
    """Searching knowledge bases and what agents read."""

    def __init__(
        self,
        db: Database,
        spaces: Spaces,
        *,
        reranker: Reranker | None = None,
        outside: Outside | None = None,
        engine: VectorEngine | None = None,
    ) -> None:
        self.db = db
        self.spaces = spaces
        helpers = outside or Outside(spaces.settings)
        self.finder = Finder(db, QueryVectors(spaces), reranker or LocalReranker(), helpers, engine)
        self._measuring: dict[int, asyncio.Task[None]] = {}

    async def search_kb(
        self,
        actor: Actor,
        kb_id: UUID,
        query: str,
        *,
        wish: Wish = AS_SET,
        filters: Filters = NO_FILTERS,
        origin: Origin = "test_search",
    ) -> SearchResult:
        """Searches one knowledge base the caller may look into."""
        return await self.search_kbs(actor, [kb_id], query, wish=wish, filters=filters, origin=origin)

    async def search_kbs(
        self,
        actor: Actor,
        kb_ids: Sequence[UUID],
        query: str,
        *,
        wish: Wish = AS_SET,
        filters: Filters = NO_FILTERS,
        origin: Origin = "test_search",
    ) -> SearchResult:
        """Searches several knowledge bases the caller may look into as if they were one."""
        need(actor, "read")
        wanted = tuple(dict.fromkeys(kb_ids))
        question = Question(text=asked(query), kb_ids=wanted, filters=filters, config=wish.on(_KB_SEARCH))
        since, result = await asyncio.gather(
            newest_forgetting(self.db, actor.scope()), self.find(actor, question)
        )
        if unread := set(wanted) - {shelf.kb_id for shelf in result.shelves}:
            async with self.db.transaction(actor.scope()) as tx:
                for kb_id in unread:
                    await get_kb(tx, kb_id)  # archived is empty, unseen is not found
        await log_search(self.db, actor.scope(), result, origin, since)
        return result

    async def placed(self, actor: Actor, question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The same hits, each passage with the blocks it is made of."""
        found = await placed_passages(self.db, actor.scope(), question, [hit.passage for hit in hits])
        return tuple(replace(hit, passage=passage) for hit, passage in zip(hits, found, strict=True))

    async def search_agent(
        self,
        actor: Actor,
        agent_id: UUID,
        query: str,
        *,
        wish: Wish = AS_SET,
        filters: Filters = NO_FILTERS,
        origin: Origin = "test_search",
    ) -> SearchResult:
        """Searches what the agent may read for this caller, as its chat does."""
        text = _allowed(actor, query)
        self.finder.vectors.begin(text)
        (question, since), reach = await asyncio.gather(
            self._to_agent(actor, agent_id, text, wish, filters),
            shelves(self.db, actor.scope(), agent_id, None),
        )
        result = await self.find(actor, question, reach=reach)
        await log_search(self.db, actor.scope(), result, origin, since)
        return result

    async def explain(
        self,
        actor: Actor,
        agent_id: UUID,
        query: str,
        *,
        document_id: UUID | None = None,
        chunk_id: UUID | None = None,
        wish: Wish = AS_SET,
        filters: Filters = NO_FILTERS,
    ) -> Explanation:
        """Why a document or passage is, or is not, among the evidence for a question to an agent."""
        need(actor, "read")
        question = await self.question_to(actor, agent_id, query, wish=wish, filters=filters)
        result = await self.find(actor, question)
        return await explain(self.finder, actor.scope(), result, document_id=document_id, chunk_id=chunk_id)

    async def explain_kb(
        self,
        actor: Actor,
        kb_id: UUID,
        query: str,
        *,
        document_id: UUID | None = None,
        chunk_id: UUID | None = None,
        words: str | None = None,
        wish: Wish = AS_SET,
        filters: Filters = NO_FILTERS,
    ) -> Explanation:
        """Why a document, a passage or the passage with these words is, or is not, found in a knowledge base."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
        question = Question(text=asked(query), kb_ids=(kb_id,), filters=filters, config=wish.on(_KB_SEARCH))
        result = await self.find(actor, question)
        return await explain(
            self.finder, actor.scope(), result, document_id=document_id, chunk_id=chunk_id, words=words
        )

    async def explain_result(
        self,
        actor: Actor,
        result: SearchResult,
        *,
        document_id: UUID | None = None,
        words: str | None = None,
    ) -> Explanation:
        """The same for a result that the caller is looking at."""
        need(actor, "read")
        return await explain(self.finder, actor.scope(), result, document_id=document_id, words=words)

    async def question_to(
        self, actor: Actor, agent_id: UUID, query: str, *, wish: Wish = AS_SET, filters: Filters = NO_FILTERS
    ) -> Question:
        """A question to an agent of the caller's projects, with the agent's retrieval settings."""
        question, _ = await self._to_agent(actor, agent_id, _allowed(actor, query), wish, filters)
        return question

    async def _to_agent(
        self, actor: Actor, agent_id: UUID, text: str, wish: Wish, filters: Filters
    ) -> tuple[Question, UUID | None]:
        """With what had been forgotten last, in the same round trip."""
        rows = await self.db.call(actor.scope(), Q.settings, agent_id=agent_id)
        if not rows:
            raise errors.NotFound(thing="agent", id=agent_id)
        agent = rows[0]
        question = Question(
            text=text,
            agent_id=agent_id,
            filters=filters,
            config=wish.on(RetrievalConfig.from_json(agent["retrieval"])),
            model=chat_model_of(agent["model"], self.spaces.settings),
            fallback_model=agent["fallback_model"],
        )
        return question, agent["newest_forgetting"]

    async def find(
        self, actor: Actor, question: Question, *, reach: Sequence[Shelf] | None = None
    ) -> SearchResult:
        """The evidence for a question, without a line in the log; what outside models took is charged."""
        result = await self.finder.find(actor.scope(), question, reach=reach)
        await charge(self.db, actor.scope(), result.helped)
        for shelf in result.shelves:
            self._measure_if_stale(actor.tenant_id, shelf)
        return result

    async def queries(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        agent_id: UUID | None = None,
        kb_id: UUID | None = None,
    ) -> Page[LoggedQuery]:
        """The log of questions as far as the caller may see it: own ones, those of managed projects, an admin all."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await logged_queries(tx, page, agent_id=agent_id, kb_id=kb_id)

    async def kb_use(self, actor: Actor, kb_id: UUID, *, days: int = 30) -> KbUse:
        """How a knowledge base was used lately."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            return await kb_use(tx, kb_id, days)

    async def warm(self) -> None:
        """Loads what the first question would otherwise wait for: the vocabulary of tokens and the local model."""
        await asyncio.to_thread(count_tokens, "")
        try:
            await self.spaces.embedder_named(self.spaces.settings.embedding_model).embed(
                [""], purpose="query"
            )
        except (errors.OutsideFault, errors.Invalid) as fault:
            log.warning("not_warmed", reason=fault.code)

    async def settle(self) -> None:
        """Waits for calibrations that searches started."""
        await asyncio.gather(*self._measuring.values())

    def _measure_if_stale(self, tenant_id: UUID, shelf: Shelf) -> None:
        """A search never waits for a calibration; the next ones profit from it."""
        if is_stale(shelf) and shelf.edition_id not in self._measuring:
            self._measuring[shelf.edition_id] = asyncio.create_task(self._measure(tenant_id, shelf))

    async def _measure(self, tenant_id: UUID, shelf: Shelf) -> None:
        try:
            await calibrate(self.db, self.spaces, tenant_id, shelf)
        except errors.VerazError as error:
            log.warning("calibration_failed", edition=shelf.edition_id, reason=error.code)
        finally:
            self._measuring.pop(shelf.edition_id, None)


def _allowed(actor: Actor, query: str) -> str:
    """The question of somebody who may ask one."""
    if not actor.may("read"):
        need(actor, "ask")
    return asked(query)


def asked(query: str) -> str:
    """The question as it is searched: no control characters, no half characters, not empty, not a book."""
    if len(query) > 2 * LONGEST_QUERY:  # composed it may have half as many characters
        raise _too_long()
    text = composed(query.encode("utf-8", "ignore").decode())
    text = "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text).strip()
    if not text:
        raise errors.Invalid(field="query", reason=errors.Phrase("it is empty", es="está vacío"))
    if len(text) > LONGEST_QUERY:
        raise _too_long()
    return text


def _too_long() -> errors.Invalid:
    limit = f"{LONGEST_QUERY:,}"
    reason = errors.Phrase(f"at most {limit} characters", es=f"como mucho {limit} caracteres")
    return errors.Invalid(field="query", reason=reason)
