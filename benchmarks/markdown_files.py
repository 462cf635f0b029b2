"""Markdown as HTML, Word or PDF files, with the standard library: what benchmarks upload in several formats.

Knows what the guides of benchmarks/data use: headings, paragraphs, `-` lists, tables and bold.
"""

import io
import re
import textwrap
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A heading (level 1–6), paragraph or list item (lines), or table (rows of cells)."""

    kind: str
    level: int = 0
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def convert(markdown: str, form: str) -> bytes:
    """The file's bytes in `form`: md, html, docx or pdf."""
    if form == "md":
        return markdown.encode()
    pieces = list(_pieces(markdown))
    return {"html": _html, "docx": _docx, "pdf": _pdf}[form](pieces)


def _pieces(markdown: str) -> Iterator[Piece]:
    """A heading, list or table also ends the paragraph before it."""
    paragraph: list[str] = []
    table: list[tuple[str, ...]] = []
    for line in [*markdown.splitlines(), ""]:
        if table and not line.startswith("|"):
            yield Piece(kind="table", rows=tuple(table))
            table = []
        if line.startswith("|"):
            if not re.fullmatch(r"[|\- :]+", line):
                table.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        marked = re.match(r"(#{1,6}|-) (.+)", line)
        if paragraph and (marked or not line.strip()):
            yield Piece(kind="p", lines=tuple(paragraph))
            paragraph = []
        if marked:
            kind = "li" if marked[1] == "-" else "h"
            yield Piece(kind=kind, level=len(marked[1]), lines=(marked[2],))
        elif line.strip():
            paragraph.append(line)


# --- HTML -----------------------------------------------------------------------------------------------------------


def _html(pieces: list[Piece]) -> bytes:
    title = escape(pieces[0].lines[0])
    body = re.sub(r"</ul>\n<ul>\n", "", "\n".join(map(_html_piece, pieces)))
    return f"<!doctype html>\n<html><head><meta charset='utf-8'><title>{title}</title></head><body>\n{body}\n</body></html>\n".encode()


def _html_piece(piece: Piece) -> str:
    if piece.kind == "table":
        first, *rest = piece.rows
        head = "".join(f"<th>{escape(cell)}</th>" for cell in first)
        rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rest]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in [head, *rows]) + "</table>"
    text = BOLD.sub(r"<strong>\1</strong>", "<br>\n".join(map(escape, piece.lines)))
    if piece.kind == "li":
        return f"<ul>\n<li>{text}</li>\n</ul>"
    tag = f"h{piece.level}" if piece.kind == "h" else "p"
    return f"<{tag}>{text}</{tag}>"


# --- Word -----------------------------------------------------------------------------------------------------------

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def _docx(pieces: list[Piece]) -> bytes:
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(
            f'<Override PartName="/word/{name}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
            for name, kind in (
                ("document", "document.main"),
                ("styles", "styles"),
                ("numbering", "numbering"),
            )
        )
        + "</Types>",
        "_rels/.rels": _relations("officeDocument", folder="word/", names=("document",)),
        "word/_rels/document.xml.rels": _relations(None, folder="", names=("styles", "numbering")),
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(map(_docx_piece, pieces))}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{"".join(map(_heading_style, range(1, 7)))}</w:styles>',
        "word/numbering.xml": f'<w:numbering xmlns:w="{_WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
    }
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' + text)
    return raw.getvalue()


def _relations(kind: str | None, *, folder: str, names: tuple[str, ...]) -> str:
    rows = (
        f'<Relationship Id="r{i}" Type="{_OFFICE}/{kind or name}" Target="{folder}{name}.xml"/>'
        for i, name in enumerate(names)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(rows)}</Relationships>'


def _heading_style(level: int) -> str:
    return f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/><w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'


def _docx_piece(piece: Piece) -> str:
    if piece.kind == "table":
        rows = ("".join(f"<w:tc>{_docx_paragraph((cell,))}</w:tc>" for cell in row) for row in piece.rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    style = {
        "h": f'<w:pStyle w:val="Heading{piece.level}"/>',
        "li": '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
    }.get(piece.kind, "")
    return _docx_paragraph(piece.lines, style)


def _docx_paragraph(lines: tuple[str, ...], style: str = "") -> str:
    runs = "<w:r><w:br/></w:r>".join(_docx_runs(line) for line in lines)
    return f"<w:p><w:pPr>{style}</w:pPr>{runs}</w:p>"


def _docx_runs(line: str) -> str:
    """Every second piece of a split at bold text is bold."""
    runs = [(text, i % 2 == 1) for i, text in enumerate(BOLD.split(line)) if text]
    return "".join(
        f'<w:r><w:rPr>{"<w:b/>" * bold}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
        for text, bold in runs
    )


# --- PDF ------------------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _MARGIN = 595, 842, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """A line of text: font (F1 regular, F2 bold), size, distance from the left edge, and room above it."""

    text: str
    font: str = "F1"
    size: int = 11
    left: int = _MARGIN
    above: int = 0
    same_line: bool = False


def _pdf(pieces: list[Piece]) -> bytes:
    pages = [b"\n".join(page) for page in _laid_out([line for p in pieces for line in _drawn(p)])]
    first = 5
    kids = " ".join(f"{first + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        *(
            f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode()
            for name in ("Helvetica", "Helvetica-Bold")
        ),
    ]
    for i, page in enumerate(pages):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {_WIDTH} {_HEIGHT}]/Contents {first + 2 * i + 1} 0 R"
            "/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>\nstream\n%b\nendstream" % (len(page), page))
    return _pdf_file(objects)


def _pdf_file(objects: list[bytes]) -> bytes:
    """Header, numbered objects, and the table of where each begins."""
    raw, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{len(raw)}\n%%EOF\n"
    return raw + end.encode()


def _drawn(piece: Piece) -> Iterator[_Drawn]:
    """The lines that a piece takes on paper."""
    if piece.kind == "table":
        for number, row in enumerate(piece.rows):
            for column, cell in enumerate(row):
                font, left = "F2" if number == 0 else "F1", _MARGIN + 170 * column
                yield _Drawn(text=cell, font=font, left=left, above=4, same_line=column > 0)
    elif piece.kind == "h":
        size = {1: 20, 2: 16, 3: 14}.get(piece.level, 12)
        for number, line in enumerate(textwrap.wrap(piece.lines[0], 900 // size)):
            yield _Drawn(text=line, font="F2", size=size, above=0 if number else size)
    else:
        bullet = "• " if piece.kind == "li" else ""
        yield from _drawn_lines(bullet + "\n".join(piece.lines), above=2 if bullet else 6)


def _drawn_lines(text: str, above: int) -> Iterator[_Drawn]:
    """A paragraph's lines; one that is bold as a whole, or begins bold, is drawn with a bold lead."""
    lead = re.match(r"(?:• )?\*\*(.+?)\*\*\n?", text)
    if lead:
        yield _Drawn(text=lead[1], font="F2", above=above)
        text, above = text[lead.end() :].strip(), 0
    for number, line in enumerate(textwrap.wrap(text.replace("**", ""), 88)):
        yield _Drawn(text=line, above=0 if number else above)


def _laid_out(lines: list[_Drawn]) -> list[list[bytes]]:
    """Drawing commands, page by page."""
    pages: list[list[bytes]] = [[]]
    height = _HEIGHT - _MARGIN
    for line in lines:
        if not line.same_line:
            height -= line.above + round(line.size * 1.35)
        if height < _MARGIN:
            pages.append([])
            height = _HEIGHT - _MARGIN
        shown = re.sub(rb"([\\()])", rb"\\\1", _windows(line.text))
        place = f"BT /{line.font} {line.size} Tf {line.left} {height} Td (".encode()
        pages[-1].append(place + shown + b") Tj ET")
    return pages


def _windows(text: str) -> bytes:
    """In the encoding of the fonts; the few signs that it lacks, in their nearest form."""
    return text.translate({0x2212: "-", 0x2082: "2"}).encode("cp1252", "replace")
