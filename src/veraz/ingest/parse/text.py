"""Plain text: decoding, and paragraphs by blank lines."""

import codecs
import re
from collections.abc import Iterator
from statistics import median

from veraz import errors
from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.finish import About, finished
from veraz.ingest.parse.size import check_size

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH_RUNS = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_PARAGRAPH = re.compile(r"\S(?:[^\n]*(?:\n(?![ \t]*(?:\n|$))[^\n]*)*)")
_LINE = re.compile(r"\S[^\n]*")
_LONG_LINE = 160


def read(source: Source) -> Parsed:
    """Paragraphs of a plain text, as they are."""
    text = clean(decode(source.data))
    if not text.strip():
        raise errors.EmptyDocument()
    blocks: list[Block] = []
    for start, end in paragraphs(text):
        blocks.append(Block(kind="paragraph", start=start, end=end))
        check_size(source, len(text), len(blocks))
    return finished(source, text, tuple(blocks), unit="text", about=About())


def decode(data: bytes) -> str:
    """Text from bytes: byte-order mark, strict UTF-8, UTF-16 by its NUL pattern, else Windows-1252."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    encoding_16 = _utf16_without_mark(data[:65_536])
    if encoding_16:
        return data.decode(encoding_16, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _not_quite_utf8(data)


def looks_like_text(head: bytes) -> bool:
    """Whether the beginning of a file could be text in some encoding."""
    if any(head.startswith(mark) for mark, _ in _BOMS) or _utf16_without_mark(head):
        return True
    return len(_CONTROLS.findall(head)) <= len(head) // 10


def starts_like(head: bytes) -> str:
    """`html`, `json` or `txt`, for text whose name says nothing."""
    start = decode(head).lstrip().lower()
    if start.startswith(("<!doctype html", "<html", "<head", "<body")):
        return "html"
    return "json" if start.startswith(("{", "[{", '["', "[\n")) else "txt"


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Spans between blank lines, or single lines when each line is a paragraph of its own."""
    sample = [len(line) for line in text[:20_000].split("\n") if line.strip()]
    by_line = len(sample) > 1 and median(sample) > _LONG_LINE
    for match in (_LINE if by_line else _PARAGRAPH).finditer(text):
        yield match.start(), match.start() + len(match.group().rstrip())


def _utf16_without_mark(head: bytes) -> str | None:
    """Western text in UTF-16 has a NUL in nearly every second byte, always on the same side."""
    pairs = len(head) // 2
    if pairs < 2:
        return None
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > 0.6 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.6 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return None


def _not_quite_utf8(data: bytes) -> str:
    """UTF-8 with a few broken bytes stays UTF-8; anything else is Windows-1252."""
    forgiving = data.decode("utf-8", "replace")
    broken = forgiving.count("�")
    if len(_HIGH_RUNS.findall(data)) > 5 * broken:
        return forgiving
    return data.decode("cp1252", "replace")
