"""Chunks on pages know their first page, their last one, and the box they fill on the first."""

from veraz.ingest.chunk import chunk
from veraz.ingest.chunk_places import ON_PAGE, with_places
from veraz.ingest.model import Block, Parsed, TextLine
from veraz.library.configs import ChunkingConfig

FIRST, SECOND = "Abre a las nueve.", "Son 30 euros."
PARSED = Parsed(
    text=f"{FIRST}\n\n{SECOND}",
    unit="page",
    blocks=(
        Block(kind="paragraph", start=0, end=17, page=1),
        Block(kind="paragraph", start=19, end=32, page=2),
    ),
    lines=(
        TextLine(start=0, end=17, left=72, bottom=700, right=160.04, top=712),
        TextLine(start=19, end=32, left=50, bottom=600, right=150, top=612),
    ),
)


def test_a_chunk_over_two_pages_names_both_and_fills_a_box_on_the_first() -> None:
    (made,) = with_places(PARSED, chunk(PARSED, ChunkingConfig()))
    assert made.page == 1
    assert made.metadata[ON_PAGE] == {"pages": [1, 2], "bbox": [72, 700, 160.0, 712]}


def test_a_base_that_keeps_pages_to_itself_keeps_boxes_to_itself() -> None:
    (made,) = with_places(PARSED, chunk(PARSED, ChunkingConfig(include_page_number=False)))
    assert ON_PAGE not in made.metadata


def test_text_without_pages_has_no_box() -> None:
    plain = Parsed(text=FIRST, blocks=(Block(kind="paragraph", start=0, end=17),))
    (made,) = with_places(plain, chunk(plain, ChunkingConfig()))
    assert made.metadata == {}
