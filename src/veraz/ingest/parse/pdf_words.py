"""The words of a PDF page and where each of them stands, as PDFium's text page tells it."""

import ctypes
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat
from operator import ge, le, lt, sub
from typing import Any, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from veraz.ingest.model import Span
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.pdf_covered import covered_words
from veraz.ingest.parse.pdf_layout import Line, Weight
from veraz.ingest.parse.pdf_rules import Shapes
from veraz.ingest.parse.pdf_visible import Boxes, unseen_words

# The library writes U+FFFE for a hyphen that only breaks a word at the end of a line.
_LINE = re.compile("([^\r\n\ufffe\x02]+)([\ufffe\x02]?)")
_WORD = re.compile("[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufffe\x02]+")
"""No white space; a single class of characters takes less than half as long as `\\s` and its exceptions."""


_ASCENT, _DESCENT = 0.78, 0.22
"""How far letters reach above and below their base line, in sizes; fonts claim more, into the lines around."""
_LEFT_OF_IT = 0.6
_SAME = 0.05
"""Points that make no difference."""
_TINY = 2.0
"""Points: letters below this size are not there to be read."""
_CELL_GAP = 1.5
"""Bold words farther apart than this many letter sizes are cells of a table's header, not a heading."""
_BOLD_NAME = re.compile(rb"bold|black(?![a-z])|heavy|demi(?![a-z])|(?:CM|SF)BX", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_FONT_NAME = 200
_BOX_BYTES = 16
_LOOSE_BOX = ctypes.cast(
    pdfium_c.FPDFText_GetLooseCharBox,
    ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
)
"""Asked for twice per word: with addresses as plain numbers it takes half as long."""
_ENDLESS = 1e9


class Word(NamedTuple):
    """One word and its rectangle, in points of the page's own space."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


class WordLine(NamedTuple):
    """The words of one line in reading order, column by column: there are many of them."""

    texts: Sequence[str]
    lefts: Sequence[float]
    bottoms: Sequence[float]
    rights: Sequence[float]
    tops: Sequence[float]
    size: float = 0.0
    broken: bool = False
    """Its last word goes on in the next line."""
    letter: int = -1
    """Where its first letter stands in the text page; -1 when the words come from elsewhere."""
    weight: Weight = Weight.REGULAR

    @property
    def words(self) -> list[Word]:
        """One by one."""
        return list(map(Word, self.texts, self.lefts, self.bottoms, self.rights, self.tops))

    def part(self, start: int, end: int) -> "WordLine":
        """Its words from `start` to before `end`."""
        if (start, end) == (0, len(self.texts)):
            return self
        return self._replace(
            texts=self.texts[start:end],
            lefts=self.lefts[start:end],
            bottoms=self.bottoms[start:end],
            rights=self.rights[start:end],
            tops=self.tops[start:end],
            broken=self.broken and end == len(self.texts),
        )

    def line(self) -> Line:
        """The line as a layout keeps it."""
        lefts = tuple(self.lefts)
        rising = all(map(lt, lefts, lefts[1:]))
        return Line(
            text=" ".join(self.texts),
            size=self.size,
            left=lefts[0] if rising else min(lefts),
            bottom=min(self.bottoms),
            right=max(self.rights),
            top=max(self.tops),
            words=lefts[1:] if rising else (),
            broken=self.broken,
            weight=min(self.weight, Weight.BEGINS_BOLD) if self._has_cells() else self.weight,
        )

    def _has_cells(self) -> bool:
        """Whether bold words stand too far apart for a heading."""
        if not self.weight or len(self.texts) < 2:
            return False
        return bool(max(map(sub, self.lefts[1:], self.rights)) > _CELL_GAP * self.size)


class PageWords(NamedTuple):
    """What can be read on a page."""

    lines: list[WordLine]
    """A line that jumps elsewhere on the page is several."""
    unseen: int = 0
    """How many letters were left out because nobody can see them."""
    unseen_words: int = 0


def page_words(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, shapes: Shapes, raw: str) -> PageWords:
    """The words of a page that a reader sees."""
    letters = _Letters(text_page, raw)
    spans = [found.span() for found in _WORD.finditer(raw)]
    boxes = letters.rectangles(spans)
    firsts = partial(letters.firsts, spans)
    unseen = letters.tiny(spans, boxes) | unseen_words(page, text_page, shapes, firsts, boxes)
    unseen |= covered_words(page, text_page, shapes, firsts, boxes)
    columns: tuple[Any, ...] = (_texts(raw, spans), *boxes)
    for at in unseen:
        columns[0][at] = ""
    if "" in columns[0]:
        seen = [at for at, text in enumerate(columns[0]) if text]
        columns = tuple([column[at] for at in seen] for column in columns)
        hidden = sum(spans[at][1] - spans[at][0] for at in unseen)
        lines = list(_lines(raw, [spans[at] for at in seen], columns, letters))
        return PageWords(lines, hidden, len(unseen))
    return PageWords(list(_lines(raw, spans, columns, letters)))


def _lines(raw: str, spans: list[Span], columns: tuple[Any, ...], letters: "_Letters") -> Iterator[WordLine]:
    starts = [start for start, _ in spans]
    done = 0
    for found in _LINE.finditer(raw):
        first, done = done, bisect_left(starts, found.end(1), done)
        if first < done:
            line = [column[first:done] for column in columns]
            broken = bool(found.group(2))
            jumps = _jumps(*line)
            if jumps:
                yield from _pieces(line, spans[first:done], letters, jumps, broken=broken)
            else:
                yield letters.line(line, spans[first:done], broken=broken)


def font_name(text_page: pdfium.PdfTextPage, letter: int) -> str:
    """The name of the font a letter is set in."""
    name = ctypes.create_string_buffer(_FONT_NAME)
    pdfium_c.FPDFText_GetFontInfo(text_page, letter, name, len(name), None)
    return name.value.decode("utf-8", "replace")


def _texts(raw: str, spans: list[Span]) -> list[str]:
    """The words as they are kept, empty where a reader sees nothing."""
    texts = [raw[start:end] for start, end in spans]
    together = "".join(texts)
    return texts if clean(together) == together else [clean(text) for text in texts]


def _pieces(
    line: list[Any], spans: list[Span], letters: "_Letters", jumps: list[int], *, broken: bool
) -> Iterator[WordLine]:
    """Words that stand beside each other."""
    for start, end in pairwise((0, *jumps, len(spans))):
        part = [column[start:end] for column in line]
        yield letters.line(part, spans[start:end], broken=broken and end == len(spans))


def _within(
    bottoms: list[float], tops: list[float], low: float, high: float
) -> tuple[list[float], list[float]]:
    """Boxes cut to their line; those of words on another height by as much as the first one."""
    lowest, highest = min(bottoms), max(tops)
    low, high = max(low, lowest), min(high, highest)
    if low < high and max(bottoms) - lowest < _SAME and highest - min(tops) < _SAME:
        return [low] * len(tops), [high] * len(tops)
    below, above = max(0.0, low - bottoms[0]), max(0.0, tops[0] - high)
    cut = [(max(low, bottom), min(high, top)) for bottom, top in zip(bottoms, tops, strict=True)]
    for at, (bottom, top) in enumerate(cut):
        if top - bottom < _LEFT_OF_IT * (tops[at] - bottoms[at]):
            cut[at] = (bottoms[at] + below, tops[at] - above)
    return [bottom for bottom, _ in cut], [top for _, top in cut]


def _jumps(
    texts: list[str], lefts: list[float], bottoms: list[float], rights: list[float], tops: list[float]
) -> list[int]:
    """Which words of a line do not stand beside the one before them."""
    if max(bottoms) < min(tops) and sorted(lefts) == lefts:
        return []
    words = list(map(Word, texts, lefts, bottoms, rights, tops))
    return [at for at, (before, word) in enumerate(pairwise(words), 1) if _apart(before, word)]


def _apart(before: Word, word: Word) -> bool:
    if word.bottom < before.top and before.bottom < word.top and before.left < word.right:
        return False
    if word.right < before.left:
        return unicodedata.bidirectional(word.text[0]) not in ("R", "AL")
    return before.right <= word.left and before.top > before.bottom


class _Letters:
    """Asks PDFium for the places of letters."""

    def __init__(self, text_page: pdfium.PdfTextPage, raw: str) -> None:
        self._handle = text_page.raw
        self._exact = len(raw) == text_page.count_chars()
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._font, self._flags = ctypes.create_string_buffer(_FONT_NAME), ctypes.c_int()
        self._bold: dict[bytes, bool] = {}

    def firsts(self, spans: list[Span]) -> list[int]:
        """The first letters of words as PDFium counts them."""
        return [start for start, _ in spans] if self._exact else [self.index(start) for start, _ in spans]

    def tiny(self, spans: list[Span], boxes: Boxes) -> set[int]:
        """Words set too small to be read; a low box alone may be that of a dash."""
        lefts, bottoms, rights, tops = boxes
        heights = list(map(sub, tops, bottoms))
        if min(heights, default=_TINY) >= _TINY:
            return set()
        low = [at for at, height in enumerate(heights) if height < _TINY]
        return {
            at
            for at in low
            if (rights[at] - lefts[at]) / (spans[at][1] - spans[at][0]) < _TINY
            and self._size(self.index(spans[at][0]))[0] < _TINY
        }

    def rectangles(self, spans: list[Span]) -> Boxes:
        """Lefts, bottoms, rights and tops of words, from their first and last letters."""
        ends = [at for start, end in spans for at in (start, end - 1)]
        flat = self._boxes(ends if self._exact else [self.index(at) for at in ends])
        return (
            _lower(flat[0::8], flat[4::8]),
            _lower(flat[3::8], flat[7::8]),
            _higher(flat[6::8], flat[2::8]),
            _higher(flat[1::8], flat[5::8]),
        )

    def line(self, words: list[Any], spans: list[Span], *, broken: bool) -> WordLine:
        """Words beside each other as a line."""
        texts, lefts, bottoms, rights, tops = words
        letter = self.index(spans[0][0])
        size, low, high = self._size(letter)
        bottoms, tops = _within(bottoms, tops, low, high)
        weight = self._weight(spans) if self._is_bold(letter) else Weight.REGULAR
        return WordLine(texts, lefts, bottoms, rights, tops, size, broken, letter, weight)

    def _size(self, index: int) -> tuple[float, float, float]:
        """The size of a letter in points, and from where to where it can reach without touching other lines."""
        handle, matrix = self._handle, self._matrix
        size = float(pdfium_c.FPDFText_GetFontSize(handle, index))
        if not pdfium_c.FPDFText_GetMatrix(handle, index, matrix):
            return size, -_ENDLESS, _ENDLESS
        # Many programs set the font to 1 and scale the page instead.
        size *= (matrix.b**2 + matrix.d**2) ** 0.5 or 1.0
        if matrix.b or matrix.d <= 0 or not pdfium_c.FPDFText_GetCharOrigin(handle, index, self._x, self._y):
            return size, -_ENDLESS, _ENDLESS
        return size, self._y.value - _DESCENT * size, self._y.value + _ASCENT * size

    def _weight(self, spans: list[Span]) -> Weight:
        """That of a line whose first letter is bold."""
        others = [*(start for start, _ in spans[1:]), spans[-1][1] - 1]
        return Weight.BOLD if all(self._is_bold(self.index(at)) for at in others) else Weight.BEGINS_BOLD

    def _is_bold(self, index: int) -> bool:
        """By the name of the letter's font; the weight fonts give is often that of their stems."""
        pdfium_c.FPDFText_GetFontInfo(self._handle, index, self._font, _FONT_NAME, self._flags)
        name = self._font.value
        if name not in self._bold:
            self._bold[name] = bool(self._flags.value & _FORCE_BOLD or _BOLD_NAME.search(name))
        return self._bold[name]

    def index(self, at: int) -> int:
        """PDFium counts letters that it does not report."""
        return at if self._exact else int(pdfium_c.FPDFText_GetCharIndexFromTextIndex(self._handle, at))

    def _boxes(self, letters: list[int]) -> "array[float]":
        """Left, top, right and bottom of each letter: as high as its font, as wide as it is."""
        flat = array("f", bytes(_BOX_BYTES * len(letters)))
        address, _ = flat.buffer_info()
        places = range(address, address + _BOX_BYTES * len(letters), _BOX_BYTES)
        handle = ctypes.cast(self._handle, ctypes.c_void_p).value
        deque(map(_LOOSE_BOX, repeat(handle), letters, places), maxlen=0)
        if not all(map(lt, flat[3::4], flat[1::4])):
            for number, (top, bottom) in enumerate(zip(flat[1::4], flat[3::4], strict=True)):
                if not bottom < top:
                    flat[4 * number : 4 * number + 4] = self._tight(letters[number])
        return flat

    def _tight(self, letter: int) -> "array[float]":
        """The rectangle of the ink, for fonts that do not say how high they are."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium_c.FPDFText_GetCharBox(self._handle, letter, left, right, bottom, top)
        return array("f", (left.value, top.value, right.value, bottom.value))


def _lower(values: "array[float]", others: "array[float]") -> list[float]:
    return values.tolist() if all(map(le, values, others)) else list(map(min, values, others))


def _higher(values: "array[float]", others: "array[float]") -> list[float]:
    return values.tolist() if all(map(ge, values, others)) else list(map(max, values, others))
