"""Real files from public test sets: the well-formed ones give their text, the others say why not."""

import csv
import re
import shutil
from pathlib import Path

import pytest

from veraz import errors
from veraz.ingest.parse import ParseLimits, detect, parse_file

DOCUMENTS = Path(__file__).parents[3] / "../shared/data/documents"
LIMITS = ParseLimits(tesseract=shutil.which("tesseract"))

# Looked at one by one: no cell, no shape with words, or a picture only.
WITHOUT_TEXT = {
    "docling__fp8-v.s.-bf16.pdf",
    "tika__testPDFFileEmbInAnnotation_noContents.pdf",
    "unstructured__picture.pptx",
}
WORDS = {
    "docling__right_to_left_02.doctags.txt": "وعليه",
    "kreuzberg__unit_test_headers.docx": "Paragraph 1.2.3.1",
    "tika__testComment.pdf": "Here is a comment",
    "tika__testEXCEL_embeddedPDF_windows.xls": "Content Analysis Toolkit",
    "tika__testEXCEL_embeddedPDF_windows.xlsx": "Content Analysis Toolkit",
    "tika__testExcel_embeddedPDF.xls": "Hello World!",
    "tika__testPPT_EmbeddedPDF.ppt": "Content Analysis Toolkit",
    "tika__testPPT_EmbeddedPDF.pptx": "Content Analysis Toolkit",
    "tika__testWPSAttachment.xls": "doc_content",
    "tika__testEXCEL_textbox.xlsx": "some autoshape text",
    "tika__testPPT_masterText2.ppt": "Text that I added to the master slide",
    "tika__testWORD6.doc": "quick brown fox",
    "tika__testWORD_charts.docx": "wants a peach",
    "tika__testWORD_sdtInTextBox.docx": "rich-text-content-control_inside-text-box",
    "unstructured__eng_spa.txt": "dignidad y derechos",
    "kreuzberg__powerpoint_sample.pptx": "Some notes on the second slide.",
    "tika__testEXCEL_headers_footers.xls": "Name: John Smith28; Address: 28 Corporate HQ",
}


def manifest() -> list[dict[str, str]]:
    path = DOCUMENTS / "MANIFEST.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.skipif(not manifest(), reason="the folder of real files is not here")
@pytest.mark.parametrize("row", manifest(), ids=lambda row: row["file"])
async def test_a_real_file_gives_its_text(row: dict[str, str]) -> None:
    path = DOCUMENTS / row["file"]
    assert detect(path, row["file"]).value == row["format"]
    if row["file"] in WITHOUT_TEXT:
        with pytest.raises(errors.NoText):
            await parse_file(path, filename=row["file"], limits=LIMITS)
        return
    parsed = await parse_file(path, filename=row["file"], limits=LIMITS)
    assert re.search(r"\w", parsed.text)
    assert "\x00" not in parsed.text
    assert WORDS.get(row["file"], "") in parsed.text
    at = 0
    for block in parsed.blocks:
        assert parsed.text[at : block.start].strip() == ""
        assert parsed.of(block) == parsed.of(block).strip() != ""
        at = block.end
    assert parsed.text[at:].strip() == ""
