"""OCR of one PDF page through the Tesseract program, over pipes: nothing touches the disk."""

import subprocess
from collections.abc import Iterator

import pypdfium2 as pdfium  # type: ignore[import-untyped]

from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.pdf_layout import Layout, Line

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
    drawn = _draw(document, number)
    if drawn is None or limits.tesseract is None:
        return Layout()
    image, height = drawn
    answer = _tesseract(limits, image, _LANGUAGES) or _tesseract(limits, image, "eng")
    return Layout.of(_lines(answer, height))


def _draw(document: pdfium.PdfDocument, number: int) -> tuple[bytes, int] | None:
    """The page in grey as a PGM picture, and its height in pixels."""
    try:
        page = document.get_page(number)
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
    return header + pixels, bitmap.height


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


def _lines(table: str, height: int) -> Iterator[Line]:
    """Words of the same block, paragraph and line together, unless they are only noise."""
    words: list[list[str]] = []
    for row in table.splitlines()[1:]:
        cells = row.split("\t", 11)
        if len(cells) < 12 or cells[0] != _WORD_LEVEL or not cells[11].strip():
            continue
        if words and words[-1][1:5] != cells[1:5]:
            yield from _line(words, height)
            words = []
        words.append(cells)
    if words:
        yield from _line(words, height)


def _line(words: list[list[str]], height: int) -> Iterator[Line]:
    if sum(float(word[10]) for word in words) < _SURE_ENOUGH * len(words):
        return
    text = clean(" ".join(word[11] for word in words)).strip()
    bottom = max(int(word[7]) + int(word[9]) for word in words)
    points = 72 / _DOTS_PER_INCH
    broken = len(text) > 2 and text.endswith("-") and text[-2].islower()
    if text:
        yield Line(
            text=text[:-1] if broken else text,
            left=int(words[0][6]) * points,
            bottom=(height - bottom) * points,
            broken=broken,
        )
