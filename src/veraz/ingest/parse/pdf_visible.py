"""Which words of a PDF page nobody can see: without ink, of the colour of what is behind them, too small, beside the page.

Text without ink over a picture is what OCR wrote down of it and is kept. A page is drawn to look at it only where words
have the colour of paper, or that of something painted where they stand.
"""

import ctypes
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, repeat
from typing import Final, NamedTuple

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from numpy.typing import NDArray

from veraz.ingest.parse.pdf_rules import Box, Shapes, bounds

_ADDRESS, _NUMBER = ctypes.c_void_p, ctypes.c_int
_TEXT_OBJECT = ctypes.cast(pdfium_c.FPDFText_GetTextObject, ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS, _NUMBER))
"""Asked for once per word: with addresses as plain numbers it takes half as long."""
_RENDER_MODE = ctypes.cast(pdfium_c.FPDFTextObj_GetTextRenderMode, ctypes.CFUNCTYPE(_NUMBER, _ADDRESS))
_COLOUR = ctypes.CFUNCTYPE(_NUMBER, _ADDRESS, *repeat(_ADDRESS, 4))
_FILL_COLOUR = ctypes.cast(pdfium_c.FPDFPageObj_GetFillColor, _COLOUR)
_STROKE_COLOUR = ctypes.cast(pdfium_c.FPDFPageObj_GetStrokeColor, _COLOUR)
_WITHOUT_INK: Final = frozenset({pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP})
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
    letters: Sequence[int],
    boxes: Boxes,
) -> set[int]:
    """The numbers of the words nobody can see; `letters` are the first ones of the words in the text page."""
    found = _outside(page, boxes)
    kinds = {kind for _, kind in shapes.objects}
    texts = [item for item, kind in shapes.objects if kind == pdfium_c.FPDF_PAGEOBJ_TEXT]
    all_known = shapes.complete and pdfium_c.FPDF_PAGEOBJ_FORM not in kinds
    if all_known and not _are_doubtful(_greys(texts), shapes):
        return found
    handle = ctypes.cast(text_page.raw, _ADDRESS).value
    objects = list(map(_TEXT_OBJECT, repeat(handle), letters))
    greys = _greys(list(set(filter(None, objects))))
    if not _are_doubtful(greys, shapes):
        return found
    sight, behind = _Sight(page), _painted(shapes, set(greys.values()))
    for at, (address, box) in enumerate(zip(objects, zip(*boxes, strict=True), strict=True)):
        grey = greys.get(address)
        if (
            at not in found
            and grey is not None
            and _is_doubtful(grey, box, behind)
            and not sight.sees(grey, box)
        ):
            found.add(at)
    return found


def _greys(texts: list[int]) -> dict[int, int]:
    """In which grey texts are painted: from 0 for black to 255 for white, -1 for one without ink."""
    modes = list(map(_RENDER_MODE, texts))
    found = _colours(_FILL_COLOUR, texts)
    outlined = [text for text, mode in zip(texts, modes, strict=True) if mode in _OUTLINED]
    if outlined:
        found |= _colours(_STROKE_COLOUR, outlined)
    if not _WITHOUT_INK.isdisjoint(modes):
        found |= {text: _NO_INK for text, mode in zip(texts, modes, strict=True) if mode in _WITHOUT_INK}
    return found


def _colours(ask: Callable[..., int], texts: list[int]) -> dict[int, int]:
    """The greys PDFium gives, all asked for at once; what it cannot tell is black."""
    flat = array("I", bytes(_COLOUR_BYTES * len(texts)))
    first, _ = flat.buffer_info()
    end = first + _COLOUR_BYTES * len(texts)
    places = [range(first + 4 * channel, end, _COLOUR_BYTES) for channel in range(4)]
    known = list(map(ask, texts, *places))
    colours = list(zip(known, flat[0::4], flat[1::4], flat[2::4], flat[3::4], strict=True))
    greys = {colour: _grey(*colour[1:]) if colour[0] else 0 for colour in set(colours)}
    return {text: greys[colour] for text, colour in zip(texts, colours, strict=True)}


def _grey(red: int, green: int, blue: int, alpha: int) -> int:
    return (299 * red + 587 * green + 114 * blue) // 1000 if alpha > _TRANSPARENT else _NO_INK


def _are_doubtful(greys: Mapping[int, int], shapes: Shapes) -> bool:
    """Whether texts in these greys may not be seen: without ink, of the colour of paper or of something painted."""
    values = set(greys.values())
    return any(grey < 0 or grey >= _PAPER - _SAME for grey in values) or bool(_painted(shapes, values))


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


def _is_doubtful(grey: int, box: Box, behind: Sequence[_Painted]) -> bool:
    """Whether a word may have the colour of what it stands on."""
    if grey == _NO_INK or grey >= _PAPER - _SAME:
        return True
    return any(abs(shape.grey - grey) <= _SAME and _covers(shape.box, box) for shape in behind)


def _covers(outer: Box, box: Box) -> bool:
    """Whether the middle of a box lies in another one."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


class _Sight:
    """What is painted on a page, found out when it is asked for."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._page = page

    def sees(self, grey: int, box: Box) -> bool:
        """Whether something can be seen where a word stands, and for a word with ink, whether it is of another colour."""
        over_picture = any(_covers(picture, box) for picture in self._pictures)
        if grey == _NO_INK and over_picture:
            return True
        pixels = self._under(box)
        if not pixels.size:
            return True
        background = int(np.bincount(pixels.ravel(), minlength=256).argmax())
        if _share_near(pixels, background) > 1 - _LEAST_INK:
            return False
        return over_picture or grey == _NO_INK or _share_near(pixels, grey) <= _MOST_ALIKE

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
    def _drawn(self) -> NDArray[np.uint8]:
        width, height = self._page.get_size()
        scale = min(1.0, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
        drawn: NDArray[np.uint8] = self._page.render(scale=scale, grayscale=True).to_numpy()
        return drawn.reshape(drawn.shape[:2])

    def _under(self, box: Box) -> NDArray[np.uint8]:
        """The pixels of a rectangle, however the page is turned or cropped."""
        height, width = self._drawn.shape
        x, y = ctypes.c_int(), ctypes.c_int()
        corners = list[tuple[int, int]]()
        for corner in (box[:2], box[2:]):
            pdfium_c.FPDF_PageToDevice(self._page.raw, 0, 0, width, height, 0, *corner, x, y)
            corners.append((x.value, y.value))
        (left, right), (top, bottom) = (sorted(ends) for ends in zip(*corners, strict=True))
        return self._drawn[max(top, 0) : max(bottom, 0) + 1, max(left, 0) : max(right, 0) + 1]


def _share_near(pixels: NDArray[np.uint8], grey: int) -> float:
    return float(np.mean(np.abs(pixels.astype(np.int16) - grey) <= _SAME))


def _painted(shapes: Shapes, greys: set[int]) -> list[_Painted]:
    """The filled shapes in one of these greys."""
    return [
        shape
        for shape in _filled(shapes)
        if any(abs(shape.grey - grey) <= _SAME for grey in greys if grey < _PAPER - _SAME)
    ]


def _filled(shapes: Shapes) -> Iterator[_Painted]:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    channels = [ctypes.c_uint() for _ in range(4)]
    for path, matrix in shapes.paths:
        if not pdfium_c.FPDFPath_GetDrawMode(path, fill, stroke) or not fill.value:
            continue
        box = bounds(path, matrix)
        large = box and min(box[2] - box[0], box[3] - box[1]) > _PAINTED_MIN
        if box and large and pdfium_c.FPDFPageObj_GetFillColor(path, *channels):
            yield _Painted(box, _grey(*(channel.value for channel in channels)))
