"""Outside models help a search, are paid for, are seen in log and explanation, and are never needed."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.errors import Invalid, NotFound, OutsideBusy, OutsideDown, OutsideFault
from veraz.library.retrieval import RetrievalConfig
from veraz.library.spaces import Spaces
from veraz.providers.chat.base import ChatModel, ChatRequest, Piece
from veraz.providers.chat.fake import ScriptedChat
from veraz.providers.rerank.base import Candidate, Reranked, Reranker
from veraz.providers.rerank.fake import ScriptedReranker
from veraz.search.model import Help, SearchResult
from veraz.search.outside import Outside
from veraz.search.service import Search, Wish
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

QUESTION = "¿Cuál es el plazo de devolución?"
TEXTS = {
    "answer": "El plazo de devolución es de treinta días.",
    "other": "El plazo de devolución de los libros lo decide cada biblioteca.",
    "synonym": "El cliente puede reintegrar la compra durante un mes.",
}
REWRITES = ["reintegrar la compra", "período para reintegrar un artículo"]
COHERE = "cohere:rerank-v3.5"


@dataclass
class World:
    """An agent with three documents, and the models it may ask."""

    search: Search
    acme: "Tenant"
    agent: UUID
    documents: dict[str, UUID]
    owner: Connection[TupleRow]

    async def asks(self, **wish: Any) -> SearchResult:
        given = Wish(**({"similarity_threshold": 0.0} | wish))
        return await self.search.search_agent(admin_of(self.acme), self.agent, QUESTION, wish=given)

    def found(self, result: SearchResult) -> list[str]:
        names = {id_: name for name, id_ in self.documents.items()}
        return [names[hit.passage.document_id] for hit in result.evidence.hits]

    def entries(self) -> list[tuple[str, str, int, int]]:
        """What was spent: reason, model, credits, tokens."""
        rows = self.owner.execute(
            "select reason, model, credits, tokens from veraz.credit_entry where tenant_id = %s and credits < 0 order by id",
            (self.acme.id,),
        ).fetchall()
        return [(str(a), str(b), int(c), int(d)) for a, b, c, d in rows]


MakeWorld = Callable[..., Awaitable[World]]


@pytest.fixture
async def make_world(
    make_tenant: "MakeTenant", library: Library, db: Database, settings: Settings, owner: Connection[TupleRow]
) -> AsyncIterator[MakeWorld]:
    made: list[World] = []

    async def make(
        *,
        chat: ChatModel | None = None,
        rerank: Reranker | None = None,
        credits: int = 100,
        retrieval: dict[str, Any] | None = None,
        **changes: Any,
    ) -> World:
        acme = make_tenant()
        owner.execute(
            "insert into veraz.credit_balance (tenant_id, credits) values (%s, %s) "
            "on conflict (tenant_id) do update set credits = excluded.credits",
            (acme.id, credits),
        )
        kb = await library.kb(acme)
        documents = {name: await library.document(kb, name, text) for name, text in TEXTS.items()}
        agent = await library.agent(acme, kb, retrieval=retrieval)
        if chat:
            owner.execute("update veraz.agent set model = 'fake:scripted' where id = %s", (agent,))
        told = settings.model_copy(update={"embedding_model": "fake:words@64"} | changes)
        outside = Outside(
            told, chats=lambda name, fallback: given(chat), rerankers=lambda name: given(rerank)
        )
        search = Search(db, Spaces(told), outside=outside)
        made.append(World(search=search, acme=acme, agent=agent, documents=documents, owner=owner))
        return made[-1]

    yield make
    for world in made:
        await world.search.settle()  # what one test measures in the background is not seen by the next


def given(helper: Any) -> Any:
    if helper is None:
        raise Invalid(field="model", reason="no key")
    return helper


def other_first(_: str, candidates: Sequence[Candidate]) -> list[float]:
    return [0.9 if candidate.text == TEXTS["other"] else 0.2 for candidate in candidates]


async def test_other_wordings_find_what_the_question_does_not_say(make_world: MakeWorld) -> None:
    chat = ScriptedChat(json.dumps(REWRITES))
    there = await make_world(chat=chat, retrieval={"sub_queries": True})
    result = await there.asks(similarity_threshold=0.7)
    assert set(there.found(result)) == {"answer", "other", "synonym"}
    assert result.rewrites == REWRITES
    assert "SOLO sinónimos" in chat.requests[0].instructions
    (line,) = (await there.search.queries(admin_of(there.acme))).items
    assert line.rewrites == REWRITES
    ((reason, model, credits, tokens),) = there.entries()
    assert (reason, model) == ("rewrite", "fake:scripted")
    assert credits < 0 < tokens


async def test_explaining_shows_the_wordings_and_asks_for_them_once(make_world: MakeWorld) -> None:
    chat = ScriptedChat(json.dumps(REWRITES))
    there = await make_world(chat=chat, retrieval={"sub_queries": True})
    told = await there.search.explain(
        admin_of(there.acme), there.agent, QUESTION, document_id=there.documents["synonym"]
    )
    assert told.reason == "found"
    assert told.rewrites == tuple(REWRITES)
    assert [help_.stage for help_ in told.helped] == ["rewrite"]
    assert len(chat.requests) == 1


async def test_wordings_are_asked_for_where_there_is_a_model_unless_they_are_switched_off(
    make_world: MakeWorld,
) -> None:
    chat = ScriptedChat(json.dumps(REWRITES))
    assert (await (await make_world(chat=chat)).asks()).rewrites == REWRITES
    asked = len(chat.requests)
    without = await make_world(chat=chat, retrieval={"sub_queries": False})
    assert (await without.asks()).rewrites == []
    without_model = await make_world(retrieval={"sub_queries": True})
    assert (await without_model.asks()).helped == ()
    assert len(chat.requests) == asked


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('["reintegro en 15 días", "reintegro"]', ["reintegro"]),
        ('```json\n["a b", "a b", "c", "d", "e"]\n```', ["a b", "c", "d"]),
        (f'["{QUESTION}", "   ", "!!", 5, null, "{"x" * 400}"]', []),
        ('["dos\\nlíneas\\u200b juntas"]', ["dos líneas juntas"]),
    ],
)
async def test_the_guard_rail_holds_whatever_the_model_says(
    make_world: MakeWorld, said: str, kept: list[str]
) -> None:
    there = await make_world(chat=ScriptedChat(said), retrieval={"sub_queries": True})
    assert (await there.asks()).rewrites == kept


@pytest.mark.parametrize("line", [OutsideDown(host="a", reason="500"), "No sé.", "[" * 3_000])
async def test_a_model_that_fails_leaves_the_plain_question(
    make_world: MakeWorld, line: str | OutsideFault
) -> None:
    there = await make_world(chat=ScriptedChat(line), retrieval={"sub_queries": True})
    result = await there.asks()
    assert there.found(result)[0] == "answer"
    assert result.rewrites == []
    assert result.helped == (Help(stage="rewrite", model="fake:scripted", fault="outside_down"),)
    assert there.entries() == []


class Slow:
    """A model that never ends."""

    name = "fake:slow"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        await asyncio.sleep(60)
        yield  # type: ignore[misc]


async def test_nobody_waits_long_for_other_wordings(make_world: MakeWorld) -> None:
    there = await make_world(chat=Slow(), retrieval={"sub_queries": True}, rewrite_seconds=0.05)
    result = await there.asks()
    assert there.found(result)[0] == "answer"
    assert [help_.fault for help_ in result.helped] == ["timeout"]


async def test_the_agents_reranker_has_the_last_word(make_world: MakeWorld) -> None:
    reranker = ScriptedReranker(other_first)
    there = await make_world(rerank=reranker, retrieval={"reranker": COHERE})
    result = await there.asks()
    assert there.found(result)[0] == "other"
    assert result.evidence.hits[0].match == 0.9
    assert there.entries() == [("rerank", "fake:scripted", -2, 1_500)]
    assert (await there.asks(rerank=False)).helped == ()


async def test_the_installations_reranker_serves_agents_that_name_none(make_world: MakeWorld) -> None:
    reranker = ScriptedReranker(other_first)
    there = await make_world(rerank=reranker, rerank_model=COHERE)
    assert there.found(await there.asks())[0] == "other"
    own = await make_world(rerank=reranker, rerank_model=COHERE, retrieval={"reranker": "local"})
    assert own.found(await own.asks())[0] == "answer"
    assert len(reranker.asked) == 1


async def test_scores_without_a_fixed_meaning_only_order(make_world: MakeWorld) -> None:
    plain = await (await make_world()).asks()
    there = await make_world(
        rerank=ScriptedReranker(other_first, absolute=False), retrieval={"reranker": COHERE}
    )
    result = await there.asks()
    assert there.found(result)[0] == "other"
    matches = [sorted(hit.match for hit in one.evidence.hits) for one in (plain, result)]
    assert matches[0] == pytest.approx(matches[1])


async def test_wordings_share_one_closer_look(make_world: MakeWorld) -> None:
    reranker = ScriptedReranker(other_first)
    there = await make_world(
        chat=ScriptedChat(json.dumps(REWRITES)),
        rerank=reranker,
        retrieval={"reranker": COHERE, "sub_queries": True},
    )
    result = await there.asks()
    ((question, texts),) = reranker.asked
    assert question == QUESTION
    assert len(texts) == len(set(texts)) == 3
    assert [help_.stage for help_ in result.helped] == ["rewrite", "rerank"]


@pytest.mark.parametrize(
    "fault", [OutsideDown(host="a", reason="500"), OutsideBusy(host="a", reason="429", retry_after=60)]
)
async def test_a_reranker_that_fails_leaves_the_local_order(
    make_world: MakeWorld, fault: OutsideFault
) -> None:
    plain = await make_world()
    there = await make_world(rerank=ScriptedReranker(fault), retrieval={"reranker": COHERE})
    result = await there.asks()
    assert there.found(result) == plain.found(await plain.asks())
    assert [help_.fault for help_ in result.helped] == [fault.code]
    assert there.entries() == []


async def test_without_a_key_or_without_credits_the_search_goes_on(make_world: MakeWorld) -> None:
    keyless = await make_world(retrieval={"reranker": COHERE})
    assert [help_.fault for help_ in (await keyless.asks()).helped] == ["invalid"]
    reranker = ScriptedReranker(other_first)
    poor = await make_world(rerank=reranker, retrieval={"reranker": COHERE}, credits=0)
    assert [help_.fault for help_ in (await poor.asks()).helped] == ["credits_exhausted"]
    assert reranker.asked == []
    short = await make_world(rerank=reranker, retrieval={"reranker": COHERE}, credits=1)
    assert short.found(await short.asks())[0] == "other"


class Watched:
    """Says how many transactions stay open while a model works; one that only passes by does not stay."""

    def __init__(self, owner: Connection[TupleRow]) -> None:
        self.stayed: list[int] = []
        self._owner = owner

    async def look(self) -> None:
        open_ones = 1
        for _ in range(200):
            open_ones = await asyncio.to_thread(self._open_ones)
            if not open_ones:
                break
            await asyncio.sleep(0.02)
        self.stayed.append(open_ones)

    def _open_ones(self) -> int:
        query = (
            "select count(*) from pg_stat_activity where datname = current_database() "
            "and usename = 'veraz_app' and state like 'idle in%'"
        )
        return int((self._owner.execute(query).fetchone() or (0,))[0])


class WatchedChat(ScriptedChat):
    """A chat model that looks around while it works."""

    def __init__(self, watched: Watched, line: str) -> None:
        super().__init__(line)
        self._watched = watched

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        await self._watched.look()
        async for piece in super().stream(request):
            yield piece


class WatchedReranker(ScriptedReranker):
    """A reranker that looks around while it works."""

    def __init__(self, watched: Watched) -> None:
        super().__init__(other_first)
        self._watched = watched

    async def rerank(self, question: str, candidates: Sequence[Candidate]) -> Reranked:
        await self._watched.look()
        return await super().rerank(question, candidates)


async def test_no_transaction_is_open_while_a_model_works(
    make_world: MakeWorld, owner: Connection[TupleRow]
) -> None:
    watched = Watched(owner)
    there = await make_world(
        chat=WatchedChat(watched, json.dumps(REWRITES)),
        rerank=WatchedReranker(watched),
        retrieval={"reranker": COHERE, "sub_queries": True},
        rewrite_seconds=60,
    )
    await there.asks()
    assert watched.stayed == [0, 0]


async def test_the_other_tenant_is_neither_asked_for_nor_charged(make_world: MakeWorld) -> None:
    reranker = ScriptedReranker(other_first)
    acme = await make_world(rerank=reranker, retrieval={"reranker": COHERE})
    rival = await make_world(rerank=reranker, retrieval={"reranker": COHERE})
    with pytest.raises(NotFound):
        await rival.search.search_agent(admin_of(rival.acme), acme.agent, QUESTION)
    await acme.asks()
    assert rival.entries() == []
    assert len(acme.entries()) == 1


def test_a_reranker_nobody_knows_is_refused() -> None:
    for name in ("cohere", "nobody:x", ""):
        with pytest.raises(Invalid):
            RetrievalConfig(reranker=name)
    assert RetrievalConfig.from_json({"reranker": COHERE}).to_json() == {"reranker": COHERE}
