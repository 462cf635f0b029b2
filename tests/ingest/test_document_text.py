"""The stored text of a document: segments that together are the whole text, with every block and line in its place."""

import json

from veraz.ingest.document_text import LONGEST_SEGMENT, SEGMENT_CHARACTERS, Segment, segments
from veraz.ingest.model import Block, Parsed, TextLine
from veraz.text.blocks import unpack_blocks, unpack_lines


def test_segments_are_the_whole_text_cut_between_blocks() -> None:
    parsed = document(*["Un párrafo de unas palabras." * 20] * 60)
    parts = segments(parsed)
    assert "".join(part.text for part in parts) == parsed.text
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert {part.start for part in parts} <= {block.start for block in parsed.blocks}
    assert all(len(part.text) <= SEGMENT_CHARACTERS for part in parts) and len(parts) > 3
    assert tuple(block for part in parts for block in blocks_of(part)) == parsed.blocks


def test_a_block_longer_than_any_segment_stands_in_each_of_its_segments() -> None:
    parsed = document("Antes.", "x" * 50_000, "Después.")
    parts = segments(parsed)
    assert "".join(part.text for part in parts) == parsed.text
    assert all(len(part.text) <= LONGEST_SEGMENT for part in parts)
    holding = [part for part in parts if parsed.blocks[1] in blocks_of(part)]
    assert len(holding) > 2 and "".join(part.text for part in holding).count("x") == 50_000


def test_columns_cells_introductions_and_lines_come_back() -> None:
    row = Block(
        kind="table_row",
        start=0,
        end=12,
        page=3,
        part="Precios",
        row=2,
        headers=("Tarifas", "2025"),
        table_header="Pieza | Precio",
        table=1,
        columns=("Pieza", "Precio"),
        cells=((0, 7), (10, 12)),
        introduction="Quedan incluidos:",
    )
    line = TextLine(start=0, end=12, left=72.0, bottom=700.5, right=200.0, top=712.0, words=(110.0, 120.0))
    (part,) = segments(Parsed(text="Tuercas | 12", blocks=(row,), lines=(line,)))
    assert blocks_of(part) == [row]
    assert part.lines and unpack_lines(json.loads(part.lines)) == [line]


def test_a_text_without_pages_has_no_lines() -> None:
    (part,) = segments(document("Hola."))
    assert part.lines is None


def document(*paragraphs: str) -> Parsed:
    blocks: list[Block] = []
    start = 0
    for paragraph in paragraphs:
        blocks.append(Block(kind="paragraph", start=start, end=start + len(paragraph)))
        start += len(paragraph) + 2
    return Parsed(text="\n\n".join(paragraphs), blocks=tuple(blocks))


def blocks_of(part: Segment) -> list[Block]:
    return unpack_blocks(json.loads(part.blocks))
