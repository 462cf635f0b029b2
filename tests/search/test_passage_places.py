"""The place of a stretch is its own block's, not its passage's."""

from typing import TYPE_CHECKING

from veraz.search.model import Passage
from veraz.search.places import Segment, pages_in, place_of, with_own_blocks
from veraz.text.blocks import Block, TextLine, pack_blocks, pack_lines

if TYPE_CHECKING:
    from tests.support.passages import make_hit
else:
    from support.passages import make_hit

TEXT = "Horario\n\nAbre a las nueve.\n\nCuotas\n\nSon 30 euros.\n\nPieza | Precio\nTuerca | 12\nTornillo | 7"
BLOCKS = (
    Block(kind="heading", start=0, end=7, page=1),
    Block(kind="paragraph", start=9, end=26, page=1, headers=("Horario",)),
    Block(kind="heading", start=28, end=34, page=2),
    Block(kind="paragraph", start=36, end=49, page=2, headers=("Cuotas",)),
    Block(kind="table_header", start=51, end=65, page=2, headers=("Cuotas",), table=1),
    Block(
        kind="table_row",
        start=66,
        end=77,
        page=2,
        row=2,
        part="Hoja",
        headers=("Cuotas",),
        table_header="Pieza | Precio",
        table=1,
        columns=("Pieza", "Precio"),
        cells=((66, 72), (75, 77)),
    ),
    Block(
        kind="table_row", start=78, end=90, page=3, row=3, part="Hoja", table=1, cells=((78, 86), (89, 90))
    ),
)


def passage_of(
    start: int, end: int, *, before: str = "", content: str | None = None, original: str | None = None
) -> Passage:
    """A chunk of the text with its blocks."""
    said = before + TEXT[start:end] if content is None else content
    passage = make_hit(said, start_char=start, end_char=end, page_number=1).passage
    return with_own_blocks(passage, segments_of(passage), original)


def segments_of(passage: Passage) -> list[Segment]:
    """The text in two segments."""
    return [
        Segment(
            document_id=passage.document_id,
            start_char=start,
            end_char=end,
            text=TEXT[start:end],
            blocks=pack_blocks(block for block in BLOCKS if block.start < end and block.end > start),
            lines=None,
        )
        for start, end in ((0, 36), (36, len(TEXT)))
    ]


def test_sentences_of_one_passage_have_their_own_pages_and_headings() -> None:
    passage = passage_of(0, 49)
    morning, price = TEXT.index("Abre"), TEXT.index("Son")
    first, second = place_of(passage, morning, morning + 17), place_of(passage, price, price + 13)
    assert (first.page_number, first.headings) == (1, ("Horario",))
    assert (second.page_number, second.headings) == (2, ("Cuotas",))
    assert (second.start_char, second.end_char) == (price, price + 13)


def test_a_repeated_table_header_shifts_no_place() -> None:
    header = "Pieza | Precio\n"
    passage = passage_of(66, 90, before=header)
    row, other = passage.blocks
    assert passage.content[row.start : row.end] == "Tuerca | 12"
    assert [passage.content[a:b] for a, b in row.cells] == ["Tuerca", "12"]
    place = place_of(passage, len(header), len(header) + 6)
    assert (place.start_char, place.end_char) == (66, 72)
    assert (place.sheet, place.row, place.columns) == ("Hoja", 2, ("Pieza", "Precio"))
    assert place_of(passage, other.start, other.end).page_number == 3


def test_a_chunk_that_begins_inside_a_block_has_its_part_of_it() -> None:
    passage = passage_of(14, 40)
    assert [passage.content[block.start : block.end] for block in passage.blocks] == [
        TEXT[14:26],
        "Cuotas",
        TEXT[36:40],
    ]


def test_a_changed_chunk_has_its_own_place_only() -> None:
    passage = passage_of(0, 49, content="Otra cosa.")
    assert passage.blocks == ()
    place = place_of(passage, 0, 4)
    assert (place.start_char, place.end_char, place.page_number) == (0, 49, 1)


def test_what_a_person_corrected_has_the_place_of_what_stood_there() -> None:
    said = TEXT[:49].replace("nueve", "diez y media").replace("30", "35")
    passage = passage_of(0, 49, content=said, original=TEXT[:49])
    assert [said[block.start : block.end] for block in passage.blocks] == [
        "Horario",
        "Abre a las diez y media.",
        "Cuotas",
        "Son 35 euros.",
    ]
    start = said.index("Son 35")
    place = place_of(passage, start, start + 13)
    assert (place.page_number, place.headings, place.text) == (2, ("Cuotas",), "Son 35 euros.")
    assert (place.start_char, place.end_char) == (36, 49)
    half = place_of(passage, said.index("media"), said.index("media") + 5)
    assert (half.page_number, TEXT[half.start_char : half.end_char]) == (1, "nueve")
    assert half.text == "diez y media"


def test_a_corrected_row_keeps_its_cells_below_a_repeated_header() -> None:
    header = "Pieza | Precio\n"
    said = f"{header}Tuerca grande | 14\nTornillo | 7"
    passage = passage_of(66, 90, content=said, original=header + TEXT[66:90])
    row, other = passage.blocks
    assert [said[a:b] for a, b in row.cells] == ["Tuerca grande", "14"]
    assert [said[a:b] for a, b in other.cells] == ["Tornillo", "7"]
    place = place_of(passage, *row.cells[1])
    assert (place.row, place.text, TEXT[place.start_char : place.end_char]) == (2, "14", "12")
    assert place_of(passage, other.start, other.end).page_number == 3
    above = place_of(passage, 0, 5)
    assert TEXT[above.start_char : above.end_char] == "Tuerca | 12"


def test_a_chunk_corrected_over_another_text_has_its_own_place_only() -> None:
    passage = passage_of(0, 49, content="Otra cosa.", original="Lo que decía otro texto.")
    assert passage.blocks == () and passage.alignment is None


def test_the_rectangles_of_a_stretch_stand_with_the_page_they_are_on() -> None:
    lines = [
        TextLine(start=0, end=7, left=10, bottom=700, right=60, top=712),
        TextLine(start=9, end=26, left=10, bottom=650, right=120, top=662, words=(40.0, 50.0, 70.0)),
        TextLine(start=28, end=34, left=10, bottom=700, right=60, top=712),
    ]
    segment = Segment(
        document_id=make_hit("x").passage.document_id,
        start_char=0,
        end_char=36,
        text=TEXT[:36],
        blocks=pack_blocks(BLOCKS[:3]),
        lines=[list(line) for line in pack_lines(lines)],
    )
    assert [(page.page_number, page.rectangles) for page in pages_in([segment], 0, 34)] == [
        (1, ((10, 700, 60, 712), (10, 650, 120, 662))),
        (2, ((10, 700, 60, 712),)),
    ]
    (only,) = pages_in([segment], 20, 26)
    assert (only.page_number, only.rectangles) == (1, ((70.0, 650, 120, 662),))
    assert pages_in([], 0, 34) == ()
