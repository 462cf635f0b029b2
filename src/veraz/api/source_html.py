"""Documents as HTML: blocks and rows with what is quoted marked, page pictures with boxes. All words are escaped here."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final

from veraz.passages.model import Grid, QuoteView, SeenBlock, ShownPage
from veraz.text.page_shape import Box

STYLE: Final = Path(__file__).with_name("source.css").read_text(encoding="utf-8")
_LEAD: Final = re.compile(r"\A\s*(?:#{1,6}\s+|[•▪◦‣–*+-]\s+)")
"""What stands before the words of a heading or list item in the text of a file."""
_NUMBERED: Final = re.compile(r"\s*\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,5})[.)º°]")
_FENCE: Final = re.compile(r"^```.*$\n?", re.MULTILINE)
_ROWS: Final = frozenset({"table_row", "table_header"})
_LEVELS: Final = (2, 4)
"""Of headings: the outermost is below that of the page."""


def blocks_html(blocks: Sequence[SeenBlock]) -> str:
    """Headings, paragraphs, lists and tables one after the other."""
    levels = _levels(blocks)
    return "".join(_group(kind, list(group), levels) for kind, group in groupby(blocks, key=_kind))


def plain_words(quote: QuoteView) -> str:
    """What is quoted as one line to read, without the signs a file uses to say what it is."""
    lines = (_plain(block) for block in quote.blocks if block.quoted)
    return " ".join(" ".join(lines).split()) or " ".join(quote.text.split())


def _plain(block: SeenBlock) -> str:
    if block.kind in _ROWS and block.cells:
        return " · ".join(cell.text for cell in block.cells if cell.text.strip())
    return _LEAD.sub("", block.quoted, count=1).replace("**", "")


def grid_html(grid: Grid, row_word: str) -> str:
    """Rows below the names of their columns, those quoted marked."""
    numbered = any(row.number for row in grid.rows)
    rows = "".join(
        _row(
            row.number if numbered else None,
            [(cell, number in row.marked_cells) for number, cell in enumerate(row.cells)],
            marked=row.marked,
            numbered=numbered,
        )
        for row in grid.rows
    )
    return _table(grid.columns, rows, row_word if numbered else None)


def page_html(page: ShownPage, address: str, words: str) -> str:
    """A page's picture with boxes over the quoted words; `words` are for who does not see it."""
    boxes = "".join(f'<div class="source-box" style="{box_style(box)}"></div>' for box in page.boxes)
    picture = (
        f'<img src="{escape(address)}" alt="{escape(words)}" width="{page.width}" height="{page.height}">'
    )
    return f'<figure class="source-page">{picture}{boxes}</figure>'


def box_style(box: Box) -> str:
    """Where a box lies, as CSS."""
    left, top, width, height = box
    return f"left:{left}%;top:{top}%;width:{width}%;height:{height}%"


def _kind(block: SeenBlock) -> tuple[str, int | None, tuple[str, ...]]:
    """Blocks of the same kind beside each other belong together."""
    if block.kind in _ROWS and block.cells:
        return "table", block.table, block.columns
    return ("list", None, ()) if block.kind == "list_item" else (f"single {block.start}", None, ())


def _levels(blocks: Iterable[SeenBlock]) -> dict[int, int]:
    """The level of each heading: one below another leaves none out, as readers that jump from one to the next expect."""
    found: dict[int, int] = {}
    before = _LEVELS[0] - 1
    for block in blocks:
        if block.kind == "heading":
            before = min(_LEVELS[0] + block.depth, before + 1, _LEVELS[1])
            found[block.start] = before
    return found


def _group(
    kind: tuple[str, int | None, tuple[str, ...]], blocks: list[SeenBlock], levels: dict[int, int]
) -> str:
    if kind[0] == "table":
        return _block_table(blocks)
    if kind[0] == "list":
        return f"<ul>{''.join(map(_item, blocks))}</ul>"
    return _single(blocks[0], levels)


def _item(block: SeenBlock) -> str:
    """An item of a list; one that brings its own number or letter needs no point before it."""
    numbered = ' class="numbered"' if _NUMBERED.match(block.text) else ""
    return f'<li id="at{block.start}"{numbered}>{_words(block)}</li>'


def _single(block: SeenBlock, levels: dict[int, int]) -> str:
    anchor = f'id="at{block.start}"'
    if block.kind == "heading":
        level = levels[block.start]
        return f"<h{level} {anchor}>{_words(block)}</h{level}>"
    if block.kind == "code":
        return f"<pre {anchor}>{_FENCE.sub('', escape(block.text))}</pre>"
    kind = ' class="note"' if block.kind == "note" else ""
    return f"<p {anchor}{kind}>{_words(block)}</p>"


def _block_table(blocks: list[SeenBlock]) -> str:
    columns = blocks[0].columns
    named = any(columns)
    numbered = any(block.row for block in blocks)
    rows = "".join(
        _row(
            block.row,
            [(cell.text, cell.marked) for cell in block.cells],
            marked=bool(block.quoted),
            numbered=numbered,
        )
        for block in blocks
        if not (named and block.kind == "table_header" and not block.quoted)
    )
    return _table(columns if named else (), rows, "" if numbered else None)


def _table(columns: Iterable[str], rows: str, row_word: str | None) -> str:
    names = "".join(
        f'<th scope="col">{escape(name)}</th>' if name.strip() else "<td></td>" for name in columns
    )
    if names and row_word is not None:
        names = f'<td class="number">{escape(row_word)}</td>{names}'
    head = f"<thead><tr>{names}</tr></thead>" if names else ""
    return f'<div class="source-table" tabindex="0"><table>{head}<tbody>{rows}</tbody></table></div>'


def _row(number: int | None, cells: Iterable[tuple[str, bool]], *, marked: bool, numbered: bool) -> str:
    shown = "".join(
        f'<td class="marked">{escape(text)}</td>' if quoted else f"<td>{escape(text)}</td>"
        for text, quoted in cells
    )
    first = f'<td class="number">{number or ""}</td>' if numbered else ""
    return f'<tr class="marked">{first}{shown}</tr>' if marked else f"<tr>{first}{shown}</tr>"


def _words(block: SeenBlock) -> str:
    """What it says, with what is quoted marked, without the signs a file uses to say what it is."""
    before, quoted = block.before, block.quoted
    if block.kind in ("heading", "list_item"):
        if before.strip():
            before = _LEAD.sub("", before, count=1) if _LEAD.match(before) else before
        elif _LEAD.match(quoted):
            quoted = _LEAD.sub("", quoted, count=1)
    before, quoted, after = (escape(part.replace("**", "")) for part in (before, quoted, block.after))
    return f"{before}<mark>{quoted}</mark>{after}" if quoted else f"{before}{after}"
