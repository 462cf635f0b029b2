"""Markdown: the text stays as written; headings, code fences, lists and tables become blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from veraz import errors
from veraz.ingest.model import Block, BlockKind, Parsed, Span
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.clean import clean
from veraz.ingest.parse.finish import About, finished, read_date
from veraz.ingest.parse.headings import may_be_bold_heading
from veraz.ingest.parse.lists import Nesting
from veraz.ingest.parse.size import check_size
from veraz.ingest.parse.text import decode

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_DATES = ("date", "fecha", "created", "publication_date", "published", "enactment_date")
_FIELD = re.compile(r"^(\w[\w-]*)[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_COMMENT_OR_FENCE = re.compile(
    r"^([ ]{0,3})(```+|~~~+).*?(?:^[ ]{0,3}\2|\Z)|<!--.*?-->", re.DOTALL | re.MULTILINE
)
_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_ATX = re.compile(r"[ ]{0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"[ ]{0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r"[ ]{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_MARKUP = re.compile(r"[\[{<\\~*`_]")
_BAR = re.compile(r"(?<!\\)\|")
_BOLD_LINE = re.compile(r"[ ]{0,3}(\*\*|__)((?:(?!\1).)+)\1[ \t]*")
_BOLD_LEVEL = 7
_COLUMNS_MAX = 1_000
_INLINE = re.compile(
    r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|\{[#.][^}]*\}|</?[a-zA-Z][^<>]*>|\\(?=[^\w\s])|~~|[*`]+|(?<!\w)_+|_+(?!\w)"
)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    def of(self, span: Span) -> str:
        return self.text[span[0] - self.start : span[1] - self.start]

    @property
    def blank(self) -> bool:
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class _Table:
    header: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class _Pen:
    """Collects blocks while remembering the headings above."""

    source: Source
    length: int
    blocks: list[Block] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    headers: tuple[str, ...] = ()

    tables: int = 0
    depths: dict[int, int] = field(default_factory=dict)
    """How deep the nested list items are, by their number among the blocks."""
    indents: list[int] = field(default_factory=list)

    def block(
        self, kind: BlockKind, lines: list[_Line], table: _Table | None = None, row: int | None = None
    ) -> None:
        first, last = lines[0], lines[-1]
        indent = len(first.text) - len(first.text.lstrip())
        start, end = first.start + indent, last.start + len(last.text.rstrip())
        if end <= start:
            return
        self.blocks.append(
            Block(
                kind=kind,
                start=start,
                end=end,
                row=row,
                headers=self.headers,
                table_header=table.header if table and kind == "table_row" else None,
                table=self.tables if table else None,
                columns=table.columns if table else (),
                cells=tuple(_cells(first)) if table else (),
            )
        )
        check_size(self.source, self.length, len(self.blocks))

    def item(self, lines: list[_Line]) -> None:
        indent = len(lines[0].text.expandtabs(4)) - len(lines[0].text.expandtabs(4).lstrip())
        while self.indents and self.indents[-1] > indent:
            self.indents.pop()
        if not self.indents or self.indents[-1] < indent:
            self.indents.append(indent)
        self.depths[len(self.blocks)] = len(self.indents) - 1
        self.block("list_item", lines)

    def heading(self, lines: list[_Line], level: int, text: str) -> None:
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.indents.clear()
        self.headers = tuple(above for _, above in self.path)
        self.block("heading", lines)
        self.path.append((level, plain(text)[:200]))
        self.headers = (*self.headers, self.path[-1][1])


def read(source: Source) -> Parsed:
    """The visible Markdown with the place of each heading, paragraph, item, row and code block."""
    text = clean(decode(source.data))
    if not text.strip():
        raise errors.EmptyDocument()
    about, text = _front_matter(text)
    if "<!--" in text:
        text = _COMMENT_OR_FENCE.sub(lambda found: found.group() if found.group(2) else "", text)
    pen = _Pen(source, len(text))
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        at = _take(lines, at, pen)
    return finished(
        source,
        text,
        tuple(pen.blocks),
        unit="section",
        about=about,
        nesting=Nesting(pen.depths),
        heading_name=_heading_name,
    )


def _heading_name(words: str) -> str:
    """A heading without its marks or the line below it."""
    return plain(words.split("\n")[0])


def plain(text: str) -> str:
    """A heading without its inline marks."""
    if _MARKUP.search(text):
        text = _INLINE.sub(lambda found: found.group(1) or "", text)
    return " ".join(text.strip("# \t").split())


def _front_matter(text: str) -> tuple[About, str]:
    found = _FRONT_MATTER.match(text)
    if not found:
        return About(), text
    fields = {key.lower(): _unquoted(value) for key, value in _FIELD.findall(found.group(1))}
    if not fields:
        return About(), text
    about = About(
        title=fields.get("title") or fields.get("titulo") or fields.get("título"),
        author=fields.get("author") or fields.get("autor"),
        created_date=read_date(next((fields[name] for name in _DATES if name in fields), None)),
        language=fields.get("lang") or fields.get("language") or fields.get("idioma"),
    )
    return about, text[found.end() :]


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.split("\n"):
        yield _Line(at, line)
        at += len(line) + 1


def _take(lines: list[_Line], at: int, pen: _Pen) -> int:
    """Take the block that starts at this line; the number of the line after it."""
    line = lines[at].text
    if lines[at].blank:
        return at + 1
    if _FENCE.match(line):
        return _take_code(lines, at, pen)
    if atx := _ATX.match(line):
        pen.heading([lines[at]], len(atx.group(1)), atx.group(2) or "")
        return at + 1
    if _is_table(lines, at):
        return _take_table(lines, at, pen)
    if _RULE.fullmatch(line):
        pen.block("paragraph", [lines[at]])
        return at + 1
    if _ITEM.match(line):
        return _take_paragraph(lines, at, pen, "list_item")
    return _take_paragraph(lines, at, pen, "paragraph")


def _take_code(lines: list[_Line], at: int, pen: _Pen) -> int:
    opened = _FENCE.match(lines[at].text)
    mark = opened.group(1) if opened else "```"
    end = at + 1
    while end < len(lines) and not lines[end].text.lstrip().startswith(mark):
        end += 1
    pen.block("code", lines[at : end + 1])
    return end + 1


def _is_table(lines: list[_Line], at: int) -> bool:
    return (
        "|" in lines[at].text
        and at + 1 < len(lines)
        and "-" in lines[at + 1].text
        and "|" in lines[at + 1].text
        and bool(_DIVIDER.match(lines[at + 1].text))
    )


def _take_table(lines: list[_Line], at: int, pen: _Pen) -> int:
    names = tuple(plain(lines[at].of(span))[:200] for span in _cells(lines[at]))
    table = _Table(f"{lines[at].text.strip()}\n{lines[at + 1].text.strip()}"[:1000], names)
    pen.tables += 1
    pen.block("table_header", lines[at : at + 2], table, row=1)
    first = at + 2
    at = first
    while at < len(lines) and "|" in lines[at].text:
        pen.block("table_row", [lines[at]], table, row=2 + at - first)
        at += 1
    return at


def _cells(line: _Line) -> Iterator[Span]:
    """Where the cells of a row stand, without the bars around them."""
    bars = [bar.start() for bar in _BAR.finditer(line.text)]
    edges = [bar for bar in bars if line.text[:bar].strip()]
    starts = [bars[0] + 1 if len(edges) < len(bars) else 0, *(bar + 1 for bar in edges)]
    for start, end in zip_longest(starts[:_COLUMNS_MAX], edges[:_COLUMNS_MAX], fillvalue=len(line.text)):
        cell = line.text[start:end]
        if end == len(line.text) and start and not cell.strip():
            return  # nothing after the last bar
        first = line.start + start + len(cell) - len(cell.lstrip())
        yield first, first + len(cell.strip())


def _take_paragraph(lines: list[_Line], at: int, pen: _Pen, kind: BlockKind) -> int:
    """Lines up to a blank one or the start of something else; an underline makes it a heading."""
    if kind == "paragraph" and _is_bold_heading(lines, at):
        pen.heading([lines[at]], _BOLD_LEVEL, lines[at].text)
        return at + 1
    end = at + 1
    while end < len(lines) and not _starts_block(lines, end):
        underline = _SETEXT.match(lines[end].text)
        if underline and kind == "paragraph":
            text = " ".join(line.text for line in lines[at:end])
            if underline.group(1)[0] == "-" and not _may_be_underlined(text):
                break  # a rule below a paragraph
            pen.heading(lines[at : end + 1], 1 if underline.group(1)[0] == "=" else 2, text)
            return end + 1
        end += 1
    if kind == "list_item":
        pen.item(lines[at:end])
    else:
        pen.block(kind, lines[at:end])
    return end


def _is_bold_heading(lines: list[_Line], at: int) -> bool:
    """A short line that is bold from end to end, above other text."""
    found = _BOLD_LINE.fullmatch(lines[at].text)
    if not found or not may_be_bold_heading(found.group(2)):
        return False
    below = next((line.text for line in lines[at + 1 :] if not line.blank), "")
    return bool(below) and not _ATX.match(below) and not _BOLD_LINE.fullmatch(below)


def _may_be_underlined(text: str) -> bool:
    return len(text) <= 120 and not text.rstrip().endswith((".", ";", ","))


def _starts_block(lines: list[_Line], at: int) -> bool:
    text = lines[at].text
    return (
        lines[at].blank
        or bool(_FENCE.match(text) or _ATX.match(text) or _ITEM.match(text))
        or _is_table(lines, at)
    )
