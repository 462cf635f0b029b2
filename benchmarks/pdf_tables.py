"""How well and how fast PDF tables become rows: `python benchmarks/pdf_tables.py [documents] [--browser] [--keep FOLDER]`.

Makes Spanish price lists, rate tables and timetables in many looks and reads them back. A cell is right when its row, the
name of its column and its value are right; cells that are not in the table count against it. The first set of looks is
drawn through PDFium; `--browser` prints another set, made of HTML and CSS, with Chromium (found as `chromium`).
"""

import argparse
import ctypes
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from price_lists import NO_BREAK, SENTENCES, MadeTable, make_table

from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

FONTS = ("Helvetica", "Times-Roman", "Courier", "Helvetica", "Times-Roman")
BOLD = {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold", "Courier": "Courier-Bold"}
RULED = ("grid", "columns")
BORDERLESS = ("none", "none", "header line", "row lines", "zebra")


@dataclass(slots=True)
class Look:
    """How a document is set."""

    font: str
    size: float
    padding: float
    style: str
    middle: bool
    bold: bool
    shaded: bool
    repeat: bool
    """The header stands again on every page."""

    @classmethod
    def of(cls, chance: random.Random, style: str) -> "Look":
        return cls(
            font=chance.choice(FONTS),
            size=chance.choice((7.5, 8, 9, 10, 11)),
            padding=chance.choice((1.5, 2, 3, 4, 6)),
            style=style,
            middle=chance.random() < 0.4,
            bold=chance.random() < 0.6,
            shaded=chance.random() < 0.3,
            repeat=chance.random() < 0.7,
        )


@dataclass(slots=True)
class Pen:
    """Draws on the pages of a new PDF from the top down."""

    look: Look
    document: pdfium.PdfDocument = field(default_factory=pdfium.PdfDocument.new)
    page: pdfium.PdfPage = None
    y: float = 0.0
    fonts: dict[str, object] = field(default_factory=dict)

    def begin_page(self) -> None:
        if self.page is not None:
            self.page.gen_content()
        self.page = self.document.new_page(595, 842)
        self.y = 842 - 60
        self.text(60, 842 - 35, "Comercial Ejemplo, S. L. · Lista vigente", 8)
        self.text(60, 30, f"Página {len(self.document)}", 8)

    def finish(self) -> bytes:
        self.page.gen_content()
        out = BytesIO()
        self.document.save(out)
        return out.getvalue()

    def width(self, text: str, size: float, *, bold: bool = False) -> float:
        total, one = 0.0, ctypes.c_float()
        for letter in text.replace(NO_BREAK, " "):
            pdfium_c.FPDFFont_GetGlyphWidth(self._font(bold), ord(letter), size, one)
            total += one.value
        return total

    def text(self, x: float, y: float, text: str, size: float, *, bold: bool = False) -> None:
        item = pdfium_c.FPDFPageObj_CreateTextObj(self.document.raw, self._font(bold), size)
        letters = ctypes.create_string_buffer(text.replace(NO_BREAK, " ").encode("utf-16-le") + b"\0\0")
        pdfium_c.FPDFText_SetText(item, ctypes.cast(letters, ctypes.POINTER(pdfium_c.FPDF_WCHAR)))
        pdfium_c.FPDFPageObj_Transform(item, 1, 0, 0, 1, x, y)
        pdfium_c.FPDFPage_InsertObject(self.page.raw, item)

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        path = pdfium_c.FPDFPageObj_CreateNewPath(x0, y0)
        pdfium_c.FPDFPath_LineTo(path, x1, y1)
        pdfium_c.FPDFPageObj_SetStrokeWidth(path, 0.5)
        pdfium_c.FPDFPath_SetDrawMode(path, 0, 1)
        pdfium_c.FPDFPage_InsertObject(self.page.raw, path)

    def shade(self, x0: float, y0: float, x1: float, y1: float) -> None:
        path = pdfium_c.FPDFPageObj_CreateNewRect(x0, y0, x1 - x0, y1 - y0)
        pdfium_c.FPDFPageObj_SetFillColor(path, 225, 230, 235, 255)
        pdfium_c.FPDFPath_SetDrawMode(path, 1, 0)
        pdfium_c.FPDFPage_InsertObject(self.page.raw, path)

    def wrap(self, text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width(longer, size, bold=bold) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def _font(self, bold: bool) -> object:
        name = BOLD[self.look.font] if bold else self.look.font
        if name not in self.fonts:
            self.fonts[name] = pdfium_c.FPDFText_LoadStandardFont(self.document.raw, name.encode())
        return self.fonts[name]


def draw_document(chance: random.Random, style: str) -> tuple[bytes, list[MadeTable]]:
    """Paragraphs and one or two tables, some of them over several pages."""
    pen = Pen(Look.of(chance, style))
    pen.begin_page()
    tables = list[MadeTable]()
    for _ in range(chance.choice((1, 1, 2))):
        draw_paragraph(pen, chance)
        rows = chance.choice((4, 6, 9, 14, 60))
        tables.append(make_table(chance, rows, merged=style == "grid"))
        TableDrawing(pen, tables[-1], chance).draw()
    draw_paragraph(pen, chance)
    return pen.finish(), tables


def draw_paragraph(pen: Pen, chance: random.Random) -> None:
    text = " ".join(chance.sample(SENTENCES, chance.randrange(1, 4)))
    lines = pen.wrap(text, 475, pen.look.size + 1)
    if pen.y - len(lines) * (pen.look.size + 4) < 120:
        pen.begin_page()
    for line in lines:
        pen.y -= (pen.look.size + 1) * 1.25
        pen.text(60, pen.y, line, pen.look.size + 1)
    pen.y -= chance.choice((8, 14, 22))


class TableDrawing:
    """Sets a table with a pen."""

    def __init__(self, pen: Pen, table: MadeTable, chance: random.Random) -> None:
        self.pen, self.table, self.look = pen, table, pen.look
        self.pitch = pen.look.size * chance.choice((1.15, 1.2, 1.3))
        self.gap = pen.look.padding + (2 if pen.look.style in RULED else 4)
        self.widths = self._widths(chance)
        self.lefts = [60 + sum(self.widths[:at]) for at in range(len(self.widths) + 1)]

    def draw(self) -> None:
        self._header()
        starts, ends = {first for first, _ in self.table.spans}, {last for _, last in self.table.spans}
        for number, row in enumerate(self.table.rows):
            if number in self.table.titles:
                self._row([self.table.titles[number]], whole=True)
            self._row(
                row if not self.table.spans or number in starts else ["", *row[1:]],
                shaded=self.look.style == "zebra" and number % 2 == 1,
                open_first=bool(self.table.spans) and number not in ends,
            )
        if self.look.style in ("columns", "header line"):
            self._across(self.pen.y)
        self.pen.y -= 10

    def _widths(self, chance: random.Random) -> list[float]:
        """As wide as the widest cell, but long ones wrap; stretched over the page in half of the tables."""
        wanted = list[float]()
        for at, name in enumerate(self.table.names):
            cells = [row[at] for row in self.table.rows]
            widest = max(self.pen.width(text, self.look.size) for text in cells)
            words = max(
                self.pen.width(word, self.look.size, bold=True)
                for text in [name, *cells]
                for word in text.split(" ")
            )
            name_width = self.pen.width(name, self.look.size, bold=True)
            wanted.append(max(min(widest, 150), words, min(name_width, 70)) + 2 * self.gap)
        for name, first, last in self.table.groups:
            lacking = (
                self.pen.width(name, self.look.size, bold=True) + 2 * self.gap - sum(wanted[first : last + 1])
            )
            wanted[last] += max(0.0, lacking)
        room = 475 / sum(wanted)
        return [width * room for width in wanted] if room < 1 or chance.random() < 0.5 else wanted

    def _header(self) -> None:
        top = self.pen.y
        depth = 2 if self.table.groups else 1
        lines = [
            self.pen.wrap(name, self.widths[at] - 2 * self.gap + 0.1, self.look.size, bold=self.look.bold)
            for at, name in enumerate(self.table.names)
        ]
        low = max(map(len, lines)) * self.pitch + 2 * self.look.padding
        high = self.pitch + 2 * self.look.padding if depth == 2 else 0.0
        if self.look.shaded:
            self.pen.shade(60, top - high - low, self.lefts[-1], top)
        for name, first, last in self.table.groups:
            self._cell(
                [name], self.lefts[first], self.lefts[last + 1], top, high, "center", bold=self.look.bold
            )
            if self.look.style in RULED:
                self.pen.line(self.lefts[first], top - high, self.lefts[last + 1], top - high)
        grouped = {at for _, first, last in self.table.groups for at in range(first, last + 1)}
        for at, cell in enumerate(lines):
            start = high if at in grouped or self.look.style not in RULED else 0.0
            self._cell(
                cell,
                self.lefts[at],
                self.lefts[at + 1],
                top - start,
                high + low - start,
                self.table.aligns[at],
                bold=self.look.bold,
            )
        self.pen.y = top - high - low
        self._header_lines(top, high)

    def _header_lines(self, top: float, high: float) -> None:
        if self.look.style in RULED:
            inside = {at for _, first, last in self.table.groups for at in range(first + 1, last + 1)}
            for at, x in enumerate(self.lefts):
                self.pen.line(x, top - (high if at in inside else 0), x, self.pen.y)
            self._across(top)
        if self.look.style not in ("none", "zebra"):
            self._across(self.pen.y)

    def _row(
        self, cells: list[str], *, whole: bool = False, shaded: bool = False, open_first: bool = False
    ) -> None:
        rights = [self.lefts[-1]] if whole else self.lefts[1:]
        lines = [
            self.pen.wrap(text, rights[at] - self.lefts[at] - 2 * self.gap + 0.1, self.look.size, bold=whole)
            for at, text in enumerate(cells)
        ]
        height = max(map(len, lines)) * self.pitch + 2 * self.look.padding
        if self.pen.y - height < 60:
            self._turn_page()
        top, bottom = self.pen.y, self.pen.y - height
        if shaded:
            self.pen.shade(60, bottom, self.lefts[-1], top)
        for at, cell in enumerate(lines):
            self._cell(
                cell,
                self.lefts[at],
                rights[at],
                top,
                height,
                "left" if whole else self.table.aligns[at],
                bold=whole and self.look.bold,
            )
        self.pen.y = bottom
        self._row_lines(top, bottom, whole=whole, open_first=open_first)

    def _turn_page(self) -> None:
        if self.look.style == "columns":
            self._across(self.pen.y)
        self.pen.begin_page()
        if self.look.repeat:
            self._header()
        elif self.look.style in RULED:
            self._across(self.pen.y)

    def _row_lines(self, top: float, bottom: float, *, whole: bool, open_first: bool) -> None:
        if self.look.style in RULED:
            for x in (self.lefts[0], self.lefts[-1]) if whole else self.lefts:
                self.pen.line(x, top, x, bottom)
        if self.look.style in ("grid", "row lines"):
            self.pen.line(self.lefts[1] if open_first else self.lefts[0], bottom, self.lefts[-1], bottom)

    def _cell(
        self,
        lines: list[str],
        left: float,
        right: float,
        top: float,
        height: float,
        align: str,
        *,
        bold: bool = False,
    ) -> None:
        used = len(lines) * self.pitch
        free = (height - 2 * self.look.padding - used) / 2 if self.look.middle else 0.0
        y = top - self.look.padding - free - self.look.size * 0.85
        for line in lines:
            width = self.pen.width(line, self.look.size, bold=bold)
            x = {
                "left": left + self.gap,
                "right": right - self.gap - width,
                "center": (left + right - width) / 2,
            }[align]
            if line:
                self.pen.text(x, y, line, self.look.size, bold=bold)
            y -= self.pitch

    def _across(self, y: float) -> None:
        self.pen.line(self.lefts[0], y, self.lefts[-1], y)


def expected_rows(tables: list[MadeTable]) -> list[Counter[tuple[str, str]]]:
    """Each row as its columns' names and values."""
    rows = list[Counter[tuple[str, str]]]()
    for table in tables:
        names = table.columns()
        rows += [
            Counter(
                (name, value.replace(NO_BREAK, " ")) for name, value in zip(names, row, strict=True) if value
            )
            for row in table.rows
        ]
    return rows


def found_rows(parsed: Parsed) -> list[Counter[tuple[str, str]]]:
    """The same from what was read."""
    return [
        Counter(
            (name, parsed.text[start:end])
            for name, (start, end) in zip(block.columns, block.cells, strict=False)
            if start < end
        )
        for block in parsed.blocks
        if block.kind == "table_row" and len(block.cells) > 1
    ]


def right_cells(expected: list[Counter[tuple[str, str]]], found: list[Counter[tuple[str, str]]]) -> int:
    """Cells that both have, each row held against the one it shares most with."""
    left, right = list(found), 0
    for row in expected:
        best = max(left, key=lambda other: (row & other).total(), default=None)
        if best is not None and (row & best).total():
            right += (row & best).total()
            left.remove(best)
    return right


def main() -> None:
    """Makes, reads, counts and prints."""
    options = argparse.ArgumentParser()
    options.add_argument("documents", nargs="?", type=int, default=60)
    options.add_argument("--browser", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=Path)
    chosen = options.parse_args()
    made = printed(chosen.documents, chosen.seed) if chosen.browser else drawn(chosen.documents, chosen.seed)
    scores: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    pages, seconds = 0, 0.0
    for number, (group, style, data, tables) in enumerate(made):
        begun = time.perf_counter()
        parsed = read(Source(data=data, filename="lista.pdf"))
        seconds += time.perf_counter() - begun
        pages += parsed.page_count or 0
        expected, found = expected_rows(tables), found_rows(parsed)
        right = right_cells(expected, found)
        total = max(sum(row.total() for row in expected), sum(row.total() for row in found))
        for name in (group, f"  {style}"):
            scores[name][0] += right
            scores[name][1] += total
        if chosen.keep:
            chosen.keep.mkdir(parents=True, exist_ok=True)
            (chosen.keep / f"{number:03} {style} {right / total:.2f}.pdf").write_bytes(data)
    for name, (right, total) in sorted(scores.items()):
        print(f"{name:24} {right / total:.4f} of {total} cells")
    print(f"{pages} pages, {pages / seconds:.0f} pages/s")


Made = tuple[str, str, bytes, list[MadeTable]]


def drawn(documents: int, seed: int) -> Iterator[Made]:
    """The first set of looks, half of them ruled."""
    chance = random.Random(seed)
    for number in range(documents):
        ruled = number % 2 == 0
        style = chance.choice(RULED if ruled else BORDERLESS)
        yield ("ruled" if ruled else "borderless", style, *draw_document(chance, style))


def printed(documents: int, seed: int) -> Iterator[Made]:
    """The second set of looks: tables of a web page, printed by Chromium."""
    chance = random.Random(seed)
    program = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    for number in range(documents):
        ruled = number % 2 == 0
        style = chance.choice(tuple(CSS_RULED if ruled else CSS_BORDERLESS))
        tables = [
            make_table(chance, chance.choice((3, 5, 8, 12, 45)), merged=ruled and style != "framed columns")
            for _ in range(chance.choice((1, 2, 3)))
        ]
        page = page_of(chance, style, tables)
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "lista.html", Path(folder) / "lista.pdf"
            source.write_text(page, encoding="utf-8")
            command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
            subprocess.run(
                [*command, f"--print-to-pdf={target}", source.as_uri()], check=True, capture_output=True
            )
            yield "ruled" if ruled else "borderless", style, target.read_bytes(), tables


CSS_RULED = {
    "boxed": "td, th { border: 1px solid #444 }",
    "light boxes": "td, th { border: 0.5px solid #bbb }",
    "framed columns": "table { border: 1px solid #000 } td, th { border-left: 1px solid #000 } thead { border-bottom: 1px solid #000 }",
    "double": "table { border: 2px solid #000; border-collapse: separate; border-spacing: 1px } td, th { border: 1px solid #666 }",
}
CSS_BORDERLESS = {
    "plain": "",
    "striped": "tbody tr:nth-child(even) { background: #eee }",
    "underlined head": "thead tr:last-child th { border-bottom: 2px solid #333 }",
    "dotted rows": "tbody td { border-bottom: 1px dotted #999 }",
    "book": "table { border-top: 2px solid #000; border-bottom: 2px solid #000 } thead tr:last-child th { border-bottom: 1px solid #000 }",
}
FACES = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Condensed", "DejaVu Sans Mono")


def page_of(chance: random.Random, style: str, tables: list[MadeTable]) -> str:
    """A web page with some tables between paragraphs."""
    rules = CSS_RULED.get(style, "") or CSS_BORDERLESS.get(style, "")
    size, face = chance.choice((8, 9, 10, 11)), chance.choice(FACES)
    padding = f"{chance.choice((1, 2, 4, 6))}px {chance.choice((5, 8, 12))}px"
    look = (
        f"body {{ font: {size}pt '{face}' }} table {{ border-collapse: collapse; width: {chance.choice(('auto', '100%'))} }}"
        f" td, th {{ padding: {padding}; vertical-align: {chance.choice(('top', 'middle', 'bottom'))} }}"
        f" th {{ font-weight: {chance.choice(('bold', 'normal'))}; background: {chance.choice(('none', '#ddd'))} }} td {{ max-width: 180px }}"
    )
    body = "".join(f"<p>{' '.join(chance.sample(SENTENCES, 2))}</p>{_html(table)}" for table in tables)
    return f"<html><meta charset=utf-8><style>{look} {rules}</style><h2>Lista de precios</h2>{body}<p>{chance.choice(SENTENCES)}</p></html>"


def _html(table: MadeTable) -> str:
    """A table of HTML with its merged cells."""
    grouped = {
        at: (name, last - first + 1, at == first)
        for name, first, last in table.groups
        for at in range(first, last + 1)
    }
    upper, lower = "", ""
    for at, name in enumerate(table.names):
        cell = (
            f"<th align={table.aligns[at]}{'' if at in grouped or not grouped else ' rowspan=2'}>{name}</th>"
        )
        if at in grouped:
            upper += f"<th colspan={grouped[at][1]}>{grouped[at][0]}</th>" if grouped[at][2] else ""
            lower += cell
        else:
            upper += cell
    rows = list[str]()
    starts = {first: last - first + 1 for first, last in table.spans}
    for number, row in enumerate(table.rows):
        if number in table.titles:
            rows.append(f"<tr><td colspan={len(table.names)}><b>{table.titles[number]}</b></td></tr>")
        cells = "".join(
            f"<td align={align}>{text}</td>" for text, align in zip(row[1:], table.aligns[1:], strict=True)
        )
        if not table.spans or number in starts:
            cells = f"<td{f' rowspan={starts[number]}' if table.spans else ''}>{row[0]}</td>{cells}"
        rows.append(f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{upper}</tr>{f'<tr>{lower}</tr>' if lower else ''}</thead><tbody>{''.join(rows)}</tbody></table>"


if __name__ == "__main__":
    main()
