"""A reader is given the best passages, others as far as they are near, and each with its place."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz.answer.evidence import place_of, reading, sources_of
from veraz.search.calibration import Calibration
from veraz.search.model import Context, Dropped, Evidence, Hit, Question, SearchResult, Shelf

if TYPE_CHECKING:
    from tests.support.passages import make_hit
else:
    from support.passages import make_hit


def found(*hits: Hit, dropped: tuple[Hit, ...] = (), chunks: int = 10_000) -> SearchResult:
    """A search of one knowledge base with so many passages."""
    shelf = Shelf(
        kb_id=UUID(int=1), edition_id=1, space_id=1, kind="global", priority=1, search_weight=1.0, kb_name="Base",
        language="es", space="fake:words@64", dimensions=64, chunks=chunks, shared=chunks, curve=Calibration(unrelated=0.1, own=0.6),
    )  # fmt: skip
    cut = tuple(Dropped(hit=hit, cut="below_threshold") for hit in dropped)
    return SearchResult(
        question=Question(text="¿?"),
        queries=(),
        shelves=(shelf,),
        evidence=Evidence(hits=hits, dropped=cut),
        context=Context(text="", used=(), left_out=()),
        stages={},
    )


def read(result: SearchResult, tokens: int = 1_000) -> list[str]:
    """The passages handed over."""
    return [hit.passage.content for hit in reading(result, tokens)]


def test_the_best_passage_always_goes_on() -> None:
    assert read(found(dropped=(make_hit("lejano", match=0.02),))) == ["lejano"]
    assert read(found(make_hit("larguísimo", match=0.9, tokens=5_000)), tokens=100) == ["larguísimo"]


def test_nothing_found_is_nothing_read() -> None:
    assert read(found()) == []


def test_what_is_hopelessly_behind_the_best_is_left_out() -> None:
    near, far = make_hit("cerca", match=0.4), make_hit("lejos", match=0.001)
    assert read(found(make_hit("mejor", match=0.9), dropped=(near, far))) == ["mejor", "cerca"]


def test_the_cut_is_relative_to_the_best() -> None:
    best, far = make_hit("mejor", match=0.02), make_hit("lejos", match=0.001)
    assert read(found(best, dropped=(far,))) == ["mejor", "lejos"]


def test_a_small_knowledge_base_goes_on_whole() -> None:
    hits = (make_hit("mejor", match=0.9), make_hit("lejos", match=0.001))
    assert read(found(*hits, chunks=2)) == ["mejor", "lejos"]
    assert read(found(*hits, chunks=3)) == ["mejor"]


def test_passages_go_on_as_far_as_there_is_room() -> None:
    hits = [make_hit(f"p{n}", match=0.9 - n / 10, tokens=tokens) for n, tokens in enumerate((60, 60, 30))]
    assert read(found(*hits), tokens=100) == ["p0", "p2"]


def test_the_evidence_has_room_before_what_was_dropped() -> None:
    dropped = make_hit("parecido", match=0.8, tokens=60)
    hits = (make_hit("mejor", match=0.9, tokens=40), make_hit("otro", match=0.5, tokens=60))
    assert read(found(*hits, dropped=(dropped,)), tokens=100) == ["mejor", "otro"]


def test_passages_are_numbered_from_the_best() -> None:
    hits = reading(found(make_hit("b", match=0.5), make_hit("a", match=0.9)), 1_000)
    assert [(source.number, source.text) for source in sources_of(hits)] == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"document_name": "tarifas_2026.pdf"}, ("tarifas 2026",)),
        ({"document_name": "carpeta/guia__de_uso-2025.docx"}, ("guia de uso 2025",)),
        ({"document_name": "tarifas.md", "title": "Tarifas"}, ("Tarifas",)),
        (
            {
                "document_name": "t1.xlsx",
                "title": "Tarifas",
                "part": "Hoja 1",
                "headers": ["Planes", "Planes", "Medio"],
            },
            ("Tarifas", "t1", "Hoja 1", "Planes", "Medio"),
        ),
        ({"document_name": "a.md", "title": " ", "headers": ["", "Plan\u200b Medio "]}, ("a", "Plan Medio")),
    ],
)
def test_a_place_is_title_name_sheet_and_headings(fields: dict[str, Any], place: tuple[str, ...]) -> None:
    assert place_of(make_hit("x", **fields).passage) == place


@pytest.mark.parametrize("name", ["Versión 2.0", "Curso 2025/26"])
def test_a_name_that_is_no_file_name_stays_whole(name: str) -> None:
    assert place_of(make_hit("x", document_name=name).passage) == (name,)


def test_a_source_says_where_it_stands_and_hides_nothing() -> None:
    (source,) = sources_of(
        [make_hit("Cue\u200bsta 20 €.", page_number=3, title="Tarifas", headers=["Medio"])]
    )
    assert (source.text, source.heading, source.page) == ("Cuesta 20 €.", "Tarifas. doc. Medio", 3)
