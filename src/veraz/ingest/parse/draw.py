"""Draws one page of a PDF with rectangles marked on it. Runs inside the jail only: PDFium may die of a hostile file."""

import ctypes
import json
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from numpy.typing import NDArray

from veraz import errors
from veraz.ingest.parse.base import Source
from veraz.text.page_shape import MATRIX_KEY
from veraz.text.rectangles import Rectangle

_MARK = np.array([1.0, 0.93, 0.47], dtype=np.float32)
"""A calm yellow: colours are multiplied by it, so that black letters stay black."""
_MOST_PIXELS = 6_000_000
_MARGIN = 0.12
"""By how much of its height a mark is larger than its line."""
_FINE = 10_000_000
"""Pixels of the imagined picture that a page's place in its picture is measured with."""
_STEP = 100
"""Points between the corners that are measured."""

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
    return png(pixels, _matrix(page))


def png(pixels: Pixels, matrix: Sequence[float] = ()) -> bytes:
    """Red, green and blue rows as a PNG file, in shades of grey where there is no colour; it says how the page lies in it."""
    height, width, _ = pixels.shape
    grey = bool((pixels == pixels[:, :, :1]).all())
    samples = pixels[:, :, 0] if grey else pixels.reshape(height, 3 * width)
    rows = np.zeros((height, 1 + samples.shape[1]), dtype=np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = samples
    head = struct.pack("!IIBBBBB", width, height, 8, 0 if grey else 2, 0, 0, 0)
    lies = _part(b"tEXt", MATRIX_KEY + json.dumps(matrix).encode())
    data = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + _part(b"IHDR", head) + lies + _part(b"IDAT", data) + _part(b"IEND", b"")


def _matrix(page: pdfium.PdfPage) -> list[float]:
    """What leads from points of the page to shares of its picture: across, down, each by x and by y, and the corner."""
    (x0, y0), (x1, y1), (x2, y2) = (
        _at(page, _FINE, _FINE, corner) for corner in ((0, 0), (_STEP, 0), (0, _STEP))
    )
    by_point = [(x1 - x0) / _STEP, (y1 - y0) / _STEP, (x2 - x0) / _STEP, (y2 - y0) / _STEP]
    return [round(each / _FINE, 12) for each in (*by_point, x0, y0)]


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
