"""Searching: what is found, in which order, and what the filters and settings do."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.scope import Scope
from veraz.ids import new_id
from veraz.search import find
from veraz.search.model import Filters, SearchResult
from veraz.search.service import Search, Wish
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

RETURNS = "Los productos electrónicos tienen un período de devolución de 30 días desde la compra."
SHIPPING = "El envío a las islas tarda entre cinco y siete días laborables."
WARRANTY = "La garantía de los electrodomésticos cubre las averías durante tres años."
PRICES = "La lista de precios para mayoristas se actualiza cada trimestre."
EVERYTHING = Wish(similarity_threshold=0.0)


def names(result: SearchResult) -> list[str]:
    return [hit.passage.document_name for hit in result.evidence.hits]


async def test_the_passage_that_answers_comes_first_with_all_its_scores(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    for name, text in (
        ("returns", RETURNS),
        ("shipping", SHIPPING),
        ("warranty", WARRANTY),
        ("prices", PRICES),
    ):
        await library.document(kb, name, text)
    result = await search.search_kb(
        admin_of(acme), kb.id, "¿Qué política de devolución hay para productos electrónicos?"
    )
    best = result.evidence.hits[0]
    assert best.passage.document_name == "returns"
    assert best.relevance > 0.7
    assert best.passage.bm25 > 0
    assert 0 < best.rrf_score <= 2 / 61
    assert result.evidence.searched == 4
    assert "[CORPUS GLOBAL]" in result.formatted_context
    assert 'returns (p. 1): "Los productos' in result.formatted_context
    assert set(result.stages) == {"plan", "rewrite", "embed", "search", "rank", "places", "context"}


async def test_two_connections_find_what_one_finds(
    make_tenant: "MakeTenant", library: Library, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    for name, text in (("returns", RETURNS), ("shipping", SHIPPING), ("warranty", WARRANTY)):
        await library.document(kb, name, text)
    query = "¿Cuántos días hay para la devolución?"
    alone = await search.search_kb(admin_of(acme), kb.id, query, wish=EVERYTHING)
    monkeypatch.setattr(find, "TWO_CONNECTIONS_FROM", 1)
    shared = await search.search_kb(admin_of(acme), kb.id, query, wish=EVERYTHING)
    seen = [
        [
            (hit.passage.document_name, hit.relevance, hit.passage.bm25, hit.rrf_score)
            for hit in r.evidence.hits
        ]
        for r in (alone, shared)
    ]
    assert seen[0] == seen[1] != []
    assert shared.evidence.searched == alone.evidence.searched == 3


async def test_accents_and_inflection_do_not_matter(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    await library.document(kb, "prices", PRICES)
    with_accents = await search.search_kb(admin_of(acme), kb.id, "período de devolución", wish=EVERYTHING)
    without = await search.search_kb(admin_of(acme), kb.id, "periodos de devoluciones", wish=EVERYTHING)
    assert names(with_accents)[0] == names(without)[0] == "returns"
    assert with_accents.evidence.hits[0].passage.bm25 == pytest.approx(without.evidence.hits[0].passage.bm25)


async def test_what_neither_meaning_nor_words_call_relevant_stays_out(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    await library.document(kb, "prices", PRICES)
    result = await search.search_kb(admin_of(acme), kb.id, "período de devolución de productos electrónicos")
    assert names(result) == ["returns"]
    assert [(d.hit.passage.document_name, d.cut) for d in result.evidence.dropped] == [
        ("prices", "below_threshold")
    ]


async def test_an_agent_searches_only_what_is_assigned_to_it(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    assigned, other = await library.kb(acme), await library.kb(acme)
    await library.document(assigned, "shipping", SHIPPING)
    await library.document(other, "returns", RETURNS)
    agent = await library.agent(acme, assigned)
    result = await search.search_agent(admin_of(acme), agent, "período de devolución", wish=EVERYTHING)
    assert names(result) == ["shipping"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(metadata={"area": "ventas"}), {"old", "new"}),
        (Filters(metadata={"area": "ventas", "vigente": True}), {"new"}),
        (Filters(date_from=date(2024, 1, 1)), {"new", "undated"}),
        (Filters(date_until=date(2023, 12, 31)), {"old"}),
        (Filters(document_ids=()), set()),
        (Filters(document_ids=(new_id(),)), set()),
        (Filters(metadata={"area": "x"}), set()),
    ],
)
async def test_filters_leave_documents_out(
    make_tenant: "MakeTenant", library: Library, search: Search, filters: Filters, expected: set[str]
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "old", RETURNS, metadata={"area": "ventas"}, created_date=date(2020, 5, 1))
    await library.document(
        kb,
        "new",
        RETURNS + " Nuevo.",
        metadata={"area": "ventas", "vigente": True},
        created_date=date(2024, 5, 1),
    )
    await library.document(kb, "undated", RETURNS + " Sin fecha.")
    result = await search.search_kb(admin_of(acme), kb.id, "devolución", wish=EVERYTHING, filters=filters)
    assert set(names(result)) == expected


async def test_a_filter_by_document_keeps_that_document(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    wanted = await library.document(kb, "shipping", SHIPPING)
    filters = Filters(document_ids=(wanted,))
    result = await search.search_kb(admin_of(acme), kb.id, "devolución", wish=EVERYTHING, filters=filters)
    assert names(result) == ["shipping"]
    assert result.evidence.searched == 1


async def test_knowledge_bases_of_different_spaces_and_languages_answer_together(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    spanish = await library.kb(acme, dimensions=64)
    english = await library.kb(acme, dimensions=128, language="en")
    await library.document(spanish, "devoluciones", RETURNS)
    await library.document(english, "returns", "Electronic products have a return period of 30 days.")
    agent = await library.agent(acme, spanish, english)
    result = await search.search_agent(
        admin_of(acme), agent, "return period of products electrónicos", wish=EVERYTHING
    )
    assert set(names(result)) == {"devoluciones", "returns"}
    assert all(hit.passage.cosine is not None for hit in result.evidence.hits)


async def test_the_weight_of_an_assignment_decides_between_equals(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    light, heavy = await library.kb(acme), await library.kb(acme)
    await library.document(light, "light", RETURNS)
    await library.document(heavy, "heavy", RETURNS)
    agent = await library.agent(acme)
    await library.assign(agent, light, weight=0.5)
    await library.assign(agent, heavy, weight=2.0)
    result = await search.search_agent(admin_of(acme), agent, "devolución de electrónicos", wish=EVERYTHING)
    assert names(result) == ["heavy", "light"]
    assert result.evidence.hits[0].match == pytest.approx(result.evidence.hits[1].match)


async def test_the_smaller_priority_number_decides_between_equals(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    first, second = await library.kb(acme), await library.kb(acme)
    await library.document(second, "second", RETURNS)
    await library.document(first, "first", RETURNS)
    agent = await library.agent(acme)
    await library.assign(agent, second, priority=2)
    await library.assign(agent, first, priority=1)
    result = await search.search_agent(admin_of(acme), agent, "devolución de electrónicos", wish=EVERYTHING)
    assert names(result) == ["first", "second"]


async def test_one_document_does_not_fill_the_results_of_many(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "long", *(f"{RETURNS} Apartado {n}." for n in range(6)))
    for n in range(5):
        await library.document(kb, f"short {n}", f"{RETURNS} Nota {n}.")
    result = await search.search_kb(
        admin_of(acme), kb.id, "devolución de electrónicos", wish=Wish(top_k=6, similarity_threshold=0)
    )
    assert 1 <= names(result).count("long") <= 2
    assert len(result.evidence.hits) == 6
    assert "source_cap" in {dropped.cut for dropped in result.evidence.dropped}


async def test_a_single_document_may_fill_the_results(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "manual", RETURNS, SHIPPING, WARRANTY, PRICES)
    result = await search.search_kb(
        admin_of(acme), kb.id, "devolución envío garantía precios", wish=EVERYTHING
    )
    assert len(result.evidence.hits) == 4


async def test_a_member_asks_through_the_agent_but_may_not_search_the_base(
    make_tenant: "MakeTenant", library: Library, search: Search, make_user: Callable[..., Scope]
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    agent = await library.agent(acme, kb)
    member = Actor(tenant_id=acme.id, user_id=make_user(acme).user_id, user_role="member")
    assert names(await search.search_agent(member, agent, "devolución", wish=EVERYTHING)) == ["returns"]
    with pytest.raises(errors.NotFound):
        await search.search_kb(member, kb.id, "devolución")


async def test_another_tenants_base_or_agent_is_not_found(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    agent = await library.agent(acme, kb)
    with pytest.raises(errors.NotFound):
        await search.search_kb(admin_of(rival), kb.id, "devolución")
    with pytest.raises(errors.NotFound):
        await search.search_agent(admin_of(rival), agent, "devolución")


async def test_a_provider_that_fails_leaves_the_words(
    make_tenant: "MakeTenant", library: Library, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    await library.document(kb, "prices", PRICES)

    async def down(*_: object) -> None:
        raise errors.OutsideDown(host="example.com", reason="timeout")

    monkeypatch.setattr(search.finder.vectors, "of", down)
    result = await search.search_kb(admin_of(acme), kb.id, "período de devolución de productos electrónicos")
    assert names(result) == ["returns"]
    assert result.without_meaning == ("fake:words@64",)
    assert result.evidence.hits[0].passage.cosine is None


async def test_every_search_is_written_down_for_those_who_may_see_it(
    make_tenant: "MakeTenant", library: Library, search: Search, make_user: Callable[..., Scope]
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    agent = await library.agent(acme, kb)
    users = {level: make_user(acme, level=level).user_id for level in ("member", "manager")}
    member, manager = (
        Actor(tenant_id=acme.id, user_id=users[level], user_role="member") for level in ("member", "manager")
    )
    await search.search_agent(member, agent, "devolución de productos", origin="program")
    await search.search_kb(admin_of(acme), kb.id, "pregunta del administrador", origin="program")
    seen = {
        name: [query.question for query in (await search.queries(actor)).items]
        for name, actor in (
            ("member", member),
            ("manager", manager),
            ("admin", admin_of(acme)),
            ("rival", admin_of(rival)),
        )
    }
    assert seen == {
        "member": ["devolución de productos"],
        "manager": ["pregunta del administrador", "devolución de productos"],
        "admin": ["pregunta del administrador", "devolución de productos"],
        "rival": [],
    }
    logged = (await search.queries(member)).items[0]
    assert logged.kb_ids == [kb.id]
    assert logged.chunks_retrieved == 1
    assert logged.scores[0]["relevance"] == pytest.approx(logged.best_relevance, abs=1e-3)
    use = await search.kb_use(admin_of(acme), kb.id)
    assert (use.queries, use.users) == (2, 2)
    assert use.last_queried_at is not None


async def test_a_test_search_is_written_down_as_one_and_is_no_use_of_the_knowledge_base(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    await search.search_kb(admin_of(acme), kb.id, "devolución")
    await search.search_kb(admin_of(acme), kb.id, "devolución", origin="program")
    assert [one.origin for one in (await search.queries(admin_of(acme))).items] == ["program", "test_search"]
    assert (await search.kb_use(admin_of(acme), kb.id)).queries == 1


async def test_being_asked_does_not_count_as_a_change(
    make_tenant: "MakeTenant", library: Library, search: Search, owner: Connection[TupleRow]
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    before = owner.execute("select updated_at from veraz.knowledge_base where id = %s", (kb.id,)).fetchone()
    await search.search_kb(admin_of(acme), kb.id, "devolución")
    after = owner.execute(
        "select updated_at, last_queried_at from veraz.knowledge_base where id = %s", (kb.id,)
    ).fetchone()
    assert before and after
    assert after[0] == before[0]
    assert after[1] is not None


@pytest.mark.parametrize(
    "query",
    [
        "de la que el en",
        "🤔🔥🚀",
        "' or 1=1; drop table veraz.chunk; --",
        "a & b | !c <-> (d) : * 'x' \\ %s {0}",
        "‮мир 世界 สวัสดี",
        "x" * 10_000,
        "palabra " * 1_250,
        "\x01\x02 hola",
        "half \ud800 character",
    ],
)
async def test_odd_questions_get_an_ordinary_answer(
    make_tenant: "MakeTenant", library: Library, search: Search, query: str
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    assert (await search.search_kb(admin_of(acme), kb.id, query)).evidence.searched == 1


@pytest.mark.parametrize("query", ["", "   ", "\x00\x01", "x" * 10_001])
async def test_no_question_and_a_book_are_refused(
    make_tenant: "MakeTenant", library: Library, search: Search, query: str
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    with pytest.raises(errors.Invalid):
        await search.search_kb(admin_of(acme), kb.id, query)


async def test_an_empty_base_answers_with_nothing(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    result = await search.search_kb(admin_of(acme), kb.id, "devolución")
    assert result.evidence.hits == ()
    assert result.formatted_context == ""


async def test_a_misspelt_word_finds_what_it_stands_for(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", RETURNS)
    await library.document(kb, "prices", PRICES)
    for typed in ("devolusión", "devoluicón", "devolucón", "devolucióon"):
        result = await search.search_kb(admin_of(acme), kb.id, f"plazo de {typed}", wish=EVERYTHING)
        assert names(result)[0] == "returns", typed
        assert result.evidence.hits[0].passage.bm25 > 0
        assert len(result.queries[0].spelling["es"]) == 1
        assert result.queries[0].embedded == "plazo de devolucion"
    known = await search.search_kb(admin_of(acme), kb.id, "período de devolución", wish=EVERYTHING)
    assert known.queries[0].spelling == {}
    foreign = await search.search_kb(admin_of(acme), kb.id, "what is the devolusion of this", wish=EVERYTHING)
    assert foreign.queries[0].spelling == {}


async def test_a_word_that_only_looks_like_another_is_left_alone(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "hunting", "La caza está permitida de octubre a enero.")
    await library.document(kb, "schools", "Abono para centros de enseñanza.")
    for question in ("¿cuándo abre la casa?", "¿cuántas obras entran en el abono?"):
        result = await search.search_kb(admin_of(acme), kb.id, question, wish=EVERYTHING)
        assert result.queries[0].spelling == {}


async def test_spelling_is_put_right_only_from_words_one_may_read(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    mine, theirs = await library.kb(acme), await library.kb(rival)
    await library.document(mine, "prices", PRICES)
    await library.document(theirs, "secret", "El proyecto Zanahoria es secreto.")
    agent = await library.agent(acme, mine)
    result = await search.search_agent(admin_of(acme), agent, "zanahorja", wish=EVERYTHING)
    assert result.queries[0].spelling == {}
