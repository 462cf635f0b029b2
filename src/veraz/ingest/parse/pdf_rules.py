"""The straight lines drawn on a PDF page: what rules and frames its tables."""

import ctypes
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

_OBJECTS_MAX = 20_000
_SEGMENTS_MAX = 8_000
"""A page with more of them holds a drawing, not only tables."""
_DEPTH_MAX = 4
_THIN = 3.0
"""Points up to which a filled rectangle is a line."""
_SHORTEST = 4.0
_SAME = 1.5
"""Lines this near to each other, in points, are one."""
_BREAK = 3.5
"""A line may be drawn in pieces this far apart."""

_PAGE_OBJECT = ctypes.cast(
    pdfium_c.FPDFPage_GetObject, ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
)
_KIND = ctypes.cast(pdfium_c.FPDFPageObj_GetType, ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p))
"""A page has thousands of objects, most of them text: with addresses as plain numbers it takes a third of the time."""
_SHAPES = frozenset({pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_FORM})

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Matrix = tuple[float, float, float, float, float, float]
STRAIGHT: Matrix = (1, 0, 0, 1, 0, 0)


class Rule(NamedTuple):
    """A line at `at` from `start` to `end`: a height and two x for one across, an x and two heights for one down."""

    at: float
    start: float
    end: float


class Rules(NamedTuple):
    """The lines across and down a page."""

    across: list[Rule]
    down: list[Rule]


class Shapes:
    """The shapes drawn on a page, looked up once."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._page = page

    @property
    def page_size(self) -> tuple[float, float]:
        """Width and height."""
        width, height = self._page.get_size()
        return width, height

    @cached_property
    def objects(self) -> list[tuple[int, int]]:
        """The address of each object of the page and what it is, without those inside forms."""
        handle = ctypes.cast(self._page.raw, ctypes.c_void_p).value
        count = min(pdfium_c.FPDFPage_CountObjects(self._page), _OBJECTS_MAX)
        items = list(map(_PAGE_OBJECT, repeat(handle), range(count)))
        return list(zip(items, map(_KIND, items), strict=True))

    @property
    def complete(self) -> bool:
        """Whether those are all objects of the page."""
        return len(self.objects) < _OBJECTS_MAX

    @cached_property
    def paths(self) -> list[tuple[object, Matrix]]:
        """Those of the page and of the forms in it, each with what moves it to its place."""
        return list(_paths(self.objects))


def read_rules(shapes: Shapes) -> Rules:
    """Lines, and the edges of rectangles; none from a page full of drawings."""
    boxes = list[Box]()
    segments = 0
    for path, matrix in shapes.paths:
        count = pdfium_c.FPDFPath_CountSegments(path)
        segments += max(0, count)
        if segments > _SEGMENTS_MAX:
            return Rules([], [])
        boxes += _straight(path, count, matrix)
    return rules_of(boxes, shapes.page_size)


def rules_of(boxes: Iterable[Box], page_size: tuple[float, float]) -> Rules:
    """Thin boxes as lines and the edges of the others, pieces of one line put together."""
    across, down = list[Rule](), list[Rule]()
    area = page_size[0] * page_size[1]
    for left, bottom, right, top in boxes:
        width, height = right - left, top - bottom
        if height <= _THIN and width >= _SHORTEST:
            across.append(Rule((bottom + top) / 2, left, right))
        elif width <= _THIN and height >= _SHORTEST:
            down.append(Rule((left + right) / 2, bottom, top))
        elif width > _SHORTEST and height > _SHORTEST and width * height < 0.8 * area:
            across += (Rule(bottom, left, right), Rule(top, left, right))
            down += (Rule(left, bottom, top), Rule(right, bottom, top))
    return Rules(_merged(across), _merged(down))


def _paths(objects: Iterable[tuple[int, int]]) -> Iterator[tuple[object, Matrix]]:
    seen = 0
    waiting: list[tuple[object, int, Matrix, int]] = [
        (ctypes.cast(item, pdfium_c.FPDF_PAGEOBJECT), kind, STRAIGHT, 1)
        for item, kind in objects
        if kind in _SHAPES
    ]
    waiting.reverse()
    while waiting and seen < _OBJECTS_MAX:
        seen += 1
        item, kind, matrix, depth = waiting.pop()
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            yield item, matrix
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _DEPTH_MAX:
            inner = _times(_matrix(item), matrix)
            held = min(pdfium_c.FPDFFormObj_CountObjects(item), _OBJECTS_MAX - seen)
            parts = [pdfium_c.FPDFFormObj_GetObject(item, at) for at in range(held)]
            waiting += [(part, pdfium_c.FPDFPageObj_GetType(part), inner, depth + 1) for part in parts]


def _straight(path: object, count: int, matrix: Matrix) -> Iterator[Box]:
    """The boxes of a path's straight parts."""
    if count <= 5:
        box = bounds(path, matrix)
        if box and (count != 2 or min(box[2] - box[0], box[3] - box[1]) <= _THIN):
            yield box
        return
    yield from _walked(path, count, _times(_matrix(path), matrix))


def bounds(path: object, matrix: Matrix) -> Box | None:
    """The smallest box around a shape."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetBounds(path, left, bottom, right, top):
        return None
    if matrix == STRAIGHT:
        return left.value, bottom.value, right.value, top.value
    return _box(_moved(left.value, bottom.value, matrix), _moved(right.value, top.value, matrix))


def _walked(path: object, count: int, matrix: Matrix) -> Iterator[Box]:
    """Each horizontal or vertical line of a path with many parts."""
    x, y = ctypes.c_float(), ctypes.c_float()
    here = start = (0.0, 0.0)
    for at in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, at)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = _moved(x.value, y.value, matrix)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO and _level(here, point):
            yield _box(here, point)
        here = point
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            if _level(here, start):
                yield _box(here, start)
            here = start


def _level(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return min(abs(one[0] - other[0]), abs(one[1] - other[1])) < 0.5


def _box(one: tuple[float, float], other: tuple[float, float]) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1])


def _matrix(item: object) -> Matrix:
    found = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(item, found):
        return STRAIGHT
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    """First the inner, then the outer."""
    a, b, c, d, e, f = inner
    x, y = _moved(e, f, outer)
    return *_turned(a, b, outer), *_turned(c, d, outer), x, y


def _turned(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    return matrix[0] * x + matrix[2] * y, matrix[1] * x + matrix[3] * y


def _moved(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _merged(rules: list[Rule]) -> list[Rule]:
    """Pieces of the same line as one."""
    lines = list[list[Rule]]()
    for rule in sorted(rules):
        if lines and rule.at - lines[-1][0].at <= _SAME:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    return [rule for line in lines for rule in _joined(line)]


def _joined(line: list[Rule]) -> Iterator[Rule]:
    at = sum(rule.at for rule in line) / len(line)
    start, end = min(line, key=lambda rule: rule.start)[1:]
    for rule in sorted(line, key=lambda rule: rule.start):
        if rule.start > end + _BREAK:
            yield Rule(at, start, end)
            start, end = rule.start, rule.end
        end = max(end, rule.end)
    yield Rule(at, start, end)
