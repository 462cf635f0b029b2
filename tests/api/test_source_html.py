"""Documents as people read them, without the signs their files are written with."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from veraz.api.source_html import blocks_html, plain_words
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


def test_only_what_stands_at_the_beginning_is_the_sign_of_a_list() -> None:
    blocks = (block("paragraph", "Las **membresías** no son un seguro."),)
    assert plain_words(replace(QUOTE, blocks=blocks)) == "Las membresías no son un seguro."


def test_an_item_that_brings_its_number_gets_no_point_beside_it() -> None:
    items = (block("list_item", "a) Sin alcohol."), block("list_item", "- Con casco."))
    markup = blocks_html(items)
    assert '<li id="at0" class="numbered"><mark>a) Sin alcohol.</mark></li>' in markup
    assert '<li id="at0"><mark>Con casco.</mark></li>' in markup


def test_a_quotation_without_blocks_is_read_as_it_stands() -> None:
    assert plain_words(QUOTE) == "## Envíos - A Canarias: 5 días"
