"""What a source looks like: the page with the words boxed, the text with them marked, the sheet with the row."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import nh3
from nicegui import ui

from veraz import errors
from veraz.api.source_html import blocks_html, box_style, grid_html
from veraz.passages.model import Grid, GridRow, LinkView, QuoteView, ShownPage, SourceView
from veraz.passages.service import SCALE
from veraz.text.plain import plain_words
from veraz.ui.visit import Visit

_TAGS = {
    "div", "h2", "h3", "h4", "li", "mark", "p", "pre", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"*": {"class", "id"}, "th": {"scope"}, "div": {"tabindex"}}


def draw_source(visit: Visit, shown: SourceView | None, text: str, claim: str = "") -> None:
    """A followed link, of a row the cells whose words a claim says; or what was quoted where the link leads nowhere."""
    if shown is None or shown.found.quote is None:
        _gone(visit, shown.found if shown else None, text)
        return
    quote = shown.found.quote
    for sentence in _sentences(visit, shown):
        note(sentence)
    if shown.pages:
        draw_pages(visit, quote, shown)
    elif quote.grid and quote.view == "sheet":
        html(grid_html(told_by(claim, quote.grid), ""))
    elif quote.blocks:
        html(blocks_html(quote.blocks))
    else:
        _plain(quote)


def told_by(claim: str, grid: Grid) -> Grid:
    """The rows with the cells marked that the claim tells, where it tells some of a quoted row and not all."""
    said = f" {' '.join(plain_words(claim))} "

    def narrowed(row: GridRow) -> GridRow:
        words = enumerate(" ".join(plain_words(cell)) for cell in row.cells)
        told = tuple(number for number, one in words if one and f" {one} " in said)
        some = row.marked and not row.marked_cells and 0 < len(told) < len(row.cells)
        return replace(row, marked_cells=told) if some else row

    return replace(grid, rows=tuple(map(narrowed, grid.rows)))


def draw_pages(visit: Visit, quote: QuoteView, shown: SourceView) -> None:
    """The pages a quotation stands on; its words also as text for who does not see pictures."""
    ui.label(quote.text).classes("sr-only")
    for page in shown.pages:
        words = visit.t("Page {n} of {name}", n=page.page_number, name=quote.document_name)
        draw_page(quote.document_id, page, words)


def draw_page(document_id: UUID, page: ShownPage, words: str) -> None:
    """One page with its boxes."""
    with ui.element("figure").classes("source-page"):
        picture = ui.element("img").props(f"width={page.width} height={page.height}")
        picture.props["src"] = page_address(document_id, page)
        picture.props["alt"] = words
        for box in page.boxes:
            ui.element("div").classes("source-box").style(box_style(box))


def page_address(document_id: UUID, page: ShownPage) -> str:
    """A page's picture: the same for every quotation on it, so that the browser fetches it once."""
    return f"/api/v1/documents/{document_id}/pages/{page.page_number}.png?scale={SCALE}&tag={page.tag}"


def html(markup: str) -> ui.html:
    """Blocks or rows of a document: escaped when they were made, and cleaned again."""
    return ui.html(markup, sanitize=_clean).classes("source-text w-full")


def note(sentence: str) -> None:
    """What somebody must know before they read on."""
    ui.label(sentence).classes("source-note break").props("role=note")


def _clean(markup: str) -> str:
    return nh3.clean(markup, tags=_TAGS, attributes=_ATTRIBUTES)


def _sentences(visit: Visit, shown: SourceView) -> Iterator[str]:
    """What has become of the quotation since, or why something else is shown."""
    t, found, quote = visit.t, shown.found, shown.found.quote
    if found.state == "changed":
        yield t("The document has changed since it was quoted. This is what it said then.")
    elif found.state == "corrected":
        yield t("A person has corrected this text since it was quoted. This is what it said then.")
        if found.says_now:
            yield t("It now says: {words}", words=found.says_now)
    elif quote and quote.corrected:
        yield t("A person corrected these words; the document's file says others.")
    if isinstance(shown.undrawn, errors.PageForgotten):
        yield t("Something on this page was forgotten, so this is its text.")
    elif shown.undrawn:
        yield t("The page cannot be shown right now, so this is its text.")


def _gone(visit: Visit, found: LinkView | None, text: str) -> None:
    t = visit.t
    if found is None:
        note(t("This source is no longer within your reach."))
    elif found.state == "forgotten":
        note(t("The document that was quoted has been deleted."))
    elif found.state == "corrected":
        note(t("A person has corrected this text since it was quoted; it no longer says what was quoted."))
        if found.says_now:
            note(t("It now says: {words}", words=found.says_now))
    else:
        note(t("The document has changed since it was quoted and no longer says this."))
    if text:
        ui.label(t("What was quoted")).classes("quiet small")
        ui.label(text).classes("passage source-quote")


def _plain(quote: QuoteView) -> None:
    with ui.element("p").classes("source-text passage"):
        ui.label(quote.before).style("display: inline")
        with ui.element("mark"):
            ui.label(quote.text).style("display: inline")
        ui.label(quote.after).style("display: inline")
