"""PDF: text per page, with OCR only for the pages that need it."""

import gc
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from functools import partial
from itertools import islice
from typing import NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from veraz import errors
from veraz.ingest.model import Notice, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.finish import About
from veraz.ingest.parse.ocr import read_page
from veraz.ingest.parse.pdf_flow import Piece, flowing
from veraz.ingest.parse.pdf_headings import HeadingStyle
from veraz.ingest.parse.pdf_layout import Layout
from veraz.ingest.parse.pdf_paragraphs import Paragraph, paragraphs, running_text
from veraz.ingest.parse.pdf_rules import Shapes, read_rules
from veraz.ingest.parse.pdf_running_heads import running_heads
from veraz.ingest.parse.pdf_table_rows import TableWriter
from veraz.ingest.parse.pdf_tables import arrange
from veraz.ingest.parse.pdf_words import font_name, page_words

_FEW_CHARACTERS = 50
_IMAGE_SHARE = 0.3
_UNMAPPED_SHARE = 0.05
_DRAWN_LINES = 800
"""What the letters of a dozen words need."""
_UNMAPPED = re.compile("[\ufffd\ue000-\uf075\uf0fd-\uf8ff\x00-\x08\x0e-\x1f]")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")
_OBJECTS_MAX = 2_000
_REPORT_EVERY = 50


def read(source: Source) -> Parsed:
    """Every page's text under its number."""
    try:
        document = pdfium.PdfDocument(source.data)
    except pdfium.PdfiumError as error:
        raise _refusal(error) from error
    with closing(document), _collector_paused():
        document.init_forms()
        if len(document) == 0:
            raise errors.Corrupt()
        return _read_pages(source, document)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pages are many small objects without cycles: looking for those takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_pages(source: Source, document: pdfium.PdfDocument) -> Parsed:
    builder = Builder(source, unit="page")
    layouts: list[Layout] = []
    scans: list[int] = []
    for number in range(len(document)):
        page = _page(document, number)
        layouts.append(page.layout)
        builder.leave_out("words", page.unseen)
        if page.is_scan:
            scans.append(number)
        if number % _REPORT_EVERY == _REPORT_EVERY - 1 and not scans:
            source.progress(100 * number // len(document))
    notices = _ocr(source, document, layouts, scans)
    _write(layouts, builder)
    if builder.characters == 0 and scans and not source.limits.tesseract:
        raise errors.ScanUnread()
    return builder.finish(_about(document), notices=notices)


class _Page(NamedTuple):
    """What was read of a page."""

    layout: Layout = Layout()
    is_scan: bool = False
    """Whether it should go through OCR."""
    unseen: int = 0
    """Words that were left out because nobody can see them."""


def _page(document: pdfium.PdfDocument, number: int) -> _Page:
    """A page as it is shown; one that cannot be read is blank."""
    try:
        page = document.get_page(number)
    except pdfium.PdfiumError:
        return _Page()
    with closing(page):
        if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
            pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
            return _flattened(document, number, page)
        return _layout(page)


def _flattened(document: pdfium.PdfDocument, number: int, page: pdfium.PdfPage) -> _Page:
    """Forms and notes are text of the page only after it is loaded again."""
    try:
        again = document.get_page(number)
    except pdfium.PdfiumError:
        again = page
    return _layout(again)


def _layout(page: pdfium.PdfPage) -> _Page:
    try:
        text_page = page.get_textpage()
    except pdfium.PdfiumError:
        return _Page(is_scan=_needs_ocr(page, ""))
    with closing(text_page):
        raw = text_page.get_text_range(errors="replace")
        shapes = Shapes(page)
        words = page_words(page, text_page, shapes, raw)
        layout = Layout.of(
            arrange(
                words.lines,
                partial(read_rules, shapes),
                partial(font_name, text_page),
                page.get_rotation() // 90,
            )
        )
    return _Page(layout, _needs_ocr(page, raw, unseen=words.unseen), words.unseen_words)


def _needs_ocr(page: pdfium.PdfPage, raw: str, *, unseen: int = 0) -> bool:
    """Hardly any text over a big picture or among many drawn lines, or text whose letters have no meaning."""
    letters = len("".join(raw.split())) - unseen
    if letters >= _FEW_CHARACTERS:
        return len(_UNMAPPED.findall(raw)) > _UNMAPPED_SHARE * letters
    return _image_share(page) >= _IMAGE_SHARE or _drawn_lines(page) >= _DRAWN_LINES


def _image_share(page: pdfium.PdfPage) -> float:
    width, height = page.get_size()
    covered = 0.0
    kinds = [pdfium_c.FPDF_PAGEOBJ_IMAGE]
    try:
        for image in islice(page.get_objects(filter=kinds, max_depth=4), _OBJECTS_MAX):
            left, bottom, right, top = image.get_bounds()
            across = min(right, width) - max(left, 0)
            covered += max(0.0, across) * max(0.0, min(top, height) - max(bottom, 0))
    except pdfium.PdfiumError:
        return 0.0
    return covered / (width * height) if width and height else 0.0


def _drawn_lines(page: pdfium.PdfPage) -> int:
    """Straight and curved lines on a page, as far as it matters: some programs draw every letter."""
    lines = 0
    try:
        for path in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_PATH], max_depth=4):
            lines += max(0, pdfium_c.FPDFPath_CountSegments(path))
            if lines >= _DRAWN_LINES:
                break
    except pdfium.PdfiumError:
        return 0
    return lines


def _ocr(
    source: Source, document: pdfium.PdfDocument, layouts: list[Layout], scans: list[int]
) -> tuple[Notice, ...]:
    """Replace the lines of scanned pages where OCR finds more words; say what was left out."""
    if not scans:
        return ()
    if not source.limits.tesseract:
        return (_not_installed(len(scans)),)
    chosen = scans[: source.limits.ocr_pages_max]
    source.expect_scans(len(chosen))
    for done, number in enumerate(chosen, 1):
        scanned = read_page(document, number, source.limits)
        if scanned.words > layouts[number].words:
            layouts[number] = scanned
        source.progress(min(99, 100 * done // len(chosen)))
    return (_not_all(len(scans), len(chosen)),) if len(chosen) < len(scans) else ()


def _write(layouts: list[Layout], builder: Builder) -> None:
    tables = TableWriter(builder)
    style = HeadingStyle.of(layouts)
    entered = 0
    for number, piece in flowing(_pages(layouts, style)):
        if number > entered:
            entered = number
            builder.enter(page=number, keep_headings=True)
            tables.enter()
        if isinstance(piece, Paragraph):
            _write_paragraph(piece, builder, tables)
        elif not tables.write(piece):
            for paragraph in running_text(piece, style):
                _write_paragraph(paragraph, builder, tables)


def _pages(layouts: list[Layout], style: HeadingStyle) -> Iterator[list[Piece]]:
    for number, (layout, heads) in enumerate(zip(layouts, running_heads(layouts), strict=True), 1):
        yield list(paragraphs(layout, style, heads, more=number < len(layouts)))


def _write_paragraph(paragraph: Paragraph, builder: Builder, tables: TableWriter) -> None:
    if paragraph.kind != "note":
        tables.passed(paragraph.text)
    if paragraph.kind == "heading":
        builder.heading(paragraph.text, paragraph.level, lines=paragraph.lines)
    else:
        builder.add(paragraph.kind, paragraph.text, lines=paragraph.lines, page_breaks=paragraph.page_breaks)


def _about(document: pdfium.PdfDocument) -> About:
    fields = document.get_metadata_dict(skip_empty=True)
    return About(
        title=fields.get("Title"),
        author=fields.get("Author"),
        created_date=_date(fields.get("CreationDate", "")),
        page_count=len(document),
    )


def _date(value: str) -> date | None:
    found = _DATE.match(value)
    if not found:
        return None
    year, month, day = found.groups()
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


def _refusal(error: pdfium.PdfiumError) -> errors.Unreadable:
    protected = getattr(error, "err_code", None) in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)
    return errors.Protected() if protected else errors.Corrupt()


def _not_installed(pages: int) -> Notice:
    install = "apt-get install tesseract-ocr tesseract-ocr-spa"
    return Notice.of("ocr_missing", pages=pages, install=install)


def _not_all(scans: int, read_pages: int) -> Notice:
    return Notice.of("ocr_page_limit", read=read_pages, pages=scans)
