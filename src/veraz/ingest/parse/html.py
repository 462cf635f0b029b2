"""HTML: the body a visitor sees, without navigation, scripts and whatever is hidden."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veraz import errors
from veraz.ingest.model import BlockKind, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.finish import About, read_date
from veraz.ingest.parse.headings import may_be_bold_heading
from veraz.ingest.parse.html_styles import mark_hidden, sight_in
from veraz.ingest.parse.size import too_large
from veraz.ingest.parse.tables import Cell, Grid, write_table
from veraz.ingest.parse.text import decode

# fmt: off
_DROPPED = frozenset({
    "script", "style", "noscript", "template", "nav", "iframe", "object", "embed", "svg", "canvas", "head",
    "select", "button", "audio", "video", "map",
})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend",
    "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})
# fmt: on
_BOLD = frozenset({"b", "strong"})
_LISTS = frozenset({"ul", "ol", "dl", "dd"})
"""Each nests what is in it one deeper; what defines a term stands under the term."""
_BOLD_LEVEL = 7
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WHITE = re.compile(r"\s+")
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_DATES = ("article:published_time", "date", "dc.date", "dcterms.created", "dcterms.date", "datepublished")
_CONTAINERS = re.compile(
    r"<(/?)(?:div|span|blockquote|section|article|ul|ol|dl|table|font|b|i|u|em|strong|a|small|big)[\s>]",
    re.IGNORECASE,
)
_UNCLOSED_MAX = 10_000
_MAY_BE_HIDDEN = "[hidden], [aria-hidden=true], [style]"
_LAYOUT = "table, h1, h2, h3, h4, p + p, ul, ol, div div"


def read(source: Source) -> Parsed:
    """Headings, paragraphs, lists, code and tables of the page's body."""
    markup = _decode(source.data)
    if not markup.strip("\x00 \t\r\n"):
        raise errors.EmptyDocument()
    _refuse_endless_nesting(source, markup)
    tree = LexborHTMLParser(markup)
    mark_hidden(tree)
    builder = Builder(source, unit="section")
    root = tree.body or tree.root
    if root is not None:
        _Walk(builder).run(root)
    return builder.finish(_about(tree))


def _refuse_endless_nesting(source: Source, markup: str) -> None:
    """The parser's time grows with the square of the depth; no page is ten thousand levels deep."""
    depth = 0
    for found in _CONTAINERS.finditer(markup):
        depth += -1 if found.group(1) else 1
        if depth > _UNCLOSED_MAX:
            raise too_large(source, _UNCLOSED_MAX, "levels of nesting", es="niveles de anidamiento")


class _Walk:
    """Goes down the tree with a stack of its own: a page may nest deeper than Python may recurse."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._text: list[str] = []
        self._kinds: list[BlockKind | int] = ["paragraph"]
        self._lists = 0
        self._bold = 0
        self._plain = False
        """Some letters of the block at hand are not bold."""
        self._bold_line: str | None = None
        """A short bold line: a heading if text follows."""

    def run(self, root: LexborNode) -> None:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node.tag or "")
            elif node.is_text_node:
                self._take_text(node.text_content or "")
            elif node.is_element_node and not _hidden(node):
                self._enter(node, stack)
            elif node.is_element_node:
                self._builder.leave_out("words", _count_words(node))
        self._flush()
        self._write_bold_line(as_heading=False)

    def _enter(self, node: LexborNode, stack: list[tuple[LexborNode, bool]]) -> None:
        tag = node.tag or ""
        if tag == "br" and self._holds_bold_line():
            self._flush()
        elif tag == "br":
            self._text.append("\n")
        elif tag == "table" and not _is_layout(node):
            self._flush()
            self._write_bold_line(as_heading=True)
            self._table(node)
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._flush()
            if tag in _LISTS and not self._lists:
                self._builder.begin_list()
            self._lists += tag in _LISTS
            self._kinds.append(_kind_of(tag, self._kinds[-1]))
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(_children(node))))
        else:
            if tag in _BOLD:
                self._bold += 1
                stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(_children(node))))

    def _leave(self, tag: str) -> None:
        if tag in _BOLD:
            self._bold -= 1
            return
        self._flush()
        self._kinds.pop()
        self._lists -= tag in _LISTS

    def _take_text(self, text: str) -> None:
        self._text.append(self._shown(text))
        self._plain |= not self._bold and not text.isspace()

    def _flush(self) -> None:
        text, kind = "".join(self._text), self._kinds[-1]
        bold = self._holds_bold_line()
        self._text.clear()
        self._plain = False
        if not text.strip():
            return
        self._write_bold_line(as_heading=not bold and not isinstance(kind, int))
        if bold:
            self._bold_line = text
        elif isinstance(kind, int):
            self._builder.heading(text, kind)
        else:
            self._builder.add(kind, text, depth=max(0, self._lists - 1))

    def _holds_bold_line(self) -> bool:
        """Whether the block at hand is, so far, a short bold line that may be a heading."""
        return self._kinds[-1] == "paragraph" and not self._plain and may_be_bold_heading("".join(self._text))

    def _write_bold_line(self, *, as_heading: bool) -> None:
        """A bold line alone is the heading of what follows, below those that are marked as such."""
        line, self._bold_line = self._bold_line, None
        if line and as_heading:
            self._builder.heading(line, _BOLD_LEVEL)
        elif line:
            self._builder.add("paragraph", line)

    def _shown(self, text: str) -> str:
        """White space as a browser shows it: only `<br>` and `<pre>` break lines."""
        return text if self._kinds[-1] == "code" else _WHITE.sub(" ", text)

    def _table(self, table: LexborNode) -> None:
        for caption in table.css("caption"):
            self._builder.add("paragraph", _visible_text(caption))
        grids: dict[int, Grid] = {}
        for row in table.css("tr"):
            if not _hidden_within(row, table):
                cells = _cells(row)
                grid = grids.setdefault(_table_of(row), Grid())
                grid.add([_cell(cell) for cell in cells], header=_names_columns(row, cells))
        for grid in grids.values():
            write_table(self._builder, grid.rows)
        self._builder.leave_out("words", _hidden_words(table))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _hidden(node: LexborNode) -> bool:
    if node.tag in _DROPPED:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or sight_in(attributes.get("style") or "") == "hidden"
    )


def _hidden_within(node: LexborNode, outer: LexborNode) -> bool:
    """Whether a node, or one it lies in, is hidden."""
    inner: LexborNode | None = node
    while inner is not None and inner.mem_id != outer.mem_id:
        if _hidden(inner):
            return True
        inner = inner.parent
    return False


def _hidden_words(table: LexborNode) -> int:
    """How many words of a table are hidden."""
    return sum(
        _count_words(node)
        for node in table.css(_MAY_BE_HIDDEN)
        if _hidden(node) and node.parent is not None and not _hidden_within(node.parent, table)
    )


def _count_words(node: LexborNode) -> int:
    """How many words something hidden has; scripts, navigation and the like are not text of the page."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.is_text_node:
            pieces.append(current.text_content or "")
        elif current.is_element_node and current.tag not in _DROPPED:
            stack.extend(reversed(list(_children(current))))
    return len(" ".join(pieces).split())


def _kind_of(tag: str, outer: BlockKind | int) -> BlockKind | int:
    if tag in _HEADINGS:
        return _HEADINGS[tag]
    if tag in ("li", "dt", "dd"):
        return "list_item"
    if tag == "pre":
        return "code"
    return outer


def _is_layout(table: LexborNode) -> bool:
    """Tables that arrange a page hold whole blocks in their cells; tables of data hold values."""
    if table.css_first("th") is not None:
        return False
    return any(cell.css_first(_LAYOUT) is not None for cell in table.css("td")[:50])


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in _children(row) if cell.tag in ("td", "th") and not _hidden(cell)]


def _table_of(row: LexborNode) -> int:
    """Which table a row belongs to: one inside a cell of another is a table of its own."""
    node = row.parent
    while node is not None and node.tag != "table":
        node = node.parent
    return node.mem_id if node is not None else 0


def _cell(cell: LexborNode) -> Cell:
    return Cell(_visible_text(cell), _count(cell, "colspan"), _count(cell, "rowspan"))


def _count(cell: LexborNode, attribute: str) -> int:
    value = (cell.attributes.get(attribute) or "").strip()
    return int(value) if value.isdecimal() and len(value) < 6 else 1


def _names_columns(row: LexborNode, cells: list[LexborNode]) -> bool:
    in_head = row.parent is not None and row.parent.tag == "thead"
    return len(cells) > 1 and (in_head or all(cell.tag == "th" for cell in cells))


def _visible_text(node: LexborNode) -> str:
    """Text of a cell, hidden parts left out, blocks apart."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.is_text_node:
            pieces.append(current.text_content or "")
        elif current is node or (current.is_element_node and current.tag != "table" and not _hidden(current)):
            if current.tag == "br" or current.tag in _BLOCKS:
                pieces.append(" ")
            stack.extend(reversed(list(_children(current))))
    return "".join(pieces)


def _decode(data: bytes) -> str:
    found = _CHARSET.search(data[:4096])
    if found and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        name = found.group(1).decode("ascii", "replace").lower()
        try:
            # Pages that say latin-1 are read as Windows-1252 by every browser.
            return data.decode("cp1252" if name in ("iso-8859-1", "latin1", "us-ascii") else name)
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data)


def _about(tree: LexborHTMLParser) -> About:
    metas = {
        (node.attributes.get("name") or node.attributes.get("property") or "").lower(): (
            node.attributes.get("content") or ""
        )
        for node in tree.css("meta[content]")
    }
    title = tree.css_first("title")
    root = tree.css_first("html")
    return About(
        title=title.text() if title else metas.get("og:title"),
        author=metas.get("author") or metas.get("dc.creator") or None,
        created_date=next(filter(None, (read_date(metas.get(name)) for name in _DATES)), None),
        language=(root.attributes.get("lang") if root else None) or metas.get("language"),
    )
