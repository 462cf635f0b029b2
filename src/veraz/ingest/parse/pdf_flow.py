"""Paragraphs of a PDF that go on over the page: one sentence stays one piece of text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from veraz.ingest.parse.pdf_layout import Line
from veraz.ingest.parse.pdf_paragraphs import Paragraph
from veraz.ingest.parse.pdf_spacing import ends_sentence_text

_HYPHENATED = re.compile(r"[^\W\d_]-$")
_SAME_SIZE = 0.3
"""Points by which the letters of one paragraph may differ."""

Piece = Paragraph | list[Line]
"""A paragraph, or the lines of a table."""
Placed = tuple[int, Piece]
"""With the number of the page it begins on."""


def flowing(pages: Iterable[list[Piece]]) -> Iterator[Placed]:
    """The pieces of all pages, those that a page break cuts put together.

    What stands between the halves (feet and heads of pages, footnotes) follows the whole.
    """
    waiting: list[Placed] = []
    for number, pieces in enumerate(pages, 1):
        following = [(number, piece) for piece in pieces]
        joined = _join(waiting, following)
        if joined and all(_is_note(piece) for _, piece in following):
            waiting += following  # it may go on over the next page too
            continue
        yield from waiting
        waiting = following
    yield from waiting


def _join(page: list[Placed], following: list[Placed]) -> bool:
    """Take what goes on with the last paragraph of a page from the page that follows; whether there was any."""
    second = next((at for at, (_, piece) in enumerate(following) if not _is_note(piece)), None)
    rest = following[second][1] if second is not None else None
    if second is None or not isinstance(rest, Paragraph):
        return False
    first = _last_of_size(page, rest.size)
    number, begun = page[first] if first is not None else (0, None)
    if first is None or not isinstance(begun, Paragraph) or not _goes_on(begun, rest):
        return False
    page[first] = (number, _together(begun, rest))
    del following[second]
    return True


def _is_note(piece: Piece) -> bool:
    return isinstance(piece, Paragraph) and piece.kind == "note"


def _last_of_size(page: list[Placed], size: float) -> int | None:
    """The last paragraph of a page in letters of a size; only heads, feet and smaller footnotes may stand below it."""
    for at in reversed(range(len(page))):
        _, piece = page[at]
        if not isinstance(piece, Paragraph):
            return None
        if piece.kind != "note" and piece.size > size - _SAME_SIZE:
            return at if piece.size < size + _SAME_SIZE else None
    return None


def _goes_on(begun: Paragraph, rest: Paragraph) -> bool:
    """Whether a sentence clearly does not end with its page."""
    if begun.kind not in ("paragraph", "list_item") or rest.kind != "paragraph" or not rest.text[0].islower():
        return False
    return begun.broken or not ends_sentence_text(begun.text)


def _together(begun: Paragraph, rest: Paragraph) -> Paragraph:
    text, lines = begun.text, begun.lines
    if _HYPHENATED.search(text) and not begun.broken:
        text = text[:-1]
        lines = tuple(replace(line, end=min(line.end, len(text))) for line in lines)
    elif not begun.broken:
        text += " "
    page_break = len(text)
    moved = tuple(
        replace(line, start=line.start + page_break, end=line.end + page_break) for line in rest.lines
    )
    return replace(
        begun,
        text=text + rest.text,
        lines=lines + moved,
        broken=rest.broken,
        page_breaks=(*begun.page_breaks, page_break),
    )
