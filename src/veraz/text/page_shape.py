"""How a page lies in its picture: where on the picture what stands at some points of the page."""

import json
import struct
from dataclasses import dataclass
from typing import Final

from veraz.text.rectangles import Rectangle

MATRIX_KEY: Final = b"page-to-picture\0"
"""Names the piece of a PNG that says it."""
_HEAD: Final = 33
"""Bytes of a PNG's signature and first piece; the one that we write follows."""

Box = tuple[float, float, float, float]
"""Left, top, width and height in percent of the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageShape:
    """A picture's size in pixels, and the matrix that leads from points of the page to shares of the picture."""

    width: int
    height: int
    matrix: tuple[float, ...] = ()

    def box(self, rectangle: Rectangle) -> Box:
        """A rectangle of the page on the picture, however the page is turned or cropped."""
        left, bottom, right, top = rectangle
        (x1, y1), (x2, y2) = self._at(left, bottom), self._at(right, top)
        sides = sorted((x1, x2)), sorted((y1, y2))
        (low_x, high_x), (low_y, high_y) = ([min(max(one, 0.0), 1.0) for one in side] for side in sides)
        return _percent(low_x), _percent(low_y), _percent(high_x - low_x), _percent(high_y - low_y)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.matrix
        return a * x + c * y + e, b * x + d * y + f


def shape_of(png: bytes) -> PageShape:
    """What a picture that we drew says of itself."""
    width, height = struct.unpack("!II", png[16:24])
    (length,) = struct.unpack("!I", png[_HEAD : _HEAD + 4])
    piece = png[_HEAD + 8 : _HEAD + 8 + length]
    matrix = json.loads(piece.removeprefix(MATRIX_KEY)) if piece.startswith(MATRIX_KEY) else ()
    return PageShape(width=width, height=height, matrix=tuple(matrix))


def _percent(share: float) -> float:
    return round(100 * share, 3)
