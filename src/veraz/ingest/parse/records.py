"""Rows of cells as text that keeps each value with the name of its column."""

import re
from collections.abc import Sequence

from veraz.ingest.parse.clean import one_line

_NUMBER = re.compile(r"[-+($€£]*\s*\d[\d.,\s]*(?:e[-+]?\d+)?\s*[%€$)]?", re.IGNORECASE)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?|\d{1,2}:\d{2}(?::\d{2})?")


def record(header: Sequence[str] | None, cells: Sequence[str]) -> str:
    """«Header: value; Header: value», without the empty cells."""
    values = [one_line(cell) for cell in cells]
    if header is None:
        return " | ".join(value for value in values if value)
    return "; ".join(
        f"{header[at]}: {value}" if at < len(header) and header[at] else value
        for at, value in enumerate(values)
        if value
    )


def line(cells: Sequence[str]) -> str:
    """One row of a small table as people write it, every cell in its place."""
    values = [one_line(cell) for cell in cells]
    return one_line(" | ".join(values)) if any(values) else ""


def is_value(cell: str) -> bool:
    """Whether a cell holds a number, a date or a time rather than a name."""
    text = cell.strip()
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row names columns: at least two cells filled (or the only one), all short, no values."""
    filled = [cell for cell in cells if cell.strip()]
    if not filled or len(filled) < min(2, len(cells)) or len(filled) * 2 < len(cells):
        return False
    return not any(is_value(cell) or len(cell) > 200 for cell in filled)
