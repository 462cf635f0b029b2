"""The words of a PDF page and where each of them stands, as PDFium's text page tells it."""

import ctypes
import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from veraz.ingest.model import Span
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.pdf_layout import Line

# The library writes U+FFFE for a hyphen that only breaks a word at the end of a line.
_LINE = re.compile("([^\r\n\ufffe\x02]+)([\ufffe\x02]?)")
_WORD = re.compile("(?:[^\\s\ufffe\x02]|[\x1c-\x1f])+")


_ASCENT, _DESCENT = 0.78, 0.22
"""How far letters reach above and below their base line, in sizes; fonts claim more, into the lines around."""
_LEFT_OF_IT = 0.6
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
        return Line(
            text=" ".join(self.texts),
            size=self.size,
            left=min(lefts),
            bottom=min(self.bottoms),
            right=max(self.rights),
            top=max(self.tops),
            words=lefts[1:] if _rising(lefts) else (),
            broken=self.broken,
        )


def word_lines(text_page: pdfium.PdfTextPage, raw: str) -> Iterator[WordLine]:
    """The lines of a page; a line that jumps elsewhere on the page is several."""
    letters = _Letters(text_page, raw)
    spans = [found.span() for found in _WORD.finditer(raw)]
    columns: tuple[list[Any], ...] = (_texts(raw, spans), *letters.rectangles(spans))
    if "" in columns[0]:
        seen = [at for at, text in enumerate(columns[0]) if text]
        spans = [spans[at] for at in seen]
        columns = tuple([column[at] for at in seen] for column in columns)
    done = 0
    for found in _LINE.finditer(raw):
        first = done
        while done < len(spans) and spans[done][0] < found.end(1):
            done += 1
        if first < done:
            line = [column[first:done] for column in columns]
            yield from _pieces(line, spans[first:done], letters, bool(found.group(2)))


def font_name(text_page: pdfium.PdfTextPage, letter: int) -> str:
    """The name of the font a letter is set in."""
    name = ctypes.create_string_buffer(200)
    pdfium_c.FPDFText_GetFontInfo(text_page, letter, name, len(name), None)
    return name.value.decode("utf-8", "replace")


def _texts(raw: str, spans: list[Span]) -> list[str]:
    """The words as they are kept, empty where a reader sees nothing."""
    texts = [raw[start:end] for start, end in spans]
    together = "".join(texts)
    return texts if clean(together) == together else [clean(text) for text in texts]


def _pieces(line: list[Any], spans: list[Span], letters: "_Letters", broken: bool) -> Iterator[WordLine]:
    """Words that stand beside each other."""
    jumps = _jumps(*line)
    for start, end in pairwise((0, *jumps, len(spans))):
        letter = letters.index(spans[start][0])
        texts, lefts, bottoms, rights, tops = [column[start:end] for column in line] if jumps else line
        size, low, high = letters.size(letter)
        bottoms, tops = _within(bottoms, tops, low, high)
        yield WordLine(texts, lefts, bottoms, rights, tops, size, broken and end == len(spans), letter)


def _within(
    bottoms: list[float], tops: list[float], low: float, high: float
) -> tuple[list[float], list[float]]:
    """Boxes cut to their line; those of words on another height by as much as the first one."""
    low, high = max(low, min(bottoms)), min(high, max(tops))
    if bottoms.count(bottoms[0]) == tops.count(tops[0]) == len(tops) and low < high:
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


def _rising(lefts: Sequence[float]) -> bool:
    return len(lefts) == len(set(lefts)) and sorted(lefts) == list(lefts)


class _Letters:
    """Asks PDFium for the places of letters."""

    def __init__(self, text_page: pdfium.PdfTextPage, raw: str) -> None:
        self._handle = text_page.raw
        self._exact = len(raw) == text_page.count_chars()
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def rectangles(self, spans: list[Span]) -> tuple[list[float], ...]:
        """Lefts, bottoms, rights and tops of words, from their first and last letters."""
        ends = [at for start, end in spans for at in (start, end - 1)]
        flat = self._boxes(ends if self._exact else [self.index(at) for at in ends])
        return (
            list(map(min, flat[0::8], flat[4::8])),
            list(map(min, flat[3::8], flat[7::8])),
            list(map(max, flat[2::8], flat[6::8])),
            list(map(max, flat[1::8], flat[5::8])),
        )

    def size(self, index: int) -> tuple[float, float, float]:
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

    def index(self, at: int) -> int:
        """PDFium counts letters that it does not report."""
        return at if self._exact else int(pdfium_c.FPDFText_GetCharIndexFromTextIndex(self._handle, at))

    def _boxes(self, letters: list[int]) -> "array[float]":
        """Left, top, right and bottom of each letter: as high as its font, as wide as it is."""
        boxes = (pdfium_c.FS_RECTF * len(letters))()
        measure, handle = pdfium_c.FPDFText_GetLooseCharBox, self._handle
        for letter, box in zip(letters, boxes, strict=True):
            measure(handle, letter, box)
        flat = array("f")
        flat.frombytes(memoryview(boxes).cast("B"))
        for number, (top, bottom) in enumerate(zip(flat[1::4], flat[3::4], strict=True)):
            if not bottom < top:
                flat[4 * number : 4 * number + 4] = self._tight(letters[number])
        return flat

    def _tight(self, letter: int) -> "array[float]":
        """The rectangle of the ink, for fonts that do not say how high they are."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium_c.FPDFText_GetCharBox(self._handle, letter, left, right, bottom, top)
        return array("f", (left.value, top.value, right.value, bottom.value))
