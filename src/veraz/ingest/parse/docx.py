"""DOCX: paragraphs, headings, lists, tables, notes and text boxes, read without a tree of the whole."""

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.docx_run import Paragraph, W, is_on, number_of, paragraphs_of
from veraz.ingest.parse.docx_styles import Styles
from veraz.ingest.parse.drawing import graphic_texts
from veraz.ingest.parse.embedded import in_package, write_embedded
from veraz.ingest.parse.headings import may_be_bold_heading
from veraz.ingest.parse.ooxml import Element, Package
from veraz.ingest.parse.tables import Cell, Grid, write_table

_WATCHED = (f"{W}p", f"{W}tr", f"{W}tbl", f"{W}txbxContent")
_BOLD_LEVEL, _BOLD_LINES_MAX = 8, 2
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
            _notes(package, related[kind], builder, styles)
    _graphics(package, builder)
    _headers_and_footers(package, main, builder, styles)
    write_embedded(source, builder, in_package(package, main))
    builder.leave_out("words", styles.hidden.words)
    return builder.finish(package.about())


class _Body:
    """Takes each paragraph or table row as soon as it is complete, then forgets it."""

    def __init__(self, builder: Builder, styles: Styles) -> None:
        self._builder = builder
        self._styles = styles
        self._tables = 0
        self._boxes = 0
        self._bold: list[str] = []
        self._grid = Grid()
        self._singles: dict[int, list[Paragraph]] = {}

    def run(self, package: Package, main: str) -> None:
        for event, element in package.events(main, "start", "end", tags=_WATCHED):
            if event == "start":
                self._start(element)
            else:
                self._end(element)
        self._write_bold(as_headings=False)

    def _start(self, element: Element) -> None:
        if element.tag == f"{W}tbl":
            self._tables += 1
        elif element.tag == f"{W}txbxContent":
            self._boxes += 1

    def _end(self, element: Element) -> None:
        tag = element.tag
        if tag == f"{W}tbl":
            self._tables -= 1
            if not self._tables and not self._boxes:
                self._write_table()
        elif tag == f"{W}txbxContent":
            self._boxes -= 1
        elif self._boxes:
            return
        elif tag == f"{W}p" and not self._tables:
            self._write(element)
        elif tag == f"{W}tr" and self._tables == 1:
            self._row(element)

    def _write(self, element: Element) -> None:
        for paragraph in paragraphs_of(element, self._styles.hidden):
            self._paragraph(paragraph)
        _forget(element)

    def _paragraph(self, paragraph: Paragraph) -> None:
        level = self._styles.heading_level(paragraph)
        listed = self._styles.is_list_item(paragraph)
        if level is None and not listed and not paragraph.plain and may_be_bold_heading(paragraph.text):
            self._bold.append(paragraph.text)
            return
        self._write_bold(as_headings=level is None)
        if level is not None and 0 < len(paragraph.text) < 400:
            self._builder.heading(self._styles.label(paragraph) + paragraph.text, level)
        elif listed:
            text = self._styles.label(paragraph) + paragraph.text
            self._builder.add("list_item", text, depth=self._styles.depth(paragraph))
        else:
            self._running_text(paragraph)

    def _running_text(self, paragraph: Paragraph) -> None:
        """A paragraph; a short bold first line is the heading of its rest."""
        rest = paragraph.text[len(paragraph.bold_line) :]
        if may_be_bold_heading(paragraph.bold_line) and rest.strip():
            self._builder.heading(paragraph.bold_line, _BOLD_LEVEL)
            self._builder.add("paragraph", rest)
        else:
            self._builder.add("paragraph", paragraph.text)

    def _write_bold(self, *, as_headings: bool) -> None:
        """Short bold lines are headings of what follows them, below those that have a style."""
        lines, self._bold = self._bold, []
        for at, text in enumerate(lines):
            if as_headings and len(lines) <= _BOLD_LINES_MAX:
                self._builder.heading(text, _BOLD_LEVEL + at)
            else:
                self._builder.add("paragraph", text)

    def _row(self, row: Element) -> None:
        if is_on(row.find(f"{W}trPr/{W}hidden")):
            self._builder.leave_out("rows", 1)
        elif row.find(f"{W}trPr/{W}del") is None:
            own = [cell for cell in row.iterfind(f".//{W}tc") if _own(cell, row)]
            if len(own) == 1:
                self._singles[len(self._grid.rows)] = paragraphs = list(
                    paragraphs_of(own[0], self._styles.hidden)
                )
                self._grid.add([Cell(" ".join(paragraph.text for paragraph in paragraphs))])
            else:
                marked = row.find(f"{W}trPr/{W}tblHeader") is not None
                self._grid.add([self._cell(cell) for cell in own], header=marked)
        _forget(row)

    def _cell(self, cell: Element) -> Cell:
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        across = number_of(cell.find(f"{W}tcPr/{W}gridSpan")) or 1
        if merge is not None and merge.get(f"{W}val") != "restart":
            return Cell(None, across)
        text = " ".join(self._styles.label(p) + p.text for p in paragraphs_of(cell, self._styles.hidden))
        return Cell(text, across)

    def _write_table(self) -> None:
        """A row with one cell lays the page out or names what follows: its paragraphs are ordinary ones."""
        rows, singles = self._grid.rows, self._singles
        self._grid, self._singles = Grid(), {}
        if any(not row.title for row in rows):
            self._write_bold(as_headings=True)
        write_table(
            self._builder, rows, write_title=lambda number: self._write_single(singles.get(number, []))
        )

    def _write_single(self, paragraphs: list[Paragraph]) -> None:
        for paragraph in paragraphs:
            self._paragraph(paragraph)
        self._write_bold(as_headings=False)


def _own(cell: Element, row: Element) -> bool:
    """Whether a cell belongs to this row and not to a table inside one of its cells."""
    return next(cell.iterancestors(f"{W}tr")) is row


def _forget(element: Element) -> None:
    """Free what was written: a whole thesis as a tree takes a gigabyte."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _notes(package: Package, name: str, builder: Builder, styles: Styles) -> None:
    builder.enter()
    for _, note in package.events(name, "end", tags=(f"{W}footnote", f"{W}endnote")):
        if note.get(f"{W}type") not in _SEPARATORS:
            builder.add("note", " ".join(p.text for p in paragraphs_of(note, styles.hidden)))
        note.clear()


def _graphics(package: Package, builder: Builder) -> None:
    for name in (*package.names("word/charts/chart"), *package.names("word/diagrams/data")):
        builder.add("note", "\n".join(graphic_texts(package, name)))


def _headers_and_footers(package: Package, main: str, builder: Builder, styles: Styles) -> None:
    """Each different line once: they are repeated on every page and in every section."""
    seen: set[str] = set()
    builder.enter()
    for relation in package.relations(main):
        if relation.kind in ("header", "footer") and package.has(relation.target):
            try:
                root = package.tree(relation.target)
            except errors.Corrupt:
                continue  # a damaged footer does not cost the document
            for paragraph in paragraphs_of(root, styles.hidden):
                text = one_line(paragraph.text)
                if text and not text.isdigit() and text not in seen:
                    seen.add(text)
                    builder.add("note", text)
