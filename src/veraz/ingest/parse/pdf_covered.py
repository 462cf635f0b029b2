"""Which words of a PDF page nobody would miss: those of a layer that is switched off, and those something is painted over.

They are written with ink and only found out by looking: where a page is the same without its text, the text is not seen.
Pages are drawn for it only where words stand in a layer or below a filled shape. Words over a picture stay, as they may be
what OCR wrote down of it.
"""

import ctypes
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from numpy.typing import NDArray

from veraz.ingest.parse.pdf_rules import Box, Shapes
from veraz.ingest.parse.pdf_visible import WITHOUT_INK, Boxes, Sight, filled_box, render_mode, text_objects

_ADDRESS, _NUMBER = ctypes.c_void_p, ctypes.c_int
_COUNT_MARKS = ctypes.cast(pdfium_c.FPDFPageObj_CountMarks, ctypes.CFUNCTYPE(_NUMBER, _ADDRESS))
_MARK = ctypes.cast(pdfium_c.FPDFPageObj_GetMark, ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS, _NUMBER))
_LAYER: Final = "OC"
_NAME_BYTES: Final = 256
_LAYERS_MAX: Final = 4
"""Layers that lie on each other are looked at one by one; the rest of many, together."""
_SHAPES_MAX: Final = 2_000
"""A page with more shapes is a drawing."""
_STEPS: Final = 6
"""Of 255 by which a pixel differs that was not only rounded otherwise."""
_LEAST_CHANGE: Final = 0.02
"""The share of a word's rectangle that changes when the word is taken away."""

Texts = dict[int, str]
"""Addresses of texts, and which group each is looked at in."""


def covered_words(
    page: pdfium.PdfPage,
    text_page: pdfium.PdfTextPage,
    shapes: Shapes,
    letters: Callable[[], Sequence[int]],
    boxes: Boxes,
) -> set[int]:
    """The numbers of the words that the page looks the same without; `letters` are their first ones in the text page."""
    if not shapes.complete:
        return set()
    covers = _covers(shapes, boxes)
    layers = _layers([item for item, kind in shapes.objects if kind == pdfium_c.FPDF_PAGEOBJ_TEXT])
    if not covers and not layers:
        return set()
    words = text_objects(text_page, letters())
    groups = defaultdict[str, list[int]](list)
    below = _below(words, shapes, covers, boxes) if covers else set()
    for at, item in enumerate(words):
        if item and (item in layers or at in below) and render_mode(item) not in WITHOUT_INK:
            groups[layers.get(item, "")].append(at)
    places = {at: (boxes[0][at], boxes[1][at], boxes[2][at], boxes[3][at]) for at in chain(*groups.values())}
    return _Look(page, words, places).unnoticed(list(groups.values())) if places else set()


def _layers(texts: Sequence[int]) -> Texts:
    """The texts that stand in a layer, and its name."""
    marked = [(item, count) for item, count in zip(texts, map(_COUNT_MARKS, texts), strict=True) if count > 0]
    marks = [(item, _MARK(item, at)) for item, count in marked for at in range(count)]
    names = {mark: _layer_name(mark) for mark in {mark for _, mark in marks}}
    found = {item: name for item, mark in marks if (name := names[mark])}
    kept = sorted(set(found.values()))[:_LAYERS_MAX]
    return {item: name if name in kept else "others" for item, name in found.items()}


def _layer_name(mark: int | None) -> str:
    """Which layer a mark opens; empty for marks of another kind, as every paragraph of a tagged page has."""
    if not mark or _text_of(pdfium_c.FPDFPageObjMark_GetName, mark) != _LAYER:
        return ""
    return f"{_LAYER} {_text_of(pdfium_c.FPDFPageObjMark_GetParamStringValue, mark, b'Name')}"


def _text_of(ask: Callable[..., int], mark: int, *key: bytes) -> str:
    held, length = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_ulong()
    where = ctypes.cast(held, ctypes.POINTER(pdfium_c.FPDF_WCHAR))
    if not ask(ctypes.cast(mark, pdfium_c.FPDF_PAGEOBJECTMARK), *key, where, _NAME_BYTES, length):
        return ""
    return held.raw[: length.value].decode("utf-16-le", "replace").rstrip("\0")


def _covers(shapes: Shapes, boxes: Boxes) -> list[tuple[int, Box]]:
    """The filled shapes painted after the first text in which the middle of a word lies, and when each is painted."""
    kinds = [kind for _, kind in shapes.objects]
    if pdfium_c.FPDF_PAGEOBJ_TEXT not in kinds:
        return []
    first = kinds.index(pdfium_c.FPDF_PAGEOBJ_TEXT)
    later = [at for at in range(first + 1, len(kinds)) if kinds[at] == pdfium_c.FPDF_PAGEOBJ_PATH]
    if not later or len(later) > _SHAPES_MAX:
        return []
    lefts, bottoms, rights, tops = (np.asarray(edges) for edges in boxes)
    x, y = (lefts + rights) / 2, (bottoms + tops) / 2
    found = list[tuple[int, Box]]()
    for at in later:
        box = filled_box(ctypes.cast(shapes.objects[at][0], pdfium_c.FPDF_PAGEOBJECT))
        if box and ((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])).any():
            found.append((at, box))
    return found


def _below(
    words: Sequence[int | None], shapes: Shapes, covers: Sequence[tuple[int, Box]], boxes: Boxes
) -> set[int]:
    """The words that lie in a shape painted after them."""
    painted = {item: at for at, (item, _) in enumerate(shapes.objects)}
    times = np.array([painted.get(item or 0, len(painted)) for item in words])
    lefts, bottoms, rights, tops = (np.asarray(edges) for edges in boxes)
    x, y = (lefts + rights) / 2, (bottoms + tops) / 2
    found = np.zeros(len(words), dtype=bool)
    for at, (left, bottom, right, top) in covers:
        found |= (times < at) & (x > left) & (x < right) & (y > bottom) & (y < top)
    return set(np.flatnonzero(found).tolist())


class _Look:
    """Looks at a page with and without some of its words."""

    def __init__(self, page: pdfium.PdfPage, words: Sequence[int | None], places: dict[int, Box]) -> None:
        self._page, self._words = page, words
        self._sight = Sight(page, list(places.values()))
        self._places = {at: box for at, box in places.items() if self._in_doubt(box)}

    def _in_doubt(self, box: Box) -> bool:
        return self._sight.under(box).size > 0 and not self._sight.over_picture(box)

    def unnoticed(self, groups: Sequence[Sequence[int]]) -> set[int]:
        """The words that make no difference: all of them at once, then those that lie on others, group by group."""
        found = self._same_without([at for group in groups for at in group])
        for group in groups if len(groups) > 1 else ():
            others = np.array([self._places[at] for at in self._places.keys() - set(group)])
            lying = [at for at in group if at not in found and self._lies_on(at, others)]
            found |= self._same_without(lying)
        return found

    def _same_without(self, numbers: Sequence[int]) -> set[int]:
        asked = [at for at in numbers if at in self._places]
        if not asked:
            return set()
        with _taken_away({self._words[at] or 0 for at in asked}):
            without = Sight(self._page, self._sight.boxes)
            without.draw()
        return {at for at in asked if not _differ(self._sight, without, self._places[at])}

    def _lies_on(self, at: int, others: NDArray[np.float64]) -> bool:
        if at not in self._places or not len(others):
            return False
        left, bottom, right, top = self._places[at]
        across = (others[:, 0] < right) & (others[:, 2] > left)
        return bool((across & (others[:, 1] < top) & (others[:, 3] > bottom)).any())


@contextmanager
def _taken_away(items: Collection[int]) -> Iterator[None]:
    """The page is drawn without these texts."""
    handles = [ctypes.cast(item, pdfium_c.FPDF_PAGEOBJECT) for item in items]
    for handle in handles:
        pdfium_c.FPDFPageObj_SetIsActive(handle, False)
    try:
        yield
    finally:
        for handle in handles:
            pdfium_c.FPDFPageObj_SetIsActive(handle, True)


def _differ(one: Sight, other: Sight, box: Box) -> bool:
    before, after = (sight.under(box).astype(np.int16) for sight in (one, other))
    return bool((np.abs(before - after) > _STEPS).mean() > _LEAST_CHANGE)
