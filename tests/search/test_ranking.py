"""From passages to evidence: boosts, diversity, the context, what calibration learns."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veraz.ids import new_id
from veraz.library.model import KbKind
from veraz.library.retrieval import RetrievalConfig
from veraz.providers.rerank.base import Candidate, Reranked
from veraz.providers.rerank.local import LocalReranker, wording
from veraz.search.calibration import Calibration
from veraz.search.context import build_context
from veraz.search.diversity import diverse
from veraz.search.model import Cut, Hit, Passage, Query, Question, Retrieved, Shelf
from veraz.search.rank import BOOSTS, boost_of, rank
from veraz.text.languages import in_another_language
from veraz.text.tokens import count_tokens

KB, DOCUMENT = new_id(), new_id()
SPACE = "local:use-multilingual-v3@512"


def passage(content: str = "Texto.", **changes: object) -> Passage:
    plain = Passage(
        chunk_id=new_id(),
        document_id=new_id(),
        kb_id=KB,
        edition_id=1,
        space_id=1,
        kind="global",
        content=content,
        context="",
        headers=[],
        page_number=None,
        part=None,
        row_number=None,
        ordinal=0,
        start_char=0,
        end_char=len(content),
        tokens=count_tokens(content),
        quality=50,
        embedding=np.eye(4, dtype=np.float32)[0],
        cosine=0.3,
        bm25=1.0,
        document_name="doc",
        title=None,
        source_url=None,
        language="es",
        document_language="es",
        metadata={},
        source_tier=None,
        authority_score=0.0,
        evidence_level=None,
        institution=None,
        peer_reviewed=False,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def hit(relevance: float, found: Passage) -> Hit:
    return Hit(
        passage=found,
        similarity=relevance,
        rrf_score=0.01,
        match=relevance,
        boost=0,
        relevance=relevance,
        reranked=True,
    )


SHELF = Shelf(
    kb_id=KB,
    edition_id=1,
    space_id=1,
    kind="global",
    priority=1,
    search_weight=1.0,
    kb_name="Base",
    language="es",
    space=SPACE,
    dimensions=4,
    chunks=10,
    shared=10,
    curve=Calibration.of(SPACE, None),
)
GOLD: dict[str, Any] = {
    "source_tier": "tier1_gold",
    "evidence_level": "rct",
    "peer_reviewed": True,
    "quality": 100,
}


class SaysItself:
    """A reranker that reads the relevance from the passage."""

    name = "test"

    async def rerank(self, question: str, candidates: list[Candidate]) -> Reranked:
        return Reranked(scores=[float(candidate.text) for candidate in candidates], model=self.name)


async def ranked(*passages: Passage, **config: object) -> list[Passage]:
    question = Question(text="q", config=RetrievalConfig(**({"similarity_threshold": 0.0} | config)))  # type: ignore[arg-type]
    found = Retrieved(query=Query(text="q"), passages=passages, idf={"es": {"q": 1.0}}, searched=10)
    evidence = await rank(question, [found], [SHELF], SaysItself())  # type: ignore[arg-type]
    return [h.passage for h in evidence.hits]


async def test_authority_orders_near_ties() -> None:
    plain, gold = passage("0.82"), passage("0.80", **GOLD)
    assert await ranked(plain, gold) == [gold, plain]


async def test_boosts_can_be_switched_off() -> None:
    plain, gold = passage("0.85"), passage("0.80", **GOLD)
    assert await ranked(plain, gold, boosts=False) == [plain, gold]


@settings(deadline=None)
@given(st.floats(0.0, 0.5), st.floats(0.7, 1.0))
async def test_authority_never_lifts_the_irrelevant_over_the_relevant(low: float, high: float) -> None:
    irrelevant, relevant = passage(str(low), **GOLD), passage(str(high))
    assert (await ranked(irrelevant, relevant))[0] is relevant


async def test_authority_never_lifts_a_passage_over_the_threshold() -> None:
    assert await ranked(passage("0.69", **GOLD, cosine=0.0), similarity_threshold=0.7) == []


def test_the_boosts_are_those_of_the_specification() -> None:
    assert boost_of(passage(source_tier="tier1_gold")) == 0.15
    assert boost_of(passage(source_tier="tier2_silver")) == 0.05
    assert boost_of(passage(evidence_level="meta_analysis")) == 0.10
    assert boost_of(passage(evidence_level="opinion")) == 0
    assert boost_of(passage(**GOLD)) == pytest.approx(0.15 + 0.10 + 0.05 + 0.05)
    assert max(BOOSTS.values()) == 0.15


async def test_a_wording_found_twice_keeps_its_best_score() -> None:
    same = passage("0.9")
    question = Question(text="q", config=RetrievalConfig(similarity_threshold=0))
    weak = replace(same, content="0.2")
    found = [
        Retrieved(query=Query(text=text), passages=(p,), idf={"es": {}}, searched=1)
        for text, p in (("a", weak), ("b", same))
    ]
    evidence = await rank(question, found, [SHELF], SaysItself())  # type: ignore[arg-type]
    assert [h.match for h in evidence.hits] == [0.9]


def directions(*angles: float) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
    return [np.array([np.cos(a), np.sin(a), 0, 0], dtype=np.float32) for a in angles]


def test_a_near_copy_makes_room_for_something_new() -> None:
    first, copy, new = directions(0.0, 0.05, 1.5)
    hits = [
        hit(0.9, passage(embedding=first)),
        hit(0.88, passage(embedding=copy)),
        hit(0.8, passage(embedding=new)),
    ]
    cuts: dict[UUID, Cut] = {}
    chosen = diverse(hits, limit=2, mmr_lambda=0.7, source_cap=9, unrelated={1: 0.07}, cuts=cuts)
    assert chosen == {hits[0].passage.chunk_id, hits[2].passage.chunk_id}
    assert cuts == {hits[1].passage.chunk_id: "similar_to_better"}


def test_with_lambda_one_only_relevance_counts() -> None:
    first, copy, new = directions(0.0, 0.05, 1.5)
    hits = [
        hit(0.9, passage(embedding=first)),
        hit(0.88, passage(embedding=copy)),
        hit(0.8, passage(embedding=new)),
    ]
    chosen = diverse(hits, limit=2, mmr_lambda=1.0, source_cap=9, unrelated={1: 0.07}, cuts={})
    assert chosen == {hits[0].passage.chunk_id, hits[1].passage.chunk_id}


@settings(deadline=None)
@given(st.integers(1, 4), st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_no_document_gives_more_than_the_cap(cap: int, sources: list[int]) -> None:
    documents = [new_id() for _ in range(4)]
    hits = [hit(0.9 - n / 100, passage(document_id=documents[s])) for n, s in enumerate(sources)]
    chosen = diverse(hits, limit=8, mmr_lambda=0.7, source_cap=cap, unrelated={1: 0.07}, cuts={})
    kept = [h.passage.document_id for h in hits if h.passage.chunk_id in chosen]
    assert all(kept.count(document) <= cap for document in documents)
    assert len(kept) == min(8, sum(min(cap, sources.count(s)) for s in set(sources)))


SENTENCE = "El plazo de devolución es de treinta días naturales desde la entrega del pedido."


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(100, 2000))
def test_the_context_stays_under_its_tokens_and_cuts_no_sentence(lengths: list[int], limit: int) -> None:
    kinds: tuple[KbKind, KbKind] = ("global", "personal")
    hits = [
        hit(0.9, passage(" ".join([SENTENCE] * n), kind=kinds[i % 2], document_name=f"Manual {i}"))
        for i, n in enumerate(lengths)
    ]
    context = build_context(hits, limit)
    assert count_tokens(context.text) < limit
    assert context.text.count(SENTENCE) == context.text.count("El plazo")
    assert len(context.used) + len(context.left_out) == len(hits)


def test_global_and_personal_passages_stand_in_blocks_of_their_own() -> None:
    hits = [
        hit(0.9, passage("Mi protagonista es un científico.", kind="personal", document_name="Mis Notas")),
        hit(
            0.8,
            passage("El primer capítulo debe ser breve.", document_name="Manual de Estilo", page_number=3),
        ),
    ]
    assert build_context(hits, 2000).text == (
        '[CORPUS GLOBAL]\nManual de Estilo (p. 3): "El primer capítulo debe ser breve."\n\n'
        '[CORPUS PERSONAL]\nMis Notas: "Mi protagonista es un científico."'
    )


def test_neighbours_are_joined_without_repeating_what_overlaps() -> None:
    text = "Uno dos tres. Cuatro cinco seis. Siete ocho nueve."
    one, two, far = text[:32], text[14:], "Otra cosa."
    parts = [
        passage(two, document_id=DOCUMENT, ordinal=1, start_char=14, end_char=50),
        passage(far, document_id=DOCUMENT, ordinal=5, start_char=90, end_char=100),
        passage(one, document_id=DOCUMENT, ordinal=0, start_char=0, end_char=32),
    ]
    context = build_context([hit(0.9 - n / 10, p) for n, p in enumerate(parts)], 2000)
    assert context.text == f'[CORPUS GLOBAL]\ndoc: "{text}"\ndoc: "{far}"'


def test_words_in_one_sentence_count_more_than_scattered_ones() -> None:
    idf = {"plaz": 3.0, "devolu": 4.0, "product": 2.0}
    together = "El plazo de devolución de productos es corto. Nada más. Fin."
    scattered = "El plazo es corto. Nada más. La devolución cuesta. Fin de todo. Hay productos."
    assert wording(together, "es", idf) > wording(scattered, "es", idf) > 0
    assert wording("Nada de nada.", "es", idf) == 0


def test_kin_words_count_half() -> None:
    idf = {"construccion": 3.0}
    assert wording("Se construcciona.", "xx", idf) == pytest.approx(0.5)


async def test_the_local_reranker_puts_the_answer_first() -> None:
    idf = {"capital": 2.0, "franci": 4.0}
    texts = (
        "La capital de Francia es París.",
        "La capital social de la empresa.",
        "Francia limita con España.",
    )
    candidates = [Candidate(text=text, language="es", closeness=0.5, words=0.5, idf=idf) for text in texts]
    scores = (await LocalReranker().rerank("¿Cuál es la capital de Francia?", candidates)).scores
    assert scores[0] == max(scores)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("text", "language", "another"),
    [
        ("¿Cuál es el plazo para presentar la solicitud?", "es", False),
        ("What is the deadline for the application?", "es", True),
        ("¿Cuál es el plazo para presentar la solicitud?", "en", True),
        ("política devoluciones", "en", False),
        ("return policy", "es", False),
        ("What is the deadline?", "xx", False),
    ],
)
def test_a_question_in_another_language_is_noticed(text: str, language: str, another: bool) -> None:
    assert in_another_language(text, language) is another


def test_the_same_threshold_means_the_same_in_every_model() -> None:
    narrow = Calibration(unrelated=0.71, own=0.89)
    wide = Calibration(unrelated=0.07, own=0.59)
    assert narrow.similarity(0.80) == pytest.approx(0.7)
    assert wide.similarity(0.33) == pytest.approx(0.7)
    assert narrow.similarity(0.71) == pytest.approx(wide.similarity(0.07)) == pytest.approx(0.05)
    assert narrow.similarity(0.89) > 0.95


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_is_never_less_similar(one: float, other: float) -> None:
    curve = Calibration(unrelated=0.07, own=0.59)
    low, high = sorted((one, other))
    assert 0 < curve.similarity(low) <= curve.similarity(high) < 1
