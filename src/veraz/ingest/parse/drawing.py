"""Words inside charts and diagrams, and the paragraphs of DrawingML shapes."""

from collections.abc import Iterator

from lxml import etree

from veraz import errors
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.ooxml import Element, Package

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


def graphic_texts(package: Package, name: str) -> list[str]:
    """The different words a chart or diagram shows: titles, series, categories, labels."""
    try:
        root = package.tree(name)
    except errors.Corrupt:
        return []  # a damaged picture does not cost the document
    texts = [text for _, text in shape_paragraphs(root)]
    for cache in root.iter(f"{_C}strCache"):
        texts += [one_line(value.text or "") for value in cache.iter(f"{_C}v")]
    return list(dict.fromkeys(text for text in texts if text))


def shape_paragraphs(shape: Element) -> Iterator[tuple[int, str]]:
    """Depth and text of each paragraph (`a:p`) in a shape, once."""
    walker = etree.iterwalk(shape, events=("start", "end"))
    pieces: list[str] = []
    for event, node in walker:
        tag = node.tag
        if event == "start" and tag == f"{_MC}Fallback":
            walker.skip_subtree()
        elif event == "start" and tag == f"{A}p":
            pieces = []
        elif event == "start":
            pieces.append(_piece(node))
        elif tag == f"{A}p":
            text = "".join(pieces).strip()
            if text:
                yield _depth(node), text


def _piece(node: Element) -> str:
    if node.tag == f"{A}t":
        return node.text or ""
    if node.tag == f"{A}br":
        return "\n"
    return "\t" if node.tag == f"{A}tab" else ""


def _depth(paragraph: Element) -> int:
    properties = paragraph.find(f"{A}pPr")
    level = "0" if properties is None else properties.get("lvl", "0")
    return int(level) if level.isdigit() else 0
