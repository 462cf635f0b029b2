"""Which words of a PDF page nobody can see: without ink, of the colour of what is behind them, too small, beside the page.

Text without ink over a picture is what OCR wrote down of it and is kept. A page is drawn to look at it only where words
have the colour of paper, or that of something painted where they stand.
"""

import ctypes
from array import array
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property
from itertools import islice, repeat
from math import ceil
from typing import Final, NamedTuple

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from numpy.typing import NDArray

from veraz.ingest.parse.pdf_rules import STRAIGHT, Box, Matrix, Shapes, bounds

_ADDRESS, _NUMBER = ctypes.c_void_p, ctypes.c_int
_TEXT_OBJECT = ctypes.cast(pdfium_c.FPDFText_GetTextObject, ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS, _NUMBER))
"""Asked for once per word: with addresses as plain numbers it takes half as long."""
render_mode = ctypes.cast(pdfium_c.FPDFTextObj_GetTextRenderMode, ctypes.CFUNCTYPE(_NUMBER, _ADDRESS))
_COLOUR = ctypes.CFUNCTYPE(_NUMBER, _ADDRESS, *repeat(_ADDRESS, 4))
_FILL_COLOUR = ctypes.cast(pdfium_c.FPDFPageObj_GetFillColor, _COLOUR)
_STROKE_COLOUR = ctypes.cast(pdfium_c.FPDFPageObj_GetStrokeColor, _COLOUR)
WITHOUT_INK: Final = frozenset({pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP})
_OUTLINED: Final = frozenset(
    {
        pdfium_c.FPDF_TEXTRENDERMODE_STROKE,
        pdfium_c.FPDF_TEXTRENDERMODE_FILL_STROKE,
        pdfium_c.FPDF_TEXTRENDERMODE_STROKE_CLIP,
        pdfium_c.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
    }
)
_TRANSPARENT: Final = 12
_PAPER: Final = 255
_SAME: Final = 24
"""Steps of 255 by which two greys may differ and still look the same."""
_LEAST_INK: Final = 0.02
"""The share of a word's rectangle that is not like the rest of it where a reader sees something."""
_MOST_ALIKE: Final = 0.6
"""The share of a word's rectangle that has the word's own colour: even heavy letters leave more around them."""
_PAINTED_MIN: Final = 4.0
"""Points: a smaller filled shape is a line."""
_OBJECTS_MAX: Final = 2_000
_MOST_PIXELS: Final = 4_000_000
_NO_INK: Final = -1
_COLOUR_BYTES: Final = 16

Boxes = tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]
"""Lefts, bottoms, rights and tops of words."""


class _Painted(NamedTuple):
    """A filled shape of a page."""

    box: Box
    grey: int


def unseen_words(
    page: pdfium.PdfPage,
    text_page: pdfium.PdfTextPage,
    shapes: Shapes,
    letters: Callable[[], Sequence[int]],
    boxes: Boxes,
) -> set[int]:
    """The numbers of the words nobody can see; `letters` are the first ones of the words in the text page."""
    found = _outside(page, boxes)
    greys = _greys([item for item, kind in shapes.objects if kind == pdfium_c.FPDF_PAGEOBJ_TEXT])
    doubts = _Doubts(greys.values(), shapes)
    all_known = shapes.complete and all(kind != pdfium_c.FPDF_PAGEOBJ_FORM for _, kind in shapes.objects)
    if all_known and not doubts:
        return found
    objects = text_objects(text_page, letters())
    if others := list(set(filter(None, objects)).difference(greys)):
        greys |= _greys(others)
        doubts = _Doubts(greys.values(), shapes)
    if not doubts:
        return found
    return found | _unseen(page, [greys.get(address or 0) for address in objects], boxes, doubts)


def text_objects(text_page: pdfium.PdfTextPage, letters: Sequence[int]) -> list[int | None]:
    """The addresses of the texts these letters belong to."""
    return list(map(_TEXT_OBJECT, repeat(ctypes.cast(text_page.raw, _ADDRESS).value), letters))


def _unseen(page: pdfium.PdfPage, greys: list[int | None], boxes: Boxes, doubts: "_Doubts") -> set[int]:
    """The words of these greys that cannot be seen, looked at where there is a doubt."""
    lefts, bottoms, rights, tops = boxes
    words = [
        (at, grey, (lefts[at], bottoms[at], rights[at], tops[at]))
        for at, grey in enumerate(greys)
        if grey is not None and grey in doubts.greys
    ]
    words = [(at, grey, box) for at, grey, box in words if doubts.about(grey, box)]
    sight = Sight(page, [box for _, _, box in words])
    return {at for at, grey, box in words if not sight.sees(grey, box)}


def _greys(texts: list[int]) -> dict[int, int]:
    """In which grey texts are painted: from 0 for black to 255 for white, -1 for one without ink."""
    modes = list(map(render_mode, texts))
    found = dict(zip(texts, _colours(_FILL_COLOUR, texts), strict=True))
    outlined = [text for text, mode in zip(texts, modes, strict=True) if mode in _OUTLINED]
    if outlined:
        found |= zip(outlined, _colours(_STROKE_COLOUR, outlined), strict=True)
    if not WITHOUT_INK.isdisjoint(modes):
        found |= {text: _NO_INK for text, mode in zip(texts, modes, strict=True) if mode in WITHOUT_INK}
    return found


def _colours(ask: Callable[..., int], items: Sequence[object]) -> list[int]:
    """The greys PDFium gives, all asked for at once; what it cannot tell is black."""
    flat = array("I", bytes(_COLOUR_BYTES * len(items)))
    first, _ = flat.buffer_info()
    end = first + _COLOUR_BYTES * len(items)
    places = [range(first + 4 * channel, end, _COLOUR_BYTES) for channel in range(4)]
    known = list(map(ask, items, *places))
    colours = list(zip(known, flat[0::4], flat[1::4], flat[2::4], flat[3::4], strict=True))
    greys = {colour: _grey(*colour[1:]) if colour[0] else 0 for colour in set(colours)}
    return [greys[colour] for colour in colours]


def _grey(red: int, green: int, blue: int, alpha: int) -> int:
    return (299 * red + 587 * green + 114 * blue) // 1000 if alpha > _TRANSPARENT else _NO_INK


class _Doubts:
    """Which texts of a page may not be seen: without ink, of the colour of paper or of something painted."""

    def __init__(self, greys: Iterable[int], shapes: Shapes) -> None:
        values = set(greys)
        plain = {grey for grey in values if grey == _NO_INK or grey >= _PAPER - _SAME}
        self._plain = plain
        self._behind = _painted(shapes, values - plain)
        self.greys = plain | {
            grey for grey in values for shape in self._behind if abs(shape.grey - grey) <= _SAME
        }
        """Those of the texts in doubt."""

    def __bool__(self) -> bool:
        return bool(self.greys)

    def about(self, grey: int, box: Box) -> bool:
        """Whether a word may have the colour of what it stands on."""
        return grey in self._plain or any(
            abs(shape.grey - grey) <= _SAME and _covers(shape.box, box) for shape in self._behind
        )


def _outside(page: pdfium.PdfPage, boxes: Boxes) -> set[int]:
    """The words that stand beside the part of the page that is shown."""
    lefts, bottoms, rights, tops = boxes
    edge = pdfium_c.FS_RECTF()
    if not lefts or not pdfium_c.FPDF_GetPageBoundingBox(page, edge):
        return set()
    if (
        min(rights) > edge.left
        and max(lefts) < edge.right
        and min(tops) > edge.bottom
        and max(bottoms) < edge.top
    ):
        return set()
    return {
        at
        for at, (left, bottom, right, top) in enumerate(zip(*boxes, strict=True))
        if right <= edge.left or left >= edge.right or top <= edge.bottom or bottom >= edge.top
    }


def _covers(outer: Box, box: Box) -> bool:
    """Whether the middle of a box lies in another one."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


class Sight:
    """What is painted on a page where some words stand, found out when it is asked for."""

    def __init__(self, page: pdfium.PdfPage, boxes: Sequence[Box]) -> None:
        self._page = page
        self.boxes = boxes
        width, height = page.get_size()
        self._scale = min(1.0, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
        self._size = ceil(width * self._scale), ceil(height * self._scale)
        self._x, self._y = ctypes.c_int(), ctypes.c_int()

    def sees(self, grey: int, box: Box) -> bool:
        """Whether something can be seen where a word stands, and for a word with ink, whether it is of another colour."""
        if grey == _NO_INK and self.over_picture(box):
            return True
        pixels = self.under(box)
        if not pixels.size:
            return True
        counts = np.bincount(pixels.ravel(), minlength=256)
        if _share_near(counts, int(counts.argmax())) > 1 - _LEAST_INK:
            return False
        return grey == _NO_INK or _share_near(counts, grey) <= _MOST_ALIKE or self.over_picture(box)

    def draw(self) -> None:
        """Draws the page now, not when it is first asked for."""
        assert self._drawn is not None

    def over_picture(self, box: Box) -> bool:
        """Whether a rectangle lies in a picture."""
        return any(_covers(picture, box) for picture in self._pictures)

    @cached_property
    def _pictures(self) -> list[Box]:
        kinds = [pdfium_c.FPDF_PAGEOBJ_IMAGE]
        try:
            return [
                image.get_bounds()
                for image in islice(self._page.get_objects(filter=kinds, max_depth=4), _OBJECTS_MAX)
            ]
        except pdfium.PdfiumError:
            return []

    @cached_property
    def _drawn(self) -> tuple[int, int, NDArray[np.uint8]]:
        """Left and top edge of the part of the page that holds all the words, and its pixels."""
        width, height = self._size
        edges = list(zip(*map(self._pixels, self.boxes), strict=True))
        left, top = (min(max(min(edges[side]), 0), self._size[side] - 1) for side in (0, 1))
        right, bottom = (
            min(max(*edges[side], first + 1), end)
            for side, first, end in ((2, left, width), (3, top, height))
        )
        cut = (left, height - bottom, width - right, top)
        drawn: NDArray[np.uint8] = self._page.render(
            scale=self._scale,
            # what it cuts off is rounded up to whole pixels
            crop=tuple(max(0, pixels - 0.5) / self._scale for pixels in cut),
            grayscale=True,
        ).to_numpy()
        return left, top, drawn.reshape(drawn.shape[:2])

    def under(self, box: Box) -> NDArray[np.uint8]:
        """The pixels of a rectangle."""
        first_column, first_row, drawn = self._drawn
        left, top, right, bottom = self._pixels(box)
        return drawn[
            max(top - first_row, 0) : max(bottom - first_row, 0),
            max(left - first_column, 0) : max(right - first_column, 0),
        ]

    def _pixels(self, box: Box) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of a rectangle on the drawn page, however the page is turned or cropped."""
        x, y = self._x, self._y
        corners = list[tuple[int, int]]()
        for corner in (box[:2], box[2:]):
            pdfium_c.FPDF_PageToDevice(self._page.raw, 0, 0, *self._size, 0, *corner, x, y)
            corners.append((x.value, y.value))
        (left, right), (top, bottom) = (sorted(ends) for ends in zip(*corners, strict=True))
        return max(left, 0), max(top, 0), max(right, 0) + 1, max(bottom, 0) + 1


def _share_near(counts: NDArray[np.intp], grey: int) -> float:
    """The share of pixels that look like a grey, from how many there are of each."""
    return float(counts[max(grey - _SAME, 0) : grey + _SAME + 1].sum() / counts.sum())


def _painted(shapes: Shapes, greys: Set[int]) -> list[_Painted]:
    """The filled shapes in one of these greys."""
    if not greys or not shapes.paths:
        return []
    painted = _colours(_FILL_COLOUR, [path for path, _ in shapes.paths])
    like = {one for one in set(painted) if any(abs(one - grey) <= _SAME for grey in greys)}
    return [
        _Painted(box, grey)
        for (path, matrix), grey in zip(shapes.paths, painted, strict=True)
        if grey in like and (box := filled_box(path, matrix))
    ]


def filled_box(path: object, matrix: Matrix = STRAIGHT) -> Box | None:
    """The box of a filled shape that is not a line."""
    box = bounds(path, matrix)
    if not box or min(box[2] - box[0], box[3] - box[1]) <= _PAINTED_MIN:
        return None
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    return box if pdfium_c.FPDFPath_GetDrawMode(path, fill, stroke) and fill.value else None
