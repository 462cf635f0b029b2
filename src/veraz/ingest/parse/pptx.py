"""PPTX: slides in the order they are shown, titles as headings, tables by row, speaker notes; hidden slides are left out."""

from collections.abc import Iterator

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.drawing import A, graphic_texts, shape_paragraphs
from veraz.ingest.parse.embedded import in_package, write_embedded
from veraz.ingest.parse.ooxml import Element, Package
from veraz.ingest.parse.tables import Cell, Grid, write_table

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_FOOTERS = frozenset({"ftr", "hdr"})
_SLIDES_MAX = 10_000
_ON, _OFF = frozenset({"1", "true"}), frozenset({"0", "false"})


def read(source: Source) -> Parsed:
    """Each slide's title, text, tables and notes."""
    package = Package(source.data)
    main = package.main("ppt/presentation.xml")
    slides = _slides_in_order(package, main)
    builder = Builder(source, unit="slide")
    shown: list[str] = []
    for number, name in enumerate(slides[:_SLIDES_MAX], 1):
        root = package.tree(name)
        if root.get("show") in _OFF:
            builder.leave_out("slides", 1)
            continue
        shown.append(name)
        _write_slide(package, name, root, number, builder)
        write_embedded(source, builder, in_package(package, name))
    _write_background(package, shown, builder)
    about = package.about()
    return builder.finish(
        type(about)(
            title=about.title, author=about.author, created_date=about.created_date, page_count=len(slides)
        )
    )


def _slides_in_order(package: Package, main: str) -> list[str]:
    targets = {relation.id: relation.target for relation in package.relations(main)}
    listed = [targets.get(item.get(_R_ID, "")) for item in package.tree(main).iter(f"{P}sldId")]
    names = [name for name in listed if name and package.has(name)]
    return names or package.names("ppt/slides/slide")


def _write_slide(package: Package, name: str, root: Element, number: int, builder: Builder) -> None:
    shapes = list(_shapes(root))
    titles = [" ".join(text for _, text in shape_paragraphs(s)) for s in shapes if _placeholder(s) in _TITLES]
    title = " ".join(" ".join(titles).split())
    builder.enter(page=number, part=title or None)
    builder.heading(title, 1)
    for shape in shapes:
        if _placeholder(shape) not in _TITLES | _FURNITURE:
            _write_shape(shape, builder)
    for relation in package.relations(name):
        if relation.kind in ("chart", "diagramData") and package.has(relation.target):
            builder.add("paragraph", "\n".join(graphic_texts(package, relation.target)))
        elif relation.kind == "notesSlide" and package.has(relation.target):
            _write_notes(package, relation.target, builder)


def _write_background(package: Package, slides: list[str], builder: Builder) -> None:
    """What layouts, masters and footers show on every slide, once; placeholders of layouts are only prompts."""
    layouts = dict.fromkeys(_related(package, slides, "slideLayout"))
    masters = dict.fromkeys(_related(package, list(layouts), "slideMaster"))
    texts: dict[str, None] = {}
    for name in (*layouts, *masters):
        for shape in _shapes(package.tree(name)):
            if shape.find(f".//{P}ph") is None:
                texts[_text(shape)] = None
    for name in slides:
        texts |= dict.fromkeys(_text(s) for s in _shapes(package.tree(name)) if _placeholder(s) in _FOOTERS)
    builder.enter()
    for text in texts:
        builder.add("note", text)


def _related(package: Package, names: list[str], kind: str) -> Iterator[str]:
    for name in names:
        for relation in package.relations(name):
            if relation.kind == kind and package.has(relation.target):
                yield relation.target


def _shapes(root: Element) -> Iterator[Element]:
    """Shapes and frames in drawing order, those inside groups too, alternatives once."""
    for shape in root.iter(f"{P}sp", f"{P}graphicFrame", f"{P}cxnSp"):
        if next(shape.iterancestors(_FALLBACK), None) is None:
            yield shape


def _text(shape: Element) -> str:
    return "\n".join(text for _, text in shape_paragraphs(shape))


def _placeholder(shape: Element) -> str | None:
    found = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return None if found is None else found.get("type", "body")


def _write_shape(shape: Element, builder: Builder) -> None:
    tables = list(shape.iter(f"{A}tbl"))
    for table in tables:
        _write_table(table, builder)
    if not tables:
        bullets = _placeholder(shape) in ("body", "obj")
        for depth, text in shape_paragraphs(shape):
            builder.add("list_item" if bullets else "paragraph", text, depth=depth)


def _write_table(table: Element, builder: Builder) -> None:
    properties = table.find(f"{A}tblPr")
    marked = properties is not None and properties.get("firstRow") in _ON
    grid = Grid()
    for row in table.iter(f"{A}tr"):
        cells = [_cell(cell) for cell in row.iter(f"{A}tc") if cell.get("hMerge") not in _ON]
        grid.add(cells, header=marked and not grid.rows and len(cells) > 1)
    write_table(builder, grid.rows)


def _cell(cell: Element) -> Cell:
    across = cell.get("gridSpan", "1")
    text = " ".join(text for _, text in shape_paragraphs(cell))
    goes_on = cell.get("vMerge") in _ON
    return Cell(None if goes_on else text, int(across) if across.isdigit() else 1)


def _write_notes(package: Package, name: str, builder: Builder) -> None:
    try:
        root = package.tree(name)
    except errors.Corrupt:
        return  # damaged notes do not cost the slide
    for shape in _shapes(root):
        if _placeholder(shape) not in _FURNITURE:
            builder.add("note", _text(shape))
