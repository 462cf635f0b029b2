"""OCR of one PDF page through the Tesseract program, over pipes: nothing touches the disk."""

import ctypes
import subprocess
from collections.abc import Iterator
from contextlib import closing

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.pdf_layout import Layout
from veraz.ingest.parse.pdf_tables import arrange
from veraz.ingest.parse.pdf_words import WordLine

_DOTS_PER_INCH = 200
_PIXELS_MAX = 40_000_000
_LANGUAGES = "spa+eng"
_SURE_ENOUGH = 40.0
"""Mean confidence (of 100) below which a line is a stain, not text."""
_WORD_LEVEL = "5"
# More than one thread makes a page ten times slower.
_ENVIRONMENT = {"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin"}


def read_page(document: pdfium.PdfDocument, number: int, limits: ParseLimits) -> Layout:
    """The lines of a scanned page; none when it cannot be drawn or read."""
    try:
        page = document.get_page(number)
    except pdfium.PdfiumError:
        return Layout()
    with closing(page):
        drawn = _draw(page)
        if drawn is None or limits.tesseract is None:
            return Layout()
        image, width, height = drawn
        answer = _tesseract(limits, image, _LANGUAGES) or _tesseract(limits, image, "eng")
        lines = list(_lines(answer, _Scale(page, width, height)))
        return Layout.of(arrange(lines, rotation=page.get_rotation() // 90))


def _draw(page: pdfium.PdfPage) -> tuple[bytes, int, int] | None:
    """The page in grey as a PGM picture, and its width and height in pixels."""
    try:
        width, height = page.get_size()
        scale = _DOTS_PER_INCH / 72
        if width * height * scale * scale > _PIXELS_MAX:
            scale = (_PIXELS_MAX / (width * height)) ** 0.5
        bitmap = page.render(scale=scale, grayscale=True)
    except (pdfium.PdfiumError, ValueError, ZeroDivisionError):
        return None
    rows = memoryview(bitmap.buffer).cast("B")
    starts = range(0, bitmap.height * bitmap.stride, bitmap.stride)
    pixels = b"".join(rows[start : start + bitmap.width] for start in starts)
    header = f"P5 {bitmap.width} {bitmap.height} 255\n".encode()
    return header + pixels, bitmap.width, bitmap.height


class _Scale:
    """From pixels of a drawn page to points of the page itself, however it is turned or cropped."""

    def __init__(self, page: pdfium.PdfPage, width: int, height: int) -> None:
        self._page, self._size = page, (width, height)

    def rectangle(self, left: int, top: int, right: int, bottom: int) -> tuple[float, float, float, float]:
        """Left, bottom, right and top in points."""
        x0, y0 = self._point(left, bottom)
        x1, y1 = self._point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def _point(self, x: int, y: int) -> tuple[float, float]:
        across, up = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDF_DeviceToPage(self._page, 0, 0, *self._size, 0, x, y, across, up)
        return across.value, up.value


def _tesseract(limits: ParseLimits, image: bytes, languages: str) -> str:
    """A table of the words found, one per line; empty when the program fails."""
    dpi = str(_DOTS_PER_INCH)
    command = [str(limits.tesseract), "stdin", "stdout", "-l", languages, "--dpi", dpi, "tsv"]
    try:
        done = subprocess.run(
            command,
            input=image,
            capture_output=True,
            timeout=limits.ocr_page_seconds,
            check=False,
            env=_ENVIRONMENT,
        )
    except (subprocess.TimeoutExpired, OSError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _lines(table: str, scale: _Scale) -> Iterator[WordLine]:
    """Words of the same block, paragraph and line together, unless they are only noise."""
    words: list[list[str]] = []
    for row in table.splitlines()[1:]:
        cells = row.split("\t", 11)
        if len(cells) < 12 or cells[0] != _WORD_LEVEL or not clean(cells[11]).strip():
            continue
        if words and words[-1][1:5] != cells[1:5]:
            yield from _line(words, scale)
            words = []
        words.append(cells)
    if words:
        yield from _line(words, scale)


def _line(words: list[list[str]], scale: _Scale) -> Iterator[WordLine]:
    if sum(float(word[10]) for word in words) < _SURE_ENOUGH * len(words):
        return
    texts = ["".join(clean(word[11]).split()) for word in words]
    last = texts[-1]
    broken = len(last) > 2 and last.endswith("-") and last[-2].islower()
    if broken:
        texts[-1] = last[:-1]
    top = min(int(word[7]) for word in words)
    bottom = max(int(word[7]) + int(word[9]) for word in words)
    boxes = [scale.rectangle(int(w[6]), top, int(w[6]) + int(w[8]), bottom) for w in words]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    yield WordLine(texts, lefts, bottoms, rights, tops, broken=broken)
