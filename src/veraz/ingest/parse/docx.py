"""DOCX: paragraphs, headings, lists, tables, notes and text boxes, read without a tree of the whole."""

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.docx_run import Paragraph, W, paragraphs_of
from veraz.ingest.parse.docx_styles import Styles
from veraz.ingest.parse.drawing import graphic_texts
from veraz.ingest.parse.ooxml import Element, Package
from veraz.ingest.parse.records import line

_WATCHED = (f"{W}p", f"{W}tr", f"{W}tbl", f"{W}txbxContent")
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})


def read(source: Source) -> Parsed:
    """The visible text of a Word document in reading order; notes, headers and footers at the end."""
    package = Package(source.data)
    main = package.main("word/document.xml")
    related = {relation.kind: relation.target for relation in package.relations(main)}
    styles = Styles(package, related)
    builder = Builder(source, unit="section")
    _Body(builder, styles).run(package, main)
    for kind in ("footnotes", "endnotes"):
        if related.get(kind) and package.has(related[kind]):
            _notes(package, related[kind], builder)
    _graphics(package, builder)
    _headers_and_footers(package, main, builder)
    return builder.finish(package.about())


class _Body:
    """Takes each paragraph or table row as soon as it is complete, then forgets it."""

    def __init__(self, builder: Builder, styles: Styles) -> None:
        self._builder = builder
        self._styles = styles
        self._tables = 0
        self._boxes = 0
        self._header: str | None = None
        self._first_row = True

    def run(self, package: Package, main: str) -> None:
        for event, element in package.events(main, "start", "end", tags=_WATCHED):
            if event == "start":
                self._start(element)
            else:
                self._end(element)

    def _start(self, element: Element) -> None:
        if element.tag == f"{W}tbl":
            self._tables += 1
            if self._tables == 1 and not self._boxes:
                self._header, self._first_row = None, True
        elif element.tag == f"{W}txbxContent":
            self._boxes += 1

    def _end(self, element: Element) -> None:
        tag = element.tag
        if tag == f"{W}tbl":
            self._tables -= 1
        elif tag == f"{W}txbxContent":
            self._boxes -= 1
        elif self._boxes:
            return
        elif tag == f"{W}p" and not self._tables:
            self._write(element)
        elif tag == f"{W}tr" and self._tables == 1:
            self._row(element)

    def _write(self, element: Element) -> None:
        for paragraph in paragraphs_of(element):
            self._paragraph(paragraph)
        _forget(element)

    def _paragraph(self, paragraph: Paragraph) -> None:
        level = self._styles.heading_level(paragraph)
        if level is not None and 0 < len(paragraph.text) < 400:
            self._builder.heading(self._styles.label(paragraph) + paragraph.text, level)
        elif self._styles.is_list_item(paragraph):
            self._builder.add("list_item", self._styles.label(paragraph) + paragraph.text)
        else:
            self._builder.add("paragraph", paragraph.text)

    def _row(self, row: Element) -> None:
        if row.find(f"{W}trPr/{W}del") is None:
            cells = [list(paragraphs_of(cell)) for cell in row.iterfind(f".//{W}tc") if _own(cell, row)]
            if len(cells) == 1:
                for paragraph in cells[0]:
                    self._paragraph(paragraph)
            else:
                self._table_row(
                    line([" ".join(self._styles.label(p) + p.text for p in cell) for cell in cells])
                )
        _forget(row)

    def _table_row(self, text: str) -> None:
        self._builder.add("table_row", text, table_header=self._header)
        if self._first_row and text:
            self._header, self._first_row = text, False


def _own(cell: Element, row: Element) -> bool:
    """Whether a cell belongs to this row and not to a table inside one of its cells."""
    return next(cell.iterancestors(f"{W}tr")) is row


def _forget(element: Element) -> None:
    """Free what was written: a whole thesis as a tree takes a gigabyte."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _notes(package: Package, name: str, builder: Builder) -> None:
    builder.enter()
    for _, note in package.events(name, "end", tags=(f"{W}footnote", f"{W}endnote")):
        if note.get(f"{W}type") not in _SEPARATORS:
            builder.add("note", " ".join(p.text for p in paragraphs_of(note)))
        note.clear()


def _graphics(package: Package, builder: Builder) -> None:
    for name in (*package.names("word/charts/chart"), *package.names("word/diagrams/data")):
        builder.add("note", "\n".join(graphic_texts(package, name)))


def _headers_and_footers(package: Package, main: str, builder: Builder) -> None:
    """Each different line once: they are repeated on every page and in every section."""
    seen: set[str] = set()
    for relation in package.relations(main):
        if relation.kind in ("header", "footer") and package.has(relation.target):
            try:
                root = package.tree(relation.target)
            except errors.Corrupt:
                continue  # a damaged footer does not cost the document
            for paragraph in paragraphs_of(root):
                text = one_line(paragraph.text)
                if text and not text.isdigit() and text not in seen:
                    seen.add(text)
                    builder.add("note", text)
