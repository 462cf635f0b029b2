"""A sentence that a page break cuts stays one piece of text, and each half of it stays on its page."""

import pypdfium2  # type: ignore[import-untyped]
import pytest
from tests.ingest.parse.drawn_pdf import Sheet, Words, column

from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read
from veraz.ingest.places import rectangles
from veraz.text.blocks import first_page_end, pack_blocks, page_spans, unpack_between, unpack_blocks

FIRST = (
    "La garantía cubre las piezas y la mano de obra en los talleres que",
    "el fabricante haya autorizado para",
)
SECOND = ("ello en el país de compra del aparato. Los daños por uso indebido no", "están cubiertos.")
WHOLE = " ".join((*FIRST, *SECOND))


def made(*pages: list[Words]) -> bytes:
    sheet = Sheet()
    for page in pages:
        sheet.page(page)
    return sheet.data()


def parse(*pages: list[Words]) -> Parsed:
    return read(Source(data=made(*pages), filename="a.pdf"))


def texts(parsed: Parsed) -> list[tuple[int | None, str]]:
    return [(block.page, parsed.of(block)) for block in parsed.blocks]


def numbered(page: int) -> list[Words]:
    return [(60, 810, "Manual de garantías"), (290, 30, str(page))]


def test_a_sentence_that_goes_on_over_the_page_is_one_block() -> None:
    assert texts(parse(column(*FIRST), column(*SECOND))) == [(1, WHOLE)]


def test_each_half_has_the_page_and_the_rectangles_of_its_own_page() -> None:
    pages = (column(*FIRST, top=300), column(*SECOND))
    parsed, document = parse(*pages), pypdfium2.PdfDocument(made(*pages))
    (block,) = parsed.blocks
    for words, page in (
        ("La garantía cubre", 1),
        ("haya autorizado para", 1),
        ("ello en el país", 2),
        ("están", 2),
    ):
        start = parsed.text.index(words)
        assert block.page_at(start) == page
        (box,) = rectangles(parsed.lines, parsed.text, start, start + len(words))
        assert document[page - 1].get_textpage().get_text_bounded(*box).strip() == words


def test_heads_and_page_numbers_between_the_halves_follow_the_whole() -> None:
    parsed = parse(
        *(
            [*numbered(page)[:1], *column(*lines), *numbered(page)[1:]]
            for page, lines in ((1, FIRST), (2, SECOND))
        )
    )
    head = "Manual de garantías"
    assert texts(parsed) == [(1, head), (1, WHOLE), (1, "1"), (2, head), (2, "2")]


def test_a_paragraph_goes_on_over_as_many_pages_as_it_takes() -> None:
    middle = (
        "servicios que presten en su nombre y con sus propios medios, sin otro",
        "límite que el de la ley y sin",
    )
    parsed = parse(column(*FIRST), column(*middle), column(*SECOND))
    (block,) = parsed.blocks
    assert [block.page_at(parsed.text.index(word)) for word in ("garantía", "servicios", "ello")] == [1, 2, 3]


def test_a_word_that_the_page_break_cuts_is_put_together() -> None:
    parsed = parse(
        column(FIRST[0], "el fabricante haya autori-"), column("zado en el país de compra del aparato.")
    )
    assert parsed.text.endswith("que el fabricante haya autorizado en el país de compra del aparato.")


@pytest.mark.parametrize(
    ("last", "first"),
    [
        ("el fabricante haya autorizado.", "ello en el país de compra del aparato."),
        ("el fabricante haya autorizado para", "Los daños por uso indebido no están cubiertos."),
        ("el fabricante haya autorizado para", "a) los daños por uso indebido;"),
    ],
    ids=["ended", "begun anew", "an item"],
)
def test_what_does_not_clearly_go_on_stays_apart(last: str, first: str) -> None:
    assert texts(parse(column(FIRST[0], last), column(first))) == [(1, f"{FIRST[0]} {last}"), (2, first)]


def test_letters_of_another_size_do_not_go_on() -> None:
    sheet = Sheet().page(column(*FIRST), letters=10).page(column(*SECOND), letters=8)
    assert len(read(Source(data=sheet.data(), filename="a.pdf")).blocks) == 2


BLOCK = Block(kind="paragraph", start=10, end=40, page=3, page_breaks=(20, 30))


def test_a_block_over_pages_is_stored_and_cut_with_its_pages() -> None:
    packed = pack_blocks([BLOCK])
    assert unpack_blocks(packed) == [BLOCK]
    (part,) = unpack_between(packed, 22, 35, cut_to=2)
    assert (part.start, part.end, part.page, part.page_breaks) == (2, 15, 4, (10,))
    assert BLOCK.part_of(30, 40) == Block(kind="paragraph", start=30, end=40, page=5)


def test_a_block_stored_before_pages_could_turn_in_it_is_read() -> None:
    packed = pack_blocks([Block(kind="paragraph", start=0, end=5, page=1)])
    assert len(packed["blocks"][0]) == 12
    assert unpack_blocks(packed)[0].page_breaks == ()


def test_the_first_page_of_a_stretch_ends_where_the_next_one_begins() -> None:
    foot = Block(kind="note", start=42, end=50, page=3)
    assert first_page_end([BLOCK, foot], 12) == 20
    assert first_page_end([BLOCK, foot], 25) == 30
    assert first_page_end([BLOCK, foot], 33) == 40
    assert first_page_end([foot, Block(kind="note", start=52, end=60, page=4)], 42) == 50


def test_a_stretch_stands_on_each_of_its_pages_and_comes_back_to_one_for_a_footnote() -> None:
    foot, after = (
        Block(kind="note", start=42, end=50, page=3),
        Block(kind="paragraph", start=52, end=60, page=5),
    )
    assert page_spans([BLOCK, foot, after], 12, 55) == [
        (3, 12, 20),
        (4, 20, 30),
        (5, 30, 40),
        (3, 42, 50),
        (5, 52, 55),
    ]
    assert page_spans([foot, Block(kind="note", start=51, end=60, page=3)], 45, 60) == [(3, 45, 60)]
    assert page_spans([Block(kind="paragraph", start=0, end=9)], 0, 9) == []
