"""«¿Por qué no salió?»: each reason, by the way the question itself takes."""

from datetime import date
from typing import TYPE_CHECKING

import pytest

from veraz import errors
from veraz.search.explain import Explanation
from veraz.search.model import Filters
from veraz.search.service import Search, Wish

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

QUESTION = "¿Cuál es el plazo de devolución?"
ANSWER = "El plazo de devolución es de treinta días."


async def test_a_document_that_was_found_says_its_place(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    document = await library.document(kb, "returns", ANSWER)
    agent = await library.agent(acme, kb)
    told = await search.explain(admin_of(acme), agent, QUESTION, document_id=document)
    assert told.reason == "found"
    assert told.fates[0].place == 1
    assert told.message("es") == "«returns» es el resultado número 1."
    by_chunk = await search.explain(admin_of(acme), agent, QUESTION, chunk_id=told.fates[0].chunk_id)
    assert by_chunk.fates == told.fates


async def test_each_reason_for_not_being_searched(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb, archived, unassigned = (
        await library.kb(acme),
        await library.kb(acme, status="archived"),
        await library.kb(acme),
    )
    agent = await library.agent(acme, kb, archived)
    documents = {
        "archived": await library.document(archived, "a", ANSWER),
        "not_assigned": await library.document(unassigned, "b", ANSWER),
        "not_completed": await library.document(kb, "c", status="processing", indexed_at=None),
        "other_machine": await library.document(kb, "d", ANSWER, machine="m1"),
        "filtered_out": await library.document(kb, "e", ANSWER, created_date=date(2001, 1, 1)),
        "no_passages": await library.document(kb, "f"),
    }
    filters = Filters(date_from=date(2010, 1, 1))
    for reason, document in documents.items():
        told = await search.explain(admin_of(acme), agent, QUESTION, document_id=document, filters=filters)
        assert told.reason == reason
        assert told.message("es") != told.message("en")


async def test_below_the_threshold_tells_the_similarity(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", ANSWER)
    other = await library.document(kb, "weather", "Mañana lloverá en Galicia.")
    agent = await library.agent(acme, kb)
    told = await search.explain(admin_of(acme), agent, QUESTION, document_id=other)
    assert told.reason == "below_threshold"
    assert f"{told.fates[0].similarity:.2f}" in told.message("es")
    assert f"{told.fates[0].similarity:.2f}" in told.message("en")


async def told_in_a_crowd(
    library: Library, search: Search, make_tenant: "MakeTenant", *, top_k: int, same_source: bool
) -> Explanation:
    """A weaker passage among better ones."""
    acme = make_tenant()
    kb = await library.kb(acme)
    better = [f"El plazo de devolución es de {n} días para el cliente {n * 7}." for n in range(8)]
    for n, text in enumerate(better[:5]):
        await library.document(kb, f"d{n}", text)
    weak = "La devolución de un pedido tiene otro plazo distinto, que depende de la tienda y del país."
    if same_source:
        weak_document = await library.document(kb, "long", *better[5:], weak)
    else:
        weak_document = await library.document(kb, "weak", weak)
    agent = await library.agent(acme, kb)
    wish = Wish(top_k=top_k, similarity_threshold=0)
    told = await search.explain(admin_of(acme), agent, QUESTION, document_id=weak_document, wish=wish)
    if same_source:
        chunk = next(fate.chunk_id for fate in told.fates if fate.content == weak)
        told = await search.explain(admin_of(acme), agent, QUESTION, chunk_id=chunk, wish=wish)
    return told


async def test_enough_better_passages(make_tenant: "MakeTenant", library: Library, search: Search) -> None:
    told = await told_in_a_crowd(library, search, make_tenant, top_k=1, same_source=False)
    assert told.reason in ("top_k", "similar_to_better")


async def test_better_passages_of_the_same_document(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    told = await told_in_a_crowd(library, search, make_tenant, top_k=8, same_source=True)
    assert told.reason == "source_cap"


async def test_no_room_in_the_context(make_tenant: "MakeTenant", library: Library, search: Search) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "first", " ".join([ANSWER] * 8))
    second = await library.document(kb, "second", "El plazo de devolución " + "muy largo " * 60 + "termina.")
    agent = await library.agent(acme, kb, retrieval={"context_tokens": 110})
    told = await search.explain(
        admin_of(acme), agent, QUESTION, document_id=second, wish=Wish(similarity_threshold=0)
    )
    assert told.reason == "token_budget"


async def test_somebody_elses_document_is_not_found(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    theirs = await library.kb(rival)
    secret = await library.document(theirs, "secret", ANSWER)
    agent = await library.agent(acme, await library.kb(acme))
    with pytest.raises(errors.NotFound):
        await search.explain(admin_of(acme), agent, QUESTION, document_id=secret)
    with pytest.raises(errors.Invalid):
        await search.explain(admin_of(acme), agent, QUESTION)


async def test_a_search_in_a_knowledge_base_is_explained_by_document_and_by_pasted_words(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", ANSWER)
    other = await library.document(kb, "weather", "Mañana  lloverá\nen Galicia.")
    by_document = await search.explain_kb(admin_of(acme), kb.id, QUESTION, document_id=other)
    by_words = await search.explain_kb(admin_of(acme), kb.id, QUESTION, words="LLOVERA en galicia")
    assert by_document == by_words
    assert by_words.reason == "below_threshold"
    assert "umbral" in by_words.advice("es")
    assert "threshold" in by_words.advice("en")


async def test_words_nobody_wrote_are_not_found(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    await library.document(kb, "returns", ANSWER)
    with pytest.raises(errors.NotSaid):
        await search.explain_kb(admin_of(acme), kb.id, QUESTION, words="los marcianos")
    with pytest.raises(errors.Invalid):
        await search.explain_kb(admin_of(acme), kb.id, QUESTION)


async def test_a_passage_that_others_outran_tells_its_ranks(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    crowd = [f"El plazo de devolución del artículo {n} es de {n} días." for n in range(60)]
    await library.document(kb, "crowd", *crowd)
    far = await library.document(kb, "far", "Los pingüinos caminan sobre el hielo.")
    told = await search.explain_kb(
        admin_of(acme), kb.id, QUESTION, document_id=far, wish=Wish(similarity_threshold=0)
    )
    assert told.reason == "not_retrieved"
    assert told.depth == 20
    assert told.fates[0].vector_rank is not None
    assert told.fates[0].vector_rank > told.depth
    assert told.fates[0].word_rank is None
    assert str(told.fates[0].vector_rank) in told.message("es")


async def test_the_other_tenant_cannot_have_a_search_explained(
    make_tenant: "MakeTenant", library: Library, search: Search
) -> None:
    acme, rival = make_tenant(), make_tenant()
    kb = await library.kb(acme)
    document = await library.document(kb, "returns", ANSWER)
    with pytest.raises(errors.NotFound):
        await search.explain_kb(admin_of(rival), kb.id, QUESTION, document_id=document)
    with pytest.raises(errors.NotFound):
        await search.explain_kb(admin_of(rival), kb.id, QUESTION, words="treinta días")
