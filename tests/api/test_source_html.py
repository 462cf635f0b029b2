"""Documents as people read them, without the signs their files are written with."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from veraz.api.source_html import plain_words
from veraz.passages.model import QuoteView, SeenBlock, SeenCell


def block(kind: Any, quoted: str, **more: Any) -> SeenBlock:
    """A block that is quoted whole."""
    given = {
        "kind": kind,
        "start": 0,
        "depth": 0,
        "page_number": None,
        "row": None,
        "table": None,
        "columns": (),
        "before": "",
        "quoted": quoted,
        "after": "",
        "cells": (),
    }
    return SeenBlock(**(given | more))


QUOTE = QuoteView(
    document_id=UUID(int=1),
    document_name="envios.md",
    version=1,
    chunk_id=None,
    view="text",
    text="## Envíos\n\n- A Canarias: 5 días",
    before="",
    after="",
    place=(),
    page_number=None,
    sheet=None,
    row=None,
    introduction=None,
    start_char=0,
    end_char=10,
    rectangles=(),
    pages=(),
    grid=None,
    changed=False,
    corrected=False,
)


def test_headings_and_list_items_lose_their_signs_and_rows_are_read_cell_by_cell() -> None:
    cells = tuple(SeenCell(text=text, marked=False) for text in ("Baleares", "", "4 €"))
    blocks = (
        block("heading", "## Envíos\n"),
        block("list_item", "- A Canarias: 5 días"),
        block("table_row", "| Baleares | | 4 € |", cells=cells),
        block("paragraph", "", before="No se cita."),
    )
    assert plain_words(replace(QUOTE, blocks=blocks)) == "Envíos A Canarias: 5 días Baleares · 4 €"


def test_a_quotation_without_blocks_is_read_as_it_stands() -> None:
    assert plain_words(QUOTE) == "## Envíos - A Canarias: 5 días"
