"""Every line of a PDF knows where it stands on its page."""

import re
import shutil

import pypdfium2  # type: ignore[import-untyped]
import pytest
from tests.ingest.parse.drawn_pdf import Sheet
from tests.ingest.parse.made_files import pdf, scanned_pdf

from veraz.ingest.model import Parsed, TextLine
from veraz.ingest.parse.base import ParseLimits, Source
from veraz.ingest.parse.pdf import read
from veraz.ingest.places import rectangles
from veraz.text.sentences import sentence_spans

TEXT = (
    "La garantía dura tres años desde la entrega. Cubre piezas y mano de\n"
    "obra en los talleres autorizados. Quedan excluidos los daños por uso\n"
    "indebido y las baterías."
)


def parse(data: bytes) -> Parsed:
    return read(Source(data=data, filename="a.pdf"))


def letters(text: str) -> str:
    return re.sub(r"\W", "", text)


def under(data: bytes, parsed: Parsed, start: int, end: int, page: int = 1) -> str:
    """What stands under the boxes of a stretch of text."""
    text_page = pypdfium2.PdfDocument(data)[page - 1].get_textpage()
    return "".join(
        text_page.get_text_bounded(*box) for box in rectangles(parsed.lines, parsed.text, start, end)
    )


def test_the_rectangle_of_a_sentence_lies_on_its_words() -> None:
    data = pdf(TEXT)
    parsed = parse(data)
    spans = sentence_spans(parsed.text)
    assert len(spans) == 3
    for start, end in spans:
        assert letters(under(data, parsed, start, end)) == letters(parsed.text[start:end])


def test_a_stretch_over_two_lines_has_a_rectangle_on_each() -> None:
    parsed = parse(pdf(TEXT))
    start = parsed.text.index("Cubre")
    first, second = rectangles(parsed.lines, parsed.text, start, parsed.text.index(" Quedan"))
    assert first[0] > second[0]
    assert first[1] >= second[3] - 1
    assert second[2] < parsed.lines[1].right


def test_lines_stand_within_one_block_and_in_the_order_of_the_text() -> None:
    parsed = parse(pdf(f"# Título\n{TEXT}", TEXT))
    assert [line.start for line in parsed.lines] == sorted(line.start for line in parsed.lines)
    for line in parsed.lines:
        assert any(block.start <= line.start < line.end <= block.end for block in parsed.blocks)
        assert line.left < line.right
        assert line.bottom < line.top


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_that_is_shown_turned_has_its_lines_where_the_words_are(rotation: int) -> None:
    lines = [(60.0, 700.0 - 14 * number, line) for number, line in enumerate(TEXT.split("\n"))]
    data = Sheet().page(lines, rotation=rotation).data()
    parsed = parse(data)
    start = parsed.text.index("Cubre")
    end = parsed.text.index("autorizados") + len("autorizados")
    assert letters(parsed.text[start:end]) in letters(under(data, parsed, start, end))


def test_a_page_of_hardly_any_size_is_read_all_the_same() -> None:
    parsed = parse(Sheet().page([(0.0, 0.0, "Diminuto")], size=(0.1, 0.1)).page([(60, 700, "Normal")]).data())
    assert "Normal" in parsed.text


def test_a_line_without_edges_of_words_is_marked_whole() -> None:
    line = TextLine(start=0, end=7, left=10, bottom=20, right=50, top=30)
    assert rectangles([line], "uno dos", 4, 7) == [(10, 20, 50, 30)]
    assert rectangles([line], "uno dos", 3, 4) == []


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs Tesseract")
def test_the_words_of_a_scanned_page_have_their_places() -> None:
    page = "La cuota anual es de noventa euros.\nEl plazo de pago termina en marzo."
    limits = ParseLimits(tesseract=shutil.which("tesseract"))
    parsed = read(Source(data=scanned_pdf(page), filename="scan.pdf", limits=limits))
    start = parsed.text.index("plazo")
    end = parsed.text.index("marzo") + len("marzo")
    written = pypdfium2.PdfDocument(pdf(page))[0].get_textpage()
    found = "".join(
        written.get_text_bounded(*box) for box in rectangles(parsed.lines, parsed.text, start, end)
    )
    assert letters(found) == letters("plazo de pago termina en marzo")
