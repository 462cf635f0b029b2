"""The text inside Word paragraphs: what is deleted, hidden or said twice is left out."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from lxml import etree

from veraz.ingest.parse.ooxml import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_TEXT = frozenset({f"{W}t", f"{_M}t", f"{_A}t"})
_MARKS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
}
_SKIPPED = frozenset(
    {
        f"{W}del",
        f"{W}moveFrom",
        f"{W}pPr",
        f"{W}rPr",
        f"{W}tblPr",
        f"{W}tcPr",
        f"{W}trPr",
        f"{W}sdtPr",
        f"{W}rt",
    }
)
_OFF = frozenset({"0", "false", "off"})


@dataclass(slots=True)
class Paragraph:
    """One paragraph: its text and what decides whether it is a heading or a list item."""

    style: str | None = None
    outline: int | None = None
    numbering: tuple[str, int] | None = None
    pieces: list[str] = field(default_factory=list)
    plain: bool = False
    """Some of its letters are not bold."""
    bold_line: str = ""
    """Its first line, where a line break follows it and all of it is bold."""

    @property
    def text(self) -> str:
        """The visible text."""
        return "".join(self.pieces)


@dataclass(slots=True)
class HiddenText:
    """How a document hides text, and how much of it was passed over."""

    styles: Set[str] = frozenset()
    """Those whose text nobody sees."""
    words: int = 0

    def covers(self, node: Element, around: Sequence[Paragraph]) -> bool:
        """Whether it is a run that nobody sees; its words are counted."""
        if node.tag != f"{W}r" or not _is_hidden(node, around, self.styles):
            return False
        self.words += len("".join(piece.text or "" for piece in node.iter(*_TEXT)).split())
        return True


def paragraphs_of(element: Element, hidden: HiddenText) -> Iterator[Paragraph]:
    """Every paragraph with text in an element, those of its text boxes after their host."""
    open_paragraphs: list[Paragraph] = []
    done: list[Paragraph] = []
    bold = False
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        tag = node.tag
        if tag == f"{W}p":
            if event == "start":
                open_paragraphs.append(_properties(node))
                done.append(open_paragraphs[-1])
            else:
                open_paragraphs.pop()
        elif event == "end":
            continue
        elif _left_out(node) or hidden.covers(node, open_paragraphs[-1:]):
            walker.skip_subtree()
        elif tag == f"{W}r":
            bold = is_on(node.find(f"{W}rPr/{W}b"))
        elif open_paragraphs and (piece := _piece(node)):
            _add(open_paragraphs[-1], piece, bold=bold)
    return (paragraph for paragraph in done if paragraph.text.strip())


def _add(paragraph: Paragraph, piece: str, *, bold: bool) -> None:
    if piece == "\n" and not paragraph.plain and not paragraph.bold_line:
        paragraph.bold_line = paragraph.text
    paragraph.pieces.append(piece)
    paragraph.plain |= not bold and not piece.isspace()


def _piece(node: Element) -> str:
    if node.tag in _TEXT:
        return node.text or ""
    return _MARKS.get(str(node.tag), "")


def _left_out(node: Element) -> bool:
    if node.tag in _SKIPPED:
        return True
    if node.tag == f"{_MC}Fallback":
        # The same drawing for older programs: the first choice has said it already.
        previous = node.getprevious()
        return previous is not None and previous.tag == f"{_MC}Choice"
    return False


def _is_hidden(run: Element, around: Sequence[Paragraph], hidden: Set[str]) -> bool:
    """Whether nobody sees a run: by its own switch, else by its style or that of its paragraph."""
    switch = run.find(f"{W}rPr/{W}vanish")
    if switch is not None or not hidden:
        return is_on(switch)
    own = run.find(f"{W}rPr/{W}rStyle")
    return any(paragraph.style in hidden for paragraph in around) or (
        own is not None and own.get(f"{W}val") in hidden
    )


def is_on(switch: Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return switch is not None and switch.get(f"{W}val") not in _OFF


def _properties(node: Element) -> Paragraph:
    properties = node.find(f"{W}pPr")
    if properties is None:
        return Paragraph()
    style = properties.find(f"{W}pStyle")
    return Paragraph(
        style=None if style is None else style.get(f"{W}val"),
        outline=number_of(properties.find(f"{W}outlineLvl")),
        numbering=numbering_of(properties),
    )


def number_of(element: Element | None) -> int | None:
    """The whole number in an element's value."""
    value = "" if element is None else element.get(f"{W}val", "")
    return int(value) if value.isdigit() else None


def numbering_of(properties: Element) -> tuple[str, int] | None:
    """The list a paragraph belongs to and its depth in it."""
    number = properties.find(f"{W}numPr/{W}numId")
    if number is None:
        return None
    return number.get(f"{W}val", "0"), number_of(properties.find(f"{W}numPr/{W}ilvl")) or 0
