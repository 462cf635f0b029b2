"""The way from a question to its evidence, step by step. Every door and the chat go through `find`.

No transaction is open while a model works; the caller's scope is set once per transaction.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.observe import log
from veraz.providers.embedding.base import Vectors
from veraz.providers.rerank.base import Reranker
from veraz.providers.vectors.base import VectorEngine
from veraz.search.closer_look import CloserLook
from veraz.search.context import NO_CONTEXT, build_context
from veraz.search.model import Help, Query, Question, Retrieved, SearchResult, Shelf
from veraz.search.outside import Helpers, Outside
from veraz.search.places import with_blocks
from veraz.search.query_vectors import QueryVectors
from veraz.search.rank import rank
from veraz.search.retrieve import SMALL, By, retrieve, shelves, together
from veraz.search.rewrite import rewrite
from veraz.search.spelling import corrections
from veraz.search.vector_candidates import proposals

TWO_CONNECTIONS_FROM = 5_000
"""Chunks from which the two searches take long enough to run beside each other."""


class Finder:
    """Finds the evidence for questions."""

    def __init__(
        self,
        db: Database,
        vectors: QueryVectors,
        reranker: Reranker,
        outside: Outside,
        engine: VectorEngine | None = None,
    ) -> None:
        self.db = db
        self.vectors = vectors
        self.reranker = reranker
        self.outside = outside
        self.engine = engine

    async def find(
        self,
        scope: Scope,
        question: Question,
        *,
        reach: Sequence[Shelf] | None = None,
        queries: Sequence[Query] | None = None,
    ) -> SearchResult:
        """The evidence for a question, as this caller may see it; `reach` and `queries` where they are known already."""
        watch = _Watch()
        with watch("plan"):
            self.vectors.begin(question.text)
            if reach is None:
                reach = await shelves(self.db, scope, question.agent_id, question.kb_ids)
            helpers = await self.outside.helpers(self.db, scope, question)
            fix = question.config.rewrite and queries is None
            spelling = await corrections(self.db, scope, question, reach) if fix else {}
        with watch("rewrite"):
            asked, wording = await self._wordings(question, queries, helpers, spelling)
        with watch("embed"):
            meanings, silent = await self._embed(asked, reach)
        with watch("search"):
            found = await self._retrieve(scope, question, asked, meanings, reach)
        closer = CloserLook(helpers.reranker) if helpers.reranker else None
        with watch("rank"):
            evidence = await rank(question, found, reach, self.reranker, closer)
        with watch("places"):
            evidence = await with_blocks(self.db, scope, question, evidence)
        with watch("context"):
            context = (
                NO_CONTEXT if question.reads else build_context(evidence.hits, question.config.context_tokens)
            )
        helped = (*helpers.missing, wording, closer.help if closer else None)
        return SearchResult(
            question=question,
            queries=tuple(asked),
            shelves=tuple(reach),
            evidence=evidence,
            context=context,
            stages=watch.milliseconds,
            without_meaning=silent,
            helped=tuple(help_ for help_ in helped if help_ is not None),
        )

    async def _wordings(
        self,
        question: Question,
        queries: Sequence[Query] | None,
        helpers: Helpers,
        spelling: Mapping[str, Mapping[str, str]],
    ) -> tuple[list[Query], Help | None]:
        if queries is not None:
            return list(queries), None
        seconds = float(self.outside.settings.rewrite_seconds)
        return await rewrite(question, helpers.rewriter, spelling, seconds=seconds)

    async def _embed(
        self, asked: Sequence[Query], reach: Sequence[Shelf]
    ) -> tuple[dict[str, Mapping[int, Vectors]], tuple[str, ...]]:
        """Each query in each space; a space whose provider fails is left to the words."""
        spaces = {shelf.space_id: shelf for shelf in reach if shelf.chunks}
        jobs = [(query.embedded, shelf) for query in asked for shelf in spaces.values()]
        answers = await asyncio.gather(*(self._vector(text, shelf) for text, shelf in jobs))
        meanings: dict[str, dict[int, Vectors]] = {query.embedded: {} for query in asked}
        silent: dict[str, None] = {}
        for (text, shelf), answer in zip(jobs, answers, strict=True):
            if answer is None:
                silent[shelf.space] = None
            else:
                meanings[text][shelf.space_id] = answer
        return dict(meanings), tuple(silent)

    async def _vector(self, text: str, shelf: Shelf) -> Vectors | None:
        try:
            return await self.vectors.of(text, shelf.space, shelf.dimensions)
        except (errors.OutsideFault, errors.Invalid) as fault:
            log.warning("query_not_embedded", space=shelf.space, reason=fault.code)
            return None

    async def _retrieve(
        self,
        scope: Scope,
        question: Question,
        asked: Sequence[Query],
        meanings: Mapping[str, Mapping[int, Vectors]],
        reach: Sequence[Shelf],
    ) -> list[Retrieved]:
        if not reach:
            return []
        languages = list(dict.fromkeys(shelf.language for shelf in reach))
        chunks = sum(shelf.chunks for shelf in reach)
        large = chunks >= TWO_CONNECTIONS_FROM
        depth = chunks if question.reads and 0 < chunks <= SMALL else None

        async def one(query: Query) -> Retrieved:
            vectors = meanings[query.embedded]
            ids = await proposals(self.db, self.engine, scope, question, query, vectors, languages)

            async def search(by: By) -> Retrieved:
                return await retrieve(
                    self.db, scope, question, query, vectors, languages, proposed=ids, by=by, depth=depth
                )

            if ids is not None or not vectors or not large:
                return await search("both")
            return together(await asyncio.gather(search("meaning"), search("words")))

        return list(await asyncio.gather(*map(one, asked)))


class _Watch:
    """Milliseconds per stage."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.milliseconds[stage] = round((time.perf_counter() - start) * 1000, 2)
