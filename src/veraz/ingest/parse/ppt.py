"""PPT, the old binary PowerPoint: the newest version of each slide that is shown, in order, with its notes.

A saved file keeps earlier versions of its parts; the persist directories, read from the last edit
back to the first, tell which are current.
"""

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import MB, Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.embedded import File, in_object, write_embedded
from veraz.ingest.parse.finish import About
from veraz.ingest.parse.ole import OleFile
from veraz.ingest.parse.ppt_records import Record, current_parts, inside, within

_SLIDE_LIST, _SLIDE_PERSIST = 0x0FF0, 0x03F3
_TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES, _OUTLINE_REF = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_CLIENT_TEXTBOX, _NOTES_ATOM = 0xF00D, 0x03F1
_CURRENT_USER_BYTES = 20
_SHAPE, _PLACEHOLDER = 0xF004, 0x0BC3
_TITLE_TYPES = frozenset({0, 6})
_NOTES_TYPE = 2
_BODY_TYPES = frozenset({1, 5, 7, 8})
_PROPERTIES, _WORD_ART, _LONG, _OTHER = 0xF00B, 0x00C0, 0x8000, 4
_SHOW_INFO, _SHOW_FLAGS, _HIDDEN = 0x03F9, 10, 0x04
_OBJECT, _OBJECT_BYTES_MAX = 0x1011, 25 * MB
_FURNITURE = frozenset({"*", "‹#›", "<#>"})


@dataclass(slots=True)
class _Text:
    kind: int
    text: str = ""


@dataclass(slots=True)
class _Slide:
    persist: int
    identity: int
    outline: list[_Text] = field(default_factory=list)
    """Text kept in the list of slides; the shapes refer to it by number."""


def read(source: Source) -> Parsed:
    """Slides in the order they are shown."""
    with OleFile(source.data) as ole:
        stream = ole.read("PowerPoint Document")
        user = ole.read("Current User")
        if stream is None or user is None:
            raise errors.Corrupt()
        if len(user) < _CURRENT_USER_BYTES:
            raise errors.Unsupported(filename=source.filename, kind="PowerPoint 95")
        about = ole.about()
    try:
        document, parts = current_parts(stream, user)
        slides = _listed(stream, document, 0)
        notes = _notes(stream, document, parts)
        background = _master_texts(stream, document, parts)
    except struct.error as error:
        raise errors.Corrupt() from error
    builder = Builder(source, unit="slide")
    for number, slide in enumerate(slides, 1):
        if _is_hidden(stream, parts.get(slide.persist)):
            builder.leave_out("slides", 1)
            continue
        _write(stream, slide, number, parts, builder)
        for text in notes.get(slide.identity, []):
            builder.add("note", text)
    builder.enter()
    for text in background:
        builder.add("note", text)
    write_embedded(source, builder, _embedded(stream, parts))
    return builder.finish(
        About(title=about.title, author=about.author, created_date=about.created_date, page_count=len(slides))
    )


def _listed(stream: bytes, document: Record, which: int) -> list[_Slide]:
    """The slides (0), masters (1) or notes (2) the document lists, with their outline texts."""
    found: list[_Slide] = []
    for listing in inside(stream, document):
        if listing.kind != _SLIDE_LIST or listing.instance != which:
            continue
        for record in inside(stream, listing):
            if record.kind == _SLIDE_PERSIST:
                persist, _, _, identity = struct.unpack_from("<4I", stream, record.start)
                found.append(_Slide(persist, identity))
            elif found:
                _take_text(stream, record, found[-1].outline)
    return found


def _is_hidden(stream: bytes, slide: Record | None) -> bool:
    """Whether a show passes over the slide."""
    infos = (record for record in (inside(stream, slide) if slide else ()) if record.kind == _SHOW_INFO)
    return any(
        info.start + _SHOW_FLAGS < info.end and stream[info.start + _SHOW_FLAGS] & _HIDDEN for info in infos
    )


def _take_text(stream: bytes, record: Record, texts: list[_Text]) -> None:
    if record.kind == _TEXT_HEADER:
        texts.append(_Text(int.from_bytes(stream[record.start : record.start + 4], "little")))
    elif record.kind in (_TEXT_CHARS, _TEXT_BYTES):
        if not texts:
            texts.append(_Text(_OTHER))
        raw = stream[record.start : record.end]
        texts[-1].text = raw.decode("utf-16-le" if record.kind == _TEXT_CHARS else "latin-1", "replace")


def _write(stream: bytes, slide: _Slide, number: int, parts: dict[int, Record], builder: Builder) -> None:
    record = parts.get(slide.persist)
    texts = list(_shape_texts(stream, record, slide.outline)) if record else []
    texts += _word_art(stream, record) if record else ()
    shown = {id(text) for text in texts}
    texts = [text for text in slide.outline if id(text) not in shown] + texts
    title = " ".join(" ".join(t.text.split()) for t in texts if t.kind in _TITLE_TYPES).strip()
    builder.enter(page=number, part=title or None)
    builder.heading(title, 1)
    for text in texts:
        if text.kind not in _TITLE_TYPES and text.kind != _NOTES_TYPE:
            for paragraph in _lines(text.text):
                builder.add("list_item" if text.kind in _BODY_TYPES else "paragraph", paragraph)


def _shape_texts(stream: bytes, part: Record, outline: list[_Text]) -> Iterator[_Text]:
    """Texts of a slide's shapes in drawing order, following references into the outline."""
    for box in within(stream, part, _CLIENT_TEXTBOX):
        own: list[_Text] = []
        for record in inside(stream, box):
            if record.kind == _OUTLINE_REF:
                number = int.from_bytes(stream[record.start : record.start + 4], "little")
                if number < len(outline):
                    yield outline[number]
            else:
                _take_text(stream, record, own)
        yield from own


def _word_art(stream: bytes, part: Record) -> Iterator[_Text]:
    """Words drawn as pictures: a property of their shape, kept behind the list of its properties."""
    for record in within(stream, part, _PROPERTIES):
        at = record.start + 6 * record.instance
        for number in range(min(record.instance, (record.end - record.start) // 6)):
            key, value = struct.unpack_from("<HI", stream, record.start + 6 * number)
            if key & 0x3FFF == _WORD_ART and key & _LONG:
                yield _Text(_OTHER, stream[at : min(at + value, record.end)].decode("utf-16-le", "replace"))
            at += value if key & _LONG else 0


def _embedded(stream: bytes, parts: dict[int, Record]) -> Iterator[File]:
    """The objects on the slides, most of them packed."""
    for record in parts.values():
        if record.kind == _OBJECT and not record.instance:
            yield from in_object(stream[record.start : record.end])
        elif record.kind == _OBJECT:
            with suppress(zlib.error):
                packed = stream[record.start + 4 : record.end]
                yield from in_object(zlib.decompressobj().decompress(packed, _OBJECT_BYTES_MAX))


def _notes(stream: bytes, document: Record, parts: dict[int, Record]) -> dict[int, list[str]]:
    """Speaker notes by the slide they belong to."""
    found: dict[int, list[str]] = {}
    for entry in _listed(stream, document, 2):
        record = parts.get(entry.persist)
        if record is None:
            continue
        slide = next(
            (
                int.from_bytes(stream[atom.start : atom.start + 4], "little")
                for atom in inside(stream, record)
                if atom.kind == _NOTES_ATOM
            ),
            0,
        )
        texts = [*entry.outline, *_shape_texts(stream, record, [])]
        found.setdefault(slide, []).extend(
            "\n".join(_lines(text.text)) for text in texts if text.kind == _NOTES_TYPE
        )
    return found


def _master_texts(stream: bytes, document: Record, parts: dict[int, Record]) -> list[str]:
    """What the masters show on every slide, once; their placeholders are only prompts."""
    found: dict[str, None] = {}
    for master in _listed(stream, document, 1):
        record = parts.get(master.persist)
        for shape in within(stream, record, _SHAPE) if record else ():
            if not any(within(stream, shape, _PLACEHOLDER)):
                for text in _shape_texts(stream, shape, []):
                    found["\n".join(_lines(text.text))] = None
    return list(found)


def _lines(text: str) -> list[str]:
    paragraphs = (line.replace("\x0b", "\n").strip() for line in text.replace("\r", "\x00").split("\x00"))
    return [line for line in paragraphs if line and line not in _FURNITURE]
