"""Draws one page of a PDF with rectangles marked on it. Runs inside the jail only: PDFium may die of a hostile file."""

import ctypes
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from numpy.typing import NDArray

from veraz import errors
from veraz.ingest.parse.base import Source
from veraz.text.rectangles import Rectangle

_MARK = np.array([1.0, 0.93, 0.47], dtype=np.float32)
"""A calm yellow: colours are multiplied by it, so that black letters stay black."""
_MOST_PIXELS = 6_000_000
_MARGIN = 0.12
"""By how much of its height a mark is larger than its line."""

Pixels = NDArray[np.uint8]


def draw(source: Source) -> bytes:
    """The page `options["page"]` as a PNG, `options["scale"]` pixels to the point, with `options["rectangles"]` marked."""
    try:
        document = pdfium.PdfDocument(source.data)
    except pdfium.PdfiumError as error:
        raise errors.Corrupt() from error
    number = int(source.options["page"])
    if not 1 <= number <= len(document):
        raise errors.NotFound(thing="page", id=number)
    page = document[number - 1]
    width, height = page.get_size()
    scale = min(float(source.options["scale"]), (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
    picture = page.render(scale=scale, rev_byteorder=True).to_numpy()
    pixels: Pixels = np.ascontiguousarray(picture[:, :, :3])
    for rectangle in source.options["rectangles"]:
        _mark(pixels, page, rectangle)
    return png(pixels)


def png(pixels: Pixels) -> bytes:
    """Red, green and blue rows as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    head = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + _part(b"IHDR", head) + _part(b"IDAT", data) + _part(b"IEND", b"")


def _mark(pixels: Pixels, page: pdfium.PdfPage, rectangle: Rectangle) -> None:
    """Lays the colour over a rectangle of the page."""
    left, bottom, right, top = rectangle
    height, width, _ = pixels.shape
    margin = (top - bottom) * _MARGIN
    corners = ((left - margin, bottom - margin), (right + margin, top + margin))
    (x1, y1), (x2, y2) = (_at(page, width, height, corner) for corner in corners)
    rows = slice(max(min(y1, y2), 0), max(max(y1, y2), 0))
    columns = slice(max(min(x1, x2), 0), max(max(x1, x2), 0))
    pixels[rows, columns] = (pixels[rows, columns] * _MARK).astype(np.uint8)


def _at(page: pdfium.PdfPage, width: int, height: int, corner: Sequence[float]) -> tuple[int, int]:
    """A point of the page in pixels, however the page is turned or cropped."""
    x, y = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, corner[0], corner[1], x, y)
    return x.value, y.value


def _part(name: bytes, body: bytes) -> bytes:
    return struct.pack("!I", len(body)) + name + body + struct.pack("!I", zlib.crc32(name + body))
