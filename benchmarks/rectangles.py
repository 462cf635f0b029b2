"""Whether sentences stand where we say: `python benchmarks/rectangles.py [--scan PAGES] FILE_OR_FOLDER…`.

Reads PDFs, splits every block into sentences, asks for the rectangles of each one and looks with PDFium which text stands
under them: letters and digits of the sentence must be among it. With `--scan`, the first pages of each file become pictures
of themselves first, are read by OCR, and the boxes are held against what the file said there before.
"""

import argparse
import shutil
import time
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import ParseLimits, Source
from veraz.ingest.parse.pdf import read
from veraz.ingest.places import rectangles
from veraz.text.sentences import sentence_spans


def main() -> None:
    """Measures every file and prints what was found."""
    options = argparse.ArgumentParser()
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--scan", type=int, default=0, metavar="PAGES")
    options.add_argument("--show", action="store_true", help="print the sentences that were not found")
    chosen = options.parse_args()
    right = total = pages = 0
    begun = time.perf_counter()
    for path in _files(chosen.paths):
        found = list(_sentences(path, chosen.scan))
        pages += len({page for page, _, _ in found})
        right += sum(_holds(under, sentence, scanned=bool(chosen.scan)) for _, sentence, under in found)
        total += len(found)
        if chosen.show:
            for page, sentence, under in found:
                if not _holds(under, sentence, scanned=bool(chosen.scan)):
                    print(f"{path.name} page {page}: {sentence!r}\n    under its boxes: {under!r}")
    print(
        f"{right / max(1, total):.4f} of {total} sentences on {pages} pages, {time.perf_counter() - begun:.0f} s"
    )


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.pdf")) if path.is_dir() else [path]


def _sentences(path: Path, scan: int) -> Iterator[tuple[int, str, str]]:
    """Page, sentence and the text under its boxes."""
    data = path.read_bytes()
    try:
        document = pdfium.PdfDocument(data)
        limits = ParseLimits(tesseract=shutil.which("tesseract") if scan else None)
        parsed = read(
            Source(data=_pictures(document, scan) if scan else data, filename=path.name, limits=limits)
        )
    except (pdfium.PdfiumError, errors.VerazError):
        return
    document.init_forms()
    text_pages: dict[int, pdfium.PdfTextPage] = {}
    for block in parsed.blocks:
        for start, end in _spans(parsed, block.start, block.end):
            under = list[str]()
            for first, last in pairwise((start, *(at for at in block.page_breaks if start < at < end), end)):
                number = block.page_at(first) or 1
                if number not in text_pages:
                    text_pages[number] = _text_page(document, number)
                boxes = rectangles(parsed.lines, parsed.text, first, last)
                under += [text_pages[number].get_text_bounded(*box) for box in boxes]
            yield block.page_at(start) or 1, parsed.text[start:end], " ".join(under)


def _text_page(document: pdfium.PdfDocument, number: int) -> pdfium.PdfTextPage:
    page = document[number - 1]
    if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
        pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
        page = document[number - 1]
    return page.get_textpage()


def _spans(parsed: Parsed, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in sentence_spans(parsed.text, start, end):
        if any(character.isalnum() for character in parsed.text[first:last]):
            yield first, last


def _holds(under: str, sentence: str, *, scanned: bool) -> bool:
    """Whether the letters and digits of a sentence stand in a text; of a scanned one, nine words out of ten."""
    if not scanned:
        return _plain(sentence) in _plain(under)
    words = [_plain(word) for word in sentence.split() if _plain(word)]
    there = _plain(under)
    return sum(word in there for word in words) >= 0.9 * len(words)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _pictures(document: pdfium.PdfDocument, pages: int) -> bytes:
    """The first pages as pictures of themselves, as a scanner makes them."""
    scanned = pdfium.PdfDocument.new()
    for number in range(min(pages, len(document))):
        page = document[number]
        width, height = page.get_size()
        picture = pdfium.PdfImage.new(scanned)
        picture.set_bitmap(page.render(scale=200 / 72))
        picture.set_matrix(pdfium.PdfMatrix().scale(width, height))
        sheet = scanned.new_page(width, height)
        sheet.insert_obj(picture)
        sheet.gen_content()
    out = BytesIO()
    scanned.save(out)
    return out.getvalue()


if __name__ == "__main__":
    main()
