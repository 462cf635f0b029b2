"""DOC, the old binary Word: the piece table says where each run of text lies, the styles what it is.

Word 97 and later keep the table in a stream of its own; Word 6 and 95 keep everything in one.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.doc_styles import DELETED, Look, ParagraphLooks, unseen
from veraz.ingest.parse.doc_text import Pieces, visible
from veraz.ingest.parse.embedded import in_storages, write_embedded
from veraz.ingest.parse.ole import OleFile
from veraz.ingest.parse.tables import Cell, Grid, write_table

_WORD_97 = 0x00C0
_ENCRYPTED, _TABLE_1, _COMPLEX, _WIDE = 0x0100, 0x0200, 0x0004, 0x1000
_MAGIC = frozenset({0xA5EC, 0xA5DC, 0xA59C, 0xA699})
_CODE_PAGES = {0x19: 1251, 0x22: 1251, 0x02: 1251, 0x08: 1253, 0x1F: 1254, 0x0D: 1255, 0x01: 1256, 0x15: 1250,
               0x05: 1250, 0x0E: 1250, 0x18: 1250, 0x11: 932, 0x12: 949}  # fmt: skip
_STORIES = ("body", "footnotes", "headers", "macros", "comments", "endnotes", "boxes", "header_boxes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fib:
    """The file information block: where things are."""

    modern: bool
    complex: bool
    wide: bool
    """Word 95 for Asian languages already writes two bytes per letter."""
    code_page: str
    text_at: int
    text_end: int
    lengths: tuple[int, ...]
    """Characters in each story, in the order of `_STORIES`."""
    pieces: tuple[int, int]
    """Offset and length of the piece table."""
    styles: tuple[int, int]
    paragraphs: tuple[int, int]
    letters: tuple[int, int]
    table: str


def read(source: Source) -> Parsed:
    """The body, then its notes and boxes, then each different header or footer line once."""
    with OleFile(source.data) as ole:
        stream = ole.read("WordDocument")
        if stream is None:
            raise errors.Corrupt()
        try:
            fib = _fib(stream)
            table = ole.read(fib.table) if fib.modern else stream
            table = table or b""
            hidden = unseen(stream, table, fib.letters) if fib.modern else []
            pieces = Pieces.of(stream, table, fib, hidden)
        except struct.error as error:
            raise errors.Corrupt() from error
        builder = Builder(source, unit="section")
        looks = ParagraphLooks(stream, table, fib.paragraphs, fib.styles) if fib.modern else None
        _write(pieces, looks, fib, builder)
        builder.leave_out("words", _hidden_words(stream, table, fib, pieces) if hidden else 0)
        write_embedded(source, builder, in_storages(ole))
        return builder.finish(ole.about())


def _fib(stream: bytes) -> Fib:
    magic, version, _, language = struct.unpack_from("<4H", stream, 0)
    (flags,) = struct.unpack_from("<H", stream, 10)
    if magic not in _MAGIC:
        raise errors.Corrupt()
    if flags & _ENCRYPTED:
        raise errors.Protected()
    modern = version >= _WORD_97 or (magic == 0xA5EC and version > 0x69)
    mac = not modern and stream[18] == 1
    text_at, text_end = struct.unpack_from("<2I", stream, 24)
    first = 0x4C if modern else 0x34
    return Fib(
        modern=modern,
        complex=bool(flags & _COMPLEX),
        wide=not modern and bool(flags & _WIDE),
        code_page="mac_roman" if mac else f"cp{_CODE_PAGES.get(language & 0xFF, 1252)}",
        text_at=text_at,
        text_end=text_end,
        lengths=struct.unpack_from("<8I", stream, first),
        pieces=struct.unpack_from("<2I", stream, 0x1A2 if modern else 0x160),
        styles=struct.unpack_from("<2I", stream, 0xA2) if modern else (0, 0),
        paragraphs=struct.unpack_from("<2I", stream, 0x102) if modern else (0, 0),
        letters=struct.unpack_from("<2I", stream, 0xFA) if modern else (0, 0),
        table="1Table" if flags & _TABLE_1 else "0Table",
    )


def _hidden_words(stream: bytes, table: bytes, fib: Fib, pieces: Pieces) -> int:
    """How many words are missing because they are hidden, not deleted."""
    deleted = unseen(stream, table, fib.letters, frozenset({DELETED}))
    return _count_words(Pieces.of(stream, table, fib, deleted)) - _count_words(pieces)


def _count_words(pieces: Pieces) -> int:
    texts = (visible(raw).replace("\x00", "") for _, raw in pieces.paragraphs(0, pieces.length))
    return sum(len(text.split()) for text in texts)


def _write(pieces: Pieces, looks: ParagraphLooks | None, fib: Fib, builder: Builder) -> None:
    at = 0
    spans: dict[str, tuple[int, int]] = {}
    for name, length in zip(_STORIES, fib.lengths, strict=True):
        spans[name] = (at, min(at + length, pieces.length))
        at = spans[name][1]
    _write_body(pieces, looks, spans["body"], builder)
    builder.enter()
    for name in ("footnotes", "endnotes", "boxes"):
        for text, _ in _paragraphs(pieces, None, spans[name]):
            builder.add("note", text)
    seen: set[str] = set()
    for name in ("headers", "header_boxes"):
        for text, _ in _paragraphs(pieces, None, spans[name]):
            key = one_line(text)
            if key and not key.isdigit() and key not in seen:
                seen.add(key)
                builder.add("note", text)


def _write_body(
    pieces: Pieces, looks: ParagraphLooks | None, span: tuple[int, int], builder: Builder
) -> None:
    table = _Table(builder)
    for text, look in _paragraphs(pieces, looks, span):
        if look.in_table or text.endswith("\x07"):
            table.cell(text, look)
            continue
        table.close()
        if look.heading is not None and 0 < len(text) < 400:
            builder.heading(text, look.heading)
        else:
            builder.add("list_item" if look.listed else "paragraph", text)
    table.close()


class _Table:
    """Cells end with a mark; a row ends with a mark of its own."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._cells: list[str] = []
        self._current: list[str] = []
        self._grid = Grid()

    def cell(self, text: str, look: Look) -> None:
        if look.row_end or (text == "\x07" and not self._current and self._cells and not look.known):
            self._row()
            return
        self._current.append(text.rstrip("\x07"))
        if text.endswith("\x07"):
            self._cells.append(" ".join(self._current))
            self._current = []

    def close(self) -> None:
        if self._current:
            self._cells.append(" ".join(self._current))
            self._current = []
        self._row()
        self._write()

    def _row(self) -> None:
        if len(self._cells) == 1:
            self._write()
            self._builder.add("paragraph", self._cells[0])
        elif self._cells:
            self._grid.add([Cell(cell) for cell in self._cells])
        self._cells = []

    def _write(self) -> None:
        if self._grid.rows:
            write_table(self._builder, self._grid.rows)
            self._grid = Grid()


def _paragraphs(
    pieces: Pieces, looks: ParagraphLooks | None, span: tuple[int, int]
) -> Iterator[tuple[str, Look]]:
    """Text and look of each paragraph of a story; fields show their result, not their code."""
    for start, raw in pieces.paragraphs(*span):
        look = looks.at(pieces.offset_of(start + len(raw) - 1)) if looks else Look()
        text = visible(raw)
        if text.strip() or text == "\x07" or look.row_end:
            yield text, look
